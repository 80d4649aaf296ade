"""Leases: which worker may send which rows, and from when on it surely sends them no more. No I/O.

A row is under one lease at most. That ends in one of three ways, and once only: the worker reports the row,
the row is lost with the worker, or its grant is withdrawn before it was sent. So each row gets exactly one
outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import attrs

from wosdk_async.errors import InDoubtError
from wosdk_async.jobs.cluster.ledger import NEVER_LOST, Loss
from wosdk_async.jobs.cluster.messages import Grant, GrantedRow
from wosdk_async.jobs.cluster.options import ClusterOptions

__all__ = ["Batch", "Lease", "LeaseBook", "LeaseLostError", "RowToSend"]


_EARLY = 0.9  # part of the time that a row may wait: clocks of worker and coordinator differ a little


class LeaseLostError(InDoubtError):
    """A row of which no worker says credibly what became of it: nobody knows whether it was sent."""


@attrs.define(eq=False)
class RowToSend:
    """A claim on its way to a worker; ``index`` is its place in the run, ``body`` the JSON of its record."""

    index: int
    number: int
    claim: Any
    body: str = attrs.field(repr=False)
    loss: Loss = NEVER_LOST
    given_back: int = 0
    """How often a worker said in this run that it was not sent."""
    too_early: int = 0
    """How often of these there was still time for it."""


@attrs.frozen(eq=False)
class Batch:
    """Rows that are granted together.

    ``careful`` says that they were lost before, so that nothing else may be granted beside them; ``alone``
    that the one row is granted alone for that reason.
    """

    rows: Sequence[RowToSend]
    careful: bool = False
    alone: bool = False


@attrs.define(eq=False)
class Lease:
    """Rows that one worker may send for a while.

    Args:
        ends: the reading of the worker's clock at which it ends.
        early_until: the reading of the coordinator's clock before which no row has waited in vain: one that
            waits for a session or a turn comes back at its deadline, others when no more may be started.
        over_at: that from which on surely nothing is sent under it.
        rows: those of which nothing is reported, by their numbers.
        may_have_arrived: whether the grant was sent, so that the worker may have sent its rows.
    """

    epoch: int
    worker: str
    ends: float
    early_until: float
    over_at: float
    rows: dict[int, RowToSend]
    careful: bool = False
    alone: bool = False
    may_have_arrived: bool = False

    def grant(self) -> Grant:
        """Return the message that grants it; made before anything is reported."""
        rows = tuple(GrantedRow(row.number, row.body) for row in self.rows.values())
        return Grant(epoch=self.epoch, ends=self.ends, rows=rows)


class LeaseBook:
    """All leases that have not ended."""

    def __init__(self, options: ClusterOptions) -> None:
        self._options = options
        self._leases: dict[str, dict[int, Lease]] = {}
        """Worker -> epoch -> lease."""
        self._rows: set[int] = set()
        self._finished: list[int] = []

    def __repr__(self) -> str:
        return f"<LeaseBook leases {len(self._all())}, rows {len(self._rows)}>"

    def of(self, worker: str) -> Mapping[int, Lease]:
        """Return the leases of a worker, by their epochs."""
        return self._leases.get(worker, _NONE)

    def outstanding(self, worker: str) -> int:
        """Return how many rows a worker has of which it has reported nothing, by this book."""
        return sum(len(lease.rows) for lease in self.of(worker).values())

    def open(self, epoch: int, worker: str, batch: Batch, *, clock: float, heard: float) -> Lease:
        """Open a lease.

        Args:
            epoch: its number.
            worker: the nonce of the worker.
            batch: the rows, which are under no other lease.
            clock: the reading of the worker's clock in its last report.
            heard: the reading of the coordinator's clock when that report arrived.
        """
        rows = {row.number: row for row in batch.rows}
        if len(rows) != len(batch.rows) or not self._rows.isdisjoint(rows):
            raise AssertionError(f"a row of grant {epoch} is granted already")
        # Both clocks count from the same report: the worker's from when it was made, ours from when it came,
        # which was later. So the lease never ends here before it ends at the worker.
        lease = Lease(
            epoch=epoch,
            worker=worker,
            ends=clock + self._options.lease,
            early_until=heard
            + _EARLY * min(self._options.deadline, self._options.lease - self._options.deadline),
            over_at=heard + self._options.surely_over,
            rows=rows,
            careful=batch.careful,
            alone=batch.alone,
        )
        self._leases.setdefault(worker, {})[epoch] = lease
        self._rows.update(rows)
        return lease

    def pop_row(self, worker: str, epoch: int, number: int) -> RowToSend | None:
        """Remove and return a row that a worker reports; None when it is not, or no longer, in that lease."""
        lease = self.of(worker).get(epoch)
        if lease is None or number not in lease.rows:
            return None
        self._rows.discard(number)
        row = lease.rows.pop(number)
        if not lease.rows:
            self._remove([lease])
            self._finished.append(epoch)
        return row

    def pop_finished(self) -> list[int]:
        """Return the leases of which the last row was reported since this was last called."""
        finished, self._finished = self._finished, []
        return finished

    # --- leases that end before all is reported -----------------------------------------------

    def pop_expired(self, now: float) -> list[Lease]:
        """Remove and return the leases under which surely nothing is sent any more, by our clock."""
        return self._remove([lease for lease in self._all() if now >= lease.over_at])

    def pop_of(self, worker: str) -> list[Lease]:
        """Remove and return the leases of a worker whose process has surely ended."""
        return self._remove(list(self.of(worker).values()))

    def withdraw(self, lease: Lease) -> list[RowToSend]:
        """Remove a lease whose grant was not sent, and return its rows; none when it has ended meanwhile."""
        return list(lease.rows.values()) if self._remove([lease]) else []

    def pop_all(self) -> list[Lease]:
        """Remove and return all leases: nobody waits for them, and under some rows may still be sent."""
        return self._remove(self._all())

    def _all(self) -> list[Lease]:
        return [lease for leases in self._leases.values() for lease in leases.values()]

    def _remove(self, leases: list[Lease]) -> list[Lease]:
        removed = [lease for lease in leases if lease.epoch in self.of(lease.worker)]
        for lease in removed:
            of_worker = self._leases[lease.worker]
            del of_worker[lease.epoch]
            if not of_worker:
                del self._leases[lease.worker]
            self._rows.difference_update(lease.rows)
        return removed


_NONE: Mapping[int, Lease] = MappingProxyType({})
