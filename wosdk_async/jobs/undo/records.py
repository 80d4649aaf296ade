"""Created records of a job: reading and checking them, undoing them, and counting the outcomes."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import attrs

from wosdk_async.calls.markers import MarkedField
from wosdk_async.calls.outcome import Done, Failed, InDoubt, NotStarted, Outcome
from wosdk_async.company import Company, sender_of
from wosdk_async.errors import InDoubtError, NoAnswerError, RefusedError, WosdkError
from wosdk_async.jobs.errors import JournalError, reason_of
from wosdk_async.jobs.journal import ANSWERED, LOOKED_UP, Journal, ReferenceRecord, RowRecord, StoredRow
from wosdk_async.jobs.ledger.undone import UndoOutcome, UndoRow, UndoSummary
from wosdk_async.jobs.mapping.operations import usable_id
from wosdk_async.jobs.stop import Stop, StoppedError
from wosdk_async.model import Record, WoCancelCommand, WorkOrder, WOStatus
from wosdk_async.protocol.writes import UNDECIDED, LookUps, State
from wosdk_async.query.fields import fields
from wosdk_async.query.properties import property_at
from wosdk_async.transport.telemetry.statistics import Trace

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_FRESH = 1  # version of a new record (facts 3.3: 1 in all recorded cases)


Created = StoredRow | ReferenceRecord
"""Journal entry of the row or reference for which a record was created."""


@attrs.define(eq=False)
class CreatedRecords:
    """Created records of one entity type, which are read and checked before an undo.

    A record belongs to its row or reference if three conditions hold: the job certainly created it, its id is
    unique in the job, and it still has the key with which it was sent. A record counts as changed if its
    version has changed since its creation.
    """

    company: Company
    entity: type[Record]
    _field: MarkedField | None
    """Field with the row keys or reference names; None without a marker."""
    unversioned: bool = False
    """Whether to undo records without a version, whose later changes cannot be detected."""
    job: str = ""
    """Id of the ledger, with which default row keys begin."""
    shared: frozenset[int] = frozenset()
    """Ids that several rows or references share."""

    @property
    def has_versions(self) -> bool:
        """Whether the service assigns versions to these records."""
        return "concurrency_id" in self.entity.__wire__

    def outcome_without_reading(self, created: Created) -> UndoOutcome | None:
        """Return the outcome of a record if it is known without a look-up; otherwise None."""
        if created.id is None:
            return "no_id"
        if not self._is_certain(created):
            return "unsure"
        return "shared" if created.id in self.shared else None

    def _is_certain(self, created: Created) -> bool:
        """Return whether a response or a look-up proves that the job created the record.

        A look-up is proof only for a default key, which no other job has. With any other key, another job may
        have created the record after this job's attempt failed.
        """
        is_own = isinstance(created, StoredRow) and created.key == f"{self.job}-{created.row}"
        return created.proof == ANSWERED or (created.proof == LOOKED_UP and is_own)

    async def read(self, ids: Sequence[int]) -> dict[int, Any]:
        """Read records by id, including removed ones. For an id that the service refuses, return the error.

        Records that seem to be missing are read twice, because missing records count as deleted.
        """
        return await look_up_twice(ids, self._read, self.company)

    async def _read(self, ids: Sequence[int]) -> dict[int, Any]:
        try:
            return await self._query(ids)
        except RefusedError as error:
            if len(ids) == 1:
                return {ids[0]: error}
        # Halve the ids to find those that the service refuses, for example because they are too large.
        middle = len(ids) // 2
        return await self._read(ids[:middle]) | await self._read(ids[middle:])

    async def _query(self, ids: Sequence[int]) -> dict[int, Any]:
        at: Any = fields(self.entity)
        names = ("id", "concurrency_id", "is_removed", "status_id")
        wanted = [getattr(at, name) for name in names if name in self.entity.__wire__]
        if self._field is not None:
            wanted.append(property_at(self._field.resolved))
        query = self.company.query(self.entity).where(at.id.in_(list(ids)))
        records: AsyncIterable[Any] = query.select(*wanted)
        found = {record.id: record async for record in records if usable_id(record.id) is not None}
        if not found.keys() <= set(ids):  # the condition may have been ignored, so no id is confirmed missing
            error = NoAnswerError("the look-up by id returned a record that was not requested")
            return dict.fromkeys(ids, error) | found
        return found

    def judge(self, created: Created, record: Any) -> tuple[UndoOutcome, str | None]:
        """Check a record from :meth:`read`; return ``undo`` or another outcome, and the reason."""
        if isinstance(record, WosdkError):
            return "unread", record.message
        if record is None:
            return "gone", "no record has this id"
        if getattr(record, "is_removed", False):
            return "gone", None
        if (reason := self._other_key(created, record)) is not None:
            return "other_key", reason
        if self.entity is WorkOrder and record.status_id == "Cancelled":
            return "gone", None
        version = getattr(record, "concurrency_id", None)
        if version is None:
            unchecked = self.unversioned and not self.has_versions
            return ("undo" if unchecked else "unversioned"), None
        expected = created.version or _FRESH
        if version == expected:
            return "undo", None
        return "changed", f"the version has changed from {expected} to {version}"

    def _other_key(self, created: Created, record: Any) -> str | None:
        """Describe how the record's key differs from the original one; return None if it does not."""
        # Rows that were sent before the map had a marker have no key to compare.
        if self._field is None or created.key is None:
            return None
        try:
            key = self._field.text_in(record)
        except NoAnswerError:
            key = ""
        if key == created.key.strip():
            return None
        found = f"{self._field.path} is {key!r:.80}, not {created.key!r:.80}"
        if key:
            return found
        remedy = "if the row was sent with another marker, import once with the map that names it"
        return f"{found}; {remedy}, then undo again"


async def look_up_twice(
    wanted: Sequence[K], look: Callable[[list[K]], Awaitable[dict[K, V]]], company: Company
) -> dict[K, V]:
    """Look up records, and look up missing records again.

    A single look-up may get another call's response, or the response of a lagging server.
    """
    found: dict[K, V] = {}
    clock = sender_of(company).transport.clock
    now = clock.now
    look_ups = LookUps(now(), settle=0.0)  # no wait, because no request in flight can create the records
    while look_ups.state is State.IN_DOUBT and (missing := [each for each in wanted if each not in found]):
        await clock.sleep(look_ups.counts_from - now())
        began = now()
        found |= await look(missing)
        look_ups = look_ups.after(began, now(), found=False)
    return found


@attrs.frozen
class Target:
    """Record to undo, in its current state."""

    records: CreatedRecords
    created: Created
    record: Any
    begun: bool
    """Whether an earlier undo attempt may have been carried out."""

    @property
    def id(self) -> int:
        """Record id."""
        assert self.created.id is not None  # noqa: S101 - records without an id are never targets
        return self.created.id

    @property
    def name(self) -> tuple[str, int]:
        """Entity type and record id."""
        return self.records.entity.wire_name, self.id


async def cancel(company: Company, target: Target, reason: int | None, comment: str | None) -> Any:
    """Cancel a work order if it has not changed since it was read."""
    # facts 3.7: the service refuses the command unless it has the record's status and version
    command = WoCancelCommand(
        work_order_id=target.id,
        action_reason_id=reason,
        comment=comment,
        status_id=WOStatus(str(target.record.status_id)),
        concurrency_id=target.record.concurrency_id,
    )
    return await company.run(command)


async def delete(company: Company, target: Target, trace: Trace) -> Any:
    """Delete a record if it still exists.

    A delete without a response can be repeated, so the client treats it as failed. An undo treats such a
    delete as in doubt, so that the next undo does not report that someone else removed the record.

    Raises:
        InDoubtError: a request was sent, but no response says whether it was carried out.
    """
    try:
        return await company.delete(target.records.entity, target.id, missing_ok=True)
    except RefusedError:
        raise
    except WosdkError as error:
        if trace.attempts > 1:  # even if the last request was not sent, an earlier one was
            text = f"an earlier request may have been carried out; the last one failed: {reason_of(error)}"
        elif trace.sent:
            text = f"the call may have been carried out: {reason_of(error)}"
        else:
            raise
        raise InDoubtError(text, request_id=error.request_id, attempts=error.attempts) from error


@attrs.define(eq=False, kw_only=True)
class Outcomes:
    """Outcomes of an undo or a dry run, counted and passed to ``on_row``; an undo also records them."""

    journal: Journal
    stop: Stop
    on_row: Callable[[UndoRow], None]
    writes: bool
    """Whether to record outcomes in the journal; False for a dry run."""
    keeps_planned: bool
    """Whether to fill ``planned``, which a dry run needs if references are to be undone too."""
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
