"""What is not a record, and what in a record has no JSON, is refused with its place and a remedy."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest

import wosdk_async as wosdk
from tests.support.laws import each_of
from wosdk_async import InvalidCallError, Money, WoCreateCommand, WoItem, WorkOrder

SET: Any = WoItem(comment={1})  # type: ignore[arg-type]
NONE: Any = None


def holding_itself() -> WorkOrder:
    order = WorkOrder()
    order.extra = {"a": order}
    return order


@each_of(
    ("record", "message"),
    [
        (WorkOrder(po_number=b"x"), "WorkOrder.po_number holds an object of type bytes"),  # type: ignore[arg-type]
        (WoCreateCommand(work_order=WorkOrder(items=[SET])), r"work_order.items\[0\].comment"),
        (WorkOrder(extra={"a": [{1: 2}]}), r"WorkOrder.extra\['a'\]\[0\] has a key that is not a string"),
        (holding_itself(), "contains itself"),
        ([WorkOrder(), "x"], "only a model record can be written, not a str"),
        ([None], "only a model record can be written, not None"),
        (None, "only a model record or a list of them can be written, not None"),
        (WorkOrder, "not the class WorkOrder"),
        ({"Id": 1}, "not a dict"),
        ("WorkOrder", "not a str"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(record: Any, message: str) -> None:
    for show in (wosdk.to_dict, wosdk.to_json):
        with pytest.raises(InvalidCallError, match=message):
            show(record)


def test_a_number_that_is_not_finite_has_no_json() -> None:
    with pytest.raises(InvalidCallError, match="NaN"):
        wosdk.to_json(Money(value=Decimal("NaN")))


@each_of(
    ("read", "message"),
    [
        (lambda: wosdk.from_dict(WorkOrder, [1]), "WorkOrder takes a JSON object, not a list"),
        (lambda: wosdk.from_dict(list[WorkOrder], {"Id": 1}), "takes a list, not an object"),
        (lambda: wosdk.from_dict(WorkOrder, {"StatusId": 1, "status_id": 2}), "StatusId twice"),
        (lambda: wosdk.from_dict(WorkOrder, {"A": 1, "extra": {"A": 2}}), "A twice"),
        (lambda: wosdk.from_dict(WorkOrder, {5: 1}), "field names must be strings"),
        (lambda: wosdk.from_dict("WorkOrder", {}), "^'WorkOrder' is not a model class; pass one"),  # type: ignore[arg-type]
        (lambda: wosdk.from_dict(int, {}), "^int is not a model class"),
        (lambda: wosdk.from_dict(list[int], [{}]), r"^list\[int\] is not a model class"),
        (lambda: wosdk.from_json(WorkOrder, NONE), "^WorkOrder: JSON is read from .*, not from None"),
        (lambda: wosdk.from_json(list[WorkOrder], b"{"), r"^list\[WorkOrder\]: .* is not JSON"),
        (lambda: wosdk.from_json(WorkOrder, b"{"), "WorkOrder: .* is not JSON"),
        (lambda: wosdk.from_json(WorkOrder, b"[" * 100_000), "not JSON"),
        (lambda: wosdk.to_dict(WorkOrder(), names="json"), "'wire' or 'python'"),  # type: ignore[call-overload]
    ],
)
def test_data_that_is_no_record_is_refused(read: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidCallError, match=message):
        read()


def test_deep_data_is_refused() -> None:
    data: dict[str, Any] = {}
    for _ in range(5_000):
        data = {"Filters": [data]}
    with pytest.raises(InvalidCallError, match="too deeply"):
        wosdk.from_dict(wosdk.FilterExpression, data)


@pytest.fixture
def usual_recursion_limit() -> Iterator[None]:
    """Undo what another test has left: once, with the lowest versions, 5,000 levels were not too deep."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.usefixtures("usual_recursion_limit")
def test_what_cannot_be_copied_says_so() -> None:
    """As ``docs/records.md`` says: an unknown field may be nested deeper than Python can copy."""
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"In": deep}
    order = WorkOrder(id=1, extra={"Out": deep})
    for show in (wosdk.to_dict, wosdk.to_json):
        with pytest.raises(InvalidCallError, match="too deeply"):
            show(order)
    for copied in (copy.deepcopy, pickle.dumps):
        with pytest.raises(RecursionError):
            copied(order)
    assert copy.copy(order).extra is not None
