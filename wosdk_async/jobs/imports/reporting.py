"""Row outcomes, which are written to the journal and passed to ``on_row``, and job totals."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import msgspec

from wosdk_async.calls.outcome import Done, Failed, InDoubt, NotStarted, Outcome
from wosdk_async.company import is_closed
from wosdk_async.errors import InDoubtError, NotUniqueError, WosdkError
from wosdk_async.jobs.cluster.leases import LeaseLostError
from wosdk_async.jobs.errors import JournalError, WaitingRowError, reason_of
from wosdk_async.jobs.imports.opening import OpenedJob
from wosdk_async.jobs.imports.settling import Doubt, Settling
from wosdk_async.jobs.journal import (
    ANSWERED,
    LOOKED_UP,
    THERE_BEFORE,
    AuditResult,
    RowRecord,
    State,
    StoredRow,
    row_table,
)
from wosdk_async.jobs.journal.claims import Claim
from wosdk_async.jobs.journal.entries import presentable
from wosdk_async.jobs.journal.worker_tables import AuditState
from wosdk_async.jobs.ledger.outcomes import Kind, RowOutcome, Summary, code_of
from wosdk_async.jobs.ledger.overview import audit_state_of, unsent_warnings, why_no_audit
from wosdk_async.jobs.ledger.terms import Action, Standing
from wosdk_async.jobs.ledger.undone import UndoState, undo_state
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.stop import StopRules, client_closed
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.protocol.writes import Effect

if TYPE_CHECKING:
    from wosdk_async.jobs.cluster.job_workers import JobWorkers

_End = tuple[RowRecord, int, Kind | None, str | None]
"""A row's journal record, line, kind of outcome (None to report the row later), and affected entity type."""
_NO_EFFECT = Effect()
_T = TypeVar("_T")


@attrs.define(eq=False, kw_only=True)
class RowReports:
    """Reporter that writes row outcomes to the journal and passes them to ``on_row`` without secrets.

    It also returns the job's totals over all runs, and reports the rows that no stage reports.
    """

    job: OpenedJob
    settling: Settling
    """Settling of the rows that this run leaves in doubt."""
    stops: StopRules
    workers: JobWorkers | None
    unsent: set[int] = attrs.field(factory=set)
    """Rows that this run could not send; the next run tries again."""
    done: int = 0
    """Number of rows that succeeded in this run, without rows that were settled."""
    _started: float = attrs.field(factory=time.perf_counter)

    def report_not_sent(self, row: Row, error: Exception, *, alike: bool = True) -> None:
        """Report a row that cannot be built or must not be sent; for ``alike`` see ``StopRules.refused``."""
        reason = reason_of(error)
        if isinstance(error, WaitingRowError):
            self._count_unsent(row, reason)
            self._report([self._end(row, "not_started", reason=reason, code=type(error).__name__)])
        else:
            self.stops.refused(reason, alike=alike)
            self._report([self._end(row, "failed", reason=reason)])

    def report_existing(
        self,
        row: Row,
        reason: str,
        code: str | None = None,
        existing: Callable[[], Mapping[str, Any]] | None = None,
    ) -> None:
        """Report a row that is refused because its key already exists; see ``StopRules.refused``."""
        self.stops.refused(reason, existing=existing)
        self._report([self._end(row, "failed", reason=reason, code=code, proof=THERE_BEFORE)])

    def report_found(self, row: Row, effect: Effect, ended: str | None) -> None:
        """Report a row whose record already existed; ``ended`` describes a cancelled or removed record."""
        self._report([self._end(row, "found", effect, reason=ended)])

    def report_carried_out(self, row: Row, effect: Effect) -> None:
        """Report a row that succeeded in an earlier attempt."""
        self.done += 1
        self._report([self._end(row, self.settling.operation.label, effect, proof=LOOKED_UP)])

    def report_calls(self, outcomes: Sequence[Outcome[Claim, Any]]) -> None:
        """Report the outcomes of calls."""
        now = self._now()
        self._report(
            [self._done(each, now) if isinstance(each, Done) else self._not_done(each) for each in outcomes]
        )

    def _not_done(self, outcome: Failed[Claim] | InDoubt[Claim] | NotStarted[Claim]) -> _End:
        claim, closed = outcome.input, is_closed(self.settling.company)
        if isinstance(outcome, InDoubt):
            # A lost worker leaves many rows in doubt at once, which says nothing about the service.
            if claim.key is None or not isinstance(outcome.error, LeaseLostError):
                self.stops.in_doubt()
            return self._doubt(claim, outcome.error)
        if isinstance(outcome, Failed) and not (closed and ending_of(outcome.error).passes):
            # The row's key was new, so at least one of several records with this key is the row's.
            if isinstance(outcome.error, NotUniqueError):
                self.stops.in_doubt()
                return self._doubt(claim, outcome.error)
            return self._fail(claim, outcome.error)
        if closed:
            self.stops.stop.start_no_more(client_closed())
        return RowRecord(claim.row.number, State.PLANNED), 0, None, None

    def _done(self, end: Done[Claim, Any], now: float) -> _End:
        claim = end.input
        self.done += 1
        self.stops.done()
        # A worker, or the call of a written command, returns the effect.
        effect = end.result if isinstance(end.result, Effect) else self.settling.operation.effect(end.result)
        # A found record may have been created by another call with this key, not by this job.
        proof = None if end.found else ANSWERED
        call = _warnings(claim.row), end.attempts, effect.version, now - claim.started, proof
        record = RowRecord(claim.row.number, _DONE, effect.id, effect.number, None, None, None, *call)
        return record, claim.row.line, self.settling.operation.label, effect.entity or None

    def _fail(self, claim: Claim, error: Exception) -> _End:
        reason = reason_of(error)
        if ending_of(error).passes:
            # The call was not carried out, for a reason unrelated to the row, so the row stays planned.
            self._count_unsent(claim.row, reason)
            return self._end(claim.row, "not_started", **self._facts(claim, error, reason))
        self.stops.refused(reason)
        return self._end(claim.row, "failed", **self._facts(claim, error, reason))

    def _doubt(self, claim: Claim, error: InDoubtError | NotUniqueError) -> _End:
        """Report a row without a key; defer the report of a row with a key until the row is settled."""
        facts = self._facts(claim, error, reason_of(error))
        if claim.key is None:
            return self._end(claim.row, "in_doubt", **facts)
        facts |= {"line": claim.row.line, "key": claim.key, "warnings": _warnings(claim.row)}
        row = StoredRow(claim.row.number, State.IN_DOUBT, **facts)
        record = claim.record if self.settling.operation.compares else None
        self.settling.undecided.append(Doubt(row, self.settling.clock.now(), record))
        return row, row.line, None, None

    def _facts(self, claim: Claim, error: Exception, reason: str) -> dict[str, Any]:
        behind = self.job.request.import_map.columns_behind(reason)
        return {
            "reason": f"{reason} ({behind})" if behind else reason,
            "code": code_of(error),
            "request_id": getattr(error, "request_id", None),
            "attempts": error.attempts if isinstance(error, WosdkError) else 0,
            "seconds": self._now() - claim.started,
        }

    @cached_property
    def _now(self) -> Callable[[], float]:
        # Cached: before Python 3.12, get_running_loop() makes a system call for the process id.
        return asyncio.get_running_loop().time

    def _count_unsent(self, row: Row, reason: str) -> None:
        self.unsent.add(row.number)
        self.stops.unsent(reason)

    def _end(self, row: Row, kind: Kind, effect: Effect = _NO_EFFECT, **facts: Any) -> _End:
        record = RowRecord(
            row.number, _STATES[kind], effect.id, effect.number, warnings=_warnings(row), **facts
        )
        return record, row.line, kind, effect.entity or None

    def _report(self, ends: Sequence[_End]) -> None:
        journal, on_row = self.settling.journal, self.settling.on_row
        records = journal.record_all([end[0] for end in ends])
        if journal.failed is not None:
            self.stops.stop.start_no_more(journal.failed)
        for record, (_, line, kind, entity) in zip(records, ends, strict=True):
            if kind is not None:
                on_row(RowOutcome.of(record, line, kind, entity))

    # --- totals over all runs -----------------------------------------------------------------

    @property
    def ended_now(self) -> int:
        """The number of rows that succeeded or failed in this run."""
        return self._done_now + self.stops.failed

    async def report_refused(self) -> None:
        """Report rows that remain refused, including rows with repeated keys.

        These rows do not count towards the stop limits, because nothing is sent for them.
        """
        async for stored in self._stored(State.REFUSED):
            self.job.request.on_row(RowOutcome.of(stored, stored.line, "failed"))

    async def report_not_started(self) -> None:
        """Report rows that were not started."""
        cause = self.stops.stop.cause
        reason = cause.message if cause is not None else "the import stopped before this row"
        unsent = presentable(RowRecord(0, State.PLANNED, reason=reason), self.job.journal.secrets())
        async for stored in self._stored(State.PLANNED):
            if stored.row not in self.unsent:
                record = msgspec.structs.replace(unsent, row=stored.row)
                self.job.request.on_row(RowOutcome.of(record, stored.line, "not_started"))

    async def _stored(self, state: State) -> AsyncIterator[StoredRow]:
        async for page in self.job.journal.file_pages(state):
            for stored in page:
                yield stored

    async def summary(self) -> Summary:
        """Return the counts of the job."""
        counts, request = await self._counts(), self.job.request
        index, plan = request.index, self.job.plan
        changed, first_changed = await self._changed()
        unwritten = self.job.journal.unwritten
        audit, audit_state = await self.read_audit()
        undo = await _read_or(undo_state(self.job.journal), None)
        found_undone = plan.found_undone if plan.actions[Standing.UNDONE] is Action.SKIP else 0
        return Summary(
            rows=sum(counts.values()),
            empty_rows=request.source.empty_rows,
            done=counts[State.DONE],
            label=request.action.label,
            found=counts[State.FOUND] - found_undone,
            found_undone=found_undone,
            undone=undo.done if undo is not None else 0,
            undo_in_doubt=undo.doubted if undo is not None else 0,
            changed=changed,
            first_changed=first_changed,
            gone=sum(plan.gone.values()),
            plan={each.name.lower(): plan.counts[each] for each in sorted(plan.counts)},
            failed=counts[State.REFUSED],
            in_doubt=counts[State.IN_DOUBT] + counts[State.SENDING],
            not_started=counts[State.PLANNED],
            waiting=len(self.unsent),
            done_now=max(self._done_now - sum(each.state is State.DONE for each in unwritten), 0),
            seconds=time.perf_counter() - self._started,
            references_found=index.found,
            references_created=index.created,
            warnings=[
                *self._warnings(undo),
                *await self._unsent_elsewhere(),
                *await self._found_ended(counts[State.FOUND]),
            ],
            stopped=self.stops.stop.reason,
            audit=audit,
            audit_state=audit_state,
            audit_why=why_no_audit(self.job.about) if audit_state == "impossible" else None,
            unwritten=unwritten,
            folder=self.job.folder,
        )

    async def _changed(self) -> tuple[int, int | None]:
        """Return how many done rows have changed, and the line of the first.

        The count includes rows settled in this run.
        """
        if self.job.request.action.compares:
            return 0, None
        before = self.job.plan.counts.get(Standing.DONE_CHANGED, 0)
        return await _read_or(self.job.journal.read(row_table.count_changed), (before, None))

    async def _unsent_elsewhere(self) -> list[str]:
        unsent = await _read_or(self.job.journal.unsent_elsewhere(), (0, 0))
        return unsent_warnings(
            unsent, self.job.journal.plan, self.job.folder, self.job.request.report_words.remedy
        )

    async def _found_ended(self, found: int) -> list[str]:
        if not found:
            return []
        count, line = await _read_or(self.job.journal.read(row_table.count_found_ended), (0, None))
        if not count:
            return []
        return [
            f"{count} of the {found} records found are cancelled or removed (first: line {line}), and the "
            "import did not create them again; restore them, or import the rows with new keys"
        ]

    def _warnings(self, undo: UndoState | None) -> list[str]:
        warnings = [*self.job.rows.warnings, *self.job.request.index.warnings]
        if undo is not None and undo.is_unfinished:
            warnings.insert(0, f"an undo of this job did not finish; {undo.how_to_resume}")
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
        return self.done + self.settling.done

    async def _counts(self) -> Mapping[State, int]:
        journal = self.job.journal
        with contextlib.suppress(JournalError):  # the summary lists outcomes that cannot be written
            await journal.flush()
        try:
            return journal.counts()
        except JournalError:  # the journal cannot be read either
            counts = Counter({State.DONE: self._done_now, State.IN_DOUBT: self.stops.doubted})
            counts[State.REFUSED] = self.stops.failed - len(self.unsent)
            counts[State.PLANNED] = self.job.rows.rows - counts.total()
            return counts


async def _read_or(read: Awaitable[_T], otherwise: _T) -> _T:
    try:
        return await read
    except JournalError:
        return otherwise


def _warnings(row: Row) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.warnings)) if row.warnings else ()


_DONE = State.DONE  # an Enum takes long to look up its members
_STATES = {
    **dict.fromkeys(("created", "updated", "deleted", "done"), _DONE),
    "found": State.FOUND,
    "failed": State.REFUSED,
    "in_doubt": State.IN_DOUBT,
    "not_started": State.PLANNED,
}
