"""Query pages: filters, rows and cursors.

A cursor is the last id or a row count, and a digest of its query, so that it is refused for any other query.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from wosdk_async.codec.text_values import parse_value
from wosdk_async.company import Company, secrets_of
from wosdk_async.errors import InvalidCallError, UnknownNameError
from wosdk_async.mcp.fitting import fit_records
from wosdk_async.mcp.results import RowsResult, without_default
from wosdk_async.model import Record, entity_class, index
from wosdk_async.protocol.arguments import entity_name, require_support
from wosdk_async.query.builder import Query
from wosdk_async.query.fields import fields
from wosdk_async.query.paging import property_of
from wosdk_async.query.paths import find, root
from wosdk_async.query.plan import KEYS, Condition
from wosdk_async.query.properties import FOR_REFERENCES, Nested, TextProperty, compared, property_at, resolved
from wosdk_async.text.suggestions import suggestion

Scalar = str | int | float | bool

Operator = Literal[
    "=", "!=", ">", ">=", "<", "<=", "like", "not like", "in", "not in",
    "between", "not between", "is null", "is not null",
]  # fmt: skip

_MAX_VALUES = 200  # per condition


class Filter(BaseModel):
    """One condition. All filters of a call are combined with AND."""

    model_config = ConfigDict(extra="forbid")  # otherwise a misspelt "operator" would mean "="

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, filter_: Any) -> Any:
        """Treat null as omitted, as in tool arguments."""
        return {n: v for n, v in filter_.items() if v is not None} if isinstance(filter_, dict) else filter_

    property: str = Field(
        description="Property path with the service's names, such as StatusId, Customer.Name, Items.Task.Id.",
        max_length=200,
    )
    operator: Operator = Field(
        default="=", description="'like' takes % and _ as in SQL. References are compared by id."
    )
    value: Scalar | list[Scalar] | SkipJsonSchema[None] = Field(
        default=None,
        json_schema_extra=without_default,
        description="A value; a list for 'in' and 'not in'; [low, high] for 'between'; nothing for"
        " 'is null'. Times as 2026-03-01T08:00.",
    )


def entity_named(name: str) -> type[Record]:
    """Return an entity's class. Raises UnknownNameError with a suggestion."""
    found = entity_class(name)
    if found is None:
        near = suggestion(name, (*index.ENTITIES, *index.ALIASES)) or "; the describe tool lists all names"
        raise UnknownNameError(f"there is no entity {name!r:.80}{near}")
    return found


def queryable(name: str) -> type[Record]:
    """Return the class of a queryable entity. Raises UnknownNameError or UnsupportedError."""
    found = entity_named(name)
    require_support(found, "query")
    return found


def conditions(entity: type[Record], filters: Sequence[Filter]) -> list[Condition]:
    """Parse filters. Raises InvalidCallError for an invalid filter; the message names it and a remedy."""
    return [_condition(entity, each) for each in filters]


def _condition(entity: type[Record], filter_: Filter) -> Condition:
    where = f"filter of {filter_.property!r:.100}"
    field: Any = property_at(find(root(entity), filter_.property))
    if isinstance(field, Nested) and filter_.operator not in FOR_REFERENCES:
        raise InvalidCallError(f"{where}: references are compared by id, with {', '.join(FOR_REFERENCES)}")
    if filter_.operator.endswith("like") and not isinstance(field, TextProperty):
        raise InvalidCallError(f"{where}: {filter_.operator} needs a text property")
    values = [_typed(value, field, where) for value in _values(filter_, where)]
    return compared(field, filter_.operator, values)


def _values(filter_: Filter, where: str) -> list[Scalar]:
    operator, value = filter_.operator, filter_.value
    if operator.startswith("is"):
        if value is not None:
            raise InvalidCallError(f"{where}: {operator} takes no value")
        return []
    if value is None:
        raise InvalidCallError(f"{where}: {operator} takes a value; to compare with null, write 'is null'")
    values = value if isinstance(value, list) else [value]
    if operator.endswith("between"):
        if len(values) != 2:
            raise InvalidCallError(f"{where}: {operator} takes a list of two values, [low, high]")
    elif operator.endswith("in"):
        if not 0 < len(values) <= _MAX_VALUES:
            raise InvalidCallError(f"{where}: {operator} takes a list of 1 to {_MAX_VALUES} values")
    elif len(values) != 1:
        raise InvalidCallError(f"{where}: {operator} takes one value; 'in' takes a list")
    return values


def _typed(value: Scalar, field: Any, where: str) -> Any:
    """Convert a value to the property's type. Agents may write times and numbers as strings."""
    place = resolved(field)
    meta: Any = {"type": "integer"} if isinstance(field, Nested) else place.meta
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if isinstance(value, float) and value.is_integer() and meta and meta["type"] == "integer":
        text = str(int(value))
    if meta is None:
        return value
    try:
        return parse_value(text, meta, lenient=meta["type"] != "string")
    except ValueError as error:
        raise InvalidCallError(f"{where} {error}") from None


MAX_ROWS = 100
"""Maximum rows per result."""

UNREADABLE_CURSOR = "the cursor cannot be read; leave it out to start over"

_MAX_BITS = 63


async def read_page(
    company: Company, entity: type[Record], query: Query[Any], limit: int, cursor: str
) -> RowsResult:
    """Read the rows after ``cursor``; without a cursor, the first rows.

    Raises InvalidCallError for a wrong cursor.
    """
    name, limit = entity_name(entity), max(1, min(limit, MAX_ROWS))
    digest = hashlib.blake2b(repr(query).encode(), digest_size=6).hexdigest()
    start = _start(cursor, digest)
    first, *further = query.expression.get("Orders", [{}])
    by_id = name not in KEYS and first.get("PropertyName") == "Id" and not further
    if by_id and cursor:
        key = fields(entity)["Id"]
        query = query.where(key < start if first["OrderType"] == "Descending" else key > start)
    expression = query.expression | {"Count": limit + 1}
    if start > 0 and not by_id:
        expression["FirstResultIndex"] = start
    rows = await company.query(name, expression, check=False)
    shown, cut = fit_records(rows[:limit], secrets_of(company))
    more = ""
    if len(rows) > len(shown) and shown:
        last = property_of(rows[len(shown) - 1], "Id") if by_id else start + len(shown)
        # The cursor must not contain text of the Company, so an id must be a number.
        if type(last) is not int or last.bit_length() > _MAX_BITS:
            raise InvalidCallError(f"cannot page by the ids of {name}; order by another property")
        more = f"{last}-{digest}"
    return RowsResult(entity=name, returned=len(shown), untrusted_records=shown, cut=cut, more=more)


def _start(cursor: str, digest: str) -> int:
    """Return the last id or row count in ``cursor``; 0 without a cursor.

    Raises InvalidCallError if the cursor belongs to a query with another ``digest``.
    """
    if not cursor:
        return 0
    last, _, found = cursor.rpartition("-")
    try:
        start = int(last)
    except ValueError:
        raise InvalidCallError(UNREADABLE_CURSOR) from None
    if found != digest:
        raise InvalidCallError(
            "the cursor belongs to another query; pass the same arguments as before, or leave it out"
        )
    return start
