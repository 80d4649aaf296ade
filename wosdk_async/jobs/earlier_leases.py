"""Leases that earlier runs of a job left open: their workers may still send rows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import attrs

from wosdk_async.jobs.claims import Claim
from wosdk_async.jobs.cluster.messages import RowReport
from wosdk_async.jobs.cluster.outcomes import outcome_of
from wosdk_async.jobs.cluster.pool import LeftReport
from wosdk_async.jobs.journal import Journal, OpenLease, RowRecord, State, StoredRow
from wosdk_async.jobs.reporting import RowReports
from wosdk_async.jobs.rows import Row

__all__ = ["EarlierLeases", "LeftReports"]

LeftReports = Callable[[], Awaitable[Sequence[LeftReport]]]
"""Returns the results that workers of earlier runs could not deliver."""


@attrs.define(eq=False)
class EarlierLeases:
    """Takes what workers of earlier runs did, and waits until surely none of them sends anything.

    No clock of the earlier run is believed: the wait is counted from now.
    """

    journal: Journal
    on_stage: Callable[[str], None]
    _taken: set[tuple[int, str, int]] = attrs.field(factory=set)
    _stopped: asyncio.Event = attrs.field(factory=asyncio.Event)

    def stop(self) -> None:
        """Wait no longer: the leases stay open, and the next run waits for them."""
        self._stopped.set()

    async def end(self, left: LeftReports | None = None, reports: RowReports | None = None) -> None:
        """End the open leases, unless it is stopped before.

        Args:
            left: asked before the wait, and again after it; None when there are no workers to ask.
            reports: gets the outcomes that count.
        """
        leases, began = await self.journal.open_leases(), asyncio.get_running_loop().time()
        seconds = max((lease.seconds for lease in leases), default=0.0)
        if leases:
            self.on_stage(
                "workers of an earlier run may still send rows: nothing is sent before their leases have "
                f"surely ended, in {seconds:.0f} s"
            )
        await self._take(left, reports, leases)
        if not leases:
            return
        try:
            async with asyncio.timeout_at(began + seconds):
                await self._stopped.wait()
                return
        except TimeoutError:
            pass
        await self._take(left, reports, leases)
        for lease in leases:
            self.journal.end_grant(lease.epoch)
        await self.journal.flush()

    async def _take(
        self, left: LeftReports | None, reports: RowReports | None, leases: Sequence[OpenLease]
    ) -> None:
        if left is None or reports is None:
            return
        granted = {row: lease for lease in leases for row in lease.rows}  # the newest lease of each row
        for each in await left():
            report, number = each.report, (each.run, each.worker, each.report.number)
            if number in self._taken:
                continue
            self._taken.add(number)
            lease = granted.get(report.row)
            stored = await self._stored(report.row)
            counts = lease is not None and (lease.epoch, lease.worker) == (report.epoch, each.worker)
            if counts and stored is not None and stored.state in (State.SENDING, State.IN_DOUBT):
                _count(self.journal, reports, stored, report)
            elif not _is_known(stored, report):
                self.journal.record_fact(report.epoch, each.worker, report)
        await self.journal.flush()

    async def _stored(self, row: int) -> StoredRow | None:
        found = await self.journal.rows_in(after=row - 1, limit=1)
        return found[0] if found and found[0].row == row else None


def _is_known(row: StoredRow | None, report: RowReport) -> bool:
    """Return whether the journal has what a report says: a run that was killed since may have taken it."""
    if row is None:
        return False
    if report.result == "done":
        return row.state == State.DONE and row.id == report.id
    if report.result == "failed":
        return row.state == State.REFUSED and (row.reason or "").startswith(report.reason)
    return True  # "in doubt" and "not sent" say nothing that a settled row needs


def _count(journal: Journal, reports: RowReports, row: StoredRow, report: RowReport) -> None:
    """Take a report as the outcome of a row."""
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
