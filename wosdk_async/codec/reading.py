"""From the bytes of a response to objects.

The definition is the slow way: ``loads`` and the cattrs converter, whose hooks are compiled readers of dicts.
The fast way gives the same in a third of the time: msgspec fills a Struct, whose values are moved into the
slots of an object. What a Struct cannot read (a name that it does not have, a number where a name is
documented) is read the slow way. Its names are learned, so that the next response with
them is read the fast way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from wosdk_async.codec.json import MAX_SYMBOLS, UNREADABLE, check_size, exact_decoder, loads
from wosdk_async.codec.record_reader import RecordReaders, make
from wosdk_async.model.base import Record

__all__ = ["WHOLE", "Envelope", "RecordReaders", "ResponseReader"]

SURPRISES = (*UNREADABLE, ValueError, TypeError)
"""Errors for JSON that a Struct cannot read."""


One = Callable[[Any], Any]


@attrs.frozen(eq=False)
class Envelope:
    """Where the objects are in a response. Both functions get ``one``, which makes an object of its data.

    ``plain(document, one)`` finds them in the loaded JSON and is the definition. ``typed(found, one)`` finds
    them in ``envelope[struct]``, a generic Struct, and returns None where only ``plain`` can read them.
    """

    plain: Callable[[Any, One], Any]
    typed: Callable[[Any, One], Any]
    envelope: Any = None


WHOLE = Envelope(lambda document, one: one(document), lambda found, one: one(found))
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
                found = self._form.typed(self._fast(body), make)
            except SURPRISES:
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
