"""Allocation of rows, leases and budget shares to a job's workers, without I/O.

The workers' shares never add up to more than the job's rate and concurrency. The message with a new share may
be lost, so the budget counts the largest share that a worker may be using. Shares grow only out of
unallocated budget.
"""

from __future__ import annotations

import attrs

from wosdk_async.jobs.cluster.leases import ClusterOptions, Lease, Leases, WaitingRows
from wosdk_async.jobs.cluster.messages import (
    NO_SHARE,
    Grant,
    GrantedRow,
    Order,
    PushedSession,
    Report,
    RowReport,
    Share,
)


class Budget:
    """Division of a job's concurrent calls and rate among its workers."""

    def __init__(self, rate: float | None, in_flight: int) -> None:
        self._rate, self._in_flight = rate, in_flight
        self._number = 0
        self._shares: dict[str, list[Share]] = {}
        """Shares that each worker may be using, newest last."""
        self._lost: set[str] = set()
        """Workers that keep their shares but get no larger ones."""

    def workers(self) -> list[str]:
        """Return the workers with a share."""
        return list(self._shares)

    def share(self, worker: str) -> Share:
        """Return a worker's newest share, or the empty share."""
        return self._shares.get(worker, [NO_SHARE])[-1]

    def add(self, worker: str) -> None:
        """Give a new worker an empty share, which grows as budget becomes free."""
        if worker not in self._shares:
            self._shares[worker] = [self._new_share(0)]
            self._balance()

    def confirm(self, worker: str, number: int) -> None:
        """Record that a worker now uses the share with this number, and no earlier share."""
        shares = self._shares[worker]
        if shares[0].number < number <= shares[-1].number:
            self._shares[worker] = [share for share in shares if share.number >= number]
            self._balance()

    def lose(self, worker: str) -> None:
        """Mark a worker as lost. A lost worker may still send, and keeps its share until :meth:`remove`."""
        if worker in self._shares:
            self._lost.add(worker)
            self._balance()

    def remove(self, worker: str) -> None:
        """Redistribute the share of a worker that can no longer send."""
        self._shares.pop(worker, None)
        self._lost.discard(worker)
        self._balance()

    def _balance(self) -> None:
        """Make the shares equal, as far as the unallocated calls allow."""
        held = {worker: max(share.in_flight for share in shares) for worker, shares in self._shares.items()}
        active = [worker for worker in held if worker not in self._lost]
        free = self._in_flight - sum(held.values())
        each, extra = divmod(self._in_flight - sum(held[worker] for worker in self._lost), len(active) or 1)
        for index, worker in enumerate(active):
            calls = min(each + (index < extra), held[worker] + free)
            free -= max(calls - held[worker], 0)
            if calls != self.share(worker).in_flight:
                self._shares[worker].append(self._new_share(calls))

    def _new_share(self, in_flight: int) -> Share:
        self._number += 1
        rate = None if self._rate is None else self._rate * in_flight / self._in_flight
        return Share(number=self._number, rate=rate, in_flight=in_flight)


HELLO = Order(worker="", received=0, share=NO_SHARE)
"""First order to a worker. The report that the worker sends back contains the worker's nonce."""

_NO_REPORT = Report(worker="", clock=0.0)
_MAX_SECONDS_AHEAD = 1.0  # seconds that rows granted in advance may last, at the worker's rate
_ROWS_AHEAD = 8  # rows granted in advance per concurrent call
_MAX_UNCONFIRMED = 3  # unconfirmed grants per worker: few, because each order repeats them
_MAX_SILENCE = 5.0  # seconds without a report before a worker without leases loses its share
_MAX_DEADLINES = 3  # without progress, a run waits at least as long as this many rows may take
_REPORT_WITHIN = 0.1  # seconds that a worker may wait for results before it reports


@attrs.frozen
class Changes:
    """Effects of a report, or of the passing of time, on rows and leases."""

    ended: list[RowReport] = attrs.field(factory=list)
    lost: list[tuple[GrantedRow, Lease]] = attrs.field(factory=list)
    not_started: list[GrantedRow] = attrs.field(factory=list)
    closed: list[Lease] = attrs.field(factory=list)


@attrs.define(eq=False)
class ConnectedWorker:
    """Worker that has responded; ``name`` is its link's name, and ``heard`` the time of its last report."""

    nonce: str
    name: str
    heard: float
    received: int = 0
    """Number of the last result that the coordinator has received."""
    unconfirmed: dict[int, Grant] = attrs.field(factory=dict)
    """Grants that the worker may not have received yet."""
    report: Report = _NO_REPORT

    def receive(self, report: Report, now: float) -> list[RowReport]:
        """Store a report; return its new results up to the first gap in their numbers."""
        results = []
        for result in report.results:
            if result.number == self.received + 1:
                self.received += 1
                results.append(result)
        self.heard, self.report = now, report
        for epoch in (*report.epochs, *{result.epoch for result in results}):
            self.unconfirmed.pop(epoch, None)
        return results


class Allocator:
    """Allocator of one job's rows to workers; ``epoch`` is the highest epoch of any earlier grant."""

    def __init__(self, options: ClusterOptions, *, epoch: int, now: float) -> None:
        self.options, self.epoch = options, epoch
        self.leases = Leases(options)
        self.budget = Budget(options.rate, options.in_flight)
        self.waiting = WaitingRows()
        self.workers: dict[str, ConnectedWorker] = {}
        self.stopped = self.aborted = False
        self._progress_at = now

    def enter(self, report: Report, name: str, now: float) -> ConnectedWorker:
        """Add and return a worker that has responded for the first time."""
        worker = self.workers[report.worker] = ConnectedWorker(report.worker, name, now)
        return worker

    def lose(self, worker: ConnectedWorker) -> int:
        """Remove a worker, keeping its leases and share until expiry. Return how many rows the worker had."""
        if self.workers.pop(worker.nonce, None) is not None:
            self.budget.lose(worker.nonce)
        return self.leases.outstanding(worker.nonce)

    def order_for(self, worker: ConnectedWorker, session: PushedSession | None = None) -> Order:
        """Return a worker's next order, and mark its grants as possibly delivered."""
        leases = self.leases.of(worker.nonce)
        worker.unconfirmed = {epoch: each for epoch, each in worker.unconfirmed.items() if epoch in leases}
        for epoch in worker.unconfirmed:
            leases[epoch].may_have_arrived = True
        return Order(
            worker=worker.nonce,
            received=worker.received,
            share=self.budget.share(worker.nonce),
            grants=tuple(worker.unconfirmed.values()),
            session=session,
            stop=self.stopped,
            abort=self.aborted,
            patience=0.0 if self.stopped else _REPORT_WITHIN,
        )

    def receive(self, worker: ConnectedWorker, report: Report, now: float) -> Changes:
        """Process a worker's report, ignoring results of closed leases."""
        changes = Changes()
        for result in worker.receive(report, now):
            found = self.leases.pop_row(worker.nonce, result.epoch, result.row)
            if found is None:
                continue
            row, lease = found
            if not lease.rows:
                changes.closed.append(lease)
            if result.result == "not_sent":
                self._return_row(row, changes)
            else:
                self._progress_at = now
                changes.ended.append(result)
        self.budget.add(worker.nonce)  # a new worker has no share yet, and a silent one has lost its share
        self.budget.confirm(worker.nonce, report.share)
        return changes

    def _return_row(self, row: GrantedRow, changes: Changes) -> None:
        if self.stopped:
            changes.not_started.append(row)
        else:
            self.waiting.appendleft(row)

    def put(self, row: GrantedRow, now: float) -> None:
        """Queue a row."""
        if not self.waiting and not self.leases:
            self._progress_at = now
        self.waiting.put(row)

    def open_grant(self, worker: ConnectedWorker) -> Lease | None:
        """Open a lease for a worker that has just reported; call :meth:`deliver` once the lease is stored."""
        leases, report = self.leases.of(worker.nonce), worker.report
        has_session = report.session and report.session != report.session_refused
        is_isolated = any(row.losses for lease in leases.values() for row in lease.rows.values())
        room = 0 if self.stopped or not has_session or is_isolated else self._room(worker)
        batch = self.waiting.next_batch(room, idle=not leases) if room > 0 else []
        if not batch:
            return None
        self.epoch += 1
        return self.leases.open(self.epoch, worker.nonce, batch, clock=report.clock, heard=worker.heard)

    def _room(self, worker: ConnectedWorker) -> int:
        """Return how many rows to grant a worker now.

        The number is small, because a lost worker loses all of its rows.
        """
        options, share = self.options, self.budget.share(worker.nonce)
        seconds = min(_MAX_SECONDS_AHEAD, (options.lease - options.deadline) / 2)
        if not share.in_flight or len(worker.unconfirmed) >= _MAX_UNCONFIRMED:
            return 0
        ahead: float = share.in_flight * _ROWS_AHEAD
        if share.rate is not None:
            ahead = min(ahead, max(share.rate * seconds, 1.0))
        wanted = min(int(ahead), options.rows_per_grant)
        queued = worker.report.unstarted + sum(len(grant.rows) for grant in worker.unconfirmed.values())
        if queued > wanted // 2:
            return 0
        return min(wanted - queued, share.in_flight + wanted - self.leases.outstanding(worker.nonce))

    def deliver(self, lease: Lease, worker: ConnectedWorker) -> None:
        """Include a lease's grant in the worker's next order; the journal must already contain it."""
        grant = Grant(epoch=lease.epoch, ends=lease.ends, rows=tuple(lease.rows.values()))
        worker.unconfirmed[lease.epoch] = grant

    def withdraw(self, lease: Lease) -> Changes:
        """Close a lease whose grant was not sent."""
        return self._close(self.leases.remove([lease]))

    def expire(self, now: float) -> Changes:
        """Close expired leases, and redistribute the shares of silent workers."""
        changes = self._close(self.leases.pop_expired(now))
        if changes.closed:
            self._progress_at = now
        for nonce in self.budget.workers():
            worker = self.workers.get(nonce)
            if (worker is None or now - worker.heard > _MAX_SILENCE) and not self.leases.of(nonce):
                self.budget.remove(nonce)  # without a lease the worker cannot send, so it needs no share
        return changes

    def _close(self, leases: list[Lease]) -> Changes:
        changes = Changes(closed=leases)
        for lease in leases:
            for row in reversed(lease.rows.values()):
                if lease.may_have_arrived:
                    changes.lost.append((row, lease))
                else:
                    self._return_row(row, changes)
        return changes

    def stop(self) -> list[GrantedRow]:
        """Stop granting rows; return the queued ones."""
        self.stopped = True
        queued = list(self.waiting)
        self.waiting.clear()
        return queued

    def stuck_for(self, now: float) -> float:
        """Return how long queued rows have made no progress, in seconds."""
        return now - self._progress_at if self.waiting and not self.stopped else 0.0

    @property
    def stuck_after(self) -> float:
        """Seconds without progress after which a run ends."""
        slow = 0.0 if self.options.rate is None else _MAX_DEADLINES / self.options.rate
        return max(self.options.no_progress, _MAX_DEADLINES * self.options.deadline, slow)
