"""What may be wrong with the routes of a test: a route that would never match, an answer of another kind.

What the catalogue does not know is let pass unless it nearly is what the catalogue knows: the service may
know more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NoReturn

from wosdk_async.catalogue import load
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Command, EntitySpecifier, Record, command_class, entity_class
from wosdk_async.protocol.arguments import described
from wosdk_async.protocol.verdicts import CODES
from wosdk_async.suggestions import suggestion
from wosdk_async.testing.paths import RequestPath, is_command, spelled

__all__ = ["name_of", "require_answer", "require_code", "require_operation"]

_TYPO = 0.85  # of a ratio: nearer names are taken for misspelt ones


def name_of(what: Any) -> str:
    """The name of a command or an entity that is given by its class or its name."""
    if isinstance(what, Record | Command):
        _refuse(f"on() takes a class or a name, not {described(what)}; pass {type(what).__name__}")
    given = what if isinstance(what, str) else getattr(what, "wire_name", None)
    if not isinstance(given, str) or not given.strip():
        _refuse(f"on() takes the class of a command or of an entity, or its name, not {described(what)}")
    name = spelled(given)
    known = [*load().entities, *load().aliases, *load().commands]
    if name not in known and isinstance(what, str):
        _refuse_near(f"the catalogue has no entity or command {name!r}", name, known)
    return name


def require_operation(asked: RequestPath, given: str | None, operations: tuple[str, ...]) -> None:
    """Refuse an operation that nobody can ask of this."""
    takes = ", ".join(operations[:-1])
    if asked.operation not in operations:
        _refuse(f"there is no operation {given!r}; name one of {takes}")
    if asked.operation != "command" and is_command(asked.name):
        _refuse(f"{asked.name} is a command; leave the operation {given!r} out: on({asked.name})")
    if asked.operation == "command" and asked.name in load().entities:
        _refuse(f"{asked.name} is an entity, which is not run; name one of {takes}")


def require_code(code: Any) -> None:
    """Refuse what cannot be a code of an error of the service."""
    if not isinstance(code, str) or not code.strip():
        _refuse(f"refuses() takes the code of an error, such as 'ERROR_CODE_1019', not {described(code)}")
    if code not in CODES and not re.fullmatch(r"ERROR_CODE_\d+", code):
        _refuse_near(f"no error has the code {code!r}", code, CODES)


def require_answer(asked: RequestPath, value: Any) -> None:
    """Refuse a record that this operation does not answer, and a dict with a misspelt member."""
    expected = _answer_class(asked)
    if expected is None:
        return
    where = f"{asked.operation} {asked.name} answers"
    for each in value if asked.operation == "query" else [value]:
        if isinstance(each, Record) and not isinstance(each, expected):
            _refuse(f"{where} {expected.__name__}, not {described(each)}; pass {expected.__name__}(...)")
        if isinstance(each, dict):
            names = [meta["name"] for meta in expected.__wire__.values()]
            known = {name.lower() for name in names}
            for member in each:
                if str(member).lower() not in known:
                    _refuse_near(f"{where} {expected.__name__}, which has no {member!r}", str(member), names)


def _answer_class(asked: RequestPath) -> type[Record] | None:
    if asked.operation in ("create", "update", "delete"):
        return EntitySpecifier
    if asked.operation == "command":
        command = command_class(asked.name)
        return None if command is None else command.result_class()
    return entity_class(asked.name)


def _refuse_near(wrong: str, name: str, known: Iterable[str]) -> None:
    if near := suggestion(name, known, cutoff=_TYPO):
        _refuse(f"{wrong}{near}")


def _refuse(wrong: str) -> NoReturn:
    raise InvalidCallError(wrong)
