"""A call that is cancelled in the queue leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.service import Service
from tests.transport.script import hang
from wosdk_async.protocol.wire import Call


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
