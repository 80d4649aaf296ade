"""Labour entries of work orders, as their cost records hold them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime

import pytest

from tests.jobs.conftest import Local
from tests.resources.conftest import ordered
from wosdk_async import (
    Employee,
    FinancialItem,
    InvalidCallError,
    LaborCode,
    WorkOrder,
    WorkOrderCost,
    fields,
)

MAY, JUNE = datetime(2024, 5, 1), datetime(2024, 6, 1)
f = fields(WorkOrderCost)


def line(employee: int, start: datetime | None, minutes: int, category: str = "Labor") -> FinancialItem:
    return FinancialItem(
        cost_category_id=category,
        employee=Employee.ref(employee),
        labor_code=LaborCode.ref(70),
        start_date=start,
        duration=minutes,
    )


@pytest.fixture
async def orders(local: Local) -> list[WorkOrder]:
    """Three work orders: two with labour and other costs, one without."""
    made = [await ordered(local) for _ in range(3)]
    first = [line(208, MAY, 60), line(215, datetime(2024, 5, 31, 23, 59), 30), line(208, MAY, 9, "Material")]
    second = [line(208, JUNE, 45), line(230, None, 15)]
    for order, lines in zip(made, (first, second), strict=False):
        await local.company.update(WorkOrderCost(id=order.id), items=lines)
    local.server.asked.clear()
    return made


async def durations(entries: AsyncIterator[FinancialItem]) -> list[int | None]:
    return [entry.duration async for entry in entries]


async def test_entries_say_who_works_on_what_and_for_how_long(local: Local, orders: list[WorkOrder]) -> None:
    """Facts 10 row 11: with the names of employee and labour code, in one query and an empty last page."""
    entries = [entry async for entry in local.company.labor.entries()]
    assert [entry.duration for entry in entries] == [60, 30, 45, 15]
    (first, *_) = entries
    assert (first.wo_id, first.start_date) == (orders[0].id, MAY)
    assert first.employee is not None
    assert (first.employee.id, first.employee.display_as) == (208, "Mira Okafor")
    assert first.labor_code is not None
    assert (first.labor_code.id, first.labor_code.display_as) == (70, "Regular time")
    assert len(local.server.asked) == 2


async def test_entries_of_some_orders(local: Local, orders: list[WorkOrder]) -> None:
    """By record, Ref or id; an order without labour gives nothing, and no orders are not all."""
    assert await durations(local.company.labor.entries([orders[1], orders[2].id or 0])) == [45, 15]
    assert await durations(local.company.labor.entries([])) == []
    with pytest.raises(InvalidCallError, match="the work order is 'RSC000001'; it must be Ref"):
        await durations(local.company.labor.entries(["RSC000001"]))


async def test_entries_of_some_days(local: Local, orders: list[WorkOrder]) -> None:
    """From the first moment up to, not including, the last; what has no start is in no range."""
    acme = local.company
    assert await durations(acme.labor.entries(since=MAY, until=JUNE)) == [60, 30]
    assert await durations(acme.labor.entries(since=JUNE)) == [45]
    assert await durations(acme.labor.entries(until=datetime(2024, 5, 31, 23, 59))) == [60]
    assert await durations(acme.labor.entries(orders, since=JUNE)) == [45]


async def test_entries_by_a_condition(local: Local, orders: list[WorkOrder]) -> None:
    """The condition is on orders: all labour of an order that fits."""
    assert await durations(local.company.labor.entries(where=f.items.employee == 230)) == [45, 15]


async def test_many_orders_go_in_batches(local: Local, orders: list[WorkOrder]) -> None:
    first = orders[0].id or 0
    assert await durations(local.company.labor.entries([*range(10_000, 10_200), first, first])) == [60, 30]
    assert local.server.count("query/WorkOrderCost") == 3
