"""A run over the workers: fetches claims, and gives exactly one outcome for each."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from types import TracebackType
from typing import Any, Protocol, Self

import anyio

from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.cluster.intake import ClaimSource, Intake
from wosdk_async.jobs.cluster.leases import Batch, Lease, RowToSend
from wosdk_async.jobs.cluster.ledger import Loss
from wosdk_async.jobs.cluster.outcomes import RowEnd, lost_with, not_started
from wosdk_async.jobs.cluster.waiting import WaitingRows

__all__ = ["ClusterRun", "RunOwner"]

_ABORTED = "the run was aborted before its worker reported it"


class RunOwner(Protocol):
    """The coordinator, as its run sees it."""

    async def losses(self, rows: Collection[int]) -> Mapping[int, Loss]:
        """Return the leases in which each row was lost before."""

    def begin(self, run: ClusterRun) -> None:
        """Grant rows of this run from now on."""

    def abandon(self) -> list[Lease]:
        """Give up all leases and return them: no report counts any more."""


class ClusterRun:
    """A run with the shape of :class:`wosdk_async.bulk.Run`; a coordinator makes it.

    ::

        async with coordinator.run(claims, encode) as run:
            async for outcome in run:
                ...

    After :meth:`stop` no row is started: those that no worker started have the outcome NotStarted. When the
    block ends by an exception or a cancellation, calls under way get ``grace`` seconds and are then
    cancelled. Rows of which nothing was reported in the same time again are in doubt, and their leases go on:
    the next run of the job has to wait for them. The outcomes can still be read after the block.

    Args:
        claims: the rows.
        encode: returns the JSON of the record of a claim.
        owner: the coordinator.
        ahead: no claim is fetched while so many rows wait for a worker, or have outcomes that are not read.
        grace: seconds that calls under way still get when the block ends by an exception.
    """

    def __init__(
        self,
        claims: ClaimSource,
        encode: Callable[[Any], str],
        owner: RunOwner,
        *,
        ahead: int,
        grace: float,
    ) -> None:
        self._owner, self._ahead, self._grace = owner, ahead, grace
        self.stopped = False
        """Whether no further row may be started."""
        self.aborted = False
        """Whether calls under way are to be cancelled."""
        self._waiting = WaitingRows()
        self._granted = 0
        self._unread: deque[RowEnd] = deque()
        self._changed = asyncio.Event()
        self._intake = Intake(claims, encode, owner.losses, self._waiting, self._unread.append)
        self._fetching: asyncio.Task[None] | None = None
        self._reading = False
        self._error: BaseException | None = None

    def __repr__(self) -> str:
        return (
            f"<ClusterRun waiting {len(self._waiting)}, granted {self._granted}, unread {len(self._unread)}>"
        )

    async def __aenter__(self) -> Self:
        self._owner.begin(self)
        self._fetching = asyncio.get_running_loop().create_task(self._fetch())
        self._fetching.add_done_callback(lambda _: self.changed())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is not None or (self._reading and not (self._ended() and not self._unread)):
            self.stop()
        self._reading = False  # nobody reads now, so nothing waits for a reader
        self.changed()
        with anyio.CancelScope(shield=True):  # a cancelled scope around the block must not cut the grace
            try:
                await self._until_ended(error is not None)
            finally:
                await self._give_up()
        if error is None:
            self._raise_error()

    def stop(self) -> None:
        """Start no further row; calls under way go on."""
        self.stopped = True
        self._intake.stop()
        for row in self._waiting.clear():
            self._unread.append(not_started(row))
        self.changed()

    # --- reading ------------------------------------------------------------------------------

    def __aiter__(self) -> AsyncIterator[RowEnd]:
        if self._fetching is None:
            raise InvalidCallError("nothing was started; write 'async with coordinator.run(...) as run:'")
        self._reading = True
        return self._outcomes()

    async def _outcomes(self) -> AsyncIterator[RowEnd]:
        while self._unread or not self._ended():
            while self._unread:
                yield self._unread.popleft()
            self.changed()  # there is room for further rows
            if not self._ended():
                await self._next_change()
        self._raise_error()

    def _raise_error(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error

    # --- what the coordinator does with it ----------------------------------------------------

    def next_batch(self, most: int, *, idle: bool) -> Batch | None:
        """Return rows for a worker, see :meth:`WaitingRows.next_batch`; each has to come back."""
        batch = self._waiting.next_batch(most, idle=idle)
        if batch is not None:
            self._granted += len(batch.rows)
        return batch

    def requeue(self, row: RowToSend) -> None:
        """Let a row wait again that was not sent, and will not be under its grant."""
        self._granted -= 1
        if self.stopped:
            self._unread.append(not_started(row))
        else:
            self._waiting.put_back(row)

    def end(self, outcome: RowEnd) -> None:
        """Note the outcome of a row that was granted."""
        self._granted -= 1
        self._unread.append(outcome)

    def give_up_granted(self, why: str) -> None:
        """Give an outcome to every row that was granted and not reported; their leases go on."""
        if not self._granted:
            return
        for lease in self._owner.abandon():
            for row in lease.rows.values():
                self.end(lost_with(lease, row, why) if lease.may_have_arrived else not_started(row))
        self.changed()

    def fail(self, error: BaseException) -> None:
        """Stop, and raise an error that concerns all rows after the outcomes."""
        self._error = self._error or error
        self.stop()

    def changed(self) -> None:
        """Wake those that wait for a change; called once for a report, not for each of its rows."""
        self._changed.set()

    # --- claims -------------------------------------------------------------------------------

    async def _fetch(self) -> None:
        try:
            while True:
                while self._is_full():
                    await self._next_change()
                await self._intake.fetch_some()
                self.changed()
                await asyncio.sleep(0)
        except StopAsyncIteration:
            pass
        except Exception as error:
            self.fail(error)
            self._intake.end_fetched()
            self.changed()

    def _is_full(self) -> bool:
        unread = len(self._unread) if self._reading else 0
        return len(self._waiting) + unread >= self._ahead and not self.stopped

    # --- ending -------------------------------------------------------------------------------

    def _ended(self) -> bool:
        """Return whether no outcome will follow."""
        assert self._fetching is not None  # noqa: S101 - within the block
        return self._fetching.done() and not (self._granted or len(self._waiting) or len(self._intake))

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    async def _until_ended(self, in_haste: bool) -> None:
        if not in_haste:
            while not self._ended() and (self._granted or not self.stopped):
                await self._next_change()
            return
        for _ in range(2):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._grace):
                    while self._granted:
                        await self._next_change()
            self.aborted = bool(self._granted)

    async def _give_up(self) -> None:
        """Give an outcome to every row that was fetched and has none; fetch no further claim."""
        assert self._fetching is not None  # noqa: S101 - within the block
        self._fetching.cancel()  # it waits, so it fetches nothing from now on
        self.stop()
        self._intake.end_fetched()
        self.changed()
        self.give_up_granted(_ABORTED)
        await asyncio.wait([self._fetching])
