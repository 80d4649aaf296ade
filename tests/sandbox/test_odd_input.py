"""Whatever is sent, the response is one of the service: never a 5xx, never a traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sandbox.company import ORDER, Caller, calling
from tests.support.laws import each_of, examples
from wosdk_async import catalogue
from wosdk_async.sandbox.http.app import MAX_BODY
from wosdk_async.sandbox.storage.store import Store

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
)
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [
        0,
        1,
        -1,
        2**63,
        2**200,
        "",
        "\x00",
        "9" * 40,
        [],
        [1],
        {},
        None,
        True,
        {"Id": 1},
        {"Id": 2**70},
        [[]],
        ORDER,
    ]
)
COMMANDS = st.sampled_from(sorted(catalogue.load().commands))
ENTITIES = st.sampled_from(sorted(catalogue.load().entities))
many = examples(25)


@pytest.fixture(params=["spec", "recorded"])
def acme(request: pytest.FixtureRequest, store: Store, clock: Any) -> Iterator[Caller]:
    """Yield a caller for each dialect."""
    with calling(store, clock, request.param) as caller:
        yield caller


def check_response(acme: Caller, method: str, path: str, body: bytes) -> None:
    response = acme.http.request(method, f"{acme.root}/api/v1/{path}", content=body, headers=acme.headers)
    assert response.status_code in (200, 400, 404, 405)
    error = response.json()
    assert response.status_code == 200 or {"ErrorMessage", "ErrorCode", "TimeStamp"} <= error.keys()


@many
@given(data=st.data())
def test_odd_commands(acme: Caller, data: st.DataObject) -> None:
    name = data.draw(COMMANDS)
    fields = [field.name for field in catalogue.load().commands[name].request]
    values = data.draw(
        st.dictionaries(st.sampled_from(fields or ["x"]), ODD | JSON | st.just(ORDER), max_size=6)
    )
    check_response(acme, "POST", f"cmd/{name}", json.dumps({"Command": values}).encode())


@many
@given(
    change=st.dictionaries(
        st.sampled_from([*ORDER, "Notes", "WorkZone", "ContactName", "VendorNte"]), ODD | JSON
    )
)
def test_odd_orders(acme: Caller, change: dict[str, Any]) -> None:
    check_response(
        acme, "POST", "cmd/WoCreateCommand", json.dumps({"Command": {"WorkOrder": ORDER | change}}).encode()
    )


@many
@given(data=st.data())
def test_odd_entities(acme: Caller, data: st.DataObject) -> None:
    name = data.draw(ENTITIES)
    fields = [field.name for field in catalogue.load().entities[name].fields] or ["x"]
    values = data.draw(st.dictionaries(st.sampled_from(fields), ODD | JSON, max_size=6))
    paths = data.draw(
        st.lists(st.sampled_from([*fields, "*", "", ".", *(f"{f}.*" for f in fields)]), max_size=4)
    )
    body = json.dumps({"Entity": {"Id": 1, **values}, "Properties": paths}).encode()
    check_response(acme, "POST", f"base/{name}", body)
    check_response(acme, "PUT", f"base/{name}", body)
    check_response(acme, "GET", f"base/{name}?ID=1&properties={','.join(paths)}", b"")
    check_response(acme, "DELETE", f"base/{name}?ID=1", b"")


@many
@given(data=st.data())
def test_odd_queries(acme: Caller, data: st.DataObject) -> None:
    name = data.draw(ENTITIES)
    fields = [field.name for field in catalogue.load().entities[name].fields] or ["x"]
    path = st.sampled_from([*fields, *(f"{f}.Id" for f in fields), *(f"{f}.Value" for f in fields)]) | JSON
    operators = [value.name for value in catalogue.load().enums["ConditionOperator"].values]
    condition = st.fixed_dictionaries(
        {
            "PropertyName": path,
            "Operator": st.sampled_from(operators),
            "Values": st.lists(ODD | JSON, max_size=3) | JSON,
        }
    )
    expression = {
        "PropertySet": {"Properties": data.draw(st.lists(path, max_size=2))},
        "Criteria": data.draw(st.fixed_dictionaries({"Conditions": st.lists(condition, max_size=3)}) | JSON),
        "Orders": data.draw(st.lists(st.fixed_dictionaries({"PropertyName": path}), max_size=2)),
        "Count": data.draw(st.integers() | st.just(5)),
    }
    check_response(acme, "POST", f"query/{name}", json.dumps({"QueryExpression": expression}).encode())


@many
@given(
    path=st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=20),
    body=st.binary(max_size=30),
)
def test_odd_paths_and_bytes(acme: Caller, path: str, body: bytes) -> None:
    for family in ("base", "query", "cmd", ""):
        check_response(acme, "POST", f"{family}/{quote(path)}", body)
        check_response(acme, "GET", f"{family}/{quote(path)}?properties={quote(path)}", body)


@each_of(
    "body",
    [
        b"[" * 100_000,
        b'{"Command":' * 100_000,
        b'{"a":' * 200 + b"1" + b"}" * 200,
        b'{"Command": {"CustomerId": ' + b"9" * 10_000 + b"}}",
        b'{"Command": {"CustomerId": 1e999999999999999999999}}',
        b'{"Command": {"Instructions": "\\ud800"}}',
        b'{"Command": {"Instructions": "\xff"}}',
        b'{"Command": NaN}',
        b'"text"',
        b"null",
        b"[]",
        b"\x00",
    ],
)
def test_hostile_bodies(acme: Caller, body: bytes) -> None:
    for path in ("cmd/SpaceCreateCommand", "base/Contact", "query/Contact"):
        assert acme.refused("POST", path, body) in ("EMPTY_INPUT_PARAMETER", "INCORRECT_MODEL")


def test_long_paths_end(acme: Caller) -> None:
    path = ".".join(["Codes"] * 5000)
    query: dict[str, Any] = {"PropertySet": {"Properties": [f"{path}.*"]}}
    assert acme.refused("POST", "query/RepairCode", {"QueryExpression": query}) == "ERROR_CODE_1002"
    condition = {"PropertyName": f"{path}.Id", "Operator": "Null"}
    query = {"Criteria": {"Conditions": [condition]}}
    assert acme.refused("POST", "query/RepairCode", {"QueryExpression": query}) == "ERROR_CODE_1002"
    body = {"Properties": [f"{path}.*"], "Entity": {"Id": 60}}
    assert acme.refused("PUT", "base/RepairCode", body) == "ERROR_CODE_1002"


def test_surplus_brace_does_no_harm(acme: Caller) -> None:
    body = json.dumps({"Command": {"WorkOrder": ORDER}}).encode() + b" }\r\n"
    assert acme.ok("POST", "cmd/WoCreateCommand", body)


def test_body_is_bounded(acme: Caller) -> None:
    response = acme.send("POST", "base/Contact", b" " * (MAX_BODY + 1))
    assert response.status_code == 413
    assert response.json()["ErrorCode"]


def test_circle_of_parents_ends(acme: Caller, store: Store) -> None:
    """No write makes one; a store of an earlier version may hold it, and a PUT opens it."""
    campus = acme.get("Location", 20400)
    with store.transaction():
        store.replace(46, "Location", campus | {"ParentId": 20440})
    assert acme.ids("AssetTree", ("ChildId", "Equal", 20440))
    assert acme.order()["Number"]
    acme.ok("PUT", "base/Location", {"Properties": ["ParentId"], "Entity": {"Id": 20400, "ParentId": 0}})
    assert {acme.get("Location", key)["RootId"] for key in (20400, 20440)} == {20400}
