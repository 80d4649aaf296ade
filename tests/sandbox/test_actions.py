"""Actions that leave the state: flags, notes, induction, copies, money (facts 3.7, 3.9, 5, 5.1)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.company import Caller

WHOLE = "*,ActionLogRecords.*,Assignments.*,Flags.*,Notes.*,LastAction.*,WorkOrderCost.*"


def message(acme: Caller, path: str, **members: Any) -> str:
    """Return the text of the business rule that refuses the command."""
    response = acme.send("POST", f"cmd/{path}", {"Command": members})
    assert (response.status_code, response.json()["ErrorCode"]) == (400, "BUSINESS_LOGIC_ERROR")
    return str(response.json()["ErrorMessage"])


def logged(acme: Caller, order: int) -> list[str]:
    records = acme.get("WorkOrder", order, "ActionLogRecords.TypeId")["ActionLogRecords"]
    return [record["TypeId"] for record in records]


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("WoFlagCommand", {}),
        ("WoSetFlagsCommand", {"FlagsToSet": []}),
        ("WoClearFlagsCommand", {"FlagsToClear": [1901]}),
        ("WoAssignCommand", {"Assignees": [208], "Mode": "Snapshot"}),
        ("UpdateWoInductionAndSafetyStatusCommand", {"InductionAndSafetyStatusID": "NotRequired"}),
    ],
)
def test_an_action_that_changes_nothing_leaves_no_trace(
    acme: Caller, clock: Any, name: str, members: dict[str, Any]
) -> None:
    """facts 5.1: WoFlagCommand without a reason got 200, and all was as before."""
    order = acme.order({"EmployeeId": 208})["Id"]
    before = acme.get("WorkOrder", order, WHOLE)
    clock.advance(60)
    assert acme.run(name, WorkOrderId=order, **members)["Wo"]["ConcurrencyId"] == 1
    assert acme.get("WorkOrder", order, WHOLE) == before


def test_a_single_flag_is_the_reason(acme: Caller) -> None:
    """facts 5: WoFlagCommand takes the flag from ActionReasonId; it is then set like any other."""
    order = acme.order()["Id"]
    assert acme.run("WoFlagCommand", WorkOrderId=order, ActionReasonId=1903)["Wo"]["FlagId"] == 1903
    (flag,) = acme.query("WoFlag", ("WoId", "Equal", order))
    assert flag["FlagId"] == 1903
    read = acme.get("WorkOrder", order, "LastAction.Reason.Id")
    assert read["LastAction"]["Reason"] == {"Id": 1903}
    assert logged(acme, order) == ["Create", "Attention"]


@pytest.mark.parametrize("key", [1841, 9])
def test_flags_are_reasons_for_attention(acme: Caller, key: int) -> None:
    """A reason to cancel, or none, is not a flag; the flags sent with it are not set either."""
    order = acme.order()["Id"]
    message(acme, "WoSetFlagsCommand", WorkOrderId=order, FlagsToSet=[1901, key])
    assert acme.get("WorkOrder", order, "*,Flags.Id").items() >= {"FlagId": 0, "Flags": []}.items()


def test_induction_and_safety(acme: Caller) -> None:
    """facts 5: the command sets the state; WOActionType has a name for it in the log."""
    order = acme.order()["Id"]
    sent = {"WorkOrderId": order, "InductionAndSafetyStatusID": "Passed"}
    made = acme.run("UpdateWoInductionAndSafetyStatusCommand", **sent)["Wo"]
    assert made["InductionAndSafetyStatusID"] == "Passed"
    assert logged(acme, order) == ["Create", "IsmStatusChanged"]


@pytest.mark.parametrize(
    ("option", "first", "second"),
    [(0, None, None), ("Ignore", None, None), ("Replace", "one", "two"), (2, "one", "one")],
)
def test_completion_note_options(
    acme: Caller, option: int | str, first: str | None, second: str | None
) -> None:
    """facts 5: Ignore, Replace and FillEmpty say what the comment does to the one completion note."""
    order = acme.order()["Id"]
    bodies = []
    for comment in ("one", "two"):
        for name in ("PickUp", "Start"):
            acme.run(f"Wo{name}Command", WorkOrderId=order)
        sent = {"Comment": comment, "CompletionNoteOption": option, "RepairCodeId": 61}
        acme.run("WoCompleteCommand", WorkOrderId=order, **sent)
        read = acme.get("WorkOrder", order, "CompletionNote.Body,Notes.NoteTypeId,RepairCode.Id")
        bodies.append(read.get("CompletionNote", {}).get("Body"))
        acme.run("WoReopenCommand", WorkOrderId=order)
    assert bodies == [first, second]
    assert read["RepairCode"] == {"Id": 61}
    assert len(read["Notes"]) == (first is not None)


def test_one_completion_note_however_it_is_made(acme: Caller) -> None:
    """facts 3.9: at most one; a note of the base API is the order's too, until it is deleted."""
    order = acme.order()["Id"]
    note = {"WorkOrderId": order, "NoteTypeId": "Completion", "Body": "done"}
    made = acme.ok("POST", "base/WoNote", {"Entity": note})["EntitySpecifier"]["Id"]
    other = acme.ok("POST", "base/WoNote", {"Entity": note | {"NoteTypeId": "Public"}})
    assert acme.get("WorkOrder", order, "CompletionNote.Body")["CompletionNote"]["Body"] == "done"
    turned = {"Id": other["EntitySpecifier"]["Id"], "NoteTypeId": "Completion"}
    for method, body in (
        ("POST", {"Entity": note}),
        ("PUT", {"Properties": ["NoteTypeId"], "Entity": turned}),
    ):
        assert acme.refused(method, "base/WoNote", body) == "BUSINESS_LOGIC_ERROR"
    acme.ok("DELETE", f"base/WoNote/{made}")
    assert "CompletionNote" not in acme.get("WorkOrder", order, "CompletionNote.Body")
    acme.ok("PUT", "base/WoNote", {"Properties": ["NoteTypeId"], "Entity": turned})
    assert acme.get("WorkOrder", order, "CompletionNote.Id")["CompletionNote"]["Id"] == turned["Id"]
    back = {"Properties": ["NoteTypeId"], "Entity": turned | {"NoteTypeId": "Private"}}
    acme.ok("PUT", "base/WoNote", back)
    assert "CompletionNote" not in acme.get("WorkOrder", order, "CompletionNote.Id")


def test_money_commands_leave_the_order_alone(acme: Caller, clock: Any) -> None:
    """facts 3.7 and 5: the cost counts for itself; payment makes it Paid, and keeps an unsent amount."""
    order = acme.order()
    sent = {"WorkOrderId": order["Id"]}
    clock.advance(60)
    paid = acme.run("ApSubmitPaymentCommand", **sent, VendorInvoiceStatusId="Paid")["Financial"]
    assert (paid["ApStateId"], paid["ApStatusId"], paid["ConcurrencyId"]) == ("Paid", 3, 2)
    assert paid["PaymentAmount"]["Value"] == 0
    check = {"PaymentAmount": 12.5, "CheckNumber": "77", "CheckCutDate": "2024-05-20T00:00:00"}
    paid = acme.run("ApSubmitPaymentCommand", **sent, **check)["Financial"]
    assert paid["PaymentAmount"] == {"CurrencyTypeId": "USD", "Value": 12.5}
    assert (paid["CheckNumber"], paid["CheckCutDate"], paid["ConcurrencyId"]) == (
        "77",
        "2024-05-20T00:00:00",
        3,
    )
    disputed = acme.run("ApStatusChangeCommand", **sent, VendorInvoiceStatusId=7)["Financial"]
    assert (disputed["ApStateId"], disputed["ConcurrencyId"]) == ("Disputed", 4)
    assert acme.run("CostStatusChangeCommand", **sent, CostStatusId=2)["Financial"]["ConcurrencyId"] == 5
    read = acme.get("WorkOrder", order["Id"])
    assert (read["ConcurrencyId"], read["LastActionDateUtc"]) == (1, order["LastActionDateUtc"])
    assert logged(acme, order["Id"]) == ["Create", *["APInvStatus"] * 3, "CostStatus"]
    message(acme, "ApSubmitPaymentCommand", **sent, VendorInvoiceStatusId=7)


def test_a_copy_is_a_new_order(acme: Caller, clock: Any) -> None:
    """facts 5: an id, number and log of its own; the original does not change."""
    made = acme.order({"ComputeSchedule": True, "EmployeeId": 208}, PoNumber="PO-1", Notes=[{"Body": "a"}])
    before = acme.get("WorkOrder", made["Id"], WHOLE)
    acme.run("Workorder/Cancel", WorkOrderId=acme.order()["Id"], ActionReasonId=1841)
    clock.advance(600)
    copy = acme.run("WoCopyCommand", WorkOrderId=made["Id"])["Wo"]
    assert (copy["Number"], copy["StatusId"], copy["PoNumber"]) == ("RSC000003", "New", "PO-1")
    assert (copy["DtDue"], "Employee" in copy) == ("2024-05-16T09:22:00", False)
    read = acme.get("WorkOrder", copy["Id"], WHOLE + ",Items.*")
    assert [(item["Asset"]["Id"], item["Task"]["Id"]) for item in read["Items"]] == [(20440, 14211)]
    assert (read["Notes"], logged(acme, copy["Id"])) == ([], ["Create"])
    assert acme.get("WorkOrder", made["Id"], WHOLE) == before
