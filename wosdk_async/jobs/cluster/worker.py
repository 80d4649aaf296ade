"""Worker of a job: sends the rows of its leases, and reports what became of each.

A worker keeps nothing on a disk and decides nothing about a job. It starts a row only if the row can end
within its lease, and :mod:`fenced.py <wosdk_async.jobs.cluster.fenced>` checks again before each request.
It repeats its results until the coordinator has confirmed them.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any

import attrs

from wosdk_async.client import Client
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.clocks import boottime
from wosdk_async.jobs.cluster.fenced import Fence, FencedEngine
from wosdk_async.jobs.cluster.messages import (
    MOST_RESULTS,
    Grant,
    GrantedRow,
    Order,
    Report,
    RowReport,
    Setup,
    Share,
)
from wosdk_async.jobs.cluster.pushed_sessions import PushedSessions
from wosdk_async.jobs.cluster.row_calls import NOT_SENT, RowCalls
from wosdk_async.jobs.operation_names import operation_named
from wosdk_async.options import CallOptions, ClientOptions, Limits, RetryPolicy
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.version import VERSION

__all__ = ["Worker"]

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


class Worker:
    """Sender of rows for a coordinator, which may be in another process or on another machine.

    Args:
        setup: what there is to know about the job.
        clock: the clock of the leases; it has to run on while the machine sleeps.
        client: makes the client.

    Raises:
        ConfigurationError: the coordinator has another version of the package.
    """

    def __init__(
        self, setup: Setup, *, clock: Callable[[], float] = boottime, client: Callable[..., Client] = Client
    ) -> None:
        if setup.version != VERSION:
            raise ConfigurationError(
                f"the job runs with wosdk_async {setup.version}, and this worker has {VERSION}; "
                "install the same version on all machines"
            )
        self.nonce = secrets.token_hex(8)
        self._setup = setup
        self._clock = clock
        self._throttled = 0
        self._changed = asyncio.Event()
        self._sessions = PushedSessions(clock, self._changed.set)
        self._client = client(
            credentials=self._sessions,
            trusted_hosts=setup.trusted_hosts,
            check_request_ids=setup.check_request_ids,
            limits=Limits(connections=setup.most_in_flight),
            in_flight=setup.most_in_flight,
            options=CallOptions(
                deadline=setup.deadline, settle=setup.settle, retry=RetryPolicy(attempts=setup.attempts)
            ),
            engine=self._fenced_engine,
        )
        self._company = self._client.company(setup.company)
        self._calls = RowCalls(operation_named(setup.operation), self._company, setup.marker)
        self._share = Share(number=0, rate=None, in_flight=0)
        self._kept_share = self._said_refused = 0
        self._seen: set[int] = set()
        """Epochs of all grants that came, or were withdrawn: a repeated one starts nothing."""
        self._leases: dict[int, _Lease] = {}
        self._rows: set[int] = set()
        """Rows that have not ended: no row is sent by two leases at a time."""
        self._tasks: set[asyncio.Task[dict[str, Any]]] = set()
        self._not_begun: dict[int, tuple[int, asyncio.Task[dict[str, Any]]]] = {}
        """Row -> epoch and task of those that were started and have made no request."""
        self._results: deque[RowReport] = deque()
        self._numbered = 0
        self._ended = False

    def __repr__(self) -> str:
        return f"<Worker {self.nonce} {len(self._tasks)} under way, {len(self._results)} not confirmed>"

    async def exchange(self, order: Order) -> Report:
        """Obey an order and return the report, as soon as there is a result or the patience is over."""
        if order.worker == self.nonce:
            self._obey(order)
            await asyncio.sleep(0)  # the calls go on, however fast orders come
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(order.patience):
                    await self._news()
        return self._report()

    def leave(self) -> None:
        """Start nothing more, and give back what was not started; what is under way still ends."""
        self._stop()
        self._changed.set()

    @property
    def has_left(self) -> bool:
        """Whether it was asked to leave, no call is under way, and all results are confirmed."""
        return self._ended and not self._tasks and not self._results

    async def end(self) -> Sequence[RowReport]:
        """Start nothing more, let the calls under way end, and return all results that are not confirmed."""
        self._stop()
        while self._tasks:
            await asyncio.wait(self._tasks)
        return tuple(self._results)

    async def aclose(self) -> None:
        """Cancel the calls under way and close the connections."""
        self._stop()
        self._cancel()
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self._client.aclose(grace=0.0)

    # --- orders -------------------------------------------------------------------------------

    def _obey(self, order: Order) -> None:
        while self._results and self._results[0].number <= order.received:
            self._results.popleft()
        if order.share.number > self._share.number:
            if order.share.in_flight:  # without calls the rate is 0, which a Company cannot have
                self._company.set_rate(order.share.rate)
            self._share = order.share
        if order.session is not None:
            self._sessions.push(order.session)
        for grant in order.grants:
            self._take(grant)
        for epoch in order.withdrawn:
            self._seen.add(epoch)  # its grant may still be on its way
            self._recall(epoch)
        if order.stop or order.abort or self._ended:
            self._recall_all()
        if order.abort:
            self._cancel()
        self._start_rows()

    def _take(self, grant: Grant) -> None:
        if grant.epoch in self._seen:
            return
        self._seen.add(grant.epoch)
        lease = self._leases[grant.epoch] = _Lease(grant.epoch, Fence(grant.ends, self._clock))
        for row in grant.rows:
            if row.row in self._rows:  # an earlier call for it has not ended
                self._record(lease.epoch, row.row, NOT_SENT)
            else:
                self._rows.add(row.row)
                lease.unstarted.append(row)

    def _give_back(self, epoch: int) -> None:
        """Report the rows of a lease that were not started as not sent."""
        lease = self._leases.get(epoch)
        while lease is not None and lease.unstarted:
            row = lease.unstarted.popleft().row
            self._rows.discard(row)
            self._record(epoch, row, NOT_SENT)

    def _recall(self, epoch: int) -> None:
        """Give back a lease, with the rows that were started and have made no request."""
        self._give_back(epoch)
        for of, task in list(self._not_begun.values()):
            if of == epoch and not task.cancelling():
                task.cancel()

    def _recall_all(self) -> None:
        for epoch in self._leases:
            self._recall(epoch)

    def _stop(self) -> None:
        self._ended = True
        self._recall_all()

    def _cancel(self) -> None:
        for task in self._tasks:
            if not task.cancelling():
                task.cancel()

    # --- rows ---------------------------------------------------------------------------------

    def _start_rows(self) -> None:
        """Start the rows that may be started, in their order."""
        started = 0
        for epoch, lease in list(self._leases.items()):
            if not lease.fence.allows(self._setup.deadline):
                self._give_back(epoch)
            while lease.unstarted and self._may_start():
                if started == _TURN:  # an exchange must not wait behind hundreds of rows
                    asyncio.get_running_loop().call_soon(self._start_rows)
                    return
                started += 1
                self._start(lease, lease.unstarted.popleft())
            if not lease.unstarted and not lease.under_way:
                del self._leases[epoch]

    def _may_start(self) -> bool:
        """Return whether one more row may be under way."""
        share = self._share
        if (
            share.rate is not None
        ):  # more would only wait, run out of time, and go out although it is too late
            seconds = min(_QUEUED, self._setup.deadline * _QUEUED_PART)
            if len(self._not_begun) >= max(1, int(share.rate * seconds)):
                return False
        return self._sessions.number > 0 and len(self._tasks) < share.in_flight and not self._ended

    def _start(self, lease: _Lease, row: GrantedRow) -> None:
        fence = attrs.evolve(lease.fence, begins=partial(self._row_begins, row.row))
        task = asyncio.get_running_loop().create_task(self._calls.carry_out(row, fence))
        task.add_done_callback(partial(self._row_ended, lease, row.row))
        self._tasks.add(task)
        self._not_begun[row.row] = lease.epoch, task
        lease.under_way += 1

    def _row_begins(self, row: int) -> None:
        if self._not_begun.pop(row, None) is not None and self._share.rate is not None:
            asyncio.get_running_loop().call_soon(self._start_rows)

    def _row_ended(self, lease: _Lease, row: int, task: asyncio.Task[dict[str, Any]]) -> None:
        self._tasks.discard(task)
        self._not_begun.pop(row, None)
        lease.under_way -= 1
        self._rows.discard(row)
        # It catches its cancellation, so one that was cancelled had not begun.
        self._record(lease.epoch, row, NOT_SENT if task.cancelled() else task.result())
        self._start_rows()

    def _record(self, epoch: int, row: int, fields: dict[str, Any]) -> None:
        self._numbered += 1
        self._results.append(RowReport(number=self._numbered, epoch=epoch, row=row, **fields))
        self._changed.set()

    # --- reports ------------------------------------------------------------------------------

    async def _news(self) -> None:
        """Wait until there is something to report."""
        while not self._results and self._sessions.refused == self._said_refused:
            self._changed.clear()
            await self._changed.wait()

    def _report(self) -> Report:
        if len(self._tasks) <= self._share.in_flight:  # only then does it keep to a lower share
            self._kept_share = self._share.number
        self._said_refused = self._sessions.refused
        later = {result.epoch for result in islice(self._results, MOST_RESULTS, None)}
        return Report(
            worker=self.nonce,
            clock=self._clock(),
            results=tuple(islice(self._results, MOST_RESULTS)),
            epochs=tuple(sorted(self._leases.keys() | later)),
            share=self._kept_share,
            session=self._sessions.number,
            session_refused=self._said_refused,
            throttled=self._throttled,
            unstarted=sum(len(lease.unstarted) for lease in self._leases.values()) + len(self._not_begun),
            leaving=self._ended,
        )

    def _fenced_engine(self, limits: Limits) -> FencedEngine:
        return FencedEngine(engine_for(ClientOptions(limits=limits)), self._count_throttled)

    def _count_throttled(self) -> None:
        self._throttled += 1
