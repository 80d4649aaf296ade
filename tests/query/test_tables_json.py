"""JSON text in tables: nothing is lost, however it is named or nested; secrets are not in it."""

from __future__ import annotations

import json
from typing import Any

from tests.support.laws import each_of
from wosdk_async import WorkOrder, codec
from wosdk_async.query.columns import columns_of
from wosdk_async.query.table import TableBuilder

COLUMNS = columns_of(WorkOrder, ["Number", "Items.*", "Customer.Name", "WorkOrderCost.Items.*"])


def cells(data: dict[str, Any] | bytes) -> dict[str, Any]:
    """The row of a page, read the slow way and the fast way, with which the next page is read."""
    builder = TableBuilder(COLUMNS)
    sent = data if isinstance(data, bytes) else codec.dumps(data)
    body = b'{"Entities":[{"Data":%b}]}' % sent
    first, second = (builder.batch(builder.rows(body)).to_pylist()[0] for _ in range(2))
    assert first == second
    found: dict[str, Any] = first
    return found


def test_a_name_with_a_dot_is_no_path() -> None:
    row = cells(
        {"Id": 1, "Customer": {"Id": 2, "Name": 5}, "Customer.Name": "x", "a\\": 1, "a\\.b": 2, "a.b": 3}
    )
    extra = json.loads(row["Extra"])
    assert extra == {"Customer.Name": 5, r"Customer\.Name": "x", r"a\\": 1, r"a\\\.b": 2, r"a\.b": 3}


@each_of("depth", [100, 480, 900])
@each_of("form", [b"[%b]", b'{"a":%b}', b'[1.50,"b",%b,null]'])
@each_of("name", ["SlaState", "Items", "Number"])
def test_what_is_nested_deeply_is_kept(depth: int, form: bytes, name: str) -> None:
    """As deep as a response may be at all."""
    value = b"1"
    for _ in range(depth):
        value = form % value
    row = cells(b'{"Id":1,"%b":%b}' % (name.encode(), value))
    if name == "Items":
        assert row["Items"].encode() == value
    else:
        assert row["Extra"].encode() == b'{"%b":%b}' % (name.encode(), value)


EMPLOYEE = {"Id": 4, "Password": "p4ss", "password": "p4ss", "Login": "ada"}


@each_of(
    "data",
    [
        {"Employee": EMPLOYEE},
        {"owner": EMPLOYEE},
        {"WorkOrderCost": {"Id": 2, "Items": [{"Id": 3, "Employee": EMPLOYEE}]}},
        {"WorkOrderCost": {"Id": 2, "Items": [[{"Id": 3, "employee": EMPLOYEE}], 5, None]}},
    ],
    ids=str,
)
def test_secrets_of_the_catalogue_are_left_out(data: dict[str, Any]) -> None:
    """Where the catalogue says the class of an object: in columns of JSON text, and in Extra."""
    text = json.dumps(cells({"Id": 1, **data}))
    assert "ada" in text
    assert "p4ss" not in text


def test_the_word_itself_is_no_secret() -> None:
    row = cells({"Id": 1, "Items": [{"Id": 2, "Note": "password: none"}], "Hint": {"Password": "see Items"}})
    assert row["Items"] == '[{"Id":2,"Note":"password: none"}]'
    assert json.loads(row["Extra"]) == {"Hint": {"Password": "see Items"}}


@each_of("more", [b"5", b"1.50", b"18446744073709551616", b"null", b"[[[]]]"])
def test_half_a_surrogate_pair_is_kept_as_its_escape(more: bytes) -> None:
    """Whatever is beside it, and without secrets."""
    items = rb'[{"Id":2,"Comment":"\ud800 password\":","New":%b,"Employee":{%b}}]'
    sent = items % (more, rb'"Password":"\udc00"')
    row = cells(b'{"Id":1,"WorkOrderCost":{"Items":%b}}' % sent)
    assert row["WorkOrderCost.Items"].encode() == items % (more, b"")
