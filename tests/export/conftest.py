"""A service that has work orders in memory and answers pages of queries, and what exports of it hold."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.support.service import Answer, Request, Service, error
from wosdk_async import Company

Row = dict[str, Any]
MOVED = "LastActionDateUtc"


class Orders:
    """Records by id, answered by pages in the order of ``Id`` or time; ``asked`` has the bounds of requests.

    Of conditions it knows ranges of ``Id``, and the time from which records moved.

    A page that begins after an id in ``failing`` is refused. ``before`` is awaited before each page. Each
    record is ``repeated``. When it is ``boundless``, it ignores the end of a range. A page has up to so many
    ``more`` records than were asked for. ``show`` is called with each record that is answered.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows = {row["Id"]: row for row in rows}
        self.asked: list[tuple[int | None, int | None]] = []
        self.failing: Callable[[int | None], bool] = lambda _: False
        self.repeated = 1
        self.boundless = False
        self.more = 0
        self.show: Callable[[Row], Row] = lambda row: row
        self.before: Callable[[int | None], Awaitable[None]] | None = None

    async def __call__(self, request: Request) -> Answer:
        expression = request.json["QueryExpression"]
        conditions = expression.get("Criteria", {}).get("Conditions", [])
        bounds = [(each["Operator"], int(each["Values"][0])) for each in conditions if _is_bound(each)]
        above = max((id for operator, id in bounds if operator == "GreaterThan"), default=None)
        until = min((id for operator, id in bounds if operator == "LessOrEqual"), default=None)
        self.asked.append((above, until))
        until = None if self.boundless else until
        if self.before is not None:
            await self.before(above)
        if self.failing(above):
            return error(400, "BUSINESS_LOGIC_ERROR", "no queries today")
        by = expression["Orders"][0]
        since = [each["Values"][0] for each in conditions if each["Operator"] == "GreaterOrEqual"]
        first = expression.get("FirstResultIndex", 0)
        ids = [
            id
            for id, row in self.rows.items()
            if (above is None or id > above)
            and (until is None or id <= until)
            and all(_moved(row) >= datetime.fromisoformat(time).replace(tzinfo=UTC) for time in since)
        ]
        ids.sort(
            key=lambda id: _moved(self.rows[id]) if by["PropertyName"] == MOVED else id,
            reverse=by["OrderType"] == "Descending",
        )
        found = [id for id in ids for _ in range(self.repeated)]
        page = found[first : first + expression["Count"] + self.more]
        await asyncio.sleep(0)
        return Answer(body={"Entities": [{"Data": self.show(self.rows[id])} for id in page]})


def _is_bound(condition: dict[str, Any]) -> bool:
    return condition["PropertyName"] == "Id"


def _moved(row: Row) -> datetime:
    return datetime.fromisoformat(row[MOVED])


def order(id: int, **more: Any) -> Row:
    """A work order with a value of each kind."""
    return {
        "Id": id,
        "Number": f"WO{id:06d}",
        "TypeCategory": "Request",
        "StatusId": "New",
        "Customer": {"Id": id % 7 + 1},
        "DtCreated": "2026-03-01T09:12:31.4412345",
        "LastActionDateUtc": "2026-03-01T15:12:31.44Z",
        "VendorNte": {"Value": 350.5, "CurrencyTypeId": "USD"},
        "IsWarranty": id % 2 == 0,
        "ConcurrencyId": 3,
        **more,
    }


@pytest.fixture
async def orders() -> Orders:
    """Work orders with ids that are far from each other, and close together at one place."""
    ids = [*range(1, 60), 1000, 5000, *range(9000, 9060), 20_000]
    return Orders(map(order, ids))


@pytest.fixture
async def acme(orders: Orders) -> AsyncIterator[Company]:
    """The Company of these orders."""
    async with Service() as service:
        service.handler = orders
        async with service.client() as client:
            yield client.company()


MONEY = Decimal("350.5")
