"""Commands other than WoCreateCommand (spec 4.2 to 4.8, facts 5)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.company import Caller


def act(acme: Caller, order: int, *names: str, **members: Any) -> dict[str, Any]:
    for name in names:
        record: dict[str, Any] = acme.run(f"Wo{name}Command", WorkOrderId=order, **members)["Wo"]
    return record


def refusal(acme: Caller, path: str, **members: Any) -> dict[str, Any]:
    response = acme.send("POST", f"cmd/{path}", {"Command": members, "RequestId": "r"})
    assert response.status_code == 400
    found: dict[str, Any] = response.json()
    assert list(found) == ["ErrorMessage", "ErrorCode", "TimeStamp"]  # spec 7
    return found


def test_way_of_an_order(acme: Caller, clock: Any) -> None:
    order = acme.order()["Id"]
    states = []
    for name in ("PickUp", "Start", "Pause", "Start"):
        clock.advance(60)
        states.append(act(acme, order, name)["StatusId"])
    assert states == ["Open", "InProgress", "Paused", "InProgress"]
    record = act(acme, order, "Complete", Comment="belt", CompletionNoteOption="Replace", RepairCodeId=61)
    assert (record["StatusId"], record["RepairCode"], record["ConcurrencyId"]) == ("Completed", {"Id": 61}, 6)
    assert record["LastActionDateUtc"] == "2024-05-14T13:16:31.4470216Z"
    read = acme.get(
        "WorkOrder", order, "CompletionNote.Body,ActionLogRecords.TypeId,LastAction.LastAction.TypeId"
    )
    assert read["CompletionNote"]["Body"] == "belt"
    logged = [entry["TypeId"] for entry in read["ActionLogRecords"]]
    assert logged == ["Create", "PickUp", "Start", "Stop", "Start", "Complete"]
    assert read["LastAction"]["LastAction"]["TypeId"] == "Complete"
    assert act(acme, order, "Reopen")["StatusId"] == "New"


def test_refused_moves_name_both_states(acme: Caller) -> None:
    order = acme.order()["Id"]
    error = refusal(acme, "WoCompleteCommand", WorkOrderId=order, Region="x", type="y")
    assert error["ErrorCode"] == "BUSINESS_LOGIC_ERROR"
    assert error["ErrorMessage"] == (
        "{!{Work Order}!} that is in state 'New' cannot be placed in the state 'Completed'"
    )


@pytest.mark.parametrize(
    ("name", "reason", "state"), [("OnHold", 2201, "OnHold"), ("Cancel", 1841, "Cancelled")]
)
def test_reasons(acme: Caller, name: str, reason: int, state: str) -> None:
    order = acme.order()["Id"]
    for wrong in ({}, {"ActionReasonId": 9}, {"ActionReasonId": 1901}):
        error = refusal(acme, f"Wo{name}Command", WorkOrderId=order, **wrong)
        assert error["ErrorCode"] == "BUSINESS_LOGIC_ERROR"
    assert act(acme, order, name, ActionReasonId=reason)["StatusId"] == state
    read = acme.get("WorkOrder", order, "LastAction.Reason.Id")
    assert read["LastAction"]["Reason"] == {"Id": reason}


def test_expected_state_and_version(acme: Caller) -> None:
    order = acme.order()["Id"]
    for wrong in ({"StatusId": "Open"}, {"ConcurrencyId": 2}):
        assert refusal(acme, "WoPickUpCommand", WorkOrderId=order, **wrong)["ErrorCode"] == "ERROR_CODE_6"
    assert act(acme, order, "PickUp", StatusId="new", ConcurrencyId=1)["StatusId"] == "Open"
    assert act(acme, order, "Start", StatusId="Unknown", ConcurrencyId=0)["StatusId"] == "InProgress"


def test_assignment_modes(acme: Caller) -> None:
    order = acme.order()["Id"]

    def assigned(mode: str, *keys: int) -> list[tuple[int, bool]]:
        act(acme, order, "Assign", Assignees=list(keys), Mode=mode)
        records = acme.get("WorkOrder", order, "Assignments.*")["Assignments"]
        return sorted((record["EmployeeId"], record["IsPrimary"]) for record in records)

    assert assigned("Snapshot", 215, 208) == [(208, False), (215, True)]
    assert acme.get("WorkOrder", order)["Employee"] == {"Id": 215}
    assert assigned("Primary", 208) == [(208, True)]
    assert assigned("AddSecondary", 230) == [(208, True), (230, False)]
    assert assigned("RemoveSecondary", 230, 208) == [(208, True)]
    assert assigned("Snapshot") == []
    assert "Employee" not in acme.get("WorkOrder", order)
    assert "Employee" in refusal(acme, "WoAssignCommand", WorkOrderId=order, Assignees=[9])["ErrorMessage"]


def test_flags(acme: Caller) -> None:
    order = acme.order()["Id"]
    assert act(acme, order, "SetFlags", FlagsToSet=[1901, 1902])["FlagId"] == 1902
    assert acme.ids("WoFlag", ("WoId", "Equal", order)) == [1, 2]
    assert act(acme, order, "ClearFlags", FlagsToClear=[1902, 1])["FlagId"] == 1901
    assert "Flag" not in act(acme, order, "ClearFlags", FlagsToClear=[1901])


def test_vendor_invoice_status(acme: Caller) -> None:
    order = acme.order()
    for status, state, version in ((7, "Disputed", 2), (7, "Disputed", 2), (4, "Waiting", 3)):
        cost = acme.run("ApStatusChangeCommand", WorkOrderid=order["Id"], VendorInvoiceStatusId=status)
        shown = cost["Financial"]
        assert (shown["ApStatusId"], shown["ApStateId"], shown["ConcurrencyId"]) == (status, state, version)
    assert acme.get("WorkOrder", order["Id"])["ConcurrencyId"] == 1  # facts 3.7
    sent = {"WorkOrderId": order["Id"], "VendorInvoiceStatusId": 1}
    for wrong in ({"FinancialConcurrencyId": 1}, {"CurrentStatusId": 7}):
        assert refusal(acme, "ApStatusChangeCommand", **sent, **wrong)["ErrorCode"] == "ERROR_CODE_6"
    assert (
        acme.run("CostStatusChangeCommand", WorkOrderId=order["Id"], CostStatusId=2)["Financial"]["CostState"]
        == "Submitted"
    )


def test_verification(acme: Caller) -> None:
    order = acme.order()["Id"]
    sent = {"WorkOrderId": order, "WoRatingId": "Positive", "Comment": "cool"}
    assert refusal(acme, "VerifyWorkCommand", **sent)["ErrorCode"] == "BUSINESS_LOGIC_ERROR"
    act(acme, order, "PickUp", "Start", "Complete")
    made = [acme.run("VerifyWorkCommand", **sent)["WorkVerification"] for _ in range(2)]
    assert [record["Idx"] for record in made] == [0, 1]
    assert (
        made[0].items() >= {**sent, "ConcurrencyId": 1, "EditedDate": "2024-05-14T09:12:31.4470216"}.items()
    )
    assert made[0]["Actor"] == {"Id": 46, "TypeId": "CorrigoNet"}
    records = acme.get("WorkOrder", order, "ActionLogRecords.TypeId")["ActionLogRecords"]
    assert [record["TypeId"] for record in records[-2:]] == ["Verified", "Verified"]


UNIT = {
    "UnitName": "Suite 214",
    "UnitFloorPlan": "Small suite",
    "StreetAddress": {"ActorTypeId": "CommLeaseSpace", "TypeId": "Primary", "Street": "18 Quay Street"},
}


def test_space_from_a_template(acme: Caller) -> None:
    sent = {"CustomerId": "512", "StartDate": "2024-06-01T00:00:00", "NewUnitSpecifier": UNIT}
    space = acme.run("SpaceCreateCommand", **sent, Instructions="Keys")["NewSpace"]
    assert space["StatusId"] == "Current"
    assert (space["CustomerId"], space["StartDate"]) == (512, "2024-06-01T00:00:00")
    asset = space["Asset"]
    assert (
        asset.items() >= {"Name": "Suite 214", "TypeId": "Unit", "IsTemplate": False, "RootId": 20400}.items()
    )
    assert space["WorkZone"]["DisplayAs"] == "Riverside Campus"
    (inside,) = acme.query("Location", ("ParentId", "Equal", asset["Id"]))
    assert (inside["Name"], inside["IsTemplate"]) == ("Air handler", False)
    addresses = acme.get("Space", space["Id"], "Addresses.Street")["Addresses"]
    assert addresses[0]["Street"] == "18 Quay Street"
    again = acme.run("SpaceCreateCommand", **sent, IfUnitAlreadyExists="Reuse")["NewSpace"]
    assert again["Asset"]["Id"] == asset["Id"]
    error = refusal(acme, "SpaceCreateCommand", **sent, IfUnitAlreadyExists="Fail")
    assert error["ErrorCode"] == "BUSINESS_LOGIC_ERROR"


def test_space_refusals(acme: Caller) -> None:
    sent = {"CustomerId": 512, "NewUnitSpecifier": UNIT | {"UnitFloorPlan": "Palace"}}
    error = refusal(acme, "SpaceCreateCommand", **sent)
    assert error["ErrorMessage"] == "Template 'Palace' cannot be found; or ambiguous template name"
    for wrong in (
        {"CustomerId": 9, "NewUnitSpecifier": UNIT},
        {"CustomerId": 512},
        {"NewUnitSpecifier": UNIT},
    ):
        assert refusal(acme, "SpaceCreateCommand", **wrong)["ErrorCode"] == "BUSINESS_LOGIC_ERROR"
    error = refusal(acme, "SpaceCreateCommand", CustomerId=512, UnitId=20430, Instructions="x" * 257)
    assert "Instructions" in error["ErrorMessage"]


def test_generic_commands(acme: Caller) -> None:
    made = acme.run("CreateCommand", Entity={"EntityType": "Contact", "LastName": "Lee"})["EntitySpecifier"]
    change = {"EntityType": "contact", "Id": made["Id"], "FirstName": "Ann"}
    changed = acme.run("UpdateCommand", Entity=change, PropertySet={"Properties": ["FirstName"]})
    assert changed["EntitySpecifier"] == {"EntityType": "Contact", "Id": made["Id"]}  # spec 4.9
    gone = acme.run("DeleteCommand", EntitySpecifier={"EntityType": "Contact", "Id": made["Id"]})
    assert gone["EntitySpecifier"] == {"EntityType": "Contact", "Id": made["Id"]}
    assert acme.get("Contact", made["Id"])["DisplayAs"] == "Ann Lee (deleted)"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("WorkOrder/Note", "There are no such custom command as 'Note' for entity 'WorkOrder'"),
        ("Workzone/delete", "There are no such custom command as 'delete' for entity 'Workzone'"),
        ("WoStopCommand", "There are no such custom command as 'WoStopCommand'"),
    ],
)
def test_unknown_commands_are_refused_before_the_body_is_read(acme: Caller, path: str, message: str) -> None:
    response = acme.send("POST", f"cmd/{path}", b'{"Command": {')
    assert response.status_code == 400
    assert response.json()["ErrorCode"] == "COMMAND_NOT_FOUND"
    assert response.json()["ErrorMessage"] == message


def test_a_command_that_is_not_modelled_says_so(acme: Caller) -> None:
    error = refusal(acme, "CreateWoPrintoutCommand", WorkOrderId=1)
    assert error["ErrorCode"] == "BUSINESS_LOGIC_ERROR"
    assert "CreateWoPrintoutCommand" in error["ErrorMessage"]
