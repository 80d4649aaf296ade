"""The required fields of docs/first-order.md, tried on a local Company of each dialect."""

from __future__ import annotations

import ast
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tests.docs.modules import module
from tests.docs.pages import ROOT, Block, pages, read
from tests.docs.prelude import new_order
from wosdk_async import (
    BusinessRuleError,
    Client,
    Company,
    Location,
    Task,
    WoCreateCommand,
    WoItem,
    WorkOrder,
    WorkZone,
    WOType,
)
from wosdk_async.sandbox import LocalCompany

ROWS = {
    cells[0].strip("`"): cells[1]
    for _, cells in read(ROOT / "docs" / "first-order.md").rows
    if cells[0].strip("`") in WorkOrder.__wire__
}
ALWAYS = {name: WorkOrder.__wire__[name]["name"] for name, when in ROWS.items() if when.startswith("always")}


@pytest.fixture(params=["spec", "recorded"])
def local(request: pytest.FixtureRequest) -> Iterator[LocalCompany]:
    with LocalCompany(dialect=request.param) as company:
        yield company


@pytest.fixture
async def acme(local: LocalCompany) -> AsyncIterator[Company]:
    async with Client.from_env(local.variables) as client:
        yield client.company()


def command(**changes: Any) -> WoCreateCommand:
    order = new_order()
    for name, value in changes.items():
        setattr(order, name, value)
    return WoCreateCommand(work_order=order)


async def refusal(acme: Company, **changes: Any) -> str:
    """Return the message of the refusal; nothing is created."""
    with pytest.raises(BusinessRuleError) as refused:
        await acme.run(command(**changes))
    assert [order async for order in acme.query(WorkOrder)] == []
    return refused.value.message


def test_the_page_names_all_of_them() -> None:
    assert sorted(ALWAYS) == ["items", "sub_type", "type_category"]
    assert {name for name, when in ROWS.items() if when.startswith("no;")} == {
        "priority",
        "requestor_contact",
    }
    assert {"customer", "work_zone"} <= ROWS.keys()


@pytest.mark.parametrize("name", sorted(ALWAYS))
async def test_a_field_that_is_always_needed(name: str, acme: Company) -> None:
    message = await refusal(acme, **{name: None})
    assert message.startswith(ALWAYS[name])
    assert "is a required field" in message


@pytest.mark.parametrize("item", [WoItem(asset=Location.ref(20440)), WoItem(task=Task.ref(14211))])
async def test_an_item_needs_asset_and_task(item: WoItem, acme: Company) -> None:
    missing = "Asset" if item.asset is None else "Task"
    assert (await refusal(acme, items=[item])).startswith(f"Items.{missing}.Id is a required field")


async def test_a_request_needs_a_customer(acme: Company) -> None:
    """Also one with a work zone."""
    assert (await refusal(acme, customer=None)).startswith("Customer.Id is a required field")
    message = await refusal(acme, customer=None, work_zone=WorkZone.ref(14))
    assert message.startswith("Customer.Id is a required field")


async def test_an_order_without_a_customer_needs_a_work_zone(acme: Company) -> None:
    """The client refuses nothing that the service accepts."""
    basic = {"customer": None, "type_category": WOType.Basic}
    assert (await refusal(acme, **basic)).startswith("WorkZone.Id is a required field")
    made = await acme.run(command(**basic, work_zone=WorkZone.ref(14)))
    assert made.wo is not None
    assert made.wo.number


async def test_the_others_are_not_needed(acme: Company) -> None:
    made = await acme.run(command())
    assert made.wo is not None
    assert made.wo.number


# --- the examples ---------------------------------------------------------------------------


def incomplete_orders(block: Block) -> list[set[str]]:
    """Return the required fields that each new work order of a block omits."""
    calls = (node for node in ast.walk(ast.parse(module(block))) if isinstance(node, ast.Call))
    orders = (call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "WorkOrder")
    given = [{str(keyword.arg) for keyword in order.keywords} for order in orders]
    needed = {*ALWAYS, "customer"}  # no example makes an order without a customer
    return [needed - names for names in given if names & {"items", "sub_type"} and needed - names]


def test_every_new_order_of_the_pages_can_be_created() -> None:
    """Also one that an example creates but does not send."""
    made = [block for page in pages() for block in page.blocks if block.language == "python"]
    wrong = {block.name: found for block in made if (found := incomplete_orders(block))}
    assert wrong == {}


def test_an_order_that_cannot_be_created_is_found() -> None:
    block = Block("x.md", 1, "python", "", "WorkOrder(customer=None, sub_type=None, items=[])\n", closed=True)
    assert incomplete_orders(block) == [{"type_category"}]
