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
the text.

The definition of reading is ``structure(loads(body), cls)``. :func:`decode` gives the same in a third of the
time: msgspec fills a Struct, whose values ``record_reader.py`` moves into the slots of an object. What a
Struct cannot read (a name that it does not have, a number where a name is documented) is read by the
definition, and its names are learned, so that the next response with them is read the fast way.

Every package from ``protocol/`` up may import it; it imports ``model/`` and what is below that.
"""
# facts 3.3

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import attrs
import cattrs

from wosdk_async.codec.compiler import READING
from wosdk_async.codec.dicts import FastWriters, make_reader, make_writer, spellings, write_ref
from wosdk_async.codec.json import MAX_SYMBOLS, UNREADABLE, check_size, dumps, exact_decoder, loads
from wosdk_async.codec.record_reader import RecordReaders
from wosdk_async.model.base import Record, Ref

__all__ = [
    "READING",
    "Envelope",
    "converter",
    "decode",
    "dumps",
    "loads",
    "plain",
    "reader",
    "spellings",
    "structure",
    "unstructure",
]

_SURPRISES = (*UNREADABLE, ValueError, TypeError)
"""Errors for JSON that a Struct cannot read."""


One = Callable[[Any], Any]


@attrs.frozen(eq=False)
class Envelope:
    """Where the objects are in a response.

    ``plain(document, one)`` finds them in the loaded JSON and is the definition; ``one`` makes an object of
    its data. ``typed(found, origin)`` finds them in ``envelope[struct]``, a generic Struct, and returns None
    where only ``plain`` can read them.
    """

    plain: Callable[[Any, One], Any]
    typed: Callable[[Any, str | None], Any]
    envelope: Any = None


WHOLE = Envelope(lambda document, one: one(document), lambda found, origin: found.__made__(origin))
"""The response is the object."""


class ResponseReader:
    """Reads responses of one form that hold objects of one class."""

    def __init__(self, cls: type[Record], form: Envelope, readers: RecordReaders) -> None:
        self._cls = cls
        self._form = form
        self._readers = readers
        self._fast: Callable[[bytes], Any] | None = None
        """Decoder of the Struct; None if there is none."""
        self._version = -1 if readers.is_unhooked(cls) else None

    def read(self, body: bytes) -> Any:
        """Return what the form finds in ``body``. Raises what ``loads``, the form and the converter raise."""
        if self._version != self._readers.version and self._version is not None:
            self._build()
        # GIL: another thread may build meanwhile, and sets one attribute after the other. A response is read
        # right with the old function and with the new one, and the slow way with none.
        if self._fast is not None:
            if len(body) > MAX_SYMBOLS:  # fewer bytes cannot have as many
                check_size(body)
            try:
                found = self._form.typed(self._fast(body), READING.origin)
            except _SURPRISES:
                found = None
            if found is not None:
                return found
        made = self._form.plain(loads(body), lambda data: self._readers.converter.structure(data, self._cls))
        if self._fast is not None:
            self._readers.learn(self._cls, made if isinstance(made, list) else [made])
        return made

    def _build(self) -> None:
        with self._readers.lock:
            self._version = self._readers.version
            struct = self._readers[self._cls].current().struct
            if struct is None:
                self._fast = None
                return
            envelope = self._form.envelope
            self._fast = exact_decoder(envelope[struct] if envelope else struct)


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


def reader(cls: Any, form: Envelope = WHOLE) -> Callable[[bytes], Any]:
    """Return the function that does what :func:`decode` does with bodies of one kind."""
    return _reader(cls, form).read


@functools.lru_cache(maxsize=1024)
def _reader(cls: Any, form: Envelope) -> ResponseReader:
    return ResponseReader(cls, form, _readers)


def unstructure(obj: Any) -> Any:
    """Return plain dicts, lists, texts and numbers to send for ``obj``."""
    return converter.unstructure(obj)
