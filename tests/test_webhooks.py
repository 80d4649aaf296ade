"""What the service posts becomes typed records, and anything else one error."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import each_of
from wosdk_async import PayloadError, WorkOrder, WorkOrderStatus, problem_of, read_event


def test_the_envelope_of_a_query() -> None:
    """Facts 8: {Entities: [{Data}]}, indexed to the base object; what is not documented is kept."""
    rows = [{"Data": {"Number": "RS1", "StatusId": "New", "EventName": "Create"}}, {"Data": {"Id": 2}}]
    first, second = read_event(json.dumps({"Entities": rows}).encode(), WorkOrder)
    assert (first.number, first.status_id) == ("RS1", WorkOrderStatus.New)
    assert first.extra == {"EventName": "Create"}
    assert second == WorkOrder(id=2)
    assert read_event(b'{"Entities": []}', WorkOrder) == []


@each_of(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"Entities": 1}',
        b'{"Entities": [1]}',
        b'{"Entities": [{}]}',
        b'{"Entities": null}',
    ],
)
def test_anything_else_is_one_error(body: bytes) -> None:
    """A body that is not the envelope is a PayloadError that says what was expected, without class names."""
    with pytest.raises(PayloadError, match="Entities") as raised:
        read_event(body, WorkOrder)
    assert not re.search(r"Error\b|object is not", str(problem_of(raised.value).body["detail"]))


@each_of("id", ["2", "x", "", True, 2.0, 2.5, [2], {"Id": 2}, 0, -5, 2**63])
def test_an_id_of_another_kind_is_refused_by_its_place(id: Any) -> None:
    """The samples show numbers only; the record would say that its id is an int."""
    body = json.dumps({"Entities": [{"Data": {"Id": 2}}, {"Data": {"Id": id}}]})
    with pytest.raises(PayloadError, match=r"Entities\[1\]\.Data\.Id"):
        read_event(body.encode(), WorkOrder)


def test_a_body_is_bounded() -> None:
    """Whoever knows the address can post: more than 8 MiB are not parsed."""
    with pytest.raises(PayloadError, match="bytes"):
        read_event(b" " * (8 * 1024 * 1024 + 1), WorkOrder)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.binary() | json_values.map(lambda value: json.dumps(value).encode()))
def test_no_body_raises_anything_else(body: Any) -> None:
    """Whatever is posted: records or PayloadError."""
    try:
        found = read_event(body, WorkOrder)
    except PayloadError:
        return
    assert isinstance(found, list)


@given(json_values)
def test_no_record_raises_anything_else(data: Any) -> None:
    """Whatever stands where a record should."""
    body = json.dumps({"Entities": [{"Data": {"StatusId": data, "Items": data, "VendorNte": data}}]}).encode()
    (order,) = read_event(body, WorkOrder)
    assert isinstance(order, WorkOrder)
