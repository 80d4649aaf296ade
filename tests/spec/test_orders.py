"""Orders in the sandbox: sent once, one number once, times of one zone, verified if the Company does so."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.sandbox.company import ORDER, Caller
from tests.spec.local import ASSET, EMPLOYEE, PROVIDER, SUB_TYPE, TASK, Local, refused
from tests.spec.raw import command, post, put, refusal
from tests.spec.rules import spec
from wosdk_async.sandbox import LocalCompany


def assigned(acme: Caller) -> int:
    return int(acme.order({"EmployeeId": PROVIDER})["Id"])


@spec("3", 3)
@pytest.mark.parametrize("ends", ["WoCancelCommand", "WoCompleteCommand"])
def test_an_order_that_is_over_is_not_sent(either: Caller, ends: str) -> None:
    """There is nothing left to do for a provider."""
    order = assigned(either)
    if ends == "WoCancelCommand":
        (reason, *_) = either.ids("WoActionReasonLookup", ("ActionId", "Equal", "Cancel"))
        either.run(ends, WorkOrderId=order, ActionReasonId=reason)
    else:
        for name in ("WoPickUpCommand", "WoStartCommand", ends):
            either.run(name, WorkOrderId=order)
    refusal(either, *command("SendWorkOrderCommand", WorkOrderId=order))
    assert either.get("WorkOrder", order)["WonId"] == 0


@spec("2.3", "WorkOrder")
@spec("4.3", "WoCreateCommand")
def test_no_two_orders_have_one_number(either: Caller) -> None:
    """Zones with one prefix count together, and a number that another prefix made is passed over."""
    zones = [
        either.run("WorkZoneCreateCommand", WorkZone={"DisplayAs": name, "WoNumberPrefix": prefix} | digits)
        for name, prefix, digits in [
            ("North", "AB", {}),
            ("South", "ab", {}),
            ("East", "AB00", {"WoNumberDigits": 2}),
            ("West", "", {}),
        ]
    ]
    keys = [zone["WorkZone"]["Id"] for zone in zones]
    basic = {
        "Items": [{"Asset": {"Id": ASSET}, "Task": {"Id": TASK}}],
        "TypeCategory": 1,
        "SubType": {"Id": SUB_TYPE},
    }
    numbers = [
        either.run("WoCreateCommand", WorkOrder=basic | {"WorkZone": {"Id": key}})["Wo"]["Number"]
        for _ in range(3)
        for key in (*keys, 15)
    ]
    assert len({number.lower() for number in numbers}) == len(numbers)
    assert (numbers[0], numbers[1].lower()) == ("AB0001", "ab0002")


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text.rstrip("Z")[:26])


@spec("2.1", "datetimes")
@spec("2.3", "note")
def test_the_times_of_an_order_are_of_one_zone(either: Caller) -> None:
    """A note of an order in the East has the clock of its order, not that of the Company."""
    order = either.order(Notes=[{"Body": "first", "NoteTypeId": "Public"}])
    assert order["TimeZone"] == 35
    either.ok(*post("WoNote", WorkOrderId=order["Id"], Body="second", NoteTypeId="Public"))
    read = either.get("WorkOrder", order["Id"], "*,Notes.*,ActionLogRecords.*")
    times = [note["CreatedDate"] for note in read["Notes"]]
    times += [entry["ActionDate"] for entry in read["ActionLogRecords"]]
    assert len(times) == 3
    for text in times:
        assert abs(moment(text) - moment(read["DtCreated"])) < timedelta(minutes=5)


@spec("2.3", "WorkOrder")
def test_the_employee_follows_the_assignments(either: Caller) -> None:
    """Spec 2.3: it is the assigned employee, so neither a creation nor a PUT sets it by itself."""
    order = either.order(Employee={"Id": EMPLOYEE})["Id"]
    assert "Employee" not in either.get("WorkOrder", order)
    refusal(either, *put("WorkOrder", ["Employee.Id"], Id=order, Employee={"Id": EMPLOYEE}))
    either.run("WoAssignCommand", WorkOrderId=order, Assignees=[EMPLOYEE])
    assert either.get("WorkOrder", order)["Employee"]["Id"] == EMPLOYEE


@spec("2.3", "item")
@spec("2.3", "custom field entry")
def test_what_a_row_of_an_order_needs(either: Caller) -> None:
    """Spec 2.3 and 4.3: asset and task of an item, owner of a custom field; somebody who is assigned."""
    order = either.order()["Id"]
    for item in ({"Asset": {"Id": ASSET}}, {"Task": {"Id": TASK}}, {}):
        refusal(either, *put("WorkOrder", ["Items.*"], Id=order, Items=[item]))
        refusal(either, *post("WoItem", WorkOrderId=order, **item))
    refusal(either, *post("CustomField2", Descriptor={"Id": 88}, ObjectTypeId="WO", Value="x"))
    refusal(either, *post("WoAssignment", WorkOrderId=order, IsPrimary=True))
    assert len(either.get("WorkOrder", order, "Items.Id")["Items"]) == 1


@spec("3", 3)
def test_an_order_of_somebody_who_is_removed(either: Caller) -> None:
    """It cannot be sent to a provider that is gone."""
    order = assigned(either)
    either.ok("DELETE", f"base/Employee?ID={PROVIDER}")
    refusal(either, *command("SendWorkOrderCommand", WorkOrderId=order))


@spec("3", 1)
def test_an_order_of_a_customer_in_a_removed_zone(either: Caller) -> None:
    """The zone that the customer gives it is a reference like one that is sent."""
    zone = either.order()["WorkZone"]["Id"]
    either.run("WorkZoneDeleteCommand", WorkZoneId=zone)
    assert str(zone) in refusal(either, *command("WoCreateCommand", WorkOrder=ORDER))


CONTROL = "http://localhost/_sandbox/companies"
RATING = {"WoRatingId": "Positive", "Comment": "Neat."}


@spec("3", 4)
@spec("4.7", "VerifyWorkCommand")
def test_a_company_without_verification(either: Caller) -> None:
    """Spec 1 and 3 row 4: some Companies add the step. Without it no verification is recorded."""
    order = assigned(either)
    for name in ("WoPickUpCommand", "WoStartCommand", "WoCompleteCommand"):
        either.run(name, WorkOrderId=order)
    either.run("VerifyWorkCommand", WorkOrderId=order, **RATING)
    switch(either, False)
    before = either.get("WorkOrder", order, "*,Verifications.*")
    refusal(either, *command("VerifyWorkCommand", WorkOrderId=order, **RATING))
    for request in (
        post("WoVerification", WorkOrderId=order, **RATING),
        put("WorkOrder", ["Verifications.*"], Id=order, Verifications=[RATING]),
    ):
        assert either.send(*request).status_code == 400
    assert either.get("WorkOrder", order, "*,Verifications.*") == before
    assert len(before["Verifications"]) == 1
    switch(either, True)
    either.run("VerifyWorkCommand", WorkOrderId=order, **RATING)


def switch(acme: Caller, on: bool) -> None:
    """Switch the verification of a Company by the address that controls it, without a token."""
    body = {"Name": acme.company.name.upper(), "Verification": on}
    made = acme.http.put(CONTROL, json=body)
    assert made.status_code == 200, made.text
    assert [each["Verification"] for each in made.json()["Companies"]] == [on]


def test_what_the_switch_does_not_take(either: Caller) -> None:
    """A Company that is not there, and what is neither true nor false."""
    name = either.company.name
    for body in ({"Name": "Nobody", "Verification": False}, {"Name": name, "Verification": 0}, {}):
        made = either.http.put(CONTROL, json=body)
        assert (made.status_code, made.json()["ErrorCode"]) == (400, "INCORRECT_MODEL")


def verify(variables: dict[str, str]) -> str:
    """Return the refusal of a verification in the Company of some variables."""
    with Local(variables) as local:
        order = local.completed_order()
        return refused(local.command("VerifyWorkCommand", {"WorkOrderId": order, **RATING}))


@spec("3", 4)
def test_the_switch_of_a_local_company(tmp_path: Path) -> None:
    """It holds for the Companies of its store, also when that is opened again without a word."""
    path = tmp_path / "store.db"
    with LocalCompany(path, verification=False) as local:
        assert "verification" in verify(local.variables)
    with LocalCompany(path) as local:
        assert "verification" in verify(local.variables)
    with LocalCompany(path, verification=True) as local, Local(local.variables) as caller:
        order = caller.completed_order()
        assert caller.run("VerifyWorkCommand", {"WorkOrderId": order, **RATING})["WorkVerification"]


# --- where the dialects differ --------------------------------------------------------------------------


@spec("2.3", "WorkOrder")
def test_times_that_only_a_creation_shows(either: Caller) -> None:
    """Spec 2.3 lists AcknowledgeByUtc; by facts 3.5 it and DtUtcOnSiteBy are in no later response."""
    order = either.order({"ComputeSchedule": True})
    names = {"AcknowledgeByUtc", "DtUtcOnSiteBy"}
    assert names <= order.keys()
    later = [
        either.get("WorkOrder", order["Id"]),
        *either.query("WorkOrder", ("Id", "Equal", str(order["Id"]))),
        either.run("WoPickUpCommand", WorkOrderId=order["Id"])["Wo"],
    ]
    shown = [names & each.keys() for each in later]
    assert shown == [names if "IsNew" in order else set()] * 3


@spec("2.6", "Employee")
def test_a_zero_that_is_stored_as_null(either: Caller) -> None:
    """Facts 3.4: rows show LabelId 0, and a query for it found none; the specification shows nothing."""
    spec_dialect = "IsNew" in either.get("Employee", EMPLOYEE)
    assert either.get("Employee", EMPLOYEE)["LabelId"] == 0
    assert bool(either.ids("Employee", ("LabelId", "Equal", "0"))) is spec_dialect
    assert bool(either.ids("Employee", ("LabelId", "Null"))) is not spec_dialect
    either.ok(*put("Employee", ["LabelId"], Id=EMPLOYEE, LabelId=5))
    assert either.ids("Employee", ("LabelId", "Equal", "5")) == [EMPLOYEE]
