"""Conditions of an agent, and the names in them, checked before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from wosdk_async.codec.text_values import parse_value
from wosdk_async.errors import InvalidCallError, UnknownNameError
from wosdk_async.model import Record, entity_class, index
from wosdk_async.protocol.arguments import require_support
from wosdk_async.query.conditions import Condition
from wosdk_async.query.operators import FOR_REFERENCES, compared
from wosdk_async.query.paths import find, root
from wosdk_async.query.properties import Nested, TextProperty, property_at, resolved
from wosdk_async.text.suggestions import suggestion

__all__ = ["Filter", "Scalar", "conditions", "entity_named", "queryable"]

Scalar = str | int | float | bool

Operator = Literal[
    "=", "!=", ">", ">=", "<", "<=", "like", "not like", "in", "not in",
    "between", "not between", "is null", "is not null",
]  # fmt: skip

_MOST_VALUES = 200  # of one condition


class Filter(BaseModel):
    """One condition. All filters of a call must hold."""

    model_config = ConfigDict(extra="forbid")  # a misspelt operator would be "="

    property: str = Field(
        description="Property path by the service's names, such as StatusId, Customer.Name or Items.Task.Id.",
        max_length=200,
    )
    operator: Operator = Field(
        default="=", description="'like' takes % and _ as in SQL. A reference is compared by its id."
    )
    value: Scalar | list[Scalar] | None = Field(
        default=None,
        description="A value; a list for 'in' and 'not in'; [low, high] for 'between'; nothing for"
        " 'is null'. Times as 2026-03-01T08:00.",
    )


def entity_named(name: str) -> type[Record]:
    """Return the class of an entity. Raises UnknownNameError, which suggests a name."""
    found = entity_class(name)
    if found is None:
        near = suggestion(name, (*index.ENTITIES, *index.ALIASES)) or "; the tool describe lists all names"
        raise UnknownNameError(f"there is no entity {name!r:.80}{near}")
    return found


def queryable(name: str) -> type[Record]:
    """Return the class of an entity that can be queried. Raises UnknownNameError or UnsupportedError."""
    found = entity_named(name)
    require_support(found, "query")
    return found


def conditions(entity: type[Record], filters: Sequence[Filter]) -> list[Condition]:
    """Return the conditions. Raises InvalidCallError, which names the filter and the remedy."""
    return [_condition(entity, each) for each in filters]


def _condition(entity: type[Record], given: Filter) -> Condition:
    where = f"filter of {given.property!r:.100}"
    field: Any = property_at(find(root(entity), given.property))
    if isinstance(field, Nested) and given.operator not in FOR_REFERENCES:
        raise InvalidCallError(
            f"{where}: a reference is compared by its id, with {', '.join(FOR_REFERENCES)}"
        )
    if given.operator.endswith("like") and not isinstance(field, TextProperty):
        raise InvalidCallError(f"{where}: {given.operator} takes a property that holds text")
    values = [_typed(value, field, where) for value in _values(given, where)]
    return compared(field, given.operator, values)


def _values(given: Filter, where: str) -> list[Scalar]:
    operator, value = given.operator, given.value
    if operator.startswith("is"):
        if value is not None:
            raise InvalidCallError(f"{where}: {operator} takes no value")
        return []
    if value is None:
        raise InvalidCallError(f"{where}: {operator} takes a value; for none write 'is null'")
    values = value if isinstance(value, list) else [value]
    if operator.endswith("between"):
        if len(values) != 2:
            raise InvalidCallError(f"{where}: {operator} takes a list of two values, [low, high]")
    elif operator.endswith("in"):
        if not 0 < len(values) <= _MOST_VALUES:
            raise InvalidCallError(f"{where}: {operator} takes a list of 1 to {_MOST_VALUES} values")
    elif len(values) != 1:
        raise InvalidCallError(f"{where}: {operator} takes one value; 'in' takes a list")
    return values


def _typed(value: Scalar, field: Any, where: str) -> Any:
    """Return the value as the property holds it; agents write times and numbers as texts."""
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
