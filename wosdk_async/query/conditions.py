"""Conditions and orders of a query, and the JSON that they are sent as (facts 4).

Values are always sent as text; the type of the property says how it is written.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, NoReturn

import attrs

from wosdk_async.codec.field_types import FIELD_TYPES
from wosdk_async.codec.values import write_local, write_utc
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import OpenEnum, Record, Ref, registry
from wosdk_async.model.metadata import Wire
from wosdk_async.query.paths import ResolvedPath

__all__ = ["Comparison", "Condition", "Group", "Order", "comparisons", "criteria", "identifier", "text"]

Joiner = Literal["And", "Or"]

NEGATED = {
    "Equal": "NotEqual",
    "GreaterThan": "LessOrEqual",
    "GreaterOrEqual": "LessThan",
    "In": "NotIn",
    "Between": "NotBetween",
    "Like": "NotLike",
    "Null": "NotNull",
}
NEGATED |= {other: operator for operator, other in NEGATED.items()}
"""Each of the 14 operators of the service and its opposite; only those of the last pair match null."""


class Condition(abc.ABC):
    """A condition on records: ``(f.status_id == "New") & f.customer.name.like("%mall%")``.

    Conditions are joined by ``&`` and ``|`` and negated by ``~``. They have no truth value, so ``and``,
    ``or``, ``not`` and chained comparisons raise a TypeError.
    """

    __slots__ = ()

    def __and__(self, other: Condition) -> Condition:
        return _join("And", self, other) if isinstance(other, Condition) else NotImplemented

    def __or__(self, other: Condition) -> Condition:
        return _join("Or", self, other) if isinstance(other, Condition) else NotImplemented

    @abc.abstractmethod
    def __invert__(self) -> Condition:
        """Return the opposite, if the service has an operator for it."""

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a condition has no truth value: join conditions with & and |, each in parentheses, negate with"
            " ~, and write .between(low, high) or (f.x > low) & (f.x < high) instead of a chained comparison"
        )


@attrs.frozen
class Comparison(Condition):
    """Comparison of one property with values."""

    entity: str
    path: str
    operator: str
    values: tuple[str, ...] = ()
    """Texts, whatever the type of the property: all recorded values are texts (facts 4)."""
    in_list: bool = False

    def __invert__(self) -> Condition:
        """Return the comparison with the opposite operator.

        Raises InvalidCallError for a path through a list: ``~`` would have to mean "no element matches", but
        the opposite operator means "some element does not match".
        """
        if self.in_list:
            raise InvalidCallError(
                f"~ of a condition on {self.path}: the service cannot ask that no element of a list matches;"
                " use the opposite operator if you mean that some element does not"
            )
        return attrs.evolve(self, operator=NEGATED[self.operator])

    def as_json(self) -> dict[str, Any]:
        """Return the ``ConditionExpression``."""
        return {"PropertyName": self.path, "Operator": self.operator, "Values": list(self.values)}


@attrs.frozen
class Group(Condition):
    """Conditions joined by one operator."""

    joiner: Joiner
    parts: tuple[Condition, ...]

    def __invert__(self) -> Condition:
        """Return every part negated, joined by the other operator (De Morgan)."""
        return Group("Or" if self.joiner == "And" else "And", tuple(~part for part in self.parts))


@attrs.frozen
class Order:
    """A property that records are ordered by, as ``f.number.desc()`` makes it."""

    entity: str
    path: str
    descending: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the ``OrderExpression``."""
        direction = "Descending" if self.descending else "Ascending"
        return {"PropertyName": self.path, "OrderType": direction}


def _join(joiner: Joiner, *conditions: Condition) -> Condition:
    flat: list[Condition] = []
    for condition in conditions:
        if isinstance(condition, Group) and condition.joiner == joiner:
            flat += condition.parts
        else:
            flat.append(condition)
    return Group(joiner, tuple(flat))


def comparisons(condition: Condition) -> Iterator[Comparison]:
    """Yield every comparison in ``condition``."""
    if isinstance(condition, Comparison):
        yield condition
    elif isinstance(condition, Group):
        for part in condition.parts:
            yield from comparisons(part)


def criteria(parts: Sequence[Condition], joiner: Joiner = "And") -> dict[str, Any]:
    """Return the ``FilterExpression`` of conditions that are joined by one operator."""
    if len(parts) == 1 and isinstance(parts[0], Group):
        return criteria(parts[0].parts, parts[0].joiner)
    made: dict[str, Any] = {
        "Conditions": [part.as_json() for part in parts if isinstance(part, Comparison)],
        "FilterOperator": joiner,
    }
    if groups := [criteria(part.parts, part.joiner) for part in parts if isinstance(part, Group)]:
        made["Filters"] = groups
    return made


# --- values ---------------------------------------------------------------------------------


def text(value: Any, path: ResolvedPath) -> str:
    """Return the text of ``value`` for the property at ``path``. Raises InvalidCallError with the remedy."""
    meta = path.meta
    if meta is not None and meta["type"] == "string" and isinstance(value, str):
        return str.__str__(value)
    where = f"{path.entity}.{path.path}"
    if value is None:
        raise InvalidCallError(f"{where} is compared with None; use .is_null() or .not_null()")
    if meta is None:
        return _by_python_type(value, where)
    kind = meta["type"]
    found = FIELD_TYPES[kind].check(value, path.unbounded)
    if found and found[1] == "error":
        in_json = f"{where} {found.in_json}" if found.in_json else ""
        raise InvalidCallError(f"{where} {found.message}", for_callers=in_json)
    return _WRITERS[kind](value, meta, where)


def _integer(value: Any, _: Wire, __: str) -> str:
    return str(int(value))


def _number(value: Any, _: Wire, __: str) -> str:
    """Return exact digits without an exponent; a float by its shortest digits."""
    return format(Decimal(repr(value) if isinstance(value, float) else value), "f")


def _boolean(value: Any, _: Wire, __: str) -> str:
    return "true" if value else "false"


def _enum(value: Any, meta: Wire, _: str) -> str:
    """Return the name, never the number (facts 9)."""
    enum: type[OpenEnum] = registry.resolve(meta["of"])
    return str(enum(value))


def _moment(write: Callable[[Any, str], Any]) -> Callable[[Any, Wire, str], str]:
    def written(value: Any, _: Wire, where: str) -> str:
        return str(write(value, where))

    return written


_WRITERS: dict[str, Callable[[Any, Wire, str], str]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "enum": _enum,
    "datetime-local": _moment(write_local),
    "datetime-utc": _moment(write_utc),
}


def _by_python_type(value: Any, where: str) -> str:
    """Return the text of a value whose property is not known."""
    if isinstance(value, bool):
        return _boolean(value, {}, where)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int | float | Decimal) and Decimal(value).is_finite():
        return _number(value, {}, where)
    if isinstance(value, datetime):
        return str((write_utc if value.tzinfo else write_local)(value, where))
    if isinstance(value, Record | type(Ref(0))):
        return identifier(value, where)
    raise InvalidCallError(f"{where} is compared with {value!r}; it takes text, a number, a time or a Ref")


def identifier(value: Any, where: str, of: str | None = None) -> str:
    """Return the id that a reference is compared by: of a number, a Ref or a record."""
    fits = of is None or any(base.__name__ == of for base in type(value).__mro__)
    is_record = isinstance(value, Record) and fits
    found = getattr(value, "id", None) if is_record or isinstance(value, type(Ref(0))) else value
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    shown = f"a {type(value).__name__} without an id" if is_record else repr(value)
    raise InvalidCallError(f"{where} is {shown}; it takes Ref(id), a record with its id, or an id")
