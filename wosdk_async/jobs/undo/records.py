"""Records that a job created: read as they are now, judged, and cancelled or deleted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Awaitable, Callable, Hashable, Sequence
from typing import Any, TypeVar

import attrs

from wosdk_async.calls.markers import MarkedField, field_of
from wosdk_async.company import Company
from wosdk_async.errors import InDoubtError, NoAnswerError, RefusedError, UnsupportedError, WosdkError
from wosdk_async.jobs.errors import reason_of
from wosdk_async.jobs.journal import ANSWERED, LOOKED_UP, JobPlan, ReferenceRecord, StoredRow
from wosdk_async.jobs.ledger.undone import UndoOutcome
from wosdk_async.jobs.mapping.operations import usable_id
from wosdk_async.model import Record, WoCancelCommand, WoCreateCommand, WorkOrder, WOStatus, entity_class
from wosdk_async.protocol.arguments import require_support
from wosdk_async.protocol.writes import LookUps, State
from wosdk_async.query.fields import fields
from wosdk_async.query.properties import property_at
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["Created", "CreatedRecords", "Target", "cancel", "created_entity", "delete", "looked_up"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_FRESH = 1
"""Version of a record after its creation (facts 3.3: 1 in all recorded cases)."""

_CANCELLED = "Cancelled"


def created_entity(operation: str) -> type[Record]:
    """Return the entity type that an operation creates.

    Raises:
        UnsupportedError: it creates nothing, or nothing that the service can cancel or delete.
    """
    if operation == WoCreateCommand.wire_name:
        return WorkOrder
    verb, _, name = operation.partition(" ")
    found: Any = entity_class(name) if verb == "create" else None
    if found is None:
        raise UnsupportedError(f"a job of {operation!r} cannot be undone: it did not create records")
    try:
        require_support(found, "delete")
    except UnsupportedError as error:
        raise UnsupportedError(f"a job of {operation!r} cannot be undone: {error.message}") from None
    return found  # type: ignore[no-any-return]


Created = StoredRow | ReferenceRecord
"""Row or reference that a record was created for, as the journal has it."""


@attrs.define(eq=False)
class CreatedRecords:
    """Reader of created records of one entity type, which decides what may be undone.

    A record belongs to its row or reference if a response or a look-up of the key said so, no other has its
    id, and the field for the key holds it, if it was sent with one. The version tells whether it changed.
    """

    company: Company
    entity: type[Record]
    _field: MarkedField | None
    """Field that carries the keys of the rows, or the names of the references; None without a marker."""
    unversioned: bool = False
    """Whether records without a version may be undone: later changes to them cannot be noticed."""
    shared: frozenset[int] = frozenset()
    """Ids that several rows or references have."""

    @classmethod
    def of_rows(cls, company: Company, plan: JobPlan, *, unversioned: bool) -> CreatedRecords:
        """Return the reader of the records that the rows of a job created.

        Raises:
            UnsupportedError: they created nothing, or nothing that can be undone.
        """
        entity, field = created_entity(plan.operation), None
        if plan.marker is not None:
            field = field_of(WoCreateCommand if entity is WorkOrder else entity, plan.marker)
        return cls(company, entity, field, unversioned)

    @property
    def has_versions(self) -> bool:
        """Whether the service counts the changes of these records."""
        return "concurrency_id" in self.entity.__wire__

    def outcome_unread(self, created: Created) -> UndoOutcome | None:
        """Return why a record stays unread; None if it has to be read."""
        if created.id is None:
            return "no_id"
        if created.proof not in (ANSWERED, LOOKED_UP):
            return "unsure"
        return "shared" if created.id in self.shared else None

    async def read(self, ids: Sequence[int]) -> dict[int, Any]:
        """Return the records with these ids, removed ones too, or the error of an id that is refused.

        An id without a record is read twice, since its record counts as deleted.
        """
        return await looked_up(ids, self._read)

    async def _read(self, ids: Sequence[int]) -> dict[int, Any]:
        try:
            return await self._query(ids)
        except RefusedError as error:
            if len(ids) == 1:
                return {ids[0]: error}
        # One id may be the cause, such as one that is too large for the service.
        middle = len(ids) // 2
        return await self._read(ids[:middle]) | await self._read(ids[middle:])

    async def _query(self, ids: Sequence[int]) -> dict[int, Any]:
        at: Any = fields(self.entity)
        known = ("id", "concurrency_id", "is_removed", "status_id")
        wanted = [getattr(at, name) for name in known if name in self.entity.__wire__]
        if self._field is not None:
            wanted.append(property_at(self._field.resolved))
        query = self.company.query(self.entity).where(at.id.in_(list(ids)))
        records: AsyncIterable[Any] = query.select(*wanted)
        return {record.id: record async for record in records if usable_id(record.id) is not None}

    def judge(self, created: Created, record: Any) -> tuple[UndoOutcome, str | None]:
        """Return the outcome of an undo of a record, and the reason, given the result of :meth:`read`."""
        if isinstance(record, WosdkError):
            return "unread", record.message
        if record is None:
            return "gone", "there is no record with this id"
        if getattr(record, "is_removed", False):
            return "gone", None
        if (reason := self._other_key(created, record)) is not None:
            return "other_key", reason
        if self.entity is WorkOrder and record.status_id == _CANCELLED:
            return "gone", None
        version = getattr(record, "concurrency_id", None)
        if version is None:
            unchecked = self.unversioned and not self.has_versions
            return ("undo" if unchecked else "unversioned"), None
        # The version that a look-up saw may be that of a later change.
        fresh = created.version or _FRESH if created.proof == ANSWERED else _FRESH
        if version == fresh:
            return "undo", None
        return "changed", f"its version was {fresh}, and is {version}"

    def _other_key(self, created: Created, record: Any) -> str | None:
        """Return how the key of a record differs from the one it was created with; None if it does not."""
        # A row that was sent before the map had a marker has no key to compare.
        if self._field is None or created.key is None:
            return None
        try:
            key = self._field.text_in(record)
        except NoAnswerError:
            key = ""
        if key == created.key.strip():
            return None
        return f"its {self._field.path} is {key!r:.80}, not {created.key!r:.80}"


async def looked_up(wanted: Sequence[K], look: Callable[[list[K]], Awaitable[dict[K, V]]]) -> dict[K, V]:
    """Return what ``look`` finds; look up missing records a second time.

    One look-up may have read the response of another, or of a server that lags behind.
    """
    found: dict[K, V] = {}
    now = asyncio.get_running_loop().time
    look_ups = LookUps(now(), settle=0.0)  # no request is in flight that could make it appear
    while look_ups.state is State.IN_DOUBT and (missing := [each for each in wanted if each not in found]):
        await asyncio.sleep(look_ups.counts_from - now())
        began = now()
        found |= await look(missing)
        look_ups = look_ups.after(began, now(), found=False)
    return found


@attrs.frozen
class Target:
    """Record to undo, as just read."""

    records: CreatedRecords
    created: Created
    record: Any
    begun: bool
    """Whether an earlier attempt may have been carried out."""

    @property
    def id(self) -> int:
        """The id of the record."""
        assert self.created.id is not None  # noqa: S101 - one without is no target
        return self.created.id

    @property
    def name(self) -> tuple[str, int]:
        """The entity type and the id of the record."""
        return self.records.entity.wire_name, self.id


async def cancel(company: Company, target: Target, reason: int | None, comment: str | None) -> Any:
    """Cancel a work order, unless it changed since it was read."""
    # facts 3.7: the service refuses the command unless it finds this state and version
    command = WoCancelCommand(
        work_order_id=target.id,
        action_reason_id=reason,
        comment=comment,
        status_id=WOStatus(str(target.record.status_id)),
        concurrency_id=target.record.concurrency_id,
    )
    return await company.run(command)


async def delete(company: Company, target: Target, trace: Trace) -> Any:
    """Delete a record, if it still exists.

    To the client a delete without a response failed, as it may be repeated. Here it is in doubt: if it was
    carried out, the next undo must not take the record for one that somebody else removed.

    Raises:
        InDoubtError: a request was sent, and no response says whether it was carried out.
    """
    try:
        return await company.delete(target.records.entity, target.id, missing_ok=True)
    except RefusedError:
        raise
    except WosdkError as error:
        if trace.attempts > 1:  # the last request may not have left, but the one before did
            text = f"an earlier request may have been carried out; of the last one: {reason_of(error)}"
        elif trace.sent:
            text = f"the call may have been carried out: {reason_of(error)}"
        else:
            raise
        raise InDoubtError(text, request_id=error.request_id, attempts=error.attempts) from error
