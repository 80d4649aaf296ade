"""Coordinator of a job on many workers: opens them, runs claims on them, and ends them.

One task for each worker holds a conversation with it (conversation.py). A row goes through these steps::

    claim         the row is built and checked (jobs/claims.py)
    lease         leases.py says who may send it, until when
    ledger.grant  the grant is on the disk, and the row is SENDING there
    order         the grant is sent, again with each order until a report shows it
    report        the row has its outcome; the grant ends with its last row

If no report comes, the row is lost with its worker, as soon as that surely sends it no more: it is in doubt.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from types import TracebackType
from typing import Any, Self

import attrs

from wosdk_async.errors import InvalidCallError, WosdkError
from wosdk_async.jobs.cluster.budget import Budget
from wosdk_async.jobs.cluster.clocks import boottime
from wosdk_async.jobs.cluster.cluster_run import ClusterRun
from wosdk_async.jobs.cluster.conversation import Conversation
from wosdk_async.jobs.cluster.granting import GrantCounts, Granting
from wosdk_async.jobs.cluster.intake import ClaimSource
from wosdk_async.jobs.cluster.leases import Lease
from wosdk_async.jobs.cluster.ledger import GrantLedger, Loss
from wosdk_async.jobs.cluster.messages import Setup
from wosdk_async.jobs.cluster.options import ClusterOptions
from wosdk_async.jobs.cluster.pool import WorkerLink, WorkerPool
from wosdk_async.jobs.cluster.sessions import SessionPusher, SessionSource
from wosdk_async.jobs.cluster.worker_group import WorkerGroup

__all__ = ["ClusterStatistics", "Coordinator"]

_TICK = 0.25  # seconds between two looks at the clock
_DEADLINES = 3  # for so many deadlines all rows must have come back, before the run ends
_PARTING, _HASTY = 2.0, 0.5  # seconds for the last orders, also after a run that was aborted
_SILENT, _SILENT_IN_HASTE = 3.0, 0.5  # seconds for which a worker must be silent, so that a stop gives it up
_GRACE = 2.0  # seconds in which workers must have ended: every row has its outcome by then


@attrs.define(kw_only=True)
class ClusterStatistics(GrantCounts):
    """Figures of a job on many workers since its coordinator began.

    Args:
        workers: that respond now.
        joined: that have responded.
        lost_workers: that can no longer be reached.
        level: part of the full rate and concurrency that is shared out now.
        cpu_seconds: CPU time of this process.
    """

    workers: int
    joined: int
    lost_workers: int
    level: float
    cpu_seconds: float


class Coordinator:
    """Grants the rows of one run of a job to workers.

    ::

        async with Coordinator(pool, setup, ledger, options=options, sessions=sessions) as coordinator:
            async with coordinator.run(claims, encode) as run:
                async for outcome in run:
                    ...

    Args:
        pool: where the workers are.
        setup: what they need to know.
        ledger: where grants are written.
        options: times, rate and concurrency.
        sessions: opens and renews the session of the Company.
        on_event: called with a text for people when a worker is lost, or cannot be used.
        boottime: the clock of the leases.
    """

    def __init__(
        self,
        pool: WorkerPool,
        setup: Setup,
        ledger: GrantLedger,
        *,
        options: ClusterOptions,
        sessions: SessionSource,
        on_event: Callable[[str], None] = lambda _: None,
        boottime: Callable[[], float] = boottime,
    ) -> None:
        self._pool, self._setup, self._ledger, self._options = pool, setup, ledger, options
        self._granting = Granting(ledger, options, setup.run)
        self._group = WorkerGroup(
            self._granting,
            Budget(options.rate, options.in_flight, most=setup.most_in_flight, now=boottime()),
            SessionPusher(sessions, self._fail),
            looked_up=bool(setup.marker),
            now=boottime,
            failed=self._fail,
            on_event=on_event,
        )
        self._failure: Exception | None = None
        self._abandoned = False
        self._hurried: tuple[float, float] | None = None
        """When it was asked to hurry, and the seconds for which a silent worker is waited for since then."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._ticker: asyncio.Task[None] | None = None
        self._cpu_before = time.process_time()

    def __repr__(self) -> str:
        return f"<Coordinator {self._pool.name}, workers {len(self._group)}, {self._granting.book!r}>"

    def statistics(self) -> ClusterStatistics:
        """Return the figures up to now."""
        return ClusterStatistics(
            workers=len(self._group),
            joined=self._group.joined,
            lost_workers=self._group.lost,
            level=self._group.budget.level,
            cpu_seconds=time.process_time() - self._cpu_before,
            **attrs.asdict(self._granting.counts),
        )

    # --- open and close -----------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        self._granting.epoch = await self._ledger.last_epoch()
        self._ticker = asyncio.get_running_loop().create_task(self._tick())
        try:
            await self._pool.open(self._setup, self._joined, self._broken)
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._group.closing = True
        try:
            if self._tasks:  # a last order tells each worker that its results have arrived
                await asyncio.wait(self._tasks, timeout=_HASTY if self._abandoned else _PARTING)
        finally:
            await self._close()

    async def _close(self) -> None:
        tasks = [*self._tasks, *([self._ticker] if self._ticker else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._group.sessions.aclose()
        await self._pool.aclose(_GRACE)

    def run(self, claims: ClaimSource, encode: Callable[[Any], str], *, grace: float = 2.0) -> ClusterRun:
        """Return a run of some claims; only one at a time.

        Args:
            claims: the rows.
            encode: returns the JSON of the record of a claim.
            grace: seconds that calls under way still get when the block ends by an exception.

        Raises:
            InvalidCallError: an earlier run was aborted: its leases may go on.
        """
        if self._abandoned:
            raise InvalidCallError("an earlier run was aborted, and its rows may still be sent")
        return ClusterRun(claims, encode, self, ahead=self._options.fetched_ahead, grace=grace)

    # --- what a run asks ----------------------------------------------------------------------

    def begin(self, run: ClusterRun) -> None:
        """Grant rows of this run from now on."""
        self._granting.run = run
        self._group.heard = self._group.now()
        if self._failure is not None:
            run.fail(self._failure)

    async def losses(self, rows: Collection[int]) -> Mapping[int, Loss]:
        """Return the leases in which each row was lost before."""
        return await self._ledger.losses(rows)

    def abandon(self) -> list[Lease]:
        """Give up all leases and return them: no report counts any more. They stay open in the ledger."""
        self._abandoned = True
        return self._granting.book.pop_all()

    def hurry(self) -> None:
        """Let a stopped run wait for workers only while they are heard.

        One that is silent for 3 seconds is given up, or for half a second if this is called again: its rows
        are in doubt, and its leases stay open in the ledger.
        """
        if self._hurried is None:
            self._hurried = self._group.now(), _SILENT
        else:
            self._hurried = self._hurried[0], _SILENT_IN_HASTE

    def _broken(self, why: str) -> None:
        self._fail(WosdkError(why))

    def _fail(self, error: Exception) -> None:
        """End the run: nothing can be sent any more."""
        self._failure = self._failure or error
        if (run := self._granting.run) is not None:
            run.fail(self._failure)

    def _joined(self, link: WorkerLink) -> None:
        task = asyncio.get_running_loop().create_task(Conversation(link, self._group).hold())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- time ---------------------------------------------------------------------------------

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK)
            group = self._group
            group.look_at_the_clock()
            if (run := self._granting.run) is None:
                continue
            if self._hurried is not None and run.stopped and group.is_silent(*self._hurried):
                run.give_up_granted("its worker was silent when the run was stopped")
            if group.now() - group.heard >= (patience := self._options.no_worker):
                self._fail(WosdkError(f"no worker of {self._pool.name} was heard of for {patience:.0f} s"))
                continue
            patience = max(patience, _DEADLINES * self._options.deadline)
            if group.stuck_for >= patience and not run.stopped:
                why = f"{self._pool.name} gave each back as not sent"
                self._fail(WosdkError(f"no row could be sent for {patience:.0f} s: {why}"))
