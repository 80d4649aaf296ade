"""A record knows the Company that it was read from, and no other Company takes it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import attrs
import pytest

from tests.support.laws import each_of
from wosdk_async import (
    Company,
    Customer,
    InvalidCallError,
    Location,
    NotFoundError,
    Task,
    WoCreateCommand,
    WoItem,
    WoPickUpCommand,
    WorkOrder,
    WorkOrderType,
    codec,
    from_dict,
    to_dict,
)
from wosdk_async.protocol import records, responses
from wosdk_async.protocol.wire import Response
from wosdk_async.testing import Sandbox
from wosdk_async.transport.session.credentials import Credentials, Region, Tenant


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """Yield two Companies with the same records under the same ids."""
    with Sandbox(company=["North", "South"]) as made:
        yield made


@pytest.fixture
def north(sandbox: Sandbox) -> Company:
    """Return the Company that records are read from."""
    return sandbox.client().company("North")


@pytest.fixture
def south(sandbox: Sandbox) -> Company:
    """Return the Company that they are passed to."""
    return sandbox.client().company("South")


def ordered(customer: Any = None) -> WoCreateCommand:
    """Return a command that creates a work order."""
    return WoCreateCommand(
        work_order=WorkOrder(
            items=[WoItem(asset=Location.ref(20440), task=Task.ref(14211))],
            customer=customer or Customer.ref(512),
            sub_type=WorkOrderType.ref(259),
            type_category="Request",
        )
    )


@pytest.fixture
async def order(north: Company, south: Company) -> WorkOrder:
    """Return a work order of North; South has another one of that id."""
    await south.run(ordered())
    made = (await north.run(ordered())).wo
    assert made is not None
    return await north.get(
        WorkOrder, made.id or 0, properties=["*", "Customer.*", "Items.*", "Items.Asset.*"]
    )


COPIES: list[Callable[[WorkOrder], WorkOrder]] = [
    lambda order: order,
    copy.copy,
    copy.deepcopy,
    lambda order: pickle.loads(pickle.dumps(order)),  # noqa: S301
    lambda order: attrs.evolve(order, po_number="1"),
]

Uses = Callable[[Company, WorkOrder], Awaitable[Any]]
USES: dict[str, Uses] = {
    "update": lambda south, order: south.update(order, po_number="9"),
    "edited": lambda south, order: south.update(attrs.evolve(order, po_number="9"), order),
    "edited only": lambda south, order: south.update(
        attrs.evolve(order, po_number="9"), WorkOrder(id=order.id)
    ),
    "reference": lambda south, order: south.update(WorkOrder.ref(order.id or 0), customer=order.customer),
    "element": lambda south, order: south.update(WorkOrder.ref(order.id or 0), items=order.items),
    "inside": lambda south, order: south.run(ordered(order.customer)),
    "create": lambda south, order: south.create(Customer(name="x", work_zone=order.work_zone)),
    "hold": lambda south, order: south.work_orders.hold(order, reason="Waiting for parts"),
    "note": lambda south, order: south.work_orders.note(order=order, body="x"),
    "attach": lambda south, order: south.documents.attach(order, b"x", file_name="x.txt"),
    "labor": lambda south, order: anext(south.labor.entries([order])),
    "custom field": lambda south, order: south.custom_fields.set(order, {"Contract no": "1"}),
}


@each_of("name", USES)
async def test_refused(sandbox: Sandbox, south: Company, order: WorkOrder, name: str) -> None:
    """Verbs, commands and resources refuse it and what it holds, copied or not, before anything is sent."""
    sent = len(sandbox.requests)
    for of in COPIES:
        with pytest.raises(InvalidCallError, match=r"read from North at .*South") as found:
            await USES[name](south, of(order))
        assert len(sandbox.requests) == sent
        assert "South" not in (found.value.for_callers or "")


async def test_own_company(north: Company, order: WorkOrder) -> None:
    """Its own Company takes it, however it is spelt and through any client."""
    assert (await north.update(order, po_number="9")).origin == order.origin
    assert await north.work_orders.pick_up(order)
    assert (await north.run(ordered(order.customer))).wo
    for text in ("/", ":80", ":80/"):  # one address, written in other ways
        region = Region("r", f"http://127.0.0.1{text}")
        assert Tenant("North", region, Credentials("a", "b")).origin == "North at http://127.0.0.1"
    with Sandbox(company="NORTH") as other, pytest.raises(NotFoundError):  # it was sent
        await other.client().company().update(order, po_number="9")


async def test_way_around(north: Company, south: Company, order: WorkOrder) -> None:
    """An id, a reference, a copy without its origin and ``check=False`` are sent."""
    await south.update(WorkOrder.ref(order.id or 0), po_number="1")
    await south.update(order, po_number="2", check=False)
    await south.update(attrs.evolve(order, origin=None), po_number="3")
    assert (await south.get(WorkOrder, order.id or 0)).po_number == "3"
    assert (await south.work_orders.pick_up(order.id or 0)).status_id == "Open"
    await south.run(ordered(order.customer), check=False)
    assert (await north.get(WorkOrder, order.id or 0)).po_number != "3"


async def test_every_reading(north: Company, south: Company, order: WorkOrder) -> None:
    """Records of queries, commands, changes and resolve know their Company, and those in them."""
    result = await north.run(WoPickUpCommand(work_order_id=order.id))
    read = [
        order,
        order.customer,
        (order.items or [])[0],
        (order.items or [])[0].asset,
        result.wo,
        result.wo and result.wo.priority,
        await north.query(WorkOrder).select("*", "Priority.*").first(),
        *[each async for each in north.changes(WorkOrder)],
        await north.resolve(WorkOrderType, display_as="Request"),
        *(await north.work_orders.reasons("OnHold")),
    ]
    assert {each and each.origin for each in read} == {order.origin}
    assert str(order.origin).startswith("North at https://")
    assert (await south.get(WorkOrder, order.id or 0)).origin != order.origin


def test_unknown_names() -> None:
    """A record that is read the slow way, and what it holds, knows its Company, too."""
    body = b'{"Id": 1, "Zz_new": 1, "Customer": {"Id": 2, "Zz_new": 1}, "Items": [{"Id": 3, "Zz_new": 1}]}'
    responded = Response(200, {}, b'{"Data": %s}' % body)
    read = responses.read(records.retrieve(WorkOrder, 1, ()), responded, origin="North")
    assert [read.origin, read.customer.origin, read.items[0].origin] == ["North"] * 3
    assert codec.structure(codec.loads(body), WorkOrder).origin is None


async def test_no_part_of_the_value(order: WorkOrder) -> None:
    """The origin is neither compared nor shown nor written."""
    bare = attrs.evolve(order, origin=None)
    assert bare == order
    assert repr(bare) == repr(order)
    assert "North" not in repr(order)
    assert to_dict(bare) == to_dict(order)
    assert from_dict(WorkOrder, to_dict(order)).origin is None
