"""Undo of a job: records that it surely created are cancelled or deleted, unless somebody changed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from typing import Any, Literal

import attrs

from wosdk_async.bulk import Run
from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError, UnsupportedError, WosdkError
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import ANSWERED, LOOKED_UP, Journal, RowRecord, State, StoredRow
from wosdk_async.model import Record, WoCancelCommand, WoCreateCommand, WorkOrder, WOStatus, entity_class
from wosdk_async.outcome import Done, Failed, InDoubt, NotStarted, Outcome
from wosdk_async.query.fields import fields
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["FATES", "Undo", "UndoRow", "UndoSummary", "created_entity"]

FRESH = 1
"""Version of a record that nobody has changed (facts 3.3: after a create it is 1 in all recorded cases)."""

_PAGE = 200  # records that are read in one query
_CANCELLED = "Cancelled"

Fate = Literal["undo", "undone", "changed", "gone", "unsure", "unversioned", "refused", "in_doubt"]

FATES: dict[Fate, str] = {
    "undo": "to be undone",
    "undone": "undone",
    "changed": "left, because they were changed since",
    "gone": "left, because they are cancelled or removed already",
    "unsure": "left, because this job did not see that it created them",
    "unversioned": "left, because nobody can tell whether they were changed",
    "refused": "refused by the service",
    "in_doubt": "in doubt",
}
"""What an undo does with a record, or did, each with words for people."""


@attrs.frozen
class UndoRow:
    """One row of the job, and what the undo does with its record, or did."""

    row: int
    id: int | None
    number: str | None
    fate: Fate
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, without what is not known."""
        return attrs.asdict(self, filter=lambda _, value: value is not None)


@attrs.define
class UndoSummary:
    """The counts of an undo, by fate, and the rows of which people want to know."""

    counts: Counter[Fate] = attrs.field(factory=Counter)
    not_started: int = 0

    @property
    def complete(self) -> bool:
        """Whether nothing that was to be undone is left."""
        return not (self.counts["refused"] + self.counts["in_doubt"] + self.not_started)

    def as_dict(self) -> dict[str, int]:
        """Return the counts as plain data."""
        return {**{fate: self.counts[fate] for fate in FATES}, "not_started": self.not_started}


@attrs.frozen
class _Target:
    """A record that is undone, as it was read just before."""

    row: StoredRow
    record: Any
    begun: bool
    """Whether an earlier attempt may have been carried out."""


def created_entity(operation: str) -> type[Record]:
    """Return the entity type that an operation creates.

    Raises:
        UnsupportedError: it does not create anything.
    """
    if operation == WoCreateCommand.wire_name:
        return WorkOrder
    verb, _, name = operation.partition(" ")
    found: Any = entity_class(name) if verb == "create" else None
    if found is None:
        raise UnsupportedError(f"a job of {operation!r} cannot be undone: it did not create records")
    return found  # type: ignore[no-any-return]


@attrs.define(eq=False, kw_only=True)
class Undo:
    """Takes back what a job created: work orders are cancelled, records of other entities deleted.

    Only those whose creation this job saw answered, or whose key was absent before its first attempt and
    found after it. Each record is read first: one that has another version than after its creation is left.
    The undo is written in the journal of the job, so that a killed one goes on when it is given again.

    Args:
        company: the Company of the job.
        journal: the journal of the job, open for writing.
        limit: most calls at a time.
        on_row: called with each row, when it is known what becomes of its record.
    """

    company: Company
    journal: Journal
    limit: int = 16
    on_row: Callable[[UndoRow], None] = lambda _: None
    _entity: type[Record] = attrs.field(init=False)
    _run: Run[_Target, Any] | None = attrs.field(init=False, default=None)
    _stopped: bool = attrs.field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        self._entity = created_entity(self.journal.plan.operation)

    @property
    def cancels(self) -> bool:
        """Whether records are cancelled, which takes a reason, and not deleted."""
        return self._entity is WorkOrder

    @property
    def noun(self) -> str:
        """The kind of the records, for people."""
        return "work order" if self.cancels else f"{self._entity.__name__} record"

    @property
    def verb(self) -> str:
        """What is done with them: ``cancelled`` or ``deleted``."""
        return "cancelled" if self.cancels else "deleted"

    def stop(self) -> None:
        """Undo no further record."""
        self._stopped = True
        if self._run is not None:
            self._run.stop()

    async def look(self) -> UndoSummary:
        """Read the records, and return what :meth:`run` would do; change nothing."""
        summary = UndoSummary()
        async for target in self._targets(summary):
            self._say(summary, target.row, "undo")
        return summary

    async def run(self, reason: int | None = None, comment: str | None = None) -> UndoSummary:
        """Take back the records that :meth:`look` shows, as far as they are still unchanged.

        Args:
            reason: id of the WoActionReasonLookup record that cancelled work orders get.
            comment: text for their log.

        Raises:
            InvalidCallError: work orders are to be cancelled, and there is no reason.
            JournalError: the journal cannot be written; nothing more was sent.
        """
        if self.cancels and reason is None:
            raise InvalidCallError("reason is None; a work order is cancelled with a reason")
        summary = UndoSummary()

        async def call(target: _Target, trace: Trace) -> Any:
            await self.journal.begin_undo(target.row.row)
            return await self._take_back(target, trace, reason, comment)

        self._run = Run(self._targets(summary), call, limit=self.limit, grace=5.0)
        if self._stopped:
            self._run.stop()
        try:
            async with self._run:
                async for outcome in self._run:
                    await self._report(summary, outcome)
        finally:
            async for outcome in self._run:  # after a cancellation: what ended meanwhile
                await self._report(summary, outcome)
            await self.journal.flush()
        return summary

    # --- what is to be undone -----------------------------------------------------------------

    async def _targets(self, summary: UndoSummary) -> AsyncIterator[_Target]:
        after = 0
        while page := await self.journal.rows_in(State.DONE, after=after, limit=_PAGE):
            after = page[-1].row
            undos = await self.journal.undos(page[0].row, after)
            wanted = []
            for row in page:
                state = undos[row.row].state if row.row in undos else State.PLANNED
                if state == State.DONE:
                    self._say(summary, row, "undone")
                elif row.proof not in (ANSWERED, LOOKED_UP) or row.id is None:
                    self._say(summary, row, "unsure")
                else:
                    wanted.append((row, state in (State.SENDING, State.IN_DOUBT)))
            records = await self._read([row.id for row, _ in wanted if row.id is not None])
            for row, begun in wanted:
                record = records.get(row.id or 0)
                if (fate := self._fate(row, record)) == "undo":
                    yield _Target(row, record, begun)
                elif fate == "gone" and begun:
                    self._undone(summary, row)
                else:
                    self._say(summary, row, fate, self._why(fate, row, record))

    async def _read(self, ids: Sequence[int]) -> dict[int, Any]:
        """Return the records that are there, removed ones too, by their ids."""
        if not ids:
            return {}
        table = self._entity.__wire__
        wanted = [name for name in ("id", "concurrency_id", "is_removed", "status_id") if name in table]
        at: Any = fields(self._entity)
        query = self.company.query(self._entity).where(at.id.in_(list(ids)))
        records: AsyncIterable[Any] = query.select(*(getattr(at, name) for name in wanted))
        return {record.id: record async for record in records}

    def _fate(self, row: StoredRow, record: Any) -> Fate:
        if record is None or getattr(record, "is_removed", False):
            return "gone"
        if self.cancels and record.status_id == _CANCELLED:
            return "gone"
        version = getattr(record, "concurrency_id", None)
        if version is None:
            return "unversioned"
        return "undo" if version == _version(row) else "changed"

    def _why(self, fate: Fate, row: StoredRow, record: Any) -> str | None:
        if fate != "changed":
            return None
        return f"its version was {_version(row)}, and is {record.concurrency_id}"

    # --- what became of it --------------------------------------------------------------------

    async def _take_back(self, target: _Target, trace: Trace, reason: int | None, comment: str | None) -> Any:
        company = self.company.traced(trace)
        assert target.row.id is not None  # noqa: S101 - _targets leaves out rows without
        if not self.cancels:
            return await company.delete(self._entity, target.row.id, missing_ok=True)
        # facts 3.7: state and version are what the service is to find, so that nothing is cancelled that
        # somebody changes just now
        command = WoCancelCommand(
            work_order_id=target.row.id,
            action_reason_id=reason,
            comment=comment,
            status_id=WOStatus(str(target.record.status_id)),
            concurrency_id=target.record.concurrency_id,
        )
        return await company.run(command)

    async def _report(self, summary: UndoSummary, outcome: Outcome[_Target, Any]) -> None:
        row = outcome.input.row
        if isinstance(outcome, NotStarted):
            summary.not_started += 1
        elif isinstance(outcome, Done):
            self._undone(summary, row)
        elif isinstance(outcome, InDoubt):
            reason = outcome.error.message
            self._record(row, State.IN_DOUBT, reason, outcome.error.request_id)
            self._say(summary, row, "in_doubt", reason)
        elif isinstance(outcome, Failed):
            if isinstance(outcome.error, JournalError):
                raise outcome.error
            await self._report_refused(summary, outcome.input, outcome.error)

    async def _report_refused(self, summary: UndoSummary, target: _Target, error: Exception) -> None:
        """Look why the service refused: the record may be gone by an earlier attempt, or just changed."""
        reason = error.message if isinstance(error, WosdkError) else f"{type(error).__name__}: {error}"
        try:
            record = (await self._read([target.row.id or 0])).get(target.row.id or 0)
            fate = self._fate(target.row, record)
        except WosdkError:
            fate, record = "undo", None
        if fate == "gone" and target.begun:
            self._undone(summary, target.row)
            return
        self._record(target.row, State.IN_DOUBT if target.begun else State.REFUSED, reason)
        if fate in ("gone", "changed"):
            self._say(summary, target.row, fate, self._why(fate, target.row, record))
        else:
            self._say(summary, target.row, "refused", reason)

    def _undone(self, summary: UndoSummary, row: StoredRow) -> None:
        self._record(row, State.DONE)
        self._say(summary, row, "undone")

    def _record(
        self, row: StoredRow, state: State, reason: str | None = None, request_id: str | None = None
    ) -> None:
        self.journal.record_undo(RowRecord(row.row, state, row.id, reason=reason, request_id=request_id))

    def _say(self, summary: UndoSummary, row: StoredRow, fate: Fate, reason: str | None = None) -> None:
        summary.counts[fate] += 1
        self.on_row(UndoRow(row.row, row.id, row.number, fate, reason))


def _version(row: StoredRow) -> int:
    """Return the version of a record after its creation; one that was looked up may have changed by then."""
    return row.version or FRESH if row.proof == ANSWERED else FRESH
