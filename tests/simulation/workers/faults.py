"""Faults of the lease logic that are put back, one by one; the simulation must find each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.simulation.reverts import Reverts, replace
from wosdk_async.jobs.cluster.allocator import Allocator, ConnectedWorker
from wosdk_async.jobs.cluster.leases import ClusterOptions, LeasedRow, LeasedRows
from wosdk_async.jobs.cluster.messages import Order

FAULTS = Reverts()


@FAULTS.replace(
    LeasedRow,
    "begin",
    "lease-not-checked",
    "no check before the first byte",
    "doubled lost sent-after-lease sent-without-lease",
)
def _begin_unchecked(_: Any, self: LeasedRow) -> None:
    self.begun = True


@FAULTS.add("early-look-up", "look-up before the lease has ended", "doubled over-limit")
def _early_look_up() -> Iterator[None]:
    with replace(ClusterOptions, "expires_after", property(lambda self: 0.3 * self.lease)):
        yield


@FAULTS.replace(
    LeasedRows, "obey", "nonce-not-compared", "orders to another worker are obeyed", "doubled lost"
)
def _obey_any(original: Any, self: LeasedRows, order: Order) -> Any:
    self.nonce, nonce = order.worker, self.nonce
    try:
        return original(self, order)
    finally:
        self.nonce = nonce


@FAULTS.replace(
    LeasedRows, "end", "sent-as-not-sent", "not sent reported for a sent row", "doubled unexpected"
)
def _end_unguarded(_: Any, self: LeasedRows, row: LeasedRow, fields: Mapping[str, Any]) -> None:
    del self._open[row.granted.row]
    self.started.pop(row.granted.row, None)
    self._record(row, fields)


@FAULTS.replace(
    Allocator, "open_grant", "epoch-reused", "each worker's grants have one number", "not-finished"
)
def _reuse_epochs(original: Any, self: Allocator, worker: ConnectedWorker) -> Any:
    self.epoch = len(self.workers)
    return original(self, worker)


@FAULTS.replace(
    Allocator, "lose", "early-share", "the share of a lost worker is returned early", "over-limit"
)
def _return_share_early(original: Any, self: Allocator, worker: ConnectedWorker) -> Any:
    rows = original(self, worker)
    self.budget.remove(worker.nonce)
    return rows
