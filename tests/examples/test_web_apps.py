"""The back ends of docs/examples, tested as their users would: by the fixtures of ``wosdk_async.testing``."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from tests.examples.conftest import Make
from tests.examples.requests_of_callers import NEW, PROBLEM, key, sent, started
from wosdk_async import Client, Company, ConfigurationError, WorkOrder
from wosdk_async.sandbox import Faults
from wosdk_async.testing import Sandbox, SkippingClock

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


async def test_an_order_is_led_to_its_end(web: httpx.AsyncClient) -> None:
    """By the back end alone: new, on hold, in progress, completed; a refusal says what comes first."""
    await web.post("/orders", json=NEW, headers=key())
    early = await web.post("/orders/1/complete", json={})
    assert early.status_code == 422
    assert "to move the order from New to InProgress, pick it up and then start it" in early.json()["detail"]
    assert "{!{" not in early.text
    for action, body, state in (
        ("start", None, "InProgress"),
        ("hold", {"reason": "Waiting for parts"}, "OnHold"),
        ("start", None, "InProgress"),
        ("complete", {"note": "Done"}, "Completed"),
    ):
        moved = await web.post(f"/orders/1/{action}", json=body)
        assert (moved.status_code, moved.json()["StatusId"]) == (200, state)


async def test_an_order_that_is_not_there_is_not_started(web: httpx.AsyncClient) -> None:
    """It is read first, so that it is a 404; the actions alone are refused with 422."""
    assert (await web.post("/orders/999/start")).status_code == 404
    assert (await web.post("/orders/999/complete", json={})).status_code == 422


async def test_the_same_key_makes_one_order(web: httpx.AsyncClient, wosdk_sandbox: Sandbox) -> None:
    first = await web.post("/orders", json=NEW, headers=key())
    again = await web.post("/orders", json=NEW, headers=key())
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["Id"] == again.json()["Id"]
    assert sent(wosdk_sandbox, "WoCreateCommand") == 1


async def test_an_order_that_was_not_changed_is_changed(
    web: httpx.AsyncClient, wosdk_company: Company
) -> None:
    """Fields that are left out stay as they are, null empties one."""
    await web.post("/orders", json={**NEW, "ContactName": "Ann"}, headers=key())
    for change, shown in (
        ({"is_warranty": True}, ("Ann", True)),
        ({"contact_name": "Bo"}, ("Bo", True)),
        ({"contact_name": None, "is_warranty": False}, (None, False)),
    ):
        version = (await web.get("/orders/1")).json()["ConcurrencyId"]
        changed = await web.patch("/orders/1", json={"version": version, **change})
        assert (changed.status_code, changed.content) == (204, b"")
        order = await wosdk_company.get(WorkOrder, 1)
        assert (order.contact_name or None, order.is_warranty) == shown
        assert order.po_number == "order-0001"


async def test_an_order_that_somebody_changed_is_a_conflict(
    web: httpx.AsyncClient, wosdk_company: Company, wosdk_sandbox: Sandbox
) -> None:
    await web.post("/orders", json=NEW, headers=key())
    version = (await web.get("/orders/1")).json()["ConcurrencyId"]
    await wosdk_company.update(WorkOrder(id=1), contact_name="Theirs")
    response = await web.patch("/orders/1", json={"version": version, "contact_name": "Ours"})
    assert (response.status_code, response.headers["content-type"]) == (409, PROBLEM)
    assert response.json()["type"] == "urn:problem-type:wosdk:conflict"
    assert (await wosdk_company.get(WorkOrder, 1)).contact_name == "Theirs"


async def test_a_change_in_doubt_may_be_sent_again(web: httpx.AsyncClient, wosdk_faults: Faults) -> None:
    """If it was carried out, the version is another one: nothing is written twice."""
    await web.post("/orders", json=NEW, headers=key())
    change = {"version": (await web.get("/orders/1")).json()["ConcurrencyId"], "contact_name": "Ann"}
    wosdk_faults.add("reset", operation="update", carried_out=True, first=1)
    response = await web.patch("/orders/1", json=change)
    assert (response.status_code, response.json()["in_doubt"]) == (500, True)
    assert (await web.patch("/orders/1", json=change)).status_code == 409
    assert (await web.get("/orders/1")).json()["ContactName"] == "Ann"


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
    assert "Repeat the request with the same key; after" in response.json()["detail"]
    early = await web.post("/orders", json=NEW, headers=key(**{"Request-Timeout": "4"}))
    assert (early.status_code, early.json()["in_doubt"]) == (500, True)  # the first may still make the order
    assert "Repeat the request with the same key; after" in early.json()["detail"]
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
    assert response.json()["detail"].endswith("Wait 30 seconds, then check for its effect before you retry.")
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


async def test_without_settings_the_start_fails(make: Make) -> None:
    _, lifespan = make(lambda: Client.from_env({}))
    with pytest.raises((ConfigurationError, ExceptionGroup)) as caught:
        async with lifespan:
            pass
    (error,) = getattr(caught.value, "exceptions", (caught.value,))  # Litestar starts in a group of tasks
    assert isinstance(error, ConfigurationError)
    assert "WOSDK_COMPANY" in str(error)


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
