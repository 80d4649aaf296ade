"""The back ends of docs/examples, served in the process."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx
import pytest

from docs.examples import fastapi_app, litestar_app
from wosdk_async import Client
from wosdk_async.testing import Sandbox

Make = Callable[[Callable[[], Client]], tuple[Any, AbstractAsyncContextManager[Any]]]
Serve = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


connects: list[Callable[[], Client]] = []
"""The last one makes the client of the application that starts next: to build one takes most of a test."""


@functools.cache
def application(create_app: Callable[..., Any]) -> Any:
    """Return an application for all tests, whose client is made by the last of ``connects``."""
    return create_app(lambda: connects[-1]())


def fastapi(connect: Callable[[], Client]) -> tuple[Any, AbstractAsyncContextManager[Any]]:
    """Return the application on FastAPI, and its life."""
    connects[:] = [connect]
    app = application(fastapi_app.create_app)
    return app, app.router.lifespan_context(app)


def litestar(connect: Callable[[], Client]) -> tuple[Any, AbstractAsyncContextManager[Any]]:
    """Return the application on Litestar, and its life."""
    connects[:] = [connect]
    app = application(litestar_app.create_app)
    return app, app.lifespan()


@pytest.fixture(params=[fastapi, litestar], ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> Make:
    """Function that makes one of the applications."""
    made: Make = request.param
    return made


@pytest.fixture
def serve(make: Make, wosdk_sandbox: Sandbox) -> Serve:
    """Function that serves an application; its client takes options, and calls the Company of this test."""

    @asynccontextmanager
    async def served(**options: Any) -> AsyncIterator[httpx.AsyncClient]:
        app, lifespan = make(lambda: wosdk_sandbox.client(max_queued=2, in_flight=1, **options))
        begun, over = asyncio.Event(), asyncio.Event()

        async def live() -> None:
            """Enter and leave in one task, as Litestar demands; a fixture may end in another one."""
            async with lifespan:
                begun.set()
                await over.wait()

        life = asyncio.ensure_future(live())
        await begun.wait()
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)  # as a server: the caller gets a 500
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as web:
            yield web
        over.set()
        await life

    return served


@pytest.fixture
async def web(serve: Serve) -> AsyncIterator[httpx.AsyncClient]:
    """Requests to an application whose client is connected to the Company of this test."""
    async with serve() as web:
        yield web
