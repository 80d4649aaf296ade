"""Operations of the service as paths and names, and checks for mocks that would never match.

Names that the catalogue does not know are allowed, as the service may know more, unless they are close to a
known one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn

from wosdk_async.catalogue import load
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Command, EntitySpecifier, Record, command_class, entity_class
from wosdk_async.protocol.arguments import described
from wosdk_async.protocol.verdicts import CODES
from wosdk_async.text.suggestions import suggestion

__all__ = [
    "DISCOVERY",
    "ServiceOperation",
    "is_command",
    "name_of",
    "names_of",
    "operation_at",
    "require_code",
    "require_operation",
    "require_result",
]

DISCOVERY = "GetCompanyWsdkUrlCommand"
_BASE = {"GET": "retrieve", "POST": "create", "PUT": "update", "DELETE": "delete"}
_KINDS = (*_BASE.values(), "query", "command")
_TYPO = 0.85  # similarity from which an unknown name counts as a typo


class ServiceOperation(NamedTuple):
    """A kind of operation, and the entity or command that it is for.

    The kinds are ``retrieve``, ``create``, ``update``, ``delete``, ``query`` and ``command``.
    """

    kind: str
    name: str


def operation_at(method: str, path: str) -> ServiceOperation | None:
    """Return the operation of a request, or None if there is none at this path.

    Paths are case-insensitive, and doubled slashes are ignored.
    """
    # facts 3.3; facts 3.1
    parts = [part for part in path.split("/") if part]
    if [part.lower() for part in parts[:2]] != ["api", "v1"] or len(parts) < 4:
        return None
    family, rest = parts[2].lower(), parts[3:]
    if family == "base" and len(rest) <= 2 and method in _BASE:
        return ServiceOperation(_BASE[method], _canonical(rest[0]))
    if family == "query" and len(rest) == 1 and method == "POST":
        return ServiceOperation("query", _canonical(rest[0]))
    if family == "cmd" and method == "POST":
        return ServiceOperation("command", _canonical("/".join(rest)))
    return None


def is_command(name: str) -> bool:
    """Return whether a name is a command's; the ending decides for names that the catalogue does not know."""
    return name in load().commands or name.endswith(("Command", "Routine"))


def names_of(operation: ServiceOperation) -> list[str]:
    """Return all names that this entity or command has in paths."""
    command = load().commands.get(operation.name)
    if operation.kind == "command" and command is not None:
        return [operation.name, command.path, *command.other_paths]
    return [operation.name, *(alias for alias, name in load().aliases.items() if name == operation.name)]


def name_of(what: Any) -> str:
    """Return the name of a command or entity, given as a class or a name.

    Raises:
        InvalidCallError: it is neither, or the name seems to be misspelled.
    """
    if isinstance(what, Record | Command):
        _refuse(f"on() takes a class or a name, not {described(what)}; pass {type(what).__name__}")
    given = what if isinstance(what, str) else getattr(what, "wire_name", None)
    if not isinstance(given, str) or not given.strip():
        _refuse(f"on() takes the class of a command or of an entity, or its name, not {described(what)}")
    name = _canonical(given)
    known = [*load().entities, *load().aliases, *load().commands]
    if name not in known and isinstance(what, str):
        _refuse_typo(f"the catalogue has no entity or command {name!r}", name, known)
    return name


def require_operation(operation: ServiceOperation, given: str | None) -> None:
    """Check that an operation exists for this entity or command.

    Args:
        operation: to be mocked.
        given: its kind as the caller wrote it.

    Raises:
        InvalidCallError: no request can be this operation.
    """
    kinds = ", ".join(_KINDS[:-1])
    if operation.kind not in _KINDS:
        _refuse(f"there is no operation {given!r}; name one of {kinds}")
    if operation.kind != "command" and is_command(operation.name):
        _refuse(f"{operation.name} is a command; leave the operation {given!r} out: on({operation.name})")
    if operation.kind == "command" and operation.name in load().entities:
        _refuse(f"{operation.name} is an entity, which is not run; name one of {kinds}")


def require_code(code: Any) -> None:
    """Check that a code can be an error of the service.

    Raises:
        InvalidCallError: it cannot.
    """
    if not isinstance(code, str) or not code.strip():
        _refuse(f"refuses() takes the code of an error, such as 'ERROR_CODE_1019', not {described(code)}")
    if code not in CODES and not re.fullmatch(r"ERROR_CODE_\d+", code):
        _refuse_typo(f"no error has the code {code!r}", code, CODES)


def require_result(operation: ServiceOperation, value: Any) -> None:
    """Check that an operation can have a value as its result.

    Raises:
        InvalidCallError: it is a record of another class, or a dict with a misspelled member.
    """
    expected = _result_class(operation)
    if expected is None:
        return
    where = f"{operation.kind} {operation.name} returns"
    for each in value if operation.kind == "query" else [value]:
        if isinstance(each, Record) and not isinstance(each, expected):
            _refuse(f"{where} {expected.__name__}, not {described(each)}; pass {expected.__name__}(...)")
        if isinstance(each, dict):
            names = [meta["name"] for meta in expected.__wire__.values()]
            known = {name.lower() for name in names}
            for member in each:
                # A later release may have names of its own: those that are like none pass.
                if str(member).lower() not in known and (near := suggestion(str(member), names)):
                    _refuse(f"{where} {expected.__name__}, which has no {member!r}{near}")


def _result_class(operation: ServiceOperation) -> type[Record] | None:
    if operation.kind in ("create", "update", "delete"):
        return EntitySpecifier
    if operation.kind == "command":
        command = command_class(operation.name)
        return None if command is None else command.result_class()
    return entity_class(operation.name)


def _canonical(name: str) -> str:
    """Return the catalogue's name for an entity or a command's path; unknown names are returned unchanged."""
    entity = load().entity(name)
    return entity.name if entity is not None else _command_names().get(name.lower(), name)


@functools.cache
def _command_names() -> Mapping[str, str]:
    return {
        path.lower(): name
        for name, command in load().commands.items()
        for path in (name, command.path, *command.other_paths)
    }


def _refuse_typo(problem: str, name: str, known: Iterable[str]) -> None:
    if near := suggestion(name, known, cutoff=_TYPO):
        _refuse(f"{problem}{near}")


def _refuse(problem: str) -> NoReturn:
    raise InvalidCallError(problem)
