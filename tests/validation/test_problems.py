"""Mistakes that validation finds before an object is sent."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from wosdk_async.model import (
    Blob,
    Customer,
    Money,
    Ref,
    Space,
    WoCreateCommand,
    WoItem,
    WoPriority,
    WorkOrder,
    WorkOrderStatus,
    WOType,
)
from wosdk_async.protocol.validation import problems


def test_a_good_command_has_no_problems() -> None:
    """Members, texts and numbers of enums, references, dicts and numbers as text are fine."""
    order = WorkOrder(
        items=[WoItem(asset=Ref(1)), {"Asset": {"Id": 2}}],  # type: ignore[list-item]
        type_category=4,  # type: ignore[arg-type]
        status_id="New",  # type: ignore[arg-type]
        access="NotApplicable",  # type: ignore[arg-type]
        customer=Customer.ref(1),
        duration="60",  # type: ignore[arg-type]
        due_date_utc=datetime(2024, 1, 1, tzinfo=UTC),
        dt_due="2024-01-01T00:00:00",  # type: ignore[arg-type]
        vendor_nte=Money(value=Decimal(1)),
    )
    assert problems(WoCreateCommand(work_order=order, compute_schedule=True)) == []


def test_the_place_is_spelt_as_in_python() -> None:
    """The path leads from the object through fields and list places."""
    (found,) = problems(WoCreateCommand(work_order=WorkOrder(items=[WoItem(), WoItem(comment="x" * 5000)])))
    assert found.path == "work_order.items[1].comment"
    assert found.message.startswith("has 5000 characters")
    assert str(found).startswith(found.path)


def test_a_documented_length_is_an_error_and_a_guessed_one_a_warning() -> None:
    """Only the vendor's own limits stop a call."""
    found = problems(WorkOrder(contact_name="x" * 257))
    assert [(p.path, p.severity) for p in found] == [("contact_name", "error")]
    assert problems(WorkOrder(contact_name="x" * 256)) == []
    name, meta = next((n, m) for n, m in _fields() if m.get("max_length_source") == "peer")
    cls = name[0]
    found = problems(cls(**{name[1]: "x" * (meta["max_length"] + 1)}))
    assert [p.severity for p in found] == ["warning"]


def _fields() -> Any:
    from wosdk_async import model

    for name in model.__all__:
        cls = getattr(model, name)
        for field, meta in getattr(cls, "__wire__", {}).items():
            yield (cls, field), meta


@pytest.mark.parametrize(
    ("obj", "path", "words"),
    [
        (WorkOrder(number=5), "number", "is an int; it takes text"),
        (Blob(body=b"x"), "body", "base64"),
        (WorkOrder(duration="long"), "duration", "a string; it takes a whole number"),
        (WorkOrder(duration=True), "duration", "is a bool"),
        (WorkOrder(is_warranty="yes"), "is_warranty", "True or False"),
        (
            WorkOrder(vendor_nte=5),
            "vendor_nte",
            "is an int; it takes an object of type Money: send Money(...)",
        ),
        (WorkOrder(vendor_nte=Money(value="5")), "vendor_nte.value", "Decimal(...)"),
        (WorkOrder(vendor_nte=Money(value=Decimal("NaN"))), "vendor_nte.value", "finite"),
        (WorkOrder(customer=512), "customer", "send Customer.ref(512)"),
        (
            WorkOrder(customer=WoPriority(id=1)),
            "customer",
            "is a WoPriority; it takes an object of type Customer",
        ),
        (WorkOrder(vendor_nte=Ref(1)), "vendor_nte", "an object of type Money"),
        (WorkOrder(items=WoItem()), "items", "it takes a list"),
        (WorkOrder(items=[None]), "items[0]", "is a None"),
        (WorkOrder(status_id=WOType.Basic), "status_id", "a member of WorkOrderStatus"),
        (WorkOrder(status_id=1.5), "status_id", "is a float"),
        (WorkOrder(due_date_utc=datetime(2024, 1, 1)), "due_date_utc", "has no time zone"),
        (WorkOrder(dt_due=datetime(2024, 1, 1, tzinfo=UTC)), "dt_due", "has a time zone"),
        (WorkOrder(dt_due="soon"), "dt_due", "is 'soon'"),
        (Space(start_date=5), "start_date", "is 5"),
    ],
)
def test_wrong_values_are_named(obj: Any, path: str, words: str) -> None:
    """Each problem says where it is, what the value is and what to send."""
    (found,) = problems(obj)
    assert (found.path, found.severity) == (path, "error")
    assert words in found.message


def test_members_that_are_not_listed_are_fine() -> None:
    """The service may know values that this release does not."""
    assert problems(WorkOrder(status_id=WorkOrderStatus("Parked"))) == []
