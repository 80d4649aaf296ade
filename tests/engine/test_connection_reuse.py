"""A connection is kept only after a response that is believed, in every engine."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import httpx2
import pytest

from tests.engine.raw import OK, RawServer, request, responding
from tests.support.tls import trusted
from wosdk_async.errors import BusinessRuleError
from wosdk_async.options import Limits, Timeouts
from wosdk_async.protocol.wire import InconclusiveResponse, Response
from wosdk_async.transport.http.certificates import TLSContextProvider
from wosdk_async.transport.http.engine import Engine, PoolStatistics, Request, SendError
from wosdk_async.transport.http.httpx.client import ClientEngine
from wosdk_async.transport.http.native.connect import connect
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.engine import NativeEngine
from wosdk_async.transport.http.native.pool import Pool

ENGINES: dict[str, Callable[[], Any]] = {
    "native": NativeEngine,
    "http_client": lambda: ClientEngine(
        httpx.AsyncClient(verify=trusted(), trust_env=False), limits=Limits(), owns_client=True
    ),
    "http_client of httpx2": lambda: ClientEngine(
        httpx2.AsyncClient(verify=trusted(), trust_env=False), limits=Limits(), owns_client=True
    ),
}


@pytest.fixture(params=ENGINES)
async def engine(request: pytest.FixtureRequest) -> AsyncIterator[Engine]:
    made = ENGINES[request.param]()
    yield made
    await made.aclose()


@pytest.fixture
async def own_engine() -> AsyncIterator[Engine]:
    made = NativeEngine()
    yield made
    await made.aclose()


async def post(engine: Engine, url: str, read: Callable[[Response], Any]) -> Any:
    return await engine.send(Request("POST", f"{url}/x", (), b"{}", read=read))


def body(response: Response) -> bytes:
    return response.body


def unreadable(response: Response) -> Any:
    raise InconclusiveResponse(response.status, "not the service's")


def refused(response: Response) -> Any:
    raise BusinessRuleError("no")


def stumbling(response: Response) -> Any:
    raise KeyError("a fault of the reader")


async def test_what_read_returns_is_returned(engine: Engine) -> None:
    """And the connection takes the next request."""
    async with RawServer(responding(OK, OK, OK)) as server:
        for _ in range(3):
            assert await post(engine, server.url, body) == b"hi"
    assert server.connections == 1


async def test_a_refusal_is_believed(engine: Engine) -> None:
    """It is the service's own response: the connection is kept."""
    async with RawServer(responding(OK, OK)) as server:
        with pytest.raises(BusinessRuleError):
            await post(engine, server.url, refused)
        assert await post(engine, server.url, body) == b"hi"
    assert server.connections == 1


@pytest.mark.parametrize("read", [unreadable, stumbling])
async def test_nothing_is_believed_after_a_response_that_is_not(
    engine: Engine, read: Callable[[Response], Any]
) -> None:
    """The connection is closed before another request can get it."""
    async with RawServer(responding(OK, OK)) as server:
        waiting = [asyncio.create_task(post(engine, server.url, read)) for _ in range(2)]
        ended = await asyncio.gather(*waiting, return_exceptions=True)
        assert {type(each) for each in ended} <= {InconclusiveResponse, KeyError, SendError}
        opened = server.connections
        assert await post(engine, server.url, body) == b"hi"
        assert server.connections == opened + 1


async def test_closing_leaves_no_connection(engine: Engine) -> None:
    """Not an idle one, nor one whose response comes after it: that is read all the same."""
    asked, go = asyncio.Event(), asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        asked.set()
        await go.wait()
        writer.write(OK)
        await reader.read()

    async with RawServer(responding(OK, OK)) as idle, RawServer(hold) as busy, asyncio.timeout(5):
        assert await post(engine, idle.url, body) == b"hi"
        call = asyncio.create_task(post(engine, busy.url, body))
        await asked.wait()
        await engine.aclose()
        go.set()
        with contextlib.suppress(SendError):  # a client closes the connections that are in use as well
            assert await call == b"hi"
        while idle.open or busy.open:
            await asyncio.sleep(0)
        assert engine.statistics().idle == 0


async def test_a_surplus_response_in_the_same_segment_is_never_read(own_engine: Engine) -> None:
    """The next request goes over another connection."""
    stray = OK.replace(b"hi", b"no")

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await request(reader)
            writer.write(OK + stray)
            await writer.drain()

    async with RawServer(script) as server:
        assert [await post(own_engine, server.url, body) for _ in range(5)] == [b"hi"] * 5
        assert server.connections == 5


@contextlib.asynccontextmanager
async def connection_with_response() -> AsyncIterator[tuple[Pool, Connection, asyncio.Future[Response]]]:
    """A connection with a whole response, before its request has said that it is believed."""
    async with RawServer(responding(OK)) as server:
        loop = asyncio.get_running_loop()
        pool = Pool(loop, Limits(), Timeouts(), TLSContextProvider(), time.monotonic, None, ceiling=1)
        origin, target = pool.locate(f"{server.url}/x")
        assert await pool.wait(origin) is None
        connection = Connection(pool, origin)
        await connect(pool, connection)
        waiter: asyncio.Future[Response] = loop.create_future()
        connection.start((Request("GET", server.url, (), repeat_safe=True), target, origin.head(())), waiter)
        pool.writer.submit(connection, alone=True)
        assert (await waiter).body == b"hi"
        yield pool, connection, waiter
        await pool.aclose()
        assert pool.statistics() == PoolStatistics()


async def test_a_response_to_a_cancelled_request_is_not_believed() -> None:
    """It came in the turn in which the caller was cancelled, and was not read."""
    async with connection_with_response() as (pool, connection, waiter):
        connection.cancel(waiter)
        assert pool.statistics() == PoolStatistics(sockets=1)
