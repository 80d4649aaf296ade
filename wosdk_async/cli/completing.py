"""What shells complete: names of the catalogue. Only what a name needs is loaded, so that it is quick."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click

__all__ = ["assignments", "commands", "entities", "names", "properties"]


def _starting(begin: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.lower().startswith(begin.lower()))


def entities(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Entities, by either of their names."""
    from wosdk_async.model import _index

    return _starting(incomplete, {*_index.ENTITIES, *_index.ALIASES})


def commands(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Commands."""
    from wosdk_async.model import _index

    return _starting(incomplete, _index.COMMANDS)


def names(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Everything that ``wosdk describe`` knows: entities, commands and enums."""
    from wosdk_async.model import _index

    enums = (name for name, module in _index.MODULES.items() if module == "enums")
    return _starting(incomplete, {*_index.ENTITIES, *_index.ALIASES, *_index.COMMANDS, *enums})


def properties(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Property paths of the entity on the line, step by step through references: ``Customer.Name``."""
    from wosdk_async.model import entity_class

    # an option that still lacks its value keeps click from filling the arguments
    owner = entity_class(ctx.params.get("entity") or next(iter(ctx.args), ""))
    *steps, last = incomplete.split(".")
    for step in steps:
        owner = _below(owner, step)
    prefix = "".join(f"{step}." for step in steps)
    return [prefix + name for name in _starting(last, _wire(owner))]


def assignments(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """``name=`` for each field of the command on the line, then ``name=Member`` where it is an enum."""
    from wosdk_async.model import _registry, command_class

    owner = command_class(ctx.params.get("command") or "")
    name, sign, begin = incomplete.partition("=")
    if not sign:
        return [f"{field}=" for field in _starting(name, _wire(owner))]
    meta = _wire(owner).get(name)
    if meta is None or meta["type"] != "enum":
        return []
    return [f"{name}={member}" for member in _starting(begin, map(str, _registry.resolve(meta["of"])))]


def _wire(owner: Any) -> Mapping[str, Any]:
    return {} if owner is None else {meta["name"]: meta for meta in owner.__wire__.values()}


def _below(owner: Any, step: str) -> Any:
    from wosdk_async.model import _registry

    meta = _wire(owner).get(step)
    return None if meta is None or not meta["of"] or meta["type"] == "enum" else _registry.resolve(meta["of"])
