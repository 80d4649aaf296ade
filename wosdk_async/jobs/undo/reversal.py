"""Undo of a job: cancel or delete the records that it certainly created and nobody changed."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import attrs

from wosdk_async.calls.outcome import Done, Failed, InDoubt, NotStarted, Outcome
from wosdk_async.calls.run_many import Run
from wosdk_async.company import Company, secrets_of
from wosdk_async.errors import InvalidCallError, UnsupportedError, WosdkError
from wosdk_async.jobs.cluster.leases import end_leases
from wosdk_async.jobs.errors import JournalError, reason_of
from wosdk_async.jobs.journal import Journal, ReferenceRecord, RowRecord, State
from wosdk_async.jobs.ledger.undone import UNDO, UndoOutcome, UndoRow, UndoSummary
from wosdk_async.jobs.stop import ABORT_GRACE, Stop, StoppedError
from wosdk_async.jobs.undo.records import Created, CreatedRecords, Target, cancel, delete
from wosdk_async.jobs.undo.references import created_references, pointers_to, used
from wosdk_async.model import WorkOrder
from wosdk_async.protocol.arguments import require_support
from wosdk_async.protocol.writes import UNDECIDED
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["Undo"]

_PAGE = 200  # records that are read in one query
_UNSETTLED = "the import left it in doubt; settle it first"
_UNSETTLED_REFERENCE = "the import left its creation in doubt; run it again"
_MAY_BE_USED = "what the import left in doubt may refer to it; settle that first"

_Call = Callable[[Target, Trace], Awaitable[Any]]


@attrs.define(eq=False, kw_only=True)
class Undo:
    """Undo of the records that a job created: work orders are cancelled, others deleted.

    It touches only records whose creation was confirmed by a response, or by a look-up of a key that was
    absent before. Each record is read first: it stays if its version changed since the creation, or if it
    does not carry the key of its row. The journal of the job keeps the undo, so a killed one resumes when it
    is run again.

    Args:
        company: the Company of the job.
        journal: the journal of the job, open for writing.
        limit: maximum concurrent calls.
        unversioned: whether to delete records without versions, too, whose later changes cannot be noticed.
        references: whether to also delete the records that the job created for its rows to refer to, if
            nothing else uses them.
        of_run: number of the run to undo; by default all runs.
        on_row: called with each row or reference, when the outcome of its record is known.
        on_stage: called with a text while it waits for workers of a killed run, and with each warning.

    Raises:
        UnsupportedError: the job created nothing, or nothing that the service can cancel or delete.
    """

    company: Company
    journal: Journal
    limit: int = 16
    unversioned: bool = False
    references: bool = False
    of_run: int | None = None
    on_row: Callable[[UndoRow], None] = lambda _: None
    on_stage: Callable[[str], None] = lambda _: None
    _records: CreatedRecords = attrs.field(init=False)
    _stop: Stop = attrs.field(init=False, factory=Stop)
    _to_undo: set[tuple[str, int]] = attrs.field(init=False, factory=set)
    """Records that :attr:`run` would undo, by entity type and id, if references depend on it."""

    def __attrs_post_init__(self) -> None:
        self.journal.secrets = partial(secrets_of, self.company)
        plan, unversioned = self.journal.plan, self.unversioned
        self._records = CreatedRecords.of_rows(self.company, plan, unversioned=unversioned)

    @property
    def cancels(self) -> bool:
        """Whether records are cancelled, which takes a reason, instead of deleted."""
        return self._records.entity is WorkOrder

    @property
    def noun(self) -> str:
        """Display name of the kind of records."""
        return "work order" if self.cancels else f"{self._records.entity.__name__} record"

    @property
    def verb(self) -> str:
        """Past participle: ``cancelled`` or ``deleted``."""
        return "cancelled" if self.cancels else "deleted"

    @property
    def unchecked(self) -> str | None:
        """Warning about changes that the undo cannot notice; None without one."""
        if not self._records.has_versions:
            rest = "deleted anyway" if self.unversioned else "not deleted"
            return f"a {self.noun} has no version, so later changes cannot be noticed: they are {rest}"
        if self.references or not self.cancels:
            return "a delete checks no version: a change between the read of a record and its delete is lost"
        return None

    def stop(self) -> None:
        """Undo no further record, and end look-ups. Called again, abort the calls in flight."""
        self._stop.ask()

    async def end_leases(self) -> None:
        """Wait until no worker of a killed run can send rows of the job.

        :meth:`run` does so itself. Call it before :meth:`look`, to see what these workers created, too.

        Raises:
            JournalError: the journal cannot be written.
        """
        with suppress(StoppedError):
            async with self._stop.ends():
                await end_leases(self.journal, self.on_stage)

    async def look(self) -> UndoSummary:
        """Read the records and return what :meth:`run` would do, without changing anything."""
        summary = UndoSummary()
        self._to_undo.clear()
        async for target in self._targets(summary, record=False):
            self._plan(summary, target)
        if self.references:
            await self._undo_references(summary)
        return summary

    async def run(self, reason: int | None = None, comment: str | None = None) -> UndoSummary:
        """Undo the records that :meth:`look` shows and that are still unchanged.

        Args:
            reason: id of the WoActionReasonLookup record that cancelled work orders get.
            comment: text for the log of cancelled work orders.

        Raises:
            InvalidCallError: a work order cannot be cancelled without a reason.
            JournalError: the journal cannot be written; nothing more was sent.
        """
        if self.cancels and reason is None:
            raise InvalidCallError("reason is missing; cancelling a work order needs one")
        await self.end_leases()
        summary = UndoSummary()
        self._to_undo.clear()
        await self.journal.start_run(command=UNDO, comment=comment, references=self.references)

        async def call(target: Target, trace: Trace) -> Any:
            created = target.created
            await self.journal.begin_undo(created if isinstance(created, ReferenceRecord) else created.row)
            company = self.company.traced(trace)
            if target.records.entity is WorkOrder:
                return await cancel(company, target, reason, comment)
            return await delete(company, target, trace)

        await self._carry_out(summary, self._targets(summary), call)
        if self.references:
            await self._undo_references(summary, call)
        await self.journal.end_run(int(not summary.complete), **{UNDO: summary.as_dict()})
        return summary

    async def _carry_out(
        self, summary: UndoSummary, targets: Iterable[Target] | AsyncIterable[Target], call: _Call
    ) -> None:
        run = Run(targets, call, limit=self.limit, grace=ABORT_GRACE)
        try:
            with suppress(StoppedError):
                async with run, self._stop.ends():
                    with self._stop.lets_end(run.stop):
                        async for outcome in run:
                            await self._report(summary, outcome)
        finally:
            try:
                async for outcome in run:  # outcomes that were not read, and inputs that were not started
                    await self._report(summary, outcome)
            except InvalidCallError:  # a cancellation ended the generator of targets: some remain
                summary.not_started += 1
            await self.journal.flush()

    # --- selection ----------------------------------------------------------------------------

    async def _targets(self, summary: UndoSummary, *, record: bool = True) -> AsyncIterator[Target]:
        """Yield the records of rows to undo, and count the others.

        ``record`` saves records found to be undone by an earlier attempt.
        """
        self._records.shared = await self.journal.shared_ids()
        async for page in self.journal.pages(State.DONE, size=_PAGE, run=self.of_run):
            undos = await self.journal.undos(row.row for row in page)
            states = [(row, undos[row.row].state if row.row in undos else State.PLANNED) for row in page]
            async for target in self._judged(summary, self._records, states, record=record):
                yield target
        async for page in self.journal.pages(*UNDECIDED, size=_PAGE, run=self.of_run):
            for row in page:  # its record may exist, and nobody would look for it after the undo
                self._count(summary, row, "in_doubt", _UNSETTLED)

    async def _judged(
        self,
        summary: UndoSummary,
        records: CreatedRecords,
        created: Sequence[tuple[Created, State]],
        *,
        record: bool,
    ) -> AsyncIterator[Target]:
        """Yield the records that can be undone, given the state of each one's undo; count the others."""
        wanted: list[tuple[Created, bool]] = []
        for each, state in created:
            if state is State.DONE:
                self._count(summary, each, "undone")
            elif (outcome := records.outcome_unread(each)) is not None:
                self._count(summary, each, outcome)
            else:
                wanted.append((each, state in UNDECIDED))
        try:
            async with self._stop.ends():
                found = await records.read([each.id for each, _ in wanted if each.id is not None])
        except StoppedError:
            summary.not_started += len(wanted)
            return
        for each, begun in wanted:
            current = found.get(each.id or 0)
            outcome, reason = records.judge(each, current)
            if outcome == "undo":
                yield Target(records, each, current, begun)
            elif outcome == "gone" and begun:
                if record:
                    self._record(each, State.DONE)
                self._count(summary, each, "undone")
            else:
                self._count(summary, each, outcome, reason)

    # --- references ---------------------------------------------------------------------------

    async def _undo_references(self, summary: UndoSummary, call: _Call | None = None) -> None:
        """Delete the created references that nothing else uses, or without ``call`` only count them.

        It takes rounds: once a contact is deleted, nothing uses its customer any more.
        """
        pending = [target async for target in self._reference_targets(summary, record=call is not None)]
        cancelled = await self.journal.undone_ids() if self.cancels else set[int]()
        while pending:
            try:
                async with self._stop.ends():
                    users = await used(self.company, pending, leaving=self._to_undo, cancelled=cancelled)
            except StoppedError:
                summary.not_started += len(pending)
                return
            unused = [each for each in pending if each.name not in users]
            if not unused:
                break
            if call is None:
                for target in unused:
                    self._plan(summary, target)
            else:
                await self._carry_out(summary, unused, call)
            pending = [each for each in pending if each.name in users]
        for target in pending:
            self._count(summary, target.created, *users[target.name])

    async def _reference_targets(self, summary: UndoSummary, *, record: bool) -> AsyncIterator[Target]:
        """Yield the created references that may be deleted unless they are used, and count the others."""
        references = await self.journal.references()
        doubted = {each.entity for each in references if each.state in UNDECIDED}
        if await self.journal.rows_in(*UNDECIDED, limit=1):
            doubted.add("")
        # Earlier versions did not save the run.
        undone = [each for each in references if self.of_run in (None, each.run) or not each.run]
        for each in undone:
            if each.state in UNDECIDED:
                self._count(summary, each, "in_doubt", _UNSETTLED_REFERENCE)
            elif each.state is State.DONE and not each.entity:
                self._count(summary, each, "unsure", "the ledger is of an earlier version")
        done = [each for each in undone if each.state is State.DONE]
        for records, found in created_references(self.company, done, unversioned=self.unversioned):
            users = {"", *(pointer.user.wire_name for pointer in pointers_to(records.entity.wire_name))}
            for first in range(0, len(found), _PAGE):
                page = [(each, each.undo) for each in found[first : first + _PAGE]]
                async for target in self._judged(summary, records, page, record=record):
                    if doubted & users:
                        self._count(summary, target.created, "used", _MAY_BE_USED)
                        continue
                    try:
                        require_support(records.entity, "delete")
                    except UnsupportedError as error:
                        self._count(summary, target.created, "refused", error.message)
                    else:
                        yield target

    # --- outcomes -----------------------------------------------------------------------------

    async def _report(self, summary: UndoSummary, outcome: Outcome[Target, Any]) -> None:
        created = outcome.input.created
        if isinstance(outcome, NotStarted):
            summary.not_started += 1
        elif isinstance(outcome, Done):
            self._undone(summary, created)
        elif isinstance(outcome, InDoubt):
            reason = reason_of(outcome.error)
            self._record(created, State.IN_DOUBT, reason, outcome.error.request_id)
            self._count(summary, created, "in_doubt", reason)
        elif isinstance(outcome, Failed):
            if isinstance(outcome.error, JournalError):
                raise outcome.error
            await self._report_refused(summary, outcome.input, outcome.error)

    async def _report_refused(self, summary: UndoSummary, target: Target, error: Exception) -> None:
        """Find out why the service refused: an earlier attempt may have succeeded, or the record changed."""
        reason, created, records = reason_of(error), target.created, target.records
        # A cancel is retried only if it certainly was not carried out, a delete also if that is in doubt.
        again = records.entity is not WorkOrder and isinstance(error, WosdkError) and error.attempts > 1
        begun = target.begun or again
        outcome: UndoOutcome = "refused"
        why: str | None = None
        try:
            async with self._stop.ends():
                record = (await records.read([target.id])).get(target.id)
            outcome, why = records.judge(created, record)
        except (WosdkError, StoppedError):  # the reason of the refusal is known
            pass
        if outcome == "gone" and begun:
            self._undone(summary, created)
            return
        self._record(created, State.IN_DOUBT if begun else State.REFUSED, reason)
        if outcome in ("gone", "changed"):
            self._count(summary, created, outcome, why)
        else:
            self._count(summary, created, "refused", reason)

    def _undone(self, summary: UndoSummary, created: Created) -> None:
        self._record(created, State.DONE)
        self._count(summary, created, "undone")

    def _record(
        self, created: Created, state: State, reason: str | None = None, request_id: str | None = None
    ) -> None:
        if isinstance(created, ReferenceRecord):
            self.journal.record_reference(
                attrs.evolve(created, undo=state, reason=reason, request_id=request_id)
            )
        else:
            self.journal.record_undo(
                RowRecord(created.row, state, created.id, reason=reason, request_id=request_id)
            )

    def _plan(self, summary: UndoSummary, target: Target) -> None:
        """Count a record that would be undone."""
        if self.references:
            self._to_undo.add(target.name)
        self._count(summary, target.created, "undo")

    def _count(
        self, summary: UndoSummary, created: Created, outcome: UndoOutcome, reason: str | None = None
    ) -> None:
        if isinstance(created, ReferenceRecord):
            summary.references[outcome] += 1
            row = UndoRow(None, created.id, created.key, outcome, reason, created.reference)
        else:
            summary.counts[outcome] += 1
            row = UndoRow(created.row, created.id, created.number, outcome, reason)
        self.on_row(row)
