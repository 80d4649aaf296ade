"""Conditions and orders of a query: immutable data, and the JSON they are sent as (facts 4)."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NoReturn

import attrs

from wosdk_async.errors import InvalidCallError

__all__ = ["Comparison", "Condition", "Group", "Order", "comparisons", "criteria"]

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
"""Each of the 14 operators of the service and its opposite; none of a pair matches null but the last."""


class Condition(abc.ABC):
    """What rows must fulfil: ``(f.status_id == "New") & f.customer.name.like("%mall%")``.

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
        """The opposite, where the service has an operator for it."""

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a condition has no truth value: join conditions with & and |, each in parentheses, negate with"
            " ~, and write .between(low, high) or (f.x > low) & (f.x < high) instead of a chained comparison"
        )


@attrs.frozen
class Comparison(Condition):
    """One property against values."""

    entity: str
    path: str
    operator: str
    values: tuple[str, ...] = ()
    """Texts, whatever the property's type: all recorded values are (facts 4)."""
    in_list: bool = False

    def __invert__(self) -> Condition:
        """The opposite operator.

        Raises InvalidCallError for a path through a list: ``~`` would have to mean "no element", and the
        opposite operator means "some element does not".
        """
        if self.in_list:
            raise InvalidCallError(
                f"~ of a condition on {self.path}: the service cannot ask that no element of a list fits;"
                " use the opposite operator if you mean that some element does not"
            )
        return attrs.evolve(self, operator=NEGATED[self.operator])

    def as_json(self) -> dict[str, Any]:
        """``ConditionExpression``."""
        return {"PropertyName": self.path, "Operator": self.operator, "Values": list(self.values)}


@attrs.frozen
class Group(Condition):
    """Conditions joined by one operator."""

    joiner: Joiner
    parts: tuple[Condition, ...]

    def __invert__(self) -> Condition:
        """De Morgan: every part negated, joined by the other operator."""
        return Group("Or" if self.joiner == "And" else "And", tuple(~part for part in self.parts))


@attrs.frozen
class Order:
    """One property that rows are ordered by, as ``f.number.desc()`` makes it."""

    entity: str
    path: str
    descending: bool = False

    def as_json(self) -> dict[str, Any]:
        """``OrderExpression``."""
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
    """Every comparison in ``condition``."""
    if isinstance(condition, Comparison):
        yield condition
    elif isinstance(condition, Group):
        for part in condition.parts:
            yield from comparisons(part)


def criteria(parts: Sequence[Condition], joiner: Joiner = "And") -> dict[str, Any]:
    """``FilterExpression`` of conditions that are joined by one operator."""
    if len(parts) == 1 and isinstance(parts[0], Group):
        return criteria(parts[0].parts, parts[0].joiner)
    made: dict[str, Any] = {
        "Conditions": [part.as_json() for part in parts if isinstance(part, Comparison)],
        "FilterOperator": joiner,
    }
    if groups := [criteria(part.parts, part.joiner) for part in parts if isinstance(part, Group)]:
        made["Filters"] = groups
    return made
