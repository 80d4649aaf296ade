"""Faults that are put back into the lease logic, one by one: the simulation has to find each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from wosdk_async.jobs.cluster.desk import Desk, ReachedWorker
from wosdk_async.jobs.cluster.held_rows import HeldRow, HeldRows
from wosdk_async.jobs.cluster.leases import ClusterOptions, Lease
from wosdk_async.jobs.cluster.messages import Order

__all__ = ["FAULTS", "put_back"]

_obey, _open_grant, _lose = HeldRows.obey, Desk.open_grant, Desk.lose


def _begin_unchecked(self: HeldRow) -> None:
    self.begun = True


def _obey_any(self: HeldRows, order: Order) -> bool:
    self.nonce, nonce = order.worker, self.nonce
    try:
        return _obey(self, order)
    finally:
        self.nonce = nonce


def _end_unguarded(self: HeldRows, row: HeldRow, fields: Mapping[str, Any]) -> None:
    del self._rows[row.granted.row]
    self.under_way.pop(row.granted.row, None)
    self._record(row, fields)


def _reuse_epochs(self: Desk, worker: ReachedWorker) -> Lease | None:
    self.epoch = self.joined  # each worker's grants have one number
    return _open_grant(self, worker)


def _return_share_early(self: Desk, worker: ReachedWorker) -> int:
    rows = _lose(self, worker)
    self.budget.remove(worker.nonce)
    return rows


FAULTS: Mapping[str, tuple[type, str, Any]] = {
    "no check before the first byte": (HeldRow, "begin", _begin_unchecked),
    "look-up before the lease has ended": (
        ClusterOptions,
        "over_after",
        property(lambda self: 0.3 * self.lease),
    ),
    "nonce not compared": (HeldRows, "obey", _obey_any),
    "not sent reported for a sent row": (HeldRows, "end", _end_unguarded),
    "epoch reused": (Desk, "open_grant", _reuse_epochs),
    "share returned early": (Desk, "lose", _return_share_early),
}
"""Name -> the class, its attribute, and what takes its place."""


@contextmanager
def put_back(name: str) -> Iterator[None]:
    """Put a fault back within the block."""
    kind, attribute, fault = FAULTS[name]
    right = kind.__dict__[attribute]
    setattr(kind, attribute, fault)
    try:
        yield
    finally:
        setattr(kind, attribute, right)


_: Callable[..., Any] = put_back
