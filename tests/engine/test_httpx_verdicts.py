"""What a failure over httpx or httpx2 says of a request, on real sockets: never sent, or in doubt.

A create is sent again only if it was never sent, so a wrong word here doubles it.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import serving
from tests.engine.raw import OK, RawServer, Script, echoing, request, responding
from tests.support import tls
from tests.support.laws import case
from wosdk_async.options import ClientOptions, Timeouts
from wosdk_async.transport.http.engine import Request, SendError, StreamingEngine
from wosdk_async.transport.http.selection import engine_for

WAYS = ["http_client", "transport"]
PLENTY = b"x" * 50_000_000  # more than the buffers of a connection hold


@contextlib.asynccontextmanager
async def settings(library: Any, way: str, trusted: ssl.SSLContext | bool = True) -> AsyncIterator[Any]:
    """Yield the options of a client that sends this way over ``library``."""
    trusted = tls.trusted() if trusted is True else trusted
    if way == "transport":
        async with library.AsyncHTTPTransport(verify=trusted, trust_env=False) as transport:
            yield {"transport": transport}
    else:
        async with library.AsyncClient(verify=trusted, trust_env=False) as client:
            yield {"http_client": client}


@contextlib.asynccontextmanager
async def engine(library: Any, way: str, **more: Any) -> AsyncIterator[StreamingEngine]:
    timeouts = Timeouts(**more.pop("timeouts", {}))
    async with settings(library, way, **more) as options:
        made = engine_for(ClientOptions(**options, timeouts=timeouts))
        async with asyncio.timeout(20):
            yield made
            assert made.statistics().busy == 0
            await made.aclose()


async def post(engine: StreamingEngine, url: str, body: bytes = b"{}") -> bytes:
    response = await engine.send(Request("POST", f"{url}/x", (), body))
    return response.body  # type: ignore[no-any-return]


async def error_of(engine: StreamingEngine, url: str, body: bytes = b"{}") -> SendError:
    with pytest.raises(SendError) as caught:
        await post(engine, url, body)
    return caught.value


async def failure(engine: StreamingEngine, url: str, body: bytes = b"{}") -> tuple[bool, str]:
    """Return what the failure of a request says: whether it was sent, and what ran out of time."""
    error = await error_of(engine, url, body)
    return error.sent, error.timeout


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0)


async def closing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Close before anything is read."""


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Speak no TLS."""
    writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    await reader.read()


async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def resetting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await request(reader)
    writer.transport.abort()


INCONCLUSIVE: dict[str, Script] = {
    "closed at once": closing,
    "reset": resetting,
    "closed": responding(b""),
    "half a body": responding(OK[:-1]),
    "half a head": responding(b"HTTP/1.1 20"),
    "garbage": responding(b"\x00\xff garbage\r\n\r\n"),
}


@pytest.mark.parametrize("way", WAYS)
async def test_what_may_have_arrived_is_in_doubt(library: Any, way: str) -> None:
    async with engine(library, way) as made:
        for name, script in INCONCLUSIVE.items():
            async with RawServer(script) as server:
                with case(name):
                    assert await failure(made, server.url) == (True, "")


@pytest.mark.parametrize("way", WAYS)
async def test_a_response_that_does_not_come_is_in_doubt(library: Any, way: str) -> None:
    async with RawServer(silent) as server, engine(library, way, timeouts={"read": 0.05}) as made:
        assert await failure(made, server.url) == (True, "read")


@pytest.mark.parametrize("way", WAYS)
async def test_a_request_that_is_not_taken_to_its_end_is_in_doubt(library: Any, way: str) -> None:
    async with RawServer(deaf) as server, engine(library, way, timeouts={"write": 0.05}) as made:
        assert await failure(made, server.url, PLENTY) == (True, "write")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.plain("it has servers with TLS and without")
async def test_without_a_connection_nothing_is_sent(
    library: Any, way: str, certificates: dict[str, Path]
) -> None:
    """Nobody listens; no TLS, none that is trusted, none in time.

    Where nobody listens the Company's new host is looked for, as with our own engine.
    """
    trusted = ssl.create_default_context(cafile=certificates["elsewhere"])
    timeouts = {"connect": 0.2}
    async with engine(library, way, trusted=trusted, timeouts=timeouts) as made:
        async with RawServer(echoing, serving(certificates["here"])) as server:
            assert await failure(made, server.url) == (False, "")
        gone = await error_of(made, server.url)
        assert (gone.sent, gone.timeout, gone.host_gone) == (False, "", True)
        for script, step in ((plain, ""), (silent, "connect")):
            async with RawServer(script) as server:
                assert await failure(made, server.url.replace("http:", "https:")) == (False, step)


@pytest.mark.parametrize("way", WAYS)
async def test_a_request_that_is_cancelled_leaves_nothing_behind(library: Any, way: str) -> None:
    """Its connection is closed, so that its response is never taken for that of the next request."""
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = not arrived.is_set()
        await request(reader)
        arrived.set()
        if first:
            await go_on.wait()
        writer.write(OK.replace(b"hi", b"no") if first else OK)
        await reader.read()

    async with RawServer(late) as server, engine(library, way) as made:
        task = asyncio.create_task(post(made, server.url))
        await arrived.wait()
        task.cancel()
        assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)
        go_on.set()
        assert await post(made, server.url) == b"hi"
        await until(lambda: server.open == 1)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.plain("the end of TLS is seen later")
async def test_a_connection_that_the_service_has_closed_is_not_used(library: Any, way: str) -> None:
    """A request over it would be in doubt."""
    async with RawServer(responding(OK)) as server, engine(library, way) as made:
        for number in (1, 2, 3):
            assert await post(made, server.url) == b"hi"
            await until(lambda: server.open == 0)
            assert server.connections == number
