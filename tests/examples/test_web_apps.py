"""The back ends of docs/examples, tested as their users would: by the fixtures of ``wosdk_async.testing``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx
import pytest

from docs.examples import fastapi_app, litestar_app
from wosdk_async import Client, Company, ConfigurationError, WoPickUpCommand, WorkOrder, WoStartCommand
from wosdk_async.sandbox import Faults
from wosdk_async.testing import Sandbox, SkippingClock

PROBLEM = "application/problem+json"
NEW = {
    "Items": [{"Asset": {"Id": 20440}, "Task": {"Id": 14211}}],
    "TypeCategory": "Request",
    "SubType": {"Id": 259},
    "Customer": {"Id": 512},
}


def key(name: str = "order-0001", **headers: str) -> dict[str, str]:
    return {"Idempotency-Key": name, **headers}


def fastapi(connect: Callable[[], Client]) -> tuple[Any, AbstractAsyncContextManager[Any]]:
    app = fastapi_app.create_app(connect)
    return app, app.router.lifespan_context(app)


def litestar(connect: Callable[[], Client]) -> tuple[Any, AbstractAsyncContextManager[Any]]:
    app = litestar_app.create_app(connect)
    return app, app.lifespan()


@pytest.fixture(params=[fastapi, litestar], ids=lambda make: make.__name__)
async def web(request: pytest.FixtureRequest, wosdk_sandbox: Sandbox) -> AsyncIterator[httpx.AsyncClient]:
    """Requests to an application whose client is connected to the Company of this test."""
    app, lifespan = request.param(lambda: wosdk_sandbox.client(max_queued=2, in_flight=1))
    begun, over = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        """Enter and leave in one task, as Litestar demands; a fixture may end in another than it began."""
        async with lifespan:
            begun.set()
            await over.wait()

    life = asyncio.ensure_future(live())
    await begun.wait()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app") as web:
        yield web
    over.set()
    await life


async def started(acme: Company) -> int:
    """Return the id of a work order in progress."""
    order = WorkOrder.ref(1)
    await acme.run(WoPickUpCommand(work_order_id=order.id))
    await acme.run(WoStartCommand(work_order_id=order.id))
    return 1


def sent(sandbox: Sandbox, path: str) -> int:
    """Return how many requests the Company got for a path."""
    return sum(path in request.path for request in sandbox.requests)


# --- orders ---------------------------------------------------------------------------------


async def test_an_order_is_created_read_and_listed(web: httpx.AsyncClient) -> None:
    created = await web.post("/orders", json=NEW, headers=key())
    assert (created.status_code, created.json()["Number"]) == (201, "RSC000001")
    order = created.json()["Id"]
    read = (await web.get(f"/orders/{order}")).json()
    assert (read["PoNumber"], read["Customer"]["Name"]) == ("order-0001", "Lindqvist Dental LLC")
    listed = await web.get("/orders", params={"status": "New", "limit": 5})
    assert [each["Id"] for each in listed.json()] == [order]
    assert (await web.get("/orders", params={"after": order})).json() == []


async def test_orders_move_through_their_states(web: httpx.AsyncClient, wosdk_company: Company) -> None:
    await web.post("/orders", json=NEW, headers=key())
    order = await started(wosdk_company)
    held = await web.post(f"/orders/{order}/hold", json={"reason": "Waiting for parts"})
    assert (held.status_code, held.json()["StatusId"]) == (200, "OnHold")
    refused = await web.post(f"/orders/{order}/complete", json={"note": "Done"})
    assert (refused.status_code, refused.headers["content-type"]) == (422, PROBLEM)
    assert refused.json()["type"] == "urn:problem-type:wosdk:business-rule"


async def test_the_same_key_makes_one_order(web: httpx.AsyncClient, wosdk_sandbox: Sandbox) -> None:
    first = await web.post("/orders", json=NEW, headers=key())
    again = await web.post("/orders", json=NEW, headers=key())
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["Id"] == again.json()["Id"]
    assert sent(wosdk_sandbox, "WoCreateCommand") == 1


# --- errors ---------------------------------------------------------------------------------


async def test_an_order_that_is_not_there(web: httpx.AsyncClient) -> None:
    response = await web.get("/orders/999999")
    assert (response.status_code, response.headers["content-type"]) == (404, PROBLEM)
    assert response.json()["title"] == "There is no such record"


async def test_a_name_in_a_body_is_not_the_address(web: httpx.AsyncClient, wosdk_company: Company) -> None:
    """The order is there, so 404 would be wrong."""
    await web.post("/orders", json=NEW, headers=key())
    order = await started(wosdk_company)
    response = await web.post(f"/orders/{order}/hold", json={"reason": "Waiting for prats"})
    assert (response.status_code, response.json()["type"]) == (422, "urn:problem-type:wosdk:name-not-found")
    assert "did you mean 'Waiting for parts'" in response.json()["detail"]


@pytest.mark.parametrize(
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


# --- doubt, deadlines, load -----------------------------------------------------------------


async def test_a_create_in_doubt_is_found_by_its_key(
    web: httpx.AsyncClient, wosdk_faults: Faults, wosdk_sandbox: Sandbox
) -> None:
    """The connection breaks after the order was made: the caller does not notice."""
    wosdk_faults.add("reset", operation="WoCreateCommand", carried_out=True, first=1)
    response = await web.post("/orders", json=NEW, headers=key())
    assert (response.status_code, response.json()["PoNumber"]) == (201, "order-0001")
    assert sent(wosdk_sandbox, "WoCreateCommand") == 1


async def test_a_doubt_that_stays_is_told(web: httpx.AsyncClient, wosdk_faults: Faults) -> None:
    """And the same request again finds out what became of it: there is one order."""
    wosdk_faults.add("reset", operation="WoCreateCommand", carried_out=False, first=1)
    response = await web.post("/orders", json=NEW, headers=key(**{"Request-Timeout": "4"}))
    assert response.status_code == 500
    assert response.json()["in_doubt"] is True
    again = await web.post("/orders", json=NEW, headers=key(**{"Request-Timeout": "60"}))
    assert again.status_code == 201
    listed = (await web.get("/orders")).json()
    assert [each["PoNumber"] for each in listed] == ["order-0001"]


async def test_an_action_in_doubt_is_told(
    web: httpx.AsyncClient, wosdk_company: Company, wosdk_faults: Faults
) -> None:
    """It has no key to be looked up by."""
    await web.post("/orders", json=NEW, headers=key())
    order = await started(wosdk_company)
    wosdk_faults.add("reset", operation="WoCompleteCommand", carried_out=True)
    response = await web.post(f"/orders/{order}/complete", json={})
    assert (response.status_code, response.json()["in_doubt"]) == (500, True)
    assert "retry-after" not in response.headers


async def test_the_deadline_is_that_of_the_caller(
    web: httpx.AsyncClient, wosdk_faults: Faults, wosdk_clock: SkippingClock
) -> None:
    assert (await web.get("/readyz")).status_code == 200
    wosdk_faults.add("latency", fixed=600)
    before = wosdk_clock.now
    response = await web.get("/orders/1", headers={"Request-Timeout": "3"})
    assert (response.status_code, response.headers["content-type"]) == (504, PROBLEM)
    assert (wosdk_clock.now - before).total_seconds() == pytest.approx(3, abs=0.1)
    response = await web.get("/orders/1", headers={"Request-Timeout": "1000"})
    assert (wosdk_clock.now - before).total_seconds() == pytest.approx(63, abs=0.2)


async def test_load_is_shed(web: httpx.AsyncClient, wosdk_faults: Faults) -> None:
    """One call is under way and two wait; the others are answered at once with 503."""
    assert (await web.get("/readyz")).status_code == 200
    wosdk_faults.add("latency", fixed=1)
    responses = await asyncio.gather(*(web.get("/orders") for _ in range(6)))
    assert sorted(response.status_code for response in responses) == [200, 200, 200, 503, 503, 503]
    shed = next(response for response in responses if response.status_code == 503)
    assert (shed.headers["retry-after"], shed.headers["content-type"]) == ("1", PROBLEM)
    assert shed.json()["type"] == "urn:problem-type:wosdk:overloaded"


async def test_the_calls_of_a_request_share_its_deadline(
    web: httpx.AsyncClient, wosdk_company: Company, wosdk_faults: Faults, wosdk_clock: SkippingClock
) -> None:
    """A hold by name is two calls: the reasons, and the command."""
    await web.post("/orders", json=NEW, headers=key())
    order = await started(wosdk_company)
    wosdk_faults.add("latency", fixed=2)
    before = wosdk_clock.now
    hold = {"reason": "Waiting for parts"}
    response = await web.post(f"/orders/{order}/hold", json=hold, headers={"Request-Timeout": "3"})
    assert response.status_code in (500, 504)
    assert (wosdk_clock.now - before).total_seconds() == pytest.approx(3, abs=0.1)


async def test_an_order_is_found_by_its_number(web: httpx.AsyncClient) -> None:
    created = (await web.post("/orders", json=NEW, headers=key())).json()
    assert (await web.get("/orders/by-number/rsc000001")).json()["Id"] == created["Id"]
    assert (await web.get("/orders/by-number/X1")).status_code == 404


@pytest.mark.parametrize("make", [fastapi, litestar])
async def test_without_settings_the_start_fails(make: Any) -> None:
    _, lifespan = make(lambda: Client.from_env({}))
    with pytest.raises((ConfigurationError, ExceptionGroup)) as caught:
        async with lifespan:
            pass
    (error,) = getattr(caught.value, "exceptions", (caught.value,))  # Litestar starts in a group of tasks
    assert isinstance(error, ConfigurationError)
    assert "WOSDK_COMPANY" in error.message


# --- health ---------------------------------------------------------------------------------


async def test_health_needs_no_service_and_readiness_a_session(
    web: httpx.AsyncClient, wosdk_faults: Faults, wosdk_sandbox: Sandbox
) -> None:
    wosdk_faults.add("status", status=503, operation="token")
    assert (await web.get("/healthz")).status_code == 200
    assert wosdk_sandbox.requests == ()
    assert (await web.get("/readyz")).status_code == 503
    wosdk_faults.clear()
    ready = await web.get("/readyz")
    count = len(wosdk_sandbox.requests)
    assert (await web.get("/readyz")).status_code == 200
    assert len(wosdk_sandbox.requests) == count  # it responded a moment ago
    assert (ready.status_code, ready.json()["queued"]) == (200, 0)


async def test_readiness_ends_with_the_service_and_comes_back(
    web: httpx.AsyncClient, wosdk_faults: Faults, wosdk_clock: SkippingClock
) -> None:
    """Although the session is still there."""
    assert (await web.get("/readyz")).status_code == 200
    wosdk_faults.add("latency", fixed=600)
    assert (await web.get("/orders", headers={"Request-Timeout": "30"})).status_code == 504
    assert (await web.get("/readyz")).status_code == 504
    wosdk_faults.clear()
    assert (await web.get("/readyz")).status_code == 200
