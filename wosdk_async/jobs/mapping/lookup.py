"""Records that rows refer to: what is known of each name, and how it is looked up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

import attrs

from wosdk_async.company import Company
from wosdk_async.jobs.errors import RowError, require_sendable
from wosdk_async.jobs.mapping.nodes import OBJECTS, RowContext
from wosdk_async.jobs.mapping.references import Filter, ReferenceSpec
from wosdk_async.jobs.mapping.template import NAME
from wosdk_async.model import Ref
from wosdk_async.query.conditions import Comparison
from wosdk_async.query.paging import KeyCursor
from wosdk_async.query.plan import Plan
from wosdk_async.resources.lookup_tables import normalized

__all__ = ["ReferenceEntry", "find_first", "find_named"]

PAGE = 1000  # records; below the service's cap, so that a shorter page is the last one (facts 7)

Json = dict[str, Any]


async def find_named(
    company: Company, spec: ReferenceSpec, names: Sequence[str], context: RowContext
) -> dict[str, list[int]]:
    """Return the ids, lowest first, of the records that have one of the names, by normalized name."""
    found: dict[str, list[int]] = defaultdict(list)
    field = _name_field(spec)
    condition = Comparison(spec.entity.wire_name, field, "In", tuple(names))
    async for record in _records(company, spec, [condition], context):
        found[normalized(str(record.get(field, "")))].append(record["Id"])
    return found


async def find_first(company: Company, spec: ReferenceSpec, context: RowContext) -> int | None:
    """Return the lowest id that passes the filters."""
    async with aclosing(_records(company, spec, [], context)) as records:
        async for record in records:
            return int(record["Id"])
    return None


async def _records(
    company: Company, spec: ReferenceSpec, conditions: list[Comparison], context: RowContext
) -> AsyncGenerator[Json, None]:
    """Yield the records that are not removed and pass the filters, by id."""
    wanted = [(each, each.node.fill(context)) for each in spec.filters]
    for each, value in wanted:
        if (comparison := _comparison(spec, each, value)) is not None:
            conditions = [*conditions, comparison]

    full = True

    async def fetch(plan: Plan, expression: Json) -> list[Json]:
        nonlocal full
        page = await company.query(plan.name, expression)
        full = len(page) == PAGE
        return page

    cursor = KeyCursor(fetch, Plan(spec.entity.wire_name, tuple(conditions), tuple(_properties(spec))), PAGE)
    while full:
        for record in await cursor.page():
            # queries return removed records as well (facts 3.4)
            if not record.get("IsRemoved") and all(_equal(record, each, value) for each, value in wanted):
                yield record


def _properties(spec: ReferenceSpec) -> list[str]:
    names = ["Id", *([_name_field(spec)] if spec.by else []), *map(_path, spec.filters)]
    return [*names, "IsRemoved"] if "is_removed" in spec.entity.__wire__ else names


def _name_field(spec: ReferenceSpec) -> str:
    name: str = spec.entity.__wire__[spec.by or ""]["name"]
    return name


def _path(each: Filter) -> str:
    """Return the property to read and compare; a reference cannot be the last step (facts 3.4)."""
    name: str = each.meta["name"]
    return f"{name}.Id" if each.meta["type"] in OBJECTS else name


def _comparison(spec: ReferenceSpec, each: Filter, value: Any) -> Comparison | None:
    """Return the filter as a condition of the query, or None where only :func:`_equal` can tell.

    False, 0 and an empty text may be stored as null, which is read like them but does not equal them
    (facts 3.4); that enums compare by name is not shown (facts 4). Values are sent as texts, as recorded.
    """
    if not value or each.meta["type"] not in ("ref", "integer", "number", "string", "boolean"):
        return None
    plain = value.id if isinstance(value, type(Ref(0))) else value
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


@attrs.define
class ReferenceEntry:
    """One distinct name, with the ``id`` of its record or the ``reason`` why there is none.

    With neither, the record is missing and may be created.
    """

    text: str
    full: str
    """The name before it was cut, normalized; empty once two names are equal only because they were cut."""
    spellings: set[str]
    cells: dict[str, str] = attrs.field(factory=dict)
    """The cells that a new record reads, of the first row that wants it."""
    id: int | None = None
    reason: str = ""
    error: type[RowError] = RowError
    """The class of the error that ``reason`` gives a row."""
    may_pass: bool = False
    """Whether ``reason`` may be gone in the next run, so that the rows wait for it."""
    wanted: bool = False
    """Whether a row that can be created needs the record."""
    in_doubt: bool = False
    """Whether a creation was sent, and nobody knows whether it was carried out."""
    warnings: list[str] = attrs.field(factory=list)

    def end_doubt(self) -> None:
        """Forget that a creation may have been carried out: the record is known, or missing again."""
        self.in_doubt, self.reason, self.may_pass = False, "", False

    def new_record(self, spec: ReferenceSpec, context: RowContext) -> Any:
        """Return the record to create.

        Raises:
            InvalidCallError: the row of the context cannot fill it.
        """
        if spec.create is None or spec.by is None:
            raise LookupError(spec.name)
        record = spec.create.build(attrs.evolve(context, cells={**context.cells, NAME: self.text}))
        setattr(record, spec.by, self.text)
        require_sendable(record, new=True)
        return record
