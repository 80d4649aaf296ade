"""Asset templates applied to the inventory, and work zones (spec 4.4, facts 5)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.company import Caller
from tests.sandbox.test_actions import message
from wosdk_async.sandbox.storage.store import Store


def location(acme: Caller, name: str, parent: int = 0, kind: str = "Equipment", **members: Any) -> int:
    entity = {"Name": name, "ParentId": parent, "TypeId": kind, "IsTemplate": True} | members
    made: int = acme.ok("POST", "base/Location", {"Entity": entity})["EntitySpecifier"]["Id"]
    return made


def template(acme: Caller, name: str, root: int) -> None:
    acme.ok("POST", "base/AssetTemplate", {"Entity": {"DisplayAs": name, "RootAssetId": root}})


def space(acme: Caller, plan: str, **members: Any) -> dict[str, Any]:
    unit = {"UnitName": "Suite 9", "UnitFloorPlan": plan} | members
    made = acme.run("SpaceCreateCommand", CustomerId="512", NewUnitSpecifier=unit, IfUnitAlreadyExists=3)
    found: dict[str, Any] = made["NewSpace"]
    return found


def test_a_unit_outside_of_any_zone_exists_once(acme: Caller) -> None:
    """spec 4.4: IfUnitAlreadyExists also holds for a customer whose zone has no asset."""
    entity = {"Name": "Mole End", "DisplayAs": "Mole End"}
    customer = acme.ok("POST", "base/Customer", {"Entity": entity})["EntitySpecifier"]["Id"]

    command = {"CustomerId": customer, "NewUnitSpecifier": {"UnitName": "Suite 1"}}

    def made(if_exists: str) -> int:
        found = acme.run("SpaceCreateCommand", IfUnitAlreadyExists=if_exists, **command)["NewSpace"]
        return int(found["Asset"]["Id"])

    first = made("Reuse")
    assert made("Reuse") == first
    for refusing in ("Fail", "Unknown"):
        message(acme, "SpaceCreateCommand", IfUnitAlreadyExists=refusing, **command)
    assert made("Ignore") != first


def test_the_whole_template_is_copied(acme: Caller) -> None:
    """spec 4.4: every asset with attributes and info becomes one of the inventory, as deep as it was."""
    attribute = {"Descriptor": {"Id": 46}, "Value": "S-1"}
    root = location(acme, "Plan", kind="Unit", Info={"TagId": "T-0"})
    room = location(acme, "Room", root, "RoomArea")
    location(acme, "Lamp", room, Attributes=[attribute], Info={"SerialNumber": "L-1"})
    template(acme, "Plan", root)
    unit = space(acme, "Plan", UnitInfo={"TagId": "T-9"})["Asset"]
    records = acme.query(
        "AssetTree",
        ("ParentId", "Equal", unit["Id"]),
        PropertySet={"Properties": ["Distance", "Child.*", "Child.Info.*", "Child.Attributes.*"]},
    )
    found = {record["Child"]["Name"]: (record["Distance"], record["Child"]) for record in records}
    assert {name: distance for name, (distance, _) in found.items()} == {"Suite 9": 0, "Room": 1, "Lamp": 2}
    lamp = found["Lamp"][1]
    assert (lamp["IsTemplate"], lamp["RootId"], lamp["Info"]["SerialNumber"]) == (False, 20400, "L-1")
    assert lamp["Attributes"][0].items() >= {**attribute, "TopAssetId": 20400}.items()
    assert found["Suite 9"][1]["Info"]["TagId"] == "T-9"
    assert acme.get("Location", root, "*,Info.*")["Info"]["TagId"] == "T-0"


@pytest.mark.parametrize("size", [0, 1, 40])
def test_the_work_grows_with_the_template(acme: Caller, size: int) -> None:
    """spec 4.4: as many records are written as the template has."""
    root = location(acme, "Plan", kind="Unit")
    for index in range(size):
        location(acme, f"Part {index}", root)
    template(acme, "Plan", root)
    before = len(acme.ids("Location"))
    space(acme, "Plan")
    assert len(acme.ids("Location")) == before + size + 1


def test_a_template_in_a_circle_ends(acme: Caller, store: Store) -> None:
    """A tree whose parents go round, in a store of an earlier version, is copied once, also below itself."""
    root = location(acme, "Plan", kind="Unit")
    inner = location(acme, "Inner", root)
    plan = acme.get("Location", root)
    with store.transaction():
        store.replace(46, "Location", plan | {"ParentId": inner})
    template(acme, "Plan", root)
    before = len(acme.ids("Location"))
    unit = space(acme, "Plan")["Asset"]["Id"]
    assert len(acme.ids("Location")) == before + 2
    assert len(acme.ids("Location", ("ParentId", "Equal", unit))) == 1


def test_templates_that_cannot_be_applied(acme: Caller) -> None:
    """facts 6: unknown and ambiguous names have one text; so have another level and no root (assumed)."""
    root = location(acme, "Plan", kind="Building")
    for name, key in (("Twice", 20900), ("Twice", 20900), ("Building", root), ("Lost", 0)):
        template(acme, name, key)
    before = acme.ids("Location")
    for name in ("Palace", "Twice", "Building", "Lost"):
        unit = {"UnitName": "Suite 9", "UnitFloorPlan": name}
        text = message(acme, "SpaceCreateCommand", CustomerId=512, NewUnitSpecifier=unit)
        assert text == f"Template '{name}' cannot be found; or ambiguous template name"
    assert acme.ids("Location") == before


def test_dates_of_a_space(acme: Caller) -> None:
    """facts 5: all four dates are kept as sent; building and floor are found or made by name."""
    unit = {"BuildingName": "Building A", "FloorName": "Floor 7", "UnitName": "Suite 701"}
    dates = {f"{name}Date": f"2024-0{i}-01T00:00:00" for i, name in enumerate(("Start", "MoveIn"), 6)}
    dates |= {f"{name}Date": f"2025-0{i}-01T00:00:00" for i, name in enumerate(("End", "MoveOut"), 6)}
    made = acme.run("SpaceCreateCommand", CustomerId=512, NewUnitSpecifier=unit, **dates)["NewSpace"]
    assert acme.get("Space", made["Id"]).items() >= dates.items()
    floor = acme.get("Location", made["Asset"]["ParentId"])
    assert (floor["Name"], floor["TypeId"], floor["ParentId"]) == ("Floor 7", "Floor", 20410)


def test_a_new_work_zone(acme: Caller) -> None:
    """facts 5: name and prefix are enough; numbers have four digits, and there is a new asset."""
    sent = {"DisplayAs": "North Yard", "WoNumberPrefix": "NY", "EarliestSlot": 1, "AssetTemplateId": 1}
    response = acme.ok("POST", "cmd/WorkZone/Create", {"Command": {"WorkZone": sent}})
    zone = response["CommandResult"]["WorkZone"]
    assert (zone["WoNumberDigits"], zone["TimeZone"], zone["ConcurrencyId"]) == (4, 20, 1)
    assert acme.get("Location", zone["Asset"]["Id"])["Name"] == "North Yard"
    order = acme.order(WorkZone={"Id": zone["Id"]})
    assert (order["Number"], order["TimeZone"]) == ("NY0001", 20)
    made = acme.run("WorkZoneCreateCommand", WorkZone=sent, AssetTemplateId=1)["WorkZone"]
    (inside,) = acme.query("Location", ("ParentId", "Equal", made["Asset"]["Id"]))
    assert (inside["Name"], inside["IsTemplate"]) == ("Air handler", False)
    for wrong in ({}, {"WorkZone": {}}, {"WorkZone": sent, "AssetTemplateId": 99}):
        message(acme, "WorkZoneCreateCommand", **wrong)


def test_a_work_zone_goes_offline_online_and_away(acme: Caller) -> None:
    """facts 5: each command names the zone; customers leave with it only if asked."""
    steps = [("Offline", {}), ("Offline", {}), ("Online", {}), ("Offline", {"DeactivateCustomers": True})]
    for (name, members), (offline, version, gone) in zip(
        steps, [(True, 2, False), (True, 2, False), (False, 3, False), (True, 4, True)], strict=True
    ):
        zone = acme.run(f"WorkZone{name}Command", WorkZoneId=14, **members)["WorkZone"]
        assert (zone["IsOffline"], zone["ConcurrencyId"]) == (offline, version)
        assert acme.get("Customer", 512)["IsRemoved"] is gone
    assert acme.get("Customer", 513)["IsRemoved"] is False
    assert acme.run("WorkZoneDeleteCommand", WorkZoneId=14)["WorkZone"]["IsRemoved"] is True
    message(acme, "WorkZoneDeleteCommand", WorkZoneId=99)


def test_a_portfolio_is_deleted_by_its_command(acme: Caller) -> None:
    """facts 3.9: the base operation names the path of the command, which works."""
    made = acme.ok("POST", "base/Portfolio", {"Entity": {"DisplayAs": "East"}})["EntitySpecifier"]["Id"]
    assert acme.refused("DELETE", f"base/Portfolio/{made}") == "CUSTOM_COMMAND_ERROR"
    sent = {"Command": {"PortfolioId": made}}
    assert acme.ok("POST", "cmd/Portfolio/Delete", sent)["CommandResult"] == {}
    assert acme.get("Portfolio", made)["DisplayAs"] == "East (deleted)"
