"""A connection is kept only after a response that is believed, in every engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from tests.engine.raw import OK, RawServer, answering, request
from wosdk_async.errors import BusinessRuleError
from wosdk_async.options import Limits
from wosdk_async.protocol.wire import InconclusiveResponse, Response
from wosdk_async.transport.http.engine import Engine, SendError
from wosdk_async.transport.http.httpx.client import ClientEngine
from wosdk_async.transport.http.httpx.engine import HttpxEngine
from wosdk_async.transport.http.native import NativeEngine

ENGINES: dict[str, Callable[[], Any]] = {
    "native": NativeEngine,
    "httpx": HttpxEngine,
    "http_client": lambda: ClientEngine(httpx.AsyncClient(trust_env=False), limits=Limits(), closing=True),
}


@pytest.fixture(params=ENGINES)
async def engine(request: pytest.FixtureRequest) -> AsyncIterator[Engine]:
    made = ENGINES[request.param]()
    yield made
    await made.aclose()


@pytest.fixture(params=["native", "httpx"])
async def own_engine(request: pytest.FixtureRequest) -> AsyncIterator[Engine]:
    made = ENGINES[request.param]()
    yield made
    await made.aclose()


async def post(engine: Engine, url: str, read: Callable[[Response], Any]) -> Any:
    return await engine.send("POST", f"{url}/x", (), b"{}", lambda: None, False, read)


def body(reply: Response) -> bytes:
    return reply.body


def unreadable(reply: Response) -> Any:
    raise InconclusiveResponse(reply.status, "not the service's")


def refused(reply: Response) -> Any:
    raise BusinessRuleError("no")


def stumbling(reply: Response) -> Any:
    raise KeyError("a fault of the reader")


async def test_what_read_returns_is_returned(engine: Engine) -> None:
    """And the connection takes the next request."""
    async with RawServer(answering(OK, OK, OK)) as server:
        for _ in range(3):
            assert await post(engine, server.url, body) == b"hi"
    assert server.connections == 1


async def test_a_refusal_is_believed(engine: Engine) -> None:
    """It is the service's own answer: the connection is kept."""
    async with RawServer(answering(OK, OK)) as server:
        with pytest.raises(BusinessRuleError):
            await post(engine, server.url, refused)
        assert await post(engine, server.url, body) == b"hi"
    assert server.connections == 1


@pytest.mark.parametrize("read", [unreadable, stumbling])
async def test_nothing_is_believed_after_a_response_that_is_not(
    engine: Engine, read: Callable[[Response], Any]
) -> None:
    """The connection is closed before another request can get it."""
    async with RawServer(answering(OK, OK)) as server:
        waiting = [asyncio.create_task(post(engine, server.url, read)) for _ in range(2)]
        ended = await asyncio.gather(*waiting, return_exceptions=True)
        assert {type(each) for each in ended} <= {InconclusiveResponse, KeyError, SendError}
        opened = server.connections
        assert await post(engine, server.url, body) == b"hi"
        assert server.connections == opened + 1


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


async def test_a_surplus_response_to_an_idle_connection_is_never_read(own_engine: Engine) -> None:
    """It came before the next request left."""
    go, gone = asyncio.Event(), asyncio.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await request(reader)
            writer.write(OK)
            await writer.drain()
            await go.wait()
            writer.write(OK.replace(b"hi", b"no"))
            await writer.drain()
            gone.set()

    async with RawServer(script) as server:
        assert await post(own_engine, server.url, body) == b"hi"
        go.set()
        await gone.wait()
        assert await post(own_engine, server.url, body) == b"hi"
        assert server.connections == 2


async def test_bytes_that_come_while_a_response_is_read_close_the_connection() -> None:
    """The native engine reads on while the caller has not said whether it believes the response."""
    engine = NativeEngine()
    async with RawServer(answering(OK, OK)) as server:

        def read(reply: Response) -> bytes:
            (connection,) = pool.open
            connection.received(b"HTTP/1.1 200 OK\r\n")
            return reply.body

        assert await post(engine, server.url, body) == b"hi"
        pool = engine._pool
        assert pool is not None
        assert await post(engine, server.url, read) == b"hi"
        assert (engine.statistics().busy, engine.statistics().idle) == (0, 0)
        await engine.aclose()


async def test_a_response_to_a_cancelled_request_is_not_believed() -> None:
    """It came in the turn in which the caller was cancelled: nobody read it."""
    engine = NativeEngine()
    async with RawServer(answering(OK, OK)) as server:
        assert await post(engine, server.url, body) == b"hi"
        pool = engine._pool
        assert pool is not None
        task = asyncio.create_task(post(engine, server.url, body))
        (connection,) = pool.open
        while not connection.busy:
            await asyncio.sleep(0)
        while connection._waiter is not None:  # until the response is whole, and the task has not run yet
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (engine.statistics().busy, engine.statistics().idle) == (0, 0)
        await engine.aclose()
