"""Our classes in Pydantic models and in routes of FastAPI."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Annotated, Any

import httpx
import pytest
from fastapi import Body, FastAPI
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from tests.codec.model_strategies import CLASSES, filled, json_values
from tests.support.laws import case, each_of, examples
from wosdk_async import (
    Command,
    InvalidCallError,
    Money,
    WoCreateCommand,
    WoItem,
    WorkOrder,
    WorkOrderStatus,
    from_dict,
    from_json,
)
from wosdk_async.web.pydantic import Strict, encode_records

ORDERS = TypeAdapter(WorkOrder)


class Ticket(BaseModel):
    title: str
    order: WorkOrder
    costs: list[Money] = []
    parent: WorkOrder | None = None


def errors_of(value: Any, adapter: TypeAdapter[Any] = ORDERS) -> dict[tuple[str | int, ...], str]:
    """Place -> message of the errors of a value; they can be written as JSON."""
    with pytest.raises(ValidationError) as caught:
        adapter.validate_python(value)
    json.dumps(caught.value.errors(), allow_nan=False).encode()
    return {error["loc"]: error["msg"] for error in caught.value.errors()}


def test_records_are_fields_of_models() -> None:
    order = WorkOrder(status_id=WorkOrderStatus.New, extra={"Sla": 1})
    ticket = Ticket.model_validate(
        {"title": "a", "order": {"StatusId": "New", "Sla": 1}, "costs": [{"value": "12.50"}]}
    )
    assert ticket.order == order
    assert ticket.costs == [Money(value=Decimal("12.50"))]
    assert Ticket(title="a", order=order).order is order
    assert ticket.model_dump()["order"] is ticket.order
    shown = {"StatusId": "New", "Sla": 1}
    assert ticket.model_dump(mode="json", exclude_none=True)["order"] == shown
    assert json.loads(ticket.model_dump_json())["costs"] == [{"Value": "12.50"}]
    assert json.loads(ticket.model_dump_json(by_alias=False))["costs"] == [{"value": "12.50"}]
    assert Ticket.model_validate_json(ticket.model_dump_json()) == ticket


def test_every_class_can_be_validated_and_written() -> None:
    for cls in CLASSES:
        with case(cls.__name__):
            adapter = TypeAdapter(cls)
            made = filled(cls, 0)
            if hasattr(made, "password"):
                made.password = None  # a secret is not written
            if not issubclass(cls, Command):
                assert adapter.validate_json(adapter.dump_json(made)) == made


def test_errors_name_the_place_of_each_mistake() -> None:
    found = errors_of(
        {
            "status_id": [1],
            "items": [{"Comment": "a"}, {"task": {"Id": "x"}}, 5],
            "VendorNte": {"Value": "much"},
            "DtCreated": "2024-05-14T09:00:00Z",
        }
    )
    assert set(found) == {
        ("StatusId",), ("Items", 1, "Task", "Id"), ("Items", 2), ("VendorNte", "Value"), ("DtCreated",)
    }  # fmt: skip


@each_of(
    ("field", "value", "message"),
    [
        ("PoNumber", 5, "is a number; it must be a string."),
        ("Duration", "x", "is a string; it must be a whole number, such as 5."),
        ("Duration", 1.5, "is a number; it must be a whole number, such as 5."),
        ("VendorNte", {"Value": True}, "is true; it must be a number, such as 12.50."),
        ("VendorNte", 5, "is a number; it must be an object of type Money."),
        ("IsWarranty", "no", "is a string; it must be true or false."),
        ("StatusId", [1], "is a list; it must be one of Unknown, Open, "),
        ("DtCreated", "2024-05-14T09:00:00Z", "has a time zone; it must be"),
        ("DtCreated", "noon", "is 'noon'; it must be the site's local time without a zone, such as 2026-"),
        ("DueDateUtc", {}, "is an object; it must be a time such as 2026-11-23T14:30:00Z."),
        ("Customer", 512, 'is a number; it must be an object of type Customer, such as {"Id": 512}.'),
        ("Customer", "Acme", 'is a string; it must be an object of type Customer, such as {"Id": 5}.'),
        ("Items", {}, "is an object; it must be a list."),
        ("Items", [None], "is null; it must be an object of type WoItem"),
    ],
)
def test_messages_speak_json(field: str, value: Any, message: str) -> None:
    assert message in next(iter(errors_of({field: value}).values()))


PYTHON = re.compile(r"\.ref\(|NoneType|\ba (str|dict|bool|float)\b|\ban int\b|tzinfo|Decimal\(|send \w+\(")


def test_digits_are_numbers_and_too_many_are_refused() -> None:
    order = ORDERS.validate_json('{"Duration": "15", "Customer": {"Id": "512"}}')
    assert (order.duration, order.customer.id) == (15, 512)
    for text in ("9" * 20, "9" * 5000):
        assert "64 bits" in errors_of({"Duration": text})["Duration",]


def test_a_command_without_what_it_needs_is_refused() -> None:
    assert ("WorkOrder",) in errors_of({}, TypeAdapter(WoCreateCommand))


@each_of(
    "value",
    [
        5, "x", None, [], [{}], {5: 1},
        {"StatusId": 1, "status_id": 2},
        {"Sla": float("nan")}, {"Sla": 10**30}, {"Sla": ["\ud800"]}, {"\ud800": 1},
        {"VendorNte": {"Value": float("inf")}}, {"Id": 10**4000}, {"PoNumber": {"\ud800": float("nan")}},
        {"Items": [[[]]]}, {"Items": {"a.b[0]": 1}},
    ],
)  # fmt: skip
def test_odd_values_are_validation_errors(value: Any) -> None:
    assert errors_of(value)


def test_deep_data_is_a_validation_error() -> None:
    for name in ("Filters", "Unknown"):
        data: Any = {}
        for _ in range(5000):
            data = {name: [data]}
        adapter = TypeAdapter(TYPES["FilterExpression"])
        assert any("nested too deeply" in message for message in errors_of(data, adapter).values())


TYPES = {cls.__name__: cls for cls in CLASSES}


@examples(60)
@given(data=st.data())
def test_no_json_does_anything_but_fit_or_be_refused(data: st.DataObject) -> None:
    cls = data.draw(st.sampled_from(CLASSES))
    names = [meta["name"] for meta in cls.__wire__.values()] or ["A"]
    value = data.draw(st.dictionaries(st.sampled_from(names), json_values, max_size=4))
    adapter = TypeAdapter(cls)
    try:
        made = adapter.validate_python(value)
    except ValidationError as error:
        messages = [each["msg"] for each in error.errors()]
        assert messages
        assert not any(map(PYTHON.search, messages))
    else:
        assert adapter.validate_json(adapter.dump_json(made)) == made


# --- FastAPI ---------------------------------------------------------------------------------

app = FastAPI(separate_input_output_schemas=False)


@app.post("/order")
async def post_order(order: Annotated[WorkOrder, Body()]) -> WorkOrder:
    return order


@app.post("/orders")
async def post_orders(orders: Annotated[list[WorkOrder], Body()]) -> list[WorkOrder]:
    return orders


@app.get("/nothing")
async def get_nothing() -> WorkOrder | None:
    return None


@app.post("/ticket", response_model_by_alias=False)
async def post_ticket(ticket: Ticket) -> Ticket:
    return ticket


@app.get("/bare")
async def get_bare():  # type: ignore[no-untyped-def]
    return {"orders": [WorkOrder(vendor_nte=Money(value=Decimal("12.50")))]}


@pytest.fixture
async def web() -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=app)  # raises what would be a 500
    async with httpx.AsyncClient(transport=transport, base_url="http://local") as client:
        yield client


async def test_routes_take_and_return_records(web: httpx.AsyncClient) -> None:
    order = {"StatusId": "New", "VendorNte": {"Value": "12.50"}, "DtCreated": "2024-05-14T09:00:00", "Sla": 1}
    assert (await web.post("/order", json=order)).json() == order
    assert (await web.post("/orders", json=[order, {}])).json() == [order, {}]
    assert (await web.get("/nothing")).json() is None
    given = {"title": "a", "order": {"StatusId": "New"}}
    shown = (await web.post("/ticket", json=given)).json()
    assert shown == {"title": "a", "order": {"status_id": "New"}, "costs": [], "parent": None}


async def test_a_body_that_is_no_json_is_told_how_to_be_sent(web: httpx.AsyncClient) -> None:
    how = "Send JSON with Content-Type: application/json."
    for response in (
        await web.post("/order", data={"PoNumber": "1"}),
        await web.post("/order", json="x"),
        await web.post("/order", content=b'{"PoNumber": "1"}', headers={"Content-Type": "text/plain"}),
    ):
        assert (
            response.json()["detail"][0]["msg"]
            == f"is a string; it must be a JSON object of type WorkOrder. {how}"
        )


async def test_a_route_without_a_return_type_needs_one_line(web: httpx.AsyncClient) -> None:
    encode_records()
    assert (await web.get("/bare")).json() == {"orders": [{"VendorNte": {"Value": "12.50"}}]}


HOSTILE = [
    b'{"Items": 5}', b"[]", b"5", b"null", b"{", b'{"Sla": NaN}', b'{"Sla": 1e999}', b'{"StatusId": {}}',
    b'{"Id": 1' + b"0" * 4200 + b"}", b'{"PoNumber": "\\ud800"}', b'{"\\ud800": 1}', b'{"Sla": "\\ud800"}',
    b'{"Items": ' + b"[" * 900 + b"]" * 900 + b"}", b'{"Sla": ' + b"[" * 900 + b"]" * 900 + b"}",
    b'{"StatusId": ' + b'{"a":' * 450 + b"1" + b"}" * 450 + b"}", b"[" * 100_000,
    b'{"DtCreated": "0001-01-01T00:00:00+23:59"}', b'{"VendorNte": {"Value": "NaN"}}',
    b'{"VendorNte": 1e400}',
]  # fmt: skip


@each_of("body", HOSTILE, ids=lambda body: body[:30].decode())
async def test_a_hostile_body_is_refused_with_422(web: httpx.AsyncClient, body: bytes) -> None:
    response = await web.post("/order", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code in (400, 422)
    assert response.json()["detail"]
    assert len(response.content) < 20_000


async def test_the_document_describes_every_class_once(web: httpx.AsyncClient) -> None:
    document = (await web.get("/openapi.json")).json()
    schemas = document["components"]["schemas"]
    post = document["paths"]["/order"]["post"]
    reference = {"$ref": "#/components/schemas/WorkOrder"}
    assert post["responses"]["200"]["content"]["application/json"]["schema"] == reference
    assert post["requestBody"]["content"]["application/json"]["schema"] == reference
    assert "WoItem" in schemas
    assert set(schemas["WorkOrder"]["properties"]) == {m["name"] for m in WorkOrder.__wire__.values()}
    for reference in find_references(document):
        assert reference.rpartition("/")[2] in schemas
    assert WoItem.__name__ in schemas


def find_references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for item in value.values() for found in find_references(item)]
    return [found for item in value for found in find_references(item)] if isinstance(value, list) else []


# --- what the catalogue does not know ---------------------------------------------------------

STRICT = TypeAdapter(Strict[WorkOrder])
ODD: Any = {
    "PoNumbr": "1",
    "StatusId": "Nww",
    "VendorNte": {"Val": 5, "CurrencyTypeId": "XXL"},
    "Items": [{}, {"Tsk": {"Id": 5}, "Task": {"Id": 5, "Sla\n": 1}}],
}
FOUND: dict[tuple[str | int, ...], str] = {
    ("PoNumbr",): "is not a field of WorkOrder; did you mean 'PoNumber'?",
    ("StatusId",): "is 'Nww'; WorkOrderStatus has no such value; did you mean 'New'?",
    ("VendorNte", "Val"): "is not a field of Money; did you mean 'Value'?",
    ("VendorNte", "CurrencyTypeId"): "is 'XXL'; it must be one of ",
    ("Items", 1, "Tsk"): "is not a field of WoItem; did you mean 'Task'?",
    ("Items", 1, "Task", "Sla\\n"): "is not a field of Task",
}


def test_unknown_names_and_enum_values_can_be_refused() -> None:
    assert ORDERS.validate_python(ODD).extra == {"PoNumbr": "1"}
    found = errors_of(ODD, STRICT)
    assert found.keys() == FOUND.keys()
    for place, message in FOUND.items():
        assert found[place].startswith(message)
    many = TypeAdapter(Strict[list[WorkOrder]])
    assert list(errors_of([{}, {"PoNumbr": 1}], many)) == [(1, "PoNumbr")]
    each = TypeAdapter(list[Strict[WorkOrder]])
    assert list(errors_of([{}, {"PoNumbr": 1}], each)) == [(1, "PoNumbr")]
    assert len(errors_of({f"A{i}": 1 for i in range(5000)}, STRICT)) == 50
    assert STRICT.validate_python({"PoNumber": "1", "StatusId": "New"}).po_number == "1"


def test_unknown_names_are_reported_together_with_wrong_values() -> None:
    wrong = {"PoNumbr": "1", "IsWarranty": "maybe"}
    both = {("PoNumbr",), ("IsWarranty",)}
    assert set(errors_of(wrong, STRICT)) == both
    assert set(errors_of([{}, wrong], TypeAdapter(Strict[list[WorkOrder]]))) == {(1, *each) for each in both}
    assert set(errors_of(wrong)) == {("IsWarranty",)}


def test_from_dict_refuses_them_as_well() -> None:
    with pytest.raises(InvalidCallError, match=r"Items\[1\].Tsk is not a field of WoItem; did you mean 'T"):
        from_dict(WorkOrder, ODD, unknown="refuse")
    with pytest.raises(InvalidCallError, match=r"\[0\].PoNumbr is not a field of WorkOrder"):
        from_json(list[WorkOrder], b'[{"PoNumbr": 1}]', unknown="refuse")
    with pytest.raises(InvalidCallError, match="'keep' or 'refuse'"):
        from_dict(WorkOrder, {}, unknown="drop")  # type: ignore[arg-type]
    assert from_dict(WorkOrder, {"po_number": "1"}, unknown="refuse") == WorkOrder(po_number="1")
