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


def test_expected_state_and_version(acme: Caller) -> None:
    order = acme.order()["Id"]
    for wrong in ({"StatusId": "Open"}, {"ConcurrencyId": 2}):
        assert refusal(acme, "WoPickUpCommand", WorkOrderId=order, **wrong)["ErrorCode"] == "ERROR_CODE_6"
    assert act(acme, order, "PickUp", StatusId="new", ConcurrencyId=1)["StatusId"] == "Open"
    assert act(acme, order, "Start", StatusId="Unknown", ConcurrencyId=0)["StatusId"] == "InProgress"


def test_expected_status_and_version_of_the_money(acme: Caller) -> None:
    order = acme.order()["Id"]
    acme.run("ApStatusChangeCommand", WorkOrderid=order, VendorInvoiceStatusId=4)
    sent = {"WorkOrderId": order, "VendorInvoiceStatusId": 1}
    for wrong in ({"FinancialConcurrencyId": 1}, {"CurrentStatusId": 7}):
        assert refusal(acme, "ApStatusChangeCommand", **sent, **wrong)["ErrorCode"] == "ERROR_CODE_6"


def test_space_refusals(acme: Caller) -> None:
    assert refusal(acme, "SpaceCreateCommand", CustomerId=512)["ErrorCode"] == "BUSINESS_LOGIC_ERROR"
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
