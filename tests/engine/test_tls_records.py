"""Records of TLS: however they arrive, and however the connection ends."""

from __future__ import annotations

import asyncio
import random
import socket
import ssl
import tracemalloc
from pathlib import Path

import pytest

from tests.engine.conftest import serving
from tests.engine.openssl import passing_on
from tests.engine.raw import (
    OK,
    RawServer,
    TLSPeer,
    below,
    echoing,
    engine,
    get,
    on_each_loop,
    request,
    responding,
)
from wosdk_async.transport.http.engine import Request, SendError

pytestmark = pytest.mark.plain("its servers choose their own certificates, or none")


@on_each_loop
@pytest.mark.parametrize("most", [1, 7, 1500])
async def test_records_that_arrive_in_pieces(certificates: dict[str, Path], most: int) -> None:
    """Byte by byte, or cut anywhere: handshakes and responses are the same."""
    body = bytes(range(256)) * most

    raw = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    own, random_ = ssl.create_default_context(cafile=certificates["here"]), random.Random(most)
    async with (
        RawServer(responding(raw, raw, raw), serving(certificates["here"])) as server,
        RawServer(passing_on(int(server.url.rpartition(":")[2]), lambda: random_.randint(1, most))) as relay,
        engine(context=own, connections=3) as made,
    ):
        url = relay.url.replace("http:", "https:")
        responses = await asyncio.gather(*(get(made, url) for _ in range(9)))
    assert [each.body == body for each in responses] == [True] * 9


@on_each_loop
@pytest.mark.parametrize("first", [1, 4])
async def test_a_record_whose_length_comes_late(certificates: dict[str, Path], first: int) -> None:
    """The first bytes of a response do not say yet how long its record is."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = TLSPeer(serving(certificates["here"]), reader, writer)
        await peer.do(peer.tls.do_handshake)
        await peer.do(peer.tls.read, 4096)
        peer.tls.write(OK)
        record = peer._outgoing.read()
        writer.write(record[:first])
        for _ in range(10):  # turns of the loop, in which they are read
            await asyncio.sleep(0)
        writer.write(record[first:])
        await reader.read()

    own = ssl.create_default_context(cafile=certificates["here"])
    async with RawServer(script) as server, engine(context=own) as made:
        response = await get(made, server.url.replace("http:", "https:"), safe=False)
        assert response.body == b"hi"


@on_each_loop
@pytest.mark.parametrize("says_goodbye", [True, False])
async def test_a_body_without_a_length(certificates: dict[str, Path], says_goodbye: bool) -> None:
    """It is whole when the service ends TLS, and cut when only its socket ends: anybody can do that."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nall of it")
        if not says_goodbye:
            with below(writer) as end:
                end.shutdown(socket.SHUT_WR)
            await reader.read()

    own = ssl.create_default_context(cafile=certificates["here"])
    async with RawServer(script, serving(certificates["here"])) as server, engine(context=own) as made:
        if says_goodbye:
            assert (await get(made, server.url, safe=False)).body == b"all of it"
        else:
            with pytest.raises(SendError, match="without close_notify") as caught:
                await get(made, server.url, safe=False)
            assert caught.value.sent


@on_each_loop
async def test_a_large_body_waits_for_a_slow_service(certificates: dict[str, Path]) -> None:
    """The service reads nothing at first: what waits is not encrypted, nor copied, nor lost."""
    body = random.Random(1).randbytes(8 << 20)
    go = asyncio.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await go.wait()
        got = await request(reader)
        right = b"right" if got.endswith(body) else b"wrong"
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + right)
        await writer.drain()

    own = ssl.create_default_context(cafile=certificates["here"])
    async with RawServer(script, serving(certificates["here"])) as server, engine(context=own) as made:
        sending = asyncio.create_task(made.send(Request("POST", server.url, (), body)))
        while not server.connections:
            await asyncio.sleep(0)
        tracemalloc.start()
        for _ in range(50):
            await asyncio.sleep(0)
        assert tracemalloc.get_traced_memory()[1] < len(body) / 4
        tracemalloc.stop()
        go.set()
        assert (await sending).body == b"right"


@pytest.mark.parametrize("turns", range(12))
@on_each_loop
async def test_a_call_that_is_cancelled_while_tls_begins(certificates: dict[str, Path], turns: int) -> None:
    """Wherever it is: no socket and no place is lost."""

    own = ssl.create_default_context(cafile=certificates["here"])
    async with (
        RawServer(echoing, serving(certificates["here"])) as server,
        engine(context=own, connections=2) as made,
    ):
        for _ in range(3):
            call = asyncio.create_task(get(made, server.url + "/cut"))
            for _ in range(turns):
                await asyncio.sleep(0)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
        responses = await asyncio.gather(*(get(made, server.url + "/x") for _ in range(4)))
    assert {each.body for each in responses} == {b"/x"}


async def test_a_service_that_chooses_another_protocol(certificates: dict[str, Path]) -> None:
    """A context that offers HTTP/2: refused before a request in HTTP/1.1 is sent."""
    own = ssl.create_default_context(cafile=certificates["here"])
    own.set_alpn_protocols(["h2", "http/1.1"])
    choosing = serving(certificates["here"])
    choosing.set_alpn_protocols(["h2"])
    async with RawServer(echoing, choosing) as server, engine(context=own) as made:
        with pytest.raises(SendError, match="chose the protocol 'h2'") as caught:
            await get(made, server.url, sending=lambda: pytest.fail("sent"))
    assert not caught.value.sent
