"""Rows between a run and the workers: each is granted, and comes back with its outcome."""

from __future__ import annotations

import asyncio
import time

import attrs

from wosdk_async.jobs.cluster.cluster_run import ClusterRun
from wosdk_async.jobs.cluster.leases import Batch, Lease, LeaseBook, RowToSend
from wosdk_async.jobs.cluster.ledger import GrantLedger, GrantRecord
from wosdk_async.jobs.cluster.messages import Grant, RowReport, Share
from wosdk_async.jobs.cluster.options import ClusterOptions
from wosdk_async.jobs.cluster.outcomes import given_back_too_often, lost_with, outcome_of
from wosdk_async.jobs.cluster.reached_worker import ReachedWorker

__all__ = ["GrantCounts", "Granting"]

_SECONDS_AHEAD = 1.0  # of work that a worker has, at most
_MOST_TOO_EARLY = 5  # times that a row may come back in a run though there was time for it
_MOST_TIMES_BACK = 50  # times that it may come back at all, before no worker is believed


@attrs.define
class GrantCounts:
    """Counts of grants and rows.

    Args:
        grants: grants that were sent.
        granted_rows: rows of them; a row that is granted again counts again.
        given_back_rows: rows that workers gave back as not sent.
        lost_rows: rows that were lost with their workers; one that is lost again counts again, unlike in
            ``GrantTotals``, which counts the rows of all runs once each.
        late_reports: reports that came too late to count.
    """

    grants: int = 0
    granted_rows: int = 0
    given_back_rows: int = 0
    lost_rows: int = 0
    late_reports: int = 0


@attrs.define(eq=False)
class Granting:
    """Grants the rows of the current run, and ends its leases.

    ``job_run`` is the number of the run in the journal, ``epoch`` that of the last grant.
    """

    ledger: GrantLedger
    options: ClusterOptions
    job_run: int
    epoch: int = 0
    run: ClusterRun | None = None
    counts: GrantCounts = attrs.field(factory=GrantCounts)
    book: LeaseBook = attrs.field(init=False)

    @book.default
    def _empty_book(self) -> LeaseBook:
        return LeaseBook(self.options)

    # --- grants -------------------------------------------------------------------------------

    async def grant(self, worker: ReachedWorker, share: Share) -> None:
        """Grant rows to a worker that was heard right now, if it has room for some.

        The grant is sent with the next order.
        """
        batch = self._batch_for(worker, share)
        if batch is None:
            return
        self.epoch += 1
        lease = self.book.open(self.epoch, worker.nonce, batch, clock=worker.clock, heard=worker.heard)
        try:
            await self.ledger.grant(self._record(lease, share))
        except BaseException:
            self._withdraw(lease)
            raise
        if self.run is None or self.run.stopped:
            self._withdraw(lease)
            self.ledger.end_grant(lease.epoch)
        else:
            worker.granted(lease.grant())
            self.counts.grants += 1
            self.counts.granted_rows += len(lease.rows)

    def send_with_next_order(self, worker: ReachedWorker) -> tuple[Grant, ...]:
        """Return the grants for an order to a worker that is sent now: they may arrive from now on."""
        leases = self.book.of(worker.nonce)
        worker.forget_grants_except(leases)
        for epoch in worker.unconfirmed:
            leases[epoch].may_have_arrived = True
        return tuple(worker.unconfirmed.values())

    def _batch_for(self, worker: ReachedWorker, share: Share) -> Batch | None:
        leases = self.book.of(worker.nonce)
        if self.run is None or not share.in_flight or worker.draining:
            return None
        if any(lease.careful for lease in leases.values()):
            return None
        if worker.session == worker.session_refused:  # it has none, so its rows would only wait
            return None
        options = self.options
        seconds = min(_SECONDS_AHEAD, (options.lease - options.deadline) / 2)
        room = worker.room(share, self.book.outstanding(worker.nonce), seconds, options.rows_per_grant)
        return self.run.next_batch(room, idle=not leases) if room > 0 else None

    def _record(self, lease: Lease, share: Share) -> GrantRecord:
        return GrantRecord(
            epoch=lease.epoch,
            run=self.job_run,
            worker=lease.worker,
            rows=tuple(lease.rows),
            rate=share.rate,
            in_flight=share.in_flight,
            granted_at=time.time(),
            seconds=self.options.surely_over,
        )

    def _withdraw(self, lease: Lease) -> None:
        """Withdraw a grant that was not sent."""
        for row in self.book.withdraw(lease):
            if self.run is not None:
                self.run.requeue(row)

    # --- their ends ---------------------------------------------------------------------------

    def receive_results(self, worker: ReachedWorker, results: list[RowReport], now: float) -> bool:
        """Receive results of a worker; those of rows that it has no more are late, and decide nothing.

        Return whether the worker gives back its rows now, and did not before.
        """
        if self.run is None:
            for result in results:
                self._keep_late(worker, result)
            return False
        given_back, ended, too_early = [], 0, 0
        for result in results:
            lease = self.book.of(worker.nonce).get(result.epoch)
            row = self.book.pop_row(worker.nonce, result.epoch, result.row)
            if lease is None or row is None:
                self._keep_late(worker, result)
            elif result.result == "not_sent":
                given_back.append(row)
                if now < lease.early_until and not (self.run.stopped or worker.draining):
                    row.too_early += 1
                    too_early += 1
            else:
                # The duration is the worker's: what else was between the two is not the service's.
                row.claim.started = asyncio.get_running_loop().time() - result.seconds
                self.run.end(outcome_of(row.index, row.claim, result))
                ended += 1
        for row in reversed(given_back):  # each goes before the others that wait
            self._requeue(row, self.run)
        for epoch in self.book.pop_finished():
            self.ledger.end_grant(epoch)
        return worker.count_ends(ended, too_early)

    def _requeue(self, row: RowToSend, run: ClusterRun) -> None:
        """Let a row that a worker gave back wait again; when that came too often, its word is not believed.

        The row is in doubt then, so it goes on only after a look-up. A later run begins with one too, or with
        the doubt of a row without a marker; so the count need not outlive this run. Rows for which there was
        no time, as while the service refuses each log-in, are surely not sent: those may come back often.
        """
        self.counts.given_back_rows += 1
        row.given_back += 1
        too_often = row.too_early >= _MOST_TOO_EARLY or row.given_back >= _MOST_TIMES_BACK
        if too_often and not run.stopped:
            run.end(given_back_too_often(row))
        else:
            run.requeue(row)

    def _keep_late(self, worker: ReachedWorker, result: RowReport) -> None:
        self.counts.late_reports += 1
        self.ledger.keep_late_report(result.epoch, worker.nonce, result)

    def lose(self, leases: list[Lease], why: str) -> int:
        """End leases under which surely nothing is sent any more; return how many rows may have been."""
        lost = 0
        for lease in leases:
            rows = list(lease.rows.values()) if lease.may_have_arrived else []
            lost += len(rows)
            self.ledger.end_grant(lease.epoch, lost=[row.number for row in rows], alone=lease.alone)
            if self.run is not None:
                for row in lease.rows.values():
                    if lease.may_have_arrived:
                        self.run.end(lost_with(lease, row, why))
                    else:
                        self.run.requeue(row)
                self.run.changed()
        self.counts.lost_rows += lost
        return lost
