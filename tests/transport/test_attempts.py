"""What an attempt leaves for the next one of its call, and what a response teaches of the service."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.deaf import deaf_port
from tests.support.facts import having
from tests.support.service import Answer, Service, error
from tests.support.virtual import World, reply
from tests.transport.script import QUICK, hang
from wosdk_async import DeadlineError, NoAnswerError, RefusedError, RetryPolicy
from wosdk_async.protocol.wire import Call, Response

ONCE = RetryPolicy(attempts=1)


async def test_an_attempt_that_never_left_is_in_no_doubt_after_one_that_did() -> None:
    """The session was refused, and the Company moved to a host that accepts no connection."""
    async with Service(lambda _: error(403, "EXPIRED_TOKEN")) as service, service.client() as client:
        company = client.company().with_options(deadline=0.5, retry=QUICK.retry)
        await company.connect()
        with deaf_port() as port:
            service.company_url = f"{service.url.rpartition(':')[0]}:{port}"
            with pytest.raises(DeadlineError, check=having(phase="connect")):
                await company.run("AnyCommand", {})
    assert (len(service.calls), len(service.discoveries)) == (1, 2)


async def test_a_create_that_was_refused_is_in_no_doubt_while_the_session_is_renewed() -> None:
    """The service said that it did nothing, and the log-in takes longer than the call may."""
    world = World(_expired)
    company = world.company(deadline=5.0)
    await company.connect()

    async def slow_log_in(*_: Any) -> Response:
        await world.time.sleep(60)
        raise AssertionError

    world.on_token = slow_log_in
    call = asyncio.create_task(company.run("AnyCommand", {}))
    await world.time.finish(call)
    late = call.exception()
    assert isinstance(late, DeadlineError)
    assert late.phase == "session"


async def _expired(*_: Any) -> Response:
    return reply({"ErrorCode": "EXPIRED_TOKEN", "ErrorMessage": "expired"}, 403)


async def test_a_5xx_may_come_from_what_stands_before_the_service() -> None:
    """It says nothing of when the service responded last; a refusal does."""
    async with Service(lambda _: Answer(502, b"<html>")) as service, service.client() as client:
        company = client.company().with_options(retry=ONCE)
        with pytest.raises(NoAnswerError):
            await company.get("Thing", 1)
        assert client.stats().companies[0].response_age is None
        service.handler = lambda _: error(400, "ANY")
        with pytest.raises(RefusedError):
            await company.get("Thing", 1)
        assert client.stats().companies[0].response_age is not None


# --- cancelled in the queue ----------------------------------------------------------------------


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
