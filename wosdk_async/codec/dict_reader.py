"""Structure hooks of the converter: dicts to objects. They define what JSON means."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import cattrs

from wosdk_async.codec.compiler import compile_reader
from wosdk_async.model import registry
from wosdk_async.model.base import Record

__all__ = ["hook_of", "make_reader", "spellings"]


def make_reader(cls: type[Record], converter: cattrs.BaseConverter) -> Callable[[Any, Any], Any]:
    """Return the structure hook of ``cls``, which is compiled when it is first called."""
    compiled: list[Callable[..., Any]] = []

    def read(data: Any, _: Any = None) -> Any:
        if not compiled:
            hooks = functools.partial(hook_of, converter)
            compiled.append(
                compile_reader(
                    cls, hooks, functools.partial(_as_dict, cls), functools.partial(_sort_out, cls)
                )
            )
        return compiled[0](data)

    read.reads = cls  # type: ignore[attr-defined]  # tells it from a program's own hook
    return read


def hook_of(converter: cattrs.BaseConverter, name: str) -> Callable[..., Any]:
    """Return the structure hook of the class ``name``, found at its first call: classes may be circular."""
    found: list[Any] = []

    def read(data: Any, _: Any = None) -> Any:
        if not found:
            cls = registry.resolve(name)
            found[:] = converter.get_structure_hook(cls), cls
        return found[0](data, found[1])

    return read


def _as_dict(cls: type[Record], data: Any) -> dict[str, Any]:
    if isinstance(data, Mapping):
        return dict(data)
    raise TypeError(f"{cls.__name__} is made of a JSON object, not of {type(data).__name__}.")


def _sort_out(cls: type[Record], data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Split a dict into documented fields and the rest. The service ignores letter case (facts 3.3)."""
    known, meant_by = spellings(cls)  # type: ignore[arg-type]  # mypy takes the objects for the class
    tidy = {name: data[name] for name in data.keys() & known}
    extra: dict[str, Any] = {}
    for name in data:
        if name in known:
            continue
        meant = meant_by.get(str(name).lower())
        if meant is not None and meant not in tidy:
            tidy[meant] = data[name]
        else:
            extra[name] = data[name]
    return tidy, extra or None


@functools.cache
def spellings(cls: type[Record]) -> tuple[frozenset[str], dict[str, str]]:
    """Return the documented names, and every name or alias in lower case -> the documented one."""
    known = {meta["name"]: (meta["name"], *meta.get("aliases", ())) for meta in cls.__wire__.values()}
    return frozenset(known), {other.lower(): name for name, others in known.items() for other in others}
