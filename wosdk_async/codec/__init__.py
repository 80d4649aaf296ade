"""Objects of the model to JSON and back: the one definition is :data:`converter`.

``converter.structure(data, WorkOrder)`` makes an order of what the service sent and
``converter.unstructure(order)`` makes what to send. :func:`loads` and :func:`dumps` are the text on either
side; both keep decimal numbers exact.

Reading is lenient, because an error while reading the response to a create would turn a success into
doubt:

* a value of another type than documented stays as it was sent: a text where a number is documented, a
  text that is not a date, a bare number where an object is;
* unknown fields go to ``extra`` and unknown enum values become members that are not known;
* names in another case than the documented one are accepted where the documented one is missing;
* null and missing are both ``None``; an empty list stays empty.

Only something that is not an object at all, where one is asked for, is a ``TypeError``.

Writing is strict where the service would store something else than meant: see ``dicts.py``.
Files: ``field_types.py`` is the table of types. ``compiler.py`` and ``struct_compiler.py`` write the
functions of a class from it, which ``dicts.py`` uses. ``values.py`` converts single values, ``json.py`` is
the text, and reads responses.

``structure(loads(body), cls)`` defines how a response is read. :func:`decode` gives the same result in a
third of the time: msgspec fills a Struct, and ``record_reader.py`` moves its values into the slots of an
object. If the Struct cannot read a response (it has an unknown name, or a number where a name is
documented), the definition reads it and the new names are learned, so that later responses with these names
are read fast.

Every package from ``protocol/`` up may import it; it imports ``model/`` and the packages below.
"""
# facts 3.3

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import cattrs

from wosdk_async.codec.compiler import READING
from wosdk_async.codec.dicts import FastWriters, make_reader, make_writer, spellings, write_ref
from wosdk_async.codec.json import WHOLE, Envelope, ResponseReader, dumps, exact_decoder, loads
from wosdk_async.codec.record_reader import RecordReaders
from wosdk_async.model.base import Record, Ref

__all__ = [
    "READING",
    "WHOLE",
    "Envelope",
    "RecordReaders",
    "ResponseReader",
    "converter",
    "decode",
    "dumps",
    "exact_decoder",
    "loads",
    "plain",
    "reader",
    "spellings",
    "structure",
    "unstructure",
]

T = TypeVar("T")


def _is_record(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, Record)


# GIL: threads share it. cattrs keeps hooks in functools.lru_cache, so one may be made twice; either does.
converter = cattrs.Converter(detailed_validation=False)
"""The package's cattrs converter; hooks registered on it before first use apply to nested objects too."""

converter.register_structure_hook_factory(_is_record, make_reader)
converter.register_unstructure_hook_factory(_is_record, make_writer)
converter.register_unstructure_hook(type(Ref(0)), write_ref)

plain = FastWriters(converter).write
"""Return what :func:`unstructure` returns for a valid record with values of the documented types
(:mod:`wosdk_async.protocol.validation`); None for any other."""

_readers = RecordReaders(converter)


def structure(data: Any, cls: type[T]) -> T:
    """Return an object of ``cls`` from the service's data."""
    return converter.structure(data, cls)


def decode(body: bytes, cls: Any, form: Envelope = WHOLE) -> Any:
    """Return what ``form`` finds in ``body``, as objects of ``cls``: faster than :func:`structure`."""
    return reader(cls, form)(body)


@functools.lru_cache(maxsize=1024)
def reader(cls: Any, form: Envelope = WHOLE) -> Callable[[bytes], Any]:
    """Return the function that does what :func:`decode` does with bodies of one kind."""
    return ResponseReader(cls, form, _readers).read


def unstructure(obj: Any) -> Any:
    """Return plain dicts, lists, texts and numbers to send for ``obj``."""
    return converter.unstructure(obj)
