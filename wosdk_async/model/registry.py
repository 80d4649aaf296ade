"""Look-up of the model's classes by name; loads only the module that holds one."""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any

from wosdk_async.model import index
from wosdk_async.model.base import Command, Record, Referable

__all__ = ["command_class", "entity_class", "named", "resolve"]


def resolve(name: str) -> Any:
    """Return the class called ``name`` in Python. Raises AttributeError when the model has none."""
    module = index.MODULES.get(name)
    if module is None:
        raise AttributeError(f"the model has no class {name!r}")
    return getattr(import_module(f"wosdk_async.model.{module}"), index.ALIASES.get(name, name))


def named(name: str) -> Any:
    """Return the class called ``name`` that a program asks for, with all entities and enums loaded.

    A response may hold any of them. Loading them here, where the program starts, takes the wait out of the
    first response, which would come in the middle of an event loop.
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
    """Return the class of the entity, value, query or message called ``name`` on the wire.

    Letter case does not matter. The specification's names ``Priority``, ``SubType`` and ``Asset`` find the
    wire's classes. None when the catalogue has no such name: the service may still know it.
    """
    found = _names()["entity"].get(name.lower())
    return resolve(found) if found else None


def command_class(name: str) -> type[Command[Any]] | None:
    """Return the class of the command with this wire name or path, ignoring letter case."""
    found = _names()["command"].get(name.lower())
    return resolve(found) if found else None


@functools.cache
def _names() -> dict[str, dict[str, str]]:
    """Wire name in lower case -> Python name, for each kind."""
    return {
        kind: {wire.lower(): name for wire, name in names.items()}
        for kind, names in (("entity", index.ENTITIES), ("command", index.COMMANDS))
    }
