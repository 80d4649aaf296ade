"""Converter hooks: dicts to objects, and objects to the dicts that are sent.

The structure hooks define how JSON is read.

The strict writers raise ``ValueError``, with class, field and remedy, for values that the service would
silently change: bytes as text, a local time with a zone, a UTC time without a zone, a number that is not
finite. Enum fields accept members, strings and numbers. Reference fields accept objects, dicts and
:func:`~wosdk_async.model.Ref`. Values of other types are sent unchanged.

A fast writer accepts an object only if its values have exactly the catalogue's types, are short enough and
are finite. Any other object may contain a mistake, so the slower strict writer converts it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import cattrs

from wosdk_async.codec.compiler import (
    Unsupported,
    compile_fast_writer,
    compile_reader,
    compile_writer,
    content_source,
)
from wosdk_async.model import registry
from wosdk_async.model.base import Record
from wosdk_async.model.metadata import is_nested


def make_reader(cls: type[Record], converter: cattrs.BaseConverter) -> Callable[[Any, Any], Any]:
    """Return the structure hook of ``cls``; the hook is compiled on first use."""
    compiled: list[Callable[..., Any]] = []

    def read(data: Any, _: Any = None) -> Any:
        if not compiled:
            hooks = functools.partial(hook_of, converter)
            compiled.append(
                compile_reader(cls, hooks, functools.partial(_as_dict, cls), functools.partial(sort_out, cls))
            )
        return compiled[0](data)

    read.reads = cls  # type: ignore[attr-defined]  # absent from a program's own hook
    return read


def hook_of(converter: cattrs.BaseConverter, name: str) -> Callable[..., Any]:
    """Return the structure hook of class ``name``, resolved on first use, because classes may form cycles."""
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
    raise TypeError(f"{cls.__name__} takes a JSON object, not {type(data).__name__}.")


def sort_out(cls: type[Record], data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Split a dict into documented fields and the rest. The service is case-insensitive (facts 3.3)."""
    known, meant_by = spellings(cls)  # type: ignore[arg-type]  # mypy: records are unhashable, but their class is not
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
    """Return the documented names, and a map from each lower-case name or alias to its documented name."""
    known = {meta["name"]: (meta["name"], *meta.get("aliases", ())) for meta in cls.__wire__.values()}
    return frozenset(known), {other.lower(): name for name, others in known.items() for other in others}


# --- objects to dicts ------------------------------------------------------------------------

Writer = Callable[[Any], dict[str, Any]]
FastWriter = Callable[[Any, str | None], dict[str, Any]]

_ATOMS = frozenset({str, int, bool, Decimal, float, type(None)})


def make_writer(cls: type[Record], converter: cattrs.BaseConverter) -> Writer:
    """Return the unstructure hook of ``cls``."""
    unstructure = converter.unstructure

    def plain(value: Any) -> Any:
        return value if value.__class__ in _ATOMS else unstructure(value)

    write = compile_writer(cls, plain)
    write.writes = cls  # type: ignore[attr-defined]  # absent from a program's own hook
    return write


def write_ref(ref: Any) -> dict[str, Any]:
    """Return the JSON object of a reference: ``{"Id": 512}`` (spec 2.1)."""
    return {"Id": ref.id}


class FastWriters(dict[type[Any], FastWriter]):
    """Fast writers by class, each created on first use."""

    # GIL: threads that first write a class at the same time each compile a function; setting it is atomic.

    def __init__(self, converter: cattrs.BaseConverter) -> None:
        super().__init__()
        self._converter = converter

    def write(self, record: Record, origin: str | None = None) -> dict[str, Any] | None:
        """Return the JSON object of ``record``; None if the fast writer does not support a value.

        Records from a Company other than ``origin`` are not supported.
        """
        try:
            return self[record.__class__](record, origin)
        except (Unsupported, RecursionError):
            return None

    def __missing__(self, cls: type[Any]) -> FastWriter:
        is_ours = getattr(self._converter.get_unstructure_hook(cls), "writes", None) is cls
        # If a program's hook writes the class, only the slower path, which calls the hook, may write it.
        self[cls] = compile_fast_writer(cls, self) if is_ours else _unsupported
        return self[cls]

    def source(self, cls: type[Any], variables: Mapping[str, str], names: dict[str, Any]) -> str:
        """Return the source for ``cls``; if a hook must write ``cls``, the source only raises Unsupported."""
        written = content_source(cls, variables, names)
        return "    raise Unsupported" if self[cls] is _unsupported else written


def _unsupported(_: Any, __: Any) -> dict[str, Any]:
    raise Unsupported


def reachable(cls: type[Record]) -> list[type[Record]]:
    """Return ``cls`` and the classes of all records nested in its objects, at any depth."""
    classes: list[type[Record]] = [cls]
    for each in classes:
        nested = [registry.resolve(meta["of"]) for meta in each.__wire__.values() if is_nested(meta)]
        classes += [other for other in dict.fromkeys(nested) if other not in classes]
    return classes
