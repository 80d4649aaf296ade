"""Spec 3 against the sandbox: each row of the transition table, over the wire and with the client."""

from __future__ import annotations

from typing import Any

import pytest

from tests.spec.local import (
    AP_STATUSES,
    ASSET,
    CONTACT,
    CUSTOMER,
    EMPLOYEE,
    INSIDE_THE_TEMPLATE,
    PROVIDER,
    SUB_TYPE,
    TASK,
    Local,
    create_request,
    refused,
    space_request,
    succeeded,
)
from tests.spec.table import IN_JSON
from wosdk_async import (
    ApStatusChangeCommand,
    BusinessRuleError,
    Company,
    NewUnitSpecifier,
    Ref,
    SendWorkOrderCommand,
    Space,
    SpaceCreateCommand,
    VerifyWorkCommand,
    WoCompleteCommand,
    WoCreateCommand,
    WoItem,
    WorkOrder,
    WorkOrderCost,
    WoVerification,
)


def typed_request(**changes: Any) -> WoCreateCommand:
    order = {
        "items": [WoItem(asset=Ref(ASSET), task=Ref(TASK))],
        "contactid": CONTACT,
        "type_category": "Request",
        "sub_type": Ref(SUB_TYPE),
        "customer": Ref(CUSTOMER),
    }
    return WoCreateCommand(work_order=WorkOrder(**order), compute_schedule=True, **changes)


# --- (none) -> WoCreateCommand ----------------------------------------------------------------


def test_a_new_work_order_has_its_first_states(local: Local) -> None:
    """Spec 3 row 1: StatusId New, CostState Pending, ApStateId None, and the other states of the table."""
    order = local.run("WoCreateCommand", create_request())["Wo"]
    cost = order["WorkOrderCost"]
    assert (order["StatusId"], cost["CostState"], cost["ApStateId"]) == ("New", "Pending", "None")
    assert (order["TypeCategory"], order["LastAction"]["BillStatus"]) == ("Request", "NotBilled")
    assert order["InductionAndSafetyStatusID"] == "NotRequired"
    assert local.read("WorkOrder", order["Id"])["StatusId"] == "New"
    assert local.read("WorkOrderCost", cost["Id"])["CostState"] == "Pending"


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


@pytest.mark.parametrize("name", ["DtDue", "DtAcknowledgeBy", "DueDateUtc", "AcknowledgeByUtc"])
def test_the_schedule_is_computed_when_asked_for(local: Local, name: str) -> None:
    """Spec 3 row 1: the schedule is computed when ComputeSchedule is true, and not when it is false."""
    command = create_request()
    computed = local.run("WoCreateCommand", command | {"ComputeSchedule": True})["Wo"]
    left = local.run("WoCreateCommand", command | {"ComputeSchedule": False})["Wo"]
    assert name in computed
    assert name not in left


MISSING = [
    ("customer", {"Customer": {"Id": 999999}}),
    ("sub-type", {"SubType": {"Id": 999999}}),
    ("asset", {"Items": [{"Asset": {"Id": 999999}, "Task": {"Id": TASK}}]}),
    ("task", {"Items": [{"Asset": {"Id": ASSET}, "Task": {"Id": 999999}}]}),
]


@pytest.mark.parametrize("change", [change for _, change in MISSING], ids=[name for name, _ in MISSING])
def test_what_a_work_order_refers_to_must_exist(local: Local, change: Any) -> None:
    """Spec 3 row 1: without customer, sub-type, asset or task there is no work order."""
    local.new_order()
    before = local.rows("WorkOrder", "SubType.Id", SUB_TYPE)
    refused(local.command("WoCreateCommand", create_request(**change)))
    assert local.rows("WorkOrder", "SubType.Id", SUB_TYPE) == before != []


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


def test_the_template_is_applied(local: Local) -> None:
    """Spec 3 row 2: what the template named by UnitFloorPlan holds is in the asset inventory."""
    space = local.run("SpaceCreateCommand", space_request("Suite 302"))["NewSpace"]
    below = local.rows("Location", "ParentId", space["Asset"]["Id"])
    assert [(asset["Name"], asset["IsTemplate"]) for asset in below] == [(INSIDE_THE_TEMPLATE, False)]


def test_a_space_needs_its_customer(local: Local) -> None:
    """Spec 3 row 2: the customer must exist."""
    refused(local.command("SpaceCreateCommand", space_request("Suite 303", CustomerId="999999")))
    assert local.rows("Location", "Name", "Suite 303") == []


async def test_the_client_creates_a_space(company: Company) -> None:
    """Spec 3 row 2: the same through the client."""
    unit = NewUnitSpecifier(unit_name="Suite 304", unit_floor_plan="Small suite")
    made = (await company.run(SpaceCreateCommand(customer_id=CUSTOMER, new_unit_specifier=unit))).new_space
    assert (type(made), made.status_id, made.customer_id) == (Space, "Current", CUSTOMER)
    assert made.asset.name == "Suite 304"
    assert made.asset.id


# --- provider assigned -> SendWorkOrder -------------------------------------------------------


def test_an_order_of_a_provider_is_sent(local: Local) -> None:
    """Spec 3 row 3: an order with a provider assigned can be sent, by its id alone."""
    order = local.new_order(EmployeeId=PROVIDER)
    assert isinstance(local.run("SendWorkOrder", {"WorkOrderId": order}), dict)


def test_an_order_without_a_provider_is_not_sent(local: Local) -> None:
    """Spec 3 row 3: its condition is that a provider is assigned."""
    refused(local.command("SendWorkOrder", {"WorkOrderId": local.new_order()}))
    refused(local.command("SendWorkOrder", {"WorkOrderId": local.new_order(EmployeeId=EMPLOYEE)}))


async def test_the_client_sends_an_order(company: Company) -> None:
    """Spec 3 row 3: the same through the client."""
    made = (await company.run(typed_request(employee_id=PROVIDER))).wo
    await company.run(SendWorkOrderCommand(work_order_id=made.id))
    with pytest.raises(BusinessRuleError):
        await company.run(SendWorkOrderCommand(work_order_id=(await company.run(typed_request())).wo.id))


# --- completed -> VerifyWorkCommand -----------------------------------------------------------


def test_verification_is_recorded(local: Local) -> None:
    """Spec 3 row 4: the rating in WoRatingId and the comment are recorded with the order."""
    order = local.completed_order()
    local.run(
        "VerifyWorkCommand", {"WorkOrderId": order, "WoRatingId": "Positive", "Comment": "Quick and neat."}
    )
    (kept,) = local.read("WorkOrder", order, "Verifications.*")["Verifications"]
    assert (kept["WoRatingId"], kept["Comment"]) == ("Positive", "Quick and neat.")


def test_only_completed_work_is_verified(local: Local) -> None:
    """Spec 3 row 4: its state is a work order completed by the assignee."""
    order = local.new_order()
    refused(
        local.command("VerifyWorkCommand", {"WorkOrderId": order, "WoRatingId": "Positive", "Comment": "x"})
    )
    assert local.read("WorkOrder", order, "Verifications.*")["Verifications"] == []


async def test_the_client_verifies_work(company: Company, local: Local) -> None:
    """Spec 3 row 4: the same through the client, completion included."""
    order = (await company.run(typed_request(employee_id=EMPLOYEE))).wo
    for name in ("WoPickUpCommand", "WoStartCommand"):
        await company.run(name, {"WorkOrderId": order.id})
    await company.run(WoCompleteCommand(work_order_id=order.id, comment="Belt replaced."))
    await company.run(VerifyWorkCommand(work_order_id=order.id, wo_rating_id="Positive", comment="Neat."))
    (kept,) = (await company.get(WorkOrder, order.id, properties=["Verifications.*"])).verifications
    assert (type(kept), kept.wo_rating_id, kept.comment) == (WoVerification, "Positive", "Neat.")


# --- some AP status -> ApStatusChangeCommand --------------------------------------------------


@pytest.mark.parametrize("status", AP_STATUSES.values(), ids=AP_STATUSES)
def test_the_invoice_has_the_status(local: Local, status: int) -> None:
    """Spec 3 row 5: submittal, authorization, export and dispute give the invoice the status named."""
    order = local.new_order()
    local.run("ApStatusChangeCommand", {"WorkOrderid": order, "VendorInvoiceStatusId": status})
    cost = local.read("WorkOrder", order, "WorkOrderCost.*")["WorkOrderCost"]
    assert cost["ApStatusId"] == status


@pytest.mark.parametrize("name", ["Submitted", "Disputed"])
def test_standard_statuses(local: Local, name: str) -> None:
    """Spec 2.4: Submitted and Disputed are AP statuses of every Company."""
    assert local.read("ApInvoiceStatus", AP_STATUSES[name])["DisplayAs"] == name


def test_an_invoice_goes_from_status_to_status(local: Local) -> None:
    """Spec 3 row 5: from some status to the one named, and only that order's."""
    order, other = local.new_order(), local.new_order()
    for status in (4, 7, 4, 5):
        local.run("ApStatusChangeCommand", {"WorkOrderid": order, "VendorInvoiceStatusId": status})
    assert local.read("WorkOrderCost", order)["ApStatusId"] == 5
    assert local.read("WorkOrderCost", other)["ApStateId"] == "None"


async def test_the_client_changes_the_status(company: Company) -> None:
    """Spec 3 row 5: the same through the client."""
    order = (await company.run(typed_request())).wo
    await company.run(ApStatusChangeCommand(work_order_id=order.id, vendor_invoice_status_id=7))
    assert (await company.get(WorkOrderCost, order.work_order_cost.id)).ap_status_id == 7


def test_cancelled_is_a_state(local: Local) -> None:
    """Spec 3: Cancelled is named as a target status; reached by command, with a reason (facts 5.1)."""
    order = local.new_order()
    succeeded(local.command("WoCancelCommand", {"WorkOrderId": order, "ActionReasonId": 1841}))
    assert local.read("WorkOrder", order)["StatusId"] == "Cancelled"
