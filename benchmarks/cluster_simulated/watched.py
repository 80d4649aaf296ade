"""Places in the real code where claims, their outcomes and results of workers can be watched."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import attrs

from benchmarks.cluster_simulated.watch import Watch
from wosdk_async.jobs.cluster.coordinator import Coordinator
from wosdk_async.jobs.cluster.granting import Granting
from wosdk_async.jobs.reporting import RowReports

__all__ = ["watched"]


@contextlib.contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Let ``watch`` see claims, their outcomes, and results of workers."""
    run, ended, receive_results = Coordinator.run, RowReports.ended, Granting.receive_results

    def watched_run(self: Any, claims: Any, *args: Any, **options: Any) -> Any:
        return run(self, _WatchedClaims(claims, watch), *args, **options)

    def watched_ended(self: Any, outcome: Any) -> None:
        watch.outcome(outcome.input)
        ended(self, outcome)

    def watched_results(self: Any, worker: Any, results: Any, now: float) -> Any:
        watch.results(worker.nonce, results)
        return receive_results(self, worker, results, now)

    with (
        mock.patch.object(Coordinator, "run", watched_run),
        mock.patch.object(RowReports, "ended", watched_ended),
        mock.patch.object(Granting, "receive_results", watched_results),
    ):
        yield


@attrs.frozen
class _WatchedClaims:
    claims: Any
    watch: Watch

    async def __anext__(self) -> Any:
        claim = await anext(self.claims)
        self.watch.claimed(claim)
        return claim

    def at_hand(self) -> Any:
        claim = self.claims.at_hand()
        self.watch.claimed(claim)
        return claim
