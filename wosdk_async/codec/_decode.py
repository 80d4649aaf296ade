"""From the bytes of an answer to its objects in one pass.

:class:`Reader` learns what a kind of answer holds while it reads it the slow way, by :func:`loads` and the
converter, which is the one definition of what the bytes mean. After that ``_twin.py`` reads it in a third of
the time. Bytes that the twins are not made for are read the slow way, and learned from.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import attrs
import cattrs

from wosdk_async.codec._json import MAX_SYMBOLS, UNREADABLE, check_size, exact_decoder, loads
from wosdk_async.codec._seen import Seen
from wosdk_async.codec._twin import ShadowStructs
from wosdk_async.model.base import Record

__all__ = ["WHOLE", "Envelope", "Reader"]

One = Callable[[Any], Any]

_SPARSE = 2  # times that twins are made with places for those fields alone that were seen
SURPRISES = (*UNREADABLE, ValueError, TypeError)  # the last two: of a hook of the program's own


@attrs.frozen(eq=False)
class Envelope:
    """Where the objects are in an answer. Both functions get what makes an object of one of them.

    ``plain(document, one)`` finds them in the loaded JSON and is the definition. ``typed(envelope, one)``
    finds them in ``envelope[twin]``, a generic Struct, and gives None for what it leaves to ``plain``.
    """

    plain: Callable[[Any, One], Any]
    typed: Callable[[Any, One], Any]
    envelope: Any = None


WHOLE = Envelope(lambda document, one: one(document), lambda twin, one: one(twin))
"""The answer is the object."""


class Reader:
    """Reads answers of one form that hold objects of one class."""

    def __init__(self, cls: type[Record], form: Envelope, converter: cattrs.BaseConverter) -> None:
        self._cls = cls
        self._form = form
        self._converter = converter
        self._seen = Seen()
        self._fast: Callable[[bytes], Any] | None = None
        self._builds = 0
        self._unbuilt = 0  # slow answers since the first that taught something which the twins do not know
        self._due = False
        self._fruitless = 0  # slow answers that taught nothing, one after the other
        self._lock = threading.Lock()

    def read(self, body: bytes) -> Any:
        """What the form finds in ``body``. Raises what ``loads``, the form and the converter raise."""
        if self._due:
            self._build()
        made, surprised = None, False
        if self._fast is not None:
            if len(body) > MAX_SYMBOLS:  # fewer bytes cannot have as many
                check_size(body)
            try:
                made = self._fast(body)
            except SURPRISES:
                surprised = True
        if made is None:
            made = self._form.plain(loads(body), lambda data: self._converter.structure(data, self._cls))
            self._learn(made, surprised)
        return made

    def _build(self) -> None:
        with self._lock:
            self._unbuilt, self._due = 0, False
            self._builds += 1
            try:
                self._fast = self._made()
            except Exception:
                # A class of a program's own may have what msgspec refuses, and must be read all the same.
                self._fast = None

    def _made(self) -> Callable[[bytes], Any] | None:
        twin = ShadowStructs(self._seen, self._converter).twin(self._cls)
        if twin is None:
            return None
        envelope, typed, copy = self._form.envelope, self._form.typed, twin.copy
        decode = exact_decoder(envelope[twin.struct] if envelope else twin.struct)
        return lambda body: typed(decode(body), copy)

    def _learn(self, made: Any, surprised: bool) -> None:
        """Learn from an answer that was read the slow way, and whether that ``surprised`` the twins."""
        with self._lock:
            learned = 0
            # To look through an answer takes half the time of reading it: do so rarely where it is of no use.
            if self._fruitless < 20 or self._fruitless % 10 == 0:
                found = made if isinstance(made, list) else [made]
                learned = self._seen.learn(item for item in found if isinstance(item, Record))
            if surprised and not self._seen.every and (not learned or self._builds >= _SPARSE):
                # It says null, which an object does not show; or its fields differ from answer to answer.
                self._seen.every = True
                learned += 1
            self._fruitless = 0 if learned else self._fruitless + 1
            if learned or self._unbuilt or not self._builds:
                self._unbuilt += 1
            # Rarer and rarer: making twins costs a hundred readings.
            self._due = self._unbuilt > self._builds**2
