"""The bytes of a body that comes in pieces, given away as one without a copy."""

from __future__ import annotations

import io

__all__ = ["Body"]

_LARGE = 1024 * 1024
_AHEAD = 40 * 1024 * 1024  # larger than any block that glibc keeps after it is freed (32 MiB)


class Body:
    """A buffer that holds each byte once, also while it grows.

    A large one is not grown in small steps: the C library would move it each time and keep the places where
    it was, together as much again. Memory that is reserved is used only when something is written there.
    """

    __slots__ = ("_buffer", "size")

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        self.size = 0

    def add(self, piece: bytes) -> None:
        """Append ``piece``."""
        before = self.size
        self.size += len(piece)
        if before <= _LARGE < self.size < _AHEAD:
            small, self._buffer = self._buffer, io.BytesIO(bytes(_AHEAD))
            self._buffer.write(small.getvalue())
        self._buffer.write(piece)

    def take(self) -> bytes:
        """Everything; the buffer is not used again."""
        self._buffer.truncate()
        return self._buffer.getvalue()
