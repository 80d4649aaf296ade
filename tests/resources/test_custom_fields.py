"""Custom fields by their labels, read and written."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs.conftest import Local
from wosdk_async import (
    Contact,
    Customer,
    CustomField2,
    CustomFieldDescriptor,
    Employee,
    InDoubtError,
    InvalidCallError,
    Money,
    NotFoundError,
    NotUniqueError,
    Specialty,
    WorkOrder,
    WorkZone,
)
from wosdk_async.resources.custom_fields import FieldValue, read_value, write_value

DESCRIPTORS = "query/CustomFieldDescriptor"
VALUES: dict[str, FieldValue | None] = {
    "Dock": "4",
    "Floors": 3,
    "Budget": Money(currency_type_id="EUR", value=Decimal("1250.50")),
    "Permit until": date(2024, 5, 14),
    "Quiet from": time(21, 30),
    "Key needed": True,
}


async def test_what_is_written_is_read(local: Local, order: WorkOrder) -> None:
    """Values of each type, added in one write and read in one call."""
    acme = local.company
    await acme.custom_fields.set(order, VALUES)
    local.server.asked.clear()
    assert await acme.custom_fields.get(order) == VALUES
    assert len(local.server.asked) == 1
    rows = await acme.get(WorkOrder, order.id or 0, properties=["CustomFields.*"])
    kinds = {(row.object_id, str(row.object_type_id)) for row in rows.custom_fields or []}
    assert kinds == {(order.id, "WO")}


async def test_fields_are_changed_added_removed_and_left_alone(local: Local, order: WorkOrder) -> None:
    """Labels are compared without letter case; None for a field that is not there does nothing."""
    acme = local.company
    await acme.custom_fields.set(order, {"Dock": "4", "Floors": 3, "Key needed": True})
    before = await acme.get(WorkOrder, order.id or 0, properties=["CustomFields.*"])
    await acme.custom_fields.set(
        WorkOrder.ref(order.id or 0), {" dock ": "5", "FLOORS": None, "Quiet from": time(21)}
    )
    assert await acme.custom_fields.get(order) == {"Dock": "5", "Key needed": True, "Quiet from": time(21)}
    after = await acme.get(WorkOrder, order.id or 0, properties=["CustomFields.*"])
    assert (before.custom_fields or [])[0].id == (after.custom_fields or [])[0].id
    local.server.asked.clear()
    await acme.custom_fields.set(order, {"Floors": None})
    assert not [path for path in local.server.asked if path.startswith("PUT")]


async def test_an_amount_keeps_its_currency(local: Local, order: WorkOrder) -> None:
    """Only a number for a field that has no currency is refused, before anything is written."""
    acme = local.company
    local.server.asked.clear()
    for value in (Decimal("250"), 250, Money(value=Decimal("250"))):
        with pytest.raises(InvalidCallError, match=r"'Budget' has no currency .*send Money\("):
            await acme.custom_fields.set(order, {"Dock": "4", "Budget": value})
    assert not [path for path in local.server.asked if path.startswith("PUT")]
    unknown = Money(currency_type_id="Unknown", value=Decimal("1.5"))
    await acme.custom_fields.set(order, {"Budget": unknown})
    assert await acme.custom_fields.get(order) == {"Budget": unknown}
    with pytest.raises(InvalidCallError, match="no currency"):
        await acme.custom_fields.set(order, {"Budget": 250})
    for written, currency in (
        (Money(currency_type_id="EUR", value=Decimal("100.00")), "EUR"),
        (Decimal("250"), "EUR"),
        (Money(value=Decimal("7")), "EUR"),
        (Money(currency_type_id="USD", value=Decimal("8")), "USD"),
    ):
        await acme.custom_fields.set(order, {"Budget": written})
        number = written.value if isinstance(written, Money) else written
        found = {"Budget": Money(currency_type_id=currency, value=number)}
        assert await acme.custom_fields.get(order) == found
    with pytest.raises(InvalidCallError, match="CurrencyType has no such value"):
        await acme.custom_fields.set(order, {"Budget": Money(currency_type_id="EURO", value=Decimal(1))})


async def test_definitions_are_read_once(local: Local, order: WorkOrder) -> None:
    """And again before a label is called unknown."""
    acme = local.company
    await acme.custom_fields.set(order, {"Dock": "4"})
    await acme.with_options().custom_fields.set(order, {"Floors": 3})
    assert local.server.count(DESCRIPTORS) == 1
    await acme.create(CustomFieldDescriptor(actor_type_id="WO", type="String", name="Gate"))
    await acme.custom_fields.set(order, {"Gate": "B"})
    assert local.server.count(DESCRIPTORS) == 2


async def test_unknown_and_ambiguous_labels_name_the_choices(local: Local, order: WorkOrder) -> None:
    """Labels of other kinds of records are none of a work order's."""
    acme = local.company
    made = await acme.create(CustomFieldDescriptor(actor_type_id="WO", type="String", name="dock"))
    with pytest.raises(NotFoundError, match=r"did you mean 'Floors'.*There are 'Budget', ") as caught:
        await acme.custom_fields.set(order, {"Flors": 3})
    assert "Account manager" not in str(caught.value)
    with pytest.raises(NotUniqueError, match=rf"more than one custom field of WO: ids 88, {made.id}"):
        await acme.custom_fields.set(order, {"Dock": "4"})
    await acme.delete(CustomFieldDescriptor, made.id or 0)
    await acme.custom_fields.set(order, {"Dock": "4"})
    assert await acme.custom_fields.get(order) == {"Dock": "4"}


async def test_fields_of_one_label_cannot_be_told_apart(local: Local, order: WorkOrder) -> None:
    """Those of removed definitions do not count."""
    acme = local.company
    made = await acme.create(CustomFieldDescriptor(actor_type_id="WO", type="String", name="Dock"))
    for descriptor in (88, made.id or 0):
        entry = CustomField2(descriptor=CustomFieldDescriptor.ref(descriptor), value="4")
        await acme.update(WorkOrder.ref(order.id or 0), custom_fields=[entry])
    with pytest.raises(NotUniqueError, match="several custom fields labelled 'Dock'"):
        await acme.custom_fields.get(order)
    await acme.delete(CustomFieldDescriptor, made.id or 0)
    assert await acme.custom_fields.get(order) == {"Dock": "4"}


WRONG: list[tuple[dict[str, FieldValue | None], str]] = [
    ({"Dock": 4}, r"'Dock' is 4; a field of type String takes text: send str"),
    ({"Dock": "x" * 65}, "has 65 characters; the maximum is 64: shorten it"),
    ({"Floors": "3"}, "of type Integer takes a whole number"),
    ({"Floors": True}, "of type Integer takes a whole number"),
    ({"Budget": 1.5}, r"of type Money takes an amount: send Money\(currency_type_id="),
    ({"Budget": Decimal("NaN")}, "of type Money takes an amount"),
    ({"Budget": Money(currency_type_id="EUR")}, "of type Money takes an amount"),
    ({"Budget": Money(currency_type_id="EUR", value=Decimal("NaN"))}, "of type Money takes an amount"),
    ({"Floors": Money(currency_type_id="EUR", value=Decimal(3))}, "of type Integer takes a whole number"),
    ({"Permit until": "2024-05-14"}, r"of type Date takes a date: send datetime\.date"),
    ({"Quiet from": "21:30"}, "of type Time takes a time without a zone"),
    ({"Key needed": "yes"}, "of type Boolean takes True or False"),
    ({"Dock": "4", "dock": None}, "'dock' appears twice"),
]


async def test_values_of_another_type_are_told(local: Local) -> None:
    """Before the record is even read."""
    for values, remedy in WRONG:
        with pytest.raises(InvalidCallError, match=remedy):
            await local.company.custom_fields.set(WorkOrder.ref(1), values)
    assert local.server.count("base/WorkOrder") == 0


async def test_other_entities_name_their_kind(local: Local) -> None:
    """WorkOrder, Customer and Contact are known, an Employee says it itself, others are told."""
    acme = local.company
    await acme.custom_fields.set(Customer.ref(512), {"Account manager": "Ann"})
    assert await acme.custom_fields.get(Customer.ref(512)) == {"Account manager": "Ann"}
    await acme.custom_fields.set(WorkZone.ref(14), {"Area": Decimal("12.5")}, kind="Property")
    assert await acme.custom_fields.get(WorkZone.ref(14)) == {"Area": Decimal("12.5")}
    provider = await acme.get(Employee, 230)
    with pytest.raises(NotFoundError, match="no custom field of Provider is called 'x'; there are none"):
        await acme.custom_fields.set(provider, {"x": "y"})
    with pytest.raises(NotFoundError, match="no custom field of LeaseUser"):
        await acme.custom_fields.set(Contact.ref(731), {"x": "y"})
    for record in (WorkZone.ref(14), Employee.ref(230)):
        with pytest.raises(InvalidCallError, match="pass kind="):
            await acme.custom_fields.set(record, {"x": "y"})
    with pytest.raises(InvalidCallError, match="Specialty has no custom fields"):
        await acme.custom_fields.get(Specialty.ref(27))
    with pytest.raises(InvalidCallError, match="a WorkOrder without an id"):
        await acme.custom_fields.get(WorkOrder())


async def test_a_write_without_an_answer_is_in_doubt(local: Local, order: WorkOrder) -> None:
    local.server.creation, local.server.broken = "base/WorkOrder", True
    with pytest.raises(InDoubtError):
        await local.company.custom_fields.set(order, {"Dock": "4"})


@given(
    case=st.one_of(
        st.tuples(st.sampled_from(["String", "Text", "Phone", "Url", "Unknown"]), st.text()),
        st.tuples(st.just("Integer"), st.integers()),
        st.tuples(st.sampled_from(["Decimal", "Money"]), st.decimals(allow_nan=False, allow_infinity=False)),
        st.tuples(st.just("Date"), st.dates()),
        st.tuples(st.just("Time"), st.times()),
        st.tuples(st.just("Boolean"), st.booleans()),
    )
)
def test_every_value_reads_as_it_was_written(case: tuple[str, FieldValue]) -> None:
    """For each type that a definition can have."""
    kind, value = case
    found = read_value(kind, write_value("label", kind, value))
    assert (found, type(found)) == (value, type(value))


@given(
    kind=st.sampled_from(["Integer", "Decimal", "Money", "Date", "Time", "Boolean", "New"]), text=st.text()
)
def test_what_cannot_be_read_stays_text(kind: str, text: str) -> None:
    """A value that somebody else wrote is never an error."""
    found = read_value(kind, text)
    assert found == text or not isinstance(found, str)
