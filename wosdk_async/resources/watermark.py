"""Watermark: storable position of a change feed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import attrs
import msgspec

from wosdk_async import codec
from wosdk_async.codec.text_values import time_in_zone
from wosdk_async.codec.values import read_utc
from wosdk_async.errors import InvalidCallError
from wosdk_async.protocol.arguments import described

MAX_SEEN = 5000  # maximum records in a watermark, so that its text stays below half a megabyte


@attrs.frozen
class Seen:
    """A processed record, with its time and version."""

    id: int
    at: datetime
    version: int | None


@attrs.frozen
class Pass:
    """Pass in progress: it ends at ``newest`` and ``highest``; ``last`` is the last id processed."""

    newest: datetime | None
    highest: int
    last: int


@attrs.frozen(kw_only=True)
class Watermark:
    """Storable position of a change feed.

    All records of ``company`` that changed up to ``time``, by the service's clock, have been processed.
    ``seen`` are the processed records within the overlap, ``reading`` is the unfinished pass, and ``highest``
    is the highest id of the completed passes. ``str(watermark)`` is one line of JSON for :meth:`parse`.
    """

    company: str
    time: datetime | None = None
    seen: tuple[Seen, ...] = attrs.field(default=(), repr=lambda records: f"<{len(records)} records>")
    reading: Pass | None = None
    highest: int | None = None

    def __str__(self) -> str:
        found = attrs.asdict(self, recurse=False)
        found["seen"] = [attrs.astuple(record) for record in self.seen]
        found["reading"] = attrs.astuple(self.reading) if self.reading else None
        return codec.dumps(found).decode()

    @classmethod
    def parse(cls, text: str) -> Watermark:
        """Parse a watermark's text.

        Raises:
            InvalidCallError: the text is not a watermark.
        """
        try:
            found = codec.loads(text.encode())
            seen = msgspec.convert(found["seen"][:MAX_SEEN], list[tuple[int, str, int | None]])
            reading = msgspec.convert(found["reading"], tuple[str | None, int, int] | None)
            return cls(
                company=msgspec.convert(found["company"], str),
                time=_time(found["time"]),
                seen=tuple(Seen(id, _time(at), version) for id, at, version in seen),
                reading=Pass(_time(reading[0]), *reading[1:]) if reading else None,
                highest=msgspec.convert(found.get("highest"), int | None),  # missing in watermarks of 0.2
            )
        # The oldest supported msgspec raises errors that are not ValueErrors.
        except (AttributeError, KeyError, TypeError, ValueError, msgspec.MsgspecError):
            raise InvalidCallError(
                f"not a watermark: {described(text)}; store all of str(feed.watermark),"
                " and omit since= the first time"
            ) from None


def _time(text: Any) -> Any:
    moment = None if text is None else read_utc(text)
    if not isinstance(moment, datetime | None):
        raise ValueError(f"{text!r} is not a time")
    return moment


def watermark_since(company: str, since: Watermark | datetime | None) -> Watermark:
    """Return the starting watermark for a feed of ``company``."""
    if isinstance(since, Watermark):
        if since.company.casefold() != company.casefold():  # facts 1: the service ignores case
            raise InvalidCallError(
                f"the watermark belongs to {since.company!r}, not {company!r}; keep one per Company"
            )
        return since
    if since is not None and not isinstance(since, datetime):
        raise InvalidCallError(
            f"since is {described(since)}; it must be a datetime with a zone, or a Watermark:"
            " Watermark.parse(text)"
        )
    if since is not None and since.tzinfo is None:
        raise InvalidCallError(f"since is {since!r}; a time needs a zone: .replace(tzinfo=datetime.UTC)")
    try:
        time = time_in_zone(since, UTC, str(since)) if since is not None else None
    except ValueError as error:
        raise InvalidCallError(f"since {error}") from None
    return Watermark(company=company, time=time)
