"""Look-ups of referenced records by name or id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Any

import attrs

from wosdk_async.calls.markers import require_asked
from wosdk_async.company import Company
from wosdk_async.errors import RefusedError, UnknownNameError
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.mapping.nodes import OBJECTS, ListNode, Node, ObjectNode, ReferenceNode, RowContext
from wosdk_async.jobs.mapping.references import Filter, ReferenceSpec
from wosdk_async.model import Record
from wosdk_async.model.index import UNSUPPORTED
from wosdk_async.query.paging import KeyCursor
from wosdk_async.query.plan import Comparison, Condition, Group, Plan
from wosdk_async.resources.lookup_tables import folded, normalized
from wosdk_async.resources.names import batches

PAGE = 1000  # records per query; below the service's cap, so a shorter page is the last one (facts 7)

Json = dict[str, Any]
NamedId = tuple[str, type[Record], int]  # field path, entity and id


async def find_named(
    company: Company, spec: ReferenceSpec, context: RowContext, names: Sequence[str]
) -> dict[str, list[int]]:
    """Look up records by name; return a list of ascending ids for each normalized name."""
    found: dict[str, list[int]] = defaultdict(list)
    field = _name_field(spec)
    condition = Comparison(spec.entity.wire_name, field, "In", tuple(names))
    async for record in _records(company, spec, [condition], context, asked=names):
        found[normalized(str(record.get(field, "")))].append(record["Id"])
    return found


async def find_elsewhere(
    company: Company, spec: ReferenceSpec, context: RowContext, names: Sequence[str]
) -> dict[str, set[str]]:
    """Search the string fields other than ``by`` for names. Return the names found in each, case-folded.

    Each query reads at most 1,000 matches, because most records may have the same value in a field.
    """
    other_fields = {
        meta["name"]: field
        for field, meta in spec.entity.__wire__.items()
        if meta["type"] == "string" and not meta.get("secret") and field != spec.by
    }
    try:
        return await _find_in(company, spec, context, names, other_fields)
    except UnknownNameError:  # facts 12 row 12: one unknown field fails the query, so query each field alone
        found: dict[str, set[str]] = {}
        for path, field in other_fields.items():
            with suppress(UnknownNameError):
                found |= await _find_in(company, spec, context, names, {path: field})
        return found


async def _find_in(
    company: Company,
    spec: ReferenceSpec,
    context: RowContext,
    names: Sequence[str],
    other_fields: Mapping[str, str],
) -> dict[str, set[str]]:
    if not other_fields:  # a query without conditions would return all records
        return {}
    wanted = set(map(folded, names))
    condition = Group(
        "Or", tuple(Comparison(spec.entity.wire_name, path, "In", tuple(names)) for path in other_fields)
    )
    found = {field: set[str]() for field in other_fields.values()}
    left = PAGE
    async with aclosing(_records(company, spec, [condition], context, other_fields)) as records:
        async for record in records:
            for path, field in other_fields.items():
                if (name := folded(str(record.get(path, "")))) in wanted:
                    found[field].add(name)
            if (left := left - 1) == 0:
                break
    return found


async def _find_ids(company: Company, entity: type[Record], ids: Sequence[int]) -> set[int]:
    """Return which of the ids (at most 1,000) belong to existing, non-removed records."""
    properties = ["Id", "IsRemoved"] if "is_removed" in entity.__wire__ else ["Id"]
    condition = Comparison(entity.wire_name, "Id", "In", tuple(map(str, ids)))
    expression = Plan(entity.wire_name, (condition,), tuple(properties)).expression(Count=PAGE)
    found = await company.query(entity.wire_name, expression)
    if not {record["Id"] for record in found} <= set(ids):  # the condition may have been ignored
        return set(ids)  # the service will check the ids on sending
    # queries return removed records as well (facts 3.4)
    return {record["Id"] for record in found if not record.get("IsRemoved")}


async def find_first(company: Company, spec: ReferenceSpec, context: RowContext) -> int | None:
    """Return the lowest id of the records that match the filters, or None if no record matches."""
    async with aclosing(_records(company, spec, [], context)) as records:
        async for record in records:
            return int(record["Id"])
    return None


async def _records(
    company: Company,
    spec: ReferenceSpec,
    conditions: Sequence[Condition],
    context: RowContext,
    more: Iterable[str] = (),
    asked: Iterable[str] = (),
) -> AsyncGenerator[Json, None]:
    """Yield non-removed records that match the filters, ordered by id, with the extra fields in ``more``.

    If ``asked`` contains names, raise NoAnswerError for a record that has none of them. Such a response
    does not prove that a name is absent, so creating its record could make a duplicate.
    """
    wanted = [(each, each.node.fill(context)) for each in spec.filters]
    compared = [_comparison(spec, each, value) for each, value in wanted]
    conditions = (*conditions, *(each for each in compared if each is not None))
    full = True

    async def fetch(plan: Plan, expression: Json) -> list[Json]:
        nonlocal full
        page = await company.query(plan.name, expression)
        full = len(page) == PAGE
        return page

    name = [_name_field(spec)] if spec.by else []
    removed = ["IsRemoved"] if "is_removed" in spec.entity.__wire__ else []
    properties = ("Id", *name, *map(_path, spec.filters), *removed, *more)
    cursor = KeyCursor(fetch, Plan(spec.entity.wire_name, conditions, properties), PAGE)
    while full:
        page = await cursor.page()
        if asked:
            require_asked(name[0], (str(each.get(name[0], "")) for each in page), asked)
        for record in page:
            # queries return removed records as well (facts 3.4)
            if not record.get("IsRemoved") and all(_equal(record, each, value) for each, value in wanted):
                yield record


def _name_field(spec: ReferenceSpec) -> str:
    return str(spec.entity.__wire__[spec.by or ""]["name"])


def _path(each: Filter) -> str:
    """Return the property path to query; a path cannot end in a reference (facts 3.4)."""
    name = each.meta["name"]
    return f"{name}.Id" if each.meta["type"] in OBJECTS else name


def _comparison(spec: ReferenceSpec, each: Filter, value: Any) -> Comparison | None:
    """Return the query condition for a filter, or None if only :func:`_equal` can decide.

    The service may store False, 0 and ``""`` as null, and queries for these values do not match null (facts
    3.4). Whether queries compare enums by name is unknown (facts 4). Recorded requests send all values as
    strings.
    """
    if not value or each.meta["type"] not in ("ref", "integer", "number", "string", "boolean"):
        return None
    plain = getattr(value, "id", value)
    text = str(plain).lower() if isinstance(plain, bool) else str(plain)
    return Comparison(spec.entity.wire_name, _path(each), "Equal", (text,))


def _equal(record: Json, each: Filter, value: Any) -> bool:
    found = record.get(each.meta["name"])
    if each.meta["type"] in OBJECTS:
        return isinstance(found, dict) and found.get("Id") == getattr(value, "id", None)
    if each.meta["type"] in ("string", "enum"):
        return str(found or "").casefold() == str(value or "").casefold()
    if each.meta["type"].startswith("datetime"):
        return True
    return (found or 0) == (value or 0)


_NO_REFERENCES: Any = None  # ids come from constants and templates only


@attrs.define
class NamedIds:
    """Record ids that a map takes from columns or constants, checked against the Company."""

    _fields: Sequence[tuple[str, type[Record], Node]]
    _known: dict[tuple[type[Record], int], bool] = attrs.field(factory=dict)

    @classmethod
    def of(cls, record: ObjectNode, table: str, references: Iterable[ReferenceSpec]) -> NamedIds:
        """Collect the id fields of a map's record (paths begin with ``table``) and of records to create."""
        found = list(_id_fields(record, table))
        for spec in references:
            if spec.create is not None:
                found += _id_fields(spec.create, f"reference.{spec.name}.create")
        return cls(found)

    def in_row(self, cells: Mapping[str, str]) -> list[NamedId]:
        """Return the ids in a row."""
        ids = []
        for path, entity, node in self._fields:
            with suppress(RowError):  # a field of a new record may be unusable in this row
                id = node.fill(RowContext(cells, _NO_REFERENCES))
                if isinstance(id, int):
                    ids.append((path, entity, id))
        return ids

    async def look_up(self, company: Company, ids: Iterable[NamedId]) -> None:
        """Look up which ids exist, in batches."""
        wanted = defaultdict[type[Record], dict[int, None]](dict)
        for _, entity, id in ids:
            if (entity, id) not in self._known:
                wanted[entity][id] = None
        for entity, new in wanted.items():
            for some in batches(new):
                with suppress(RefusedError):  # the service will check the ids on sending
                    found = await _find_ids(company, entity, some)
                    self._known |= {(entity, id): id in found for id in some}

    def fault(self, ids: Iterable[NamedId]) -> str | None:
        """Return a message about ids that :meth:`look_up` did not find, or None if all exist."""
        gone = [each for each in ids if not self._known.get(each[1:], True)]
        texts = (f"{path}: no {entity.wire_name} has id {id}" for path, entity, id in gone)
        return "; ".join(texts) or None


def _id_fields(node: Node, path: str) -> Iterator[tuple[str, type[Record], Node]]:
    """Yield the path, entity and node of each nested ``{ id = ... }``."""
    if isinstance(node, ListNode):
        for place, element in enumerate(node.elements):
            yield from _id_fields(element, f"{path}[{place}]")
    elif isinstance(node, ObjectNode):
        entity: Any = node.make
        id = node.fields.get("id")
        fixed = len(node.fields) == 1 and not isinstance(id, ReferenceNode)
        if id is not None and fixed and "query" not in UNSUPPORTED.get(entity.wire_name, {}):
            yield f"{path}.id", entity, id
        for name, child in node.fields.items():
            yield from _id_fields(child, f"{path}.{name}")
