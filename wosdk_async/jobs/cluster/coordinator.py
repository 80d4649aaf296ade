"""Coordinator of a job, which exchanges messages with the workers and writes grants to the journal.

A grant is written to disk before it is sent to its worker. When a lease expires, its unreported rows are in
doubt and its worker counts as lost.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from wosdk_async import errors
from wosdk_async.calls.run_many import Run
from wosdk_async.codec import converter, dumps
from wosdk_async.errors import InDoubtError, WosdkError
from wosdk_async.jobs.cluster.allocator import HELLO, Allocator, Changes, ConnectedWorker
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
from wosdk_async.jobs.mapping.operations import usable_id
from wosdk_async.protocol.calls import Written
from wosdk_async.protocol.writes import Effect
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.telemetry.statistics import Trace

_GRACE = 0.5  # seconds for the last reports after an abort
_DOUBT = "the call may have been carried out:"
_SILENT = "the worker did not report it before the lease expired"
_ABORTED = "the run was aborted before the worker reported the outcome"
_ERRORS = {"RowError": RowError, **{name: getattr(errors, name) for name in errors.__all__}}


class ClusterRun(Run[Any, Effect]):
    """Run that sends a job's claims through its workers.

    If the ``async with`` block ends with an exception or cancellation, the workers cancel their calls. Rows
    that they do not report within half a second are in doubt. The leases of these rows stay open, and the
    job's next run waits for them. On exit, the block raises the error passed to :meth:`fail`.
    """

    def __init__(
        self,
        claims: Any,
        allocator: Allocator,
        losses: Counter[int],
        *,
        limit: int,
        secrets: Callable[[], Secrets],
    ) -> None:
        super().__init__(claims, self.send, limit=limit, grace=_GRACE)
        self._allocator, self._losses, self._secrets = allocator, losses, secrets
        self._error: Exception | None = None
        self._endings: dict[int, asyncio.Future[RowReport | Lease]] = {}
        """Future of each row, which gets the row's report or, if the row was lost, its lease."""

    def stop(self) -> None:
        """Start no more rows; calls in flight continue."""
        super().stop()
        self.apply(Changes(not_started=self._allocator.stop()))

    def fail(self, error: Exception) -> None:
        """Stop, and raise ``error`` at the end of the block."""
        self._error = error
        self.stop()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._allocator.aborted = True
        await super().__aexit__(kind, error, trace)
        if error is None and self._error is not None:
            raise self._error

    def apply(self, changes: Changes) -> None:
        """End the :meth:`send` calls of rows that ended, were lost, or will not be started."""
        endings: dict[int, RowReport | Lease] = {report.row: report for report in changes.ended}
        endings |= {row.row: lease for row, lease in changes.lost}
        for number, ending in endings.items():
            if (future := self._endings.get(number)) is not None and not future.done():
                future.set_result(ending)
        for row in changes.not_started:
            if row.row in self._endings:
                self._endings[row.row].cancel()

    async def send(self, claim: Any, trace: Trace) -> Effect:
        """Send a claim's row through a worker."""
        number = claim.row.number
        losses = self._losses[number]
        if losses >= MAX_LOSSES:
            raise RowError(f"not retried: the worker with this row was lost {losses} times")
        record = claim.record
        content = record.content if isinstance(record, Written) else converter.unstructure(record)
        row = GrantedRow(number, dumps(content).decode(), losses)
        loop = asyncio.get_running_loop()
        future = self._endings[number] = loop.create_future()
        if self._allocator.stopped:
            future.cancel()
        else:
            self._allocator.put(row, boottime())
        try:
            ending = await future
        except asyncio.CancelledError:
            lease = self._allocator.leases.rows.get(number)
            if lease is not None and lease.may_have_arrived:
                raise LeaseLostError(f"{_DOUBT} {_ABORTED} (grant {lease.epoch})") from None
            if future.cancelled():
                raise  # not started
            ending = future.result()  # arrived in the same loop iteration as the cancellation
        finally:
            del self._endings[number]
        if isinstance(ending, Lease):
            raise LeaseLostError(f"{_DOUBT} {_SILENT} (grant {ending.epoch})")
        # The duration of a row is the time measured by its worker, without the exchange of messages.
        claim.started = loop.time() - ending.seconds
        return _effect(ending, trace, self._secrets())


def _effect(report: RowReport, trace: Trace, secrets: Secrets) -> Effect:
    """Copy a report's counts to ``trace``; return its effect, or raise its error with ``secrets`` hidden."""
    trace.attempts, trace.waits, trace.found = report.attempts, report.waits, report.found
    if report.result == "done":
        return Effect(report.entity, usable_id(report.id), report.record, usable_id(report.version))
    kind = InDoubtError if report.result == "in_doubt" else _ERRORS.get(report.error, WosdkError)
    facts = {name: getattr(report, name) for name in ("status", "code", "request_id", "attempts", "waits")}
    error = kind(report.reason or report.error or report.result, **facts)
    error.hide(secrets)
    raise error


_TICK = 0.25  # seconds between lease checks
_PACE = 0.05  # seconds between orders, to batch results
_EXCHANGE = 5.0  # seconds before an exchange times out and is retried
_RETRY_AFTER = 0.25  # seconds before a failed exchange is retried
_CLOSING = 1.0  # seconds for the last exchanges, before the workers are shut down
_MIN_CLAIMED, _CLAIMED_PER_CALL = 1000, 8  # rows to claim ahead: minimum, and per concurrent call


class Coordinator:
    """Coordinator of one run of a job.

    ``session(current, refused)`` gets the numbers of a worker's current and refused sessions. It returns the
    session to push to the worker, or None. ``on_event`` is called with a message when a worker is lost.
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
        self.allocator = Allocator(options, epoch=0, now=boottime())
        self.claimed_ahead = max(_MIN_CLAIMED, _CLAIMED_PER_CALL * options.in_flight)
        """Maximum number of claims queued or granted."""
        self._pool, self._journal, self._session, self._on_event = pool, journal, session, on_event
        self._run: ClusterRun | None = None
        self._failure: Exception | None = None
        self._closing = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._ticker: asyncio.Task[None] | None = None

    async def start(self, setup: Setup) -> None:
        """Start the workers; call :meth:`aclose` even if this fails."""
        self._losses = Counter(await self._journal.losses())
        self.allocator.epoch = await self._journal.last_epoch()
        self._ticker = asyncio.create_task(self._tick())
        await self._pool.open(setup, self._joined, self._broken)

    def _broken(self, why: str) -> None:
        if self.allocator.leases:
            self._on_event(f"{why}; rows waiting for their leases to expire: {len(self.allocator.leases)}")
        self.fail(WosdkError(why))

    async def aclose(self) -> None:
        """Shut down the workers, if they were started."""
        self._closing = True
        try:
            if self._tasks and not self.allocator.aborted:
                await asyncio.wait(self._tasks, timeout=_CLOSING)  # for exchanges in progress
        finally:
            ticker, self._ticker = self._ticker, None
            if ticker is not None:
                await self._close([*self._tasks, ticker])

    async def _close(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            # Sent grants stay open in the journal, so that the next run waits until they expire.
            for lease in self.allocator.leases.unsent():
                self._journal.end_grant(lease.epoch)
        finally:
            await self._pool.aclose()

    def run(self, claims: Any) -> ClusterRun:
        """Return a run that sends claims. Only one run may exist at a time."""
        self._run = ClusterRun(
            claims, self.allocator, self._losses, limit=self.claimed_ahead, secrets=self._journal.secrets
        )
        if self._failure is not None:
            self._run.fail(self._failure)
        return self._run

    def fail(self, error: Exception) -> None:
        """Send no more rows, and let the run raise ``error``."""
        self._failure = self._failure or error
        if self._run is not None:
            self._run.fail(self._failure)

    def _apply(self, changes: Changes) -> None:
        for lease in changes.closed:
            self._journal.end_grant(lease.epoch, lost=tuple(lease.rows) if lease.may_have_arrived else ())
        self._losses.update(row.row for row, _ in changes.lost)
        if self._run is not None:
            self._run.apply(changes)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK)
            allocator, now = self.allocator, boottime()
            changes = allocator.expire(now)
            self._apply(changes)
            for nonce, rows in Counter(lease.worker for _, lease in changes.lost).items():
                # A worker that is no longer in `workers` has already been reported as lost.
                if (worker := allocator.workers.get(nonce)) is not None:
                    self._on_event(f"worker {worker.name} has been silent for too long: {_lookup_text(rows)}")
            if (seconds := allocator.stuck_for(now)) >= allocator.stuck_after:
                why = "the workers returned all rows unsent" if allocator.workers else "no worker responded"
                self.fail(WosdkError(f"no row could be sent for {seconds:.0f} s: {why} ({self.name})"))

    def _joined(self, link: WorkerLink) -> None:
        task = asyncio.create_task(self._converse(link))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _converse(self, link: WorkerLink) -> None:
        """Exchange orders and reports until the worker is lost or the coordinator closes."""
        worker: ConnectedWorker | None = None
        why, began = "", boottime()
        try:
            while not (self._closing or (why := link.lost)):
                started = boottime()
                try:
                    report = await self._exchange(link, worker)
                except OSError:  # the reply is lost; a timeout is also an OSError
                    silent = boottime() - (began if worker is None else worker.heard)
                    if silent > self.options.expires_after:
                        why = f"it did not respond for {silent:.0f} s"
                        break
                    await asyncio.sleep(_RETRY_AFTER)
                    continue
                if worker is None:
                    worker = self.allocator.enter(report, link.name, boottime())
                elif worker.nonce != report.worker:
                    why = "another worker took its place"
                    break
                self._apply(self.allocator.receive(worker, report, boottime()))
                await self._grant(worker)
                await asyncio.sleep(max(_PACE - (boottime() - started), 0.0))
        except Exception as error:  # any other error comes from a worker that has shut down
            why = str(error) or type(error).__name__
        finally:
            rows = 0 if worker is None else self.allocator.lose(worker)
            if why and not self._closing:
                loss = _lookup_text(rows, " when their leases expire") if rows else "it had no rows"
                self._on_event(f"worker {link.name} was lost: {why}; {loss}")
            with contextlib.suppress(Exception):
                await link.aclose()

    async def _exchange(self, link: WorkerLink, worker: ConnectedWorker | None) -> Report:
        order = HELLO
        if worker is not None:
            session = self._session(worker.report.session, worker.report.session_refused)
            order = self.allocator.order_for(worker, session)
        async with asyncio.timeout(_EXCHANGE):
            return from_bytes(await link.exchange(to_bytes(order)), Report)

    async def _grant(self, worker: ConnectedWorker) -> None:
        """Grant rows to a worker that has just reported; its next order contains the grant."""
        lease = self.allocator.open_grant(worker)
        if lease is None:
            return
        share = self.allocator.budget.share(lease.worker)
        record = GrantRecord(
            epoch=lease.epoch,
            worker=lease.worker,
            rows=tuple(lease.rows),
            rate=share.rate,
            in_flight=share.in_flight,
            seconds=self.options.expires_after,
        )
        try:
            await self._journal.grant(record)
        except WosdkError as error:
            self.fail(error)  # no more rows start, but results of rows in flight still arrive
        if self.allocator.stopped:
            self._apply(self.allocator.withdraw(lease))
        else:
            self.allocator.deliver(lease, worker)


def _lookup_text(rows: int, when: str = "") -> str:
    return f"{rows} row{'s' if rows > 1 else ''} will be looked up{when}"
