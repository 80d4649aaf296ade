"""Requests of one turn of the loop leave together, and none leaves that should not."""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Callable

import pytest

from tests.engine.raw import Apart, RawServer, catch_timers, echoing, engine, get, request
from tests.engine.test_connections import Time
from wosdk_async.options import Timeouts
from wosdk_async.transport.http.native.engine import NativeEngine


async def warm(made: NativeEngine, url: str, connections: int = 2) -> None:
    """Have so many connections open, and idle."""
    await asyncio.gather(*(get(made, f"{url}/warm") for _ in range(connections)))


async def test_requests_of_one_turn_leave_at_its_end_in_their_order() -> None:
    """Both tasks have asked before the first request leaves."""
    seen = []

    async def ask(name: str) -> bytes:
        seen.append(f"{name} asks")
        response = await get(made, f"{server.url}/{name}", sending=lambda: seen.append(f"{name} leaves"))
        return response.body

    async with RawServer(echoing) as server, engine() as made:
        await warm(made, server.url)
        assert await asyncio.gather(ask("a"), ask("b")) == [b"/a", b"/b"]
    assert seen == ["a asks", "b asks", "a leaves", "b leaves"]


async def test_a_long_turn_does_not_hold_requests_back() -> None:
    """One that has waited for others for too long leaves with the next one, while the turn goes on."""
    time, seen = Time(), []

    async def ask(name: str) -> None:
        seen.append(f"{name} asks")
        await get(made, f"{server.url}/{name}", sending=lambda: seen.append(f"{name} leaves"))

    made = NativeEngine(now=time)
    async with RawServer(echoing) as server:
        await warm(made, server.url, 3)
        tasks = [asyncio.create_task(ask("a"))]
        asyncio.get_running_loop().call_soon(time.__setattr__, "now", time.now + 0.01)
        tasks += [asyncio.create_task(ask(name)) for name in "bc"]
        await asyncio.gather(*tasks)
        await made.aclose()
    assert seen == ["a asks", "b asks", "a leaves", "b leaves", "c asks", "c leaves"]


async def test_one_that_is_cancelled_before_it_leaves_is_never_sent() -> None:
    """``on_sending`` is not called, the service does not see it, and the other request leaves."""
    sent = []
    async with RawServer(recording) as server, engine() as made:
        targets.clear()
        await warm(made, server.url)
        first = asyncio.create_task(get(made, f"{server.url}/a", sending=lambda: sent.append("a")))
        asyncio.get_running_loop().call_soon(first.cancel)
        second = asyncio.create_task(get(made, f"{server.url}/b", sending=lambda: sent.append("b")))
        assert (await second).body == b"/b"
        with pytest.raises(asyncio.CancelledError):
            await first
        assert sent == ["b"]
        assert targets == [b"/warm", b"/warm", b"/b"]
        await warm(made, server.url)
    assert server.connections == 2  # the connection that was not used was kept


async def test_a_connection_that_was_not_used_has_rested_all_the_while() -> None:
    """Taken by calls that are cancelled before they send, it is trusted with a create no longer for that."""
    time = Time()
    made = NativeEngine(now=time)
    async with RawServer(echoing) as server:
        await warm(made, server.url)
        for _ in range(3):
            time.now += 2.0
            calls = [asyncio.create_task(get(made, server.url)) for _ in range(2)]
            for each in calls:
                asyncio.get_running_loop().call_soon(each.cancel)
            await asyncio.gather(*calls, return_exceptions=True)
        assert server.connections == 2
        await get(made, server.url, safe=False)
        await made.aclose()
    assert server.connections == 3


async def test_the_time_for_a_response_begins_when_the_request_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It does not matter that the connection has been idle for longer than a response may take."""
    time, loop = Time(), asyncio.get_running_loop()
    made = NativeEngine(now=time, timeouts=Timeouts(read=1.0))
    timers: list[Callable[[], None]] = []
    async with RawServer(echoing) as server:
        with monkeypatch.context() as patch:
            catch_timers(patch, timers)
            await warm(made, server.url)
        time.now += 2.0
        call = asyncio.create_task(get(made, f"{server.url}/a"))
        loop.call_soon(timers.pop())  # before the request leaves
        assert (await call).body == b"/a"
        await made.aclose()


def test_a_fork_does_not_send_what_the_parent_has_yet_to_send() -> None:
    """The loop was stopped with a request about to leave, and goes on in the child, too."""
    made, loop = NativeEngine(), asyncio.new_event_loop()

    def run_until(stopping: Callable[[], None]) -> None:
        stopping()
        loop.run_forever()

    with Apart() as server, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of a fork beside threads
        loop.run_until_complete(warm(made, server.url))
        left: list[int] = []
        call = loop.create_task(get(made, f"{server.url}/a", sending=lambda: left.append(os.getpid())))
        run_until(loop.stop)  # one turn: it has asked, and not left
        assert not left
        child = os.fork()
        if child == 0:
            run_until(loop.stop)
            os._exit(len(left))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert loop.run_until_complete(call).body == b"/a"
        assert left == [os.getpid()]
        loop.run_until_complete(made.aclose())
        loop.close()


targets: list[bytes] = []


async def recording(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Echoes, and notes every target in ``targets``."""
    while True:
        target = (await request(reader)).split(b" ")[1]
        targets.append(target)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(target), target))
        await writer.drain()
