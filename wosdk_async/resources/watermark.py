"""How far a change feed has come, as a value that can be stored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import attrs

from wosdk_async import codec
from wosdk_async.codec.values import read_utc
from wosdk_async.errors import InvalidCallError
from wosdk_async.protocol.arguments import described

__all__ = ["MOST_SEEN", "Reading", "Seen", "Watermark"]

MOST_SEEN = 5000  # rows that are remembered, so that a stored watermark stays below half a megabyte


@attrs.frozen
class Seen:
    """A row that was handed out, as it was then."""

    id: int
    at: datetime
    version: int | None


@attrs.frozen
class Reading:
    """A pass that has begun: the time and the highest id it goes up to, and the last id it is done with."""

    newest: datetime | None
    highest: int
    last: int


@attrs.frozen(kw_only=True)
class Watermark:
    """Everything of ``company`` that moved up to ``time`` was handed out, by the service's own clock.

    ``seen`` are the rows that a look back would find again, and ``reading`` is the pass that was not read to
    its end. ``str(watermark)`` is one line of JSON, and :meth:`parse` makes the same watermark of it.
    """

    company: str
    time: datetime | None = None
    seen: tuple[Seen, ...] = attrs.field(default=(), repr=lambda rows: f"<{len(rows)} rows>")
    reading: Reading | None = None

    def __str__(self) -> str:
        found = attrs.asdict(self, recurse=False)
        found["seen"] = [attrs.astuple(row) for row in self.seen]
        found["reading"] = attrs.astuple(self.reading) if self.reading else None
        return codec.dumps(found).decode()

    @classmethod
    def parse(cls, text: str) -> Watermark:
        """The watermark that ``text`` was made of. Raises InvalidCallError when it was made of none."""
        try:
            found = codec.loads(text.encode())
            time, reading = found["time"], found["reading"]
            return cls(
                company=_as(str, found["company"]),
                time=None if time is None else _time(time),
                seen=tuple(Seen(*_row(*row)) for row in found["seen"][:MOST_SEEN]),
                reading=None if reading is None else _reading(*reading),
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InvalidCallError(
                f"this is not the text of a watermark: {described(text)}; keep str(feed.watermark) whole"
            ) from None


def _as(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{value!r} is no {kind.__name__}")
    return value


def _time(value: Any) -> datetime:
    moment: datetime = _as(datetime, read_utc(_as(str, value)))
    return moment


def _row(id: Any, at: Any, version: Any) -> tuple[int, datetime, int | None]:
    return _as(int, id), _time(at), None if version is None else _as(int, version)


def _reading(newest: Any, highest: Any, last: Any) -> Reading:
    return Reading(None if newest is None else _time(newest), _as(int, highest), _as(int, last))
