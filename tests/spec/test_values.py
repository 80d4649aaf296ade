"""Values in the sandbox: parts of money, custom fields, texts that are compared, and what stays as it was."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.company import Caller
from tests.spec.local import CUSTOMER, TEMPLATE, space_request
from tests.spec.raw import command, made, post, put, refusal
from tests.spec.rules import spec

NTE = {"CurrencyTypeId": "USD", "Value": 250}


@spec("2.1", "Money")
@spec("4.9", "update")
@pytest.mark.parametrize(
    ("properties", "sent", "kept"),
    [
        (["VendorNte.Value"], {"Value": 99.5}, {"CurrencyTypeId": "USD", "Value": 99.5}),
        (["vendornte.value"], {"Value": 99.5, "CurrencyTypeId": "EUR"},
         {"CurrencyTypeId": "USD", "Value": 99.5}),
        (["VendorNte.CurrencyTypeId"], {"CurrencyTypeId": "EUR"}, {"CurrencyTypeId": "EUR", "Value": 250}),
        (["VendorNte.*"], {"Value": 99.5}, {"CurrencyTypeId": "USD", "Value": 99.5}),
        (["VendorNte"], {"Value": 99.5}, {"CurrencyTypeId": "USD", "Value": 99.5}),
        (["*"], {"Value": 99.5}, {"CurrencyTypeId": "USD", "Value": 99.5}),
        (["VendorNte.Value", "VendorNte.CurrencyTypeId"], {"CurrencyTypeId": "EUR", "Value": 1},
         {"CurrencyTypeId": "EUR", "Value": 1}),
        (["VendorNte"], None, {"CurrencyTypeId": "Unknown", "Value": 0}),
    ],
)  # fmt: skip
def test_money_is_written_by_part(either: Caller, properties: list[str], sent: Any, kept: Any) -> None:
    """A part that is not listed, or not sent, keeps its value."""
    order = either.order(VendorNte=NTE)["Id"]
    either.ok(*put("WorkOrder", properties, Id=order, VendorNte=sent))
    assert either.get("WorkOrder", order)["VendorNte"] == kept


def test_money_behind_a_reference(either: Caller) -> None:
    """The amounts of an order's cost record are written by part, too, through the order and by themselves."""
    order = either.order()["Id"]
    cost = {"WorkOrderCost": {"CustomerNte": {"Value": 75, "CurrencyTypeId": "EUR"}}}
    either.ok(*put("WorkOrder", ["WorkOrderCost.CustomerNte.Value"], Id=order, **cost))
    either.ok(*put("WorkOrderCost", ["CustomerNte.Value"], Id=order, CustomerNte={"Value": 80}))
    assert either.get("WorkOrderCost", order)["CustomerNte"] == {"CurrencyTypeId": "USD", "Value": 80}


def test_money_has_no_other_part(either: Caller) -> None:
    """A property that does not exist, as elsewhere."""
    order = either.order(VendorNte=NTE)["Id"]
    assert (
        either.refused(*put("WorkOrder", ["VendorNte.Amount"], Id=order, VendorNte={})) == "ERROR_CODE_1002"
    )


def entry(descriptor: int, value: str, **more: Any) -> dict[str, Any]:
    return {"Descriptor": {"Id": descriptor}, "Value": value, **more}


VALUES: dict[int, tuple[list[str], list[str]]] = {
    88: (["Dock 2", "x" * 64, ""], ["x" * 65]),
    89: (["x" * 2000], []),
    91: (["3", "-3", "0", ""], ["three", "3.5", "1e3", "1 000"]),
    92: (["1250.75", "3", "-3"], ["USD 3", "3,5", "NaN"]),
    93: (["2024-05-14", "2024-05-14T00:00:00"], ["14.5.2024", "2024-13-01", "soon"]),
    94: (["22:00", "22:00:00", "2024-05-14T22:00:00"], ["25:00", "late"]),
    95: (["true", "False"], ["yes", "1"]),
}
"""Descriptor of an order -> values that it takes, and values that it does not."""


@spec("2.3", "custom field entry")
@pytest.mark.parametrize("descriptor", VALUES)
def test_a_custom_field_holds_what_its_descriptor_says(either: Caller, descriptor: int) -> None:
    """Its type and length; in a creation, in the list of an order, and by itself."""
    fits, wrong = VALUES[descriptor]
    for value in fits:
        order = either.order(CustomFields=[entry(descriptor, value)])["Id"]
        (kept,) = either.get("WorkOrder", order, "CustomFields.*")["CustomFields"]
        assert kept["Value"] == value
    order = either.order()["Id"]
    owner = {"ObjectId": order, "ObjectTypeId": "WO"}
    for value in wrong:
        bad = entry(descriptor, value)
        refusal(either, *put("WorkOrder", ["CustomFields.*"], Id=order, CustomFields=[bad]))
        refusal(either, *post("CustomField2", **bad, **owner))
        refusal(either, *post("CustomField", **bad, **owner))
    assert either.get("WorkOrder", order, "CustomFields.*")["CustomFields"] == []


@spec("2.3", "custom field entry")
def test_a_custom_field_is_one_of_its_owner(either: Caller) -> None:
    """Of a descriptor that exists, that is one of orders, and that the order has no value of yet."""
    order = either.order(CustomFields=[entry(88, "Dock 1")])["Id"]
    removed = made(either, "CustomFieldDescriptor", ActorTypeId="WO", Type="String", Name="Gate")
    either.ok("DELETE", f"base/CustomFieldDescriptor?ID={removed}")
    for descriptor in (4711, 90, 88, removed):
        bad = [entry(descriptor, "2")]
        refusal(either, *put("WorkOrder", ["CustomFields.*"], Id=order, CustomFields=bad))
        refusal(either, *post("CustomField2", **bad[0], ObjectId=order, ObjectTypeId="WO"))
    (kept,) = either.get("WorkOrder", order, "CustomFields.*")["CustomFields"]
    changed = [entry(88, "Dock 2", Id=kept["Id"])]
    either.ok(*put("WorkOrder", ["CustomFields.*"], Id=order, CustomFields=changed))
    (kept,) = either.get("WorkOrder", order, "CustomFields.*")["CustomFields"]
    assert kept["Value"] == "Dock 2"
    refusal(either, *put("CustomField2", ["Value"], Id=kept["Id"], Value="x" * 65))


@spec("2.3", "custom field entry")
def test_a_custom_field_of_a_provider(either: Caller) -> None:
    """A provider is a row of Employee; its descriptors may be those of either kind."""
    for kind in ("Provider", "Employee"):
        label = made(either, "CustomFieldDescriptor", ActorTypeId=kind, Type="Integer", Name=kind)
        fields = [entry(label, "7")]
        either.ok(*put("Employee", ["CustomFields.*"], Id=230, CustomFields=fields))
    assert len(either.get("Employee", 230, "CustomFields.*")["CustomFields"]) == 2
    refusal(either, *put("Customer", ["CustomFields.*"], Id=CUSTOMER, CustomFields=fields))


@spec("2.2", "entity types")
def test_both_names_of_a_custom_field_are_one(either: Caller) -> None:
    """What is written under one name is read under the other, and the order shows it."""
    order = either.order()["Id"]
    first = made(either, "CustomField", **entry(88, "Dock 2"), ObjectId=order, ObjectTypeId="WO")
    (kept,) = either.get("WorkOrder", order, "CustomFields.*")["CustomFields"]
    assert (kept["Id"], kept["Value"]) == (first, "Dock 2")
    for name in ("CustomField", "customfield2"):
        assert either.get(name, first)["Value"] == "Dock 2"
        assert either.ids(name, ("ObjectId", "Equal", str(order))) == [first]
    either.ok(*put("CustomField", ["Value"], Id=first, Value="Dock 3"))
    either.ok("DELETE", f"base/CustomField?ID={first}")
    assert either.get("WorkOrder", order, "CustomFields.*")["CustomFields"] == []


@spec("2.2", "entity types")
def test_an_address_lives_inside_its_owner(either: Caller) -> None:
    """It cannot be created, changed or deleted by itself, and is in its owner's list."""
    address = {"ActorTypeId": "CommLease", "ActorId": CUSTOMER, "Street": "1 Quay Street"}
    for request in (
        post("Address2", **address),
        put("Address2", ["Street"], Id=1, Street="2 Quay Street"),
        ("DELETE", "base/Address2?ID=1", None),
    ):
        assert either.refused(*request) == "ERROR_CODE_1000"
    (before,) = either.get("Customer", CUSTOMER, "Addresses.*")["Addresses"]
    changed = [{"Id": before["Id"], "Street": "2 Quay Street"}, {"Street": "3 Quay Street"}]
    either.ok(*put("Customer", ["Addresses.*"], Id=CUSTOMER, Addresses=changed))
    streets = [each["Street"] for each in either.get("Customer", CUSTOMER, "Addresses.*")["Addresses"]]
    assert streets == ["2 Quay Street", "3 Quay Street"]


@spec("4.4", "SpaceCreateCommand")
def test_names_of_units_and_templates_are_texts_like_others(either: Caller) -> None:
    """They are compared without regard to letter case and blanks at the end, as in a query."""
    first = either.run("SpaceCreateCommand", **space_request("Suite 7"))["NewSpace"]
    request = space_request("SUITE 7 ")
    request["NewUnitSpecifier"]["UnitFloorPlan"] = f"{TEMPLATE.upper()} "
    again = either.run("SpaceCreateCommand", **request)["NewSpace"]
    assert again["Asset"]["Id"] == first["Asset"]["Id"]
    refusal(either, "POST", "cmd/SpaceCreateCommand", {"Command": request | {"IfUnitAlreadyExists": "Fail"}})
    request["NewUnitSpecifier"]["UnitName"] = "Suite 8"
    assert either.run("SpaceCreateCommand", **request)["NewSpace"]["Asset"]["Id"] != first["Asset"]["Id"]


@spec("4.4", "SpaceCreateCommand")
def test_a_unit_that_exists_by_default(either: Caller) -> None:
    """commands.json, ``IfUnitAlreadyExists``: "default Ignore"; enums.json, Ignore: "Do not check"."""
    request = space_request("Suite 10")
    del request["IfUnitAlreadyExists"]
    first, second = (either.run("SpaceCreateCommand", **request)["NewSpace"]["Asset"] for _ in range(2))
    assert first["Id"] != second["Id"]


def test_permissions_of_a_new_contact(either: Caller) -> None:
    """entities.json: ``CanCreateRequest`` "default true", ``CanViewAnyRequest`` "default false"."""
    ids = [
        made(either, "Contact", LastName="Zimmer", CustomerId=CUSTOMER, **sent)
        for sent in ({}, {"CanCreateRequest": None}, {"CanCreateRequest": False})
    ]
    seen = [either.get("Contact", each) for each in ids]
    assert [each["CanCreateRequest"] for each in seen] == [True, True, False]
    assert [each["CanViewAnyRequest"] for each in seen] == [False] * 3
    customer = made(either, "Customer", Name="Zimmer", Contacts=[{"LastName": "Nested"}])
    (nested,) = either.get("Customer", customer, "Contacts.*")["Contacts"]
    assert nested["CanCreateRequest"] is True


@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [
        ("AdvanceNotice", (0, 240), (-1, 241, 500)),
        ("AccessOptionsMask", (1, 15), (0,)),
        ("LatestSlot", (1, 10), (0, -1)),
        ("SlotsCount", (3, 5, 7, 10), (0, 4, 11)),
    ],
)
def test_ranges_of_a_work_zone(
    either: Caller, name: str, allowed: tuple[int, ...], refused: tuple[int, ...]
) -> None:
    """entities.json: "0 to 240", "zero not allowed", "1 or more", "3, 5, 7 or 10"; new zones keep to them."""
    zone = {"DisplayAs": "Yard", "WoNumberPrefix": "Y"}
    for skip in (False, True):
        new = either.run("WorkZoneCreateCommand", WorkZone=zone, SkipDefaultSettings=skip)["WorkZone"]
        either.ok(*put("WorkZone", ["Number"], Id=new["Id"], Number=f"Y-{skip}"))
    for value in allowed:
        either.ok(*put("WorkZone", [name], Id=14, **{name: value}))
        assert either.get("WorkZone", 14)[name] == value
    for value in refused:
        assert name in refusal(either, *put("WorkZone", [name], Id=14, **{name: value}))
        text = refusal(either, *command("WorkZoneCreateCommand", WorkZone=zone | {name: value}))
        assert str(value) in text
    assert either.get("WorkZone", 14)[name] == allowed[-1]


def test_the_empty_date_of_a_provider(either: Caller) -> None:
    """Facts 3.4: "An empty date reads as 1753-01-01T00:00:00 (DtPwdChange of providers)"; others stay out."""
    empty, name = "1753-01-01T00:00:00", "DtPwdChange"
    kinds = ("Provider", "Employee")
    provider, employee = (
        made(either, "Employee", FirstName="P", DisplayAs="P", ActorTypeId=kind) for kind in kinds
    )
    assert either.get("Employee", provider)[name] == empty
    assert name not in either.get("Employee", employee)
    for sent, kept in (("2024-02-05T00:00:00", "2024-02-05T00:00:00"), (None, empty)):
        either.ok(*put("Employee", [name], Id=provider, DtPwdChange=sent))
        assert either.get("Employee", provider)[name][:19] == kept


@spec("4.4", "SpaceCreateCommand")
@spec("2.7", "Space")
def test_a_new_space_has_its_address(either: Caller) -> None:
    """Spec 2.7 and 4.4: the Space that comes back is the created one; a recording shows no lists."""
    space = either.run("SpaceCreateCommand", **space_request("Suite 9"))["NewSpace"]
    (kept,) = either.get("Space", space["Id"], "Addresses.*")["Addresses"]
    assert kept["Street"] == "18 Quay Street"
    if "Addresses" in space:
        assert space["Addresses"] == [kept]


@spec("2.1", "IsRemoved")
def test_a_put_removes_nothing(either: Caller) -> None:
    """IsRemoved follows DELETE and RestoreCommand: a PUT that would change it is refused, not ignored."""
    contact = made(either, "Contact", FirstName="Ann", CustomerId=CUSTOMER)
    refusal(either, *put("Contact", ["IsRemoved"], Id=contact, IsRemoved=True))
    refusal(either, *put("Contact", ["*"], Id=contact, IsRemoved=True, FirstName="Bea"))
    either.ok(*put("Contact", ["*"], Id=contact, IsRemoved=False, FirstName="Cleo"))
    assert either.get("Contact", contact)["FirstName"] == "Cleo"
    either.ok("DELETE", f"base/Contact?ID={contact}")
    refusal(either, *put("Contact", ["IsRemoved"], Id=contact, IsRemoved=False))
    assert either.get("Contact", contact)["IsRemoved"] is True


@spec("2.1", "IsRemoved")
def test_a_put_removes_nothing_behind_a_reference(either: Caller) -> None:
    """Facts 3.6: Child.Field writes there as a PUT of that record does. The refusal names what removes it."""
    zone, outer = {"Id": 14, "IsRemoved": True}, either.order()["Id"]
    direct = refusal(either, *put("WorkZone", ["IsRemoved"], **zone))
    assert "WorkZoneDeleteCommand" in direct  # facts 3.9: a WorkZone has no DELETE
    for entry in ("WorkZone.IsRemoved", "WorkZone.*"):
        assert refusal(either, *put("Customer", [entry], Id=CUSTOMER, WorkZone=zone)) == direct
    inside = {"Customer": {"WorkZone": zone}}
    assert refusal(either, *put("WorkOrder", ["Customer.WorkZone.IsRemoved"], Id=outer, **inside)) == direct
    either.ok(*put("Customer", ["WorkZone.*"], Id=CUSTOMER, WorkZone=zone | {"IsRemoved": False}))
    either.run("WorkZoneDeleteCommand", WorkZoneId=14)
    assert either.get("WorkZone", 14)["IsRemoved"] is True


def test_a_stock_location_takes_a_put_after_its_delete(either: Caller) -> None:
    """Facts 3.4; facts 3.7 has the version that this PUT returned, 3: the delete counted as a change."""
    stock = made(either, "StockLocation", DisplayAs="Van 7")
    for _ in range(2):
        either.ok("DELETE", f"base/StockLocation?ID={stock}")
    assert either.get("StockLocation", stock)["DisplayAs"] == "Van 7 (deleted)"
    moved = {"StockLocationId": stock}
    assert "removed" in refusal(either, *post("StockLocationInventoryDetails", **moved))
    either.ok(*put("StockLocation", ["Number"], Id=stock, Number="7"))
    read = either.get("StockLocation", stock)
    assert (read["Number"], read["ConcurrencyId"], "IsRemoved" in read) == ("7", 3, False)
    specifier = {"EntityType": "StockLocation", "Id": stock}
    either.run("RestoreCommand", EntitySpecifier=specifier)
    assert either.get("StockLocation", stock)["DisplayAs"] == "Van 7"


@spec("2.1", "Id, ConcurrencyId, IsNew, PerformDeletion")
def test_a_new_element_to_be_deleted_is_not_added(either: Caller) -> None:
    """There is nothing to delete, and nothing to keep."""
    order = either.order()["Id"]
    notes = [{"Body": "gone", "NoteTypeId": "Public", "PerformDeletion": True}, {"Body": "kept"}]
    either.ok(*put("WorkOrder", ["Notes.*"], Id=order, Notes=notes))
    assert [note["Body"] for note in either.get("WorkOrder", order, "Notes.*")["Notes"]] == ["kept"]
    either.ok(*put("WorkOrder", ["Notes.*"], Id=order, Notes=notes[:1]))
    other = either.order(Notes=notes)["Id"]
    assert [note["Body"] for note in either.get("WorkOrder", other, "Notes.*")["Notes"]] == ["kept"]


@spec("2.3", "lists")
def test_a_step_of_a_procedure_is_one_of_its_order(either: Caller) -> None:
    """Its WorkOrderId is that of the procedure that it belongs to."""
    order = either.order()["Id"]
    procedure = {"DisplayAs": "Round", "Steps": [{"Description": "Look"}]}
    either.ok(*put("WorkOrder", ["Procedures.*"], Id=order, Procedures=[procedure]))
    (kept,) = either.get("WorkOrder", order, "Procedures.*")["Procedures"]
    either.ok(*put("WoProcedure", ["Steps.*"], Id=kept["Id"], Steps=[{"Description": "Listen"}]))
    steps = either.query("WoProcedureStep", ("WoProcedureId", "Equal", str(kept["Id"])))
    assert [(each["Description"], each["WorkOrderId"]) for each in steps] == [
        ("Look", order),
        ("Listen", order),
    ]
