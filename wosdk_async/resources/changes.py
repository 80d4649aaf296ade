"""Changes of work orders since a moment, as an async iterator that can go on where it stopped."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

import attrs

from wosdk_async.errors import InvalidCallError, UnsupportedError
from wosdk_async.model import Record
from wosdk_async.option_checks import check_number
from wosdk_async.protocol.arguments import described, require_class
from wosdk_async.query.builder import Query
from wosdk_async.query.fields import fields
from wosdk_async.query.plan import selection
from wosdk_async.query.properties import Path
from wosdk_async.resources.watermark import MOST_SEEN, Reading, Seen, Watermark
from wosdk_async.sender import CallSender
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["MOVED", "ChangeFeed", "follow"]

# facts 4, change feed

E = TypeVar("E", bound=Record)

MOVED = "LastActionDateUtc"
_MOST_OVERLAP = timedelta(days=1)
_NEVER = datetime.min.replace(tzinfo=UTC)


def follow(
    sender: CallSender,
    entity: type[E],
    since: Watermark | datetime | None,
    properties: Iterable[str | Path],
    overlap: timedelta,
) -> ChangeFeed[E]:
    """Return the feed of :meth:`Company.changes <wosdk_async.company.Company.changes>`."""
    require_class("changes", entity)
    _require_moves(entity)
    if not isinstance(overlap, timedelta):
        raise InvalidCallError(f"overlap is {described(overlap)}; it takes a timedelta, up to a day")
    if not timedelta(0) <= overlap <= _MOST_OVERLAP:
        raise InvalidCallError(f"overlap is {overlap}; it takes from nothing to a day")
    chosen = selection(entity, properties)
    if chosen and "*" not in chosen:
        chosen += [MOVED, "ConcurrencyId"]

    def query(trace: Trace | None) -> Query[E]:
        return Query(entity, lambda call: sender.send(call, trace))

    return ChangeFeed(
        entity,
        query,
        _start(sender.company, since),
        properties=chosen,
        overlap=overlap,
        sleep=sender.transport.clock.sleep,
    )


def _start(company: str, since: Watermark | datetime | None) -> Watermark:
    """Return the watermark that a feed of ``company`` starts from."""
    if isinstance(since, Watermark):
        if since.company.casefold() != company.casefold():  # facts 1: case does not matter
            raise InvalidCallError(f"the watermark is of {since.company!r}, this is {company!r}")
        return since
    if since is not None and not isinstance(since, datetime):
        raise InvalidCallError(
            f"since is {described(since)}; it takes a datetime with a zone, or a Watermark:"
            " Watermark.parse(text)"
        )
    if since is not None and since.tzinfo is None:
        raise InvalidCallError(f"since is {since!r}; a time needs a zone: .replace(tzinfo=datetime.UTC)")
    return Watermark(company=company, time=since.astimezone(UTC) if since else None)


class ChangeFeed(Generic[E]):
    """Rows that moved since a watermark, each pass of ``async for`` up to now; made by ``company.changes``.

    ::

        feed = acme.changes(WorkOrder, since=Watermark.parse(stored))
        async for order in feed:
            ...
        stored = str(feed.watermark)

    No move is lost, and a row is handed out again only if it moved again, if it was in hand when its loop was
    left, or if more rows moved within the overlap than a watermark remembers (5,000).
    """

    def __init__(
        self,
        entity: type[E],
        query: Callable[[Trace | None], Query[E]],
        since: Watermark,
        *,
        properties: Sequence[str],
        overlap: timedelta,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._query = query
        self._at = fields(entity)[MOVED]
        self._key = fields(entity)["Id"]
        self._company = since.company
        self._time = since.time
        self._seen = {row.id: row for row in since.seen}
        self._reading = since.reading
        self._properties = properties
        self._overlap = overlap
        self._sleep = sleep

    def __repr__(self) -> str:
        return f"<ChangeFeed of {self._company!r} since {self._time}>"

    @property
    def watermark(self) -> Watermark:
        """How far the reader has come: a row counts when the next one is asked for, the last at the end.

        So whatever stops the loop, a feed that goes on from here hands out again the row that was in hand.
        """
        return Watermark(
            company=self._company, time=self._time, seen=tuple(self._seen.values()), reading=self._reading
        )

    async def __aiter__(self) -> AsyncGenerator[E, None]:
        reading = self._reading = self._reading or await self._begin()
        if reading is None:
            return
        left = self._moved().where(self._key > reading.last, self._key <= reading.highest)
        async with aclosing(aiter(left.select(*self._properties))) as rows:
            async for row in rows:
                now = _as_seen(row)
                if self._seen.get(now.id) != now:
                    yield row
                self._keep(now, reading)
        self._finish(reading)

    def poll(self, every: float) -> AsyncGenerator[E, None]:
        """Pass after pass, ``every`` so many seconds, until the loop is left or a call fails.

        Raises InvalidCallError for what is no number of seconds above 0.
        """
        takes = "a number of seconds above 0"
        check_number("every", every, takes, above=True, error=InvalidCallError)
        return self._passes(every)

    async def _passes(self, every: float) -> AsyncGenerator[E, None]:
        while True:
            async with aclosing(aiter(self)) as rows:
                async for row in rows:
                    yield row
            await self._sleep(every)

    # --- one pass ---------------------------------------------------------------------------

    async def _begin(self) -> Reading | None:
        """Up to where the pass goes; None when nothing has moved."""
        trace = Trace()
        moved = self._moved(trace).where(self._at.not_null()).select("Id", MOVED)
        newest = await moved.order_by(self._at.desc()).first()
        if newest is None and self._time is not None:
            return None
        highest = await self._moved().select("Id").order_by(self._key.desc()).first()
        if highest is None:
            return None
        return Reading(_earliest(newest, _date_of(trace)), _as_seen(highest).id, 0)

    def _moved(self, trace: Trace | None = None) -> Query[E]:
        query = self._query(trace)
        if self._time is None:
            return query
        return query.where(self._at >= max(self._time, _NEVER + self._overlap) - self._overlap)

    def _keep(self, row: Seen, reading: Reading) -> None:
        """Note that the reader is done with ``row``."""
        self._reading = attrs.evolve(reading, last=row.id)
        if self._is_near(row, reading.newest) and (row.id in self._seen or len(self._seen) < MOST_SEEN):
            self._seen[row.id] = row

    def _finish(self, reading: Reading) -> None:
        """The pass is read: the watermark moves on, and rows it will not meet again are forgotten."""
        times = [time for time in (self._time, reading.newest) if time is not None]
        self._time = max(times, default=None)  # the newest row may have been stamped anew, and earlier
        self._reading = None
        self._seen = {row.id: row for row in self._seen.values() if self._is_near(row, self._time)}

    def _is_near(self, row: Seen, time: datetime | None) -> bool:
        return time is None or row.at >= time - self._overlap


def _as_seen(row: Any) -> Seen:
    at = row.last_action_date_utc
    return Seen(row.id, at if isinstance(at, datetime) else _NEVER, row.concurrency_id)


def _earliest(newest: Any, clock: datetime | None) -> datetime | None:
    """How far the watermark may go: a row may have a time to come, and the clock of a host may be behind."""
    at = newest and newest.last_action_date_utc
    if not isinstance(at, datetime):
        return None
    return at if clock is None else min(at, clock)


def _date_of(trace: Trace) -> datetime | None:
    """The service's clock: every recorded answer has a ``Date``."""
    # facts 3.8
    from email.utils import parsedate_to_datetime  # 8 ms to import

    try:
        moment = parsedate_to_datetime(trace.reply.headers["date"] if trace.reply else "")
    except (KeyError, ValueError):
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _require_moves(entity: type[Record]) -> None:
    if "last_action_date_utc" in entity.__wire__:
        return
    counted = "concurrency_id" in entity.__wire__
    compare = "the ConcurrencyId of each row" if counted else "the rows"
    raise UnsupportedError(  # facts 4: other entities carry no modification time
        f"{entity.wire_name} has no {MOVED}, so its changes cannot be asked for; read all of it with query() "
        f"and compare {compare} with those of the last time"
    )
