"""Where the public material is silent: what was decided, as docs/assumptions.md lists it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.sandbox.company import ORDER, Caller
from tests.sandbox.order_model import PATHS


def put(acme: Caller, entity: str, properties: list[str], **members: Any) -> dict[str, Any]:
    response = acme.send("PUT", f"base/{entity}", {"Properties": properties, "Entity": members})
    found: dict[str, Any] = response.json()
    return found


FIXED = {
    "Number": "FORGED-1",
    "LastActionDate": "2001-01-01T00:00:00",
    "LastActionDateUtc": "2001-01-01T00:00:00Z",
    "DtCreated": "2001-01-01T00:00:00",
    "CreatedDateUtc": "2001-01-01T00:00:00Z",
    "FlagId": 1901,
    "WonId": 7,
}
COST = {"ApStateId": "Paid", "ApStatusId": 3, "CostState": "Approved", "CostStatusId": 3}


@pytest.mark.parametrize("whole", [True, False])
def test_what_a_work_order_works_out_is_not_written(acme: Caller, whole: bool) -> None:
    """A PUT that would change it is refused, and changes nothing."""
    order = acme.order()["Id"]
    before = acme.get("WorkOrder", order)
    for name, value in FIXED.items():
        members = {name: value, "PoNumber": "P"}
        error = put(acme, "WorkOrder", ["*"] if whole else [name, "PoNumber"], Id=order, **members)
        assert error["ErrorCode"] == "BUSINESS_LOGIC_ERROR"
        assert error["ErrorMessage"] == f"{name} of WorkOrder can only be changed by commands."
        assert acme.get("WorkOrder", order) == before


def test_a_creation_does_not_write_it_either(acme: Caller) -> None:
    """It is dropped, so that the new order can be sent, and has no flag; a PUT of the flag is refused."""
    sent = FIXED | {"Flag": {"Id": 1901}, "StatusId": "Completed", "Employee": {"Id": 208}}
    order = acme.order({"EmployeeId": 230}, **sent)
    assert [name for name, value in sent.items() if order.get(name) == value] == []
    assert (order["WonId"], order["FlagId"], order.get("Flag")) == (0, 0, None)
    assert acme.run("SendWorkOrderCommand", WorkOrderId=order["Id"])["WorkOrder"]["WonId"] > 0
    error = put(acme, "WorkOrder", ["Flag.Id"], Id=order["Id"], Flag={"Id": 1901})
    assert error["ErrorMessage"] == "Flag of WorkOrder can only be changed by commands."


def test_a_verification_is_written_by_its_command(acme: Caller) -> None:
    """By no base operation: neither of a new order, nor of a completed one that has a verification."""
    order, rating = acme.order()["Id"], {"WoRatingId": "Negative"}

    def check_refused(*keys: dict[str, int]) -> None:
        before = acme.get("WorkOrder", order, PATHS)
        new = rating | {"WorkOrderId": order}
        assert acme.refused("POST", "base/WoVerification", {"Entity": new}) == "BUSINESS_LOGIC_ERROR"
        command = {"Command": {"Entity": new | {"EntityType": "WoVerification"}}}
        assert acme.refused("POST", "cmd/CreateCommand", command) == "BUSINESS_LOGIC_ERROR"
        for key in keys:
            error = put(acme, "WoVerification", ["*"], **key, **rating)
            assert error["ErrorMessage"] == "WoVerification can only be changed by commands."
        for key in ({}, *keys):
            error = put(acme, "WorkOrder", ["Verifications.*"], Id=order, Verifications=[key | rating])
            assert error["ErrorMessage"] == "Verifications of WorkOrder can only be changed by commands."
        assert acme.get("WorkOrder", order, PATHS) == before

    check_refused()
    for name in ("WoPickUpCommand", "WoStartCommand", "WoCompleteCommand"):
        acme.run(name, WorkOrderId=order)
    made = acme.run("VerifyWorkCommand", WorkOrderId=order, WoRatingId="Positive")["WorkVerification"]
    check_refused({"Id": made["Id"]})


def test_an_order_goes_back_as_it_was_read(acme: Caller, recorded: Caller) -> None:
    """A program may write back the record that it read: members that do not change may be sent."""
    for caller in (acme, recorded):
        order = caller.order()["Id"]
        read = caller.get("WorkOrder", order)
        assert put(caller, "WorkOrder", ["*"], **read | {"PoNumber": "P-1"})["EntitySpecifier"]
        assert caller.get("WorkOrder", order)["PoNumber"] == "P-1"


def test_the_state_of_the_money_moves_by_commands(acme: Caller) -> None:
    """Of the record itself, and through its order."""
    order = acme.order()["Id"]
    for name, value in COST.items():
        for error in (
            put(acme, "WorkOrderCost", [name], Id=order, **{name: value}),
            put(acme, "WorkOrder", [f"WorkOrderCost.{name}"], Id=order, WorkOrderCost={name: value}),
        ):
            assert error["ErrorMessage"] == f"{name} of WorkOrderCost can only be changed by commands."


def test_the_employee_of_an_order_is_its_primary_assignee(acme: Caller) -> None:
    """That holds for assignments added, changed and removed through the order."""
    order = acme.order()["Id"]

    def write(*records: dict[str, Any]) -> None:
        assert "EntitySpecifier" in put(acme, "WorkOrder", ["Assignments.*"], Id=order, Assignments=records)

    def shown() -> tuple[object, list[tuple[int, bool]]]:
        read = acme.get("WorkOrder", order, "Employee.Id,Assignments.*")
        records = [(record["EmployeeId"], record["IsPrimary"]) for record in read["Assignments"]]
        return read.get("Employee", {}).get("Id"), records

    write({"EmployeeId": 208, "IsPrimary": True})
    assert shown() == (208, [(208, True)])
    write({"EmployeeId": 230})
    assert shown() == (208, [(208, True), (230, False)])
    write({"EmployeeId": 215, "IsPrimary": True})
    assert shown() == (215, [(208, False), (230, False), (215, True)])
    (primary,) = (record["Id"] for record in acme.query("WoAssignment", ("EmployeeId", "Equal", "215")))
    write({"Id": primary, "PerformDeletion": True})
    assert shown() == (None, [(208, False), (230, False)])


def test_the_employee_follows_the_assignments_themselves(acme: Caller) -> None:
    """The same through WoAssignment records: a second one of the same employee, one that changes or moves."""
    order, other = (acme.order()["Id"] for _ in range(2))

    def add(**members: Any) -> int:
        made = acme.ok("POST", "base/WoAssignment", {"Entity": {"WorkOrderId": order, **members}})
        return int(made["EntitySpecifier"]["Id"])

    def employees() -> list[object]:
        reads = (acme.get("WorkOrder", key, "Employee.Id") for key in (order, other))
        return [read.get("Employee", {}).get("Id") for read in reads]

    first = add(EmployeeId=208, IsPrimary=True)
    assert employees() == [208, None]
    second = add(EmployeeId=208, IsPrimary=False)
    assert employees() == [208, None]
    acme.ok("DELETE", f"base/WoAssignment?ID={add(EmployeeId=208)}")
    put(acme, "WoAssignment", ["*"], Id=second, EmployeeId=230)
    assert employees() == [208, None]
    put(acme, "WoAssignment", ["*"], Id=first, EmployeeId=215, IsPrimary=False)
    assert employees() == [None, None]
    put(acme, "WoAssignment", ["*"], Id=second, IsPrimary=True)
    assert employees() == [230, None]
    put(acme, "WoAssignment", ["*"], Id=second, WorkOrderId=other)
    assert employees() == [None, 230]
    acme.ok("DELETE", f"base/WoAssignment?ID={first}")
    assert employees() == [None, 230]
    acme.ok("DELETE", f"base/WoAssignment?ID={second}")
    assert employees() == [None, None]


def test_a_location_needs_its_parent(acme: Caller) -> None:
    """A new one, and one that is moved; what has no parent is a tree of its own."""
    entity = {"Name": "Annex", "TypeId": "Building", "ParentId": 4711}
    error = acme.send("POST", "base/Location", {"Entity": entity}).json()
    assert error["ErrorMessage"] == "ParentId: Location with id 4711 is not found."
    made = acme.ok("POST", "base/Location", {"Entity": entity | {"ParentId": 0}})["EntitySpecifier"]["Id"]
    assert put(acme, "Location", ["ParentId"], Id=made, ParentId=4711)["ErrorCode"] == "BUSINESS_LOGIC_ERROR"
    put(acme, "Location", ["ParentId"], Id=made, ParentId=20400)
    assert acme.get("Location", made)["RootId"] == 20400


def test_what_is_below_a_location_moves_with_it(acme: Caller) -> None:
    """After each move among five the roots are those of the parents; a move that makes a ring is refused."""
    attributes = [{"Descriptor": {"Id": 45}, "Value": "1"}]
    new = {"Entity": {"Name": "Room", "TypeId": "RoomArea", "Attributes": attributes}}
    keys = [acme.ok("POST", "base/Location", new)["EntitySpecifier"]["Id"] for _ in range(5)]
    parents = dict.fromkeys(keys, 0)

    def line(key: int) -> list[int]:
        return [key, *(line(parents[key]) if parents[key] else ())]

    moves = [*itertools.pairwise(keys), *itertools.product(keys, [*keys, 0])]
    for key, parent in moves:
        before = [acme.get("Location", each, "*,Attributes.*") for each in keys]
        error = put(acme, "Location", ["*"], Id=key, ParentId=parent, RootId=parent).get("ErrorCode")
        if parent and key in line(parent):
            assert error == "BUSINESS_LOGIC_ERROR"
            assert [acme.get("Location", each, "*,Attributes.*") for each in keys] == before
            continue
        parents[key] = parent
        for each in keys:
            read = acme.get("Location", each, "*,Attributes.*")
            shown = read["ParentId"], read["RootId"], read["Attributes"][0]["TopAssetId"]
            assert shown == (parents[each], line(each)[-1], line(each)[-1])


def test_a_deep_ring_of_locations(acme: Caller) -> None:
    """However many levels are between the two."""
    first = key = 0
    for _ in range(40):
        new = {"Entity": {"Name": "Box", "TypeId": "RoomArea", "ParentId": key}}
        key = acme.ok("POST", "base/Location", new)["EntitySpecifier"]["Id"]
        first = first or key
    assert acme.get("Location", key)["RootId"] == first
    assert put(acme, "Location", ["ParentId"], Id=first, ParentId=key)["ErrorCode"] == "BUSINESS_LOGIC_ERROR"


@pytest.mark.parametrize(
    ("entity", "key", "name"),
    [("Customer", 512, "Customer"), ("Task", 14211, "Task"), ("WorkOrderType", 259, "SubType")],
)
def test_no_order_for_what_is_removed(acme: Caller, entity: str, key: int, name: str) -> None:
    """A removed record is not ordered for; orders there are stay."""
    order = acme.order()["Id"]
    acme.ok("DELETE", f"base/{entity}?ID={key}")
    error = acme.send("POST", "cmd/WoCreateCommand", {"Command": {"WorkOrder": ORDER}}).json()
    assert error["ErrorMessage"] == f"{name} with id {key} is removed."
    assert acme.get("WorkOrder", order)["StatusId"] == "New"


def test_a_note_of_nobody_is_taken(acme: Caller) -> None:
    """It was seen to be accepted, without use."""
    assert acme.ok("POST", "base/Note", {"Entity": {"NoteText": "For whom?"}})["EntitySpecifier"]["Id"]
