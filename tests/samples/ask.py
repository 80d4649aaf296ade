"""What a program writes for each sample of a request: one function for one file, under the file's name."""

from __future__ import annotations

from datetime import UTC
from datetime import datetime as _datetime
from typing import Any

import wosdk_async as _wosdk
from wosdk_async import Company as _Company
from wosdk_async import Ref as _Ref


async def batch_get(acme: _Company) -> Any:
    """No verb: what the batch endpoints answer is not documented (facts 3.2)."""
    item = _wosdk.BatchEntityRequestItem
    return await acme.post(
        "batch/Get",
        [
            item(entity_type="Customer", id=512, properties=["Id", "Name"], request_id="b-1"),
            item(entity_type="Contact", id=731, properties=["Id", "DisplayAs"], request_id="b-2"),
        ],
    )


async def create_contact(acme: _Company) -> Any:
    mail = _wosdk.ContactInfo(
        addr_type_id="PrimEmail", address="ines.marchetti@lindqvist.example", is_alert=True, is_report=False
    )
    return await acme.create(
        _wosdk.Contact(
            first_name="Ines",
            last_name="Marchetti",
            display_as="Ines Marchetti",
            username="ines.marchetti",
            number="C-0881",
            comment="Night contact",
            type_id="Alternate",
            customer_id=512,
            can_create_request=True,
            contact_addresses=[mail],
        )
    )


async def create_document(acme: _Company) -> Any:
    return await acme.create(
        _wosdk.Document(
            actor_id=90417,
            actor_type_id="WO",
            title="Worn belt",
            is_shared=True,
            is_public=True,
            storage_type_id="Cloud",
            mime_type="image/jpeg",
            doc_type=_wosdk.DocumentType(id=3, display_as="Picture"),
            blob=_wosdk.Blob(file_name="belt.jpg", body="c2FtcGxlIHBpY3R1cmUgYnl0ZXM="),
        )
    )


async def create_document_link(acme: _Company) -> Any:
    return await acme.create(
        _wosdk.Document(
            actor_id=90417,
            actor_type_id="WO",
            title="Air handler manual",
            description="Maker manual",
            storage_type_id="URL",
            mime_type="url",
            doc_url="https://manuals.example/ah-3",
            doc_type=_Ref(9),
        )
    )


async def create_wo_note(acme: _Company) -> Any:
    note = _wosdk.WoNote(work_order_id=90417, note_type_id="Public", body="Part ordered, three days.")
    return await acme.create(note)


async def delete_contact(acme: _Company) -> Any:
    return await acme.delete(_wosdk.Contact, 744, missing_ok=True)


async def token(acme: _Company) -> Any:
    return await acme.connect()


discovery = token


async def query_asset_attribute(acme: _Company) -> Any:
    """By an expression that the program writes itself; what the builder adds is in tests/query."""
    condition = _wosdk.ConditionExpression(property_name="AssetId", operator="Equal", values=["21544"])
    paths = ["Id", "AssetId", "Value", "Descriptor.Id", "Descriptor.Name"]
    expression = _wosdk.QueryExpression(
        property_set=_wosdk.PropertySet(properties=paths),
        criteria=_wosdk.FilterExpression(conditions=[condition], filter_operator="And"),
    )
    return await acme.query(_wosdk.AssetAttribute, expression)


async def query_no_match(acme: _Company) -> Any:
    condition = _wosdk.ConditionExpression(property_name="WorkOrderId", operator="Equal", values=["1"])
    expression = _wosdk.QueryExpression(
        property_set=_wosdk.PropertySet(properties=["*"]),
        criteria=_wosdk.FilterExpression(conditions=[condition], filter_operator="And"),
        count=10,
        first_result_index=0,
    )
    return await acme.query(_wosdk.WoNote, expression)


async def query_work_order(acme: _Company) -> Any:
    f = _wosdk.fields(_wosdk.WorkOrder)
    day = _datetime(2024, 5, 14, tzinfo=UTC)
    query = (
        acme.query(_wosdk.WorkOrder)
        .select("Id", "Number", "StatusId", "DueDateUtc", "Customer.Name")
        .where(f.status_id.in_(["New", "Open"]), f.last_action_date_utc >= day)
        .where((f.work_zone == 14) | f.po_number.like("PO-%"))
        .order_by(f.due_date_utc)
        .isolation("ReadUncommitted")
        .limit(2)
    )
    return await query.all()


async def retrieve_asset_tree(acme: _Company) -> Any:
    return await acme.get(_wosdk.AssetTree, {"ParentId": 20400, "ChildId": 21544}, properties=["*"])


async def retrieve_location(acme: _Company) -> Any:
    paths = ["*", "Attributes.*", "Attributes.Descriptor.*"]
    return await acme.get(_wosdk.Location, 21544, properties=paths)


async def retrieve_work_order(acme: _Company) -> Any:
    paths = ["Id", "Number", "StatusId", "ConcurrencyId", "LastAction.*"]
    return await acme.get(_wosdk.WorkOrder, 90417, properties=paths)


async def retrieve_work_order_default(acme: _Company) -> Any:
    return await acme.get(_wosdk.WorkOrder, 90417)


async def update_location_attribute_add(acme: _Company) -> Any:
    new = _wosdk.AssetAttribute(id=0, descriptor=_Ref(46), value="AH3-88121", currency_type_id="Unknown")
    return await acme.update(_wosdk.Location(id=21544), attributes=[new])


async def update_location_attribute_remove(acme: _Company) -> Any:
    gone = _wosdk.AssetAttribute(id=811, perform_deletion=True)
    return await acme.update(_wosdk.Location(id=21544), attributes=[gone])


async def update_work_order_custom_field(acme: _Company) -> Any:
    field = _wosdk.CustomField2(
        descriptor=_Ref(88), object_id=90417, object_type_id="WO", value="Roof, north side"
    )
    return await acme.update(_wosdk.WorkOrder(id=90417), custom_fields=[field])
