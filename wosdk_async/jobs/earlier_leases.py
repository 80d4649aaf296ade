"""Leases that earlier runs of a job left open: their workers may still send rows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Self

import attrs

from wosdk_async.jobs.claims import Claim
from wosdk_async.jobs.cluster.messages import RowReport
from wosdk_async.jobs.cluster.outcomes import outcome_of
from wosdk_async.jobs.cluster.pool import UndeliveredReport, UndeliveredSource
from wosdk_async.jobs.cluster.undelivered_reader import UndeliveredReader
from wosdk_async.jobs.journal import Journal, OpenLease, RowRecord, State, StoredRow
from wosdk_async.jobs.operation_names import operation_named
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.reporting import RowReports
from wosdk_async.jobs.rows import Row
from wosdk_async.jobs.stops import StopRules
from wosdk_async.jobs.waits import NowAndThen, stopped_within, unless_stopped

__all__ = ["EarlierLeases"]

_POLL = 0.1  # seconds between two looks at whether a process has ended
_LOOK = 1.0  # the same, when there is no process to look at
_BATCH = 1000  # reports that are collected with one commit
_WAITING = (
    "workers of an earlier run may still send rows: nothing is sent before their leases have surely ended"
)


@attrs.define(eq=False)
class EarlierLeases:
    """Collects the undelivered results of earlier runs, and waits until surely none of them sends anything.

    Those of processes are in the folder of the job, so they are found however it goes on. A lease is over at
    once when the process of its worker has surely ended. For the others no clock of the earlier run is
    believed: the wait is counted from now.
    """

    journal: Journal
    reports: RowReports
    """Gets the outcomes that count."""
    on_stage: Callable[[str], None] = lambda _: None
    warnings: list[str] = attrs.field(factory=list)
    """What the user should know."""
    _open: dict[int, OpenLease] = attrs.field(factory=dict)
    _granted: dict[int, OpenLease] = attrs.field(factory=dict)
    """Row -> the newest lease that was open."""
    _collected: set[tuple[int, str, int]] = attrs.field(factory=set)
    _stopped: asyncio.Event = attrs.field(factory=asyncio.Event)

    @classmethod
    def of_job(cls, journal: Journal, on_stage: Callable[[str], None] = lambda _: None) -> Self:
        """Return those of a job that sends nothing now: outcomes go into the journal alone."""
        reports = RowReports(
            operation=operation_named(journal.plan.operation),
            journal=journal,
            stops=StopRules(ImportOptions(), journal.plan.rows),
            on_row=lambda _: None,
        )
        return cls(journal, reports, on_stage)

    def stop(self) -> None:
        """Wait no longer: the leases stay open, and the next run waits for them."""
        self._stopped.set()

    async def collect(self) -> None:
        """Collect from processes that have ended, and end their leases; wait for nothing.

        Raises:
            JournalError: the journal cannot be written; nothing is forgotten.
        """
        files = await self._begin()
        try:
            await self._look_at(files)
        finally:
            self.warnings += files.warnings

    async def end(self, pool: UndeliveredSource | None = None) -> None:
        """End the open leases, unless it is stopped before.

        Args:
            pool: asked for what its workers could not deliver, before the wait and again after it; None when
                there are no workers to ask.

        Raises:
            JournalError: the journal cannot be written; nothing is forgotten.
        """
        loop = asyncio.get_running_loop()
        began, files = loop.time(), await self._begin()
        try:
            await self._look_at(files)
            seconds = max((lease.seconds for lease in self._open.values()), default=0.0)
            if self._open:
                self.on_stage(f"{_WAITING}, in {seconds:.0f} s")
            now_and_then = NowAndThen(self.on_stage)
            await self._ask(pool)
            while self._open and (left := began + seconds - loop.time()) > 0:
                if await stopped_within(self._stopped, min(left, _POLL if files.living else _LOOK)):
                    return
                await self._look_at(files)
                if self._open and (left := began + seconds - loop.time()) > _POLL:
                    now_and_then(f"{_WAITING}, in {left:.0f} s")
            if seconds:
                await self._ask(pool)
            await self._close(self._open)
        finally:
            self.warnings += [*files.warnings, *files.living]

    async def _begin(self) -> UndeliveredReader:
        for lease in await self.journal.open_leases():
            self._open[lease.epoch] = lease
            self._granted |= dict.fromkeys(lease.rows, lease)
        return UndeliveredReader(self.journal.folder, self.journal.plan.job, self.journal.run)

    # --- leases -------------------------------------------------------------------------------

    async def _look_at(self, files: UndeliveredReader) -> None:
        """Collect from processes that have ended, end their leases, and then remove the files."""
        # In a thread: many files, or large ones, take seconds, in which a stop has to be heard.
        if not await self._collect(await asyncio.to_thread(files.look)):
            return
        await self._close([epoch for epoch, lease in self._open.items() if lease.worker in files.ended])
        files.remove()

    async def _ask(self, pool: UndeliveredSource | None) -> None:
        if pool is None:
            return
        # A cluster may be silent for long.
        reports = await unless_stopped(self._stopped, pool.undelivered(), otherwise=None)
        if reports is not None and await self._collect(reports):
            await unless_stopped(self._stopped, pool.forget_undelivered(), otherwise=None)

    async def _close(self, epochs: Iterable[int]) -> None:
        for epoch in list(epochs):
            del self._open[epoch]
            self.journal.end_grant(epoch)
        await self.journal.flush()

    # --- reports ------------------------------------------------------------------------------

    async def _collect(self, reports: Sequence[UndeliveredReport]) -> bool:
        """Write reports into the journal; they are on the disk when this returns.

        Return whether it has all of them: after a stop the rest stays where it is, for the next run.
        """
        counted, start = 0, 0
        while start < len(reports) and not self._stopped.is_set():
            counted += await self._collect_some(reports[start : start + _BATCH])
            start += _BATCH
        if counted:
            self.on_stage(f"undelivered results of an earlier run are collected: those of {counted} rows")
        return start >= len(reports)

    async def _collect_some(self, reports: Sequence[UndeliveredReport]) -> int:
        """Write some reports with one read of the journal and one commit; return how many of them count."""
        rows = await self.journal.rows_numbered({each.report.row for each in reports})
        counted = 0
        for each in reports:
            report, number = each.report, (each.run, each.worker, each.report.number)
            if number in self._collected:
                continue
            self._collected.add(number)
            lease, stored = self._granted.get(report.row), rows.get(report.row)
            counts = lease is not None and (lease.epoch, lease.worker) == (report.epoch, each.worker)
            if counts and stored is not None and stored.state in (State.SENDING, State.IN_DOUBT):
                _count(self.journal, self.reports, stored, report)
                rows[report.row] = _after(stored, report)
                counted += 1
            elif not _is_known(stored, report):
                self.journal.keep_late_report(report.epoch, each.worker, report)
        await self.journal.flush()
        return counted


def _is_known(row: StoredRow | None, report: RowReport) -> bool:
    """Return whether the journal has what a report says: a run that was killed may have collected it."""
    if row is None:
        return False
    if report.result == "done":
        return row.state == State.DONE and row.id == report.id
    if report.result == "failed":
        return row.state == State.REFUSED and (row.reason or "").startswith(report.reason)
    return True  # "in doubt" and "not sent" say nothing that a settled row needs


_STATES = {
    "done": State.DONE,
    "failed": State.REFUSED,
    "in_doubt": State.IN_DOUBT,
    "not_sent": State.PLANNED,
}


def _after(row: StoredRow, report: RowReport) -> StoredRow:
    """Return what the journal says of a row once a report of it counts."""
    return attrs.evolve(row, state=_STATES[report.result], id=report.id, reason=report.reason)


def _count(journal: Journal, reports: RowReports, row: StoredRow, report: RowReport) -> None:
    """Count a report as the outcome of a row."""
    if report.result == "not_sent":
        journal.record(RowRecord(row.row, State.PLANNED))
    elif report.result == "in_doubt":  # it is looked up with all that earlier runs left in doubt
        reason, code = report.reason or None, report.error or None
        journal.record(
            RowRecord(
                row.row,
                State.IN_DOUBT,
                reason=reason,
                code=code,
                request_id=report.request_id,
                attempts=report.attempts,
                seconds=report.seconds,
            )
        )
    else:
        started = asyncio.get_running_loop().time() - report.seconds
        claim = Claim(Row(row.row, row.line, {}), None, row.key, started)
        reports.ended(outcome_of(0, claim, report))
