"""How single values are written, and what is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from tests.support.laws import each_of
from wosdk_async.codec import dumps, loads, unstructure
from wosdk_async.model import (
    Blob,
    ChangeRequest,
    CurrencyType,
    Customer,
    Money,
    Ref,
    Task,
    WoCreateCommand,
    WoItem,
    WorkOrder,
    WOType,
)


def test_a_create_is_written() -> None:
    """None is left out; references are objects with an Id; names are the wire's."""
    order = WorkOrder(
        items=[WoItem(asset=Ref(1), task=Task.ref(2))],
        type_category=WOType.Request,
        customer=Customer.ref(512),
        sub_type=Ref(4),
        work_zone={"Id": 9, "Employee": Ref(3)},  # type: ignore[arg-type]
    )
    assert unstructure(WoCreateCommand(work_order=order, compute_schedule=True)) == {
        "WorkOrder": {
            "Items": [{"Asset": {"Id": 1}, "Task": {"Id": 2}}],
            "TypeCategory": "Request",
            "Customer": {"Id": 512},
            "SubType": {"Id": 4},
            "WorkZone": {"Id": 9, "Employee": {"Id": 3}},
        },
        "ComputeSchedule": True,
    }


@each_of(
    ("given", "sent"),
    [
        ("New", "New"),
        (4, 4),
        (WOType.Request, "Request"),
        (WOType("Unsupported"), "Unsupported"),
        (WOType(9), 9),
    ],
)
def test_enum_fields_take_members_texts_and_numbers(given: Any, sent: Any) -> None:
    """An enum field is written as the wire has it, whatever form was given."""
    written = unstructure(WorkOrder(type_category=given))["TypeCategory"]
    assert (written, type(written)) == (sent, type(sent))


def test_anything_may_stand_where_the_type_is_open() -> None:
    """An object without a documented class is written as what it is, models inside included."""
    body = unstructure(
        ChangeRequest(entity=WorkOrder(id=1), extra={"Note": [Customer(id=2), Decimal("1.50")]})
    )
    assert dumps(body) == b'{"Entity":{"Id":1},"Note":[{"Id":2},1.50]}'


def test_a_field_wins_over_extra() -> None:
    """extra adds to the documented fields and replaces none; it can write an explicit null."""
    order = WorkOrder(number="1", extra={"Number": "2", "PoNumber": None})
    assert unstructure(order) == {"Number": "1", "PoNumber": None}


def test_utc_is_written_with_z() -> None:
    """An aware time in a UTC field is converted and has a Z; a local one has no zone; a text passes."""
    order = WorkOrder(
        due_date_utc=datetime(2024, 5, 16, 9, 12, tzinfo=timezone(timedelta(hours=-4))),
        dt_due=datetime(2024, 5, 16, 9, 12, 0, 5),
        created_date_utc="2024-05-16T00:00:00",  # type: ignore[arg-type]
    )
    assert unstructure(order) == {
        "DueDateUtc": "2024-05-16T13:12:00Z",
        "DtDue": "2024-05-16T09:12:00.000005",
        "CreatedDateUtc": "2024-05-16T00:00:00",
    }


@each_of(
    ("cls", "fields", "words"),
    [
        (
            WorkOrder,
            {"due_date_utc": datetime(2024, 5, 1)},
            ["WorkOrder.due_date_utc", "tzinfo=datetime.UTC"],
        ),
        (
            WorkOrder,
            {"due_date_utc": datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))},
            ["WorkOrder.due_date_utc", "0001-01-01 00:00:00+14:00", "years 1 to 9999"],
        ),
        (WorkOrder, {"dt_due": datetime(2024, 5, 1, tzinfo=UTC)}, ["WorkOrder.dt_due", "tzinfo=None"]),
        (WorkOrder, {"dt_due": date(2024, 5, 1)}, ["WorkOrder.dt_due", "datetime.combine"]),
        (Blob, {"body": b"PDF"}, ["Blob.body", "bytes", "base64"]),
        (Money, {"value": Decimal("NaN")}, ["Money.value", "NaN", "finite"]),
        (Money, {"value": float("inf")}, ["Money.value", "Infinity", "finite"]),
    ],
)
def test_what_would_be_stored_as_something_else_is_refused(cls: Any, fields: Any, words: list[str]) -> None:
    """The error names class, field, value and remedy."""
    with pytest.raises(ValueError, match=r"^\w+\.\w+ ") as caught:
        unstructure(cls(**fields))
    assert all(word in str(caught.value) for word in words)


@each_of("text", ["350.0000", "0.1", "-7", "1E+20", "1E-400", "123456789012345678901234567890.5", "0E-4"])
def test_decimals_are_written_digit_by_digit(text: str) -> None:
    """A Decimal is a JSON number that reads as the same Decimal."""
    body = dumps(unstructure(Money(currency_type_id=CurrencyType.USD, value=Decimal(text))))
    assert b'"Value":"' not in body
    assert Decimal(loads(body)["Value"]) == Decimal(text)
