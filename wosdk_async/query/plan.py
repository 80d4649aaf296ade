"""Query plan with conditions and orders, and its QueryExpression (facts 4)."""

from __future__ import annotations

import abc
import functools
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NoReturn

import attrs

from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Record, entity_class
from wosdk_async.protocol.arguments import entity_name

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
"""The service's 14 operators and their opposites; only ``Null`` matches a missing value."""


class Condition(abc.ABC):
    """Condition on records: ``(f.status_id == "New") & f.customer.name.like("%mall%")``.

    Join conditions with ``&`` and ``|``, and negate them with ``~``. Conditions have no truth value, so
    ``and``, ``or``, ``not`` and chained comparisons raise a TypeError.
    """

    __slots__ = ()

    def __and__(self, other: Condition) -> Condition:
        return _join("And", self, other) if isinstance(other, Condition) else NotImplemented

    def __or__(self, other: Condition) -> Condition:
        return _join("Or", self, other) if isinstance(other, Condition) else NotImplemented

    @abc.abstractmethod
    def __invert__(self) -> Condition:
        """Return the opposite condition. Raises InvalidCallError if the service cannot express it."""

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
    """Strings for properties of every type, as in all recorded requests (facts 4)."""
    in_list: bool = False

    def __invert__(self) -> Condition:
        """Return the comparison with the opposite operator.

        Raises InvalidCallError for a path through a list: ``~`` would have to mean "no element matches", but
        the opposite operator means "some element does not match".
        """
        if self.in_list:
            raise InvalidCallError(
                f"cannot negate the condition on {self.path}: the service cannot test that no element of a"
                " list matches; to test that some element does not match, use the opposite operator"
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
        """Return the negated conditions, joined by the other operator (De Morgan)."""
        return Group("Or" if self.joiner == "And" else "And", tuple(~part for part in self.parts))


@attrs.frozen
class Order:
    """Property to order by, such as ``f.number.desc()``."""

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
    """Return the ``FilterExpression`` of conditions joined by one operator."""
    if len(parts) == 1 and isinstance(parts[0], Group):
        return criteria(parts[0].parts, parts[0].joiner)
    expression: dict[str, Any] = {
        "Conditions": [part.as_json() for part in parts if isinstance(part, Comparison)],
        "FilterOperator": joiner,
    }
    if groups := [criteria(part.parts, part.joiner) for part in parts if isinstance(part, Group)]:
        expression["Filters"] = groups
    return expression


KEYS: dict[str, tuple[str, ...]] = {
    "Actor": ("Id", "TypeId"),
    "AlertSubscription": ("UserId", "AlertTypeId"),
    "AssetTree": ("ParentId", "ChildId"),  # facts 3.4: the Id of an AssetTree equals its ParentId
    "Blob": ("ActorId", "ActorTypeId", "TypeId"),
    "GLAccount": ("Id", "DisplayAs"),
    "InvoiceLog": ("InvoiceId", "Idx"),
    "PmItem": (),
    "PmSchedule": (),
}
"""Entity -> properties that identify a record, if ``Id`` alone does not (facts 3.1); empty if unknown."""


@functools.lru_cache(maxsize=256)  # called for every page; bounded, because programs may generate names
def _key_of(name: str) -> tuple[str, ...]:
    known = entity_class(name)
    return KEYS.get(known.wire_name if known else name, ("Id",))


@attrs.frozen
class Plan:
    """Conditions, properties, orders and limits of a query."""

    entity: type[Record] | str
    conditions: tuple[Condition, ...] = ()
    properties: tuple[str, ...] = ()
    orders: tuple[Order, ...] = ()
    distinct: bool = False
    limit: int | None = None
    isolation: str | None = None

    @property
    def name(self) -> str:
        """Wire name of the entity."""
        return entity_name(self.entity)

    @property
    def key(self) -> tuple[str, ...]:
        """Properties that identify a record."""
        return _key_of(self.name)

    @property
    def by_key(self) -> bool:
        """Whether pages can be read by ``Id``: it must be the key and the only sort property."""
        return self.key == ("Id",) and [order.path for order in self.orders] in ([], ["Id"])

    @property
    def descending(self) -> bool:
        """Whether the first order is descending."""
        return bool(self.orders) and self.orders[0].descending

    def expression(self, bounds: Sequence[Comparison] = (), **paging: int | None) -> dict[str, Any]:
        """Return the ``QueryExpression``, with ``bounds`` as extra conditions; omit None in ``paging``."""
        paths = list(dict.fromkeys(self.properties)) or ["*"]
        if "Id" in self.key and not {"*", "Id"}.intersection(paths):
            paths.append("Id")  # always read, because paging needs the id
        expression: dict[str, Any] = {"PropertySet": {"Properties": paths}}
        if parts := (*bounds, *self.conditions):
            expression["Criteria"] = criteria(parts)
        given = [order.path for order in self.orders]
        # The key comes last, so that records always come in the same sequence.
        if orders := [*self.orders, *(Order(self.name, path) for path in self.key if path not in given)]:
            expression["Orders"] = [order.as_json() for order in orders]
        if self.distinct:
            expression["Distinct"] = True
        return expression | {name: value for name, value in paging.items() if value is not None}
