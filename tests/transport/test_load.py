"""What a client does under load: it learns from refusals, keeps a rate, turns callers away, and tells."""

from __future__ import annotations

import asyncio
import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import each_of, examples
from tests.support.virtual import Time, World, reply, settle
from tests.transport.script import found, hang
from wosdk_async import (
    ConfigurationError,
    InDoubtError,
    NoAnswerError,
    NotSentError,
    OverloadedError,
    RetryPolicy,
    ThrottledError,
    Trace,
)
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.limiter import ConcurrencyLimiter

ONCE = RetryPolicy(attempts=1)


async def page(*_: Any) -> Response:
    return reply(b"<html>", 502)


async def test_halved_once_for_a_burst_of_refusals_and_recovered() -> None:
    """All calls under way are refused: that is one piece of news. Answers win the slots back, one a round."""

    async def busy(*_: Any) -> Response:
        await asyncio.sleep(0)
        return reply({}, 429)

    world = World(busy, in_flight=32)
    company = world.company(retry=ONCE)
    await company.connect()
    errors = await asyncio.gather(*(company.get("Thing", 1) for _ in range(32)), return_exceptions=True)
    assert {type(error) for error in errors} == {ThrottledError}
    assert world.transport.stats().companies[0].limit == 16
    world.handler = found
    for _ in range(17):
        await company.get("Thing", 1)
    assert world.transport.stats().companies[0].limit == 17
    for _ in range(16 * 32):
        await company.get("Thing", 1)
    assert world.transport.stats().companies[0].limit == 32


@examples(30)
@given(
    rate=st.floats(0.5, 2000),
    pauses=st.lists(st.sampled_from([0.0, 0.0, 0.0, 0.001, 0.05, 3.0]), min_size=1, max_size=40),
)
async def test_a_rate_is_kept(rate: float, pauses: list[float]) -> None:
    """In no stretch of time are more slots given than the rate allows, plus what 0.1 s catch up."""

    time = Time()
    limiter = ConcurrencyLimiter(1000, clock=time.clock())
    queue, given_at = limiter.new_queue(rate), []

    async def call() -> None:
        await limiter.acquire(queue)
        given_at.append(time.seconds)
        limiter.release(queue)

    tasks = []
    for pause in pauses:
        tasks.append(asyncio.create_task(call()))
        await time.pass_by(pause)
    await time.finish(*tasks)
    assert len(given_at) == len(pauses)
    for first in range(len(given_at)):
        for last in range(first + 1, len(given_at)):
            seconds = given_at[last] - given_at[first]
            assert last - first <= rate * (seconds + 0.1) + 1 + 1e-6


async def test_too_many_waiting_calls_are_turned_away() -> None:
    """Beyond the bound a call fails at once, was never sent, and the others are as before."""
    world = World(hang, in_flight=2, max_queued=3)
    company = world.company(deadline=30.0)
    tasks = [asyncio.create_task(company.run("WoCreateCommand", {})) for _ in range(5)]
    await settle()
    with pytest.raises(OverloadedError, match="max_queued") as caught:
        await company.run("WoCreateCommand", {})
    assert isinstance(pickle.loads(pickle.dumps(caught.value)), NotSentError)  # noqa: S301 - our own
    assert (caught.value.attempts, caught.value.company) == (0, "Acme")
    other = asyncio.create_task(world.company("Other").get("Thing", 1))
    await settle()
    stats = world.transport.stats()
    assert (stats.in_flight, stats.queued, stats.outcomes["OverloadedError"]) == (3, 3, 1)
    other.cancel()
    await world.time.finish(*tasks, other)
    assert sum(isinstance(task.exception(), InDoubtError) for task in tasks) == 2
    world.handler = found
    await company.with_options(deadline=1.0).get("Thing", 1)


async def test_the_quota_ends_retries_of_all_calls() -> None:
    """When too much fails calls are sent once and say why; successes bring retries back."""
    world = World(page, retry_quota=20)
    company = world.company(retry=RetryPolicy(attempts=3, wait_initial=0.0))
    sent = []
    for _ in range(4):
        with pytest.raises(NoAnswerError) as caught:
            await company.get("Thing", 1)
        sent.append(caught.value.attempts)
    assert sent == [3, 3, 1, 1]
    assert "retry_quota" in str(caught.value)
    world.handler = found
    for _ in range(5):
        await company.get("Thing", 1)
    assert world.transport.stats().retry_quota == 5
    world.handler = page
    with pytest.raises(NoAnswerError) as caught:
        await company.get("Thing", 1)
    assert caught.value.attempts == 2


async def test_stats_tell_the_state_and_no_secret() -> None:
    """Figures of every Company and of the client, and nothing that could log in."""
    world = World(found)
    await world.company("A").get("Thing", 1)
    await world.time.pass_by(100.0)
    stats = world.transport.stats()
    (company,) = stats.companies
    assert (company.name, company.in_flight, company.queued, company.limit) == ("A", 0, 0, 32)
    assert (company.session_age, company.session_number) == (100.0, 1)
    assert company.session_left == pytest.approx(1070.0)
    assert stats.outcomes == {"done": 1}
    assert "token-1" not in repr(stats)
    assert "secret" not in repr(stats)


async def test_stats_tell_which_company_fails() -> None:
    """Of two that make the same calls: the last error with its age, and calls that wait for their retry."""
    world = World(found)
    good, ill = world.company("Good"), world.company("Ill")
    await asyncio.gather(good.get("Thing", 1), ill.get("Thing", 1))
    await world.time.pass_by(100.0)

    async def fail_for_one(_: str, __: str, headers: dict[str, str], ___: bytes | None) -> Response:
        return reply(b"<html>", 502) if headers["CompanyName"] == "Ill" else reply({"Data": {"Id": 1}})

    world.handler = fail_for_one
    with pytest.raises(NoAnswerError):
        await ill.with_options(retry=ONCE).get("Thing", 1)
    await good.get("Thing", 1)
    patient = RetryPolicy(attempts=2, wait_initial=1e6, wait_max=1e6)
    waiting = asyncio.create_task(ill.with_options(deadline=1e9, retry=patient).get("Thing", 1))
    await settle()
    await world.time.pass_by(5.0)
    stats = {each.name: each for each in world.transport.stats().companies}
    assert (stats["Good"].calls, stats["Good"].error_age, stats["Good"].last_error) == (0, None, "")
    assert (stats["Ill"].calls, stats["Ill"].in_flight, stats["Ill"].queued) == (1, 0, 0)
    assert (stats["Ill"].error_age, stats["Ill"].last_error) == (5.0, "NoAnswerError")
    assert (stats["Good"].response_age, stats["Ill"].response_age) == (5.0, 105.0)
    waiting.cancel()
    await settle()


# --- rates that change ------------------------------------------------------------------------


@examples(50)
@given(
    changes=st.lists(
        st.tuples(st.sampled_from([None, 0.5, 7.0, 100.0, 2000.0]), st.sampled_from([0.0, 0.004, 0.3, 5.0])),
        min_size=1,
        max_size=12,
    ),
    calls=st.integers(1, 60),
)
async def test_a_rate_that_changes_is_kept(changes: list[tuple[float | None, float]], calls: int) -> None:
    """While one rate holds, no more slots are given than it allows; every caller gets one in the end."""

    time = Time()
    limiter = ConcurrencyLimiter(1000, clock=time.clock())
    queue, given_at = limiter.new_queue(3.0), []

    async def call() -> None:
        await limiter.acquire(queue)
        given_at.append(time.seconds)
        limiter.release(queue)

    tasks = [asyncio.create_task(call()) for _ in range(calls)]
    await settle()
    for rate, seconds in changes:
        limiter.set_rate(queue, rate)
        before = len(given_at)
        await time.pass_by(seconds)
        if rate is not None:
            assert len(given_at) - before <= rate * seconds + 1 + 1e-6
    await time.finish(*tasks)


async def test_a_rate_that_is_raised_wakes_the_calls_that_wait() -> None:
    """Calls that wait by a low rate leave by the new one; a Company that is used later has it, too."""
    world = World(found, rate=0.01)
    acme, other = world.company("Acme"), world.company("Other")
    await asyncio.gather(acme.connect(), other.connect())
    tasks = [asyncio.create_task(acme.get("Thing", 1)) for _ in range(3)]
    await world.time.pass_by(1.0)
    assert [task.done() for task in tasks] == [True, False, False]
    acme.set_rate(10.0)
    other.set_rate(None)
    await world.time.pass_by(0.25)
    assert all(task.done() for task in tasks)
    await asyncio.gather(*(other.get("Thing", 1) for _ in range(5)))
    assert (acme.rate, other.rate, world.company("Third").rate) == (10.0, None, 0.01)


async def test_a_rate_is_set_in_the_loops_of_all_threads() -> None:
    """A rate belongs to the Company, in whatever loop its calls wait."""
    world = World(found, rate=0.001)
    company, loop, here = world.company(), asyncio.get_running_loop(), asyncio.Event()
    await company.connect()

    async def two_calls() -> None:
        await company.get("Thing", 1)
        loop.call_soon_threadsafe(here.set)
        await company.get("Thing", 1)

    thread = asyncio.create_task(asyncio.to_thread(asyncio.run, two_calls()))
    await here.wait()
    company.set_rate(None)
    await asyncio.wait_for(thread, 5)


@each_of("rate", [0, -1, "9", True, math.nan])
async def test_a_rate_that_cannot_be_is_refused(rate: Any) -> None:
    """The message names what it takes, and the rate stays as it was."""
    company = World(found, rate=5.0).company()
    with pytest.raises(ConfigurationError, match="calls per second"):
        company.set_rate(rate)
    assert company.rate == 5.0


async def test_a_retry_that_succeeds_gives_the_quota_back_what_it_took() -> None:
    """A service that is flaky, but works, does not use the quota up."""
    responses = iter([reply(b"<html>", 502), reply({"Data": {"Id": 1}})] * 10)

    async def flaky(*_: Any) -> Response:
        return next(responses)

    world = World(flaky, retry_quota=20)
    company = world.company(retry=RetryPolicy(wait_initial=0.0))
    for _ in range(10):
        await company.get("Thing", 1)
        assert world.transport.stats().retry_quota == 20


async def test_an_error_of_no_library_ends_the_retries() -> None:
    """It is raised as it is, whatever the attempt before it met with, and is not tried again."""
    failure, sent = ZeroDivisionError("of the program"), []

    async def breaking(*_: Any) -> Response:
        sent.append(1)
        if len(sent) == 1:
            return reply(b"<html>", 502)
        raise failure

    world = World(breaking)
    with pytest.raises(ZeroDivisionError) as caught:
        await world.company(retry=RetryPolicy(wait_initial=0.0)).get("Thing", 1)
    assert (caught.value is failure, len(sent)) == (True, 2)
    assert world.transport.stats().in_flight == 0


async def test_times_are_those_of_their_phases() -> None:
    """A session that expired is renewed in the middle of a call: each second is counted where it passed."""
    world = World(found)
    company = world.company()
    await company.connect()
    refusals = iter([reply({"ErrorCode": "EXPIRED_TOKEN", "ErrorMessage": "expired"}, 403)])

    async def slow(*_: Any) -> Response:
        await world.time.sleep(2.0)
        return next(refusals, reply({"Data": {"Id": 1}}))

    async def slow_log_in(*_: Any) -> Response:
        await world.time.sleep(5.0)
        return reply({"access_token": "token-2", "expires_in": 1200})

    world.handler, world.on_token = slow, slow_log_in
    trace = Trace()
    await world.time.finish(asyncio.create_task(company.traced(trace).get("Thing", 1)))
    assert trace.times["session"] == pytest.approx(5.0)
    assert trace.times["connect"] + trace.times["request"] == pytest.approx(4.0)
    assert sum(trace.times.values()) == pytest.approx(9.0)


async def test_a_call_that_is_sent_again_waits_in_the_queue() -> None:
    """The seconds in which another call has its slot are those of the queue, not of its wait."""
    world = World(found, in_flight=1)
    company = world.company(retry=RetryPolicy(wait_initial=0.0))
    await company.connect()
    responses = iter([reply(b"<html>", 502)])

    async def slow(*_: Any) -> Response:
        response = next(responses, reply({"Data": {"Id": 1}}))
        await world.time.sleep(2.0)
        return response

    world.handler = slow
    trace = Trace()
    first = asyncio.create_task(company.traced(trace).get("Thing", 1))
    await asyncio.sleep(0)
    second = asyncio.create_task(company.get("Thing", 1))
    await world.time.finish(first, second)
    assert trace.times["queue"] == pytest.approx(2.0)
    assert trace.times.get("sleep", 0.0) == pytest.approx(0.0)
