"""Undo of an import: it cancels or deletes unchanged records that the import certainly created.

``records.py`` reads and checks the records, and counts the outcomes; ``references.py`` finds records that
still use created references. Only the CLI imports this package.
"""

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
from wosdk_async.calls.run_many import Run
from wosdk_async.company import Company, secrets_of
from wosdk_async.errors import InvalidCallError, UnsupportedError
from wosdk_async.jobs.cluster.leases import end_leases
from wosdk_async.jobs.journal import Journal, ReferenceRecord, State
from wosdk_async.jobs.ledger.undone import OF_RUN, UNDO, UndoRow, UndoSummary
from wosdk_async.jobs.stop import ABORT_GRACE, Stop, StoppedError
from wosdk_async.jobs.undo.records import CreatedRecords, Outcomes, Target, cancel, delete
from wosdk_async.jobs.undo.references import created_references, find_used, pointers_to
from wosdk_async.model import Record, WoCreateCommand, WorkOrder, entity_class
from wosdk_async.protocol.arguments import require_support
from wosdk_async.protocol.writes import UNDECIDED
from wosdk_async.transport.telemetry.statistics import Trace

_PAGE = 200  # records per query
_UNSETTLED = "the import left this row in doubt; settle it first"
# An import looks up only the references of its rows.
_REFERENCE_UNSETTLED = (
    "the import left the creation in doubt; run the import again to settle it. If the file no longer "
    "refers to the record, look for the {} {!r} and delete it yourself"
)
_MAY_BE_USED = (
    "rows or references in doubt may use this record; run the import again to settle them. If they stay in "
    "doubt, delete the record yourself"
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

    def _outcomes(self, *, writes: bool, on_row: Callable[[UndoRow], None] | None = None) -> Outcomes:
        return Outcomes(
            journal=self.journal,
            stop=self._stop,
            on_row=on_row or self.on_row,
            writes=writes,
            keeps_planned=self.references,
        )

    async def _carry_out(
        self, outcomes: Outcomes, call: _Call, targets: Iterable[Target] | AsyncIterable[Target]
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

    async def _targets(self, outcomes: Outcomes) -> AsyncGenerator[Target, None]:
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
        self, outcomes: Outcomes, undo: Callable[[Sequence[Target]], Awaitable[None]]
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

    async def _reference_targets(self, outcomes: Outcomes) -> AsyncIterator[Target]:
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


def created_entity(operation: str) -> type[Record]:
    """Return the entity type that an operation creates.

    Raises:
        UnsupportedError: the operation creates nothing that the service can cancel or delete.
    """
    if operation == WoCreateCommand.wire_name:
        return WorkOrder
    verb, _, name = operation.partition(" ")
    entity: Any = entity_class(name) if verb == "create" else None
    if entity is None:
        raise UnsupportedError(f"a {operation!r} job cannot be undone, because it created no records")
    try:
        require_support(entity, "delete")
    except UnsupportedError as error:
        raise UnsupportedError(f"a {operation!r} job cannot be undone: {error.message}") from None
    return entity  # type: ignore[no-any-return]
