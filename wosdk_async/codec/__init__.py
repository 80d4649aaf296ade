"""Conversion of model objects to JSON and back, defined by :data:`converter`.

``converter.structure(data, WorkOrder)`` builds an order from the service's data, and
``converter.unstructure(order)`` builds the data to send. :func:`loads` and :func:`dumps` convert between that
data and JSON text with exact decimals.

Reading is lenient, because an unreadable response leaves a create in doubt.

* Values of undocumented types are kept unchanged: a string where a number is documented, a string that is not
  a date, a bare number in place of a nested object.
* Unknown fields go to ``extra``, and unknown enum values become unknown members.
* Names are accepted in any case if the documented spelling is missing.
* Null and missing fields both become ``None``; an empty list stays empty.

Only top-level data that is not an object raises ``TypeError``.

Writing is strict: ``dicts.py`` refuses values that the service would silently change.

Files: ``compiler.py`` and ``struct_compiler.py`` generate each class's functions from the table in
``field_types.py``. ``values.py`` converts single values; ``json.py`` encodes and decodes JSON text, and reads
responses.

``structure(loads(body), cls)`` defines how a response is read. :func:`decode` gives the same result in a
third of the time: msgspec fills a Struct, and its values are moved into an object's slots. If a response does
not fit the Struct (an unknown name, or a number instead of an enum name), :func:`structure` reads it.
``record_reader.py`` learns the new names, so that msgspec can read the next response with them.
"""
# facts 3.3

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import cattrs

from wosdk_async.codec.compiler import READING, Unsupported
from wosdk_async.codec.dicts import FastWriters, make_reader, make_writer, spellings, write_ref
from wosdk_async.codec.json import (
    LARGE,
    UNREADABLE,
    WHOLE,
    Envelope,
    ResponseReader,
    check_size,
    dumps,
    exact_decoder,
    loads,
    slices,
)
from wosdk_async.codec.record_reader import RecordReaders
from wosdk_async.model.base import Record, Ref

__all__ = [
    "LARGE",
    "READING",
    "UNREADABLE",
    "WHOLE",
    "Envelope",
    "RecordReaders",
    "ResponseReader",
    "Unsupported",
    "check_size",
    "content_source",
    "converter",
    "decode",
    "dumps",
    "exact_decoder",
    "loads",
    "page_reader",
    "plain",
    "reader",
    "slices",
    "spellings",
    "structure",
    "unstructure",
]

T = TypeVar("T")


def _is_record(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, Record)


# GIL: threads share the converter. cattrs caches hooks in functools.lru_cache, so two threads may create the
# same hook; either one works.
converter = cattrs.Converter(detailed_validation=False)
"""The package's cattrs converter. Hooks registered before first use also apply to nested objects."""

converter.register_structure_hook_factory(_is_record, make_reader)
converter.register_unstructure_hook_factory(_is_record, make_writer)
converter.register_unstructure_hook(type(Ref(0)), write_ref)

_fast_writers = FastWriters(converter)
content_source = _fast_writers.source
plain = _fast_writers.write
"""Faster :func:`unstructure`; returns None for a record that needs the strict writer."""

_readers = RecordReaders(converter)


def structure(data: Any, cls: type[T]) -> T:
    """Return an object of ``cls`` from the service's data."""
    return converter.structure(data, cls)


def decode(body: bytes, cls: Any, form: Envelope = WHOLE) -> Any:
    """Return the objects of ``cls`` in ``body``, which has the envelope ``form``.

    This is faster than :func:`structure`.
    """
    return reader(cls, form)(body)


@functools.lru_cache(maxsize=1024)
def reader(cls: Any, form: Envelope = WHOLE) -> Callable[[bytes], Any]:
    """Return a function equivalent to :func:`decode` for one class and envelope."""
    return ResponseReader(cls, form, _readers).read


@functools.lru_cache(maxsize=1024)
def page_reader(cls: Any, form: Envelope) -> Callable[[bytes], Any]:
    """Return the function that decodes a query's pages: :meth:`ResponseReader.read_page`."""
    return ResponseReader(cls, form, _readers).read_page


def unstructure(obj: Any) -> Any:
    """Return plain dicts, lists, strings and numbers to send for ``obj``."""
    return converter.unstructure(obj)
