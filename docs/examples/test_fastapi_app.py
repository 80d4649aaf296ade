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
    await web.get("/readyz")
    wosdk_faults.add("latency", fixed=600)
    assert (await web.get("/orders/1", headers={"Request-Timeout": "3"})).status_code == 504
