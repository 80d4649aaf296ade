"""Tests that once ran against a real Company, and now play its responses.

    pytest test_recorded.py                   # plays recordings/*.json: no network, no account
    pytest test_recorded.py --wosdk-record    # records again

To record, name the Company by the WOSDK_* variables. The recording here was made with a local Company, whose
variables ``wosdk sandbox serve`` prints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from wosdk_async import (
    Company,
    Customer,
    Location,
    Task,
    WoCreateCommand,
    WoItem,
    WorkOrder,
    WorkOrderType,
    WOType,
    fields,
)
from wosdk_async.testing import Recording

PERSONAL = {"Name", "DisplayAs", "Dba", "Instructions"}


# --- the program under test -----------------------------------------------------------------


async def report_leak(acme: Company, key: str) -> str | None:
    """Create a work order once for a key, and return its number."""
    order = WorkOrder(
        items=[WoItem(asset=Location.ref(20440), task=Task.ref(14211))],
        customer=Customer.ref(512),
        sub_type=WorkOrderType.ref(259),
        type_category=WOType.Request,
        po_number=key,
    )
    made = await acme.run(WoCreateCommand(work_order=order), marker="work_order.po_number", look_first=True)
    return made.wo.number if made.wo else None


async def reported(acme: Company, key: str) -> list[tuple[str | None, str | None]]:
    """Return number and customer of each work order with a key."""
    f = fields(WorkOrder)
    query = acme.query(WorkOrder).where(f.po_number == key).select("*", "Customer.*")
    return [(order.number, order.customer.name if order.customer else None) for order in await query.all()]


# --- its tests ------------------------------------------------------------------------------


@pytest.fixture
def wosdk_scrub() -> Callable[[Any], Any]:
    """Return the function that replaces personal data in what is recorded."""

    def scrub(body: Any) -> Any:
        if isinstance(body, list):
            return [scrub(item) for item in body]
        if not isinstance(body, dict):
            return body
        return {name: "Somebody" if name in PERSONAL else scrub(item) for name, item in body.items()}

    return scrub


async def test_a_leak_is_reported_once(wosdk_recording: Recording) -> None:
    """The key belongs to the test: a random one would be another request in each run."""
    async with wosdk_recording.client() as client:
        acme = client.company()
        number = await report_leak(acme, "LEAK-0001")
        assert number is not None
        assert await report_leak(acme, "LEAK-0001") == number
        assert [found for found, _ in await reported(acme, "LEAK-0001")] == [number]
