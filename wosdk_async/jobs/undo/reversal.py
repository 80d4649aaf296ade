"""Undo of a job: cancel or delete the records that it certainly created and nobody changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

import attrs

from wosdk_async.calls.run_many import Run
from wosdk_async.company import Company, secrets_of
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.cluster.leases import end_leases
from wosdk_async.jobs.journal import Journal, ReferenceRecord, State
from wosdk_async.jobs.ledger.undone import UNDO, UndoRow, UndoSummary
from wosdk_async.jobs.stop import ABORT_GRACE, Stop, StoppedError
from wosdk_async.jobs.undo.outcomes import UndoOutcomes
from wosdk_async.jobs.undo.records import CreatedRecords, Target, cancel, delete
from wosdk_async.jobs.undo.reference_rounds import PAGE, ReferenceRounds
from wosdk_async.model import WorkOrder
from wosdk_async.protocol.writes import UNDECIDED
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["Undo"]

_UNSETTLED = "the import left it in doubt; settle it first"

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
        outcomes = self._outcomes(writes=False)

        async def plan(targets: Sequence[Target]) -> None:
            for target in targets:
                outcomes.plan(target)

        async for target in self._targets(outcomes):
            outcomes.plan(target)
        await self._undo_references(outcomes, plan)
        return outcomes.summary

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
        outcomes = self._outcomes(writes=True)
        await self.journal.start_run(command=UNDO, comment=comment, references=self.references)

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

    def _outcomes(self, *, writes: bool) -> UndoOutcomes:
        return UndoOutcomes(
            journal=self.journal,
            stop=self._stop,
            on_row=self.on_row,
            writes=writes,
            keeps_planned=self.references,
        )

    async def _carry_out(
        self, outcomes: UndoOutcomes, call: _Call, targets: Iterable[Target] | AsyncIterable[Target]
    ) -> None:
        run = Run(targets, call, limit=self.limit, grace=ABORT_GRACE)
        # After a stop nothing starts: there is nothing to abort, and the run counts what is not started.
        block = nullcontext() if self._stop.requests else self._stop.ends()
        try:
            with suppress(StoppedError):
                async with block:
                    await self._stop.consume(run, outcomes.report)
        finally:
            await self.journal.flush()

    async def _targets(self, outcomes: UndoOutcomes) -> AsyncIterator[Target]:
        """Yield the records of rows to undo, and count the others."""
        try:
            self._records.shared = await self.journal.shared_ids()
            async for page in self.journal.pages(State.DONE, size=PAGE, run=self.of_run):
                undos = await self.journal.undos(row.row for row in page)
                states = [(row, undos[row.row].state if row.row in undos else State.PLANNED) for row in page]
                async for target in outcomes.judged(self._records, states):
                    yield target
            async for page in self.journal.pages(*UNDECIDED, size=PAGE, run=self.of_run):
                for row in page:  # its record may exist, and nobody would look for it after the undo
                    outcomes.count(row, "in_doubt", _UNSETTLED)
        except asyncio.CancelledError:  # an abort: some rows remain
            outcomes.summary.not_started += 1
            raise

    async def _undo_references(
        self, outcomes: UndoOutcomes, undo: Callable[[Sequence[Target]], Awaitable[None]]
    ) -> None:
        if self.references:
            rounds = ReferenceRounds(self.company, outcomes, self.unversioned, self.of_run)
            await rounds.run(undo, cancels=self.cancels)
