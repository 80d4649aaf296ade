"""Spec 2 against the client: every documented field is there, has the right type, and survives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import wosdk_async as wosdk
from tests.spec.rules import spec
from tests.spec.table import Json, is_read_right
from tests.spec.tables_records import (
    ADDRESS,
    CUSTOM_FIELD_ENTRY,
    DOCUMENT,
    ITEM,
    NOTE,
    TABLES,
    WORK_ORDER,
)
from tests.support.laws import case
from wosdk_async import codec
from wosdk_async.model.base import Record

# spec 2.2, in its order
ENTITY_TYPES = [
    *("WorkOrder", "Space", "Location", "Address2", "AssetTree", "AssetInfo", "AssetAttribute", "WoFlag"),
    *("Document", "Customer", "Contact", "Employee", "WorkZone", "Specialty", "SubType", "Priority"),
    *("WorkOrderCost", "CustomField", "Note"),
]
REMOVABLE = [
    "Space",
    "Customer",
    "Contact",
    "Employee",
    "WorkZone",
    "Specialty",
    "SubType",
    "AttributeDescriptor",
]


def read(cls: str, payload: Any) -> Any:
    """``payload`` as it comes off the wire, made an object."""
    return codec.structure(codec.loads(json.dumps(payload).encode()), getattr(wosdk, cls))


def sent(record: Any) -> Any:
    """What goes onto the wire for ``record``."""
    return json.loads(codec.dumps(codec.unstructure(record)))


def attribute(cls: str, wire_name: str) -> str:
    """The Python name of a field."""
    return {meta["name"]: name for name, meta in getattr(wosdk, cls).__wire__.items()}[wire_name]


def records(value: Any) -> Iterator[Record]:
    """``value`` and all records in it."""
    if isinstance(value, Record):
        yield value
        for name in value.__wire__:
            yield from records(getattr(value, name))
    elif isinstance(value, list):
        for item in value:
            yield from records(item)


@spec("2.3", "WorkOrder", "item", "custom field entry")
@spec("2.4", "WorkOrderCost")
@spec("2.5", "WorkZone")
@spec("2.6", "Employee")
@spec("2.7", "Space")
@spec("2.8", "Asset", "AssetAttribute")
@spec("2.9", "Document")
@spec("2.10", "Address")
def test_every_documented_field() -> None:
    """Spec 2.3 to 2.10: it is read as the Python type it means, and sent as it was read; none is unknown."""
    for table in TABLES:
        made, empty = read(table.cls, table.payload), getattr(wosdk, table.cls)()
        with case(table.section, table.cls):
            assert [record.extra for record in records(made) if record.extra is not None] == []
            assert sent(made) == table.payload
        for name, kind, sample in table.rows:
            with case(table.section, table.cls, name):
                python_name = attribute(table.cls, name)
                assert is_read_right(kind, getattr(made, python_name), sample)
                assert getattr(empty, python_name) is None


@spec("2.1", "Id, ConcurrencyId, IsNew, PerformDeletion")
@spec("2.2", "entity types")
def test_common_fields() -> None:
    """Spec 2.1 and 2.2: Id, IsNew and PerformDeletion are fields of every entity that can be imported."""
    for field, value in [("Id", 7), ("IsNew", True), ("PerformDeletion", True)]:
        for name in ENTITY_TYPES:
            with case(field, value, name):
                made = read(name, {field: value})
                assert (getattr(made, attribute(name, field)), made.extra) == (value, None)
                assert sent(made) == {field: value}


@spec("2.1", "IsRemoved")
def test_removable_entities() -> None:
    """Spec 2.1: IsRemoved is present on the entities that can be removed."""
    for name in REMOVABLE:
        with case(name):
            made = read(name, {"IsRemoved": True})
            assert (made.is_removed, made.extra) == (True, None)


@spec("2.1", "Money")
def test_money_takes_currency_codes() -> None:
    """Spec 2.1: CurrencyTypeId takes currency codes and Unknown; a code nobody listed survives."""
    for currency in ["USD", "EUR", "JPY", "Unknown", "XAF"]:
        with case(currency):
            text = f'{{"VendorNte":{{"CurrencyTypeId":"{currency}","Value":3}}}}'
            order = codec.structure(codec.loads(text.encode()), wosdk.WorkOrder)
            assert order.vendor_nte == wosdk.Money(currency_type_id=currency, value=Decimal(3))
            assert codec.dumps(codec.unstructure(order)).decode() == text


@spec("2.1", "Money")
def test_money_is_exact() -> None:
    """Spec 2.1: Value is a number; every digit of it is kept in both directions."""
    for digits in ["0.10", "1250.1000", "90071992547409931.25", "-0.01", "0"]:
        with case(digits):
            text = f'{{"VendorNte":{{"CurrencyTypeId":"USD","Value":{digits}}}}}'
            order = codec.structure(codec.loads(text.encode()), wosdk.WorkOrder)
            assert str(order.vendor_nte.value) == digits
            assert codec.dumps(codec.unstructure(order)).decode() == text


@spec("2.1", "datetimes")
def test_local_and_utc_times() -> None:
    """Spec 2.1: a time without zone is naive and stays so; one ending in Utc is UTC and written with Z."""
    times = {"DtDue": "2024-05-14T09:15:07.250000", "DueDateUtc": "2024-05-14T13:15:07.250000Z"}
    order = read("WorkOrder", times)
    assert order.dt_due == datetime(2024, 5, 14, 9, 15, 7, 250000)
    assert order.due_date_utc == datetime(2024, 5, 14, 13, 15, 7, 250000, tzinfo=UTC)
    assert sent(order) == times


@spec("2.1", "reference")
def test_reference() -> None:
    """Spec 2.1: a reference to another entity is an object holding at least Id."""
    for name in ENTITY_TYPES:
        with case(name):
            assert sent(getattr(wosdk, name).ref(512)) == sent(wosdk.Ref(512)) == {"Id": 512}


LISTS = [("Items", ITEM), ("CustomFields", CUSTOM_FIELD_ENTRY), ("Documents", DOCUMENT)]


@spec("2.3", "lists")
def test_elements_of_a_work_order() -> None:
    """Spec 2.3: items, custom field entries and documents inside a work order survive."""
    for field, table in LISTS:
        with case(field):
            payload: Json = {"Id": 90417, field: [table.payload, table.payload]}
            order = read(WORK_ORDER.cls, payload)
            assert all(record.extra is None for record in records(order))
            assert sent(order) == payload


@spec("2.3", "note")
def test_a_note_in_a_work_order() -> None:
    """Spec 2.3: NoteTypeId 1 means a completion note; it is read as that and written by name."""
    order = read(WORK_ORDER.cls, {"Id": 90417, "Notes": [NOTE.payload]})
    assert order.notes[0].note_type_id is wosdk.WONoteType.Completion
    assert sent(order)["Notes"] == [NOTE.payload | {"NoteTypeId": "Completion"}]


@spec("2.10", "Address")
def test_address_in_a_command() -> None:
    """Spec 2.10: a street address has its place in the specifier of a new unit."""
    unit = read("NewUnitSpecifier", {"StreetAddress": ADDRESS.payload})
    assert type(unit.street_address) is getattr(wosdk, ADDRESS.cls)
    assert sent(unit) == {"StreetAddress": ADDRESS.payload}
