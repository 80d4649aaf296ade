"""Job totals over all runs, and the outcomes of rows that no stage reports."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Mapping
from typing import TYPE_CHECKING, TypeVar

import attrs
import msgspec

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.imports.opening import OpenedJob
from wosdk_async.jobs.imports.reporting import RowReports
from wosdk_async.jobs.imports.settling import Settling
from wosdk_async.jobs.journal import AuditResult, RowRecord, State, StoredRow, row_table
from wosdk_async.jobs.journal.entries import presentable
from wosdk_async.jobs.journal.worker_tables import AuditState
from wosdk_async.jobs.ledger.outcomes import RowOutcome, Summary
from wosdk_async.jobs.ledger.overview import audit_state_of, why_no_audit
from wosdk_async.jobs.ledger.terms import Standing
from wosdk_async.jobs.ledger.undone import UndoState, undo_state

if TYPE_CHECKING:
    from wosdk_async.jobs.cluster.job_workers import JobWorkers

T = TypeVar("T")


@attrs.frozen(kw_only=True, eq=False)
class JobTotals:
    """Job totals from the journal and from this run's stages."""

    job: OpenedJob
    reports: RowReports
    settling: Settling
    workers: JobWorkers | None
    _started: float = attrs.field(factory=time.perf_counter)

    @property
    def ended_now(self) -> int:
        """The number of rows that succeeded or failed in this run."""
        return self._done_now + self.reports.stops.failed

    async def report_refused(self) -> None:
        """Report rows with repeated keys, and rows that the service refused in earlier runs.

        These rows do not count towards the stop limits, because nothing is sent for them.
        """
        async for stored in self._stored(State.REFUSED):
            self.job.request.on_row(RowOutcome.of(stored, stored.line, "failed"))

    async def report_not_started(self) -> None:
        """Report rows that were not started."""
        cause = self.reports.stops.stop.cause
        reason = cause.message if cause is not None else "the import stopped before this row"
        unsent = presentable(RowRecord(0, State.PLANNED, reason=reason), self.job.journal.secrets())
        async for stored in self._stored(State.PLANNED):
            if stored.row not in self.reports.unsent:
                record = msgspec.structs.replace(unsent, row=stored.row)
                self.job.request.on_row(RowOutcome.of(record, stored.line, "not_started"))

    async def _stored(self, state: State) -> AsyncIterator[StoredRow]:
        async for page in self.job.journal.file_pages(state):
            for stored in page:
                yield stored

    async def summary(self) -> Summary:
        """Return the counts of the job."""
        counts, request = await self._counts(), self.job.request
        index, plan, unsent = request.index, self.job.plan, len(self.reports.unsent)
        audit, audit_state = await self.read_audit()
        undo = await _read_or(undo_state(self.job.journal), None)
        return Summary(
            rows=sum(counts.values()),
            empty_rows=request.source.empty_rows,
            done=counts[State.DONE],
            label=request.action.label,
            found=counts[State.FOUND],
            undone=undo.done if undo is not None else 0,
            changed=await self._changed(),
            gone=sum(plan.gone.values()),
            plan={each.name.lower(): plan.counts[each] for each in sorted(plan.counts)},
            failed=counts[State.REFUSED] + unsent,
            waiting=unsent,
            in_doubt=counts[State.IN_DOUBT] + counts[State.SENDING],
            not_started=counts[State.PLANNED] - unsent,
            done_now=self._done_now,
            seconds=time.perf_counter() - self._started,
            references_found=index.found,
            references_created=index.created,
            warnings=[*self._warnings(undo), *await self._found_ended(counts[State.FOUND])],
            stopped=self.reports.stops.stop.reason,
            audit=audit,
            audit_state=audit_state,
            audit_why=why_no_audit(self.job.about) if audit_state == "impossible" else None,
            unwritten=self.job.journal.unwritten,
            folder=self.job.folder,
        )

    async def _changed(self) -> int:
        """Return how many done rows have changed, including rows settled in this run."""
        if self.job.request.action.compares:
            return 0
        before = self.job.plan.counts.get(Standing.DONE_CHANGED, 0)
        return await _read_or(self.job.journal.read(row_table.count_changed), before)

    async def _found_ended(self, found: int) -> list[str]:
        """Return a warning about rows whose records were found, but are cancelled or removed."""
        if not found:
            return []
        count, line = await _read_or(self.job.journal.read(row_table.count_found_ended), (0, None))
        if not count:
            return []
        return [
            f"{count} of {found} found records are cancelled or removed (first: line {line}), and nothing "
            "replaces them; restore the records, or import the rows with new keys"
        ]

    def _warnings(self, undo: UndoState | None) -> list[str]:
        warnings = [*self.job.rows.warnings, *self.job.request.index.warnings]
        if undo is not None and undo.left is None:
            warnings.insert(0, "an undo of this job did not finish; undo the job again to resume it")
        if self.workers is not None:
            warnings += self.workers.warnings
        return list(dict.fromkeys(warnings))

    async def read_audit(self) -> tuple[AuditResult | None, AuditState]:
        """Return the last audit's result and the audit state."""
        journal = self.job.journal
        state: AuditState = "none" if self.workers is None else "due"
        return await _read_or(journal.audit(), None), await _read_or(audit_state_of(journal), state)

    @property
    def _done_now(self) -> int:
        return self.reports.done + self.settling.done

    async def _counts(self) -> Mapping[State, int]:
        """Return the row counts by state, from the journal if readable, otherwise from this run."""
        journal = self.job.journal
        with contextlib.suppress(JournalError):  # the summary lists outcomes that cannot be written
            await journal.flush()
        try:
            return journal.counts()
        except JournalError:  # the journal cannot be read either; use the counts of this run
            counts = Counter({State.DONE: self._done_now, State.IN_DOUBT: self.reports.stops.doubted})
            counts[State.REFUSED] = self.reports.stops.failed - len(self.reports.unsent)
            counts[State.PLANNED] = self.job.rows.rows - counts.total()
            return counts


async def _read_or(read: Awaitable[T], otherwise: T) -> T:
    """Return the result of ``read``, or ``otherwise`` if the journal cannot be read."""
    try:
        return await read
    except JournalError:
        return otherwise
