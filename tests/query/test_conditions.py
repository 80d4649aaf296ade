"""Conditions: what is built, what is sent, and what is told before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from tests.query.table import query
from tests.support.laws import each_of
from wosdk_async import (
    Condition,
    Customer,
    InvalidCallError,
    Location,
    Ref,
    UnknownPropertyError,
    WorkOrder,
    WorkOrderStatus,
    WOType,
    fields,
)
from wosdk_async.query.plan import criteria
from wosdk_async.query.properties import compared

f = fields(WorkOrder)
EAST = timezone(timedelta(hours=2))


def sent(condition: Condition) -> tuple[Any, ...]:
    (made,) = criteria([condition])["Conditions"]
    return made["PropertyName"], made["Operator"], *made["Values"]


@each_of(
    ("condition", "expected"),
    [
        (f.duration == 5, ("Duration", "Equal", "5")),
        (f.duration != 5, ("Duration", "NotEqual", "5")),
        (f.duration > 5, ("Duration", "GreaterThan", "5")),
        (f.duration >= 5, ("Duration", "GreaterOrEqual", "5")),
        (f.duration < 5, ("Duration", "LessThan", "5")),
        (f.duration <= 5, ("Duration", "LessOrEqual", "5")),
        (f.duration.in_([5, 6]), ("Duration", "In", "5", "6")),
        (f.duration.not_in(iter([5])), ("Duration", "NotIn", "5")),
        (f.duration.between(5, 6), ("Duration", "Between", "5", "6")),
        (f.duration.not_between(5, 6), ("Duration", "NotBetween", "5", "6")),
        (f.number.like("%5"), ("Number", "Like", "%5")),
        (f.number.not_like("%5"), ("Number", "NotLike", "%5")),
        (f.number.is_null(), ("Number", "Null")),
        (f.number.not_null(), ("Number", "NotNull")),
        # values
        (f.status_id == "New", ("StatusId", "Equal", "New")),
        (f.status_id == WorkOrderStatus.New, ("StatusId", "Equal", "New")),
        (f.status_id == WorkOrderStatus("OfNextYear"), ("StatusId", "Equal", "OfNextYear")),
        (f["TypeCategory"] == 4, ("TypeCategory", "Equal", "Request")),
        (f.vendor_nte.value == Decimal("1.10"), ("VendorNte.Value", "Equal", "1.10")),
        (f.vendor_nte.value == Decimal("1E+3"), ("VendorNte.Value", "Equal", "1000")),
        (f.vendor_nte.value == 1e-7, ("VendorNte.Value", "Equal", "0.0000001")),
        (f.customer == 5, ("Customer.Id", "Equal", "5")),
        (f.customer != Ref(5), ("Customer.Id", "NotEqual", "5")),
        (f.customer.in_([5, Customer(id=6)]), ("Customer.Id", "In", "5", "6")),
        (f.customer.is_null(), ("Customer.Id", "Null")),
        (f.items.task == 5, ("Items.Task.Id", "Equal", "5")),
        (f.items == 5, ("Items.Id", "Equal", "5")),
        (f.priority.is_emergency == True, ("Priority.IsEmergency", "Equal", "true")),  # noqa: E712
        (
            f.last_action_date_utc > datetime(2024, 5, 14, 13, 0, tzinfo=EAST),
            ("LastActionDateUtc", "GreaterThan", "2024-05-14T11:00:00"),
        ),
        (
            f.dt_created < datetime(2024, 5, 14, 13, 0, 0, 7),
            ("DtCreated", "LessThan", "2024-05-14T13:00:00.000007"),
        ),
        # spellings
        (f["Customer.Name"] == "x", ("Customer.Name", "Equal", "x")),
        (f.customer["WorkZone.Id"] == 1, ("Customer.WorkZone.Id", "Equal", "1")),
        (5 == f.duration, ("Duration", "Equal", "5")),  # noqa: SIM300
        # what the catalogue does not know
        (fields("New").Some.Thing == Decimal("1.0"), ("Some.Thing", "Equal", "1.0")),
        (fields("New")["Some.Thing"].in_([True, "a"]), ("Some.Thing", "In", "true", "a")),
        (fields("New").At > datetime(2024, 1, 1, tzinfo=UTC), ("At", "GreaterThan", "2024-01-01T00:00:00")),
        (fields("New").To == Ref(3), ("To", "Equal", "3")),
    ],
)
def test_what_is_sent(condition: Condition, expected: tuple[Any, ...]) -> None:
    """The 14 operators, and values as text by the kind of the property (facts 4)."""
    assert sent(condition) == expected


@each_of(
    ("build", "told"),
    [
        (lambda: f.nunber, "unknown property 'nunber' of WorkOrder; did you mean 'number'?"),
        (lambda: f["StatusID"], "unknown property 'StatusID' of WorkOrder; did you mean 'StatusId'?"),
        (lambda: f["Customer.Nme"], "unknown property 'Nme' of Customer; did you mean 'Name'?"),
        (lambda: f.customer.zzzzzz, "'zzzzzz' of Customer; the catalogue lists its properties"),
        (lambda: f["Number.Length"], "WorkOrder.Number is a single value; it has no 'Length'"),
        (lambda: query().select("StatusID"), "did you mean 'StatusId'?"),
        (lambda: query().select("Items.Taks.*"), "unknown property 'Taks' of WoItem; did you mean 'Task'?"),
        (lambda: query().order_by("-Numbr"), "did you mean 'Number'?"),
    ],
)
def test_unknown_properties(build: Callable[[], Any], told: str) -> None:
    with pytest.raises(UnknownPropertyError) as caught:
        build()
    assert str(caught.value).endswith(told)


@each_of(
    ("build", "told"),
    [
        (lambda: f.status_id == "Nwe", "is 'Nwe'; WorkOrderStatus has no such value; did you mean 'New'?"),
        (lambda: f.status_id == "new", "did you mean 'New'?"),
        (lambda: f["StatusId"] == 999, "is 999; WorkOrderStatus has no such value."),
        (lambda: f["StatusId"] == WOType.Request, "it must be a member of WorkOrderStatus"),
        (lambda: f["StatusId"] == 1.5, "it must be a member of WorkOrderStatus"),
        (lambda: f.status_id.in_(["New", "Opne"]), "did you mean 'Open'?"),
        (lambda: f["Number"] == 5, "WorkOrder.Number is an int; it must be text"),
        (lambda: f["Duration"] == "long", "it must be a whole number"),
        (lambda: f["Duration"] == True, "it must be a whole number"),  # noqa: E712
        (lambda: f.vendor_nte.value == float("nan"), "which JSON does not support"),
        (lambda: f["Priority.IsEmergency"] == 1, "it must be True or False"),
        (lambda: f.last_action_date_utc > datetime(2024, 1, 1), "has no time zone; it must be UTC"),
        (lambda: f.dt_created > datetime(2024, 1, 1, tzinfo=UTC), "it must be local time"),
        (lambda: f.dt_created > datetime(2024, 1, 1, tzinfo=UTC), "UTC, compare created_date_utc."),
        (lambda: f["DtCreated"] > "yesterday", "it must be a datetime"),
        (lambda: f["Number"] == None, "use .is_null() or .not_null()"),  # noqa: E711
        (lambda: f["Number"] == f.po_number, "compares properties only with values"),
        (lambda: f["Customer"] == "5", "it must be Ref(id), a record with its id, or an id"),
        (lambda: f.customer == Customer(), "a Customer without an id"),
        (lambda: f.customer == Location(id=5), "it must be Ref(id)"),
        (lambda: f["VendorNte"] == 5, "has no Id to compare"),
        (lambda: f.items.is_null(), "the service has no operator for empty lists"),
        (lambda: f.number.in_("New"), "In takes a list of at least one value, not 'New'"),
        (lambda: f.duration.in_([]), "In takes a list of at least one value, not []"),
        (lambda: ~(f.items.task == 5), "cannot test that no element of a list matches"),
        (lambda: fields("New").Thing == object(), "compare it with text, a number, a boolean"),
        # the query
        (lambda: query().where(f["Id"] is None), "where() takes conditions, not False"),
        (lambda: query().where(fields(Customer).id == 1), "Customer.Id is not a property of WorkOrder"),
        (lambda: query().where((f.id == 1) | (fields(Customer).id == 1)), "is not a property of WorkOrder"),
        (lambda: query().order_by(fields(Customer).name), "is not a property of WorkOrder"),
        (lambda: query().order_by(fields(Customer).name.desc()), "is not a property of WorkOrder"),
        (lambda: query().order_by("Customer"), "cannot be ordered by 'Customer'; name a scalar property"),
        (lambda: query().order_by("Items.Id"), "cannot be ordered by 'Items.Id'"),
        (lambda: query().order_by(f), "cannot be ordered by ''"),
        (lambda: query().select("Customer"), "write 'Customer.*' or name one of its properties"),
        (lambda: query().select(5), "a property is a path or f.name, not 5"),
        (lambda: query().limit(0), "limit is 0"),
        (lambda: query().limit(True), "limit is True"),
        (lambda: query().isolation("ReadUncommited"), "did you mean 'ReadUncommitted'?"),
    ],
)
def test_what_cannot_be_sent(build: Callable[[], Any], told: str) -> None:
    """Every mistake is told when it is made, with what to do instead."""
    with pytest.raises(InvalidCallError) as caught:
        build()
    assert told in str(caught.value)


@each_of(
    "build",
    [
        lambda: bool(f.id == 1),
        lambda: (f.id == 1) and (f.id == 2),
        lambda: not f.number.is_null(),
        lambda: 1 < f.id < 5,
        lambda: f.number and True,
        lambda: (f.id == 1) & True,
        lambda: 1 in f.number,
        lambda: {f.number},
    ],
)
def test_what_python_would_decide_by_itself(build: Callable[[], Any]) -> None:
    """``and``, ``or``, ``not``, ``in`` and chained comparisons cannot be overloaded: they are TypeErrors."""
    with pytest.raises(TypeError):
        build()


@each_of("operator", ["like", "not like"])
@each_of("path", ["StatusId", "Id", "Customer", "Items"])
def test_a_pattern_needs_text(operator: str, path: str) -> None:
    with pytest.raises(UnknownPropertyError, match=rf"^WorkOrder\.{path} .* does not support {operator}"):
        compared(f[path], operator, ["N%"])
