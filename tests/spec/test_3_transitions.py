"""Spec 3 rows 3 to 5 against the sandbox: transitions of a work order, over the wire and with the client."""

from __future__ import annotations

import pytest

from tests.spec.local import AP_STATUSES, EMPLOYEE, PROVIDER, Local, refused, succeeded
from tests.spec.rules import differs, spec
from tests.spec.typed import typed_request
from wosdk_async import (
    ApStatusChangeCommand,
    BusinessRuleError,
    Company,
    SendWorkOrderCommand,
    VerifyWorkCommand,
    WoCompleteCommand,
    WorkOrder,
    WorkOrderCost,
    WoVerification,
)

# --- provider assigned -> SendWorkOrder -------------------------------------------------------


@differs("`/cmd/SendWorkOrder`")
@spec("3", 3)
@spec("4.6", "SendWorkOrder")
def test_an_order_of_a_provider_is_sent(local: Local) -> None:
    """Spec 3 row 3: an order with a provider assigned can be sent, by its id alone."""
    order = local.new_order(EmployeeId=PROVIDER)
    assert isinstance(local.run("SendWorkOrder", {"WorkOrderId": order}), dict)


@spec("3", 3)
def test_an_order_without_a_provider_is_not_sent(local: Local) -> None:
    """Spec 3 row 3: its condition is that a provider is assigned."""
    refused(local.command("SendWorkOrder", {"WorkOrderId": local.new_order()}))
    refused(local.command("SendWorkOrder", {"WorkOrderId": local.new_order(EmployeeId=EMPLOYEE)}))


@spec("3", 3)
async def test_the_client_sends_an_order(company: Company) -> None:
    """Spec 3 row 3: the same through the client."""
    made = (await company.run(typed_request(employee_id=PROVIDER))).wo
    await company.run(SendWorkOrderCommand(work_order_id=made.id))
    with pytest.raises(BusinessRuleError):
        await company.run(SendWorkOrderCommand(work_order_id=(await company.run(typed_request())).wo.id))


# --- completed -> VerifyWorkCommand -----------------------------------------------------------


@spec("3", 4)
def test_verification_is_recorded(local: Local) -> None:
    """Spec 3 row 4: the rating in WoRatingId and the comment are recorded with the order."""
    order = local.completed_order()
    local.run(
        "VerifyWorkCommand", {"WorkOrderId": order, "WoRatingId": "Positive", "Comment": "Quick and neat."}
    )
    (kept,) = local.read("WorkOrder", order, "Verifications.*")["Verifications"]
    assert (kept["WoRatingId"], kept["Comment"]) == ("Positive", "Quick and neat.")


@spec("3", 4)
def test_only_completed_work_is_verified(local: Local) -> None:
    """Spec 3 row 4: its state is a work order completed by the assignee."""
    order = local.new_order()
    refused(
        local.command("VerifyWorkCommand", {"WorkOrderId": order, "WoRatingId": "Positive", "Comment": "x"})
    )
    assert local.read("WorkOrder", order, "Verifications.*")["Verifications"] == []


@spec("3", 4)
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


@spec("4.5", "ApStatusChangeCommand")
@spec("4.10", "responses that are not shown")
@spec("3", 5)
@pytest.mark.parametrize("status", AP_STATUSES.values(), ids=AP_STATUSES)
def test_the_invoice_has_the_status(local: Local, status: int) -> None:
    """Spec 3 row 5: submittal, authorization, export and dispute give the invoice the status named."""
    order = local.new_order()
    local.run("ApStatusChangeCommand", {"WorkOrderid": order, "VendorInvoiceStatusId": status})
    cost = local.read("WorkOrder", order, "WorkOrderCost.*")["WorkOrderCost"]
    assert cost["ApStatusId"] == status


@spec("2.4", "AP statuses")
@pytest.mark.parametrize("name", ["Submitted", "Disputed"])
def test_standard_statuses(local: Local, name: str) -> None:
    """Spec 2.4: Submitted and Disputed are AP statuses of every Company."""
    assert local.read("ApInvoiceStatus", AP_STATUSES[name])["DisplayAs"] == name


@spec("3", 5)
def test_an_invoice_goes_from_status_to_status(local: Local) -> None:
    """Spec 3 row 5: from some status to the one named, and only that order's."""
    order, other = local.new_order(), local.new_order()
    for status in (4, 7, 4, 5):
        local.run("ApStatusChangeCommand", {"WorkOrderid": order, "VendorInvoiceStatusId": status})
    assert local.read("WorkOrderCost", order)["ApStatusId"] == 5
    assert local.read("WorkOrderCost", other)["ApStateId"] == "None"


@spec("3", 5)
async def test_the_client_changes_the_status(company: Company) -> None:
    """Spec 3 row 5: the same through the client."""
    order = (await company.run(typed_request())).wo
    await company.run(ApStatusChangeCommand(work_order_id=order.id, vendor_invoice_status_id=7))
    assert (await company.get(WorkOrderCost, order.work_order_cost.id)).ap_status_id == 7


@spec("3", "Cancelled")
def test_cancelled_is_a_state(local: Local) -> None:
    """Spec 3: Cancelled is named as a target status; reached by command, with a reason (facts 5.1)."""
    order = local.new_order()
    succeeded(local.command("WoCancelCommand", {"WorkOrderId": order, "ActionReasonId": 1841}))
    assert local.read("WorkOrder", order)["StatusId"] == "Cancelled"
