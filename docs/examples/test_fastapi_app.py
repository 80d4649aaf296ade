"""Tests of ``fastapi_app.py`` as its users would write them, by the fixtures of ``wosdk_async.testing``."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi_app import create_app

from wosdk_async.sandbox import Faults
from wosdk_async.testing import Sandbox


@pytest.fixture
async def web(wosdk_sandbox: Sandbox) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(lambda: wosdk_sandbox.client(max_queued=2))
    async with app.router.lifespan_context(app):
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app") as web:
            yield web


async def test_an_order_that_is_not_there(web: httpx.AsyncClient) -> None:
    assert (await web.get("/orders/999")).status_code == 404


async def test_a_service_that_does_not_answer(web: httpx.AsyncClient, wosdk_faults: Faults) -> None:
    wosdk_faults.add("latency", fixed=600)
    assert (await web.get("/orders/1", headers={"Request-Timeout": "3"})).status_code == 504


NEW = {
    "TypeCategory": "Request",
    "SubType": {"Id": 259},
    "Customer": {"Id": 512},
    "Items": [{"Asset": {"Id": 20440}, "Task": {"Id": 14211}}],
}
KEY = {"Idempotency-Key": "leak-0001"}


async def test_a_create_whose_response_is_lost(web: httpx.AsyncClient, wosdk_faults: Faults) -> None:
    wosdk_faults.add("reset", operation="WoCreateCommand", carried_out=True, first=1)  # not "create"
    assert (await web.post("/orders", json=NEW, headers=KEY)).status_code == 201
    assert wosdk_faults.injected == {"reset": 1}


async def test_a_create_whose_request_is_lost(web: httpx.AsyncClient, wosdk_faults: Faults) -> None:
    wosdk_faults.add("reset", operation="WoCreateCommand", first=1)
    lost = await web.post("/orders", json=NEW, headers=KEY)
    assert (lost.status_code, lost.json()["in_doubt"]) == (500, True)
    again = await web.post("/orders", json=NEW, headers={**KEY, "Request-Timeout": "60"})
    assert again.status_code == 201


async def test_a_slow_create(web: httpx.AsyncClient, wosdk_faults: Faults) -> None:
    wosdk_faults.add("latency", fixed=600, operation="WoCreateCommand")  # log-in and look-up are quick
    slow = await web.post("/orders", json=NEW, headers=KEY)
    assert (slow.status_code, slow.json()["in_doubt"]) == (500, True)
