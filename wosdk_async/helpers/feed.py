"""What moved since last time: ``changes(WorkOrder, since=watermark)``."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Never, TypeVar

from wosdk_async.check.arguments import described, refuse_keywords, require_class
from wosdk_async.errors import InvalidCallError, UnsupportedError
from wosdk_async.helpers.change_feed import MOVED, ChangeFeed
from wosdk_async.helpers.watermark import Watermark
from wosdk_async.model import Record
from wosdk_async.query.builder import Query
from wosdk_async.query.plan import selection
from wosdk_async.query.properties import Path
from wosdk_async.transport.trace import Trace
from wosdk_async.verbs import Verbs

__all__ = ["Feeds"]

E = TypeVar("E", bound=Record)

_MOST_OVERLAP = timedelta(days=1)


class Feeds(Verbs):
    """Companies whose changes can be followed."""

    def changes(
        self,
        entity: type[E],
        *,
        since: Watermark | datetime | None = None,
        properties: Iterable[str | Path] = (),
        overlap: timedelta = timedelta(minutes=5),
        **unknown: Never,
    ) -> ChangeFeed[E]:
        """What moved since a watermark: ``async for order in acme.changes(WorkOrder, since=watermark)``.

        Args:
            entity: WorkOrder, the one entity with a ``LastActionDateUtc``.
            since: ``feed.watermark`` of an earlier feed; a time with a zone, for rows that moved since then
                or up to ``overlap`` before; None for all rows, moved or not.
            properties: property paths as in :meth:`get`; what tells versions apart is always read.
            overlap: how far each pass looks back: longer than the service's clocks differ, and than its
                transactions take. At most a day.

        Not every change is a move: see ``docs/changes.md``. Raises UnsupportedError for another entity, and
        InvalidCallError for a watermark of another Company.
        """
        if unknown:
            refuse_keywords("changes", unknown, ("since", "properties", "overlap"))
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
            return Query(entity, lambda call: self._send(call, trace))

        return ChangeFeed(
            entity,
            query,
            self._start(since),
            properties=chosen,
            overlap=overlap,
            sleep=self._transport.clock.sleep,
        )

    def _start(self, since: Watermark | datetime | None) -> Watermark:
        if isinstance(since, Watermark):
            if since.company.casefold() != self.name.casefold():  # facts 1: case does not matter
                raise InvalidCallError(f"the watermark is of {since.company!r}, this is {self.name!r}")
            return since
        if since is not None and not isinstance(since, datetime):
            raise InvalidCallError(
                f"since is {described(since)}; it takes a datetime with a zone, or a Watermark:"
                " Watermark.parse(text)"
            )
        if since is not None and since.tzinfo is None:
            raise InvalidCallError(f"since is {since!r}; a time needs a zone: .replace(tzinfo=datetime.UTC)")
        return Watermark(company=self.name, time=since.astimezone(UTC) if since else None)


def _require_moves(entity: type[Record]) -> None:
    if "last_action_date_utc" in entity.__wire__:
        return
    counted = "concurrency_id" in entity.__wire__
    compare = "the ConcurrencyId of each row" if counted else "the rows"
    raise UnsupportedError(  # facts 4: other entities carry no modification time
        f"{entity.wire_name} has no {MOVED}, so its changes cannot be asked for; read all of it with query() "
        f"and compare {compare} with those of the last time"
    )
