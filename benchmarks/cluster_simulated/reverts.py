"""Faults that can be put back: the simulation has to find each of them."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterator
from typing import Any

import attrs

from benchmarks.cluster_simulated.pool import Pool
from benchmarks.simulate.reverts.registry import Reverts, replace
from wosdk_async.jobs.cluster import row_calls
from wosdk_async.jobs.cluster.budget import Budget
from wosdk_async.jobs.cluster.fenced import Fence
from wosdk_async.jobs.cluster.granting import Granting
from wosdk_async.jobs.cluster.reached_worker import ReachedWorker
from wosdk_async.jobs.cluster.worker import Worker
from wosdk_async.jobs.cluster.worker_group import WorkerGroup
from wosdk_async.jobs.earlier_leases import EarlierLeases
from wosdk_async.jobs.journal import RowRecord, State
from wosdk_async.jobs.journal.grant_table import save_grant
from wosdk_async.jobs.journal.writer import JournalWriter

__all__ = ["REVERTS"]

REVERTS = Reverts()


@REVERTS.add("no-fence", "a request leaves after its lease has ended", "sent-after-lease doubled")
def _no_fence() -> Iterator[None]:
    with replace(Fence, "require", lambda _: None):
        yield


@REVERTS.add(
    "start-not-checked", "a row is started that may not end within its lease", "under-way-after-lease"
)
def _start_not_checked() -> Iterator[None]:
    with replace(Fence, "allows", lambda *_: True):
        yield


@REVERTS.add(
    "nonce-not-compared",
    "a worker obeys orders to the one before it, and keeps grants that are withdrawn",
    "sent-without-lease",
)
def _nonce_not_compared() -> Iterator[None]:
    original = Worker.exchange

    async def faulty(self: Any, order: Any) -> Any:
        return await original(self, attrs.evolve(order, worker=self.nonce, withdrawn=()))

    with replace(Worker, "exchange", faulty):
        yield


@REVERTS.add(
    "nonce-not-drawn",
    "a worker that is made again cannot be told from the one before",
    "doubled sent-twice-at-once not-finished hang",
)
def _nonce_not_drawn() -> Iterator[None]:
    original = Pool.remake

    def faulty(self: Any, link: Any) -> None:
        nonce = link.station.worker.nonce
        original(self, link)
        link.station.worker.nonce = nonce

    with replace(Pool, "remake", faulty):
        yield


@REVERTS.add(
    "sent-as-not-sent",
    "a row that was interrupted after it was sent is reported not sent",
    "doubled failed-but-done",
)
def _sent_as_not_sent() -> Iterator[None]:
    with replace(row_calls, "_interrupted", lambda *_: row_calls.NOT_SENT):
        yield


@REVERTS.add("granted-by-time", "the rows of a lost lease are granted again without a look-up", "doubled")
def _granted_by_time() -> Iterator[None]:
    def faulty(self: Any, leases: Any, _: str) -> int:
        for lease in leases:
            self.ledger.end_grant(lease.epoch)
            for row in lease.rows.values():
                self.run.requeue(row)
        return 0

    with replace(Granting, "lose", faulty):
        yield


@REVERTS.add(
    "lost-at-once",
    "the leases of a worker that cannot be reached end at once, and settling begins then",
    "doubled sent-twice-at-once over-limit",
)
def _lost_at_once() -> Iterator[None]:
    original = WorkerGroup.lose

    def faulty(self: Any, worker: Any, name: str, why: str, *, ended: bool) -> None:
        del ended
        original(self, worker, name, why, ended=True)

    with replace(WorkerGroup, "lose", faulty):
        yield


@REVERTS.add(
    "shares-at-once", "the share of a worker is free as soon as it cannot be reached", "over-limit over-rate"
)
def _shares_at_once() -> Iterator[None]:
    with replace(Budget, "lose", Budget.remove):
        yield


@REVERTS.add("results-not-numbered", "results that come again are counted again", "result-twice")
def _results_not_numbered() -> Iterator[None]:
    def faulty(self: Any, report: Any) -> Any:
        for result in report.results:
            self.received = max(self.received, result.number)
            yield result

    with replace(ReachedWorker, "_new", faulty):
        yield


@REVERTS.add(
    "late-report-counts",
    "a report for a grant that is not current any more overwrites the state of the row",
    "done-but-lost failed-but-done not-decided refused doubled",
)
def _late_report_counts() -> Iterator[None]:
    states = {
        "done": State.DONE,
        "failed": State.REFUSED,
        "in_doubt": State.IN_DOUBT,
        "not_sent": State.PLANNED,
    }

    def faulty(self: Any, epoch: int, worker: str, report: Any) -> None:
        del epoch, worker
        self.record(RowRecord(report.row, states[report.result], report.id))

    with replace(JournalWriter, "keep_late_report", faulty):
        yield


@REVERTS.add(
    "grant-not-written", "a grant leaves before it is on the disk", "grant-not-written row-not-claimed"
)
def _grant_not_written() -> Iterator[None]:
    def write(journal: Any, record: Any) -> None:
        commits = journal._usable_commits()
        commits.queue.rows += record.rows
        commits.queue.others.append(functools.partial(save_grant, grant=record))
        commits.write_soon()

    async def faulty(self: Any, record: Any) -> None:
        asyncio.get_running_loop().call_later(0.2, write, self, record)

    with replace(JournalWriter, "grant", faulty):
        yield


@REVERTS.add(
    "earlier-leases-forgotten",
    "a job goes on while workers of a killed coordinator may still send",
    "doubled over-limit sent-twice-at-once",
)
def _earlier_leases_forgotten() -> Iterator[None]:
    async def faulty(self: Any, *_: Any) -> None:
        for lease in await self.journal.open_leases():
            self.journal.end_grant(lease.epoch)

    with replace(EarlierLeases, "end", faulty):
        yield


@REVERTS.add(
    "forgotten-too-soon",
    "what workers could not deliver is forgotten before the journal has it on the disk",
    "undelivered-lost",
)
def _forgotten_too_soon() -> Iterator[None]:
    original = Pool.undelivered

    async def faulty(self: Any) -> Any:
        reports = await original(self)
        await self.forget_undelivered()
        return reports

    with replace(Pool, "undelivered", faulty):
        yield
