"""One deadline for the whole call, on a clock that the test moves: every phase of it is named."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.support.service import Service
from tests.support.virtual import Time, World, reply, settle
from tests.transport.script import found, hang
from wosdk_async import (
    Credentials,
    DeadlineError,
    InDoubtError,
    RetryPolicy,
    ThrottledError,
    Trace,
    WosdkError,
)
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.clock import Deadlines


async def busy(*_: Any) -> Response:
    return reply({}, 503, {"retry-after": "20"})


async def error_of(world: World, call: Any) -> WosdkError:
    task = asyncio.ensure_future(call)
    await world.time.finish(task)
    error = task.exception()
    assert isinstance(error, WosdkError)
    copied: WosdkError = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (copied.times, copied.waits, copied.attempts) == (error.times, error.waits, error.attempts)
    return copied


async def test_the_queue_used_it_up() -> None:
    """A call that never got a slot was in the queue all the time."""
    world = World(hang, in_flight=1)
    first = asyncio.create_task(world.company(deadline=50.0).get("Thing", 1))
    await settle()
    error = await error_of(world, world.company(deadline=5.0).run("WoCreateCommand", {}))
    assert isinstance(error, DeadlineError)
    assert (error.phase, error.attempts) == ("queue", 0)
    assert error.times == {"queue": pytest.approx(5.0, abs=0.011)}
    await world.time.finish(first)
    assert isinstance(first.exception(), DeadlineError)


async def test_the_session_used_it_up() -> None:
    """A token endpoint that does not respond is the session's phase."""
    world = World(found)
    world.on_token = hang
    error = await error_of(world, world.company(deadline=5.0).get("Thing", 1))
    assert isinstance(error, DeadlineError)
    assert (error.phase, error.attempts) == ("session", 0)
    assert error.times["session"] == pytest.approx(5.0, abs=0.011)


async def test_the_connection_used_it_up() -> None:
    """Nothing was sent as long as the engine has not said so."""
    world = World(found)
    company = world.company(deadline=5.0)
    await company.get("Thing", 1)
    world.engines[0].send = hang  # type: ignore[method-assign]
    error = await error_of(world, company.run("WoCreateCommand", {}))
    assert isinstance(error, DeadlineError)
    assert (error.phase, error.attempts) == ("connect", 1)


async def test_the_response_used_it_up() -> None:
    """Reads hear of the phase; what is not safe to repeat is in doubt."""
    world = World(hang)
    error = await error_of(world, world.company(deadline=5.0).get("Thing", 1))
    assert isinstance(error, DeadlineError)
    assert error.phase == "request"
    assert error.times["request"] == pytest.approx(5.0, abs=0.011)
    assert isinstance(await error_of(world, world.company().run("WoCreateCommand", {})), InDoubtError)


async def test_a_wait_that_would_pass_the_deadline_is_not_waited() -> None:
    """The caller hears at once, and of the service's wish when it was that."""
    world = World(busy)
    begun = world.time.seconds
    error = await error_of(world, world.company(deadline=15.0).get("Thing", 1))
    assert isinstance(error, ThrottledError)
    assert (error.retry_after, error.attempts) == (20.0, 1)

    async def reset(*_: Any) -> Response:
        return reply(b"<html>", 502)

    world.handler = reset
    patient = RetryPolicy(wait_initial=1e9, wait_max=1e9)
    error = await error_of(world, world.company(deadline=15.0, retry=patient).get("Thing", 1))
    assert isinstance(error, DeadlineError)
    assert error.phase == "sleep"
    assert world.time.seconds == begun


async def test_waits_and_times_of_a_call_that_succeeds() -> None:
    """The trace tells how often it was sent, what was waited for, and where the time went."""
    answers = iter([busy, busy, found])
    world = World(lambda *request: next(answers)(*request))
    trace = Trace()
    task = asyncio.create_task(world.company().traced(trace).get("Thing", 1))
    await world.time.finish(task)
    assert (trace.attempts, len(trace.waits)) == (3, 2)
    assert all(20.0 <= wait <= 28.0 for wait in trace.waits)
    assert trace.times["sleep"] == pytest.approx(sum(trace.waits))
    assert set(trace.times) == {"queue", "session", "connect", "request", "sleep"}


@examples(50)
@given(st.lists(st.floats(0, 90), min_size=1, max_size=20))
async def test_a_scope_ends_on_time(lengths: list[float]) -> None:
    """Never early, and at most a hundredth of a second late."""

    time = Time()
    deadlines, ended = Deadlines(time.clock()), {}

    async def within(number: int, seconds: float) -> None:
        with pytest.raises(TimeoutError):
            with deadlines.within(seconds):
                await asyncio.Event().wait()
        ended[number] = time.seconds - 1000.0

    tasks = [asyncio.create_task(within(*pair)) for pair in enumerate(lengths)]
    await time.finish(*tasks)
    for number, seconds in enumerate(lengths):
        assert seconds - 1e-6 <= ended[number] <= seconds + 0.0101


async def test_a_cancellation_from_outside_wins() -> None:
    """A scope that ends in the same turn in which its task is cancelled swallows nothing."""
    time = Time()
    deadlines = Deadlines(time.clock())

    async def call() -> None:
        with deadlines.within(1.0):
            await asyncio.Event().wait()

    task = asyncio.create_task(call())
    await settle()
    task.cancel()
    deadlines.expire_all()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()


async def test_a_nested_scope_that_ends_first_is_the_one_that_raises() -> None:
    """The outer block goes on after the inner one timed out, and may be cancelled as ever."""
    time = Time()
    deadlines, passed = Deadlines(time.clock()), []

    async def call() -> None:
        async with asyncio.timeout(60):
            with deadlines.within(10.0):
                with pytest.raises(TimeoutError):
                    with deadlines.within(1.0):
                        await asyncio.Event().wait()
                passed.append(time.seconds)
                await asyncio.sleep(0)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0

    task = asyncio.create_task(call())
    await time.finish(task)
    assert passed == [pytest.approx(1001.0, abs=0.011)]


async def test_a_timeout_of_the_programs_own_is_not_the_deadlines() -> None:
    """What gives the credentials raises it: ``connect`` passes it on, as a call does."""

    async def provider(company: str) -> Credentials:
        raise TimeoutError("mine")

    async with Service() as service, service.client(credentials=provider) as client:
        with pytest.raises(TimeoutError, match="mine") as caught:
            await client.company().connect()
    assert not isinstance(caught.value, DeadlineError)


async def test_deadlines_of_minutes_leave_nothing_behind() -> None:
    """Calls that end early keep no memory until their time would have been up."""
    time = Time()
    clock = time.clock()
    deadlines = Deadlines(clock)

    async def calls() -> None:
        for _ in range(500):
            with deadlines.within(600.0):
                await clock.sleep(0.02)

    with deadlines.within(1000.0):
        task = asyncio.create_task(calls())
        await time.finish(task)
        assert repr(deadlines) == "<Deadlines 1 running, ticks 2>"
