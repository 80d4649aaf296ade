"""Which connection takes a request, and when one is not used again."""

from __future__ import annotations

import asyncio
import gc
import ssl
import weakref
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import serving
from tests.engine.raw import (
    OK,
    RawServer,
    Time,
    catch_timers,
    echoing,
    empty,
    engine,
    get,
    on_each_loop,
    request,
    responding,
)
from tests.support.laws import each_of
from wosdk_async.options import Limits, Timeouts
from wosdk_async.transport.http.certificates import TLSContextProvider
from wosdk_async.transport.http.engine import PoolStatistics, SendError
from wosdk_async.transport.http.native.engine import NativeEngine
from wosdk_async.transport.http.native.pool import Pool
from wosdk_async.transport.http.native.request import Origin

CLOSING = {
    "said so": b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
    "bytes behind the response": OK + b"x",
    "a second response": OK + OK,
    "a second response, half": OK + b"HTTP/1.1 2",
}


async def test_many_at_once_stay_within_the_limit_and_get_their_own_responses() -> None:
    """Never more connections than allowed; every response belongs to its request."""
    async with RawServer(echoing) as server, engine(connections=7) as made:
        assert made.statistics() == PoolStatistics()
        calls = asyncio.gather(*(get(made, f"{server.url}/{n}") for n in range(300)))
        await asyncio.sleep(0)
        assert made.statistics() == PoolStatistics(busy=7, waiting=293)
        responses = await calls
        assert made.statistics() == PoolStatistics(idle=7, sockets=7)
    assert [response.body for response in responses] == [b"/%d" % n for n in range(300)]
    assert server.connections <= 7


@each_of("raw", CLOSING.values(), ids=CLOSING)
async def test_a_connection_that_cannot_be_trusted_is_closed(raw: bytes) -> None:
    """The response counts, and the next request opens a new connection."""
    async with RawServer(responding(raw, raw)) as server, engine() as made:
        for _ in range(3):
            assert (await get(made, server.url)).body == b"hi"
    assert server.connections == 3


async def test_an_unsafe_call_takes_no_connection_that_rested() -> None:
    """Idle for longer than three seconds: good enough for what can be sent again, and only for that."""
    time = Time()
    made = NativeEngine(now=time)
    async with RawServer(echoing) as server:
        await get(made, server.url)
        time.now += 2.9
        await get(made, server.url, safe=False)
        assert server.connections == 1
        time.now += 3.1
        await get(made, server.url, safe=False)
        assert server.connections == 2
        time.now += 3.1
        await get(made, server.url, safe=True)
        assert server.connections == 2
        time.now += 15.1
        await get(made, server.url, safe=True)
        assert server.connections == 3
        await made.aclose()
    empty(made)


async def test_a_connection_rests_from_the_end_of_its_last_response() -> None:
    """A response that took long does not make its connection look idle: an unsafe call takes it."""
    time = Time()
    made = NativeEngine(now=time)
    async with RawServer(echoing) as server:
        await get(made, server.url, sending=lambda: setattr(time, "now", time.now + 4))
        await get(made, server.url, safe=False)
        assert server.connections == 1
        await made.aclose()


@pytest.mark.parametrize("ends", ["complete", "cancelled"])
async def test_an_idle_connection_holds_on_to_nothing(ends: str) -> None:
    """Neither the request nor who sent it stays in memory until the connection is used again."""

    class Caller:
        def sending(self) -> None:
            pass

    async with RawServer(echoing) as server, engine() as made:
        await asyncio.gather(get(made, server.url), get(made, server.url))
        caller = Caller()
        held = weakref.ref(caller)
        call = asyncio.create_task(get(made, server.url, sending=caller.sending))
        if ends == "cancelled":
            asyncio.get_running_loop().call_soon(call.cancel)
        await asyncio.gather(call, return_exceptions=True)
        assert "0 of 100 busy, 2 idle" in repr(made)
        del caller, call
        while (
            held() is not None
        ):  # the loop lets go of what it gathered; a connection would keep it for longer
            await asyncio.sleep(0)
            gc.collect()


async def test_a_connection_has_a_lifetime() -> None:
    """After it the connection is closed, however well it works."""
    time = Time()
    made = NativeEngine(now=time, limits=Limits(lifetime=60))
    async with RawServer(echoing) as server:
        for _ in range(7):
            await get(made, server.url)
            time.now += 10
        assert server.connections == 1
        for _ in range(2):
            await get(made, server.url)
        await made.aclose()
    assert server.connections == 2


async def test_the_timer_runs_for_as_long_as_a_connection_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """It closes what is idle; a check that finds something open is followed by another."""
    time, timers = Time(), []
    made = NativeEngine(now=time, limits=Limits(keepalive=15))
    async with RawServer(echoing) as server:
        with monkeypatch.context() as patch:
            catch_timers(patch, timers)
            await asyncio.gather(*(get(made, server.url) for _ in range(5)))
            for seconds, idle in ((10, 5), (10, 0)):
                time.now += seconds
                timers.pop()()
                assert made.statistics().idle == idle
            while made.statistics().sockets:
                await asyncio.sleep(0)
            timers.pop()()
            assert timers == []
        await made.aclose()


async def test_a_host_that_was_forgotten_and_used_again_is_one_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a connection all addresses of a host are forgotten: old and new ones share a connection."""
    ending, timers = True, []

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await (responding(OK) if ending else echoing)(reader, writer)

    async with RawServer(script) as server, engine(connections=1) as made:
        with monkeypatch.context() as patch:
            catch_timers(patch, timers)
            await get(made, f"{server.url}/old")
            while made.statistics().sockets:
                await asyncio.sleep(0)
            timers.pop()()
        ending = False
        responses = await asyncio.gather(*(get(made, f"{server.url}/{name}") for name in ("old", "new")))
        assert [response.body for response in responses] == [b"/old", b"/new"]
        assert server.connections == 2, "the one that ended, and one for both"


async def test_addresses_are_remembered_and_do_not_fill_the_memory() -> None:
    """Each record has an address: what is remembered of them is bounded."""
    loop = asyncio.get_running_loop()
    pool = Pool(loop, Limits(), Timeouts(), TLSContextProvider(), loop.time, None, ceiling=1)
    for id in range(1, 3001):
        origin, target = pool.locate(f"https://service/{id}")
        assert (origin.text, target) == ("https://service", b"/%d" % id)
        assert len(pool.targets) == (id - 1) % 1024 + 1


async def test_a_safe_call_is_sent_again_by_the_engine_once() -> None:
    """An idle connection that dies without a byte is replaced once; a new one that dies is an error."""

    async def moody(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        if server.connections < 2:
            writer.write(OK)
            await request(reader)

    async with RawServer(moody) as server, engine() as made:
        await get(made, server.url)
        for connections in (2, 3):  # the second time there is no idle one, so it is not repeated
            with pytest.raises(SendError, match="before it responded") as caught:
                await get(made, server.url)
            assert (caught.value.sent, server.connections) == (True, connections)


async def test_a_host_that_needs_a_new_connection_gives_up_an_old_one_of_its_own() -> None:
    """A create does not take one that rested; that of another host, which rested for longer, is kept."""
    time = Time()
    async with (
        RawServer(echoing) as there,
        RawServer(echoing) as here,
        engine(now=time, connections=2) as made,
    ):
        await get(made, there.url)
        await get(made, here.url)
        time.now += 3.1
        await get(made, here.url, safe=False)
        await get(made, there.url)
    assert (here.connections, there.connections) == (2, 1)


@on_each_loop
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
async def test_a_connection_whose_end_the_loop_has_yet_to_report(
    certificates: dict[str, Path], tls: bool
) -> None:
    """A create is not written to it: it is sent once, over another."""
    own = ssl.create_default_context(cafile=certificates["here"]) if tls else None
    sockets: list[asyncio.Transport] = []
    sent: list[None] = []

    loop = asyncio.get_running_loop()
    create_connection: Any = loop.create_connection

    async def noting(factory: Any, **named: Any) -> Any:
        transport, protocol = await create_connection(factory, **named)
        sockets.append(transport)
        return transport, protocol

    context = serving(certificates["here"]) if tls else None
    async with RawServer(echoing, context) as server, engine(context=own) as made:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "create_connection", noting)
            await get(made, server.url)
        sockets[0].abort()  # as the loop does when it cannot write
        response = await get(made, server.url, safe=False, sending=lambda: sent.append(None))
        assert response.body == b"/"
    assert (len(sent), server.connections) == (1, 2)


async def test_first_come_first_served() -> None:
    """Waiters of two origins are served in the order they came, each by its own."""
    served = []

    async def one(name: str, url: str) -> None:
        served.append((name, (await get(made, url)).body))

    there = RawServer(responding(*[OK] * 9))
    async with RawServer(echoing) as here, there, engine(connections=1) as made:
        names = "abcdefgh"
        await asyncio.gather(*(one(name, (there if name in "cdg" else here).url) for name in names))
    assert served == [(name, b"hi" if name in "cdg" else b"/") for name in names]


async def test_a_connection_that_is_used_again_and_again_is_not_idle() -> None:
    """What counts is the time since its last response, not since it was opened."""
    time = Time()
    made = NativeEngine(now=time, limits=Limits(keepalive=5))
    async with RawServer(echoing) as server:
        for _ in range(7):
            await get(made, server.url)
            time.now += 2
        assert server.connections == 1
        time.now += 6
        await get(made, server.url)
        assert made.statistics().idle == 1
        await made.aclose()
    assert server.connections == 2


async def test_hosts_are_forgotten_while_others_are_in_use() -> None:
    """Each host that a locator names is remembered, but not for ever."""
    gc.collect()
    before = sum(isinstance(each, Origin) for each in gc.get_objects())
    async with RawServer(echoing) as server, engine() as made:
        await get(made, server.url)
        for number in range(1100):
            with pytest.raises(SendError):
                await get(made, f"http://127.1.{number // 250}.{number % 250}:9/")
        assert made.statistics().idle == 1
        assert (await get(made, server.url)).body == b"/"
        assert server.connections == 1
        gc.collect()  # errors and their frames keep each other
        assert sum(isinstance(each, Origin) for each in gc.get_objects()) - before <= 1025
