"""A call may be cancelled anywhere: no place, connection or waiter is lost, and nothing is used twice."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable, Collection
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.raw import RawServer, Time, echoing, engine, get, on_each_loop
from tests.support.laws import examples
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import FRESH, Request
from wosdk_async.transport.http.native import batching, pool
from wosdk_async.transport.http.native.engine import NativeEngine


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def call(made: NativeEngine, url: str, safe: bool, way: str, after: int) -> None:
    """One call that is ended ``after`` so many turns of the loop, if it is not done by then."""
    if way == "cancel":
        task = asyncio.create_task(get(made, url, safe=safe))
        await turns(after)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            assert (await task).body == url[-2:].encode()
    elif way == "timeout":
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(after * 0.0001):
                assert (await get(made, url, safe=safe)).body == url[-2:].encode()
    else:
        with anyio.move_on_after(after * 0.0001):
            assert (await get(made, url, safe=safe)).body == url[-2:].encode()


STEPS = st.lists(
    st.tuples(
        st.booleans(), st.sampled_from(["cancel", "timeout", "scope"]), st.integers(0, 25), st.integers(0, 3)
    ),
    min_size=1,
    max_size=25,
)


@examples(30)
@given(steps=STEPS, connections=st.integers(1, 4))
async def test_random_cancellation_loses_nothing(
    steps: list[tuple[bool, str, int, int]], connections: int
) -> None:
    """Calls to two hosts, each cancelled somewhere: every response that comes is the right one, the counts
    are as many as the connections, and as many calls as there are places work at once afterwards.
    """

    async with RawServer(echoing) as here, RawServer(echoing) as there:
        async with engine(connections=connections) as made:
            await get(made, there.url)
            tasks = []
            for n, (safe, way, after, pause) in enumerate(steps):
                url = f"{(here, there)[n % 2].url}/{n % 10}"
                tasks.append(asyncio.create_task(call(made, url, safe, way, after)))
                await turns(pause)
            await asyncio.gather(*tasks)
            now = made.statistics()
            assert (now.busy, now.waiting, now.idle <= connections) == (0, 0, True)
            responses = await asyncio.gather(*(get(made, f"{here.url}/x") for _ in range(connections * 2)))
            assert {response.body for response in responses} == {b"/x"}


@pytest.mark.parametrize("granted", ["a connection", "a place"])
async def test_a_waiter_that_is_cancelled_when_it_is_granted_hands_it_on(granted: str) -> None:
    """Granted and cancelled in the same turn of the loop: the next in the queue gets it."""
    waiting: list[asyncio.Task[Response]] = []

    def read(response: Response) -> Response:  # when it returns, the first waiter is granted
        assert made.statistics().waiting == 2
        asyncio.get_running_loop().call_soon(waiting[0].cancel)
        return response

    async with RawServer(echoing) as here, RawServer(echoing) as there, engine(connections=1) as made:
        holding = asyncio.create_task(made.send(Request("GET", here.url, (), repeat_safe=True, read=read)))
        await asyncio.sleep(0)
        url = here.url if granted == "a connection" else there.url
        waiting += [asyncio.create_task(get(made, f"{url}/{name}")) for name in "ab"]
        await holding
        assert (await waiting[1]).body == b"/b"
        with pytest.raises(asyncio.CancelledError):
            await waiting[0]


async def test_a_failing_callback_gives_the_connection_back() -> None:
    """What ``on_sending`` raises reaches the caller, nothing is sent, and the place is free."""

    def refuse() -> None:
        raise LookupError("no")

    async with RawServer(echoing) as server, engine(connections=1) as made:
        with pytest.raises(LookupError):
            await get(made, server.url, sending=refuse)
        assert (await get(made, server.url + "/a")).body == b"/a"


@on_each_loop
async def test_a_request_that_was_cancelled_is_not_looked_for_again() -> None:
    """It waited for silence: its socket is closed by then, and another one may have the number."""
    looks: list[Collection[int]] = []
    later: list[Callable[[], None]] = []

    def none_readable(fds: Collection[int]) -> Collection[int]:
        looks.append(fds)
        return ()

    loop = asyncio.get_running_loop()
    call_later = loop.call_later

    def kept(seconds: float, callback: Callable[..., None], *args: Any, **named: Any) -> Any:
        if seconds < 0.01:
            later.append(functools.partial(callback, *args))
        return (
            call_later(seconds, lambda: None)
            if seconds < 0.01
            else call_later(seconds, callback, *args, **named)
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batching, "readable", none_readable)
        patch.setattr(loop, "call_later", kept)
        async with RawServer(echoing) as server, engine() as made:
            calling = asyncio.create_task(get(made, server.url, safe=False))
            while not later:
                await asyncio.sleep(0)
            calling.cancel()
            while made.statistics().sockets:
                await asyncio.sleep(0)
            before = len(looks)
            later[0]()
            await turns(3)
            assert len(looks) == before


@on_each_loop
async def test_a_connection_that_a_cancelled_request_leaves_is_as_old_as_before() -> None:
    """It was idle for too long for the create that waits."""
    now = Time()

    async with RawServer(echoing) as server, engine(now=now, connections=2) as made:
        await asyncio.gather(*(get(made, f"{server.url}/{number}") for number in range(2)))
        now.now += FRESH + 1
        both = [asyncio.create_task(get(made, f"{server.url}/{number}")) for number in range(2)]
        create = asyncio.create_task(get(made, server.url, safe=False))
        await asyncio.sleep(0)
        assert made.statistics().waiting == 1
        both[0].cancel()
        assert (await create).body == b"/"
        assert (await both[1]).body == b"/1"
    assert server.connections == 3


async def test_closing_ends_where_the_end_of_a_socket_is_never_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Within a bound, although the loop should report it."""
    monkeypatch.setattr(pool, "_CLOSE_TIMEOUT", 0.05)
    monkeypatch.setattr(pool.Pool, "closed", lambda *_: None)
    made = NativeEngine()
    async with RawServer(echoing) as server, asyncio.timeout(5):
        await get(made, server.url)
        await made.aclose()
