"""From objects to the dicts that are sent.

The writer of a class is strict. It refuses, with a ``ValueError`` that names class, field and remedy, what
the service would silently store as something else: bytes in a text, a time with a zone in a local field or
without one in a UTC field, a number that is not finite. Enum fields take members, texts and numbers.
Reference fields take objects, :func:`~wosdk_async.model.Ref` and dicts. A value of another type goes out as
it is.

The fast writer looks at every field that is set, and writes it only if its value is of the very type that
the catalogue gives, short enough and finite. It gives up on any other object, which is then checked and
written by the strict writer. So a program pays for the search for mistakes only where there may be one.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import cattrs

from wosdk_async.codec.compiler import Unsupported, compile_fast_writer, compile_writer
from wosdk_async.model.base import Record

__all__ = ["FastWriters", "make_writer", "write_ref"]

Writer = Callable[[Any], dict[str, Any]]

_ATOMS = frozenset({str, int, bool, Decimal, float, type(None)})


def make_writer(cls: type[Record], converter: cattrs.BaseConverter) -> Writer:
    """Return the unstructure hook of ``cls``."""
    unstructure = converter.unstructure

    def plain(value: Any) -> Any:
        return value if value.__class__ in _ATOMS else unstructure(value)

    write = compile_writer(cls, plain)
    write.writes = cls  # type: ignore[attr-defined]  # tells it from a program's own hook
    return write


def write_ref(ref: Any) -> dict[str, Any]:
    """Return the JSON object of a reference: ``{"Id": 512}`` (spec 2.1)."""
    return {"Id": ref.id}


class FastWriters(dict[type[Any], Writer]):
    """Class -> its fast writer, made when the class is first written."""

    def __init__(self, converter: cattrs.BaseConverter) -> None:
        super().__init__()
        self._converter = converter

    def write(self, record: Record) -> dict[str, Any] | None:
        """Return the JSON object of ``record``; None when something in it is odd."""
        try:
            return self[record.__class__](record)
        except (Unsupported, RecursionError):
            return None

    def __missing__(self, cls: type[Any]) -> Writer:
        ours = getattr(self._converter.get_unstructure_hook(cls), "writes", None) is cls
        self[cls] = compile_fast_writer(cls, self) if ours else _unsupported  # a program's hook decides
        return self[cls]


def _unsupported(_: Any) -> dict[str, Any]:
    raise Unsupported
