"""References that a job created, and the search for records that use them."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Sequence, Set
from typing import Any

import attrs

from wosdk_async.calls.markers import MarkedField
from wosdk_async.company import Company
from wosdk_async.errors import RefusedError
from wosdk_async.jobs.journal import ReferenceRecord
from wosdk_async.jobs.ledger.undone import UndoOutcome, is_ended
from wosdk_async.jobs.undo.records import CreatedRecords, Target, look_up_twice
from wosdk_async.model import Invoice, Record, WorkOrder, entity_class
from wosdk_async.model.index import ENTITIES, UNSUPPORTED
from wosdk_async.model.metadata import OWNED
from wosdk_async.query.fields import fields
from wosdk_async.query.paths import ResolvedPath, root
from wosdk_async.query.properties import property_at
from wosdk_async.resources.names import batches

Name = tuple[str, int]
"""Entity type and id of a record."""

_ALIASES = {
    "ApStatus": "ApInvoiceStatus",
    "Asset": "Location",
    "CostStatus": "InternalCostStatus",
    "CustomerGroup": "BillingAccount",
    "Priority": "WoPriority",
    "Supervisor": "Contact",
    "Transaction": "MaterialTransaction",
    "Wo": "WorkOrder",
    **dict.fromkeys(("Flag", "Reason"), "WoActionReasonLookup"),
    **dict.fromkeys(("Provider", "Supplier", "User"), "Employee"),
    **dict.fromkeys(("Concurrency", "CpTheme", "Extension", "Language", "NoteType", "TimeZone"), ""),
    **dict.fromkeys(("WONService", "Won", "WonLocation", "WonMember"), ""),
}
"""Entity types by a word in the name of an id field; "" for no entity type.

From the meanings in ``entities.json``; some are assumed.
"""


def created_references(
    company: Company, references: Sequence[ReferenceRecord], *, unversioned: bool
) -> Iterator[tuple[CreatedRecords, list[ReferenceRecord]]]:
    """Group references by entity and field; for each group, yield its CreatedRecords and its references."""
    groups = defaultdict[tuple[str, str], list[ReferenceRecord]](list)
    for each in references:
        groups[each.entity, each.field].append(each)
    ids = Counter((each.entity, each.id) for each in references)
    for (name, field), group in groups.items():
        if (entity := entity_class(name)) is not None:
            named = MarkedField(entity, field, root(entity).by_python(field))
            shared = frozenset(each.id for each in group if each.id and ids[name, each.id] > 1)
            yield CreatedRecords(company, entity, named, unversioned, shared=shared), group


@attrs.frozen
class Pointer:
    """Property through which ``user`` records can refer to another record."""

    user: type[Record]
    steps: tuple[str, ...]
    """Python field names on the path to the id."""

    @property
    def path(self) -> ResolvedPath:
        """Property to query."""
        return functools.reduce(ResolvedPath.by_python, self.steps, root(self.user))

    def ids_in(self, record: Any) -> set[int]:
        """Return the ids at this path in a record."""
        values = [record]
        for step in self.steps:
            below = [getattr(each, step, None) for each in values]
            values = [each for value in below for each in (value if isinstance(value, list) else [value])]
        return {each for each in values if isinstance(each, int)}


async def find_used(
    company: Company, targets: Sequence[Target], *, leaving: Set[Name], cancelled: Set[int]
) -> dict[Name, tuple[UndoOutcome, str]]:
    """Find the targets that are or may be in use, and return an outcome and a reason for each.

    A referring record does not count if the undo removes it first (``leaving``), or if it is a ``cancelled``
    work order that was not reopened.
    """
    found: dict[Name, tuple[UndoOutcome, str]] = {}
    by_entity = defaultdict[type[Record], list[Name]](list)
    for each in targets:
        by_entity[each.records.entity].append(each.name)
    for entity, names in by_entity.items():
        look = functools.partial(_find_used_of, company, entity, leaving, cancelled)
        for batch in batches(names):
            found |= await look_up_twice(batch, look, company)
    return found


async def _find_used_of(
    company: Company, entity: type[Record], leaving: Set[Name], cancelled: Set[int], names: list[Name]
) -> dict[Name, tuple[UndoOutcome, str]]:
    found: dict[Name, tuple[UndoOutcome, str]] = {}
    try:
        async for id, user, path in _users_of(company, entity, {id for _, id in names}):
            name = (entity.wire_name, id)
            if (user.wire_name, user.id) != name and not _has_ended(user, entity, leaving, cancelled):
                found[name] = "used", f"{path} of {user.wire_name} {user.id} refers to this record"
    except RefusedError as error:
        return dict.fromkeys(
            names, ("unread", f"records that use this record cannot be read: {error.message}")
        )
    return found


def _has_ended(user: Any, entity: type[Record], leaving: Set[Name], cancelled: Set[int]) -> bool:
    """Return whether a referring record no longer needs its reference to an ``entity`` record."""
    leaves = (user.wire_name, user.id) in leaving
    if not isinstance(user, WorkOrder):
        return leaves
    # A cancelled order keeps its references. They remain readable if the referenced type has is_removed
    # (facts 3.4); otherwise, the order would refer to a record that no longer exists.
    return "is_removed" in entity.__wire__ and (leaves or (user.id in cancelled and is_ended(user)))


async def _users_of(
    company: Company, entity: type[Record], ids: Set[int]
) -> AsyncIterator[tuple[int, Any, str]]:
    """Yield the id, the referring record and the path for each reference to the ids; skip removed records."""
    for pointer in pointers_to(entity.wire_name):
        at: Any = fields(pointer.user)
        known = ("id", "is_removed", *(("status_id",) if pointer.user is WorkOrder else ()))
        wanted = [getattr(at, name) for name in known if name in pointer.user.__wire__]
        target: Any = property_at(pointer.path)
        records: AsyncIterable[Any] = (
            company.query(pointer.user).where(target.in_(sorted(ids))).select(*wanted, target)
        )
        async for record in records:
            if not getattr(record, "is_removed", False):  # queries return removed records as well (facts 3.4)
                # A record without any of the ids may refer to any of them, because the service matched it.
                for id in (pointer.ids_in(record) & ids) or ids:
                    yield id, record, pointer.path.path


@functools.cache
def pointers_to(entity: str) -> tuple[Pointer, ...]:
    """Return all properties that can refer to an entity type.

    These are references (``WorkOrder.Customer``) and ids (``Contact.CustomerId``) in independent records, and
    in their parts and list elements (``WorkOrder.Items.Asset``). Parts of the referenced record itself, such
    as notes and documents, do not count.
    """
    return tuple(
        Pointer(user, steps) for user in _independent_types() for steps in _pointing_steps(user, entity)
    )


def _pointing_steps(user: type[Record], entity: str) -> Iterator[tuple[str, ...]]:
    for name, meta in user.__wire__.items():
        part = entity_class(meta["of"] or "")
        if not meta.get("many"):
            yield from _steps(user, name, entity)
        listed = meta.get("many") and user.wire_name != entity
        if part is not None and part not in _independent_types() and (listed or meta["of"] in OWNED):
            for below in part.__wire__:
                yield from ((name, *steps) for steps in _steps(part, below, entity))


def _steps(holder: type[Record], name: str, entity: str) -> Iterator[tuple[str, ...]]:
    meta = holder.__wire__[name]
    if meta["type"] == "ref" and meta["of"] == entity and not meta.get("many"):
        yield name, "id"
    elif meta["type"] == "integer" and _may_name(holder.wire_name, meta["name"], entity):
        yield (name,)


def _may_name(holder: str, name: str, entity: str) -> bool:
    """Return whether an integer field can hold the id of an ``entity`` record: True if unclear."""
    words = name.removesuffix("Id")
    if words in (name, ""):
        return False
    if words in ("Actor", "Object"):  # ids of the record's owner or, in an approval step, of the approver
        return holder == "ApprovalTemplateStep"
    types = {each: each for each in ENTITIES.values()} | _ALIASES | {"Parent": holder, "Root": holder}
    # The longest name decides: SourceStockLocationId refers to a StockLocation, not to a Location.
    end = max((each for each in types if words.endswith(each)), key=len, default="")
    return types.get(end, entity) == entity


@functools.cache
def _independent_types() -> tuple[type[Record], ...]:
    """Return the queryable entity types that are neither parts of others nor derived by the service.

    Read-only types except invoices count as derived; ``AssetTree``, for example, is derived from locations
    (facts 3.4).
    """
    classes = [
        each
        for name in dict.fromkeys(ENTITIES.values())
        if (each := entity_class(name)) is not None
        and "id" in each.__wire__
        and not UNSUPPORTED.get(each.wire_name, {}).keys() >= {"create", "update", "delete"}
    ]
    parts = {meta["of"] for each in classes for meta in each.__wire__.values() if meta.get("many")}
    return Invoice, *(
        each
        for each in classes
        if (each.wire_name not in parts or "is_removed" in each.__wire__)
        and "query" not in UNSUPPORTED.get(each.wire_name, {})
    )
