"""Name look-ups: one for a host at a time, kept for some seconds, and never in the way of other hosts."""

from __future__ import annotations

import asyncio
import collections
import errno
import gc
import socket
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.raw import RawServer, Time, echoing, empty, engine, get, open_sockets_by
from wosdk_async.options import Timeouts
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.native import resolver
from wosdk_async.transport.http.native.engine import NativeEngine

pytestmark = pytest.mark.plain("its hosts have names of their own")


class NameServer:
    """Names of this machine: ``slow`` ones wait until they are ``released``, ``unknown`` has no address."""

    def __init__(self) -> None:
        self.asked: collections.Counter[str] = collections.Counter()
        self.released = threading.Event()
        self._genuine = socket.getaddrinfo

    def look_up(self, host: Any, *args: Any, flags: int = 0, **named: Any) -> Any:
        if flags & socket.AI_NUMERICHOST:
            return self._genuine(host, *args, flags=flags, **named)
        self.asked[host] += 1
        if host.startswith("slow"):
            self.released.wait(10)
        return [] if host == "unknown" else self._genuine("127.0.0.1", *args, **named)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[NameServer]:
    made = NameServer()
    monkeypatch.setattr(socket, "getaddrinfo", made.look_up)
    yield made
    made.released.set()


async def test_one_look_up_for_all_calls_to_a_host(names: NameServer) -> None:
    """Also when the first of them is cancelled, and for the connections of the next seconds."""
    time = Time()
    made = NativeEngine(now=time)
    async with RawServer(echoing) as server:
        port = server.url.rpartition(":")[2]
        calls = [asyncio.create_task(get(made, f"http://slow:{port}/")) for _ in range(32)]
        while not names.asked:
            await asyncio.sleep(0)
        calls[0].cancel()
        names.released.set()
        await asyncio.gather(*calls[1:])
        assert names.asked == {"slow": 1}
        time.now += 4.9
        await asyncio.gather(*(get(made, f"http://slow:{port}/") for _ in range(40)))
        assert names.asked == {"slow": 1}
        time.now += 0.2
        await asyncio.gather(*(get(made, f"http://slow:{port}/") for _ in range(50)))
        assert names.asked == {"slow": 2}
        await made.aclose()
    empty(made)


async def test_one_look_up_for_all_engines_of_a_loop(names: NameServer) -> None:
    """Calls, log-ins and downloads have one each."""
    async with RawServer(echoing) as server, engine() as calls, engine() as log_ins:
        url = f"http://here:{server.url.rpartition(':')[2]}/"
        await asyncio.gather(get(calls, url), get(log_ins, url))
        await get(log_ins, url)
    assert names.asked == {"here": 1}


def test_a_loop_is_not_kept_by_its_look_ups(names: NameServer) -> None:
    """Also one that leads to its engine."""

    class Loop(asyncio.SelectorEventLoop):
        engine: NativeEngine

    async def call(loop: Loop) -> None:
        async with RawServer(echoing) as server, engine() as loop.engine:
            await get(loop.engine, server.url)

    loop = Loop()
    loop.run_until_complete(call(loop))
    loop.close()
    forgotten = weakref.ref(loop)
    del loop
    gc.collect()
    assert forgotten() is None


async def test_a_host_found_before_is_looked_up_beside_any_that_hang(
    names: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An eighth of the threads is for such hosts; new ones wait for one that hangs."""
    monkeypatch.setattr(resolver, "usable_files", lambda: 256)
    time = Time()
    made = NativeEngine(now=time)
    async with RawServer(echoing) as server:
        port = server.url.rpartition(":")[2]
        await get(made, f"http://known:{port}/")
        time.now += 6.0  # the address is not used any more, and the connection by no create
        slow = [asyncio.create_task(get(made, f"http://slow{number}:{port}/")) for number in range(30)]
        while names.asked.total() < 1 + 14:
            await asyncio.sleep(0)
        assert (await get(made, f"http://known:{port}/", safe=False)).body == b"/"
        assert names.asked["known"] == 2
        assert names.asked.total() == 2 + 14
        names.released.set()
        await asyncio.gather(*slow)
        await made.aclose()
    empty(made)


async def test_a_name_without_an_address(names: NameServer) -> None:
    """A resolver may return an empty list: nothing was sent, and the host is gone."""
    async with engine() as made:
        with pytest.raises(SendError) as caught:
            await get(made, "http://unknown/", safe=False)
    assert (caught.value.sent, caught.value.host_gone) == (False, True)


async def test_an_address_that_cannot_be_reached_is_looked_up_again(names: NameServer) -> None:
    """The host may have moved: a look-up is not kept once its addresses refuse."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        port = taken.getsockname()[1]
        async with engine() as made:
            for asked in (1, 2):
                with pytest.raises(SendError) as caught:
                    await get(made, f"http://moved:{port}/", safe=False)
                assert caught.value.host_gone
                assert names.asked["moved"] == asked


async def test_a_machine_without_files_is_no_host_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was sent, and the Company need not have moved."""

    def full(*_: Any) -> socket.socket:
        raise OSError(errno.EMFILE, "Too many open files")

    open_sockets_by(monkeypatch, full)
    async with engine() as made:
        with pytest.raises(SendError) as caught:
            await get(made, "http://127.0.0.1:9/", safe=False)
    assert (caught.value.sent, caught.value.host_gone) == (False, False)


async def test_names_that_hang_give_way_however_many(
    names: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They hold their threads, and after a moment no turn of the others, as long as there are threads."""
    monkeypatch.setattr(resolver, "usable_files", lambda: 4096)
    async with RawServer(echoing) as server, engine(Timeouts(connect=5), connections=400) as made:
        port = server.url.rpartition(":")[2]
        hanging = [asyncio.create_task(get(made, f"http://slow{number}:{port}/")) for number in range(200)]
        while names.asked.total() < 64:
            await asyncio.sleep(0)
        assert (await get(made, f"http://quick:{port}/fine")).body == b"/fine"
        assert not any(call.done() for call in hanging)
        names.released.set()
        await asyncio.gather(*hanging)


async def test_a_resolver_that_fails_in_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it raises, nothing was sent."""
    genuine = socket.getaddrinfo

    def broken(host: Any, *args: Any, flags: int = 0, **named: Any) -> Any:
        if flags & socket.AI_NUMERICHOST:
            return genuine(host, *args, flags=flags, **named)
        raise KeyError("hosts")

    monkeypatch.setattr(socket, "getaddrinfo", broken)
    async with engine() as made:
        with pytest.raises(SendError) as caught:
            await get(made, "http://somewhere/", safe=False)
    assert not caught.value.sent


async def test_a_machine_without_threads_is_no_host_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name was not looked up: nothing was sent, and the Company need not have moved."""

    def full(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", full)
    async with engine() as made:
        with pytest.raises(SendError, match="no thread for the name look-up") as caught:
            await get(made, "http://somewhere/", safe=False)
    assert (caught.value.sent, caught.value.host_gone) == (False, False)
