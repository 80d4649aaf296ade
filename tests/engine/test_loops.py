"""Sockets belong to the loop and the process that opened them."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import warnings

from tests.engine.raw import RawServer, echoing, empty, engine, get
from wosdk_async.transport.http.native import NativeEngine
from wosdk_async.transport.http.native.engine import _of_the_parent


class Apart:
    """A server on a loop of its own, in a thread of its own."""

    def __enter__(self) -> RawServer:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._server = RawServer(echoing)
        return asyncio.run_coroutine_threadsafe(self._server.__aenter__(), self._loop).result(5)

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._server.__aexit__(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()


def test_a_second_loop_starts_afresh() -> None:
    """After one asyncio.run the engine works in the next, over connections of its own."""
    made = NativeEngine()

    async def use(target: str) -> bytes:
        reply = await get(made, server.url + target)
        await made.aclose()
        return reply.body

    with Apart() as server:
        assert asyncio.run(use("/a")) == b"/a"
        assert asyncio.run(use("/b")) == b"/b"
    assert server.connections == 2


def test_a_loop_that_was_closed_with_connections() -> None:
    """Nobody closed the engine: its sockets go with the loop, as Python warns, and the next loop works."""
    made = NativeEngine()
    with Apart() as server:
        asyncio.run(get(made, server.url + "/a"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)

            async def use() -> bytes:
                reply = await get(made, server.url + "/b")
                await made.aclose()
                return reply.body

            assert asyncio.run(use()) == b"/b"
            gc.collect()
    assert server.connections == 2


def test_a_loop_that_still_runs_closes_its_own() -> None:
    """Moving to another loop closes the idle connections on theirs."""
    made = NativeEngine()
    with Apart() as server, Apart() as other:
        del other
        loop = asyncio.new_event_loop()
        loop.run_until_complete(get(made, server.url))
        old = made._pool
        assert old is not None

        async def use() -> None:
            await get(made, server.url)
            await made.aclose()

        asyncio.run(use())
        while old.open:
            loop.run_until_complete(asyncio.sleep(0))
        loop.close()
    empty(made)
    assert (old.size, server.connections) == (0, 2)


def test_a_fork_leaves_the_parents_connections_alone() -> None:
    """The child opens its own, and the parent's connection goes on working for the parent."""
    made, parents = NativeEngine(), None

    async def use(target: str, *, close: bool = True) -> bytes:
        reply = await get(made, server.url + target)
        if close:
            await made.aclose()
        return reply.body

    def child() -> int:
        try:
            works = asyncio.run(use("/child")) == b"/child"
            return 0 if works and parents and parents.outbox.inherited and parents in _of_the_parent else 1
        except BaseException:
            return 2

    async def parent() -> bytes:
        await use("/before", close=False)
        loop = asyncio.get_running_loop()
        nonlocal parents
        parents = made._pool
        pid = os.fork()
        if pid == 0:
            asyncio._set_running_loop(None)
            os._exit(child())
        _, status = await loop.run_in_executor(None, os.waitpid, pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        return await use("/after")

    with Apart() as server, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of a fork beside threads
        assert asyncio.run(parent()) == b"/after"
    assert server.connections == 2  # the parent's one and the child's one
    empty(made)


async def test_calls_under_way_end_after_the_engine_is_closed() -> None:
    """Their answers are read and their connections not kept; the grace for them is the dispatcher's."""
    async with RawServer(echoing) as server, engine() as made:
        call = asyncio.create_task(get(made, server.url + "/a"))
        while "1 of" not in repr(made):
            await asyncio.sleep(0)
        await made.aclose()
        assert (await call).body == b"/a"
        assert "0 of 100 busy, 0 idle" in repr(made)
