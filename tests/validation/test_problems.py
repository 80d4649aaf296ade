"""Mistakes that validation finds before an object is sent."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from wosdk_async import model
from wosdk_async.model import Customer, Money, Ref, WoCreateCommand, WoItem, WorkOrder
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


def test_a_documented_length_is_an_error_and_a_guessed_one_a_warning() -> None:
    """Only the vendor's own limits stop a call."""
    found = problems(WorkOrder(contact_name="x" * 257))
    assert [(p.path, p.severity) for p in found] == [("contact_name", "error")]
    assert problems(WorkOrder(contact_name="x" * 256)) == []
    cls, name, longest = next(
        (cls, name, meta["max_length"])
        for cls in (getattr(model, name) for name in model.__all__)
        for name, meta in getattr(cls, "__wire__", {}).items()
        if meta.get("max_length_source") == "peer"
    )
    assert [p.severity for p in problems(cls(**{name: "x" * (longest + 1)}))] == ["warning"]
