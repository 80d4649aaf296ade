"""Sockets belong to the loop and the process that opened them."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvloop

from tests.engine.raw import Apart, empty, get
from tests.support.service import Answer, Request, Service
from wosdk_async import Customer, WoCreateCommand, WorkOrder
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


@contextlib.contextmanager
def hanging() -> Iterator[Service]:
    """A service on a loop of its own that gives sessions, and no response to a call."""

    async def hang(_: Request) -> Answer:
        await asyncio.Event().wait()
        raise AssertionError

    loop, service = asyncio.new_event_loop(), Service(hang)
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(service.__aenter__(), loop).result(5)
    try:
        yield service
    finally:
        asyncio.run_coroutine_threadsafe(service.__aexit__(), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(
    "new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"]
)
@pytest.mark.parametrize("marked", [False, True], ids=["unmarked", "marked"])
@pytest.mark.parametrize("sent", [False, True], ids=["logging in", "sent"])
def test_a_loop_that_was_closed_with_calls_in_flight(
    new_loop: Callable[[], asyncio.AbstractEventLoop],
    sent: bool,
    marked: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are collected, with those in the queue, without a word; the client works in the next loop."""
    raised, loop = list[Any](), new_loop()
    monkeypatch.setattr(logging.getLogger("asyncio"), "disabled", True)  # it names each task
    monkeypatch.setattr(sys, "unraisablehook", lambda raised_: raised.append(raised_.exc_value))

    def command(number: int) -> WoCreateCommand:
        return WoCreateCommand(work_order=WorkOrder(po_number=f"k{number}"))

    with hanging() as service:
        client = service.client()

        async def calls() -> list[asyncio.Task[Any]]:
            acme = client.company()
            marker = "work_order.po_number" if marked else None
            running = [
                asyncio.create_task(acme.run(command(number), marker=marker, check=False))
                for number in range(40)
            ]
            async with asyncio.timeout(20):
                while sent and len(service.calls) < 32:
                    await asyncio.sleep(0)
            await asyncio.sleep(0)
            return running

        running = loop.run_until_complete(calls())
        loop.close()
        del running, loop
        gc.collect()
        assert raised == []
        service.handler = lambda _: Answer(body={"Data": {"Id": 1}})

        async def use() -> int | None:
            async with client:
                return (await client.company().get(Customer, 1)).id

        assert asyncio.run(use()) == 1


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
