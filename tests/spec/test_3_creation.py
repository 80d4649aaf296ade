"""Spec 3 rows 1 and 2 against the sandbox: new work orders and spaces, over the wire and with the client."""

from __future__ import annotations

from typing import Any

import pytest

from tests.spec.local import (
    ASSET,
    CUSTOMER,
    INSIDE_THE_TEMPLATE,
    SUB_TYPE,
    TASK,
    Local,
    create_request,
    refused,
    space_request,
)
from tests.spec.rules import differs, spec
from tests.spec.table import IN_JSON
from tests.spec.typed import typed_request
from wosdk_async import Company, NewUnitSpecifier, Space, SpaceCreateCommand, WorkOrder

# --- (none) -> WoCreateCommand ----------------------------------------------------------------


@differs("response of WoCreateCommand and SpaceCreateCommand")
@spec("3", 1)
def test_a_new_work_order_has_its_first_states(local: Local) -> None:
    """Spec 3 row 1: StatusId New, CostState Pending, ApStateId None, and the other states of the table."""
    order = local.run("WoCreateCommand", create_request())["Wo"]
    cost = order["WorkOrderCost"]
    assert (order["StatusId"], cost["CostState"], cost["ApStateId"]) == ("New", "Pending", "None")
    assert (order["TypeCategory"], order["LastAction"]["BillStatus"]) == ("Request", "NotBilled")
    assert order["InductionAndSafetyStatusID"] == "NotRequired"
    assert local.read("WorkOrder", order["Id"])["StatusId"] == "New"
    assert local.read("WorkOrderCost", cost["Id"])["CostState"] == "Pending"


@spec("3", 1)
def test_a_new_work_order_is_calculated(local: Local) -> None:
    """Spec 3 row 1: Number, Id, dates and Priority are calculated, each order with its own."""
    first, second = (local.run("WoCreateCommand", create_request())["Wo"] for _ in range(2))
    assert first["Number"] != second["Number"]
    assert first["Id"] != second["Id"]
    assert first["Number"]
    assert first["Id"] > 0
    assert type(first["Priority"]["Id"]) is int
    for name in ("DtCreated", "LastActionDate"):
        assert IN_JSON["local"](first[name])
    for name in ("CreatedDateUtc", "LastActionDateUtc"):
        assert IN_JSON["utc"](first[name])


@spec("3", 1)
def test_the_schedule_is_computed_when_asked_for(local: Local) -> None:
    """Spec 3 row 1: the schedule is computed when ComputeSchedule is true, and not when it is false."""
    command, times = create_request(), {"DtDue", "DtAcknowledgeBy", "DueDateUtc", "AcknowledgeByUtc"}
    computed = local.run("WoCreateCommand", command | {"ComputeSchedule": True})["Wo"]
    left = local.run("WoCreateCommand", command | {"ComputeSchedule": False})["Wo"]
    assert (times & computed.keys(), times & left.keys()) == (times, set())


MISSING = [
    ("customer", {"Customer": {"Id": 999999}}),
    ("sub-type", {"SubType": {"Id": 999999}}),
    ("asset", {"Items": [{"Asset": {"Id": 999999}, "Task": {"Id": TASK}}]}),
    ("task", {"Items": [{"Asset": {"Id": ASSET}, "Task": {"Id": 999999}}]}),
]


@spec("3", 1)
@pytest.mark.parametrize("change", [change for _, change in MISSING], ids=[name for name, _ in MISSING])
def test_what_a_work_order_refers_to_must_exist(local: Local, change: Any) -> None:
    """Spec 3 row 1: without customer, sub-type, asset or task there is no work order."""
    local.new_order()
    before = local.rows("WorkOrder", "SubType.Id", SUB_TYPE)
    refused(local.command("WoCreateCommand", create_request(**change)))
    assert local.rows("WorkOrder", "SubType.Id", SUB_TYPE) == before != []


@differs("response of WoCreateCommand and SpaceCreateCommand")
@spec("3", 1)
async def test_the_client_creates_a_work_order(company: Company) -> None:
    """Spec 3 row 1: the same through the client, read back as an entity."""
    made = (await company.run(typed_request())).wo
    assert (made.status_id, made.work_order_cost.cost_state) == ("New", "Pending")
    assert (made.work_order_cost.ap_state_id, made.last_action.bill_status) == ("None", "NotBilled")
    assert made.number
    assert made.created_date_utc < made.due_date_utc
    again = await company.get(WorkOrder, made.id)
    assert (again.number, again.status_id, again.dt_due) == (made.number, "New", made.dt_due)


# --- (none) -> SpaceCreateCommand -------------------------------------------------------------


@spec("3", 2)
def test_a_new_space_is_current(local: Local) -> None:
    """Spec 3 row 2: StatusId Current, and an asset with an Id that can be read."""
    space = local.run("SpaceCreateCommand", space_request("Suite 301"))["NewSpace"]
    assert (space["StatusId"], space["CustomerId"], space["StartDate"]) == (
        "Current",
        CUSTOMER,
        "2024-06-01T00:00:00",
    )
    assert local.read("Location", space["Asset"]["Id"])["Name"] == "Suite 301"
    assert local.read("Space", space["Id"])["StatusId"] == "Current"


@spec("3", 2)
def test_the_template_is_applied(local: Local) -> None:
    """Spec 3 row 2: what the template named by UnitFloorPlan holds is in the asset inventory."""
    space = local.run("SpaceCreateCommand", space_request("Suite 302"))["NewSpace"]
    below = local.rows("Location", "ParentId", space["Asset"]["Id"])
    assert [(asset["Name"], asset["IsTemplate"]) for asset in below] == [(INSIDE_THE_TEMPLATE, False)]


@spec("3", 2)
def test_a_space_needs_its_customer(local: Local) -> None:
    """Spec 3 row 2: the customer must exist."""
    refused(local.command("SpaceCreateCommand", space_request("Suite 303", CustomerId="999999")))
    assert local.rows("Location", "Name", "Suite 303") == []


@differs("response of WoCreateCommand and SpaceCreateCommand")
@spec("3", 2)
async def test_the_client_creates_a_space(company: Company) -> None:
    """Spec 3 row 2: the same through the client."""
    unit = NewUnitSpecifier(unit_name="Suite 304", unit_floor_plan="Small suite")
    made = (await company.run(SpaceCreateCommand(customer_id=CUSTOMER, new_unit_specifier=unit))).new_space
    assert (type(made), made.status_id, made.customer_id) == (Space, "Current", CUSTOMER)
    assert made.asset.name == "Suite 304"
    assert made.asset.id
