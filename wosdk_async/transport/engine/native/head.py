"""The header lines of an answer, taken apart only if somebody asks: most want nothing but the body."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["HeaderLines"]


class HeaderLines:
    """Names and values as they were sent, in their order; of a head whose grammar llhttp has accepted."""

    __slots__ = ("_lines",)

    def __init__(self, lines: bytes) -> None:
        self._lines = lines
        """The status line and what follows it, without the line break at the end."""

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        for line in self._lines.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            yield name, value.strip(b" \t")

    def values(self, name: bytes) -> list[bytes]:
        """The values of all headers of a name, which is given in lower case."""
        if name not in self._lines.lower():  # nearly always, and seen without taking the lines apart
            return []
        return [value for sent, value in self if sent.lower() == name]

    def __len__(self) -> int:
        return self._lines.count(b"\r\n")
