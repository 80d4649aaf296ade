"""Import operations that run a command or create a record for each row."""

from __future__ import annotations

from collections.abc import AsyncIterable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

import attrs

from wosdk_async.calls.marked_records import find_each
from wosdk_async.calls.markers import field_of
from wosdk_async.calls.run_many import Run
from wosdk_async.company import Company, sender_of
from wosdk_async.errors import NotUniqueError, WosdkError
from wosdk_async.jobs.errors import AmbiguousNameError, ImportMapError, RowError
from wosdk_async.model import Command, Record, WoCreateCommand
from wosdk_async.model.lazy import Lazy, raw_slot
from wosdk_async.protocol.writes import Effect
from wosdk_async.transport.telemetry.statistics import Trace

Label = Literal["created", "updated", "deleted", "done"]
"""Past participle of an operation, shown as the state of a done row."""

Found = Mapping[str, Sequence[Any] | RowError]
"""For each key, the records that have it, or an error if there are too many."""


def usable_id(value: Any) -> int | None:
    """Return an id or version from a response, or None if it is invalid."""
    return value if type(value) is int and 0 < value < 2**63 else None  # isinstance() would accept True


def effect_of(record: Any, entity: str | None = None) -> Effect:
    """Return an effect with a record's id, number and version; ``entity`` overrides the record's type."""
    number = getattr(record, "number", None)
    return Effect(
        entity or record.wire_name,
        usable_id(getattr(record, "id", None)),
        number if isinstance(number, str) else None,
        usable_id(getattr(record, "concurrency_id", None)),
    )


class MarkedOperation:
    """Base class of operations that create records or run commands; a marker identifies the results."""

    kind: type[Record]
    by: ClassVar[None] = None
    compares: ClassVar[bool] = False

    def require_fields(self, names: Collection[str]) -> None:
        """Accept all fields."""

    def require_marker(self, path: str) -> None:
        """Raise ImportMapError if records cannot be looked up by the field ``path``."""
        try:
            field_of(self.kind, path, new=True)
        except WosdkError as error:
            raise ImportMapError(error.message, **error.facts) from None

    async def find(self, company: Company, path: str, keys: Sequence[str], *, whole: bool = False) -> Found:
        """Look up the records with each key."""
        del whole  # all fields are read anyway
        field, send = field_of(self.kind, path), sender_of(company).send
        found = await find_each(field, keys, send, ())
        return {
            key: AmbiguousNameError(records.message) if isinstance(records, NotUniqueError) else records
            for key, records in found.items()
        }

    def set_id(self, record: Any, key: str, found: Sequence[Any]) -> None:
        """Raise LookupError, because only operations on existing records need an id."""
        raise LookupError(f"{record!r:.40} {key} {len(found)}")

    def settled(self, record: Any, key: str, found: Sequence[Any]) -> Effect | None:
        """Return the effect if a record has the key; otherwise None.

        Raise RowError if several records have it.
        """
        del record
        if len(found) > 1:
            ids = ", ".join(str(each.id) for each in found)
            noun = "work orders" if found[0].wire_name == "WorkOrder" else f"{found[0].wire_name} records"
            raise RowError(f"several {noun} have the key {key!r} (ids {ids}); remove the duplicates")
        return effect_of(found[0]) if found else None


@attrs.frozen(slots=False)
class RunCommand(MarkedOperation):
    """Operation that runs a command for each row."""

    kind: type[Command[Any]]
    table: ClassVar[str] = "command"
    new: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Wire name of the command."""
        return self.kind.wire_name

    @cached_property
    def label(self) -> Label:
        """``created`` for new work orders, otherwise ``done``."""
        return "created" if self.kind is WoCreateCommand else "done"

    @property
    def question(self) -> str:
        """Question that asks the user to confirm the operation."""
        return "Create the work orders?" if self.kind is WoCreateCommand else f"Run {self.name} for each row?"

    def run(
        self, company: Company, items: AsyncIterable[Any], marker: str | None, *, limit: int, grace: float
    ) -> Run[Any, Any]:
        """Start a run of the commands in ``items``."""
        return company.run_many(
            items, command=lambda item: item.record, marker=marker, limit=limit, grace=grace
        )

    async def send(self, company: Company, record: Any, marker: str | None) -> Any:
        """Run one command."""
        return await company.run(record, marker=marker)

    def effect(self, result: Any) -> Effect:
        """Return the effect from the first record in a command's result, or an empty effect."""
        for slot, entity in self._members:
            record = getattr(result, slot)  # not decoded, because decoding would dominate the CPU time
            if isinstance(record, (Record, Lazy)):
                return effect_of(record, entity)
        return Effect()

    @cached_property
    def _members(self) -> tuple[tuple[str, str], ...]:
        """Result slots that hold a record, with their entities."""
        kind = self.kind.result_class()
        refs = ((raw_slot(kind, name), meta) for name, meta in kind.__wire__.items() if meta["type"] == "ref")
        return tuple((slot, meta["of"]) for slot, meta in refs if not meta.get("many"))


@attrs.frozen(slots=False)
class EntityOperation:
    """Base class of operations on an entity's records."""

    kind: type[Record]
    table: ClassVar[str] = "entity"
    verb: ClassVar[str]
    label: ClassVar[Label]

    @property
    def question(self) -> str:
        """Question that asks the user to confirm, such as ``Update the Customer records?``."""
        return f"{self.verb.capitalize()} the {self.kind.wire_name} records?"

    def run(
        self, company: Company, items: AsyncIterable[Any], marker: str | None, *, limit: int, grace: float
    ) -> Run[Any, Any]:
        """Start a run that sends the records in ``items``."""

        async def call(item: Any, trace: Trace) -> Any:
            return await self.send(company.traced(trace), item.record, marker)

        return Run(items, call, limit=limit, grace=grace)

    async def send(self, company: Company, record: Any, marker: str | None) -> Any:
        """Send one record."""
        raise NotImplementedError

    def effect(self, result: Any) -> Effect:
        """Return the entity, id and version in a call's result."""
        version = usable_id(getattr(result, "concurrency_id", None))
        return Effect(self.kind.wire_name, usable_id(result.id), None, version)


class CreateRecord(EntityOperation, MarkedOperation):
    """Operation that creates a record for each row."""

    verb: ClassVar[str] = "create"
    label: ClassVar[Label] = "created"
    new: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """Operation name, such as ``create Customer``."""
        return f"create {self.kind.wire_name}"

    async def send(self, company: Company, record: Any, marker: str | None) -> Any:
        """Create one record."""
        return await company.create(record, marker=marker)
