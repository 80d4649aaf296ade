"""Never run, only checked: what a type checker knows of the public names.

A line marked ``type: ignore[code]`` must be an error of that code: ``warn_unused_ignores`` tells when not.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, assert_type

from wosdk_async import (
    Client,
    Customer,
    Done,
    EntitySpecifier,
    Location,
    Money,
    Ref,
    Task,
    WoActionResponse,
    WoCreateCommand,
    WoItem,
    WorkOrder,
)


async def verbs(client: Client) -> None:
    acme = client.company("Acme Facilities")
    order = await acme.get(WorkOrder, 1, properties=["*"])
    assert_type(order, WorkOrder)
    assert_type(order.number, str | None)
    assert_type(order.customer, Customer | None)
    assert_type(await acme.get("NewEntity", 1), dict[str, Any])
    assert_type(await acme.query(Customer, {}), list[Customer])
    assert_type(await acme.create(Customer(name="A")), EntitySpecifier)
    assert_type(await acme.update(order, po_number="PO-77"), WorkOrder)
    assert_type(await acme.run(WoCreateCommand()), WoActionResponse)
    assert_type(await acme.run("NewCommand", {}), dict[str, Any])
    print(order.nunber)  # type: ignore[attr-defined]
    await acme.get(WorkOrder)  # type: ignore[call-overload]


async def many(client: Client) -> None:
    commands = [WoCreateCommand(comment="a")]
    async with client.company().run_many(commands, limit=64) as run:
        async for outcome in run:
            if isinstance(outcome, Done):
                assert_type(outcome.result, WoActionResponse)


def constructors() -> None:
    WorkOrder(
        items=[WoItem(asset=Location.ref(1), task=Task.ref(2))],
        customer=Ref(512),
        vendor_nte=Money(value=Decimal("1.50")),
    )
    WorkOrder(nunber="7")  # type: ignore[call-arg]
    WorkOrder(number=7)  # type: ignore[arg-type]
    WorkOrder("7")  # type: ignore[call-arg, arg-type]
