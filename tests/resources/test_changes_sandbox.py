"""The change feed end to end: writers at work on a local Company while its changes are read."""

from __future__ import annotations

import asyncio

from wosdk_async import (
    Client,
    Company,
    Watermark,
    WoPauseCommand,
    WoPickUpCommand,
    WorkOrder,
    WoStartCommand,
)
from wosdk_async.sandbox import LocalCompany

ORDER = {
    "Items": [{"Asset": {"Id": 20440}, "Task": {"Id": 14211}}],
    "TypeCategory": "Request",
    "SubType": {"Id": 259},
    "Customer": {"Id": 512},
}
Taken = dict[int | None, tuple[object, object]]


async def write(acme: Company) -> None:
    """Create some orders and move each through its states."""
    for _ in range(6):
        made = await acme.run("WoCreateCommand", {"WorkOrder": ORDER})
        id = made["Wo"]["Id"]
        await acme.run(WoPickUpCommand(work_order_id=id))
        await acme.run(WoStartCommand(work_order_id=id))
        await acme.run(WoPauseCommand(work_order_id=id))


async def take(acme: Company, stored: str | None, taken: Taken) -> tuple[str, int]:
    """One pass, as another process would begin it; gives the watermark and how many rows came."""
    feed = acme.changes(WorkOrder, since=Watermark.parse(stored) if stored else None)
    rows = 0
    async for order in feed:
        taken[order.id] = (order.status_id, order.concurrency_id)
        rows += 1
    return str(feed.watermark), rows


async def test_readers_see_the_last_state_of_every_order(dialect: str) -> None:
    """Passes run back to back while four writers work; one more pass, and nothing is missing."""
    with LocalCompany(dialect=dialect) as local:
        async with Client.from_env(local.variables) as client:
            acme = client.company()
            taken: Taken = {}
            writers = asyncio.gather(*(write(acme) for _ in range(4)))
            stored = None
            while not writers.done():
                stored, _ = await take(acme, stored, taken)
            await writers
            stored, _ = await take(acme, stored, taken)
            orders = await acme.query(WorkOrder).all()
            _, again = await take(acme, stored, taken)
    assert taken == {order.id: (order.status_id, order.concurrency_id) for order in orders}
    assert sum(status == "Paused" for status, _ in taken.values()) >= 24
    assert again == 0
