"""Pages of a query: by ``Id`` if it decides the order, else by offset; the next one is prefetched.

The service does not say how many records there are or whether a page is the last, and a short page may be due
to the row cap (facts 4, facts 7). So a cursor goes on until a page is empty.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import Any, Protocol

import anyio

from wosdk_async.errors import WosdkError
from wosdk_async.query.conditions import Comparison
from wosdk_async.query.plan import Plan

__all__ = ["ROW_CAP", "Cursor", "KeyCursor", "OffsetCursor", "prefetch"]

ROW_CAP = 4000  # rows of one response (facts 7; the same in catalogue/differences.json)

Fetch = Callable[[Plan, dict[str, Any]], Awaitable[list[Any]]]
"""Function that sends an expression and returns its records."""

_log = logging.getLogger("wosdk_async")


class Cursor(Protocol):
    """Reader of one page after the other."""

    more: bool
    """Whether there may be another page."""

    async def page(self) -> list[Any]:
        """Fetch the next page."""


class KeyCursor:
    """Cursor by ``Id``, from ``above`` (excluded) to ``until`` (included).

    Each page begins behind the last record of the one before, so records that are added or removed meanwhile
    neither shift nor repeat the others.
    """

    def __init__(
        self, fetch: Fetch, plan: Plan, size: int, *, above: int | None = None, until: int | None = None
    ) -> None:
        self.more = True
        self._fetch = fetch
        self._plan = plan
        self._size = size
        self.last = above
        """Id of the last record that was read."""
        self._until = until
        self._left = plan.limit

    async def page(self) -> list[Any]:
        """Fetch the next page. Raises WosdkError when the records are not in order of ``Id``."""
        count = self._size if self._left is None else min(self._size, self._left)
        rows = self._new_ones(
            await self._fetch(self._plan, self._plan.expression(self._bounds(), Count=count))
        )
        if self._left is not None:
            rows = rows[: self._left]
            self._left -= len(rows)
        self.more = bool(rows) and self._left != 0 and (self._until is None or self.last != self._until)
        return rows

    def _bounds(self) -> list[Comparison]:
        ends = [(self.last, "LessThan" if self._plan.descending else "GreaterThan")]
        ends.append((self._until, "LessOrEqual"))
        return [Comparison(self._plan.name, "Id", op, (str(end),)) for end, op in ends if end is not None]

    def _new_ones(self, rows: list[Any]) -> list[Any]:
        """Return each record once: a condition on a list may repeat it for each element that matches."""
        start, found = self.last, []
        for row in rows:
            key = _id(row)
            if self.last is not None and not self._beyond(key, self.last):
                if key == self.last != start:
                    continue
                raise WosdkError(f"rows of {self._plan.name} did not come by Id: {key} after {self.last}")
            self.last = key
            found.append(row)
        return found

    def _beyond(self, key: int, last: int) -> bool:
        return key < last if self._plan.descending else key > last


class OffsetCursor:
    """Cursor by the number of records before a page, for orders that ``Id`` does not decide.

    Records that are added, removed or changed meanwhile make others repeat or be missed.
    """

    def __init__(self, fetch: Fetch, plan: Plan, size: int) -> None:
        self.more = True
        self._fetch = fetch
        self._plan = plan
        self._size = size
        self._offset = 0

    async def page(self) -> list[Any]:
        """Fetch the next page."""
        left = None if self._plan.limit is None else self._plan.limit - self._offset
        count = self._size if left is None else min(self._size, left)
        first = self._offset or None
        found = await self._fetch(self._plan, self._plan.expression(Count=count, FirstResultIndex=first))
        rows = found[:left]
        if self._offset < ROW_CAP <= self._offset + len(rows):
            _log.warning(
                "query %s passes the cap of %d rows in an order other than by Id: rows that change meanwhile"
                " are repeated or missed, and it is not known whether the service gives rows beyond it",
                self._plan.name,
                ROW_CAP,
            )
        self._offset += len(rows)
        self.more = bool(rows) and self._offset != self._plan.limit
        return rows


def _id(row: Any) -> int:
    found = row.get("Id") if isinstance(row, dict) else getattr(row, "id", None)
    if not isinstance(found, int):
        raise WosdkError(f"a row came without its Id ({found!r}), so the next page cannot be fetched")
    return found


async def prefetch(cursors: Iterable[Cursor]) -> AsyncGenerator[list[Any], None]:
    """Yield the pages of all cursors as they come; each fetches its next page while the one before is read.

    At most one page of each cursor waits. However the generator is left, no task of it remains.
    """
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


def _start(cursor: Cursor) -> asyncio.Task[list[Any]]:
    task = asyncio.get_running_loop().create_task(cursor.page())
    task.add_done_callback(_mark_retrieved)
    return task


def _mark_retrieved(task: asyncio.Task[Any]) -> None:
    """Read the error of a task, so that asyncio does not log it when nobody else reads it."""
    if not task.cancelled():
        task.exception()


async def _cancel(tasks: Iterable[asyncio.Task[Any]]) -> None:
    left = [task for task in tasks if not task.done()]
    for task in left:
        task.cancel()
    if left:
        with anyio.CancelScope(shield=True):  # a cancelled scope must not end this wait
            await asyncio.wait(left)
