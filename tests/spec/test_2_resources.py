"""Spec 2 against the client: every documented field is there, has the right type, and survives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

import wosdk_async as wosdk
from tests.spec.table import Json, Table, is_read_right
from tests.spec.tables_records import (
    ADDRESS,
    CUSTOM_FIELD_ENTRY,
    DOCUMENT,
    ITEM,
    NOTE,
    TABLES,
    WORK_ORDER,
)
from wosdk_async import codec
from wosdk_async.model.base import Record

FIELDS = [(table, *row) for table in TABLES for row in table.rows]
IDS = [f"{table.section}-{table.cls}.{name}" for table, name, _, _ in FIELDS]
EACH_TABLE = pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.section}-{table.cls}")

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


@pytest.mark.parametrize(("table", "name", "kind", "sample"), FIELDS, ids=IDS)
def test_field(table: Table, name: str, kind: str, sample: Any) -> None:
    """Spec 2.3 to 2.10: a documented field is an attribute, and is read as the Python type it means."""
    python_name = attribute(table.cls, name)
    assert is_read_right(kind, getattr(read(table.cls, table.payload), python_name), sample)
    assert getattr(getattr(wosdk, table.cls)(), python_name) is None


@EACH_TABLE
def test_nothing_is_unknown(table: Table) -> None:
    """Spec 2.3 to 2.10: no documented field lands among the unknown ones, at any depth."""
    made = read(table.cls, table.payload)
    assert [record.extra for record in records(made) if record.extra is not None] == []


@EACH_TABLE
def test_payload_survives(table: Table) -> None:
    """Spec 2.3 to 2.10: what was read is what would be sent, member by member."""
    assert sent(read(table.cls, table.payload)) == table.payload


@pytest.mark.parametrize("name", ENTITY_TYPES)
def test_entity_type_has_a_class(name: str) -> None:
    """Spec 2.2: every entity type of the interface can be imported from the package under its name."""
    assert issubclass(getattr(wosdk, name), Record)


@pytest.mark.parametrize(
    ("alias", "wire_name"), [("Priority", "WoPriority"), ("SubType", "WorkOrderType"), ("Asset", "Location")]
)
def test_other_names(alias: str, wire_name: str) -> None:
    """Spec 2.2: the names of the specification and those on the wire are one class."""
    assert getattr(wosdk, alias) is getattr(wosdk, wire_name)


@pytest.mark.parametrize("name", ENTITY_TYPES)
@pytest.mark.parametrize(("field", "value"), [("Id", 7), ("IsNew", True), ("PerformDeletion", True)])
def test_common_fields(name: str, field: str, value: Any) -> None:
    """Spec 2.1: Id, IsNew and PerformDeletion are fields of every entity."""
    made = read(name, {field: value})
    assert (getattr(made, attribute(name, field)), made.extra, sent(made)) == (value, None, {field: value})


@pytest.mark.parametrize("name", REMOVABLE)
def test_removable_entities(name: str) -> None:
    """Spec 2.1: IsRemoved is present on the entities that can be removed."""
    assert (read(name, {"IsRemoved": True}).is_removed, read(name, {"IsRemoved": True}).extra) == (True, None)


@pytest.mark.parametrize("currency", ["USD", "EUR", "JPY", "Unknown", "XAF"])
def test_money_takes_currency_codes(currency: str) -> None:
    """Spec 2.1: CurrencyTypeId takes currency codes and Unknown; a code nobody listed survives."""
    text = f'{{"VendorNte":{{"CurrencyTypeId":"{currency}","Value":3}}}}'
    order = codec.structure(codec.loads(text.encode()), wosdk.WorkOrder)
    assert order.vendor_nte == wosdk.Money(currency_type_id=currency, value=Decimal(3))
    assert codec.dumps(codec.unstructure(order)).decode() == text


@pytest.mark.parametrize("digits", ["0.10", "1250.1000", "90071992547409931.25", "-0.01", "0"])
def test_money_is_exact(digits: str) -> None:
    """Spec 2.1: Value is a number; every digit of it is kept in both directions."""
    text = f'{{"VendorNte":{{"CurrencyTypeId":"USD","Value":{digits}}}}}'
    order = codec.structure(codec.loads(text.encode()), wosdk.WorkOrder)
    assert str(order.vendor_nte.value) == digits
    assert codec.dumps(codec.unstructure(order)).decode() == text


def test_local_and_utc_times() -> None:
    """Spec 2.1: a time without zone is naive and stays so; one ending in Utc is UTC and written with Z."""
    times = {"DtDue": "2024-05-14T09:15:07.250000", "DueDateUtc": "2024-05-14T13:15:07.250000Z"}
    order = read("WorkOrder", times)
    assert order.dt_due == datetime(2024, 5, 14, 9, 15, 7, 250000)
    assert order.due_date_utc == datetime(2024, 5, 14, 13, 15, 7, 250000, tzinfo=UTC)
    assert sent(order) == times


@pytest.mark.parametrize("name", ENTITY_TYPES)
def test_reference(name: str) -> None:
    """Spec 2.1: a reference to another entity is an object holding at least Id."""
    assert sent(getattr(wosdk, name).ref(512)) == sent(wosdk.Ref(512)) == {"Id": 512}


LISTS = [("Items", ITEM), ("CustomFields", CUSTOM_FIELD_ENTRY), ("Documents", DOCUMENT)]


@pytest.mark.parametrize(("field", "table"), LISTS, ids=[name for name, _ in LISTS])
def test_elements_of_a_work_order(field: str, table: Table) -> None:
    """Spec 2.3: items, custom field entries and documents inside a work order survive."""
    payload: Json = {"Id": 90417, field: [table.payload, table.payload]}
    order = read(WORK_ORDER.cls, payload)
    assert all(record.extra is None for record in records(order))
    assert sent(order) == payload


def test_a_note_in_a_work_order() -> None:
    """Spec 2.3: NoteTypeId 1 means a completion note; it is read as that and written by name."""
    order = read(WORK_ORDER.cls, {"Id": 90417, "Notes": [NOTE.payload]})
    assert order.notes[0].note_type_id is wosdk.WONoteType.Completion
    assert sent(order)["Notes"] == [NOTE.payload | {"NoteTypeId": "Completion"}]


def test_address_in_a_command() -> None:
    """Spec 2.10: a street address has its place in the specifier of a new unit."""
    unit = read("NewUnitSpecifier", {"StreetAddress": ADDRESS.payload})
    assert type(unit.street_address) is getattr(wosdk, ADDRESS.cls)
    assert sent(unit) == {"StreetAddress": ADDRESS.payload}
