"""Deadlines, connections, cancellation: no call takes too long or leaves anything behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from tests.support.service import Answer, Request, Service
from tests.transport.script import FOUND
from wosdk_async import ConfigurationError, DeadlineError, InDoubtError, Limits
from wosdk_async.protocol.wire import Call


async def test_many_hosts_share_the_connections() -> None:
    """Idle connections of one Company's host make room for another's: the bound is the client's."""
    async with Service() as first, Service() as second, first.client(limits=Limits(connections=3)) as client:
        here = client.company()
        there = client.company("There", region=second.region())
        for company in (here, there, here):
            await asyncio.gather(*(company.get("Thing", 1) for _ in range(9)))
        stats = client.stats()
        assert (stats.connections_busy, stats.connections_idle) == (0, 3)


async def hang(_: Request) -> Answer:
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_deadline_that_passes_while_waiting_for_the_response() -> None:
    """Reads get a DeadlineError that names what took the time; creates are in doubt."""
    async with Service(hang) as service, service.client() as client:
        await client.company().connect()
        company = client.company().with_options(deadline=0.25)
        with pytest.raises(DeadlineError, match="waiting for the response") as late:
            await company.get("Thing", 1)
        with pytest.raises(InDoubtError, match=r"within 0\.25 s"):
            await company.run("AnyCommand", {})
    assert late.value.phase == "request"
    assert isinstance(late.value, TimeoutError)


async def test_a_deadline_that_passes_in_the_queue() -> None:
    """A create that never left the queue is no doubt."""
    async with Service(hang) as service, service.client(in_flight=1) as client:
        company = client.company()
        first = asyncio.create_task(company.get("Thing", 1))
        while not service.calls:
            await asyncio.sleep(0)
        with pytest.raises(DeadlineError, match="waiting in the queue"):
            await company.with_options(deadline=0.05).run("WoCreateCommand", {})
        first.cancel()
    assert len(service.calls) == 1


async def test_calls_in_flight_stay_within_the_bounds() -> None:
    """Never more connections than the client may open, however many calls are made."""
    now = most = 0

    async def handler(_: Request) -> Answer:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        return FOUND

    async with Service(handler) as service, service.client(limits=Limits(connections=5)) as client:
        await asyncio.gather(*(client.company().get("Thing", 1) for _ in range(200)))
    assert most <= 5
    assert service.connections <= 5 + 2  # and two for the session


async def test_a_call_that_is_cancelled_in_the_queue_leaves_it() -> None:
    """The figures say so at once, and those behind it go on."""
    async with Service(hang) as service, service.client(in_flight=1) as client:
        company = client.company()
        calls = [asyncio.create_task(company.get("Thing", n)) for n in range(3)]
        while client.stats().queued < 2 or not service.calls:
            await asyncio.sleep(0)
        await natively(calls[1])
        assert client.stats().queued == 1
        await natively(calls[0])
        while client.stats().queued:
            await asyncio.sleep(0)
        assert client.stats().in_flight == 1
        await natively(calls[2])
        assert client.stats().in_flight == 0


async def test_a_call_that_is_cancelled_in_the_turn_in_which_it_may_go_hands_its_slot_on() -> None:
    """The first gives its slot back, and the second is cancelled before it has run with it."""
    async with Service() as service, service.client(in_flight=1) as client:
        company = client.company()
        await company.connect()

        def cancel() -> None:
            assert client.stats().queued == 1  # the second has been granted the slot
            calls[1].cancel()

        def decode(body: bytes) -> bytes:
            asyncio.get_running_loop().call_soon(cancel)
            return body

        async def call(decode: Callable[[bytes], Any]) -> Any:
            return await company.send(Call("Thing", "GET", "api/v1/base/Thing/1", decode, repeat_safe=True))

        calls = [asyncio.create_task(call(each)) for each in (decode, len, len)]
        async with asyncio.timeout(5):
            assert await calls[2]
        assert calls[1].cancelled()
        assert (client.stats().in_flight, client.stats().queued) == (0, 0)


async def natively(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("way", ["cancel", "timeout", "scope"])
async def test_cancelled_calls_leave_nothing_behind(way: str) -> None:
    """After cancellations at every step of a call, by any means, all slots work."""

    async def slow(_: Request) -> Answer:
        for _ in range(20):  # so that a call is cancelled while it waits for its answer, too
            await asyncio.sleep(0)
        return FOUND

    async with Service(slow) as service, service.client(limits=Limits(connections=4)) as client:
        company = client.company()
        await company.get("Thing", 1)

        async def burst() -> None:
            async with anyio.create_task_group() as group:
                for _ in range(8):
                    group.start_soon(company.get, "Thing", 1)

        for steps in range(60):
            if way == "cancel":
                task = asyncio.create_task(burst())
                for _ in range(steps):
                    await asyncio.sleep(0)
                if not task.done():
                    await natively(task)
            elif way == "timeout":
                try:
                    async with asyncio.timeout(steps * 0.0002):
                        await burst()
                except TimeoutError:
                    pass
            else:
                with anyio.move_on_after(steps * 0.0002):
                    await burst()
        async with asyncio.timeout(5):
            got = await asyncio.gather(*(company.get("Thing", 1) for _ in range(40)))
    assert got == [{"Id": 1}] * 40


async def test_a_call_under_way_when_the_client_closes_leaves_no_connection() -> None:
    """Its response is still read, and its connection is not kept."""
    go = asyncio.Event()

    async def handler(_: Request) -> Answer:
        await go.wait()
        return FOUND

    async with Service(handler) as service:
        async with service.client() as client:
            call = asyncio.create_task(client.company().get("Thing", 1))
            while not service.calls:
                await asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(go.set)
        assert call.done()
        assert await call == {"Id": 1}
        async with asyncio.timeout(5):  # an idle connection is kept for longer
            while service.open_connections:
                await asyncio.sleep(0)


async def test_a_closed_client_says_so() -> None:
    """The error of a call after the block says what is wrong."""
    async with Service() as service:
        async with service.client() as client:
            company = client.company()
        with pytest.raises(ConfigurationError, match="closed"):
            await company.get("Thing", 1)
