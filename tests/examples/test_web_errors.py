"""Each error of the back ends of docs/examples has a problem body."""

from __future__ import annotations

import itertools
import logging
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.examples.conftest import Serve
from tests.examples.requests_of_callers import NEW, PROBLEM, key, sent, started
from tests.support.laws import each_of
from wosdk_async import Company
from wosdk_async.sandbox import Faults
from wosdk_async.testing import Sandbox


async def test_an_order_that_is_not_there(web: httpx.AsyncClient) -> None:
    response = await web.get("/orders/999999")
    assert (response.status_code, response.headers["content-type"]) == (404, PROBLEM)
    assert response.json()["title"] == "Record not found"


async def test_a_name_in_a_body_is_not_the_address(web: httpx.AsyncClient, wosdk_company: Company) -> None:
    """The order is there, so 404 would be wrong."""
    await web.post("/orders", json=NEW, headers=key())
    order = await started(wosdk_company)
    response = await web.post(f"/orders/{order}/hold", json={"reason": "Waiting for prats"})
    assert (response.status_code, response.json()["type"]) == (422, "urn:problem-type:wosdk:name-not-found")
    assert "did you mean 'Waiting for parts'" in response.json()["detail"]


@each_of(
    ("body", "headers"),
    [
        (NEW, {}),  # no key
        (NEW, key("short")),
        (NEW, key("order 0001'; --")),
        ({"Items": 5}, key()),
        ({**NEW, "PoNumbr": "1"}, key()),
        ({**NEW, "StatusId": "Nww"}, key()),
        (None, key()),
        ([], key()),
        (NEW, key(**{"Request-Timeout": "nan"})),
        (NEW, key(**{"Request-Timeout": "-1"})),
    ],
)
async def test_bad_requests_are_refused_before_anything_is_sent(
    web: httpx.AsyncClient, wosdk_sandbox: Sandbox, body: Any, headers: dict[str, str]
) -> None:
    response = await web.post("/orders", json=body, headers=headers)
    assert (response.status_code, response.headers["content-type"]) == (422, PROBLEM)
    assert response.json()["type"] == "urn:problem-type:wosdk:invalid"
    assert sent(wosdk_sandbox, "WoCreateCommand") == 0


async def test_a_wrong_value_is_explained_in_words_of_json(web: httpx.AsyncClient) -> None:
    """Those who call the back end write no Python."""
    response = await web.get("/orders", params={"status": "open"})
    assert response.status_code == 422
    detail = "WorkOrder.StatusId is 'open'; WorkOrderStatus has no such value; did you mean 'Open'?"
    assert response.json()["detail"] == detail


async def test_what_the_service_cannot_take_is_the_callers_fault(web: httpx.AsyncClient) -> None:
    response = await web.post("/orders", json={**NEW, "Items": []}, headers=key())
    assert response.status_code == 422


async def test_credentials_are_the_operators_fault(
    web: httpx.AsyncClient, wosdk_sandbox: Sandbox, wosdk_faults: Faults
) -> None:
    """The caller sees that the log-in failed, and nothing of the credentials."""
    wosdk_faults.add("status", status=401, operation="token")
    response = await web.get("/orders/1")
    assert (response.status_code, response.headers["content-type"]) == (502, PROBLEM)
    for name, value in wosdk_sandbox.variables.items():
        assert value not in response.text, name


# --- requests that no handler takes ---------------------------------------------------------


@each_of(
    ("method", "path", "status"),
    [("GET", "/order", 404), ("POST", "/orders/1/hold/now", 404), ("DELETE", "/orders/1", 405)],
)
async def test_a_path_without_a_route_has_a_problem_body(
    web: httpx.AsyncClient, method: str, path: str, status: int
) -> None:
    response = await web.request(method, path)
    body = response.json()
    assert (response.status_code, response.headers["content-type"]) == (status, PROBLEM)
    assert (body["type"], body["status"], body["in_doubt"]) == ("about:blank", status, False)
    assert body["title"] in ("Not Found", "Method Not Allowed")
    assert ("GET" in response.headers.get("allow", "")) == (status == 405)


JSON = {"Content-Type": "application/json"}


@each_of("headers", [{}, JSON])
@each_of(
    ("method", "path"),
    [
        ("POST", "/orders"),
        ("PATCH", "/orders/1"),
        ("POST", "/orders/1/hold"),
        ("POST", "/orders/1/complete"),
    ],
)
async def test_a_request_without_a_body_says_that_it_is_missing(
    web: httpx.AsyncClient, wosdk_sandbox: Sandbox, method: str, path: str, headers: dict[str, str]
) -> None:
    response = await web.request(method, path, headers=key(**headers))
    assert (response.status_code, response.headers["content-type"]) == (422, PROBLEM)
    (mistake,) = response.json()["errors"]
    assert mistake["field"] == "body"
    assert mistake["message"] in ("Field required", "is missing; send JSON")
    assert wosdk_sandbox.requests == ()


@each_of(
    ("path", "body"),
    [
        *itertools.product(["/orders", "/orders/1/hold"], [b"{", b"\xff", b"null", b"7"]),
        ("/orders", b"[" * 100_000),
    ],
)
async def test_a_body_that_is_not_an_object_has_a_problem_body(
    web: httpx.AsyncClient, wosdk_sandbox: Sandbox, path: str, body: bytes
) -> None:
    response = await web.post(path, content=body, headers=key(**JSON))
    assert response.status_code in (400, 422)
    assert response.headers["content-type"] == PROBLEM
    assert (response.json()["status"], response.json()["in_doubt"]) == (response.status_code, False)
    assert wosdk_sandbox.requests == ()


@each_of(
    ("body", "field"),
    [
        ({"version": 1}, None),
        ({"contact_name": "Ann"}, "version"),
        ({"version": 1, "po_number": "other-key"}, "po_number"),
        ({"version": 1, "contact_name": "x" * 257}, "contact_name"),
    ],
)
async def test_a_change_that_does_not_fit_is_refused(
    web: httpx.AsyncClient, wosdk_sandbox: Sandbox, body: dict[str, Any], field: str | None
) -> None:
    response = await web.patch("/orders/1", json=body)
    assert (response.status_code, response.headers["content-type"]) == (422, PROBLEM)
    assert (field or "no field to change") in response.json()["detail"]
    assert wosdk_sandbox.requests == ()


# --- mistakes of the program ----------------------------------------------------------------


@pytest.mark.parametrize(("method", "in_doubt"), [("GET", False), ("POST", True)])
async def test_an_error_of_the_program_has_a_problem_body(serve: Serve, method: str, in_doubt: bool) -> None:
    """Its text stays in the log, and a request that may change something may have done so."""

    def broken(*_: Any) -> None:
        raise RuntimeError("a mistake, with the password hunter2")

    async with serve(before_send=broken) as web:
        response = await web.request(method, "/orders", json=NEW, headers=key())
    assert (response.status_code, response.headers["content-type"]) == (500, PROBLEM)
    assert response.json()["in_doubt"] is in_doubt
    assert "hunter2" not in response.text


async def test_no_path_forges_or_turns_a_line_of_the_log(
    web: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    """A path comes from anybody, and is decoded before a handler sees it."""
    caplog.set_level(logging.INFO)
    path = "/orders/by-number/" + quote("1\x1b[31m\r\nINFO forged \u202e\u206a")
    for number in (path, path + "x" * 60):  # not found; longer than a number may be
        assert (await web.get(number)).status_code in (404, 422)
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("docs.examples.")]
    assert len(lines) == 2
    assert all(line.startswith("GET /orders/by-number/1\\x1b[31m") for line in lines)
    assert all(line.isprintable() for line in lines)
