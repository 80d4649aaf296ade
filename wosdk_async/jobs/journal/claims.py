"""Claims: rows marked as SENDING shortly before their calls."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Any, Self

import anyio
import attrs
import msgspec

from wosdk_async.jobs.journal import Journal, RowRecord, State
from wosdk_async.jobs.sources.rows import Row

_AHEAD = 0.25  # with a rate, rows for this many seconds are claimed at once


class Claim(msgspec.Struct, eq=False):
    """A row that may be sent, with its command or record."""

    row: Row
    record: Any
    key: str | None = None
    started: float = 0.0
    """The call's start, by the event loop's clock."""
    incomplete: bool = False
    """Whether the row refers to a missing record and cannot be sent."""


@attrs.define(eq=False)
class Claims:
    """Async iterator over claims whose SENDING state is on disk.

    At most ``limit`` claims are queued, and at most ``2 * limit`` claimed rows have no outcome yet, so that
    few rows are in doubt after a kill. Each group is claimed while the previous group's calls are in
    flight, so few calls wait for the disk. Unused claims are planned again when the block ends.

    Args:
        prepared: pages of rows to claim; an error while reading a page is raised after all earlier claims.
        limit: the maximum number of concurrent calls.
        rate: returns the maximum number of rows to claim per second; None for no limit.
        begin: whether to write SENDING. Rows for workers stay PLANNED until they are granted, so that a kill
            leaves fewer rows in doubt.
    """

    _prepared: AsyncIterator[list[Claim]]
    _journal: Journal
    _limit: int
    _rate: Callable[[], float | None] = attrs.field(default=lambda: None, kw_only=True)
    _begin: bool = attrs.field(default=True, kw_only=True)
    _next_at: float = attrs.field(default=0.0, init=False)
    """Time at which the rate allows the next group, by the event loop's clock."""
    _unrecorded: int = attrs.field(default=0, init=False)
    _ready: deque[Claim] = attrs.field(factory=deque, init=False)
    _changed: asyncio.Event = attrs.field(factory=asyncio.Event, init=False)
    _stopped: bool = attrs.field(default=False, init=False)
    _task: asyncio.Task[None] | None = attrs.field(default=None, init=False)

    async def __aenter__(self) -> Self:
        self._task = asyncio.get_running_loop().create_task(self._claim())
        self._task.add_done_callback(lambda _: self._changed.set())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.stop()
        # Wait for claims that are being written, so that they are planned again below.
        with anyio.CancelScope(shield=True):
            if self._task is not None:
                await asyncio.wait([self._task])
                self._task.cancelled() or self._task.exception()  # marks the exception as retrieved
        if self._begin:
            while self._ready:
                self._journal.record(RowRecord(row=self._ready.popleft().row.number, state=State.PLANNED))

    def stop(self) -> None:
        """Stop claiming rows; claims that are ready are still returned."""
        self._stopped = True
        self._changed.set()

    def count_recorded(self, claims: int = 1) -> None:
        """Count this many of the returned claims as having an outcome in the journal."""
        self._unrecorded -= claims
        self._wake_for_room()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Claim:
        # Not a generator, because a generator could not resume after a cancellation.
        assert self._task is not None  # noqa: S101 - within the block
        while (claim := self.at_hand()) is None:
            if self._task.done():
                self._task.result()
                raise StopAsyncIteration
            await self._next_change()
        return claim

    def at_hand(self) -> Claim | None:
        """Return the next claim; None if the caller would have to wait."""
        if not self._ready or self._task is None:
            return None
        claim = self._ready.popleft()
        claim.started = self._task.get_loop().time()
        if not self._ready:
            self._wake_for_room()
        return claim

    async def _claim(self) -> None:
        unclaimed: deque[Claim] = deque()
        try:
            async for page in self._prepared:
                unclaimed += page
                while len(unclaimed) >= self._group_size and not self._stopped:
                    await self._write(unclaimed)
                if self._stopped:
                    return
        finally:
            while unclaimed and not self._stopped:
                await self._write(unclaimed)

    async def _write(self, unclaimed: deque[Claim]) -> None:
        """Claim a group of rows in one commit, which costs nearly the same for any number of rows."""
        # Wait for outcomes of earlier claims, so that one commit writes the outcomes and the new claims.
        while not self._has_room and not self._stopped:
            await self._next_change()
        if rate := self._rate():
            await self._wait_for_turn()
        if not self._stopped:
            group = [unclaimed.popleft() for _ in range(min(self._group_size, len(unclaimed)))]
            self._unrecorded += len(group)
            if rate:
                now = asyncio.get_running_loop().time()
                self._next_at = max(self._next_at, now - _AHEAD) + len(group) / rate
            if self._begin:
                await self._journal.begin([claim.row.number for claim in group])
            self._ready.extend(group)
            self._changed.set()

    async def _wait_for_turn(self) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(self._next_at):
                while not self._stopped and loop.time() < self._next_at:
                    await self._next_change()

    @property
    def _group_size(self) -> int:
        rate = self._rate()
        return self._limit if rate is None else max(1, min(self._limit, int(rate * _AHEAD)))

    @property
    def _has_room(self) -> bool:
        return not self._ready and self._unrecorded <= self._limit

    def _wake_for_room(self) -> None:
        if self._has_room:
            self._changed.set()

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()
