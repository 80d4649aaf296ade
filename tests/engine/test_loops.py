"""Sockets belong to the loop and the process that opened them."""

from __future__ import annotations

import asyncio
import gc
import os
import warnings

from tests.engine.raw import Apart, empty, get
from wosdk_async.transport.http.native.engine import NativeEngine


def test_a_loop_that_was_closed_with_connections() -> None:
    """The engine was not closed: its sockets end with the loop, as Python warns, and the next loop works."""
    made = NativeEngine()
    with Apart() as server:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            asyncio.run(get(made, server.url + "/a"))

            async def use() -> bytes:
                response = await get(made, server.url + "/b")
                await made.aclose()
                return response.body

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

        async def use() -> None:
            await get(made, server.url)
            await made.aclose()

        async def closed() -> None:
            async with asyncio.timeout(5):  # sooner than an idle connection is closed for its age
                while server.open:
                    await asyncio.sleep(0)

        asyncio.run(use())
        loop.run_until_complete(closed())
        loop.close()
    empty(made)
    assert server.connections == 2


def test_a_fork_leaves_the_parents_connections_alone() -> None:
    """The child opens its own and closes no socket of the parent, whose connection goes on working."""
    made = NativeEngine()
    loops = [asyncio.new_event_loop()]

    async def use(target: str, *, close: bool = True) -> bytes:
        response = await get(made, server.url + target)
        if close:
            await made.aclose()
        return response.body

    def child() -> int:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", ResourceWarning)  # of a socket that the child closes
            loops.clear()
            gc.collect()
            works = asyncio.run(use("/child")) == b"/child"
        return 0 if works and not warned else 1

    with Apart() as server, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of a fork beside threads
        loops[0].run_until_complete(use("/before", close=False))
        pid = os.fork()
        if pid == 0:
            os._exit(child())
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert loops[0].run_until_complete(use("/after")) == b"/after"
        loops[0].close()
    assert server.connections == 2  # the parent's one and the child's one
    empty(made)
