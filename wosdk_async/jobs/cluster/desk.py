"""Desk of the coordinator: reports come in, orders leave, leases end, and the budget is shared. No I/O.

The shares of all workers never sum to more than the job's rate and concurrency. A worker may use every share
that it was sent since the one that it confirmed, as the message with the newest may be lost. So each worker
holds the largest of them, and a share grows only by what nobody holds.
"""

from __future__ import annotations

import attrs

from wosdk_async.jobs.cluster.leases import ClusterOptions, Lease, LeaseBook, WaitingRows
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

__all__ = ["HELLO", "Budget", "Changes", "Desk", "ReachedWorker"]


class Budget:
    """The concurrent calls of a job, shared among its workers; the rate is in proportion to the calls."""

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
        """Return the newest share of a worker; one that changes nothing if it holds none."""
        return self._shares.get(worker, [NO_SHARE])[-1]

    def add(self, worker: str) -> None:
        """Give a share to a worker that has none; it begins with nothing, and grows by what is free."""
        if worker not in self._shares:
            self._shares[worker] = [self._new_share(0)]
            self._balance()

    def confirm(self, worker: str, number: int) -> None:
        """Note that a worker obeys the share with this number, so that earlier ones no longer hold."""
        shares = self._shares[worker]
        if shares[0].number < number <= shares[-1].number:
            self._shares[worker] = [share for share in shares if share.number >= number]
            self._balance()

    def lose(self, worker: str) -> None:
        """Note that a worker is lost: it may still send, so it keeps what it holds until :meth:`remove`."""
        if worker in self._shares:
            self._lost.add(worker)
            self._balance()

    def remove(self, worker: str) -> None:
        """Give the share of a worker that certainly sends nothing any more to the others."""
        self._shares.pop(worker, None)
        self._lost.discard(worker)
        self._balance()

    def _balance(self) -> None:
        """Bring all shares as close to equal as what the workers hold allows."""
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
"""Order to a worker of which nothing is known: its report says who it is."""

_NO_REPORT = Report(worker="", clock=0.0)
_SECONDS_AHEAD = 1.0  # of its rate that a worker has, at most
_ROWS_AHEAD = 8  # rows that a worker has for each concurrent call
_MAX_GRANTS = 3  # on their way at a time, so that an order stays short
_SILENT = 5.0  # seconds without a report after which a worker without leases gives up its share
_DEADLINES = 3  # a run without progress ends after so many deadlines, if they are longer than its patience
_PATIENCE = 0.1  # seconds for which a worker with nothing to say may wait


@attrs.frozen
class Changes:
    """Changes by a report or the clock: rows that were reported, were lost, were not sent; and leases."""

    ended: list[RowReport] = attrs.field(factory=list)
    lost: list[tuple[GrantedRow, Lease]] = attrs.field(factory=list)
    not_started: list[GrantedRow] = attrs.field(factory=list)
    over: list[Lease] = attrs.field(factory=list)


@attrs.define(eq=False)
class ReachedWorker:
    """A worker that responds: ``name`` of its link, when it was ``heard``, and its last report."""

    nonce: str
    name: str
    heard: float
    received: int = 0
    """Number of its last result that arrived."""
    told: int = 0
    """Number of the last one of which it knows that."""
    unconfirmed: dict[int, Grant] = attrs.field(factory=dict)
    """Grants that it may not have got."""
    report: Report = _NO_REPORT

    def receive(self, report: Report, now: float) -> list[RowReport]:
        """Receive a report, and return its new results: those that follow the last one without a gap."""
        results = []
        for result in report.results:
            if result.number == self.received + 1:
                self.received += 1
                results.append(result)
        self.heard, self.report = now, report
        for epoch in (*report.epochs, *{result.epoch for result in results}):
            self.unconfirmed.pop(epoch, None)
        return results


class Desk:
    """Workers, leases and shares of one job, and the rows that wait.

    ``epoch`` is the highest one of all earlier grants.
    """

    def __init__(self, options: ClusterOptions, *, epoch: int, now: float) -> None:
        self.options, self.epoch = options, epoch
        self.book = LeaseBook(options)
        self.budget = Budget(options.rate, options.in_flight)
        self.waiting = WaitingRows()
        self.workers: dict[str, ReachedWorker] = {}
        self.stopped = self.aborted = False
        self._progress_at = now

    def enter(self, report: Report, name: str, now: float) -> ReachedWorker:
        """Return a new worker, which responds for the first time."""
        worker = self.workers[report.worker] = ReachedWorker(report.worker, name, now)
        return worker

    def lose(self, worker: ReachedWorker) -> int:
        """Give up a worker; its leases and its share stay until they are over. Return the rows it had."""
        if self.workers.pop(worker.nonce, None) is not None:
            self.budget.lose(worker.nonce)
        return self.book.outstanding(worker.nonce)

    def order_for(self, worker: ReachedWorker, session: PushedSession | None = None) -> Order:
        """Return the order that a worker is sent now: its grants may arrive from now on."""
        leases = self.book.of(worker.nonce)
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
            patience=0.0 if self.stopped else _PATIENCE,
        )

    def receive(self, worker: ReachedWorker, report: Report, now: float) -> Changes:
        """Receive a report of a worker; results of leases that are over decide nothing."""
        changes = Changes()
        for result in worker.receive(report, now):
            found = self.book.pop_row(worker.nonce, result.epoch, result.row)
            if found is None:
                continue
            row, lease = found
            if not lease.rows:
                changes.over.append(lease)
            if result.result == "not_sent":
                self._put_back(row, changes)
            else:
                self._progress_at = now
                changes.ended.append(result)
        self.budget.add(worker.nonce)  # if it is new, or was silent for long
        self.budget.confirm(worker.nonce, report.share)
        return changes

    def _put_back(self, row: GrantedRow, changes: Changes) -> None:
        if self.stopped:
            changes.not_started.append(row)
        else:
            self.waiting.put_back(row)

    def put(self, row: GrantedRow, now: float) -> None:
        """Let a row wait for a worker."""
        if not self.waiting and not self.book:
            self._progress_at = now
        self.waiting.put(row)

    def open_grant(self, worker: ReachedWorker) -> Lease | None:
        """Open a lease for a worker that was heard right now; it is written, and then :meth:`granted`."""
        leases, report = self.book.of(worker.nonce), worker.report
        has_session = report.session and report.session != report.session_refused
        is_alone = any(row.losses for lease in leases.values() for row in lease.rows.values())
        room = 0 if self.stopped or not has_session or is_alone else self._room(worker)
        batch = self.waiting.next_batch(room, idle=not leases) if room > 0 else []
        if not batch:
            return None
        self.epoch += 1
        return self.book.open(self.epoch, worker.nonce, batch, clock=report.clock, heard=worker.heard)

    def _room(self, worker: ReachedWorker) -> int:
        """Return how many rows a worker should get now: the fewer it has, the fewer are lost with it."""
        options, share = self.options, self.budget.share(worker.nonce)
        seconds = min(_SECONDS_AHEAD, (options.lease - options.deadline) / 2)
        if not share.in_flight or len(worker.unconfirmed) >= _MAX_GRANTS:
            return 0
        ahead: float = share.in_flight * _ROWS_AHEAD
        if share.rate is not None:
            ahead = min(ahead, max(share.rate * seconds, 1.0))
        wanted = min(int(ahead), options.rows_per_grant)
        there = worker.report.unstarted + sum(len(grant.rows) for grant in worker.unconfirmed.values())
        if there > wanted // 2:
            return 0
        return min(wanted - there, share.in_flight + wanted - self.book.outstanding(worker.nonce))

    def granted(self, lease: Lease, worker: ReachedWorker) -> None:
        """Send a grant that is written with the next order."""
        worker.unconfirmed[lease.epoch] = lease.grant()

    def withdraw(self, lease: Lease) -> Changes:
        """End a lease whose grant was not sent."""
        return self._end(self.book.remove([lease]))

    def expire(self, now: float) -> Changes:
        """End the leases under which nothing is sent any more, and free shares; called now and then."""
        changes = self._end(self.book.pop_over(now))
        if changes.over:
            self._progress_at = now
        for nonce in self.budget.workers():
            worker = self.workers.get(nonce)
            if (worker is None or now - worker.heard > _SILENT) and not self.book.of(nonce):
                self.budget.remove(nonce)  # it can send nothing
        return changes

    def _end(self, leases: list[Lease]) -> Changes:
        changes = Changes(over=leases)
        for lease in leases:
            for row in reversed(lease.rows.values()):
                if lease.may_have_arrived:
                    changes.lost.append((row, lease))
                else:
                    self._put_back(row, changes)
        return changes

    def stop(self) -> list[GrantedRow]:
        """Grant nothing more; return the rows that waited."""
        self.stopped = True
        return self.waiting.clear()

    def stuck_for(self, now: float) -> float:
        """Return the seconds for which no row ended although some wait."""
        return now - self._progress_at if self.waiting and not self.stopped else 0.0

    @property
    def patience(self) -> float:
        """Seconds after which a run without progress ends."""
        slow = 0.0 if self.options.rate is None else _DEADLINES / self.options.rate
        return max(self.options.no_progress, _DEADLINES * self.options.deadline, slow)
