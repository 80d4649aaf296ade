"""Names that a shell completes: entities, commands, property paths and fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

__all__ = ["assignments", "commands", "entities", "names", "properties"]


def _starting(begin: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.lower().startswith(begin.lower()))


def entities(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return names of entities, also their other names, such as Asset for Location."""
    from wosdk_async.model import index

    return _starting(incomplete, {*index.ENTITIES, *index.ALIASES})


def commands(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return names of commands."""
    from wosdk_async.model import index

    return _starting(incomplete, index.COMMANDS)


def names(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the names that ``wosdk describe`` knows: entities, commands and enums."""
    from wosdk_async.model import index

    enums = (name for name, module in index.MODULES.items() if module == "enums")
    return _starting(incomplete, {*index.ENTITIES, *index.ALIASES, *index.COMMANDS, *enums})


def properties(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return property paths of the entity on the line, one step of ``Customer.Name`` at a time."""
    from wosdk_async.model import entity_class

    # while an option still lacks its value, click leaves the entity in ctx.args
    owner = entity_class(ctx.params.get("entity") or next(iter(ctx.args), ""))
    *steps, last = incomplete.split(".")
    for step in steps:
        owner = _class_of_step(owner, step)
    prefix = "".join(f"{step}." for step in steps)
    return [prefix + name for name in _starting(last, _wire(owner))]


def assignments(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return ``name=`` for each field of the command or entity; after ``=``, each member of its enum."""
    from wosdk_async.model import command_class, entity_class, registry

    command, entity = ctx.params.get("command"), ctx.params.get("entity")
    owner = command_class(command) if command else entity_class(entity or "")
    name, sign, begin = incomplete.partition("=")
    if not sign:
        return [f"{field}=" for field in _starting(name, _wire(owner))]
    meta = _wire(owner).get(name)
    if meta is None or meta["type"] != "enum":
        return []
    return [f"{name}={member}" for member in _starting(begin, map(str, registry.resolve(meta["of"])))]


def _wire(owner: Any) -> Mapping[str, Any]:
    return {} if owner is None else {meta["name"]: meta for meta in owner.__wire__.values()}


def _class_of_step(owner: Any, step: str) -> Any:
    from wosdk_async.model import registry

    meta = _wire(owner).get(step)
    return None if meta is None or not meta["of"] or meta["type"] == "enum" else registry.resolve(meta["of"])
