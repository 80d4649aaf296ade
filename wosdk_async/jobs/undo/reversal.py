"""Undo of a job: cancels or deletes the records that the job certainly created, if unchanged."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Sequence,
)
from contextlib import aclosing, nullcontext, suppress
from functools import partial
from typing import Any

import attrs

from wosdk_async.calls.markers import field_of
from wosdk_async.calls.outcome import Done, Failed, InDoubt, NotStarted, Outcome
from wosdk_async.calls.run_many import Run
from wosdk_async.company import Company, secrets_of
from wosdk_async.errors import InvalidCallError, UnsupportedError, WosdkError
from wosdk_async.jobs.cluster.leases import end_leases
from wosdk_async.jobs.errors import JournalError, reason_of
from wosdk_async.jobs.journal import Journal, ReferenceRecord, RowRecord, State
from wosdk_async.jobs.ledger.undone import OF_RUN, UNDO, UndoOutcome, UndoRow, UndoSummary
from wosdk_async.jobs.stop import ABORT_GRACE, Stop, StoppedError
from wosdk_async.jobs.undo.records import Created, CreatedRecords, Target, cancel, created_entity, delete
from wosdk_async.jobs.undo.references import created_references, find_used, pointers_to
from wosdk_async.model import WoCreateCommand, WorkOrder
from wosdk_async.protocol.arguments import require_support
from wosdk_async.protocol.writes import UNDECIDED
from wosdk_async.transport.telemetry.statistics import Trace

_PAGE = 200  # records per query
_UNSETTLED = "the import left this row in doubt; run the import again to settle it"
# An import looks up only the references of its rows.
_REFERENCE_UNSETTLED = (
    "the import left the creation in doubt; run the import again to settle it, or, if no row refers to "
    "the record now, look for the {} {!r} and delete it yourself"
)
_MAY_BE_USED = (
    "rows or references in doubt may use this record; run the import again to settle them, or, if they stay "
    "in doubt, delete it yourself"
)

_Call = Callable[[Target, Trace], Awaitable[Any]]


@attrs.define(eq=False, kw_only=True)
class Undo:
    """Undo of a job: cancels the work orders that the job created, and deletes its other records.

    An undo affects only records that the job certainly created. Each record is read first; a record whose
    version or key has changed is skipped. The job's journal records the progress, so that a killed undo
    resumes when rerun.

    Args:
        journal: the job's journal, open for writing.
        concurrency: maximum concurrent calls.
        unversioned: whether to delete records without a version, whose later changes cannot be detected.
        references: whether to also delete references that the job created, if nothing else uses them.
        of_run: number of the run to undo (default: all runs).
        on_row: called with each row or reference when its outcome is known.
        on_stage: called with progress messages while waiting for workers of a killed run.

    Raises:
        UnsupportedError: the job created nothing that the service can cancel or delete.
    """

    company: Company
    journal: Journal
    concurrency: int = 16
    unversioned: bool = False
    references: bool = False
    of_run: int | None = None
    on_row: Callable[[UndoRow], None] = lambda _: None
    on_stage: Callable[[str], None] = lambda _: None
    _records: CreatedRecords = attrs.field(init=False)
    _stop: Stop = attrs.field(init=False, factory=Stop)

    def __attrs_post_init__(self) -> None:
        self.journal.secrets = partial(secrets_of, self.company)
        plan = self.journal.plan
        entity, field = created_entity(plan.operation), None
        if plan.marker is not None:
            field = field_of(WoCreateCommand if entity is WorkOrder else entity, plan.marker)
        self._records = CreatedRecords(self.company, entity, field, self.unversioned, plan.job)

    @property
    def cancels(self) -> bool:
        """Whether records are cancelled (which requires a reason) instead of deleted."""
        return self._records.entity is WorkOrder

    @property
    def noun(self) -> str:
        """Display name of the record type."""
        return "work order" if self.cancels else f"{self._records.entity.__name__} record"

    @property
    def verb(self) -> str:
        """Past participle: ``cancelled`` or ``deleted``."""
        return "cancelled" if self.cancels else "deleted"

    @property
    def unchecked(self) -> str | None:
        """Warning about changes that the undo cannot detect, if any."""
        if not self._records.has_versions:
            rest = "deleted anyway" if self.unversioned else "not deleted"
            return (
                f"{self.noun}s have no versions, so later changes cannot be detected; the records are {rest}"
            )
        if self.references or not self.cancels:
            return "deletes do not check versions; a change between reading and deleting a record is lost"
        return None

    def stop(self) -> None:
        """Undo no further records, and cancel look-ups.

        When called again, also abort the requests in flight.
        """
        self._stop.ask()

    async def end_leases(self) -> None:
        """Wait until no worker of a killed run can send rows. Raises JournalError.

        Call this method before :meth:`look`, to include records that these workers create; :meth:`run` calls
        it itself.
        """
        with suppress(StoppedError):
            async with self._stop.cancellable():
                await end_leases(self.journal, self.on_stage)

    async def look(self) -> UndoSummary:
        """Do a dry run: read the records and return what :meth:`run` would do."""
        outcomes = self._outcomes(writes=False)
        async for target in self._targets(outcomes):
            await outcomes.plan([target])
        await self._undo_references(outcomes, outcomes.plan)
        return outcomes.summary

    async def run(self, reason: int | None = None, comment: str | None = None) -> UndoSummary:
        """Undo all records that can be undone.

        Args:
            reason: id of the ``WoActionReasonLookup``; required if any work order is to be cancelled.
            comment: log comment for cancelled work orders.

        Raises:
            InvalidCallError: the reason for cancelling work orders is missing.
            JournalError: the journal could not be written, so the undo has stopped.
        """
        await self.end_leases()
        if self.cancels and reason is None and await self._has_target():
            raise InvalidCallError("reason is missing; cancelling a work order needs one")
        outcomes = self._outcomes(writes=True)
        details = {OF_RUN: self.of_run, "comment": comment, "references": self.references}
        await self.journal.start_run(command=UNDO, **details)

        async def call(target: Target, trace: Trace) -> Any:
            created = target.created
            await self.journal.begin_undo(created if isinstance(created, ReferenceRecord) else created.row)
            company = self.company.traced(trace)
            if target.records.entity is WorkOrder:
                return await cancel(company, target, reason, comment)
            return await delete(company, target, trace)

        await self._carry_out(outcomes, call, self._targets(outcomes))
        await self._undo_references(outcomes, partial(self._carry_out, outcomes, call))
        summary = outcomes.summary
        await self.journal.end_run(int(not summary.complete), **{UNDO: summary.as_dict()})
        return summary

    async def _has_target(self) -> bool:
        async with aclosing(self._targets(self._outcomes(writes=False, on_row=lambda _: None))) as targets:
            async for _ in targets:
                return True
        return False

    def _outcomes(self, *, writes: bool, on_row: Callable[[UndoRow], None] | None = None) -> _Outcomes:
        return _Outcomes(
            journal=self.journal,
            stop=self._stop,
            on_row=on_row or self.on_row,
            writes=writes,
            keeps_planned=self.references,
        )

    async def _carry_out(
        self, outcomes: _Outcomes, call: _Call, targets: Iterable[Target] | AsyncIterable[Target]
    ) -> None:
        run = Run(targets, call, limit=self.concurrency, grace=ABORT_GRACE)
        # After a stop, let the run report all targets as not started instead of raising StoppedError.
        block = nullcontext() if self._stop.requests else self._stop.cancellable()
        try:
            with suppress(StoppedError):
                async with block:
                    await self._stop.consume(run, outcomes.report)
        finally:
            await self.journal.flush()

    async def _targets(self, outcomes: _Outcomes) -> AsyncGenerator[Target, None]:
        """Yield the rows' records that can be undone, and count the others."""
        try:
            self._records.shared = await self.journal.shared_ids()
            async for page in self.journal.pages(State.DONE, size=_PAGE, run=self.of_run):
                undos = await self.journal.undos(row.row for row in page)
                states = [(row, undos[row.row].state if row.row in undos else State.PLANNED) for row in page]
                async for target in outcomes.targets_of(self._records, states):
                    yield target
            async for page in self.journal.pages(*UNDECIDED, size=_PAGE, run=self.of_run):
                # Report rows in doubt, because nobody would look up their possible records after the undo.
                for row in page:
                    outcomes.count(row, "in_doubt", _UNSETTLED)
        except asyncio.CancelledError:  # an abort: a row counted as not started makes the undo incomplete
            outcomes.summary.not_started += 1
            raise

    # --- created references -------------------------------------------------------------------

    async def _undo_references(
        self, outcomes: _Outcomes, undo: Callable[[Sequence[Target]], Awaitable[None]]
    ) -> None:
        """Pass unused references to ``undo``, and count the others.

        Work in rounds: deleting a contact in one round can make its customer unused for the next round.
        """
        if not self.references:
            return
        pending = [target async for target in self._reference_targets(outcomes)]
        cancelled = await self.journal.undone_ids() if self.cancels else set[int]()
        while pending:
            try:
                async with self._stop.cancellable():
                    users = await find_used(
                        self.company, pending, leaving=outcomes.planned, cancelled=cancelled
                    )
            except StoppedError:
                outcomes.summary.not_started += len(pending)
                return
            if not (unused := [each for each in pending if each.name not in users]):
                break
            await undo(unused)
            pending = [each for each in pending if each.name in users]
        for target in pending:
            outcomes.count(target.created, *users[target.name])

    async def _reference_targets(self, outcomes: _Outcomes) -> AsyncIterator[Target]:
        """Yield created references that may be deleted if unused, and count the others."""
        references = await self.journal.references()
        doubted = {each.entity for each in references if each.state in UNDECIDED}
        if await self.journal.rows_in(*UNDECIDED, limit=1):
            doubted.add("")  # rows may use records of any type
        undone = [each for each in references if self.of_run in (None, each.run)]
        for each in undone:
            if each.state in UNDECIDED:
                reason = _REFERENCE_UNSETTLED.format(each.entity or "record", each.key)
                outcomes.count(each, "in_doubt", reason)
        done = [each for each in undone if each.state is State.DONE]
        for records, created in created_references(self.company, done, unversioned=self.unversioned):
            users = {"", *(pointer.user.wire_name for pointer in pointers_to(records.entity.wire_name))}
            for first in range(0, len(created), _PAGE):
                page = [(each, each.undo) for each in created[first : first + _PAGE]]
                async for target in outcomes.targets_of(records, page):
                    if doubted & users:
                        outcomes.count(target.created, "used", _MAY_BE_USED)
                        continue
                    try:
                        require_support(records.entity, "delete")
                    except UnsupportedError as error:
                        outcomes.count(target.created, "refused", error.message)
                    else:
                        yield target


@attrs.define(eq=False, kw_only=True)
class _Outcomes:
    """Outcomes of an undo or a dry run, counted and passed to ``on_row``; an undo also records them."""

    journal: Journal
    stop: Stop
    on_row: Callable[[UndoRow], None]
    writes: bool
    """Whether to record outcomes in the journal; False for a dry run."""
    keeps_planned: bool
    """Whether to fill ``planned``, which a dry run needs if references are to be undone, too."""
    summary: UndoSummary = attrs.field(factory=UndoSummary)
    planned: set[tuple[str, int]] = attrs.field(factory=set)
    """Entity types and ids of the records that a dry run plans to cancel or delete."""

    async def targets_of(
        self, records: CreatedRecords, created: Sequence[tuple[Created, State]]
    ) -> AsyncIterator[Target]:
        """Yield the records that can be undone, and count the others.

        ``created`` pairs each record with the state in which earlier undos left it.
        """
        wanted: list[tuple[Created, bool]] = []
        for each, state in created:
            if state is State.DONE:
                self.count(each, "undone")
            elif (outcome := records.outcome_without_reading(each)) is not None:
                self.count(each, outcome)
            else:
                wanted.append((each, state in UNDECIDED))
        try:
            async with self.stop.cancellable():
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
        """Report a refusal, which may mean that an earlier attempt succeeded or the record changed."""
        reason, created, records = reason_of(error), target.created, target.records
        # Only a delete is retried after a request that may have been carried out; a cancel never is.
        retried = records.entity is not WorkOrder and isinstance(error, WosdkError) and error.attempts > 1
        begun = target.begun or retried
        outcome: UndoOutcome = "refused"
        why: str | None = None
        with suppress(WosdkError, StoppedError):  # if the record cannot be read, report only the refusal
            async with self.stop.cancellable():
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
