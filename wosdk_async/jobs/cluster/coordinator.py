"""Coordinator of a job on many workers: orders to them, outcomes from their reports.

One task for each worker exchanges messages with it, again and again. A row goes through these steps::

    claim         the row is built and checked (jobs/claims.py)
    lease         leases.py says who may send it, until when
    ledger.grant  the grant is on the disk, and the row is SENDING there
    order         the grant leaves, again with each order until a report shows it
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

from wosdk_async.errors import ConfigurationError, InvalidCallError, WosdkError
from wosdk_async.jobs.cluster.budget import NO_SHARE, Budget
from wosdk_async.jobs.cluster.clocks import boottime
from wosdk_async.jobs.cluster.cluster_run import ClaimSource, ClusterRun
from wosdk_async.jobs.cluster.granting import GrantCounts, Granting
from wosdk_async.jobs.cluster.leases import Lease
from wosdk_async.jobs.cluster.ledger import GrantLedger, Loss
from wosdk_async.jobs.cluster.messages import Order, Report, Setup, WorkerLostError
from wosdk_async.jobs.cluster.options import ClusterOptions
from wosdk_async.jobs.cluster.pool import WorkerLink, WorkerPool
from wosdk_async.jobs.cluster.reached_worker import ReachedWorker
from wosdk_async.jobs.cluster.sessions import SessionPusher, SessionSource

__all__ = ["ClusterStatistics", "Coordinator"]

_PATIENCE = 0.1  # seconds for which a worker with nothing to say may wait: so long a grant may wait, too
_PACE = 0.02  # seconds from one order to the next: results come in batches, not one by one
_LATE = 5.0  # seconds after which an exchange is repeated, and a worker counts as silent
_AGAIN = 0.5  # seconds before an exchange that failed is repeated
_TICK = 0.25  # seconds between two looks at the clock
_PARTING = 2.0  # seconds for the last orders

_HELLO = Order(worker="", received=0, share=NO_SHARE)  # the report to it says who the worker is


@attrs.define(kw_only=True)
class ClusterStatistics(GrantCounts):
    """Figures of a job on many workers since its coordinator began.

    Args:
        workers: that respond now.
        joined: that have responded.
        lost: that can no longer be reached.
        level: part of the full rate and concurrency that is shared out now.
        cpu_seconds: CPU time of this process.
    """

    workers: int
    joined: int
    lost: int
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
        boottime: Callable[[], float] = boottime,
    ) -> None:
        self._pool, self._setup, self._ledger, self._options = pool, setup, ledger, options
        self._now = boottime
        self._granting = Granting(ledger, options, setup.run)
        self._budget = Budget(options.rate, options.in_flight, most=setup.most_in_flight, now=boottime())
        self._sessions = SessionPusher(sessions, self._fail)
        self._workers: dict[str, ReachedWorker] = {}
        self._nonces: set[str] = set()
        """Of all workers there were: one that was lost does not come back."""
        self._failure: Exception | None = None
        self._abandoned = self._closing = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._ticker: asyncio.Task[None] | None = None
        self._heard = boottime()
        self._lost = 0
        self._cpu_before = time.process_time()

    def __repr__(self) -> str:
        return f"<Coordinator {self._pool.name}, workers {len(self._workers)}, {self._granting.book!r}>"

    def statistics(self) -> ClusterStatistics:
        """Return the figures up to now."""
        return ClusterStatistics(
            workers=len(self._workers),
            joined=len(self._nonces),
            lost=self._lost,
            level=self._budget.level,
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
        self._closing = True
        try:
            if self._tasks:  # a last order tells each worker that its results have arrived
                await asyncio.wait(self._tasks, timeout=_PARTING)
        finally:
            await self._close()

    async def _close(self) -> None:
        tasks = [*self._tasks, *([self._ticker] if self._ticker else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._sessions.aclose()
        await self._pool.aclose()

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
        return ClusterRun(claims, encode, self, ahead=2 * self._options.rows_per_grant, grace=grace)

    # --- what a run asks ----------------------------------------------------------------------

    def begun(self, run: ClusterRun) -> None:
        """Grant rows of this run from now on."""
        self._granting.run = run
        self._heard = self._now()
        if self._failure is not None:
            run.fail(self._failure)

    async def losses(self, rows: Collection[int]) -> Mapping[int, Loss]:
        """Return the leases in which each row was lost before."""
        return await self._ledger.losses(rows)

    def abandoned(self) -> list[Lease]:
        """Return all leases, of which no report counts any more; they stay open in the ledger."""
        self._abandoned = True
        return self._granting.book.abandon()

    def _broken(self, why: str) -> None:
        self._fail(WosdkError(why))

    def _fail(self, error: Exception) -> None:
        """End the run: nothing can be sent any more."""
        self._failure = self._failure or error
        if (run := self._granting.run) is not None:
            run.fail(self._failure)

    # --- one worker ---------------------------------------------------------------------------

    def _joined(self, link: WorkerLink) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(link))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, link: WorkerLink) -> None:
        """Exchange messages with a worker until it is lost, or all is said."""
        worker: ReachedWorker | None = None
        try:
            while not self._closing or (worker is not None and worker.told < worker.received):
                began = self._now()
                report = await self._exchange(link, worker)
                if report is not None:
                    worker = self._reached(link, worker, report)
                    self._take(worker, report)
                    await self._granting.grant(worker, self._budget.share(worker.nonce))
                pause = _PACE - (self._now() - began) if report is not None else _AGAIN
                if pause > 0:
                    await asyncio.sleep(pause)
        except Exception as error:
            if not isinstance(error, WorkerLostError):  # it refuses to work, or a grant cannot be written
                self._fail(error)
            if worker is not None:
                self._lose(worker, str(error), ended=isinstance(error, WorkerLostError) and error.ended)
        finally:
            await link.aclose()

    async def _exchange(self, link: WorkerLink, worker: ReachedWorker | None) -> Report | None:
        """Return the report to an order; None if the exchange has to be repeated."""
        order = self._order(worker) if worker is not None else _HELLO
        try:
            async with asyncio.timeout(_LATE):
                report = await link.exchange(order)
        except (WorkerLostError, ConfigurationError):
            raise
        except Exception:  # of any library: whether it arrived, the next report says
            return None
        if worker is not None and report.worker == worker.nonce:
            worker.told = order.received
        return report

    def _reached(self, link: WorkerLink, before: ReachedWorker | None, report: Report) -> ReachedWorker:
        """Return the worker that made a report: another one may have taken the place of that before."""
        if before is not None and report.worker == before.nonce:
            return before
        if before is not None:
            self._lose(before, "another worker took its place", ended=False)
        if report.worker in self._nonces:
            raise WorkerLostError("a worker that was lost, or that is reached in another way")
        worker = ReachedWorker(report.worker, link.name, self._now())
        self._nonces.add(worker.nonce)
        self._workers[worker.nonce] = worker
        return worker

    def _order(self, worker: ReachedWorker) -> Order:
        run, grants = self._granting.run, self._granting.leaving(worker)
        leases = self._granting.book.of(worker.nonce)
        return Order(
            worker=worker.nonce,
            received=worker.received,
            share=self._budget.share(worker.nonce),
            grants=grants,
            withdrawn=tuple(epoch for epoch in worker.epochs if epoch not in leases),
            session=self._sessions.session_for(worker.session, worker.session_refused),
            stop=run is not None and run.stopped,
            abort=run is not None and run.aborted,
            patience=0.0 if self._closing else _PATIENCE,
        )

    def _take(self, worker: ReachedWorker, report: Report) -> None:
        now = self._heard = self._now()
        results = worker.take(report, now)
        self._granting.reported(worker, results)
        if any(each.result == "done" for each in results):
            self._sessions.worked()
        if worker.nonce not in self._budget:  # a new one, or it was silent for long
            self._budget.add(worker.nonce)
        self._budget.confirm(worker.nonce, report.share)
        if worker.has_throttled(report):
            self._budget.throttled(now)
        if (run := self._granting.run) is not None:
            run.changed()

    # --- the ends of workers ------------------------------------------------------------------

    def _lose(self, worker: ReachedWorker, why: str, *, ended: bool) -> None:
        """Give up a worker; unless its process has ended, its leases and its share go on for a while."""
        if self._workers.pop(worker.nonce, None) is None:
            return  # it was before
        self._lost += 1
        if ended:
            leases = self._granting.book.ended_with(worker.nonce)
            self._granting.lost(leases, f"its worker has ended: {why}")
            self._budget.remove(worker.nonce)
        else:
            self._budget.leave(worker.nonce)

    # --- time ---------------------------------------------------------------------------------

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK)
            now = self._now()
            granting = self._granting
            granting.lost(granting.book.over(now), "nothing was heard of its worker until its lease was over")
            self._free_shares(now)
            self._budget.calm(now)
            if now - self._heard >= self._options.no_worker and granting.run is not None:
                seconds = f"{self._options.no_worker:.0f} s"
                self._fail(WosdkError(f"no worker of {self._pool.name} was heard of for {seconds}"))

    def _free_shares(self, now: float) -> None:
        """Free the shares of workers that have no lease and are lost or silent: they send nothing."""
        for nonce in self._budget.workers():
            worker = self._workers.get(nonce)
            if (worker is None or now - worker.heard > _LATE) and not self._granting.book.of(nonce):
                self._budget.remove(nonce)
