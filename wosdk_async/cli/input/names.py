"""Names that people type, found in the catalogue whatever their letter case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wosdk_async.cli.exit_codes import CliError, say
from wosdk_async.model import command_class, entity_class, index

if TYPE_CHECKING:
    from wosdk_async.model import Command, Record

__all__ = ["command_named", "entity_named", "near", "require_query"]


def near(name: str, names: Any) -> str:
    """``; did you mean ...?``, or nothing."""
    from wosdk_async.suggestions import suggestion

    return suggestion(name, names)


def entity_named(name: str, unchecked: bool) -> type[Record] | str:
    """The class of an entity, or the name when it is to be sent as it is. Raises CliError for a typo."""
    found = None if unchecked else entity_class(name)
    return found or _unknown("entity", name, (*index.ENTITIES, *index.ALIASES), unchecked)


def command_named(name: str, unchecked: bool) -> type[Command[Any]] | str:
    """The class of a command, or the name when it is to be sent as it is. Raises CliError for a typo."""
    found = None if unchecked else command_class(name)
    return found or _unknown("command", name, index.COMMANDS, unchecked)


def _unknown(kind: str, name: str, names: Any, unchecked: bool) -> str:
    from wosdk_async.catalogue import load

    if unchecked:
        return name
    if enum := next((each for each in load().enums if each.lower() == name.lower()), None):
        raise CliError(f"{enum} is an enum, no {kind}; `wosdk describe {enum}` lists its values")
    if guess := near(name, names):
        raise CliError(f"the catalogue has no {kind} {name!r}{guess} --unchecked sends it as it is")
    say(f"the catalogue has no {kind} {name!r}: it is sent as it is, and nothing of it is checked")
    return name


def require_query(entity: type[Record] | str) -> None:
    """Raise CliError, with what to do instead, for what is documented not to be queried."""
    name = entity if isinstance(entity, str) else entity.wire_name
    instead = None if isinstance(entity, str) else index.UNSUPPORTED.get(name, {}).get("query")
    if instead is not None:
        remedy = f": {instead}" if instead else ""
        raise CliError(f"{name} cannot be queried{remedy}; --unchecked asks the service all the same")
