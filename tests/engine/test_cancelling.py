"""A call may be cancelled anywhere: no place, connection or waiter is lost, and nothing is used twice."""

from __future__ import annotations

import asyncio
import contextlib

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.raw import RawServer, echoing, engine, get, request
from tests.support.laws import examples
from wosdk_async.protocol.wire import Response
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
def test_random_cancellation_loses_nothing(steps: list[tuple[bool, str, int, int]], connections: int) -> None:
    """Calls to two hosts, each cancelled somewhere: every response that comes is the right one, the counts
    are as many as the connections, and as many calls as there are places work at once afterwards.
    """

    async def run() -> None:
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
                responses = await asyncio.gather(
                    *(get(made, f"{here.url}/x") for _ in range(connections * 2))
                )
                assert {response.body for response in responses} == {b"/x"}

    asyncio.run(run())


async def test_a_connection_whose_request_was_cut_is_closed() -> None:
    """Its response, late, is never the response to the next request."""
    go = asyncio.Event()

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            target = (await request(reader)).split(b" ")[1]
            seen.append(target)
            if target == b"/slow":
                await go.wait()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(target), target))

    seen: list[bytes] = []
    async with RawServer(slow) as server, engine(connections=1) as made:
        cut = asyncio.create_task(get(made, server.url + "/slow"))
        while not seen:
            await asyncio.sleep(0)
        cut.cancel()
        go.set()
        assert (await get(made, server.url + "/next")).body == b"/next"
        with pytest.raises(asyncio.CancelledError):
            await cut
    assert server.connections == 2


@pytest.mark.parametrize("granted", ["a connection", "a place"])
async def test_a_waiter_that_is_cancelled_when_it_is_granted_hands_it_on(granted: str) -> None:
    """Granted and cancelled in the same turn of the loop: the next in the queue gets it."""
    waiting: list[asyncio.Task[Response]] = []

    def read(response: Response) -> Response:  # when it returns, the first waiter is granted
        assert made.statistics().waiting == 2
        asyncio.get_running_loop().call_soon(waiting[0].cancel)
        return response

    async with RawServer(echoing) as here, RawServer(echoing) as there, engine(connections=1) as made:
        holding = asyncio.create_task(made.send("GET", here.url, (), None, lambda: None, True, read))
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
