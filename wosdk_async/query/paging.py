"""Query pages, read by ``Id``, by offset or in id ranges, with prefetching.

Without a limit, a cursor continues until a page is empty, because the service does not report the number of
records or the last page. A short page may be due to the row cap (facts 4, facts 7).
"""

from __future__ import annotations

import asyncio
import logging
import operator
import reprlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any

import anyio
import attrs

from wosdk_async.codec.checks import kind_of
from wosdk_async.errors import InvalidCallError, NoAnswerError, WosdkError
from wosdk_async.protocol.redaction import Redaction
from wosdk_async.query.plan import Comparison, Order, Plan

ROW_CAP = 4000  # maximum rows per response (facts 7, catalogue/differences.json)

Fetch = Callable[[Plan, dict[str, Any]], Awaitable[list[Any]]]  # sends an expression and returns its records

_log = logging.getLogger("wosdk_async")
_NO_OBJECTS = (type(None), list, str, int, float, Decimal)


@attrs.define(eq=False)
class KeyCursor:
    """Cursor by ``Id``, from ``above`` (exclusive) to ``until`` (inclusive).

    Each page starts after the previous page's last ``Id``, so records added or removed in the meantime cause
    no repeats or gaps.
    """

    _fetch: Fetch
    _plan: Plan
    _size: int
    last: int | None = attrs.field(default=None, alias="above", kw_only=True)
    """Id of the last record read, initially ``above``."""
    _until: int | None = attrs.field(default=None, kw_only=True)
    more: bool = attrs.field(default=True, init=False)  # whether there may be another page
    _remaining: int | None = attrs.field(init=False)

    @_remaining.default
    def _initially_remaining(self) -> int | None:
        return self._plan.limit

    async def page(self) -> list[Any]:
        """Fetch the next page. Raises WosdkError if the records are not in order of ``Id``."""
        count = self._size if self._remaining is None else min(self._size, self._remaining)
        with Redaction():
            records = self._without_repeats(
                await self._fetch(self._plan, self._plan.expression(self._bounds(), Count=count))
            )
        if self._remaining is not None:
            records = records[: self._remaining]  # not shown; assumed: the service may send more than Count
            self._remaining -= len(records)
        if records:
            self.last = id_of(records[-1])
        self.more = (
            bool(records) and self._remaining != 0 and (self._until is None or self.last != self._until)
        )
        return records

    def _bounds(self) -> list[Comparison]:
        ends = [(self.last, "LessThan" if self._plan.descending else "GreaterThan")]
        ends.append((self._until, "LessOrEqual"))
        return [Comparison(self._plan.name, "Id", op, (str(end),)) for end, op in ends if end is not None]

    def _without_repeats(self, records: list[Any]) -> list[Any]:
        """Remove duplicates: a query with a condition on a list may return a record once per element."""
        keys = [id_of(record) for record in records]
        if self._are_in_order(keys):  # the usual case
            return records
        require_objects(records, self._plan.name)
        last, kept = self.last, list[Any]()
        for record in records:
            key = _required_id(record, self._plan.name)
            if kept and key == last:  # a duplicate of the record before it on this page
                continue
            if last is not None and (key >= last if self._plan.descending else key <= last):
                raise WosdkError(
                    f"records of {self._plan.name} are not in order of Id: {key} came after {last},"
                    " so the next page cannot be read"
                )
            self._require_within(key)
            last = key
            kept.append(record)
        return kept

    def _are_in_order(self, keys: list[Any]) -> bool:
        """Return whether these are distinct ids after ``last``, in order and within the range."""
        if set(map(type, keys)) != {int}:
            return False
        follows = operator.gt if self._plan.descending else operator.lt
        before = keys if self.last is None else [self.last, *keys]
        highest = max(keys[0], keys[-1])
        return all(map(follows, before, before[1:])) and (self._until is None or highest <= self._until)

    def _require_within(self, key: int) -> None:
        """Raise WosdkError for a record that belongs to the next range, and so would appear twice."""
        if (
            self._until is not None and key > self._until
        ):  # not shown; assumed: a service may ignore the bound
            raise WosdkError(
                f"the page of {self._plan.name} with Id up to {self._until} contains {key}: the service"
                f" ignores conditions on Id, so records cannot be read in id ranges"
            )


@attrs.define(eq=False)
class OffsetCursor:
    """Cursor by offset, for a query that is not ordered by ``Id``.

    If records are added, removed or changed in the meantime, other records may be repeated or missed.
    """

    _fetch: Fetch
    _plan: Plan
    _size: int
    more: bool = attrs.field(default=True, init=False)
    _offset: int = attrs.field(default=0, init=False)

    async def page(self) -> list[Any]:
        """Fetch the next page."""
        left = None if self._plan.limit is None else self._plan.limit - self._offset
        count = self._size if left is None else min(self._size, left)
        first = self._offset or None
        found = await self._fetch(self._plan, self._plan.expression(Count=count, FirstResultIndex=first))
        records = found[:left]
        if self._offset < ROW_CAP <= self._offset + len(records):
            _log.warning(
                "query %s exceeds the cap of %d records and is not ordered by Id: records that change"
                " between pages may be repeated or missed, and the service might stop at the cap; order the"
                " query by Id or add conditions",
                self._plan.name,
                ROW_CAP,
            )
        self._offset += len(records)
        self.more = bool(records) and self._offset != self._plan.limit
        return records


Cursor = KeyCursor | OffsetCursor  # sequential reader of a query's pages


def require_objects(rows: Iterable[Any], entity: str) -> None:
    """Raise WosdkError for a row that is null, a list, a string, a number or a boolean."""
    for kind in set(map(type, rows)):
        if issubclass(kind, _NO_OBJECTS):
            sent = "null" if kind is type(None) else f"of type {kind.__name__}"
            raise WosdkError(f"a record of {entity} is {sent}, not a JSON object")


def _required_id(record: Any, entity: str) -> int:
    found = id_of(record)
    if type(found) is not int:  # isinstance() would accept true, which equals the id 1 in Python
        raise WosdkError(
            f"the Id of a record of {entity} is {kind_of(found)}, not a whole number, so the next page cannot"
            " be read"
        )
    return found


def id_of(record: Any) -> Any:
    """Return the id of a record, dict or table row; None if missing."""
    return property_of(record, "Id") if isinstance(record, dict) else getattr(record, "id", None)


def property_of(record: Mapping[str, Any], name: str) -> Any:
    """Return a property of a dict record by case-insensitive name; None if missing."""
    if (found := record.get(name)) is not None:
        return found
    meant = name.lower()  # facts 3.3
    return next((value for other, value in record.items() if other.lower() == meant), None)


def checked_size(size: Any) -> int:
    """Return ``size``. Raises InvalidCallError for an invalid page size."""
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= ROW_CAP:
        raise InvalidCallError(f"size is {size!r}; it must be from 1 to {ROW_CAP}, the service's row cap")
    return size


async def prefetch(cursors: Iterable[Cursor]) -> AsyncGenerator[list[Any], None]:
    """Yield the pages of all cursors as they arrive, while each cursor reads one page ahead."""
    with Redaction():
        fetching = {_start(cursor): cursor for cursor in cursors}
        try:
            while fetching:
                done, _ = await asyncio.wait(fetching, return_when=asyncio.FIRST_COMPLETED)
                task = done.pop()
                cursor = fetching.pop(task)
                page = task.result()
                if cursor.more:
                    fetching[_start(cursor)] = cursor
                if page:
                    yield page
        finally:
            await _cancel(fetching)


async def complete(page: list[Any] | Iterator[list[Any]]) -> list[Any]:
    """Return all records of a page; other tasks run between the slices of one that is still being decoded.

    Raises:
        NoAnswerError: a row cannot be decoded.
    """
    if isinstance(page, list):
        return page
    records: list[Any] = []
    with suppress(Exception):
        for part in page:
            records += part
            await asyncio.sleep(0)
        return records
    # Raised outside the handler, because the cause may hold the page, which may repeat secrets.
    raise NoAnswerError("no readable response (a row cannot be decoded)", status=200)


def _start(cursor: Cursor) -> asyncio.Task[list[Any]]:
    task = asyncio.get_running_loop().create_task(cursor.page())
    # Mark the exception as retrieved: if the task is abandoned, asyncio would log an error.
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    return task


async def _cancel(tasks: Iterable[asyncio.Task[Any]]) -> None:
    unfinished = [task for task in tasks if not task.done()]
    for task in unfinished:
        task.cancel()
    if unfinished:
        with anyio.CancelScope(shield=True):  # a cancellation of the caller must not end this wait
            await asyncio.wait(unfinished)


# --- id ranges, for queries read by several concurrent calls -------------------------------------------


async def key_ranges(fetch: Fetch, plan: Plan, size: int, parallel: Any, verb: str) -> list[Cursor]:
    """Return a cursor for each of ``parallel`` parts of the id range."""
    if isinstance(parallel, bool) or not isinstance(parallel, int) or parallel < 1:
        raise InvalidCallError(f"parallel is {reprlib.repr(parallel)}; it must be a whole number, 1 or more")
    if plan.orders or plan.limit or not plan.by_key:
        raise InvalidCallError(
            f"{verb} reads all {plan.name} records in the order of Id; the query can have no order, limit"
            " or key other than Id"
        )
    highest = await highest_id(fetch, plan)
    if highest is None:
        return []
    return [
        KeyCursor(fetch, plan, size, above=above, until=until) for above, until in _split(highest, parallel)
    ]


async def highest_id(fetch: Fetch, plan: Plan) -> int | None:
    """Return the highest id among a query's records; None if there are none.

    A second call checks for a record above that id. If such a record was added in the meantime, the first
    call is repeated. If the repeated call returns a lower id, the service ignores the sort order, and
    WosdkError is raised.
    """
    highest = await _first_id(fetch, plan, descending=True)
    if highest is None or (added := await _first_id(fetch, plan, above=highest)) is None:
        return highest
    again = await _first_id(fetch, plan, descending=True)
    if again is None or again < added:
        raise WosdkError(
            f"in descending order, the first {plan.name} has the Id {again}, although {added} exists: the"
            f" service ignores the order, so records cannot be read in id ranges"
        )
    return highest


async def _first_id(
    fetch: Fetch, plan: Plan, *, above: int | None = None, descending: bool = False
) -> int | None:
    orders = (Order(plan.name, "Id", descending=descending),)
    cursor = KeyCursor(fetch, attrs.evolve(plan, properties=("Id",), orders=orders, limit=1), 1, above=above)
    return cursor.last if await cursor.page() else None


def _split(highest: int, parts: int) -> list[tuple[int | None, int]]:
    """Return adjacent id ranges: the first without a lower bound, the last up to ``highest``."""
    ends = sorted({min(highest, highest * part // parts) for part in range(1, parts + 1)})
    return list(zip([None, *ends[:-1]], ends, strict=True))
