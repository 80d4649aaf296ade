"""Undo outcomes, recorded in the journal and counted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import Any

import attrs

from wosdk_async.calls.outcome import Done, Failed, InDoubt, NotStarted, Outcome
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.errors import JournalError, reason_of
from wosdk_async.jobs.journal import Journal, ReferenceRecord, RowRecord, State
from wosdk_async.jobs.ledger.undone import UndoOutcome, UndoRow, UndoSummary
from wosdk_async.jobs.stop import Stop, StoppedError
from wosdk_async.jobs.undo.records import Created, CreatedRecords, Target
from wosdk_async.model import WorkOrder
from wosdk_async.protocol.writes import UNDECIDED


@attrs.define(eq=False, kw_only=True)
class UndoOutcomes:
    """Outcomes of an undo or a dry run, each passed to ``on_row``."""

    journal: Journal
    stop: Stop
    on_row: Callable[[UndoRow], None]
    writes: bool
    """Whether to record outcomes in the journal; False for a dry run."""
    keeps_planned: bool
    """Whether to keep the planned records, on which the undo of references depends."""
    summary: UndoSummary = attrs.field(factory=UndoSummary)
    planned: set[tuple[str, int]] = attrs.field(factory=set)
    """Entity types and ids of the records that an undo would cancel or delete."""

    async def targets_of(
        self, records: CreatedRecords, created: Sequence[tuple[Created, State]]
    ) -> AsyncIterator[Target]:
        """Yield the records that can be undone, and count the others. ``created`` has earlier undo states."""
        wanted: list[tuple[Created, bool]] = []
        for each, state in created:
            if state is State.DONE:
                self.count(each, "undone")
            elif (outcome := records.outcome_without_reading(each)) is not None:
                self.count(each, outcome)
            else:
                wanted.append((each, state in UNDECIDED))
        try:
            async with self.stop.ends():
                found = await records.read([each.id for each, _ in wanted if each.id is not None])
        except StoppedError:
            self.summary.not_started += len(wanted)
            return
        for each, begun in wanted:
            current = found.get(each.id or 0)
            outcome, reason = records.judge(each, current)
            if outcome == "undo":
                yield Target(records, each, current, begun)
            elif outcome == "gone" and begun:
                self._count_undone(each)
            else:
                self.count(each, outcome, reason)

    async def report(self, outcome: Outcome[Target, Any]) -> None:
        """Record and count a call's outcome."""
        created = outcome.input.created
        if isinstance(outcome, NotStarted):
            self.summary.not_started += 1
        elif isinstance(outcome, Done):
            self._count_undone(created)
        elif isinstance(outcome, InDoubt):
            reason = reason_of(outcome.error)
            self._write(created, State.IN_DOUBT, reason, outcome.error.request_id)
            self.count(created, "in_doubt", reason)
        elif isinstance(outcome, Failed):
            if isinstance(outcome.error, JournalError):
                raise outcome.error
            await self._report_refused(outcome.input, outcome.error)

    async def _report_refused(self, target: Target, error: Exception) -> None:
        """Report a refused call, which may mean that an earlier attempt succeeded or the record changed."""
        reason, created, records = reason_of(error), target.created, target.records
        # Only a delete is retried after a request that may have been carried out; a cancel never is.
        retried = records.entity is not WorkOrder and isinstance(error, WosdkError) and error.attempts > 1
        begun = target.begun or retried
        outcome: UndoOutcome = "refused"
        why: str | None = None
        with suppress(WosdkError, StoppedError):  # if the record cannot be read, report only the refusal
            async with self.stop.ends():
                record = (await records.read([target.id])).get(target.id)
            outcome, why = records.judge(created, record)
        if outcome == "gone" and begun:
            self._count_undone(created)
            return
        self._write(created, State.IN_DOUBT if begun else State.REFUSED, reason)
        if outcome in ("gone", "changed"):
            self.count(created, outcome, why)
        else:
            self.count(created, "refused", reason)

    async def plan(self, targets: Sequence[Target]) -> None:
        """Count records that an undo would cancel or delete."""
        for target in targets:
            if self.keeps_planned:
                self.planned.add(target.name)
            self.count(target.created, "undo")

    def _count_undone(self, created: Created) -> None:
        self._write(created, State.DONE)
        self.count(created, "undone")

    def _write(
        self, created: Created, state: State, reason: str | None = None, request_id: str | None = None
    ) -> None:
        if not self.writes:
            return
        if isinstance(created, ReferenceRecord):
            self.journal.record_reference(
                attrs.evolve(created, undo=state, reason=reason, request_id=request_id)
            )
        else:
            self.journal.record_undo(
                RowRecord(created.row, state, created.id, reason=reason, request_id=request_id)
            )

    def count(self, created: Created, outcome: UndoOutcome, reason: str | None = None) -> None:
        """Count an outcome and pass it to ``on_row``."""
        if isinstance(created, ReferenceRecord):
            self.summary.references[outcome] += 1
            row = UndoRow(None, created.id, created.key, outcome, reason, created.reference)
        else:
            self.summary.counts[outcome] += 1
            row = UndoRow(created.row, created.id, created.number, outcome, reason)
        self.on_row(row)
