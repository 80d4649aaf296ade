"""Look-up of model classes by name; imports only the module of the class."""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any

from wosdk_async.model import index
from wosdk_async.model.base import Command, Record, Referable

__all__ = ["command_class", "entity_class", "named", "resolve"]


def resolve(name: str) -> Any:
    """Return the class with this Python name. Raises AttributeError if the model has no such class."""
    module = index.MODULES.get(name)
    if module is None:
        raise AttributeError(f"the model has no class {name!r}")
    return getattr(import_module(f"wosdk_async.model.{module}"), index.ALIASES.get(name, name))


def named(name: str) -> Any:
    """Return the class ``name``; for an entity or command, also load all entities and enums.

    A response may contain any of them. They are loaded here, when the program starts, so that the first
    response does not block the event loop.
    """
    found = resolve(name)
    if isinstance(found, type) and issubclass(found, Referable | Command):
        _load_entities()
    return found


@functools.cache
def _load_entities() -> None:
    for module in {index.MODULES[name] for name in (*index.ENTITIES.values(), "WorkOrderStatus")}:
        import_module(f"wosdk_async.model.{module}")


def entity_class(name: str) -> type[Record] | None:
    """Return the class of the entity, value, query or message with this wire name, ignoring letter case.

    The specification's names ``Priority``, ``SubType`` and ``Asset`` also work, although the service uses
    other names. Return None for a name that is not in the catalogue; the service may still know it.
    """
    found = _names()["entity"].get(name.lower())
    return resolve(found) if found else None


def command_class(name: str) -> type[Command[Any]] | None:
    """Return the command class with this wire name or path, ignoring letter case; None if there is none."""
    found = _names()["command"].get(name.lower())
    return resolve(found) if found else None


@functools.cache
def _names() -> dict[str, dict[str, str]]:
    """Return the Python names by kind and lower-case wire name."""
    return {
        kind: {wire.lower(): name for wire, name in names.items()}
        for kind, names in (("entity", index.ENTITIES), ("command", index.COMMANDS))
    }
