"""Coordinator of a job on many workers: opens them, carries messages, and writes grants before they leave.

The journal has a grant on the disk before an order has it. If no report comes, the row is lost with its
worker, as soon as nobody can send it any more: it is in doubt.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Any

from wosdk_async import errors
from wosdk_async.calls.run_many import Run
from wosdk_async.codec import converter, dumps
from wosdk_async.errors import InDoubtError, WosdkError
from wosdk_async.jobs.cluster.desk import HELLO, Changes, Desk, ReachedWorker
from wosdk_async.jobs.cluster.leases import (
    MAX_LOSSES,
    ClusterOptions,
    Lease,
    LeaseLostError,
    boottime,
)
from wosdk_async.jobs.cluster.messages import (
    GrantedRow,
    PushedSession,
    Report,
    RowReport,
    Setup,
    WorkerLink,
    WorkerPool,
    from_bytes,
    to_bytes,
)
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.journal import GrantRecord, Journal
from wosdk_async.jobs.mapping.operations import Effect
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["ClusterRun", "Coordinator"]

_GRACE = 0.5  # seconds for the last reports of a run that was aborted
_DOUBT = "it may have been carried out:"
_SILENT = "nothing was heard of its worker until its lease was over"
_ABORTED = "the run was aborted before its worker reported it"
_ERRORS = {"RowError": RowError, **{name: getattr(errors, name) for name in errors.__all__}}


class ClusterRun(Run[Any, Effect]):
    """A run of the claims of a job; a coordinator makes it, and tells it what changes.

    When the block ends by an exception or a cancellation, the workers cancel their calls. Rows of which
    nothing is reported within half a second are in doubt, and their leases stay open: the next run of the job
    waits for them. An error that concerns all rows is raised at the end of the block.
    """

    def __init__(
        self, claims: Any, desk: Desk, losses: Counter[int], *, limit: int, secrets: Callable[[], Secrets]
    ) -> None:
        super().__init__(claims, self.send, limit=limit, grace=_GRACE)
        self._desk, self._losses, self._secrets = desk, losses, secrets
        self._error: Exception | None = None
        self._ends: dict[int, asyncio.Future[RowReport | Lease]] = {}
        """For each row that is sent, what is reported of it, or the lease in which it was lost."""

    def stop(self) -> None:
        """Start no further row; calls under way continue."""
        super().stop()
        self.apply(Changes(not_started=self._desk.stop()))

    def fail(self, error: Exception) -> None:
        """Stop, and raise an error that concerns all rows at the end of the block."""
        self._error = error
        self.stop()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._desk.aborted = True
        await super().__aexit__(kind, error, trace)
        if error is None and self._error is not None:
            raise self._error

    def apply(self, changes: Changes) -> None:
        """End the calls whose rows ended, were lost, or were not started."""
        for report in changes.ended:
            self._end(report.row, report)
        for row, lease in changes.lost:
            self._end(row.row, lease)
        for row in changes.not_started:
            if row.row in self._ends:
                self._ends[row.row].cancel()

    def _end(self, row: int, end: RowReport | Lease) -> None:
        if (ended := self._ends.get(row)) is not None and not ended.done():
            ended.set_result(end)

    async def send(self, claim: Any, trace: Trace) -> Effect:
        """Let a worker send the row of a claim; its end is a report, or the loss of its worker."""
        number = claim.row.number
        losses = self._losses[number]
        if losses >= MAX_LOSSES:
            raise RowError(f"not sent again: its worker was lost {losses} times while it had this row")
        row = GrantedRow(number, dumps(converter.unstructure(claim.record)).decode(), losses)
        loop = asyncio.get_running_loop()
        ended = self._ends[number] = loop.create_future()
        if self._desk.stopped:
            ended.cancel()
        else:
            self._desk.put(row, boottime())
        try:
            end = await ended
        except asyncio.CancelledError:
            lease = self._desk.book.lease_of(number)
            if lease is not None and lease.may_have_arrived:
                raise LeaseLostError(f"{_DOUBT} {_ABORTED} (grant {lease.epoch})") from None
            if ended.cancelled():
                raise  # it was not started
            end = ended.result()  # which came in the turn in which the call was cancelled
        finally:
            del self._ends[number]
        if isinstance(end, Lease):
            raise LeaseLostError(f"{_DOUBT} {_SILENT} (grant {end.epoch})")
        # The duration is the worker's: what else was between the two is not the service's.
        claim.started = loop.time() - end.seconds
        return _effect(end, trace, self._secrets())


def _effect(report: RowReport, trace: Trace, secrets: Secrets) -> Effect:
    """Return the effect that a worker reported, or raise the error, without ``secrets``.

    A worker does not know all of them. ``trace`` gets the course of the worker's call.
    """
    trace.attempts, trace.waits, trace.found = report.attempts, report.waits, report.found
    if report.result == "done":
        return Effect(report.entity, report.id, report.record, report.version)
    kind = InDoubtError if report.result == "in_doubt" else _ERRORS.get(report.error, WosdkError)
    facts = {name: getattr(report, name) for name in ("status", "code", "request_id", "attempts", "waits")}
    error = kind(report.reason or report.error or report.result, **facts)
    error.hide(secrets)
    raise error


_TICK = 0.25  # seconds between two looks at the clock
_PACE = 0.05  # seconds from one order to the next: results come in batches, not one by one
_EXCHANGE = 5.0  # seconds after which an exchange is repeated
_AGAIN = 0.25  # seconds before an exchange that failed is repeated
_PARTING = 1.0  # seconds for the last orders
_MIN_CLAIMED, _CLAIMED_PER_CALL = 1000, 8  # rows that may be claimed: at least, and for each concurrent call


class Coordinator:
    """Grants the rows of one run of a job to workers.

    ``session`` returns what a worker gets, given the numbers of the session that it uses and of the one that
    the service refused. ``on_event`` gets a message when a worker is lost.
    """

    def __init__(
        self,
        pool: WorkerPool,
        journal: Journal,
        *,
        options: ClusterOptions,
        session: Callable[[int, int], PushedSession | None],
        on_event: Callable[[str], None],
    ) -> None:
        self.options, self.name = options, pool.name
        self.desk = Desk(options, epoch=0, now=boottime())
        self.claimed_ahead = max(_MIN_CLAIMED, _CLAIMED_PER_CALL * options.in_flight)
        """Claims that wait or are granted at a time."""
        self._pool, self._journal, self._session, self._on_event = pool, journal, session, on_event
        self._run: ClusterRun | None = None
        self._failure: Exception | None = None
        self._closing = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._ticker: asyncio.Task[None] | None = None

    async def start(self, setup: Setup) -> None:
        """Start the workers."""
        self._losses = Counter(await self._journal.losses())
        self.desk.epoch = await self._journal.last_epoch()
        self._ticker = asyncio.create_task(self._tick())
        try:
            await self._pool.open(setup, self._joined, self._broken)
        except BaseException:
            await self._close()
            raise

    def _broken(self, why: str) -> None:
        if self.desk.book:
            self._on_event(f"{why}; {len(self.desk.book)} rows wait until their leases are over")
        self.fail(WosdkError(why))

    async def aclose(self) -> None:
        """End the workers, if they were started."""
        self._closing = True
        try:
            if self._tasks and not self.desk.aborted:  # a last order confirms the results
                await asyncio.wait(self._tasks, timeout=_PARTING)
        finally:
            await self._close()

    async def _close(self) -> None:
        ticker, self._ticker = self._ticker, None
        if ticker is None:
            return
        tasks = [*self._tasks, ticker]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            for lease in self.desk.book.unsent():  # those that were sent stay open in the journal
                self._journal.end_grant(lease.epoch)
        finally:
            await self._pool.aclose()

    def run(self, claims: Any) -> ClusterRun:
        """Return a run that sends claims; only one at a time."""
        self._run = ClusterRun(
            claims, self.desk, self._losses, limit=self.claimed_ahead, secrets=self._journal.secrets
        )
        if self._failure is not None:
            self._run.fail(self._failure)
        return self._run

    def fail(self, error: Exception) -> None:
        """End the run: nothing can be sent any more."""
        self._failure = self._failure or error
        if self._run is not None:
            self._run.fail(self._failure)

    def _apply(self, changes: Changes) -> None:
        """Write the ends of leases, and tell the run."""
        for lease in changes.over:
            self._journal.end_grant(lease.epoch, lost=tuple(lease.rows) if lease.may_have_arrived else ())
        self._losses.update(row.row for row, _ in changes.lost)
        if self._run is not None:
            self._run.apply(changes)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK)
            desk, now = self.desk, boottime()
            changes = desk.expire(now)
            self._apply(changes)
            for nonce, rows in Counter(lease.worker for _, lease in changes.lost).items():
                if (worker := desk.workers.get(nonce)) is not None:  # else it was said before
                    self._on_event(f"worker {worker.name} was silent for too long: {_fate_of(rows)}")
            if (seconds := desk.stuck_for(now)) >= desk.patience:
                why = "gave each back as not sent" if desk.workers else "has no worker that responds"
                self.fail(WosdkError(f"no row could be sent for {seconds:.0f} s: {self.name} {why}"))

    def _joined(self, link: WorkerLink) -> None:
        task = asyncio.create_task(self._converse(link))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _converse(self, link: WorkerLink) -> None:
        """Send orders and receive reports until the worker is lost, or all is said."""
        worker: ReachedWorker | None = None
        why, began = "", boottime()
        try:
            while not (why := link.lost):
                if self._closing and (worker is None or worker.told >= worker.received):
                    break
                started = boottime()
                try:
                    report = await self._exchange(link, worker)
                except OSError:  # TimeoutError is one: the reply is lost, and the lease decides
                    silent = boottime() - (began if worker is None else worker.heard)
                    if silent > self.options.over_after:
                        why = f"nothing was heard of it for {silent:.0f} s"
                        break
                    await asyncio.sleep(_AGAIN)
                    continue
                if worker is None:
                    worker = self.desk.enter(report, link.name, boottime())
                elif worker.nonce != report.worker:
                    why = "another worker took its place"
                    break
                self._apply(self.desk.receive(worker, report, boottime()))
                await self._grant(worker)
                await asyncio.sleep(max(_PACE - (boottime() - started), 0.0))
        except Exception as error:  # of the worker, which has ended by itself
            why = str(error) or type(error).__name__
        finally:
            rows = 0 if worker is None else self.desk.lose(worker)
            if why and not self._closing:
                fate = _fate_of(rows, " when their leases are over") if rows else "it had no rows"
                self._on_event(f"worker {link.name} was lost: {why}; {fate}")
            with contextlib.suppress(Exception):
                await link.aclose()

    async def _exchange(self, link: WorkerLink, worker: ReachedWorker | None) -> Report:
        order = HELLO
        if worker is not None:
            session = self._session(worker.report.session, worker.report.session_refused)
            order = self.desk.order_for(worker, session)
        async with asyncio.timeout(_EXCHANGE):
            report = from_bytes(await link.exchange(to_bytes(order)), Report)
        if worker is not None and report.worker == worker.nonce:
            worker.told = order.received
        return report

    async def _grant(self, worker: ReachedWorker) -> None:
        """Grant rows to a worker that was heard right now; they are sent with the next order."""
        lease = self.desk.open_grant(worker)
        if lease is None:
            return
        share = self.desk.budget.share(lease.worker)
        record = GrantRecord(
            epoch=lease.epoch,
            worker=lease.worker,
            rows=tuple(lease.rows),
            rate=share.rate,
            in_flight=share.in_flight,
            seconds=self.options.over_after,
        )
        try:
            await self._journal.grant(record)
        except WosdkError as error:
            self.fail(error)  # the results of rows under way still arrive
        if self.desk.stopped:
            self._apply(self.desk.withdraw(lease))
        else:
            self.desk.granted(lease, worker)


def _fate_of(rows: int, when: str = "") -> str:
    return f"its {rows} row{'s are' if rows > 1 else ' is'} looked up{when}"
