"""References: each write refuses those that do not exist or are removed; no delete leaves one behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.company import ORDER, Caller
from tests.spec.local import ASSET, CONTACT, CUSTOMER, EMPLOYEE, SUB_TYPE
from tests.spec.raw import command, made, post, put, refusal
from tests.spec.rules import spec

GONE = 4711
REFERENCES = {
    "Customer": "Customer",
    "WorkZone": "WorkZone",
    "SubType": "WorkOrderType",
    "Priority": "WoPriority",
    "Specialty": "Specialty",
    "RequestorContact": "Contact",
}
"""References of a work order, each with its entity type."""


def removed(acme: Caller, entity: str) -> int:
    """Return the id of a record that was removed."""
    if entity == "WorkZone":
        zone = acme.run("WorkZoneCreateCommand", WorkZone={"DisplayAs": "Annex", "WoNumberPrefix": "AX"})
        acme.run("WorkZoneDeleteCommand", WorkZoneId=zone["WorkZone"]["Id"])
        return int(zone["WorkZone"]["Id"])
    key = made(acme, entity, DisplayAs="Gone", FirstName="Gone", Name="Gone")
    acme.ok("DELETE", f"base/{entity}?ID={key}")
    return key


@spec("2.1", "reference")
@spec("3", 1)
@pytest.mark.parametrize(("name", "entity"), REFERENCES.items())
def test_an_order_refers_to_what_exists(either: Caller, name: str, entity: str) -> None:
    """A creation and a PUT refuse the same ids, and a refused PUT changes nothing."""
    order = either.order()["Id"]
    before = either.get("WorkOrder", order)
    keys = [GONE] if entity == "WoPriority" else [GONE, removed(either, entity)]
    for key in keys:
        reference = {name: {"Id": key}}
        assert str(key) in refusal(either, *command("WoCreateCommand", WorkOrder=ORDER | reference))
        for properties in ([f"{name}.Id"], ["*"]):
            assert str(key) in refusal(either, *put("WorkOrder", properties, Id=order, **reference))
    assert either.get("WorkOrder", order) == before


WRITES: dict[str, Callable[[Caller, int], tuple[str, str, Any]]] = {
    "POST Customer": lambda _, key: post("Customer", Name="New", WorkZone={"Id": key}),
    "PUT Customer": lambda _, key: put("Customer", ["WorkZone.*"], Id=CUSTOMER, WorkZone={"Id": key}),
    "POST Task": lambda _, key: post("Task", DisplayAs="New", Specialty={"Id": key}),
    "CreateCommand": lambda _, key: command(
        "CreateCommand", Entity={"EntityType": "Customer", "Name": "New", "WorkZone": {"Id": key}}
    ),
    "UpdateCommand": lambda _, key: command(
        "UpdateCommand",
        Entity={"EntityType": "Customer", "Id": CUSTOMER, "WorkZone": {"Id": key}},
        PropertySet={"Properties": ["WorkZone.Id"]},
    ),
    "an element of a list": lambda acme, key: put(
        "WorkOrder", ["Items.*"], Id=acme.order()["Id"], Items=[{"Asset": {"Id": ASSET}, "Task": {"Id": key}}]
    ),
    "an item of a creation": lambda _, key: command(
        "WoCreateCommand", WorkOrder=ORDER | {"Items": [{"Asset": {"Id": ASSET}, "Task": {"Id": key}}]}
    ),
    "WoAssignCommand": lambda acme, key: command(
        "WoAssignCommand", WorkOrderId=acme.order()["Id"], Assignees=[key], Mode="Primary"
    ),
    "EmployeeId of a creation": lambda _, key: command("WoCreateCommand", WorkOrder=ORDER, EmployeeId=key),
    "POST WoAssignment": lambda acme, key: post(
        "WoAssignment", WorkOrderId=acme.order()["Id"], EmployeeId=key, IsPrimary=True
    ),
    "Assignments of an order": lambda acme, key: put(
        "WorkOrder", ["Assignments.*"], Id=acme.order()["Id"], Assignments=[{"EmployeeId": key}]
    ),
    "POST Contact": lambda _, key: post("Contact", FirstName="New", CustomerId=key),
    "POST Space": lambda _, key: command(
        "SpaceCreateCommand", CustomerId=str(key), NewUnitSpecifier={"UnitName": "New"}
    ),
    "RepairCodeId of a completion": lambda acme, key: command(
        "WoCompleteCommand", WorkOrderId=started(acme), RepairCodeId=key
    ),
}
TARGETS = {
    "POST Task": "Specialty",
    "an element of a list": "Task",
    "an item of a creation": "Task",
    "WoAssignCommand": "Employee",
    "EmployeeId of a creation": "Employee",
    "POST WoAssignment": "Employee",
    "Assignments of an order": "Employee",
    "POST Contact": "Customer",
    "POST Space": "Customer",
    "RepairCodeId of a completion": "RepairCode",
}
"""Entity type of the reference in each write; a WorkZone for the others."""


def started(acme: Caller) -> int:
    order = int(acme.order()["Id"])
    for name in ("WoPickUpCommand", "WoStartCommand"):
        acme.run(name, WorkOrderId=order)
    return order


@spec("2.1", "reference")
@pytest.mark.parametrize("write", WRITES)
def test_every_write_refuses_them(either: Caller, write: str) -> None:
    """A record that never existed, and one that is removed, where that type of record can be."""
    entity = TARGETS.get(write, "WorkZone")
    for key in (GONE, removed(either, entity)):
        assert str(key) in refusal(either, *WRITES[write](either, key))


@spec("2.1", "reference")
def test_a_reference_that_stays_is_not_looked_at(either: Caller) -> None:
    """A record may be written back as it was read, after the one that it refers to was removed."""
    order = either.order(RequestorContact={"Id": CONTACT})["Id"]
    either.ok("DELETE", f"base/Contact?ID={CONTACT}")
    read = either.get("WorkOrder", order)
    assert read["RequestorContact"]["Id"] == CONTACT
    either.ok(*put("WorkOrder", ["*"], **read | {"PoNumber": "P-1"}))
    assert either.get("WorkOrder", order)["PoNumber"] == "P-1"


@spec("4.9", "delete")
@pytest.mark.parametrize("key", [20400, 20431, ASSET])
def test_a_location_that_is_needed_stays(either: Caller, key: int) -> None:
    """One with rows below it, one of a Space, the asset of an order."""
    either.order()
    assert str(key) in refusal(either, "DELETE", f"base/Location?ID={key}")
    assert str(key) in refusal(
        either, *command("DeleteCommand", EntitySpecifier={"EntityType": "Location", "Id": key})
    )
    assert either.get("Location", key)["Id"] == key


@spec("4.9", "delete")
def test_a_location_that_nothing_refers_to_goes(either: Caller) -> None:
    """With its attributes, and out of the tree of assets."""
    building = made(either, "Location", Name="Annex", TypeId="Building", ParentId=20400)
    attributes = [{"Descriptor": {"Id": 45}, "Value": "1"}]
    room = made(either, "Location", Name="Room", TypeId="RoomArea", ParentId=building, Attributes=attributes)
    (attribute,) = either.ids("AssetAttribute", ("AssetId", "Equal", str(room)))
    refusal(either, "DELETE", f"base/Location?ID={building}")
    for key in (room, building):
        either.ok("DELETE", f"base/Location?ID={key}")
    assert either.refused("GET", f"base/AssetAttribute/{attribute}") == "ERROR_CODE_1019"
    assert either.query("AssetTree", ("ChildId", "Equal", str(room))) == []


@spec("4.9", "delete")
def test_a_row_that_others_name_stays(either: Caller) -> None:
    """The same for every type whose records are deleted for good; removable ones are only marked."""
    assert "TimeCard 6001" in refusal(either, "DELETE", "base/TimeCardWeek?ID=7001")
    either.ok("DELETE", f"base/WorkOrderType?ID={SUB_TYPE}")
    assert either.get("WorkOrderType", SUB_TYPE)["IsRemoved"] is True


@spec("3", "state-bearing fields")
def test_a_removed_employee_is_not_chosen(either: Caller) -> None:
    """The computed assignee is one that a command could name."""
    chosen = either.order({"ComputeAssignment": True})["Employee"]["Id"]
    either.ok("DELETE", f"base/Employee?ID={chosen}")
    again = either.order({"ComputeAssignment": True}).get("Employee", {}).get("Id")
    assert again != chosen
    assert again in (None, EMPLOYEE, 215, 230, 231)
