"""Names and values that people type, checked against the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wosdk_async.cli.exit_codes import CliError, say
from wosdk_async.model import command_class, entity_class, index, registry
from wosdk_async.suggestions import suggestion

if TYPE_CHECKING:
    from wosdk_async.model import Command, Record
    from wosdk_async.model.metadata import Wire

__all__ = ["command_named", "entity_named", "require_query", "typed_value"]


def entity_named(name: str, unchecked: bool) -> type[Record] | str:
    """Return the class of an entity, or the name when the catalogue does not know it.

    Raises:
        CliError: the name is close to a known one, and ``unchecked`` is not set.
    """
    found = None if unchecked else entity_class(name)
    return found or _unknown_name("entity", name, (*index.ENTITIES, *index.ALIASES), unchecked)


def command_named(name: str, unchecked: bool) -> type[Command[Any]] | str:
    """Return the class of a command, or the name when the catalogue does not know it.

    Raises:
        CliError: the name is close to a known one, and ``unchecked`` is not set.
    """
    found = None if unchecked else command_class(name)
    return found or _unknown_name("command", name, index.COMMANDS, unchecked)


def _unknown_name(kind: str, name: str, names: Any, unchecked: bool) -> str:
    from wosdk_async.catalogue import load

    if unchecked:
        return name
    if enum := next((each for each in load().enums if each.lower() == name.lower()), None):
        article = "an" if kind == "entity" else "a"
        raise CliError(f"{enum} is an enum, not {article} {kind}; `wosdk describe {enum}` lists its values")
    if hint := suggestion(name, names):
        raise CliError(f"the catalogue has no {kind} {name!r}{hint} --unchecked sends it as it is")
    say(f"the catalogue has no {kind} {name!r}: it is sent as it is, and nothing of it is checked")
    return name


def require_query(entity: type[Record] | str) -> None:
    """Raise CliError when the documentation says that the entity cannot be queried."""
    name = entity if isinstance(entity, str) else entity.wire_name
    instead = None if isinstance(entity, str) else index.UNSUPPORTED.get(name, {}).get("query")
    if instead is not None:
        remedy = f": {instead}" if instead else ""
        raise CliError(f"{name} cannot be queried{remedy}; --unchecked asks the service all the same")


def typed_value(text: str, meta: Wire, place: str) -> Any:
    """Return the value of ``text`` for a property; raise CliError that begins with ``place``."""
    from wosdk_async.text_values import parse_value

    if meta["type"] == "enum":
        return _member(text, meta["of"], place)
    try:
        return parse_value(text, meta)
    except ValueError as error:
        raise CliError(f"{place} {error}") from None


def _member(text: str, enum: str, place: str) -> str:
    names = [str(member) for member in registry.resolve(enum)]
    if text in names:
        return text
    hint = suggestion(text, names) or f"; wosdk describe {enum} lists them."
    raise CliError(f"{place}: {enum} has no value {text!r}{hint} --unchecked sends it as it is")
