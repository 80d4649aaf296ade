"""Allocation of rows, leases and shares of the budget to the workers of a job. No I/O.

The shares of all workers never sum to more than the job's rate and concurrency. The message with a new share
may be lost, so a worker holds the largest share sent to it since the one that it confirmed, and a share grows
only by what nobody holds.
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

__all__ = ["HELLO", "Allocator", "Budget", "Changes", "ConnectedWorker"]


class Budget:
    """Concurrent calls of a job, shared among its workers; each gets a rate in proportion to its calls."""

    def __init__(self, rate: float | None, in_flight: int) -> None:
        self._rate, self._in_flight = rate, in_flight
        self._number = 0
        self._shares: dict[str, list[Share]] = {}
        """Worker -> shares that it may be using, the newest last."""
        self._lost: set[str] = set()
        """Workers that keep what they hold and get no more."""

    def workers(self) -> list[str]:
        """Return the workers that hold a share."""
        return list(self._shares)

    def share(self, worker: str) -> Share:
        """Return the newest share of a worker; one without effect if it holds none."""
        return self._shares.get(worker, [NO_SHARE])[-1]

    def add(self, worker: str) -> None:
        """Give a share to a worker that has none: first an empty one, which grows by what is free."""
        if worker not in self._shares:
            self._shares[worker] = [self._new_share(0)]
            self._balance()

    def confirm(self, worker: str, number: int) -> None:
        """Note that a worker obeys the share with this number, and earlier ones no longer count."""
        shares = self._shares[worker]
        if shares[0].number < number <= shares[-1].number:
            self._shares[worker] = [share for share in shares if share.number >= number]
            self._balance()

    def lose(self, worker: str) -> None:
        """Note that a worker is lost. It may still send, so it keeps what it holds until :meth:`remove`."""
        if worker in self._shares:
            self._lost.add(worker)
            self._balance()

    def remove(self, worker: str) -> None:
        """Redistribute the share of a worker that certainly no longer sends anything."""
        self._shares.pop(worker, None)
        self._lost.discard(worker)
        self._balance()

    def _balance(self) -> None:
        """Make all shares as equal as the calls that workers hold allow."""
        held = {worker: max(share.in_flight for share in shares) for worker, shares in self._shares.items()}
        active = [worker for worker in held if worker not in self._lost]
        free = self._in_flight - sum(held.values())
        each, more = divmod(self._in_flight - sum(held[worker] for worker in self._lost), len(active) or 1)
        for place, worker in enumerate(active):
            calls = min(each + (place < more), held[worker] + free)
            free -= max(calls - held[worker], 0)
            if calls != self.share(worker).in_flight:
                self._shares[worker].append(self._new_share(calls))

    def _new_share(self, in_flight: int) -> Share:
        self._number += 1
        rate = None if self._rate is None else self._rate * in_flight / self._in_flight
        return Share(number=self._number, rate=rate, in_flight=in_flight)


HELLO = Order(worker="", received=0, share=NO_SHARE)
"""First order to a worker; the worker's report tells its nonce."""

_NO_REPORT = Report(worker="", clock=0.0)
_MAX_SECONDS_AHEAD = 1.0  # of rows that a worker gets in advance, at its rate
_ROWS_AHEAD = 8  # rows that a worker gets in advance, for each concurrent call
_MAX_UNCONFIRMED = 3  # grants, so that an order stays short
_MAX_SILENCE = 5.0  # seconds without a report before a worker without leases loses its share
_MAX_DEADLINES = 3  # without progress before a run ends, if that is longer than ``no_progress``
_REPORT_WITHIN = 0.1  # seconds for which a worker may wait for results


@attrs.frozen
class Changes:
    """Changes by a report or the clock: of rows, and leases that are closed."""

    ended: list[RowReport] = attrs.field(factory=list)
    lost: list[tuple[GrantedRow, Lease]] = attrs.field(factory=list)
    not_started: list[GrantedRow] = attrs.field(factory=list)
    closed: list[Lease] = attrs.field(factory=list)


@attrs.define(eq=False)
class ConnectedWorker:
    """A worker that responds; ``name`` is that of its link, ``heard`` the time of its last report."""

    nonce: str
    name: str
    heard: float
    received: int = 0
    """Number of the worker's last result that the coordinator received."""
    acknowledged: int = 0
    """Number of the last result that the worker knows to be received."""
    unconfirmed: dict[int, Grant] = attrs.field(factory=dict)
    """Grants that the worker may not have received."""
    report: Report = _NO_REPORT

    def receive(self, report: Report, now: float) -> list[RowReport]:
        """Store a report; return the results that follow the last one without a gap."""
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
    """Allocator of the rows of one job; ``epoch`` is the highest of all earlier grants."""

    def __init__(self, options: ClusterOptions, *, epoch: int, now: float) -> None:
        self.options, self.epoch = options, epoch
        self.leases = Leases(options)
        self.budget = Budget(options.rate, options.in_flight)
        self.waiting = WaitingRows()
        self.workers: dict[str, ConnectedWorker] = {}
        self.stopped = self.aborted = False
        self._progress_at = now

    def enter(self, report: Report, name: str, now: float) -> ConnectedWorker:
        """Add and return a worker that responds for the first time."""
        worker = self.workers[report.worker] = ConnectedWorker(report.worker, name, now)
        return worker

    def lose(self, worker: ConnectedWorker) -> int:
        """Remove a worker, whose leases and share stay until they expire. Return how many rows it had."""
        if self.workers.pop(worker.nonce, None) is not None:
            self.budget.lose(worker.nonce)
        return self.leases.outstanding(worker.nonce)

    def order_for(self, worker: ConnectedWorker, session: PushedSession | None = None) -> Order:
        """Return the next order for a worker; its grants may arrive from now on."""
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
        """Receive a report of a worker; results of closed leases have no effect."""
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
        self.budget.add(worker.nonce)  # a new one, or one that was silent
        self.budget.confirm(worker.nonce, report.share)
        return changes

    def _return_row(self, row: GrantedRow, changes: Changes) -> None:
        if self.stopped:
            changes.not_started.append(row)
        else:
            self.waiting.return_row(row)

    def put(self, row: GrantedRow, now: float) -> None:
        """Queue a row."""
        if not self.waiting and not self.leases:
            self._progress_at = now
        self.waiting.put(row)

    def open_grant(self, worker: ConnectedWorker) -> Lease | None:
        """Open a lease for a worker that just reported; once it is in the journal, call :meth:`granted`."""
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
        """Return how many rows to grant a worker now: few, as they are lost with it."""
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

    def granted(self, lease: Lease, worker: ConnectedWorker) -> None:
        """Send a grant with the next order: it is in the journal."""
        worker.unconfirmed[lease.epoch] = lease.grant()

    def withdraw(self, lease: Lease) -> Changes:
        """Close a lease whose grant was not sent."""
        return self._close(self.leases.remove([lease]))

    def expire(self, now: float) -> Changes:
        """Close the leases that have expired, and redistribute the shares of silent workers."""
        changes = self._close(self.leases.pop_expired(now))
        if changes.closed:
            self._progress_at = now
        for nonce in self.budget.workers():
            worker = self.workers.get(nonce)
            if (worker is None or now - worker.heard > _MAX_SILENCE) and not self.leases.of(nonce):
                self.budget.remove(nonce)  # it can send nothing
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
        """Stop granting rows; return those that are queued."""
        self.stopped = True
        return self.waiting.clear()

    def stuck_for(self, now: float) -> float:
        """Return the seconds without progress although rows are queued."""
        return now - self._progress_at if self.waiting and not self.stopped else 0.0

    @property
    def patience(self) -> float:
        """Seconds without progress after which a run ends."""
        slow = 0.0 if self.options.rate is None else _MAX_DEADLINES / self.options.rate
        return max(self.options.no_progress, _MAX_DEADLINES * self.options.deadline, slow)
