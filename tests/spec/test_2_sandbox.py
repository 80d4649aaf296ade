"""Spec 2 against the sandbox: what it answers has every documented field, of the documented JSON type."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest

from tests.spec.local import ASSET, CONTACT, EMPLOYEE, SUB_TYPE, TASK, Local, space_request, succeeded
from tests.spec.rules import differs, spec
from tests.spec.table import IN_JSON, Json, Table
from tests.spec.tables_company import CONTACT as CONTACT_TABLE
from tests.spec.tables_company import CUSTOMER, SPECIALTY, WORK_ZONE
from tests.spec.tables_company import EMPLOYEE as EMPLOYEE_TABLE
from tests.spec.tables_company import SUB_TYPE as TYPE
from tests.spec.tables_records import ADDRESS, ASSET_ATTRIBUTE, DOCUMENT, SPACE, WORK_ORDER
from tests.spec.tables_records import ASSET as ASSET_TABLE
from tests.support.laws import case


def at(data: Any, path: tuple[str, ...]) -> Any:
    return reduce(lambda inner, name: inner[name], path, data)


def check_types(table: Table, data: Json) -> None:
    """Check that ``data`` has every field of a table, of its JSON type."""
    for section, path, kind in table.paths():
        with case(section, ".".join(path)):
            assert IN_JSON[kind](at(data, path))


@pytest.fixture(scope="module")
def space(local: Local) -> Json:
    made: Json = local.run("SpaceCreateCommand", space_request("Suite 210"))["NewSpace"]
    return made


@differs("response of WoCreateCommand and SpaceCreateCommand")
@spec("2.3", "WorkOrder")
@spec("2.4", "WorkOrderCost")
@spec("2.5", "WorkZone")
@spec("2.6", "Employee")
def test_work_order(order: Json) -> None:
    """Spec 2.3 to 2.6: the work order that WoCreateCommand returns."""
    check_types(WORK_ORDER, order)


@differs("response of WoCreateCommand and SpaceCreateCommand")
@spec("2.3", "lists")
def test_lists_are_empty_on_creation(order: Json) -> None:
    """Spec 2.3: the lists of a work order are empty on creation."""
    lists = [name for name, kind, _ in WORK_ORDER.rows if kind == "list"]
    assert [name for name in lists if order[name] != []] == []


@differs("response of WoCreateCommand and SpaceCreateCommand")
@spec("2.7", "Space")
def test_space(space: Json) -> None:
    """Spec 2.7: the space that SpaceCreateCommand returns."""
    check_types(SPACE, space)


@spec("2.10", "Address")
def test_address(local: Local, space: Json) -> None:
    """Spec 2.10: the street address of a new unit is kept with its space."""
    (address,) = local.read("Space", space["Id"], "Addresses.*")["Addresses"]
    sent = space_request("")["NewUnitSpecifier"]["StreetAddress"]
    for name, kind, _ in ADDRESS.rows:
        with case(name):
            assert IN_JSON[kind](address[name])
            assert address[name] == sent[name]


@differs("properties that only the specification names")
@spec("2.8", "Asset")
def test_asset(local: Local) -> None:
    """Spec 2.8: an asset as returned by retrieve."""
    check_types(ASSET_TABLE, local.read("Location", ASSET, "*", "Attributes.*"))


@differs("response of a retrieve")
@spec("2.8", "Asset")
@spec("2.8", "AssetAttribute")
def test_asset_as_returned_by_a_plain_retrieve(local: Local) -> None:
    """Spec 2.8: "Asset as returned by retrieve (`Data`): ... Attributes (list)", each with its Descriptor."""
    asset = local.read("Location", ASSET)
    check_types(ASSET_TABLE, asset)
    (attribute,) = asset["Attributes"]
    check_types(ASSET_ATTRIBUTE, attribute)
    assert asset["Documents"] == []


@spec("2.8", "AssetAttribute")
def test_asset_attribute(local: Local) -> None:
    """Spec 2.8: an attribute of an asset, with its descriptor opened."""
    asset = local.read("Location", ASSET, "Attributes.*", "Attributes.Descriptor.*")
    (attribute,) = asset["Attributes"]
    check_types(ASSET_ATTRIBUTE, attribute)


@spec("2.9", "Document")
def test_document(local: Local, order: Json) -> None:
    """Spec 2.9: a document as it was created, read back."""
    sent = DOCUMENT.payload | {"ActorId": order["Id"]}
    made = succeeded(local.send("POST", "base/Document", {"Entity": sent}))["EntitySpecifier"]["Id"]
    data = local.read("Document", made, "*", "DocType.*", "Blob.*")
    check_types(DOCUMENT, data)
    for section, path, kind in DOCUMENT.paths():
        with case(section, ".".join(path)):
            assert kind == "object" or at(data, path) == at(sent, path)


@spec("2.3", "custom field entry")
def test_custom_field_entry(local: Local) -> None:
    """Spec 2.3: a custom field entry of a work order names descriptor, object, its type and the value."""
    order = local.new_order()
    entry = {"Descriptor": {"Id": 88}, "ObjectId": order, "ObjectTypeId": "WO", "Value": "Dock 4"}
    succeeded(local.put("WorkOrder", ["CustomFields.*"], {"Id": order, "CustomFields": [entry]}))
    (kept,) = local.read("WorkOrder", order, "CustomFields.*")["CustomFields"]
    assert entry.items() <= kept.items()


@spec("2.3", "item")
def test_items(local: Local) -> None:
    """Spec 2.3: the items of the request, each with its asset and task, are the order's."""
    order = local.new_order()
    (item,) = local.read("WorkOrder", order, "Items.*")["Items"]
    assert (item["Asset"], item["Task"]) == ({"Id": ASSET}, {"Id": TASK})


SCALARS: list[tuple[str, int, Table]] = [
    ("Customer", 512, CUSTOMER),
    ("Contact", CONTACT, CONTACT_TABLE),
    ("Employee", EMPLOYEE, EMPLOYEE_TABLE),
    ("WorkZone", 14, WORK_ZONE),
    ("Specialty", 27, SPECIALTY),
    ("SubType", SUB_TYPE, TYPE),
]


@differs("`Priority`, `SubType`, `Asset` as entity types")
@spec("2.3", "WorkOrder")
@spec("2.5", "WorkZone")
@spec("2.6", "Employee")
def test_retrieved_scalars(local: Local) -> None:
    """Spec 2.3, 2.5, 2.6: a record that is read has every documented field that is no list."""
    for entity, id, table in SCALARS:
        with case(entity):
            data = local.read(entity, id)
            wrong = {
                name for name, kind, _ in table.rows if kind != "list" and not IN_JSON[kind](data.get(name))
            }
            assert wrong == set()
