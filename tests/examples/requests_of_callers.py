"""Requests that the tests of the web back ends send, and what they look at."""

from __future__ import annotations

from wosdk_async import Company, WoPickUpCommand, WorkOrder, WoStartCommand
from wosdk_async.testing import Sandbox

PROBLEM = "application/problem+json"
NEW = {
    "Items": [{"Asset": {"Id": 20440}, "Task": {"Id": 14211}}],
    "TypeCategory": "Request",
    "SubType": {"Id": 259},
    "Customer": {"Id": 512},
}


def key(name: str = "order-0001", **headers: str) -> dict[str, str]:
    """Return headers with a key."""
    return {"Idempotency-Key": name, **headers}


async def started(acme: Company) -> int:
    """Return the id of a work order in progress."""
    order = WorkOrder.ref(1)
    await acme.run(WoPickUpCommand(work_order_id=order.id))
    await acme.run(WoStartCommand(work_order_id=order.id))
    return 1


def sent(sandbox: Sandbox, path: str) -> int:
    """Return how many requests the Company got for a path."""
    return sum(path in request.path for request in sandbox.requests)
