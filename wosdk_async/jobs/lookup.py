"""Finding records in the service by name: a few queries for all names, not one for each row.

``Company.resolve`` is not used: a map narrows by other fields too, and takes the first of several records
with a warning instead of an error. What texts are asked for, and how they compare, is the same for both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from wosdk_async.company import Company
from wosdk_async.jobs.mapping.convert import OBJECTS
from wosdk_async.jobs.mapping.references import Filter, ReferenceSpec
from wosdk_async.jobs.mapping.values import RowContext
from wosdk_async.model import Ref
from wosdk_async.resources.lookup_tables import folded

__all__ = ["find_first", "find_named"]

_PAGE = 1000  # rows; the service gives 4,000 at the most (facts 7)

Row = dict[str, Any]


async def find_named(
    company: Company, spec: ReferenceSpec, names: Sequence[str], scope: RowContext
) -> dict[str, list[int]]:
    """The ids, lowest first, of the records whose name is one of ``names``, by the name's key."""
    found: dict[str, list[int]] = defaultdict(list)
    wire = _wire(spec)
    condition = {"PropertyName": wire, "Operator": "In", "Values": list(names)}
    async for row in _rows(company, spec, [condition], scope):
        found[folded(str(row.get(wire, "")))].append(row["Id"])
    return found


async def find_first(company: Company, spec: ReferenceSpec, scope: RowContext) -> int | None:
    """The lowest id that passes the filters."""
    async with aclosing(_rows(company, spec, [], scope)) as rows:
        async for row in rows:
            return int(row["Id"])
    return None


async def _rows(
    company: Company, spec: ReferenceSpec, conditions: list[Row], scope: RowContext
) -> AsyncGenerator[Row, None]:
    """Rows that are not removed and pass the filters, by id; a page goes on after the last id (facts 4)."""
    wanted = [(each, each.value.fill(scope)) for each in spec.filters]
    conditions = conditions + [sent for each, value in wanted if (sent := _condition(each, value))]
    last: list[Row] = []
    while True:
        page = await company.query(spec.entity.wire_name, _expression(spec, conditions + last))
        for row in page:
            # queries return removed rows as well (facts 3.4)
            if not row.get("IsRemoved") and all(_equal(row, each, value) for each, value in wanted):
                yield row
        if len(page) < _PAGE:
            return
        last = [{"PropertyName": "Id", "Operator": "GreaterThan", "Values": [str(page[-1]["Id"])]}]


def _expression(spec: ReferenceSpec, conditions: list[Row]) -> Row:
    names = ["Id", *([_wire(spec)] if spec.by else []), *(_path(each) for each in spec.filters)]
    if "is_removed" in spec.entity.__wire__:
        names.append("IsRemoved")
    return {
        "PropertySet": {"Properties": list(dict.fromkeys(names))},
        "Criteria": {"Conditions": conditions, "FilterOperator": "And"},
        "Orders": [{"PropertyName": "Id", "OrderType": "Ascending"}],
        "Count": _PAGE,
    }


def _wire(spec: ReferenceSpec) -> str:
    name: str = spec.entity.__wire__[spec.by or ""]["name"]
    return name


def _path(each: Filter) -> str:
    """The property to read or compare; a reference cannot be the last step (facts 3.4)."""
    name: str = each.meta["name"]
    return f"{name}.Id" if each.meta["type"] in OBJECTS else name


def _condition(each: Filter, value: Any) -> Row | None:
    """The filter as the service is asked, or None where only we can tell.

    False, 0 and an empty text may be stored as null, which is read like them but does not equal them
    (facts 3.4); that enums compare by name is not shown (facts 4). Values are sent as texts, as recorded.
    """
    if not value or each.meta["type"] not in ("ref", "integer", "number", "string", "boolean"):
        return None
    plain = value.id if isinstance(value, type(Ref(0))) else value
    text = str(plain).lower() if isinstance(plain, bool) else str(plain)
    return {"PropertyName": _path(each), "Operator": "Equal", "Values": [text]}


def _equal(row: Row, each: Filter, value: Any) -> bool:
    found = row.get(each.meta["name"])
    if each.meta["type"] in OBJECTS:
        return isinstance(found, dict) and found.get("Id") == getattr(value, "id", None)
    if each.meta["type"] in ("string", "enum"):
        return str(found or "").casefold() == str(value or "").casefold()
    if each.meta["type"].startswith("datetime"):
        return True
    return (found or 0) == (value or 0)
