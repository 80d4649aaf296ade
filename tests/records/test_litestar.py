"""Our classes in routes of Litestar."""

from __future__ import annotations

import functools
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

import httpx
import pytest
from litestar import Litestar, Response, get, post
from litestar.params import Body

from tests.records.test_pydantic import FOUND, HOSTILE, ODD, find_references
from tests.support.laws import each_of
from wosdk_async import Employee, WorkOrder
from wosdk_async.web.litestar import RecordPlugin


@post("/order")
async def post_order(data: Annotated[WorkOrder, Body()]) -> WorkOrder:
    return data


@post("/orders")
async def post_orders(data: Annotated[list[WorkOrder], Body()]) -> list[WorkOrder]:
    return data


@post("/perhaps")
async def post_perhaps(data: Annotated[WorkOrder | None, Body()]) -> WorkOrder | None:
    return data


@post("/response")
async def post_response(data: Annotated[WorkOrder, Body()]) -> Response[WorkOrder]:
    return Response(data, status_code=202)


@post("/mapping")
async def post_mapping(data: Annotated[WorkOrder, Body()]) -> dict[str, WorkOrder]:
    return {"order": data}


@get("/employee")
async def get_employee() -> Employee:
    return Employee(username="ada", password="hunter2")


ROUTES = [post_order, post_orders, post_perhaps, post_response, post_mapping, get_employee]
ORDER = {"StatusId": "New", "VendorNte": {"Value": "12.50"}, "DtCreated": "2024-05-14T09:00:00", "Sla": 1}


@functools.cache
def app(**options: Any) -> Litestar:
    return Litestar(ROUTES, plugins=[RecordPlugin(**options)], logging_config=None)


def client_of(**options: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app(**options)), base_url="http://local")


@pytest.fixture
async def web() -> AsyncIterator[httpx.AsyncClient]:
    async with client_of() as client:
        yield client


@each_of(
    ("path", "body", "expected"),
    [
        ("/order", ORDER, ORDER),
        ("/orders", [ORDER, {}], [ORDER, {}]),
        ("/perhaps", None, None),
        ("/perhaps", ORDER, ORDER),
        ("/response", ORDER, ORDER),
        ("/mapping", {"status_id": "New"}, {"order": {"StatusId": "New"}}),
    ],
)
async def test_routes_take_and_return_records(
    web: httpx.AsyncClient, path: str, body: Any, expected: Any
) -> None:
    response = await web.post(path, content=json.dumps(body))
    assert response.status_code == (202 if path == "/response" else 201)
    assert response.json() == expected


async def test_a_json_number_is_read_exactly(web: httpx.AsyncClient) -> None:
    body = b'{"VendorNte": {"Value": 12345678901234567890.1200}}'
    assert (await web.post("/order", content=body)).json()["VendorNte"][
        "Value"
    ] == "12345678901234567890.1200"


async def test_secrets_are_not_returned(web: httpx.AsyncClient) -> None:
    assert (await web.get("/employee")).json() == {"Username": "ada"}


async def test_the_names_may_be_those_of_python() -> None:
    async with client_of(names="python") as web:
        assert (await web.post("/order", json=ORDER)).json()["status_id"] == "New"
        schemas = (await web.get("/schema/openapi.json")).json()["components"]["schemas"]
        assert "status_id" in schemas["WorkOrder"]["properties"]


async def test_errors_name_the_place_of_each_mistake(web: httpx.AsyncClient) -> None:
    response = await web.post("/orders", json=[ORDER, {"items": [{"task": {"id": "x"}}, 5]}])
    assert response.status_code == 400
    assert [each["key"] for each in response.json()["extra"]] == ["1.Items.0.Task.Id", "1.Items.1"]


async def test_unknown_names_and_enum_values_can_be_refused() -> None:
    async with client_of(unknown="refuse") as web:
        assert (await web.post("/order", json={"PoNumber": "1"})).status_code == 201
        response = await web.post("/orders", json=[{}, ODD])
    assert response.status_code == 400
    found = {each["key"]: each["message"] for each in response.json()["extra"]}
    expected = {".".join(map(str, (1, *place))): message for place, message in FOUND.items()}
    assert found.keys() == expected.keys()
    assert all(found[place].startswith(message) for place, message in expected.items())


async def test_a_missing_body_is_told_how_to_be_sent(web: httpx.AsyncClient) -> None:
    (found,) = (await web.post("/order", content=b"null")).json()["extra"]
    how = "Send JSON with Content-Type: application/json."
    assert found["message"] == f"is null; it must be a JSON object of type WorkOrder. {how}"
    assert how in (await web.post("/order", data={"PoNumber": "1"})).text


# Numbers are read exactly, so 1e999 is one; NaN is read as a text, as from the service.
REFUSED = [body for body in HOSTILE if body not in (b'{"Sla": NaN}', b'{"Sla": 1e999}')]


@each_of("body", [*REFUSED, b""], ids=lambda body: body[:30].decode())
@each_of("path", ["/order", "/orders"])
async def test_a_hostile_body_is_refused_with_400(web: httpx.AsyncClient, path: str, body: bytes) -> None:
    response = await web.post(path, content=body)
    assert (response.status_code, len(response.content) < 20_000) == (400, True) or body == b"[]"


async def test_the_document_describes_the_classes(web: httpx.AsyncClient) -> None:
    document = (await web.get("/schema/openapi.json")).json()
    schemas = document["components"]["schemas"]
    body = document["paths"]["/order"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body == {"$ref": "#/components/schemas/WorkOrder"}
    assert schemas["WorkOrder"]["properties"]["Number"]["anyOf"] == [{"type": "string"}, {"type": "null"}]
    assert schemas["Employee"]["properties"]["Password"]["writeOnly"] is True
    assert {each.rpartition("/")[2] for each in find_references(document)} <= set(schemas)
