"""The header lines of an answer, taken apart only if somebody asks: most want nothing but the body."""

from __future__ import annotations

from wosdk_async.transport.engine.headers import Headers

__all__ = ["HeaderLines"]


class HeaderLines(Headers):
    """The headers of a head whose grammar llhttp has accepted."""

    __slots__ = ("_lines",)

    def __init__(self, lines: bytes) -> None:
        self._lines = lines
        """The status line and what follows it, without the line break at the end."""
        self._read = None

    @property
    def raw(self) -> list[tuple[bytes, bytes]]:
        """Names and values as they were sent, in their order."""
        pairs = (line.partition(b":") for line in self._lines.split(b"\r\n")[1:])
        return [(name, value.strip(b" \t")) for name, _, value in pairs]

    def every(self, name: bytes) -> list[bytes]:
        """The values of all headers of a name, which is given in lower case."""
        return [value for sent, value in self.raw if sent.lower() == name]
