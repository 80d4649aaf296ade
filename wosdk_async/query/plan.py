"""The plan of a query, and the QueryExpression that it is sent as (facts 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from wosdk_async.codec.checks import named_by
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Record, entity_class
from wosdk_async.protocol.arguments import described, entity_name
from wosdk_async.query.conditions import Comparison, Condition, Order, comparisons, criteria
from wosdk_async.query.paths import ResolvedPath, find, root
from wosdk_async.query.properties import Path, resolved
from wosdk_async.text.suggestions import suggestion

if TYPE_CHECKING:
    from wosdk_async.model import IsolationLevel

__all__ = ["KEYS", "Plan", "condition_of", "isolation_of", "order_of", "selected", "selection"]

KEYS: dict[str, tuple[str, ...]] = {
    "Actor": ("Id", "TypeId"),
    "AlertSubscription": ("UserId", "AlertTypeId"),
    "AssetTree": ("ParentId", "ChildId"),  # facts 3.4: its Id repeats ParentId
    "Blob": ("ActorId", "ActorTypeId", "TypeId"),
    "GLAccount": ("Id", "DisplayAs"),
    "InvoiceLog": ("InvoiceId", "Idx"),
    "PmItem": (),
    "PmSchedule": (),
}
"""Properties that make a record unique where ``Id`` alone does not (facts 3.1); unknown for the last two."""


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
        """Properties that make a record unique."""
        known = entity_class(self.name)
        return KEYS.get(known.wire_name if known else self.name, ("Id",))

    @property
    def by_key(self) -> bool:
        """Whether pages can follow each other by ``Id``: it is unique, and nothing else decides the order."""
        return self.key == ("Id",) and [order.path for order in self.orders] in ([], ["Id"])

    @property
    def descending(self) -> bool:
        """Whether the first order is from high to low."""
        return bool(self.orders) and self.orders[0].descending

    def total_order(self) -> list[Order]:
        """Return the orders with the key appended, so that the order of records is always the same."""
        given = [order.path for order in self.orders]
        return [*self.orders, *(Order(self.name, path) for path in self.key if path not in given)]

    def expression(self, bounds: Sequence[Comparison] = (), **paging: int | None) -> dict[str, Any]:
        """Return the ``QueryExpression``; ``bounds`` are more conditions, None in ``paging`` is left out."""
        made: dict[str, Any] = {"PropertySet": {"Properties": self._property_set()}}
        if parts := (*bounds, *self.conditions):
            made["Criteria"] = criteria(parts)
        if orders := self.total_order():
            made["Orders"] = [order.as_json() for order in orders]
        if self.distinct:
            made["Distinct"] = True
        return made | {name: value for name, value in paging.items() if value is not None}

    def _property_set(self) -> list[str]:
        """Return the paths, or ``*``; the ``Id`` is always read, because pages go by it."""
        paths = list(dict.fromkeys(self.properties)) or ["*"]
        return paths if "*" in paths or "Id" in paths or "Id" not in self.key else [*paths, "Id"]


# --- checks of its parts --------------------------------------------------------------------


def condition_of(plan: Plan, condition: Any) -> Condition:
    """Return ``condition``. Raises InvalidCallError when it cannot be one of the query."""
    if not isinstance(condition, Condition):
        raise InvalidCallError(
            f"where() takes conditions, not {_shown(condition)}; fields({plan.name}).id == 1 makes one"
        )
    for comparison in comparisons(condition):
        _same_entity(plan, comparison)
    return condition


def order_of(plan: Plan, order: Any) -> Order:
    """Return the Order for an argument of :meth:`Query.order_by`. Raises InvalidCallError."""
    if isinstance(order, Order):
        _same_entity(plan, order)
        return order
    down = isinstance(order, str) and order.startswith("-")
    path = _resolve(plan, order[1:] if down else order)
    if path.in_list or path.below is not None or path.kind == "entity":
        raise InvalidCallError(f"{path.entity} cannot be ordered by {path.path!r}; name a single value")
    return Order(path.entity, path.path, down)


def selected(plan: Plan, path: Any) -> str:
    """Return the property path for an argument of :meth:`Query.select`. Raises InvalidCallError."""
    if isinstance(path, str) and (path == "*" or path.endswith(".*")):
        return f"{_resolve(plan, path[:-2]).path}.*" if path != "*" else path
    found = _resolve(plan, path)
    single = not found.checked or found.below is None or found.kind == "money"
    if single or not isinstance(path, str):
        return found.path if single else f"{found.path}.*".lstrip(".")
    raise InvalidCallError(  # facts 3.4: ERROR_CODE_1003
        f"{plan.name}.{path} is not a single value; write '{path}.*' or {_one_property(found)}"
    )


def _one_property(found: ResolvedPath) -> str:
    """Return the advice to read one property of a record, with the one by which people know it."""
    key = named_by(found.below) if found.below is not None else None
    example = f", such as '{found.path}.{found.below.__wire__[key]['name']}'" if found.below and key else ""
    return f"name one of its properties{example}"


def selection(entity: type[Record] | str, properties: Any, check: bool = True) -> list[str]:
    """Return the paths of a ``properties=`` argument, each checked as :func:`selected` does.

    Without ``check`` any text is a path. Raises InvalidCallError.
    """
    if isinstance(properties, str | Path) or not isinstance(properties, Iterable):
        shown = _shown(properties)
        remedy = "leave it out" if properties is None else f"pass a list, [{shown}]"
        raise InvalidCallError(f"properties is {shown}; it takes several paths: {remedy}")
    paths = list(properties)
    if not paths:
        return []
    plan = Plan(entity if check else entity_name(entity))
    return [selected(plan, path) for path in paths]


def _shown(value: Any) -> str:
    return str(resolved(value)) if isinstance(value, Path) else described(value)


def _resolve(plan: Plan, path: Any) -> ResolvedPath:
    if isinstance(path, Path):
        found = resolved(path)
        _same_entity(plan, found)
        return found
    if not isinstance(path, str):
        raise InvalidCallError(f"a property is given as its path or as f.name, not as {described(path)}")
    return find(root(plan.entity), path)


def _same_entity(plan: Plan, part: Comparison | Order | ResolvedPath) -> None:
    if part.entity != plan.name:
        raise InvalidCallError(
            f"{part.entity}.{part.path} is not a property of {plan.name}, which the query reads"
        )


def isolation_of(level: IsolationLevel | str) -> str:
    """Return the value of the isolation header (facts 3.8). Raises InvalidCallError."""
    from wosdk_async.model import IsolationLevel  # loads all enums

    found = IsolationLevel(level)
    if not found.is_known:
        near = suggestion(str(level), map(str, IsolationLevel))
        raise InvalidCallError(f"there is no isolation level {str(level)!r}{near}")
    return str(found)
