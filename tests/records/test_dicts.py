"""to_dict, to_json, from_dict and from_json."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wosdk_async as wosdk
from tests.codec.model_strategies import CLASSES, filled, json_values, records
from tests.support.laws import case, each_of, examples
from wosdk_async import (
    Customer,
    Employee,
    Money,
    Ref,
    WoItem,
    WorkOrder,
    WorkOrderStatus,
    codec,
)

NAMES: tuple[Literal["wire", "python"], ...] = ("wire", "python")
BODY = json.dumps(
    {
        "Id": 7,
        "StatusId": "New",
        "VendorNte": {"Value": 12.50, "CurrencyTypeId": "USD"},
        "DtCreated": "2024-05-14T09:12:31.4470216",
        "DueDateUtc": "2024-05-16T13:12:00",
        "Items": [{"Comment": "noisy", "Score": 0.75}],
        "Customer": {"Id": 512, "DisplayAs": "Dental"},
        "SlaState": "Met",
    }
).encode()


def comes_back(made: Any) -> None:
    """Check that a record is the same after it was a dict and a text, with both kinds of names."""
    for names in NAMES:
        shown = wosdk.to_dict(made, names=names, secrets=True)
        assert wosdk.from_dict(type(made), shown) == made
        text = wosdk.to_json(made, names=names, secrets=True)
        assert wosdk.from_json(type(made), text) == made
        assert wosdk.from_json(type(made), json.dumps(shown, default=str)) == made


@examples(250)
@given(st.sampled_from(CLASSES).flatmap(records))
def test_what_was_shown_reads_the_same(made: Any) -> None:
    """from_dict(type(r), to_dict(r)) == r for records of any class; below, for one of each."""
    comes_back(made)


def test_a_record_with_every_field_comes_back() -> None:
    for cls in CLASSES:
        with case(cls.__name__):
            comes_back(filled(cls))


@examples(30)
@given(data=st.data())
def test_a_record_of_a_response_is_shown_alike_before_and_after_a_program_looks_at_it(
    data: st.DataObject,
) -> None:
    """Also where a value has another type than documented; nothing that a response made can fail."""
    fields = {
        meta["name"]: data.draw(json_values.filter(is_no_number), name)
        for name, meta in WorkOrder.__wire__.items()
        if data.draw(st.integers(0, 20)) == 0
    }
    body = codec.dumps(codec.unstructure(data.draw(records(WorkOrder))) | fields)
    looked_at = codec.decode(body, WorkOrder)
    repr(looked_at)
    for names in NAMES:
        fresh = codec.decode(body, WorkOrder)
        assert wosdk.to_json(fresh, names=names) == wosdk.to_json(looked_at, names=names)
        assert wosdk.from_json(WorkOrder, wosdk.to_json(fresh, names=names)) == looked_at


def is_no_number(value: Any) -> bool:
    """Return whether ``value`` is anything but a text that a user may send for a number."""
    return not (isinstance(value, str) and value.removeprefix("-").isdecimal())


@each_of(
    ("sent", "read"),
    [("512", 512), ("-5", -5), ("007", 7), ("9" * 19, int("9" * 19)), (5, 5), (True, True), (None, None)]
    + [(text, text) for text in ("", "x", "5.0", "1e3", "+5", " 5", "5 ", "1_0", "٥", "9" * 20, "9" * 5000)],
)
def test_plain_digits_are_a_whole_number(sent: Any, read: Any) -> None:
    """A guard such as ``order.customer.id == 512`` must not fail quietly; a response is read as it came."""
    for made in (
        wosdk.from_dict(WorkOrder, {"Duration": sent, "Customer": {"id": sent}}),
        wosdk.from_json(WorkOrder, json.dumps({"duration": sent, "CUSTOMER": {"Id": sent}})),
    ):
        assert [(v, type(v)) for v in (made.duration, made.customer.id)] == [(read, type(read))] * 2
    assert codec.decode(json.dumps({"Duration": sent}).encode(), WorkOrder).duration == sent


def test_the_values_of_each_type() -> None:
    order = codec.decode(BODY, WorkOrder)
    assert wosdk.to_dict(order) == {
        "Id": 7,
        "StatusId": "New",
        "VendorNte": {"Value": Decimal("12.5"), "CurrencyTypeId": "USD"},
        "DtCreated": "2024-05-14T09:12:31.447021",
        "DueDateUtc": "2024-05-16T13:12:00Z",
        "Items": [{"Comment": "noisy", "Score": Decimal("0.75")}],
        "Customer": {"Id": 512, "DisplayAs": "Dental"},
        "SlaState": "Met",
    }
    shown = wosdk.to_dict(order, names="python")
    assert (shown["status_id"], shown["SlaState"]) == ("New", "Met")
    assert type(shown["status_id"]) is str
    assert shown["items"] == [{"comment": "noisy", "Score": Decimal("0.75")}]


def test_numbers_keep_their_digits_in_json() -> None:
    value = Decimal("12345678901234567890.1200")
    assert wosdk.to_json(Money(value=value)) == b'{"Value":12345678901234567890.1200}'
    assert wosdk.from_json(Money, wosdk.to_json(Money(value=value))).value == value


def test_a_dict_may_mix_names_letter_case_and_python_values() -> None:
    made = wosdk.from_dict(
        WorkOrder,
        {
            "statusid": "New",
            "po_number": "PO-1",
            "VENDORNTE": {"value": "12.50"},
            "customer_nte": {"Value": 0.1},
            "dt_created": datetime(2024, 5, 14),
            "items": [WoItem(comment="a"), {"comment": "b"}],
            "Customer": Ref(512),
            "Sla": 1,
        },
    )
    assert made == WorkOrder(
        status_id=WorkOrderStatus.New,
        po_number="PO-1",
        vendor_nte=Money(value=Decimal("12.50")),
        dt_created=datetime(2024, 5, 14),
        items=[WoItem(comment="a"), WoItem(comment="b")],
        customer=Ref(512),
        extra={"customer_nte": {"Value": 0.1}, "Sla": 1},
    )


@pytest.mark.parametrize("names", NAMES)
def test_unknown_names_that_are_names_of_fields_are_not_lost(names: Literal["wire", "python"]) -> None:
    extra = {"status_id": 1, "STATUSID": 2, "extra": 3, "StatusId": 4, "Free": 5}
    for order in (WorkOrder(extra=extra), WorkOrder(extra=extra, status_id=WorkOrderStatus.New)):
        shown = wosdk.to_dict(order, names=names)
        assert shown["Free"] == 5
        assert shown["extra"] == {name: value for name, value in extra.items() if name != "Free"}
        assert wosdk.from_dict(WorkOrder, shown) == order


def test_what_a_program_put_in_is_shown_as_it_is() -> None:
    tokyo = timezone(timedelta(hours=9))
    order = WorkOrder(
        customer=Ref(512),
        vendor_nte=Money(value=0.1),  # type: ignore[arg-type]
        dt_created=datetime(2024, 5, 14, tzinfo=tokyo),
        due_date_utc=datetime(2024, 5, 14, tzinfo=tokyo),
        number=date(2024, 5, 14),  # type: ignore[arg-type]
        items=(WoItem(comment="a"),),  # type: ignore[arg-type]
    )
    assert wosdk.to_dict(order, names="python") == {
        "number": "2024-05-14",
        "customer": {"id": 512},
        "vendor_nte": {"value": Decimal("0.1")},
        "dt_created": "2024-05-14T00:00:00+09:00",
        "due_date_utc": "2024-05-13T15:00:00Z",
        "items": [{"comment": "a"}],
    }
    assert wosdk.to_dict(order)["Customer"] == {"Id": 512}


def test_a_zone_of_a_local_time_is_kept_for_the_checks() -> None:
    """Reading drops the zone that a response should not have; what a user sends is not changed."""
    made = wosdk.from_dict(WorkOrder, {"DtCreated": "2024-05-14T09:00:00Z"})
    assert made.dt_created == datetime(2024, 5, 14, 9, tzinfo=UTC)


def test_lists_of_records() -> None:
    orders = [WorkOrder(id=1), WorkOrder(id=2)]
    assert wosdk.to_dict(orders) == [{"Id": 1}, {"Id": 2}]
    assert wosdk.to_json(iter(orders), names="python") == b'[{"id":1},{"id":2}]'
    assert wosdk.from_json(list[WorkOrder], wosdk.to_json(orders)) == orders


def test_secrets_are_left_out_unless_asked_for() -> None:
    user = Employee(username="ada", password="hunter2")
    assert wosdk.to_dict(user) == {"Username": "ada"}
    assert wosdk.to_json(user) == b'{"Username":"ada"}'
    assert wosdk.to_dict(user, secrets=True) == {"Username": "ada", "Password": "hunter2"}


def test_secrets_of_records_that_nobody_looked_at_are_left_out() -> None:
    """Their dicts are made in another way, without the object."""
    body = b'{"Id":7,"Employee":{"Id":1,"Password":"hunter2"},"LastAction":{"Actor":{"Id":1}}}'
    for _ in range(5):  # the codec learns the fields
        order = codec.decode(body, WorkOrder)
    assert "hunter2" not in repr(wosdk.to_dict(order))
    assert repr(wosdk.to_dict(codec.decode(body, WorkOrder), secrets=True)).count("hunter2") == 1
    assert order == codec.decode(body, WorkOrder)


def test_what_json_of_a_response_can_hold_can_be_written() -> None:
    """Integers of more than 64 bits and half surrogate pairs come back, which is not sent to the service."""
    body = b'{"Id":1000000000000000000000000000000,"Odd \\ud800":["\\ud800",1e400]}'
    order = codec.decode(body, WorkOrder)
    assert wosdk.to_json(order) == body.replace(b"1e400", b"1E+400")


def test_the_dict_is_independent_of_the_record() -> None:
    order = WorkOrder(extra={"A": {"B": [1]}}, customer=Customer(id=5))
    shown = wosdk.to_dict(order)
    shown["A"]["B"].append(2)
    shown["Customer"]["Id"] = 6
    assert order == WorkOrder(extra={"A": {"B": [1]}}, customer=Customer(id=5))
