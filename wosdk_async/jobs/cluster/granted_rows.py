"""Rows of a worker: those of its leases wait, are sent, and have a result that has to be confirmed.

A row is started only if it can end within its lease, and :mod:`fenced.py <wosdk_async.jobs.cluster.fenced>`
checks again before each request.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import attrs

from wosdk_async.jobs.cluster.fenced import Fence
from wosdk_async.jobs.cluster.messages import Grant, GrantedRow, RowReport, Share
from wosdk_async.jobs.cluster.row_calls import NOT_SENT

__all__ = ["GrantedRows"]

_NO_SHARE = Share(number=0, rate=None, in_flight=0)
_TURN = 25  # rows that are started before the event loop gets a turn
_QUEUED = 0.5  # seconds of its rate, for which rows may wait that were started
_QUEUED_PART = 0.5  # part of its deadline that a row may wait there at most


@attrs.define(eq=False)
class _Lease:
    """Rows of a grant that have not ended."""

    epoch: int
    fence: Fence
    unstarted: deque[GrantedRow] = attrs.field(factory=deque)
    under_way: int = 0


@attrs.define(eq=False)
class GrantedRows:
    """Starts rows within the share of the worker, and numbers their results.

    Args:
        send: carries one row out, and returns the fields of its report.
        clock: the clock of the leases.
        deadline: seconds that one row may take.
        ready: whether a row can be sent at all, as when there is a session.
        changed: called when there is a new result.
    """

    send: Callable[[GrantedRow, Fence], Coroutine[Any, Any, dict[str, Any]]]
    clock: Callable[[], float]
    deadline: float
    ready: Callable[[], bool]
    changed: Callable[[], None]
    share: Share = _NO_SHARE
    """Within it rows are started; set by the worker."""
    ended: bool = False
    """Whether no row is started any more."""
    results: deque[RowReport] = attrs.field(factory=deque)
    """Results that are not confirmed, in the order of their numbers."""
    tasks: set[asyncio.Task[dict[str, Any]]] = attrs.field(factory=set)
    """Calls under way."""
    _leases: dict[int, _Lease] = attrs.field(factory=dict)
    _seen: set[int] = attrs.field(factory=set)
    """Epochs of all grants that came, or were withdrawn: a repeated one starts nothing."""
    _rows: set[int] = attrs.field(factory=set)
    """Rows that have not ended: no row is sent by two leases at a time."""
    _not_begun: dict[int, tuple[int, asyncio.Task[dict[str, Any]]]] = attrs.field(factory=dict)
    """Row -> epoch and task of those that were started and have made no request."""
    _numbered: int = 0

    @property
    def epochs(self) -> set[int]:
        """Epochs of the leases with rows that have not ended."""
        return set(self._leases)

    @property
    def unstarted(self) -> int:
        """How many rows have made no request."""
        return sum(len(lease.unstarted) for lease in self._leases.values()) + len(self._not_begun)

    def forget_results(self, up_to: int) -> None:
        """Forget the results that have arrived, up to this number."""
        while self.results and self.results[0].number <= up_to:
            self.results.popleft()

    # --- leases -------------------------------------------------------------------------------

    def accept(self, grant: Grant) -> None:
        """Accept a grant: let its rows wait, if it did not come before."""
        if grant.epoch in self._seen:
            return
        self._seen.add(grant.epoch)
        lease = self._leases[grant.epoch] = _Lease(grant.epoch, Fence(grant.ends, self.clock))
        for row in grant.rows:
            if row.row in self._rows:  # an earlier call for it has not ended
                self._record(lease.epoch, row.row, NOT_SENT)
            else:
                self._rows.add(row.row)
                lease.unstarted.append(row)

    def withdraw(self, epoch: int) -> None:
        """Give back a lease that has ended for the coordinator, also one whose grant is still on its way."""
        self._seen.add(epoch)
        self._recall(epoch)

    def recall_all(self) -> None:
        """Give back all leases, with the rows that were started and have made no request."""
        for epoch in self._leases:
            self._recall(epoch)

    def cancel(self) -> None:
        """Cancel the calls under way."""
        for task in self.tasks:
            if not task.cancelling():
                task.cancel()

    def _recall(self, epoch: int) -> None:
        self._give_back(epoch)
        for of, task in list(self._not_begun.values()):
            if of == epoch and not task.cancelling():
                task.cancel()

    def _give_back(self, epoch: int) -> None:
        """Report the rows of a lease that were not started as not sent."""
        lease = self._leases.get(epoch)
        while lease is not None and lease.unstarted:
            row = lease.unstarted.popleft().row
            self._rows.discard(row)
            self._record(epoch, row, NOT_SENT)

    # --- rows ---------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the rows that may be started, in their order."""
        started = 0
        for epoch, lease in list(self._leases.items()):
            if not lease.fence.allows(self.deadline):
                self._give_back(epoch)
            while lease.unstarted and self._may_start():
                if started == _TURN:  # an exchange must not wait behind hundreds of rows
                    asyncio.get_running_loop().call_soon(self.start)
                    return
                started += 1
                self._start(lease, lease.unstarted.popleft())
            if not lease.unstarted and not lease.under_way:
                del self._leases[epoch]

    def _may_start(self) -> bool:
        """Return whether one more row may be under way."""
        share = self.share
        if share.rate is not None:
            # More would only wait, run out of time, and go out although it is too late.
            seconds = min(_QUEUED, self.deadline * _QUEUED_PART)
            if len(self._not_begun) >= max(1, int(share.rate * seconds)):
                return False
        return not self.ended and len(self.tasks) < share.in_flight and self.ready()

    def _start(self, lease: _Lease, row: GrantedRow) -> None:
        fence = attrs.evolve(lease.fence, begins=partial(self._row_begins, row.row))
        task = asyncio.get_running_loop().create_task(self.send(row, fence))
        task.add_done_callback(partial(self._row_ended, lease, row.row))
        self.tasks.add(task)
        self._not_begun[row.row] = lease.epoch, task
        lease.under_way += 1

    def _row_begins(self, row: int) -> None:
        if self._not_begun.pop(row, None) is not None and self.share.rate is not None:
            asyncio.get_running_loop().call_soon(self.start)

    def _row_ended(self, lease: _Lease, row: int, task: asyncio.Task[dict[str, Any]]) -> None:
        self.tasks.discard(task)
        self._not_begun.pop(row, None)
        lease.under_way -= 1
        self._rows.discard(row)
        # It catches its cancellation, so one that was cancelled had not begun.
        self._record(lease.epoch, row, NOT_SENT if task.cancelled() else task.result())
        self.start()

    def _record(self, epoch: int, row: int, fields: dict[str, Any]) -> None:
        self._numbered += 1
        self.results.append(RowReport(number=self._numbered, epoch=epoch, row=row, **fields))
        self.changed()
