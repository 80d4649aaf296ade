"""Response bodies: collected without copying, decompressed within bounds."""

from __future__ import annotations

import asyncio
import io
import zlib
from collections.abc import Iterator, Mapping

TOO_LONG = "the response is longer than"
"""Start of every error message about an oversized response, regardless of the engine or library."""

_LARGE = 1024 * 1024
_RESERVED = 40 * 1024 * 1024  # more than 32 MiB, so that glibc returns the freed block to the system


class BodyBuffer:
    """Buffer that holds each byte only once, even while it grows.

    A large buffer that grew in small steps would be moved each time, and the C library would keep the old
    blocks. Reserved memory costs nothing until it is written.
    """

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        self.size = 0

    def add(self, piece: bytes) -> None:
        """Append ``piece``."""
        before = self.size
        self.size += len(piece)
        if before <= _LARGE < self.size < _RESERVED:
            small, self._buffer = self._buffer, io.BytesIO(bytes(_RESERVED))
            self._buffer.write(small.getvalue())
        self._buffer.write(piece)

    def take(self) -> bytes:
        """Return the whole body. The buffer cannot be reused."""
        self._buffer.truncate()
        return self._buffer.getvalue()


_GZIP, _ZLIB, _RAW = 31, 15, -15  # zlib's window bits, which select the format
_WINDOW_BITS = {"gzip": _GZIP, "x-gzip": _GZIP, "deflate": _ZLIB}

# Bytes per zlib call: few, because zlib copies the rest of the input after each gzip member.
_INPUT = 16 * 1024
_OUTPUT = 64 * 1024
_FREE = 1024 * 1024  # a body may expand to this many bytes, regardless of the ratio
_MAX_RATIO = 200  # the service's JSON has a ratio of 5 to 30, repetitive text perhaps 100
_MAX_MEMBERS = 10_000  # gzip members; files compressed in 64 KiB blocks have 16 per MiB
_STEPS = 8  # steps per loop iteration; counted instead of timed, so that runs are reproducible


class BadContent(Exception):
    """Body that cannot be decompressed because it is corrupt or incomplete."""


class UnwantedContent(BadContent):
    """Refused body: it would exceed a limit, or its coding was not requested."""


class LoopTurns:
    """Regular yields to the event loop during long work, so that other tasks run."""

    def __init__(self) -> None:
        self._left = _STEPS

    async def step(self) -> None:
        """Count a step of work, and yield to other tasks after every eighth step."""
        self._left -= 1
        if not self._left:
            self._left = _STEPS
            await asyncio.sleep(0)


def decompressor_for(headers: Mapping[str, str]) -> Decompressor | None:
    """Return a decompressor for these headers; None if the body is not compressed. Raises BadContent.

    The error omits the header, which may repeat the token.
    """
    values = headers.get("content-encoding", "").lower().split(",")
    codings = [each for value in values if (each := value.strip()) not in ("", "identity")]
    if not codings:
        return None
    if len(codings) > 1:
        raise UnwantedContent("the body was compressed more than once")
    if codings[0] not in _WINDOW_BITS:
        raise UnwantedContent("the body has a content coding other than gzip and deflate")
    return Decompressor(_WINDOW_BITS[codings[0]])


async def decompress(body: bytes, headers: Mapping[str, str], limit: int) -> bytes:
    """Return ``body`` decompressed. Raises BadContent if it is corrupt or would exceed ``limit`` bytes.

    A body without a content coding is returned unchanged. A large body is decompressed over several
    iterations of the event loop.
    """
    decompressor = decompressor_for(headers)
    if decompressor is None or not body:
        return body
    turns, whole = LoopTurns(), BodyBuffer()
    try:
        for piece in decompressor.steps(body):
            whole.add(piece)
            if whole.size > limit:
                raise UnwantedContent(f"{TOO_LONG} {limit} bytes when decompressed")
            await turns.step()
    except MemoryError:
        raise BadContent("not enough memory for the body") from None
    decompressor.finish()
    return whole.take()


class Decompressor:
    """Decompressor of one body that arrives piece by piece."""

    def __init__(self, window_bits: int) -> None:
        self._window_bits = window_bits
        self._stream: zlib._Decompress | None = None
        self._members = self._received = self._unpacked = 0

    def steps(self, data: bytes) -> Iterator[bytes]:
        """Decompress the next piece of the body in small steps. Raises BadContent."""
        self._received += len(data)
        view = memoryview(data)
        for start in range(0, len(view), _INPUT):
            yield from self._unpack(view[start : start + _INPUT])

    def finish(self) -> None:
        """Check that the body is complete. Raises BadContent."""
        if self._stream is not None and not self._stream.eof:
            raise BadContent("the compressed body is truncated")

    def _unpack(self, packed: bytes | memoryview) -> Iterator[bytes]:
        while True:
            if self._stream is None or self._stream.eof:
                self._stream = self._next_member(packed)
            stream = self._stream
            why = None
            try:
                piece = stream.decompress(packed, _OUTPUT)
            except zlib.error as cause:
                why = str(cause)
            if why is not None:  # raised outside the handler, because our errors hold no library exceptions
                raise BadContent(f"the compressed body is corrupt ({why})")
            self._unpacked += len(piece)
            if self._unpacked > _FREE and self._unpacked > _MAX_RATIO * self._received:
                raise UnwantedContent(f"the body expands to more than {_MAX_RATIO} times its size")
            yield piece
            packed = stream.unused_data if stream.eof else stream.unconsumed_tail
            # After a full piece, zlib may have more output.
            if not packed and (stream.eof or len(piece) < _OUTPUT):
                return

    def _next_member(self, packed: bytes | memoryview) -> zlib._Decompress:
        """Start the body or its next gzip member (RFC 1952 2.2)."""
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise UnwantedContent(f"the body has more than {_MAX_MEMBERS} gzip members")
        if self._window_bits == _GZIP:
            return zlib.decompressobj(_GZIP)
        if self._members > 1:
            raise BadContent("bytes follow the compressed body")
        # Some servers send deflate without the zlib wrapper, which starts with method 8 (RFC 1950 2.2).
        return zlib.decompressobj(_ZLIB if packed[0] & 15 == 8 else _RAW)
