"""Spec 2 against the sandbox: what holds between fields, records and entity types."""

from __future__ import annotations

import pytest

from tests.spec.local import ASSET, ATTRIBUTE, CONTACT, EMPLOYEE, SUB_TYPE, Local, create_request, succeeded
from tests.spec.rules import differs, spec
from tests.spec.table import IN_JSON, Json
from tests.spec.tables_records import DOCUMENT, WORK_ORDER
from tests.support.laws import case

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


@differs("`IsNew`, `PerformDeletion`")
@spec("2.1", "Id, ConcurrencyId, IsNew, PerformDeletion")
def test_flags_of_returned_entities(local: Local, order: Json) -> None:
    """Spec 2.1: IsNew and PerformDeletion are present in returned entities."""
    for entity, id in RETURNED:
        with case(entity):
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


@differs("`Priority`, `SubType`, `Asset` as entity types")
@spec("2.1", "IsRemoved")
def test_removable_entities(local: Local) -> None:
    """Spec 2.1: IsRemoved is present on the entities that can be removed."""
    for entity, id in REMOVABLE:
        with case(entity):
            assert local.read(entity, id)["IsRemoved"] is False


@spec("2.1", "datetimes")
@pytest.mark.parametrize("field", ["DtDue", "DtCreated", "LastActionDate"])
def test_local_and_utc_times_are_one_moment(order: Json, field: str) -> None:
    """Spec 2.1 and 2.3: beside a local time stands its UTC twin, with a trailing Z."""
    twin = {"DtDue": "DueDateUtc", "DtCreated": "CreatedDateUtc", "LastActionDate": "LastActionDateUtc"}[
        field
    ]
    assert IN_JSON["local"](order[field])
    assert IN_JSON["utc"](order[twin])
    assert order[field][13:] == order[twin][13:-1]  # the offset of the zone is whole hours


@differs("`Priority`, `SubType`, `Asset` as entity types")
@spec("2.2", "entity types")
def test_entity_types_are_known(local: Local) -> None:
    """Spec 2.2: every entity type of the interface has a path; a missing row is another matter."""
    for entity in [
        *("WorkOrder", "Space", "Location", "Address2", "AssetTree", "AssetInfo", "AssetAttribute", "WoFlag"),
        *("Document", "Customer", "Contact", "Employee", "WorkZone", "Specialty", "SubType", "Priority"),
        *("WorkOrderCost", "CustomField", "Note"),
    ]:
        with case(entity):
            reply = local.send("GET", f"base/{entity}?ID=987654321")
            assert reply.json()["ErrorCode"] != "ENTITY_NOT_FOUND"


@differs("`Contactid` of WoCreateCommand")
@spec("2.3", "WorkOrder")
def test_the_contact_of_the_request(local: Local) -> None:
    """Spec 4.3 and 2.3: the contact sent as Contactid is the RequestorContact of the work order."""
    order = local.run("WoCreateCommand", create_request())["Wo"]
    assert order["RequestorContact"]["Id"] == CONTACT


@spec("2.3", "WorkOrder")
def test_task_refinement(order: Json) -> None:
    """Spec 2.3: TaskRefinement is category and sub-category joined by a colon."""
    assert all(order["TaskRefinement"].split(":"))
    assert ":" in order["TaskRefinement"]


@differs("fraction of a second")
@spec("2.1", "datetimes")
def test_times_read_back(local: Local, order: Json) -> None:
    """Spec 2.1: a time has the same form when it is read back; one ending in Utc has its Z."""
    data = local.read("WorkOrder", order["Id"])
    for name in [name for name, kind, _ in WORK_ORDER.rows if kind in ("utc", "local")]:
        with case(name):
            assert IN_JSON["utc" if name.endswith("Utc") else "local"](data[name])
            assert data[name] == order[name]


@differs("properties that only the specification names")
@spec("2.3", "note")
def test_note(local: Local, order: Json) -> None:
    """Spec 2.3: a note as clients attempt it, kept under a new Id."""
    sent = {"Body": "Belt replaced.", "WorkOrderId": order["Id"], "NoteTypeId": 1}
    made = succeeded(local.send("POST", "base/Note", {"Entity": sent}))["EntitySpecifier"]["Id"]
    assert sent.items() <= local.read("Note", made).items()
