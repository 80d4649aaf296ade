"""Change feed of work orders, as an async iterator that resumes where it stopped."""
# facts 4, change feed

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

import attrs

from wosdk_async.calls.sender import CallSender
from wosdk_async.codec.values import read_utc
from wosdk_async.errors import InvalidCallError, UnsupportedError
from wosdk_async.model import Record
from wosdk_async.options.checks import check_number
from wosdk_async.protocol.arguments import described, require_class
from wosdk_async.protocol.redaction import Redaction
from wosdk_async.query.builder import Query, first_page, selection
from wosdk_async.query.fields import fields
from wosdk_async.query.paging import id_of, property_of
from wosdk_async.query.properties import Path
from wosdk_async.resources.watermark import MAX_SEEN, Pass, Seen, Watermark, watermark_since
from wosdk_async.transport.telemetry.statistics import Trace

E = TypeVar("E", bound=Record)

CHANGED_AT = "LastActionDateUtc"  # time of a record's last action

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
    require_change_time(entity)
    require_overlap(overlap)
    chosen = selection(entity, properties)
    if chosen and "*" not in chosen:
        chosen += [CHANGED_AT, "ConcurrencyId"]

    def query(trace: Trace | None) -> Query[E]:
        return Query(entity, lambda call: sender.send(call, trace))

    return ChangeFeed(
        entity,
        query,
        watermark_since(sender.company, since),
        properties=chosen,
        overlap=overlap,
        sleep=sender.transport.clock.sleep,
    )


class ChangeFeed(Generic[E]):
    """Records that changed since a watermark; each ``async for`` is one pass up to the present.

    ::

        feed = acme.changes(WorkOrder, since=Watermark.parse(stored))
        async for order in feed:
            ...
        stored = str(feed.watermark)

    If the overlap is long enough (:meth:`Company.changes <wosdk_async.company.Company.changes>`), no change
    that sets ``LastActionDateUtc`` is lost. A record may be repeated if it changed again, if the loop stopped
    at it, or if its ``ConcurrencyId`` is not an integer. Other records are repeated only if over 5,000
    records (the limit of a watermark) changed within the overlap, or if the service's clock was set back.

    Attributes:
        clock_behind: how far the service's clock was behind the watermark at the start of the last pass; zero
            if this was within the overlap. If it is not zero, the pass reads all records.
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
        self._at = fields(entity)[CHANGED_AT]
        self._key = fields(entity)["Id"]
        self._company = since.company
        self._time = since.time
        self._seen = {record.id: record for record in since.seen}
        self._reading = since.reading
        self._highest = since.highest
        self.clock_behind = timedelta(0)
        self._properties = properties
        self._overlap = overlap
        self._sleep = sleep

    def __repr__(self) -> str:
        return f"<ChangeFeed of {self._company!r} since {self._time}>"

    @property
    def watermark(self) -> Watermark:
        """Position after the last processed record.

        A record counts as processed once the loop asks for the next one; the last record counts once the pass
        ends. A loop that stops early therefore gets its current record again when it resumes.
        """
        return Watermark(
            company=self._company,
            time=self._time,
            seen=tuple(self._seen.values()),
            reading=self._reading,
            highest=self._highest,
        )

    async def __aiter__(self) -> AsyncGenerator[E, None]:
        with Redaction():
            reading = self._reading = self._reading or await self._begin()
            if reading is None:
                return
            for query in self._queries_for_rest(reading):
                async with aclosing(aiter(query.select(*self._properties))) as records:
                    async for record in records:
                        seen = _as_seen(record)
                        if self._seen.get(seen.id) != seen:
                            yield record
                        self._count_processed(seen, reading)
            self._finish(reading)

    def poll(self, every: float) -> AsyncGenerator[E, None]:
        """Yield the records of successive passes, with ``every`` seconds between them.

        Raises:
            InvalidCallError: ``every`` is not a positive number of seconds.
        """
        takes = "a number of seconds above 0"
        check_number("every", every, takes, above=True, error=InvalidCallError)
        return self._passes(every)

    async def _passes(self, every: float) -> AsyncGenerator[E, None]:
        with Redaction():
            while True:
                async with aclosing(aiter(self)) as records:
                    async for record in records:
                        yield record
                await self._sleep(every)

    # --- one pass ---------------------------------------------------------------------------

    async def _begin(self) -> Pass | None:
        """Return a pass up to the present; None if there is nothing to read."""
        newest, clock = await self._newest()
        self.clock_behind = self._behind(clock)
        if self.clock_behind:  # new changes may have times before the watermark, so read all records
            self._time, self._seen = None, {}
            newest, clock = await self._newest()
        if newest is None and self._time is not None and self._highest is None:
            return None
        # Two records let first_page() check that the order is descending; otherwise, ids would be missed.
        highest = await first_page(self._query(None).select("Id").order_by(self._key.desc()), 2)
        if not highest:
            return None
        return Pass(_end_of_pass(newest, clock), id_of(highest[0]), 0)

    async def _newest(self) -> tuple[Any, datetime | None]:
        """Return the most recently changed record, and the time by the service's clock."""
        trace = Trace()
        changed = self._changed(trace).where(self._at.not_null()).select("Id", CHANGED_AT)
        return await changed.order_by(self._at.desc()).first(), _date_of(trace)

    def _behind(self, clock: datetime | None) -> timedelta:
        """Return how far the service's clock is behind the watermark; 0 if unknown or within the overlap."""
        # Before the end of the first pass, the watermark's time is the caller's, not the service's.
        is_of_service = self._highest is not None or self._seen
        if clock is None or self._time is None or not is_of_service:
            return timedelta(0)
        behind = self._time - clock
        return behind if behind > self._overlap else timedelta(0)

    def _queries_for_rest(self, reading: Pass) -> list[Query[E]]:
        """Return the queries for the rest of a pass: known records that changed, and all new records.

        A new record's time may precede the watermark if the service's clock was temporarily behind.
        """
        # Not shown; assumed: new records have higher ids than all earlier ones (docs/assumptions.md).
        known = reading.highest if self._time is None or self._highest is None else self._highest
        ranges = [
            (self._changed(), reading.last, min(known, reading.highest)),
            (self._query(None), max(known, reading.last), reading.highest),
        ]
        return [query.where(self._key > low, self._key <= high) for query, low, high in ranges if low < high]

    def _changed(self, trace: Trace | None = None) -> Query[E]:
        query = self._query(trace)
        if self._time is None:
            return query
        return query.where(self._at >= max(self._time, _NEVER + self._overlap) - self._overlap)

    def _count_processed(self, record: Seen, reading: Pass) -> None:
        self._reading = attrs.evolve(reading, last=record.id)
        can_be_stored = record.version is None or type(record.version) is int
        has_room = record.id in self._seen or len(self._seen) < MAX_SEEN
        if can_be_stored and has_room and self._is_near(record, reading.newest):
            self._seen[record.id] = record

    def _finish(self, reading: Pass) -> None:
        """Advance the watermark after a pass, and forget seen records that are older than the overlap."""
        times = [time for time in (self._time, reading.newest) if time is not None]
        self._time = max(times, default=None)  # never moves back, even if reading.newest is earlier
        self._highest = max(self._highest or 0, reading.highest)
        self._reading = None
        self._seen = {
            record.id: record for record in self._seen.values() if self._is_near(record, self._time)
        }

    def _is_near(self, record: Seen, time: datetime | None) -> bool:
        return time is None or record.at >= time - self._overlap


def _as_seen(record: Any) -> Seen:
    version = property_of(record, "ConcurrencyId") if isinstance(record, dict) else record.concurrency_id
    return Seen(id_of(record), _changed_at(record) or _NEVER, version)


def _changed_at(record: Any) -> datetime | None:
    is_dict = isinstance(record, dict)  # an export reads records as dicts with wire names
    at = read_utc(property_of(record, CHANGED_AT)) if is_dict else record.last_action_date_utc
    return at if isinstance(at, datetime) else None


def _end_of_pass(newest: Any, clock: datetime | None) -> datetime | None:
    """Return the time of the newest record or, if that is in the future, the service's current time."""
    at = None if newest is None else _changed_at(newest)
    if at is None:
        return None
    return at if clock is None else min(at, clock)


def _date_of(trace: Trace) -> datetime | None:
    """Return the service's time from the ``Date`` header (facts 3.8); None if it is missing or unreadable."""
    from email.utils import parsedate_to_datetime  # imported here: takes 8 ms

    try:
        moment = parsedate_to_datetime(trace.reply.headers["date"] if trace.reply else "")
    except (KeyError, ValueError):
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def require_overlap(overlap: timedelta) -> None:
    """Raise InvalidCallError unless the overlap is a timedelta from zero to a day."""
    if not isinstance(overlap, timedelta):
        raise InvalidCallError(f"overlap is {described(overlap)}; it must be a timedelta, up to a day")
    if not timedelta(0) <= overlap <= timedelta(days=1):
        raise InvalidCallError(f"overlap is {overlap}; it must be from zero to one day")


def require_change_time(entity: type[Record]) -> None:
    """Raise UnsupportedError unless records of ``entity`` carry the time of their last change."""
    if "last_action_date_utc" in entity.__wire__:
        return
    is_versioned = "concurrency_id" in entity.__wire__
    compare = "the ConcurrencyId of each record" if is_versioned else "the records"
    raise UnsupportedError(  # facts 4: other entities carry no modification time
        f"{entity.wire_name} has no {CHANGED_AT}, so its changes cannot be queried; read or export all"
        f" records each time, and compare {compare} with the previous read"
    )
