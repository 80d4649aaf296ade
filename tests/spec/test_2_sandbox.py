"""Spec 2 against the sandbox: what it answers has every documented field, of the documented JSON type."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest

from tests.spec.local import (
    ASSET,
    ATTRIBUTE,
    CONTACT,
    EMPLOYEE,
    SUB_TYPE,
    TASK,
    Local,
    create_request,
    space_request,
    succeeded,
)
from tests.spec.table import IN_JSON, Json, Table
from tests.spec.tables_company import CONTACT as CONTACT_TABLE
from tests.spec.tables_company import (
    CUSTOMER,
    SPECIALTY,
    WORK_ZONE,
)
from tests.spec.tables_company import (
    EMPLOYEE as EMPLOYEE_TABLE,
)
from tests.spec.tables_company import (
    SUB_TYPE as TYPE,
)
from tests.spec.tables_records import (
    ADDRESS,
    ASSET_ATTRIBUTE,
    DOCUMENT,
    SPACE,
    WORK_ORDER,
)
from tests.spec.tables_records import (
    ASSET as ASSET_TABLE,
)

Paths = list[tuple[str, tuple[str, ...], str]]


def named(paths: Paths) -> Any:
    """One case for each field, called by section and path."""
    ids = [f"{section}-{'.'.join(path)}" for section, path, _ in paths]
    return pytest.mark.parametrize(("section", "path", "kind"), paths, ids=ids)


def at(data: Any, path: tuple[str, ...]) -> Any:
    return reduce(lambda inner, name: inner[name], path, data)


@pytest.fixture(scope="module")
def order(local: Local) -> Json:
    """A new work order that names everything it may refer to."""
    command = create_request(RequestorContact={"Id": CONTACT}) | {"EmployeeId": EMPLOYEE}
    made: Json = local.run("WoCreateCommand", command)["Wo"]
    return made


@pytest.fixture(scope="module")
def space(local: Local) -> Json:
    made: Json = local.run("SpaceCreateCommand", space_request("Suite 210"))["NewSpace"]
    return made


@named(list(WORK_ORDER.paths()))
def test_work_order(order: Json, section: str, path: tuple[str, ...], kind: str) -> None:
    """Spec 2.3 to 2.6: the work order that WoCreateCommand returns."""
    assert IN_JSON[kind](at(order, path))


@pytest.mark.parametrize("name", [name for name, kind, _ in WORK_ORDER.rows if kind == "list"])
def test_lists_are_empty_on_creation(order: Json, name: str) -> None:
    """Spec 2.3: the lists of a work order are empty on creation."""
    assert order[name] == []


@named(list(SPACE.paths()))
def test_space(space: Json, section: str, path: tuple[str, ...], kind: str) -> None:
    """Spec 2.7: the space that SpaceCreateCommand returns."""
    assert IN_JSON[kind](at(space, path))


@pytest.mark.parametrize(("name", "kind"), [row[:2] for row in ADDRESS.rows])
def test_address(local: Local, space: Json, name: str, kind: str) -> None:
    """Spec 2.10: the street address of a new unit is kept with its space."""
    (address,) = local.read("Space", space["Id"], "Addresses.*")["Addresses"]
    assert IN_JSON[kind](address[name])
    assert address[name] == space_request("")["NewUnitSpecifier"]["StreetAddress"][name]


@named(list(ASSET_TABLE.paths()))
def test_asset(local: Local, section: str, path: tuple[str, ...], kind: str) -> None:
    """Spec 2.8: an asset as returned by retrieve."""
    assert IN_JSON[kind](at(local.read("Location", ASSET, "*", "Attributes.*"), path))


@named(list(ASSET_ATTRIBUTE.paths()))
def test_asset_attribute(local: Local, section: str, path: tuple[str, ...], kind: str) -> None:
    """Spec 2.8: an attribute of an asset, with its descriptor opened."""
    asset = local.read("Location", ASSET, "Attributes.*", "Attributes.Descriptor.*")
    (attribute,) = asset["Attributes"]
    assert IN_JSON[kind](at(attribute, path))


@named(list(DOCUMENT.paths()))
def test_document(local: Local, order: Json, section: str, path: tuple[str, ...], kind: str) -> None:
    """Spec 2.9: a document as it was created, read back."""
    sent = DOCUMENT.payload | {"ActorId": order["Id"]}
    made = succeeded(local.send("POST", "base/Document", {"Entity": sent}))["EntitySpecifier"]["Id"]
    data = local.read("Document", made, "*", "DocType.*", "Blob.*")
    assert IN_JSON[kind](at(data, path))
    assert kind == "object" or at(data, path) == at(sent, path)


def test_custom_field_entry(local: Local) -> None:
    """Spec 2.3: a custom field entry of a work order names descriptor, object, its type and the value."""
    order = local.new_order()
    entry = {"Descriptor": {"Id": 88}, "ObjectId": order, "ObjectTypeId": "WO", "Value": "Dock 4"}
    succeeded(local.put("WorkOrder", ["CustomFields.*"], {"Id": order, "CustomFields": [entry]}))
    (kept,) = local.read("WorkOrder", order, "CustomFields.*")["CustomFields"]
    assert entry.items() <= kept.items()


def test_items(local: Local) -> None:
    """Spec 2.3: the items of the request, each with its asset and task, are the order's."""
    order = local.new_order()
    (item,) = local.read("WorkOrder", order, "Items.*")["Items"]
    assert (item["Asset"], item["Task"]) == ({"Id": ASSET}, {"Id": TASK})


RETURNED = [
    ("Location", ASSET),
    ("AssetAttribute", ATTRIBUTE),
    ("Customer", 512),
    ("Contact", CONTACT),
    ("Employee", EMPLOYEE),
    ("WorkZone", 14),
    ("Specialty", 27),
    ("SubType", SUB_TYPE),
    ("Priority", 1),
    ("Space", 3001),
    ("Document", None),
    ("WorkOrder", None),
    ("WorkOrderCost", None),
]


@pytest.mark.parametrize(("entity", "id"), RETURNED, ids=[name for name, _ in RETURNED])
def test_flags_of_returned_entities(local: Local, order: Json, entity: str, id: int | None) -> None:
    """Spec 2.1: IsNew and PerformDeletion are present in returned entities."""
    if entity == "Document":
        sent = DOCUMENT.payload | {"ActorId": order["Id"]}
        id = succeeded(local.send("POST", "base/Document", {"Entity": sent}))["EntitySpecifier"]["Id"]
    data = local.read(entity, id or order["Id"])
    assert (type(data.get("IsNew")), type(data.get("PerformDeletion"))) == (bool, bool)


REMOVABLE: list[tuple[str, int]] = [
    ("Space", 3001),
    ("Customer", 512),
    ("Contact", CONTACT),
    ("Employee", EMPLOYEE),
    ("WorkZone", 14),
    ("Specialty", 27),
    ("SubType", SUB_TYPE),
    ("AttributeDescriptor", 45),
]


@pytest.mark.parametrize(("entity", "id"), REMOVABLE, ids=[name for name, _ in REMOVABLE])
def test_removable_entities(local: Local, entity: str, id: int) -> None:
    """Spec 2.1: IsRemoved is present on the entities that can be removed."""
    assert local.read(entity, id)["IsRemoved"] is False


SCALARS: list[tuple[str, int, Table]] = [
    ("Customer", 512, CUSTOMER),
    ("Contact", CONTACT, CONTACT_TABLE),
    ("Employee", EMPLOYEE, EMPLOYEE_TABLE),
    ("WorkZone", 14, WORK_ZONE),
    ("Specialty", 27, SPECIALTY),
    ("SubType", SUB_TYPE, TYPE),
]


@pytest.mark.parametrize(("entity", "id", "table"), SCALARS, ids=[name for name, _, _ in SCALARS])
def test_retrieved_scalars(local: Local, entity: str, id: int, table: Table) -> None:
    """Spec 2.3, 2.5, 2.6: a record that is read has every documented field that is no list."""
    data = local.read(entity, id)
    wrong = {name for name, kind, _ in table.rows if kind != "list" and not IN_JSON[kind](data.get(name))}
    assert wrong == set()


@pytest.mark.parametrize("field", ["DtDue", "DtCreated", "LastActionDate"])
def test_local_and_utc_times_are_one_moment(order: Json, field: str) -> None:
    """Spec 2.1: beside a local time stands its UTC twin, with a trailing Z."""
    twin = {"DtDue": "DueDateUtc", "DtCreated": "CreatedDateUtc", "LastActionDate": "LastActionDateUtc"}[
        field
    ]
    assert IN_JSON["local"](order[field])
    assert IN_JSON["utc"](order[twin])
    assert order[field][13:] == order[twin][13:-1]  # the offset of the zone is whole hours


@pytest.mark.parametrize(
    "entity",
    [
        *("WorkOrder", "Space", "Location", "Address2", "AssetTree", "AssetInfo", "AssetAttribute", "WoFlag"),
        *("Document", "Customer", "Contact", "Employee", "WorkZone", "Specialty", "SubType", "Priority"),
        *("WorkOrderCost", "CustomField", "Note"),
    ],
)
def test_entity_types_are_known(local: Local, entity: str) -> None:
    """Spec 2.2: every entity type of the interface has a path; a missing row is another matter."""
    reply = local.send("GET", f"base/{entity}?ID=987654321")
    assert reply.json()["ErrorCode"] != "ENTITY_NOT_FOUND"


def test_the_contact_of_the_request(local: Local) -> None:
    """Spec 4.3 and 2.3: the contact sent as Contactid is the RequestorContact of the work order."""
    order = local.run("WoCreateCommand", create_request())["Wo"]
    assert order["RequestorContact"]["Id"] == CONTACT


def test_task_refinement(order: Json) -> None:
    """Spec 2.3: TaskRefinement is category and sub-category joined by a colon."""
    assert all(order["TaskRefinement"].split(":"))
    assert ":" in order["TaskRefinement"]


@pytest.mark.parametrize("name", [name for name, kind, _ in WORK_ORDER.rows if kind in ("utc", "local")])
def test_times_read_back(local: Local, order: Json, name: str) -> None:
    """Spec 2.1: a time has the same form when it is read back; one ending in Utc has its Z."""
    data = local.read("WorkOrder", order["Id"])
    assert IN_JSON["utc" if name.endswith("Utc") else "local"](data[name])
    assert data[name] == order[name]


@pytest.mark.parametrize("name", ["Body", "WorkOrderId", "NoteTypeId"])
def test_note(local: Local, order: Json, name: str) -> None:
    """Spec 2.3: a note as clients attempt it, kept under a new Id."""
    sent = {"Body": "Belt replaced.", "WorkOrderId": order["Id"], "NoteTypeId": 1}
    made = succeeded(local.send("POST", "base/Note", {"Entity": sent}))["EntitySpecifier"]["Id"]
    assert local.read("Note", made)[name] == sent[name]
