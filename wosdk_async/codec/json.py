"""Encoding and decoding of JSON with exact decimals, and reading of responses."""

from __future__ import annotations

import contextlib
import decimal
import json
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import chain
from typing import Any

import attrs
import msgspec
import orjson

from wosdk_async.codec.compiler import READING
from wosdk_async.codec.record_reader import MAX_LEARNED, RecordReaders
from wosdk_async.model.base import Record

_MAX_SYMBOLS = 2_000_000
"""Maximum brackets and commas in a body. Each creates a Python object of at least 100 bytes. One byte of gzip
may expand to hundreds of brackets, and decoders cannot stop midway. 4,000 work orders of 5 KB each
contain 1,200,000 of them.
"""
_CHUNK = 1024 * 1024  # bytes checked at a time, so that dense bodies are refused early

_INEXACT = [decimal.InvalidOperation, decimal.Inexact, decimal.Rounded, decimal.Clamped, decimal.Subnormal]
# GIL: threads may share the context, because only its flags change.
_EXACT = decimal.Context(prec=decimal.MAX_PREC, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=_INEXACT)
"""Context that refuses inexact results; shared, because Decimal() would create a context for each task."""


def exact_decoder(type: Any) -> Callable[[bytes], Any]:
    """Return a function that reads JSON as ``type`` with exact decimals, and raises :data:`UNREADABLE`."""
    return msgspec.json.Decoder(type, float_hook=_EXACT.create_decimal).decode


UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, ArithmeticError, RecursionError)
_decode = exact_decoder(Any)

PLAIN_EXPONENT = 30  # beyond this, a number is written as 1E+99 instead of a row of zeros


class TooManySymbolsError(ValueError):
    """Body that would create too many objects."""


def check_size(body: bytes) -> None:
    """Raise TooManySymbolsError if ``body`` would create too many objects."""
    symbols = 0
    if len(body) > _MAX_SYMBOLS:  # a shorter body cannot contain too many symbols
        for start in range(0, len(body), _CHUNK):
            end = start + _CHUNK
            opening = body.count(b"[", start, end) + body.count(b"{", start, end)
            symbols += 2 * opening + body.count(b",", start, end)
            if symbols > _MAX_SYMBOLS:
                raise TooManySymbolsError(f"the body has more than {_MAX_SYMBOLS} brackets and commas")


def loads(body: bytes) -> Any:
    """Parse ``body`` with exact numbers. Raises ValueError for invalid JSON.

    So that no response is lost, near-JSON (lone surrogates, a byte order mark, ``NaN``) is also read, by a
    slower parser. Bodies with more than 2,000,000 brackets and commas are refused.
    """
    check_size(body)
    try:
        return _decode(body)
    except UNREADABLE:
        pass
    try:
        return json.loads(body, parse_float=_number, parse_constant=str)
    except (ValueError, RecursionError) as error:
        why = str(error)
    # Raised outside the handler, because the cause holds the whole text, which may contain a token.
    raise ValueError(f"the body of {len(body)} bytes is not JSON: {why}")


def _number(text: str) -> Any:
    try:
        return Decimal(text)
    except ArithmeticError:
        return text  # Decimal refuses an exponent of 20 digits


def dumps(value: Any) -> bytes:
    """Return ``value`` as compact JSON; a ``Decimal`` is written as a number with all its digits.

    Raises ValueError, which names the location, for values that JSON or the service does not accept, such as
    NaN, infinity, integers of more than 64 bits, lone surrogates and bytes.
    """
    try:
        body = orjson.dumps(value, default=_default, option=orjson.OPT_UTC_Z)
    except (TypeError, RecursionError) as error:
        raise ValueError(_first_fault(value) or f"cannot be written as JSON: {error}") from error
    # orjson writes null for NaN. Few bodies contain null, so few values are searched. ``find`` is faster than
    # ``in``, which first tries to use ``b"null"`` as a number, and handles the exception.
    if body.find(b"null") >= 0 and (fault := _first_fault(value)):
        raise ValueError(fault)
    return body


def dumps_any(value: Any, *, allow_nan: bool = False) -> bytes:
    """Return ``value`` as compact JSON, including values that :func:`loads` reads but :func:`dumps` refuses.

    Such values are integers of more than 64 bits, lone surrogates (which are escaped) and deep nesting.
    ``value`` must not contain itself; results of ``to_dict`` and ``loads`` never do.
    """
    try:
        return dumps(value)
    except ValueError as error:
        with contextlib.suppress(TypeError, ValueError):
            return _text(value, allow_nan).encode()
        raise error


class _Token(str):
    """Piece of encoded JSON, such as a brace or a key."""


def _text(value: Any, allow_nan: bool) -> str:
    """Encode JSON of any depth with an explicit stack instead of recursion."""
    written: list[str] = []
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending.append(_Token("}"))
            for i, (key, inner) in reversed(list(enumerate(item.items()))):
                pending += [inner, _Token(f"{',' if i else ''}{json.dumps(str(key))}:")]
            pending.append(_Token("{"))
        elif isinstance(item, list):
            pending.append(_Token("]"))
            for i, inner in reversed(list(enumerate(item))):
                pending += [inner, _Token("," if i else "")]
            pending.append(_Token("["))
        elif isinstance(item, Decimal) and item.is_finite():
            written.append(_digits(item))
        else:
            is_token = isinstance(item, _Token)
            written.append(item if is_token else json.dumps(item, allow_nan=allow_nan, default=_default))
    return "".join(written)


def _default(value: Any) -> Any:
    if isinstance(value, Decimal) and value.is_finite():
        return orjson.Fragment(_digits(value))
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def _digits(value: Decimal) -> str:
    plain = abs(value.adjusted()) <= PLAIN_EXPONENT
    return format(value, "f") if plain else str(value)


def _first_fault(value: Any) -> str | None:
    try:
        return next(_faults(value, "$"), None)
    except RecursionError:
        return "$ is nested too deeply for JSON, or contains itself."


def _faults(value: Any, path: str) -> Iterator[str]:
    """Yield a message for each part of ``value`` that cannot be written, with its path and the remedy."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                yield f"{path} has the key {key!r}; JSON keys must be strings."
            yield from _faults(str(key), f"the name {key!r} in {path}")
            yield from _faults(item, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _faults(item, f"{path}[{i}]")
    elif reason := _fault(value):
        yield f"{path} is {reason}"


def _fault(value: Any) -> str | None:
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value}, which JSON does not support: send a finite number."
    if isinstance(value, Decimal):
        return None if value.is_finite() else f"{value}, which JSON does not support: send a finite number."
    if isinstance(value, int):
        return None if -(2**63) <= value < 2**64 else f"{value}, more than 64 bits; send it as text."
    if isinstance(value, bytes | bytearray | memoryview):
        return f"{type(value).__name__}; send text, or base64.b64encode(...).decode() for binary content."
    if isinstance(value, str):
        lone = any("\ud800" <= char <= "\udfff" for char in value)
        return "text with an unpaired surrogate; decode it again, or remove the surrogate." if lone else None
    try:
        orjson.dumps(value, default=_default)
    except TypeError:
        return f"a {type(value).__name__}, which is not a JSON value; call codec.unstructure on it first."
    return None


# --- responses --------------------------------------------------------------------------------

_MISMATCHES = (*UNREADABLE, ValueError, TypeError)
"""Errors for JSON that does not fit a Struct."""

One = Callable[[Any], Any]


@attrs.frozen(eq=False)
class Envelope:
    """Location of the objects in a response.

    ``plain(document, one)`` returns the objects in the parsed JSON, each created by ``one`` from its data.
    ``typed(found, origin)`` returns the same objects from ``found``, an instance of the generic Struct
    ``envelope[struct]``. If only ``plain`` can read the response, ``typed`` returns None.
    """

    plain: Callable[[Any, One], Any]
    typed: Callable[[Any, str | None], Any]
    envelope: Any = None
    rows: Callable[[bytes], list[bytes]] | None = None
    """Splits a response into the JSON of its objects. Raises :data:`UNREADABLE`, or the errors of ``plain``.

    None if the response is a single object.
    """


WHOLE = Envelope(lambda document, one: one(document), lambda found, origin: found.__made__(origin))
"""Envelope of a response that is a single object."""


LARGE = 8_000_000
"""Bytes above which even a page of usual rows is decoded in slices; a smaller one takes at most 35 ms."""
_SLICE = 64 * 1024  # bytes of a slice; they take up to 4 ms if all rows are unusual


def slices(rows: list[bytes]) -> Iterator[list[bytes]]:
    """Split the rows of a page, so that decoding a part of them blocks the event loop only briefly."""
    start = size = 0
    for end, row in enumerate(rows, 1):
        size += len(row)
        if size >= _SLICE:
            yield rows[start:end]
            start, size = end, 0
    yield rows[start:]


class ResponseReader:
    """Reader of responses with one envelope and class."""

    def __init__(self, cls: type[Record], form: Envelope, readers: RecordReaders) -> None:
        self._cls = cls
        self._form = form
        self._readers = readers
        self._fast: Callable[[bytes], Any] | None = None
        """Decoder of the Struct, if any."""
        self._version = -1 if readers.is_unhooked(cls) else None

    def read(self, body: bytes) -> Any:
        """Return the objects in ``body``. Raises the errors of ``loads``, the envelope and the converter."""
        if len(body) > _MAX_SYMBOLS:  # a shorter body cannot contain too many symbols
            check_size(body)
        if (found := self._read_fast(body)) is not None:
            return found
        if (rows := self._split(body)) is not None:
            return list(chain.from_iterable(self._read_rows(rows, READING.origin)))
        return self._read_slowly(body, learn=self._fast is not None)

    def read_page(self, body: bytes) -> list[Any] | Iterator[list[Any]]:
        """Return the objects in ``body``, or an iterator that decodes them in slices.

        Only rows that the converter cannot read, such as one with a number of 5,000 digits, fail later.
        """
        if len(body) <= LARGE and (found := self._read_fast(body)) is not None:
            return found  # type: ignore[no-any-return]
        rows = self._split(body)
        return self.read(body) if rows is None else self._read_rows(rows, READING.origin)

    def _split(self, body: bytes) -> list[bytes] | None:
        """Return the JSON of the objects on a page; None if ``body`` must be read as a whole.

        It must be if a program's hooks may refuse an object, or if any row is not an object.
        """
        if self._form.rows is None or self._version is None:
            return None
        with contextlib.suppress(*UNREADABLE):
            rows = self._form.rows(body)
            return rows if all(row.startswith(b"{") for row in rows) else None
        return None

    def _read_fast(self, body: bytes) -> Any:
        """Return the result read with the Struct; None if there is no Struct or ``body`` does not fit it."""
        if self._version != self._readers.version and self._version is not None:
            self._build()
        # GIL: another thread may also be in _build(), which sets the attributes one by one. The old and new
        # decoders and the slow path all read a response correctly.
        if self._fast is None:
            return None
        try:
            return self._form.typed(self._fast(body), READING.origin)
        except _MISMATCHES:
            return None

    def _read_slowly(self, body: bytes, *, learn: bool) -> Any:
        value = self._form.plain(loads(body), lambda data: self._readers.converter.structure(data, self._cls))
        if learn:
            self._readers.learn(self._cls, value if isinstance(value, list) else [value])
        return value

    def _read_rows(self, rows: list[bytes], origin: str | None) -> Iterator[list[Any]]:
        """Yield the objects of a page. A row that does not fit the Struct does not slow down the others."""
        one = ResponseReader(self._cls, WHOLE, self._readers)
        slow = 0
        for part in slices(rows):
            objects = []
            before, READING.origin = READING.origin, origin
            try:
                for row in part:
                    if (found := one._read_fast(row)) is None:
                        slow += 1
                        found = one._read_slowly(row, learn=one._fast is not None and slow <= MAX_LEARNED)
                    objects.append(found)
            finally:
                READING.origin = before
            yield objects

    def _build(self) -> None:
        with self._readers.lock:
            self._version = self._readers.version
            struct = self._readers[self._cls].current().struct
            if struct is None:
                self._fast = None
                return
            envelope = self._form.envelope
            self._fast = exact_decoder(envelope[struct] if envelope else struct)
