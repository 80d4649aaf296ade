"""Calls of one traced Company that overlap: each is judged by what became of it alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.service import Answer, Request, Service, error
from tests.support.virtual import World, settle
from tests.transport.script import hang
from wosdk_async import BusinessRuleError, DeadlineError, InDoubtError, Trace


async def overlapping(world: World) -> tuple[asyncio.Task[Any], asyncio.Task[Any]]:
    """A create that was sent, and one behind it that waits for the only slot."""
    acme = world.company().traced(Trace())
    sent = asyncio.create_task(acme.with_options(deadline=10.0).run("Sent", {}))
    await settle()
    queued = asyncio.create_task(acme.with_options(deadline=20.0).run("Queued", {}))
    await settle()
    return sent, queued


async def test_the_deadline_of_a_sent_create_is_a_doubt_though_another_call_begins() -> None:
    """The first may have been carried out, the second was not; neither hears of the other."""
    world = World(hang, in_flight=1)
    sent, queued = await overlapping(world)
    await world.time.finish(sent)
    await world.transport.aclose(0.0)
    with pytest.raises(InDoubtError, match="waiting for the response"):
        sent.result()
    assert isinstance(queued.exception(), InDoubtError), "it got the slot of the first"


async def test_a_call_that_queues_is_not_in_doubt_because_another_one_was_sent() -> None:
    """Closed while one was sent and one waits: a doubt, and no effect."""
    world = World(hang, in_flight=1)
    sent, queued = await overlapping(world)
    await world.transport.aclose(0.0)
    assert isinstance(sent.exception(), InDoubtError)
    error = queued.exception()
    assert isinstance(error, DeadlineError)
    assert (error.phase, error.attempts) == ("queue", 0)


@pytest.mark.parametrize("which", [0, 1])
async def test_the_hook_gets_only_the_call_that_was_sent(which: int) -> None:
    """If cancelled, the sent create is reported to ``on_in_doubt``, and the one that waits is not."""
    told: list[str] = []
    world = World(hang, in_flight=1, on_in_doubt=lambda call, _: told.append(call.operation))
    tasks = await overlapping(world)
    tasks[which].cancel()
    await asyncio.wait([tasks[which]])
    assert told == (["Sent"] if which == 0 else [])
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_the_trace_is_that_of_the_call_that_ended_last() -> None:
    """Whole calls are copied: attempts, response and id in a trace belong together."""
    order: list[str] = []

    async def handler(request: Request) -> Answer:
        operation = request.path.rpartition("/")[2]
        order.append(operation)
        if operation == "First":
            await second.wait()
            return error(400, "BUSINESS_LOGIC_ERROR", "first")
        return Answer(body={"CommandResult": {"Second": True}, "RequestId": request.json["RequestId"]})

    second = asyncio.Event()
    async with Service(handler) as service, service.client() as client:
        trace = Trace()
        acme = client.company().traced(trace)
        first = asyncio.create_task(acme.run("First", {}))
        while order != ["First"]:
            await asyncio.sleep(0)
        assert await acme.run("Second", {}) == {"Second": True}
        assert trace.request_id == service.calls[1].json["RequestId"]
        assert trace.reply is not None
        assert trace.reply.status == 200
        second.set()
        with pytest.raises(BusinessRuleError) as caught:
            await first
        assert caught.value.attempts == trace.attempts == 1
        assert trace.request_id == service.calls[0].json["RequestId"]
        assert trace.reply.status == 400
