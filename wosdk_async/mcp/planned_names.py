"""Names of a planned change, brought to the service's own, so that each rule has one spelling to look for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wosdk_async.codec.record_dicts import wire_name_of
from wosdk_async.errors import InvalidCallError, UnknownNameError
from wosdk_async.mcp.filters import entity_named
from wosdk_async.model import Command, Record, command_class, index, registry
from wosdk_async.model.metadata import is_nested
from wosdk_async.text.suggestions import suggestion

__all__ = ["class_of", "command_named", "order_id", "service_names"]


def command_named(name: str) -> type[Command[Any]]:
    """Return the class of a command. Raises UnknownNameError, which suggests a name."""
    found = command_class(name)
    if found is None:
        near = suggestion(name, index.COMMANDS) or "; the tool describe lists all names"
        raise UnknownNameError(f"there is no command {name!r:.80}{near}")
    return found


def class_of(action: str, name: str) -> type[Record]:
    """Return the class of the command or entity that a plan names. Raises UnknownNameError."""
    return command_named(name) if action == "command" else entity_named(name)


def service_names(cls: type[Record], value: Any) -> Any:
    """Return the JSON of a record with the service's names at every depth; unknown names stay.

    Args:
        cls: The class whose record it is; its names may be in any letter case, aliases, or those in Python.
        value: An object, a list of them, or what is no record: that is returned as it is.

    Raises:
        InvalidCallError: A field is there twice, in two spellings.
    """
    if isinstance(value, list):
        return [service_names(cls, item) for item in value]
    if not isinstance(value, Mapping):
        return value
    exact, meant_by = wire_name_of(cls)  # type: ignore[arg-type]  # mypy takes the objects for the class
    inner = {meta["name"]: meta["of"] for meta in cls.__wire__.values() if is_nested(meta)}
    made: dict[str, Any] = {}
    for name, item in value.items():
        meant = exact.get(name) or meant_by.get(name.lower()) or name
        if meant in made:
            raise InvalidCallError(f"{cls.__name__} has the field {meant} twice, once as {name!r:.60}")
        made[meant] = service_names(registry.resolve(inner[meant]), item) if meant in inner else item
    return made


def order_id(fields: Mapping[str, Any]) -> int | None:
    """Return the id of the work order that a command is about; it may be a text, as in other fields."""
    value = fields.get("WorkOrderId")
    return int(value) if isinstance(value, int | str) and str(value).isdecimal() else None
