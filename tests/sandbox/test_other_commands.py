"""Invoices, payments, time cards, work plans, look-ups and routines (facts 5)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.company import ORDER, Caller
from tests.sandbox.test_actions import message


@pytest.mark.parametrize(("state", "number"), [(None, 0), ("Draft", 0), ("Credit", 2)])
def test_states_without_an_action(acme: Caller, state: str | None, number: int) -> None:
    """facts 6: the recorded text has the number of the state, 0 for a missing one, and a line break."""
    members = {"InvoiceId": 5001} | ({"State": state} if state else {})
    text = message(acme, "UpdateInvoiceStateCommand", **members)
    assert text == f"No action associated with {number} invoice state.\r\nParameter name: state"


def test_way_of_an_invoice(acme: Caller) -> None:
    """Each move is logged with its action; one to where it is already is not."""
    for state in ("Posted", "Posted", "Paid"):
        sent = {"InvoiceId": 5001, "State": state, "Timestamp": "2024-05-01T08:00:00"}
        invoice = acme.run("UpdateInvoiceStateCommand", **sent)["Invoice"]
    assert (invoice["State"], invoice["ConcurrencyId"], invoice["DtPosted"]) == (
        "Paid",
        3,
        "2024-05-01T08:00:00",
    )
    assert acme.run("InvoiceDisputeCommand", InvoiceId=5001, Comment="too much") == {}
    assert acme.get("Invoice", 5001)["DraftProcessStepId"] == "Disputed"
    assert acme.run("InvoiceRecallCommand", InvoiceId=5001) == {}
    records = acme.query("InvoiceLog", ("Invoice.Id", "Equal", 5001))
    assert [(record["Idx"], record["ActionTypeId"], record["Comments"]) for record in records] == [
        (0, "Posted", ""),
        (1, "Paid", ""),
        (2, "Disputed", "too much"),
        (3, "Recalled", ""),
    ]
    for wrong in ({}, {"InvoiceId": 9}):
        message(acme, "InvoiceRecallCommand", **wrong)


def test_a_draft_payment_is_posted_once(acme: Caller) -> None:
    """facts 5: the command names the payment; a second call is refused with the state."""
    key = acme.ok("POST", "base/Payment", {"Entity": {"Comments": "May"}})["EntitySpecifier"]["Id"]
    assert acme.run("PostPaymentCommand", PaymentId=key, Timestamp="2024-05-31T00:00:00") == {}
    payment = acme.get("Payment", key)
    assert (payment["State"], payment["DtPosted"]) == ("Posted", "2024-05-31T00:00:00")
    assert "Posted" in message(acme, "PostPaymentCommand", PaymentId=key)


def test_time_cards(acme: Caller) -> None:
    """facts 6: the recorded text for a card that is not there; actions move it by their names."""
    week = {"EmployeeId": 208, "WeekStartDate": "2024-05-13T00:00:00"}
    states = []
    for action in ("Submit", "Approve", "ReadyForExport", "Export", "UnExport", "Flag"):
        card = acme.run("TimeCardActionCommand", **week, ActionId=action)["TimeCard"]
        states.append(card["StatusId"])
    assert states == ["Submitted", "Approved", "ReadyForExport", "Exported", *["ReadyForExport"] * 2]
    assert (card["Flagged"], card["ConcurrencyId"]) == (1, 7)
    for action in ("Submit", "Uknown"):
        assert "ReadyForExport" in message(acme, "TimeCardActionCommand", **week, ActionId=action)
    found = acme.run("GetTimeCardCommand", EmployeeId=208, BaseDate="2024-05-19T23:59:59")["TimeCard"]
    assert found["Id"] == card["Id"] == 6001
    absent = "Time Card record cannot be found"
    assert message(acme, "TimeCardActionCommand", EmployeeId=208) == absent
    assert message(acme, "GetTimeCardCommand", EmployeeId=208, BaseDate="2024-05-20T00:00:00") == absent


def test_a_child_order_joins_the_plan(acme: Caller) -> None:
    """facts 5: the routine prepares what a creation then takes, and keeps nothing itself."""
    parent = acme.order()["Id"]
    items = acme.ids("WoItem", ("WorkOrderId", "Equal", parent))
    prepared = acme.run("AddChildWorkOrderRoutine", WoItemIds=items)
    assert acme.ids("WpTree") == []
    sent = {"WorkOrder": prepared["WorkOrder"], "WpTree": prepared["WorkPlanLink"]}
    child = acme.run("WoCreateCommand", **sent)["Wo"]["Id"]
    (record,) = acme.query("WpTree", ("ChildWoId", "Equal", child))
    assert record["ParentWorkOrder"] == record["RootWorkOrder"] == {"Id": parent}
    assert record["Level"] == 1
    other = acme.ids("WoItem", ("WorkOrderId", "Equal", acme.order()["Id"]))
    for wrong in ([], [99], items + other):
        message(acme, "AddChildWorkOrderRoutine", WoItemIds=wrong)


def test_dependencies_do_not_go_round(acme: Caller) -> None:
    """An order may wait for another, and not for itself by any way."""
    a, b, c = (acme.order()["Id"] for _ in range(3))
    name = "SetWorkOrderDependencyCommand"
    for main, dependent in ((a, b), (b, c)):
        assert acme.run(name, MainWorkOrderId=main, DependentWorkOrderId=dependent) == {}
    (record,) = acme.query("WpTree", ("ChildWoId", "Equal", c))
    assert record["DependOnWorkOrder"] == {"Id": b}
    for main, dependent in ((a, a), (c, a), (99, a), (a, 0)):
        message(acme, name, MainWorkOrderId=main, DependentWorkOrderId=dependent)


def test_last_modification(acme: Caller, clock: Any) -> None:
    """The local time of the last action (assumed)."""
    order = acme.order()["Id"]
    clock.advance(60)
    acme.run("WoPickUpCommand", WorkOrderId=order)
    found = acme.run("WoLastModificationCommand", WorkOrderId=order)
    assert found == {"DtLastModified": "2024-05-14T09:13:31.4470216", "WorkOrderId": order}


@pytest.mark.parametrize(
    ("asset", "in_zone", "customer"),
    [(20431, False, 512), (20530, False, 513), (20441, False, 0), (20441, True, 512), (20901, True, 0)],
)
def test_customer_of_an_asset(acme: Caller, asset: int, in_zone: bool, customer: int) -> None:
    """By the space at or above it, else by the work zone if that is asked for (assumed)."""
    sent = {"AssetId": asset, "SearchCustomerInWorkZone": in_zone}
    assert acme.run("GetCustomerByAssetCommand", **sent) == {"CustomerId": customer}


def test_assets_by_task_code(acme: Caller) -> None:
    """Below the parent, of a model with such a task, of the categories asked for."""
    sent = {"ParentAssetId": 20400, "TaskCode": "AH-02"}
    name = "AssetMatchByTaskCodeCommand"
    assert [record["Id"] for record in acme.run(name, **sent)["Locations"]] == [20440]
    for other in ({"TaskCode": "XX"}, {"AssetCategories": ["Unit"]}, {"ParentAssetId": 20500}):
        assert acme.run(name, **sent | other) == {"Locations": []}
    many = acme.run(name, ParentAssetId=20400, TaskCode="UN-01", RecordCount=1)["Locations"]
    assert [record["Id"] for record in many] == [20430]


def test_money_in_its_own_currency(acme: Caller) -> None:
    """Another currency would need rates, which the sandbox does not claim to know."""
    name, amount = "ConvertMoneyValuesCommand", {"CurrencyTypeId": "USD", "Value": 2.5}
    assert acme.run(name, Values=[amount], TargetCurrencyTypeId="USD") == {"Values": [amount]}
    assert name in message(acme, name, Values=[amount], TargetCurrencyTypeId="EUR")


def test_a_schedule_without_an_order(acme: Caller) -> None:
    """facts 5: it computes and keeps nothing; an option leaves its deadline alone."""
    sent = ORDER | {"Priority": {"Id": 1}}
    result = acme.run("WoScheduleRoutine", WorkOrder=sent, Options="SkipOnSiteBy")
    assert result["Wo"]["DtDue"] == "2024-05-14T13:12:00"
    written = ["DtDue", "DueDateUtc", "DtAcknowledgeBy", "AcknowledgeByUtc"]
    assert result["UpdatedPropertySet"] == {"Properties": written}
    chosen = {"Properties": ["DtDue"]}
    shown = acme.run("WoScheduleRoutine", WorkOrder=sent, OutputPropertySet=chosen)["Wo"]
    assert set(shown) == {"DtDue", "Id"}
    assert acme.ids("WorkOrder") == []
    for wrong in ({}, {"WorkOrder": sent | {"Priority": {"Id": 99}}}):
        message(acme, "WoScheduleRoutine", **wrong)


def test_suitable_employees(acme: Caller) -> None:
    """The ones of specialty and work zone: the same that a creation with ComputeAssignment chooses."""
    order = {"Specialty": {"Id": 27}, "WorkZone": {"Id": 15}}
    assert acme.run("WoAutoAssignRoutine", WorkOrder=order) == {"EmployeeId": 208}
    nobody = {"Specialty": {"Id": 29}, "WorkZone": {"Id": 15}}
    assert acme.run("WoAutoAssignRoutine", WorkOrder=nobody) == {"EmployeeId": 0}
    both = {"SpecialtyId": 27, "WorkZoneId": 15}
    for count, found in ((0, [208, 230]), (1, [208])):
        records = acme.run("GetPreferredAssigneesRoutine", **both, RecordCount=count)["Employees"]
        assert [record["Id"] for record in records] == found
