"""Faults that are put back into the lease logic, one by one: the simulation has to find each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.simulation.reverts import Reverts
from wosdk_async.jobs.cluster.allocator import Allocator, ConnectedWorker
from wosdk_async.jobs.cluster.leased_rows import LeasedRow, LeasedRows
from wosdk_async.jobs.cluster.leases import ClusterOptions, Lease
from wosdk_async.jobs.cluster.messages import Order

FAULTS = Reverts()
_obey, _open_grant, _lose = LeasedRows.obey, Allocator.open_grant, Allocator.lose


@FAULTS.replace(
    LeasedRow,
    "begin",
    "lease-not-checked",
    "no check before the first byte",
    "doubled lost sent-after-lease sent-without-lease",
)
def _begin_unchecked(self: LeasedRow) -> None:
    self.begun = True


FAULTS.replace(
    ClusterOptions,
    "expires_after",
    "early-look-up",
    "look-up before the lease has ended",
    "doubled over-limit",
)(property(lambda self: 0.3 * self.lease))


@FAULTS.replace(
    LeasedRows, "obey", "nonce-not-compared", "orders to another worker are obeyed", "doubled lost"
)
def _obey_any(self: LeasedRows, order: Order) -> bool:
    self.nonce, nonce = order.worker, self.nonce
    try:
        return _obey(self, order)
    finally:
        self.nonce = nonce


@FAULTS.replace(
    LeasedRows, "end", "sent-as-not-sent", "not sent reported for a sent row", "doubled unexpected"
)
def _end_unguarded(self: LeasedRows, row: LeasedRow, fields: Mapping[str, Any]) -> None:
    del self._open[row.granted.row]
    self.under_way.pop(row.granted.row, None)
    self._record(row, fields)


@FAULTS.replace(
    Allocator, "open_grant", "epoch-reused", "each worker's grants have one number", "not-finished"
)
def _reuse_epochs(self: Allocator, worker: ConnectedWorker) -> Lease | None:
    self.epoch = len(self.workers)
    return _open_grant(self, worker)


@FAULTS.replace(
    Allocator, "lose", "early-share", "the share of a lost worker is returned early", "over-limit"
)
def _return_share_early(self: Allocator, worker: ConnectedWorker) -> int:
    rows = _lose(self, worker)
    self.budget.remove(worker.nonce)
    return rows
