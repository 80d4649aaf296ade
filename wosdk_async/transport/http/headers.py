"""The headers of an answer, read only when somebody asks for one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Headers"]


class Headers(Mapping[str, str]):
    """Names are lower case; the values of a name that came more than once are joined by commas."""

    __slots__ = ("_raw", "_read")

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self._raw = raw
        self._read: dict[str, str] | None = None

    @property
    def raw(self) -> Iterable[tuple[bytes, bytes]]:
        """Names and values as they were sent, in their order."""
        return self._raw

    def _all(self) -> dict[str, str]:
        if self._read is None:
            found: dict[str, str] = {}
            for raw_name, raw_value in self.raw:
                name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
                found[name] = f"{found[name]}, {value}" if name in found else value
            self._read = found
        return self._read

    def __getitem__(self, name: str) -> str:
        return self._all()[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"Headers({self._all()!r})"
