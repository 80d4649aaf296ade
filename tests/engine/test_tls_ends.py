"""How a connection with TLS ends: by whom, in which moment, and how long that may take."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import uvloop

from tests.engine.conftest import serving
from tests.engine.openssl import passing_on
from tests.engine.raw import (
    OK,
    VERSIONS,
    RawServer,
    Script,
    Time,
    TLSPeer,
    echoing,
    engine,
    get,
    narrow_sockets,
    on_each_loop,
    request,
)
from tests.support.service import Answer, Request, Service
from wosdk_async.transport.http.engine import PoolStatistics, SendError
from wosdk_async.transport.http.native import pool
from wosdk_async.transport.http.native.engine import NativeEngine

pytestmark = pytest.mark.plain("its servers choose their own certificates, or none")


def ending_at_once(certificate: Path) -> Script:
    """End TLS in the flight in which the handshake ends: with TLS 1.3 that would be one of the client."""
    context = serving(certificate)
    context.maximum_version = ssl.TLSVersion.TLSv1_2

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_side=True)
        shaken = False
        while not shaken:
            incoming.write(await reader.read(4096))
            with contextlib.suppress(ssl.SSLWantReadError):
                tls.do_handshake()
                shaken = True
                tls.unwrap()  # raises: the client has not said goodbye yet
            writer.write(outgoing.read())
        await writer.drain()
        assert not await reader.read() or tls.version() == "TLSv1.2"

    return script


@on_each_loop
async def test_a_service_that_ends_tls_with_the_handshake(certificates: dict[str, Path]) -> None:
    """Nothing is sent, and that is told."""
    own = ssl.create_default_context(cafile=certificates["here"])

    async with (
        RawServer(ending_at_once(certificates["here"])) as server,
        engine(context=own) as made,
    ):
        url = server.url.replace("http:", "https:")
        for _ in range(3):
            with pytest.raises(SendError) as caught:
                await get(made, url, safe=False, sending=lambda: pytest.fail("sent"))
            assert (caught.value.sent, caught.value.timeout) == (False, "")
    assert server.connections == 9  # each request tries two more


@on_each_loop
async def test_a_create_is_sent_again_after_that(certificates: dict[str, Path]) -> None:
    """Over another connection, and once."""
    own = ssl.create_default_context(cafile=certificates["here"])

    def respond(_: Request) -> Answer:
        return Answer(
            body={"EntitySpecifier": {"EntityType": "Customer", "Id": 1}}, headers={"Connection": "close"}
        )

    async with Service(respond, context=serving(certificates["here"])) as service:
        ending = ending_at_once(certificates["here"])
        through = passing_on(int(service.url.rpartition(":")[2]))

        async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await (ending if relay.connections % 2 else through)(reader, writer)

        async with RawServer(script) as relay:
            service.url = relay.url.replace("http:", "https:")
            async with service.client(ssl_context=own) as client:
                for number in range(3):
                    await client.company().create("Customer", {"Name": f"{number}"})
    assert [request.json["Entity"]["Name"] for request in service.calls] == ["0", "1", "2"]
    assert relay.connections >= 6


@contextlib.asynccontextmanager
async def connected_to_a_full_socket(
    certificate: Path, tls: bool, monkeypatch: pytest.MonkeyPatch, now: Callable[[], float] = time.monotonic
) -> AsyncIterator[tuple[NativeEngine, asyncio.Event]]:
    """Yield an engine whose idle connection takes not a byte more, and what lets the service read again."""
    own = ssl.create_default_context(cafile=certificate) if tls else None
    context, may_read = serving(certificate) if tls else None, asyncio.Event()
    may_read.set()
    with monkeypatch.context() as patch:
        sockets = narrow_sockets(patch)
        async with RawServer(echoing, context) as server:
            relayed = passing_on(int(server.url.rpartition(":")[2]), may_read=may_read)
            async with RawServer(relayed, narrow=True) as relay, engine(context=own, now=now) as made:
                await get(made, f"{server.url.partition(':')[0]}{relay.url[4:]}")
                may_read.clear()
                await fill(sockets[0])
                yield made, may_read


# Without TLS our code has nothing to send at the end, on any loop.
TLS_AND_LOOPS = pytest.mark.parametrize(
    ("tls", "run"),
    [
        pytest.param(False, asyncio.run, id="plain"),
        pytest.param(True, asyncio.run, id="TLS-asyncio"),
        pytest.param(True, uvloop.run, id="TLS-uvloop"),
    ],
)


@TLS_AND_LOOPS
def test_a_goodbye_that_waits_is_taken_while_the_connection_closes(
    certificates: dict[str, Path],
    run: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
    tls: bool,
) -> None:
    """The loop reports the end of the connection then in the middle of writing."""

    async def close() -> list[str]:
        stumbled: list[str] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, about: stumbled.append(str(about)))
        async with connected_to_a_full_socket(certificates["here"], tls, monkeypatch) as (made, may_read):
            closing = asyncio.create_task(made.aclose())
            await asyncio.sleep(0)
            may_read.set()
            await closing
        return stumbled

    assert run(close()) == []


@on_each_loop
async def test_a_goodbye_that_nobody_takes_does_not_keep_the_socket(
    certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection was idle for too long: once its end cannot be sent, it is closed without."""
    now = Time()

    async with connected_to_a_full_socket(certificates["here"], True, monkeypatch, now) as (made, _):
        now.now += 60
        while made.statistics().sockets:
            await asyncio.sleep(0.01)  # real time: the timer of the engine itself is tested here


@on_each_loop
async def test_a_call_goes_on_while_the_engine_closes_what_cannot_end(
    certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The idle connection is cut after a while, the busy one is not."""
    asked, go = asyncio.Event(), asyncio.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        asked.set()
        await go.wait()
        writer.write(OK)

    async with (
        connected_to_a_full_socket(certificates["here"], True, monkeypatch) as (made, _),
        RawServer(script, serving(certificates["here"])) as server,
    ):
        monkeypatch.setattr(pool, "_CLOSE_TIMEOUT", 0.1)
        call = asyncio.create_task(get(made, server.url, safe=False))
        await asked.wait()
        await made.aclose()
        assert made.statistics() == PoolStatistics(busy=1, sockets=1)
        go.set()
        assert (await call).body == b"hi"


@on_each_loop
@VERSIONS
async def test_a_service_that_ends_tls_while_idle_hears_the_same(
    certificates: dict[str, Path], version: ssl.TLSVersion
) -> None:
    """Then it knows that nothing was cut."""
    own, context = ssl.create_default_context(cafile=certificates["here"]), serving(certificates["here"])
    context.maximum_version = version
    heard: list[str] = []

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = TLSPeer(context, reader, writer)
        await peer.do(peer.tls.do_handshake)
        await peer.do(peer.tls.read, 4096)
        await peer.do(peer.tls.write, OK)
        await may_end.wait()
        try:
            await peer.do(peer.tls.unwrap)
        except ssl.SSLError as error:
            heard.append(str(error))
        else:
            heard.append("the end")

    may_end = asyncio.Event()
    async with RawServer(script) as server, engine(context=own) as made:
        await get(made, server.url.replace("http:", "https:"), safe=False)
        may_end.set()
        while made.statistics().sockets or not heard:
            await asyncio.sleep(0)
    assert heard == ["the end"]


async def fill(sender: socket.socket) -> None:
    """Send until the socket takes no byte for a while: the system finds more memory for it now and then."""
    taken = time.monotonic()
    while time.monotonic() - taken < 0.3:
        with contextlib.suppress(BlockingIOError):
            sender.send(bytes(1000))
            taken = time.monotonic()
        await asyncio.sleep(0)


@on_each_loop
@VERSIONS
async def test_a_service_that_ends_tls_with_its_response(
    certificates: dict[str, Path], version: ssl.TLSVersion
) -> None:
    """close_notify in the flight of the response: the next create is in no doubt, and sent once."""
    own, context = ssl.create_default_context(cafile=certificates["here"]), serving(certificates["here"])
    context.maximum_version = version
    asked: list[bytes] = []

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = TLSPeer(context, reader, writer)
        await peer.do(peer.tls.do_handshake)
        asked.append(await peer.do(peer.tls.read, 4096))
        peer.tls.write(OK)
        with contextlib.suppress(ssl.SSLWantReadError):
            peer.tls.unwrap()
        writer.write(peer._outgoing.read())  # both leave together
        await reader.read()

    async with RawServer(script) as server, engine(context=own) as made:
        url = server.url.replace("http:", "https:")
        for number in (1, 2, 3):
            response = await get(made, f"{url}/{number}", safe=False)
            assert (response.body, response.followed) == (b"hi", False)
    assert server.connections == 3
    assert [head.split()[1] for head in asked] == [b"/1", b"/2", b"/3"]
