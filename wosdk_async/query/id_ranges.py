"""Ranges of ids, for the parts of a query that several calls read at once."""

from __future__ import annotations

import reprlib
from typing import Any

import attrs

from wosdk_async.errors import InvalidCallError, WosdkError
from wosdk_async.query.conditions import Order
from wosdk_async.query.paging import Cursor, Fetch, KeyCursor
from wosdk_async.query.plan import Plan

__all__ = ["highest_id", "key_ranges"]


async def key_ranges(fetch: Fetch, plan: Plan, size: int, parallel: Any, verb: str) -> list[Cursor]:
    """Return a cursor for each of ``parallel`` parts of the range of ids."""
    if isinstance(parallel, bool) or not isinstance(parallel, int) or parallel < 1:
        raise InvalidCallError(f"parallel is {reprlib.repr(parallel)}; it takes a whole number from 1")
    if plan.orders or plan.limit or not plan.by_key:
        raise InvalidCallError(f"{verb} reads all of {plan.name} by Id: no order, no limit, no other key")
    highest = await highest_id(fetch, plan)
    if highest is None:
        return []
    return [
        KeyCursor(fetch, plan, size, above=above, until=until) for above, until in _split(highest, parallel)
    ]


async def highest_id(fetch: Fetch, plan: Plan) -> int | None:
    """Return the highest id of the records of a query; None when there are none.

    All records above it would be missed, so a second call asks for one. That may have been added meanwhile:
    then the first call is repeated, and must now give at least its id.

    Raises WosdkError when the service gives a lower one, because it does not keep to the order.
    """  # not shown that a service does so; assumed
    highest = await _first_id(fetch, plan, descending=True)
    if highest is None or (added := await _first_id(fetch, plan, above=highest)) is None:
        return highest
    again = await _first_id(fetch, plan, descending=True)
    if again is None or again < added:
        raise WosdkError(
            f"the highest Id of {plan.name} is {again} by its order, but there is {added}: the service does"
            " not keep to descending order, so its records cannot be read by ranges"
        )
    return highest


async def _first_id(
    fetch: Fetch, plan: Plan, *, above: int | None = None, descending: bool = False
) -> int | None:
    orders = (Order(plan.name, "Id", descending=descending),)
    cursor = KeyCursor(fetch, attrs.evolve(plan, properties=("Id",), orders=orders, limit=1), 1, above=above)
    return cursor.last if await cursor.page() else None


def _split(highest: int, parts: int) -> list[tuple[int | None, int]]:
    """Return adjacent ranges of ids: the first without a lower bound, the last up to ``highest``."""
    ends = sorted({min(highest, highest * part // parts) for part in range(1, parts + 1)})
    return list(zip([None, *ends[:-1]], ends, strict=True))
