"""The same over uvloop, which many web servers run on: its loop reads, and has ways of its own."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from pathlib import Path

import pytest
import uvloop

from tests.engine.conftest import serving
from tests.engine.raw import RawServer, echoing, engine, get
from wosdk_async.options import Timeouts
from wosdk_async.transport.http.engine import SendError


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_many_calls_over_few_connections(certificates: dict[str, Path], tls: bool) -> None:
    """Each gets its own response, creates too."""
    own = ssl.create_default_context(cafile=certificates["here"]) if tls else None

    async def run() -> list[bytes]:
        async with RawServer(echoing, serving(certificates["here"]) if tls else None) as server:
            async with engine(context=own, connections=5) as made:
                calls = (get(made, f"{server.url}/{n}", safe=n % 2 == 0) for n in range(200))
                responses = await asyncio.gather(*calls)
        assert server.connections <= 5
        return [response.body for response in responses]

    assert uvloop.run(run()) == [b"/%d" % n for n in range(200)]


@pytest.mark.parametrize("turns", range(12))
def test_a_call_that_is_cancelled_while_it_connects(turns: int) -> None:
    """Nothing is lost, and the engine can be closed: uvloop does not report the end of such a connection."""

    async def run() -> bytes:
        async with RawServer(echoing) as server, engine(connections=2) as made:
            for _ in range(3):
                call = asyncio.create_task(get(made, server.url + "/cut"))
                for _ in range(turns):
                    await asyncio.sleep(0)
                call.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await call
            responses = await asyncio.gather(*(get(made, server.url + "/x") for _ in range(4)))
            assert {response.body for response in responses} == {b"/x"}
        return responses[0].body

    assert uvloop.run(run()) == b"/x"


@pytest.mark.plain("it is about that")
def test_a_service_that_does_not_speak_tls() -> None:
    """Told at once, and never sent."""

    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await reader.read()

    async def run() -> None:
        async with RawServer(plain) as server, engine(Timeouts(connect=5)) as made:
            with pytest.raises(SendError, match=r"wrong version|record layer|packet length") as caught:
                await get(made, server.url.replace("http:", "https:"))
        assert (caught.value.sent, caught.value.timeout) == (False, "")

    uvloop.run(run())
