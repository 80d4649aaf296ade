"""Read, change, update, read again: against the sandbox over a real socket."""

from __future__ import annotations

import copy
import re
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from wosdk_async import (
    AssetAttribute,
    AssetTree,
    AttributeDescriptor,
    BusinessRuleError,
    Client,
    Company,
    Customer,
    Location,
    Money,
    Task,
    WoCreateCommand,
    WoItem,
    WorkOrder,
    WorkOrderType,
)
from wosdk_async.sandbox import LocalCompany
from wosdk_async.text.remedies import Remedy


@pytest.fixture(scope="module")
def variables(dialect: str) -> Iterator[dict[str, str]]:
    with LocalCompany(dialect=dialect) as company:
        yield company.variables


@pytest.fixture
async def acme(variables: dict[str, str]) -> AsyncIterator[Company]:
    async with Client.from_env(variables) as client:
        yield client.company()


async def new_order(acme: Company) -> WorkOrder:
    item = WoItem(asset=Location.ref(20440), task=Task.ref(14211))
    order = WorkOrder(
        items=[item], customer=Customer.ref(512), sub_type=WorkOrderType.ref(259), type_category=4
    )
    made = (await acme.run(WoCreateCommand(work_order=order))).wo
    return await acme.get(WorkOrder, made.id)


def told(record: Any, *names: str) -> list[Any]:
    return [getattr(record, name) for name in names]


async def test_scalars_money_dates_and_references(acme: Company, dialect: str) -> None:
    """What was changed reads back, what was not stays, and the version is the service's."""
    order = await new_order(acme)
    edited = copy.deepcopy(order)
    edited.po_number, edited.dt_due = "PO-77", datetime(2024, 7, 1, 8)
    edited.vendor_nte = Money(currency_type_id="USD", value=Decimal("12.50"))
    edited.customer, edited.sub_type = Customer.ref(513), order.sub_type
    made = await acme.update(edited, order, if_unchanged=True)
    again = await acme.get(WorkOrder, order.id)
    names = ("po_number", "dt_due", "vendor_nte", "customer", "number", "duration")
    assert told(again, *names) == told(made, *names)
    told_version = again.concurrency_id if dialect == "recorded" else None  # facts 12 row 15, spec 4.9
    assert made.concurrency_id == told_version
    edited = copy.deepcopy(again)
    edited.dt_due = None
    await acme.update(edited, again)
    assert (await acme.get(WorkOrder, order.id)).dt_due is None


async def test_attributes_of_an_asset(acme: Company) -> None:
    """Spec 4.9 rules 2 and 3: with their parent they are added, changed and removed."""
    paths = ["*", "Attributes.*"]
    asset = await acme.get(Location, 20440, properties=paths)
    edited = copy.deepcopy(asset)
    (edited.attributes or [])[0].value = "+1 207 555 0199"
    (edited.attributes or []).append(AssetAttribute(descriptor=AttributeDescriptor.ref(46), value="AH3"))
    await acme.update(edited, asset)
    read = await acme.get(Location, 20440, properties=paths)
    kept, added = read.attributes or []
    assert (kept.value, added.value) == ("+1 207 555 0199", "AH3")
    made = await acme.update(read, attributes=[AssetAttribute(id=added.id, perform_deletion=True)])
    again = await acme.get(Location, 20440, properties=paths)
    assert made == again
    assert again.attributes == [kept]


async def test_a_compound_key(acme: Company) -> None:
    """Facts 3.1: the identifier fields find the row, and only that."""
    found = await acme.get(AssetTree, {"ParentId": 20400, "ChildId": 20440})
    assert told(found, "parent_id", "child_id") == [20400, 20440]


async def test_what_only_a_command_changes(acme: Company) -> None:
    """Facts 10 row 4: the service's refusal comes through, and nothing of the update is written."""
    order = await new_order(acme)
    edited = copy.deepcopy(order)
    edited.status_id, edited.po_number = "Completed", "PO-78"
    for update in (acme.update(edited, order), acme.update(order, status_id="Completed")):
        with pytest.raises(BusinessRuleError) as refused:
            await update
        assert refused.value.remedy.startswith("an update cannot change a work order's state")
        verbs = re.findall(r"(\w+)\(\)", refused.value.remedy)
        assert {"hold", "complete"} <= {verb for verb in verbs if hasattr(acme.work_orders, verb)} == {*verbs}
    with pytest.raises(BusinessRuleError) as refused:
        await acme.update(order, number="W1")
    assert refused.value.remedies == (Remedy.GIVEN,)
    assert (await acme.get(WorkOrder, order.id)).po_number == order.po_number
