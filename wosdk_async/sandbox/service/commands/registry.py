"""Finding a command by its path and running it with arguments read by the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from wosdk_async import catalogue
from wosdk_async.catalogue import Command, Field
from wosdk_async.sandbox.errors import Refusal, broken_rule
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.dialect import Dialect
from wosdk_async.sandbox.schema.entities import SCALARS
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value
from wosdk_async.sandbox.service.commands.unmodelled import NOT_MODELLED
from wosdk_async.sandbox.service.context import RequestContext

__all__ = [
    "Arguments",
    "Handler",
    "command",
    "find_command",
    "modelled_commands",
    "needed",
    "not_modelled",
    "run_command",
]

Arguments = dict[str, Any]
Handler = Callable[[RequestContext, Arguments], Record]

_handlers: dict[str, Handler] = {}

# The entity part of a short path stands for the beginning of the command's name.
_PREFIXES = {"workorder": "wo"}
_NO_SHORT_FORM = {"workzone/delete"}  # facts 5: answered COMMAND_NOT_FOUND


def command(name: str) -> Callable[[Handler], Handler]:
    """Register the function as the command called ``name`` in the catalogue."""

    def register(handler: Handler) -> Handler:
        _handlers[name] = handler
        return handler

    return register


def find_command(segments: list[str], dialect: Dialect) -> Command:
    """The command at a path below ``cmd/``: its name, or an entity type and a short name (facts 5).

    Raises:
        Refusal: ``COMMAND_NOT_FOUND``. The text for a full name is assumed.
    """
    path = "/".join(segments).lower()
    found = _paths(dialect).get(path)
    if found is None and len(segments) == 2 and path not in _NO_SHORT_FORM:
        entity, short = segments[0].lower(), segments[1].lower()
        found = _paths(dialect).get(f"{_PREFIXES.get(entity, entity)}{short}command")
    if found is not None:
        return found
    text = f"There are no such custom command as '{segments[-1] if segments else ''}'"
    owner = f" for entity '{segments[0]}'" if len(segments) > 1 else ""
    raise Refusal(400, "COMMAND_NOT_FOUND", text + owner)


def run_command(context: RequestContext, wanted: Command, sent: Mapping[str, Any]) -> Record:
    """The ``CommandResult`` of a command.

    Raises:
        Refusal: the command is not modelled here, or whatever rule it breaks.
    """
    handler = _handlers.get(wanted.name)
    if handler is None:
        raise not_modelled(wanted.name, NOT_MODELLED.get(wanted.name, "it is new in the catalogue"))
    return handler(context, _arguments(wanted, sent))


def not_modelled(name: str, why: str) -> Refusal:
    """A command, or a use of it, that the sandbox does not claim to know."""
    return broken_rule(f"The local sandbox does not model {name}: {why}.")


def modelled_commands() -> frozenset[str]:
    """The names of the commands that do something here."""
    return frozenset(_handlers)


def needed(row: Record | None, name: str, key: object) -> Record:
    """A row that a command refers to.

    Raises:
        Refusal: ``BUSINESS_LOGIC_ERROR`` naming the reference (spec 3; the text is assumed).
    """
    if row is None:
        raise broken_rule(f"{name} with id {key} is not found.")
    return row


_SPEC_PATHS = frozenset({"sendworkorder"})  # spec 4.6; no other source shows it (facts 12 row 4)


@cache
def _paths(dialect: Dialect) -> dict[str, Command]:
    commands = catalogue.load().commands.values()
    named = {command.name.lower(): command for command in commands}
    paths = {path.lower(): c for c in commands for path in (c.path, *c.other_paths)}
    unknown = frozenset() if dialect.spec_paths else _SPEC_PATHS
    return {path: c for path, c in (named | paths).items() if path not in unknown}


@cache
def _fields(name: str) -> dict[str, Field]:
    fields = catalogue.load().commands[name].request
    return {known.lower(): field for field in fields for known in (field.name, *field.aliases)}


def _arguments(wanted: Command, sent: Mapping[str, Any]) -> Arguments:
    """The known members under their own names; others and unreadable ones are dropped (facts 3.3)."""
    fields = _fields(wanted.name)
    read_members: Arguments = {}
    for name, value in sent.items():
        field = fields.get(name.lower())
        if field is None or value is None:
            continue
        known = read_value(field, value) if field.type in SCALARS else value
        if known is not UNREADABLE:
            read_members[field.name] = known
    return read_members
