"""Only bytes that came after the request left are believed: what came before closes the connection."""

from __future__ import annotations

import asyncio
import itertools
import ssl
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import serving
from tests.engine.proxy import Proxy, SocksProxy
from tests.engine.raw import (
    LOOPS,
    OK,
    Apart,
    RawServer,
    Time,
    TLSPeer,
    echoing,
    engine,
    get,
    on_each_loop,
    request,
    speaking_late,
)
from wosdk_async.options import Timeouts
from wosdk_async.text.secret import Secret
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.environment import proxy_rules
from wosdk_async.transport.http.native import batching
from wosdk_async.transport.http.native.engine import NativeEngine

pytestmark = pytest.mark.plain("its servers choose their own certificates, or none")

WRONG = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"


@on_each_loop
@pytest.mark.parametrize("safe", [True, False])
@pytest.mark.parametrize("unasked", [WRONG, b"\r\n", b"H"], ids=["a response", "a line break", "a byte"])
async def test_bytes_that_the_loop_has_not_seen_yet(safe: bool, unasked: bytes) -> None:
    """They lie in the socket when the next request is about to leave: it leaves over another connection."""
    sent: list[None] = []

    async def surplus(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(unasked)

    with speaking_late(surplus) as (server, speak):
        async with engine() as made:
            await get(made, server.url)
            speak()
            response = await get(made, server.url, safe=safe, sending=lambda: sent.append(None))
            assert response.body == b"hi"
    assert (len(sent), server.connections) == (1, 2)


@on_each_loop
@pytest.mark.parametrize("alone", [False, True], ids=["with a response", "alone"])
@pytest.mark.parametrize("first", [1, 3, 5, 20], ids=lambda size: f"{size} bytes")
async def test_half_a_record_that_came_after_a_response(
    certificates: dict[str, Path], first: int, alone: bool
) -> None:
    """Its rest would come during the next create, and be taken for its response."""
    answered, sent = asyncio.Event(), asyncio.Event()

    async def halves(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = TLSPeer(serving(certificates["here"]), reader, writer)
        await peer.do(peer.tls.do_handshake)
        await peer.do(peer.tls.read, 4096)
        peer.tls.write(OK)
        whole = peer._outgoing.read()
        peer.tls.write(WRONG)
        record = peer._outgoing.read()
        if alone:
            writer.write(whole)
            await answered.wait()
            writer.write(record[:first])
            sent.set()
        else:
            writer.write(whole + record[:first])
        if await reader.read(4096):  # the next request, which must not come here
            writer.write(record[first:])

    own = ssl.create_default_context(cafile=certificates["here"])
    async with RawServer(halves) as server, engine(context=own) as made:
        url = server.url.replace("http:", "https:")
        for number in (1, 2):
            response = await get(made, url, safe=False)
            assert (response.body, server.connections) == (b"hi", number)
            answered.set()
            if alone:
                await sent.wait()


def speaks_first(certificate: Path | None, spoken: threading.Semaphore, times: int) -> Callable[..., Any]:
    """A server that responds before it is asked on its first connections, and then when it is asked.

    Over TLS it does so in the flight that ends the handshake. ``spoken`` is released for each connection.
    """
    begun = itertools.count()

    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        speaks = next(begun) < times
        if speaks:
            writer.write(WRONG)
        spoken.release()
        if not speaks:
            await request(reader)
            writer.write(OK)

    async def over_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert certificate is not None
        context = serving(certificate)
        context.maximum_version = ssl.TLSVersion.TLSv1_2  # there the server ends the handshake
        peer = TLSPeer(context, reader, writer)
        while not peer.tls.version() or peer._incoming.pending:
            try:
                peer.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                writer.write(peer._outgoing.read())
                peer._incoming.write(await reader.read(4096))
        if next(begun) < times:
            peer.tls.write(WRONG)
        else:
            await peer.do(peer.tls.read, 4096)
            peer.tls.write(OK)
        writer.write(peer._outgoing.read())
        await reader.read()

    return plain if certificate is None else over_tls


@LOOPS
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_response_before_any_request(
    certificates: dict[str, Path], run: Callable[..., None], scheme: str, times: int
) -> None:
    """The request goes out on another connection, at most the third; on each loop, with and without TLS."""
    spoken, sent = threading.Semaphore(0), list[None]()
    script = speaks_first(certificates["here"] if scheme == "https" else None, spoken, times)

    async def call() -> None:
        loop = asyncio.get_running_loop()
        connect = loop.create_connection

        async def after_it_spoke(*args: Any, **named: Any) -> Any:
            if scheme == "http":
                spoken.acquire(timeout=5)
            return await connect(*args, **named)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "create_connection", after_it_spoke)
            async with engine(context=ssl.create_default_context(cafile=certificates["here"])) as made:
                calling = get(made, url, safe=False, sending=lambda: sent.append(None))
                if times < 3:
                    assert (await calling).body == b"hi"
                    return
                with pytest.raises(SendError) as caught:
                    await calling
        assert not caught.value.sent

    with Apart(script) as server:
        url = server.url.replace("http:", f"{scheme}:")
        run(call())
    assert (server.connections, len(sent)) == (min(times + 1, 3), times < 3)


class Held:
    """Relay that keeps back the end of the piece number ``after`` of what a service sends, until ``go``."""

    def __init__(self, port: int, after: int) -> None:
        self._port, self._after = port, after
        self.go, self.holds = asyncio.Event(), asyncio.Event()

    async def script(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._port)
        up = asyncio.create_task(self._up(reader, far_writer))
        seen = 0
        while data := await far_reader.read(65536):
            seen += 1
            if seen == self._after and not self.go.is_set():
                writer.write(data[:-7])
                self.holds.set()
                await self.go.wait()
                data = data[-7:]
            writer.write(data)
        far_writer.close()
        await up

    async def _up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
        writer.close()


@on_each_loop
@pytest.mark.parametrize("waits", [True, False], ids=["its rest comes", "its rest does not come"])
async def test_half_a_ticket_on_a_new_connection(
    certificates: dict[str, Path], waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tickets come after the handshake: the request waits for the rest, within the connect timeout."""

    async def slowly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(OK)
        await writer.drain()
        await reader.read()

    own = ssl.create_default_context(cafile=certificates["here"])
    sent: list[None] = []
    async with RawServer(slowly, serving(certificates["here"])) as service:
        held = Held(int(service.url.rpartition(":")[2]), after=2)  # the handshake is the first
        async with (
            RawServer(held.script) as relay,
            engine(Timeouts(connect=None if waits else 0.3), context=own) as made,
        ):
            loop = asyncio.get_running_loop()
            call_later = loop.call_later

            def after_the_half(seconds: float, callback: Any, *args: Any, **named: Any) -> Any:
                if seconds < 0.01 and not held.holds.is_set():  # silence: the half of the ticket ends it
                    callback, args = after_the_half, (seconds, callback, *args)
                return call_later(seconds, callback, *args, **named)

            monkeypatch.setattr(loop, "call_later", after_the_half)
            url = relay.url.replace("http:", "https:")
            calling = asyncio.create_task(get(made, url, safe=False, sending=lambda: sent.append(None)))
            if waits:
                await held.holds.wait()
                for _ in range(500):
                    await asyncio.sleep(0)
                assert not sent
                held.go.set()
                assert (await calling).body == b"hi"
            else:
                with pytest.raises(SendError) as caught:
                    await calling
                assert (caught.value.sent, caught.value.timeout, sent) == (False, "connect", [])
            held.go.set()


@on_each_loop
@pytest.mark.parametrize("waiting", [True, False], ids=["another waits", "another comes"])
async def test_a_connection_whose_first_request_is_cancelled_is_not_trusted(waiting: bool) -> None:
    """Before it was silent for a moment: the server may speak first all the same."""
    greet = threading.Event()

    async def greeting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if server.connections == 1:
            await asyncio.to_thread(greet.wait, 5)
            writer.write(WRONG)
            await writer.drain()
        else:
            await request(reader)
            writer.write(OK)

    with Apart(greeting) as server:
        async with engine(connections=1) as made:
            held_back = asyncio.Event()
            loop = asyncio.get_running_loop()
            call_later = loop.call_later

            def noted(seconds: float, *args: Any, **named: Any) -> Any:
                if seconds < 0.01:
                    held_back.set()
                return call_later(seconds, *args, **named)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(loop, "call_later", noted)
                first = asyncio.create_task(get(made, server.url, safe=False))
                second = asyncio.create_task(get(made, server.url, safe=False)) if waiting else None
                await held_back.wait()
                first.cancel()
                greet.set()
                second = second or asyncio.create_task(get(made, server.url, safe=False))
                assert (await second).body == b"hi"
    assert server.connections == 2


async def test_records_without_a_pause(
    certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is whole: the error does not say that a part of one came."""
    now = Time()
    own = ssl.create_default_context(cafile=certificates["here"])

    def always(fds: Collection[int]) -> Collection[int]:
        now.now += 1
        return fds

    monkeypatch.setattr(batching, "readable", always)
    async with RawServer(echoing, serving(certificates["here"])) as server:
        async with engine(Timeouts(connect=5), own, now) as made:
            with pytest.raises(SendError, match="TLS records without a pause for 5 s") as caught:
                await get(made, server.url, safe=False)
    assert (caught.value.sent, caught.value.timeout) == (False, "connect")


@on_each_loop
@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
@pytest.mark.parametrize("place", ["behind", "later"])
async def test_surplus_bytes_through_a_proxy(certificates: dict[str, Path], scheme: str, place: str) -> None:
    """Behind a response, or while the connection is idle: no create gets them, and none is in doubt."""
    own = ssl.create_default_context(cafile=certificates["here"])
    own.load_verify_locations(certificates["acme"])
    kind = SocksProxy if scheme == "socks5" else Proxy

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(OK + WRONG if place == "behind" else OK)
        await writer.drain()
        if place == "later":
            await speak.wait()
            writer.write(WRONG)
        await reader.read()

    speak = asyncio.Event()
    context = serving(certificates["here"]) if scheme == "https" else None
    async with RawServer(script, serving(certificates["acme"])) as server, kind(context=context) as proxy:
        proxies = proxy_rules(Secret(f"{scheme}://user:password@{proxy.address}"), False)
        made = NativeEngine(ssl_context=own, proxies=proxies)
        for number in (1, 2, 3):
            url = f"https://acme.example:{server.url.rpartition(':')[2]}/"
            response = await get(made, url, safe=False)
            assert (response.body, server.connections) == (b"hi", number)
            speak.set()
            async with asyncio.timeout(5):
                while made.statistics().sockets:
                    await asyncio.sleep(0)
            speak.clear()
        await made.aclose()
