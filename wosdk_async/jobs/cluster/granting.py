"""Rows between a run and the workers: each is granted, and comes back with its outcome."""

from __future__ import annotations

import asyncio
import time

import attrs

from wosdk_async.jobs.cluster.cluster_run import ClusterRun
from wosdk_async.jobs.cluster.leases import Batch, Lease, LeaseBook
from wosdk_async.jobs.cluster.ledger import GrantLedger, GrantRecord
from wosdk_async.jobs.cluster.messages import Grant, RowReport, Share
from wosdk_async.jobs.cluster.options import ClusterOptions
from wosdk_async.jobs.cluster.outcomes import lost_with, outcome_of
from wosdk_async.jobs.cluster.reached_worker import ReachedWorker

__all__ = ["GrantCounts", "Granting"]

_AHEAD = 1.0  # seconds of work that a worker has, at most


@attrs.define
class GrantCounts:
    """Counts of grants and rows.

    Args:
        leases: grants that were made.
        granted: rows of them; a row that is granted again counts again.
        not_sent: rows that workers gave back.
        lost_rows: rows that were lost with their workers.
        facts: reports that came too late to count.
    """

    leases: int = 0
    granted: int = 0
    not_sent: int = 0
    lost_rows: int = 0
    facts: int = 0


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

        The grant leaves with the next order.
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
            worker.unconfirmed[lease.epoch] = lease.grant()
            self.counts.leases += 1
            self.counts.granted += len(lease.rows)

    def leaving(self, worker: ReachedWorker) -> tuple[Grant, ...]:
        """Return the grants that the next order to a worker carries: from now on they may have arrived."""
        leases = self.book.of(worker.nonce)
        worker.forget_grants_except(leases)
        for epoch in worker.unconfirmed:
            leases[epoch].left = True
        return tuple(worker.unconfirmed.values())

    def _batch_for(self, worker: ReachedWorker, share: Share) -> Batch | None:
        leases = self.book.of(worker.nonce)
        if self.run is None or not share.in_flight or any(lease.careful for lease in leases.values()):
            return None
        options = self.options
        seconds = min(_AHEAD, (options.lease - options.deadline) / 2)
        return self.run.take(worker.room(share, seconds, options.rows_per_grant), idle=not leases)

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
        """Take back a grant that did not leave."""
        for row in self.book.withdraw(lease):
            if self.run is not None:
                self.run.not_sent(row)

    # --- their ends ---------------------------------------------------------------------------

    def reported(self, worker: ReachedWorker, results: list[RowReport]) -> None:
        """Take results of a worker; those of rows that it has no more are facts, and decide nothing."""
        for result in results:
            row = self.book.reported(worker.nonce, result.epoch, result.row)
            if row is None or self.run is None:
                self.counts.facts += 1
                self.ledger.record_fact(result.epoch, worker.nonce, result)
            elif result.result == "not_sent":
                self.counts.not_sent += 1
                self.run.not_sent(row)
            else:
                # The duration is the worker's: what else was between the two is not the service's.
                row.claim.started = asyncio.get_running_loop().time() - result.seconds
                self.run.end(outcome_of(row.index, row.claim, result))
        for epoch in self.book.ended():
            self.ledger.end_grant(epoch)

    def lost(self, leases: list[Lease], why: str) -> None:
        """End leases under which surely nothing is sent any more; their rows may have been."""
        for lease in leases:
            rows = list(lease.rows.values()) if lease.left else []
            self.counts.lost_rows += len(rows)
            self.ledger.end_grant(lease.epoch, lost=[row.number for row in rows], alone=lease.alone)
            if self.run is not None:
                for row in lease.rows.values():
                    if lease.left:
                        self.run.end(lost_with(lease, row, why))
                    else:
                        self.run.not_sent(row)
                self.run.changed()
