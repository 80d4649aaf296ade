"""Spec 4.9 against a scripted service: the base operations as the client sends and reads them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.spec.rules import spec
from tests.spec.table import Json
from tests.spec.tables_records import ADDRESS, ASSET, DOCUMENT
from tests.support.laws import each_of
from tests.support.service import Answer, Service
from wosdk_async import (
    Asset,
    AssetAttribute,
    Blob,
    Contact,
    CustomField2,
    CustomFieldDescriptor,
    Document,
    DocumentType,
    Location,
    UnsupportedError,
    WorkOrder,
)


def updated(entity: str, id: int) -> Answer:
    """Return the response to an update: the type and the Id of the record that was written."""
    return Answer(body={"EntitySpecifier": {"EntityType": entity, "Id": id}})


@spec("4.9", "create")
async def test_create() -> None:
    """Spec 4.9 create: POST to the entity type with the entity object in Entity."""
    made = Answer(body={"EntitySpecifier": {"EntityType": "Contact", "Id": 20378}})
    async with Service(lambda _: made) as service, service.client() as client:
        found = await client.company().create(Contact(first_name="Ines", customer_id=513))
    (call,) = service.calls
    assert (call.method, call.path) == ("POST", "/api/v1/base/Contact")
    assert call.json == {"Entity": {"FirstName": "Ines", "CustomerId": 513}}
    assert (found.entity_type, found.id) == ("Contact", 20378)


@spec("2.9", "Document")
async def test_create_a_document() -> None:
    """Spec 2.9 and 4.9: a document with its content, as the table of 2.9 shows it."""
    document = Document(
        actor_id=90417,
        actor_type_id="WO",
        title="Before the repair",
        is_shared=True,
        is_public=False,
        storage_type_id="Cloud",
        doc_type=DocumentType(display_as="Picture"),
        blob=Blob(body="R0lGODlhAQABAAAAADs=", file_name="a.gif"),
    )
    made = Answer(body={"EntitySpecifier": {"EntityType": "Document", "Id": 1}})
    async with Service(lambda _: made) as service, service.client() as client:
        await client.company().create(document)
    assert service.calls[0].json == {"Entity": DOCUMENT.payload}


@spec("2.10", "Address")
async def test_create_a_street_address() -> None:
    """Spec 2.10 and 4.9: by names alone, for a type given as text."""
    made = Answer(body={"EntitySpecifier": {"EntityType": "Customer", "Id": 1}})
    customer = {"Name": "Lindqvist", "Addresses": [ADDRESS.payload]}
    async with Service(lambda _: made) as service, service.client() as client:
        await client.company().create("Customer", customer)
        with pytest.raises(UnsupportedError):  # facts 3.9: it lives inside its owner
            await client.company().create("Address2", ADDRESS.payload)
    (call,) = service.calls
    assert (call.path, call.json) == ("/api/v1/base/Customer", {"Entity": customer})


async def test_names_of_attributes_come_in_one_query() -> None:
    """Facts 10, and facts 10 row 19: a path opens the descriptor, so no read is needed for each name."""
    row = {"Data": {"Id": 811, "Descriptor": {"Id": 45, "Name": "Service line"}}}
    pages = iter([[row], []])
    answer = lambda _: Answer(body={"Entities": next(pages)})  # noqa: E731
    async with Service(answer) as service, service.client() as client:
        found = await client.company().query(AssetAttribute).select("*", "Descriptor.*").all()
    assert [attribute.descriptor.name for attribute in found] == ["Service line"]
    assert service.calls[0].json["QueryExpression"]["PropertySet"]["Properties"][-1] == "Descriptor.*"


FIELD = CustomField2(
    descriptor=CustomFieldDescriptor(id=88), object_id=90417, object_type_id="WO", value="Dock 4"
)
# what is written -> Properties and Entity
UPDATES: dict[str, tuple[Any, Json, list[str], Json]] = {
    "a name": (WorkOrder(id=90417), {"po_number": "PO-77"}, ["PoNumber"], {"Id": 90417, "PoNumber": "PO-77"}),
    "two names": (
        WorkOrder(id=90417, number="RSC000417"),
        {"po_number": "PO-77", "duration": 30},
        ["PoNumber", "Duration"],
        {"Id": 90417, "PoNumber": "PO-77", "Duration": 30},
    ),
    "CustomFields.*": (
        WorkOrder(id=90417),
        {"custom_fields": [FIELD]},
        ["CustomFields.*"],
        {
            "Id": 90417,
            "CustomFields": [
                {"Descriptor": {"Id": 88}, "ObjectId": 90417, "ObjectTypeId": "WO", "Value": "Dock 4"}
            ],
        },
    ),
    "Attributes.*": (
        Location(id=20440),
        {"attributes": [AssetAttribute(id=811, value="+1 207 555 0199")]},
        ["Attributes.*"],
        {"Id": 20440, "Attributes": [{"Id": 811, "Value": "+1 207 555 0199"}]},
    ),
}


@spec("4.9", "update")
@each_of(("record", "changes", "properties", "entity"), UPDATES.values(), ids=UPDATES)
async def test_update(record: Any, changes: Json, properties: list[str], entity: Json) -> None:
    """Spec 4.9 update: PUT with the Properties to write and the Id with the changed fields, no others."""
    answer = updated(type(record).__name__, record.id)
    async with Service(lambda _: answer) as service, service.client() as client:
        await client.company().update(record, **changes)
    (call,) = service.calls
    assert (call.method, call.path) == ("PUT", f"/api/v1/base/{type(record).__name__}")
    assert call.json == {"Properties": properties, "Entity": entity}


@spec("4.9", "update")
async def test_the_answer_of_an_update() -> None:
    """Spec 4.9 update: the EntitySpecifier has type and Id only; the record has the new values."""
    async with Service(lambda _: updated("WorkOrder", 90417)) as service, service.client() as client:
        order = await client.company().update(WorkOrder(id=90417, duration=60), po_number="PO-77")
    assert order == WorkOrder(id=90417, duration=60, po_number="PO-77")


@spec("4.9", "delete")
@pytest.mark.parametrize("entity", [Contact, "Contact"], ids=["class", "name"])
async def test_delete(entity: Any) -> None:
    """Spec 4.9 delete: DELETE with ?ID= and without a body."""
    done = Answer(body={"EntitySpecifier": {"EntityType": "Contact", "Id": 20378}})
    async with Service(lambda _: done) as service, service.client() as client:
        await client.company().delete(entity, 20378)
    (call,) = service.calls
    assert (call.method, call.path, call.body) == ("DELETE", "/api/v1/base/Contact?ID=20378", b"")


@spec("4.9", "retrieve")
async def test_retrieve() -> None:
    """Spec 4.9 retrieve: the record is the Data of the only element of Entities."""
    answer = Answer(body={"Entities": [{"Data": ASSET.payload}]})
    async with Service(lambda _: answer) as service, service.client() as client:
        found = await client.company().get(Asset, 20440)
    (call,) = service.calls
    assert (type(found), found.extra, found.critical_facilities) == (Asset, None, "Inherit")
    assert (call.method, call.path, call.body) == ("GET", "/api/v1/base/Location/20440", b"")
