"""Adaptive concurrency: never worse than the default, and close to the best fixed limit."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.simulation.limiter import (
    BEHAVIOURS,
    DEFAULT,
    FIXED,
    MAXIMUM,
    SECONDS,
    Behaviour,
    Fixed,
    simulate,
    simulate_fixed,
)
from tests.support.laws import WHOLE, each_of, some
from tests.support.virtual import World, reply
from wosdk_async import Company, NoAnswerError, NotSentError, RetryPolicy
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.limiter import AIMDLimit, ThroughputLimit

ONCE = RetryPolicy(attempts=1)
GOOD_FIXED = {1: (8, DEFAULT), 8: (8, DEFAULT), 200: (DEFAULT, MAXIMUM)}
"""For each capacity, fixed limits of which one completes as much as the best of all, or nearly."""


@each_of(
    ("capacity", "behaviour"),
    some(itertools.product(SECONDS, BEHAVIOURS), 2),
    ids=lambda each: getattr(each, "name", each),
)
def test_completes_nearly_as_much_as_the_best_fixed_limit(capacity: int, behaviour: Behaviour) -> None:
    """And never less than the fixed default, unless the service throttles."""
    for seed in some((1, 2, 3), 3):
        fixed = simulate_fixed(capacity, behaviour, seed, FIXED if WHOLE else GOOD_FIXED[capacity])
        found = simulate(capacity, behaviour, ThroughputLimit(MAXIMUM), seed)
        assert found.ratio(*fixed.values()) >= 0.9
        assert behaviour.throttles or found.ratio(fixed[DEFAULT]) >= 1


@each_of(("capacity", "maximum"), some(itertools.product(SECONDS, [1, 8, 31, 32]), 3))
def test_is_the_fixed_limit_where_the_maximum_is_the_default_or_less(capacity: int, maximum: int) -> None:
    for behaviour in BEHAVIOURS[:2]:
        found = simulate(capacity, behaviour, ThroughputLimit(maximum))
        assert found.completed == simulate(capacity, behaviour, Fixed(maximum)).completed
        assert set(found.held) <= set(range(1, maximum + 1))


def test_stays_near_the_default_where_more_does_not_pay() -> None:
    """A saturated service gets more only for the rounds of a trial."""
    for seed in (1, 2, 3):
        held = simulate(8, BEHAVIOURS[0], ThroughputLimit(MAXIMUM), seed).held
        assert sum(held) / len(held) < 1.5 * DEFAULT


def test_after_a_trial_that_changed_little_it_rests() -> None:
    algorithm, limits = ThroughputLimit(256), list[float]()
    for number in range(1, 2000):
        algorithm.responded(number, algorithm.limit / 320, int(algorithm.limit))  # more does not pay
        limits.append(algorithm.limit)
    held = [(limit, len(list(same))) for limit, same in itertools.groupby(limits)]
    assert held[1:3] == [(64, 64 + 64), (32, 64 + 64 * (ThroughputLimit.PAUSE + 1))]


def test_a_trial_at_half_the_limit_is_not_below_the_default() -> None:
    algorithm, limits = ThroughputLimit(48), list[float]()
    for number in range(1, 3000):
        algorithm.responded(number, 0.1 if number < 500 else 0.1 * algorithm.limit, int(algorithm.limit))
        limits.append(algorithm.limit)
    assert max(limits) == 48
    assert min(limits) == 32


@given(
    st.lists(st.tuples(st.sampled_from(["answered", "failed", "throttled"]), st.integers(0, 5)), max_size=200)
)
def test_a_limit_stays_within_its_bounds(events: list[tuple[str, int]]) -> None:
    """Whatever the service responds, at least one call may be sent and never more than allowed."""
    for algorithm in (AIMDLimit(10), ThroughputLimit(10)):
        for sent, (event, late) in enumerate(events):
            if event == "answered":
                algorithm.responded(sent - late, 0.1 * (late + 1), int(algorithm.limit))
            elif event == "failed":
                algorithm.failed(0.1 * late)
            else:
                algorithm.throttled(sent - late, sent)
            assert 1 <= algorithm.limit <= 10


@pytest.mark.parametrize(
    "algorithm", [AIMDLimit(16), ThroughputLimit(16)], ids=lambda each: type(each).__name__
)
def test_calls_that_were_sent_before_a_refusal_teach_nothing(algorithm: AIMDLimit) -> None:
    """Neither their responses nor their refusals: they are the same piece of news."""
    before = algorithm.limit
    algorithm.throttled(5, latest=9)
    halved = algorithm.limit
    assert halved == before / 2
    for number in (5, 8, 9):
        algorithm.throttled(number, latest=12)
        for _ in range(50):
            algorithm.responded(number, 0.1, int(halved))
    assert algorithm.limit == halved
    for _ in range(50):
        algorithm.responded(10, 0.1, int(algorithm.limit))
    assert algorithm.limit > halved
    after = algorithm.limit
    algorithm.throttled(10, latest=12)
    assert algorithm.limit == after / 2


def test_a_refusal_ends_a_trial() -> None:
    """The round before it says nothing about a service that refuses since."""
    algorithm, number, limits = ThroughputLimit(256), 0, list[float]()
    while algorithm.limit < 256:
        number += 1
        algorithm.responded(number, 0.1, int(algorithm.limit))
    for _ in range(4):
        number += 100
        algorithm.throttled(number, number)
    assert algorithm.limit == 16
    while algorithm.limit < 60:
        number += 1
        algorithm.responded(number, 0.1, int(algorithm.limit))
        limits.append(algorithm.limit)
    assert limits[-1] == pytest.approx(2 * limits[-2])  # a trial from where the recovery ended, not from 128


class Adaptive:
    """A client with ``adaptive=True`` on virtual time, whose service responds with ``answer()``."""

    def __init__(self) -> None:
        self.world = World(self._respond, in_flight=128, adaptive=True)
        self.company: Company = self.world.company(deadline=60.0, retry=ONCE)
        self.under_way = 0
        self.seconds: Callable[[int], float] = lambda _: 0.1
        self.answer: Callable[[], Response] = lambda: reply({"Data": {"Id": 1}})

    async def _respond(self, *_: Any) -> Response:
        self.under_way += 1
        try:
            await self.world.time.sleep(self.seconds(self.under_way))
        finally:
            self.under_way -= 1
        return self.answer()

    async def send(self, calls: int) -> set[type[BaseException]]:
        """Make so many calls at once, and return the types of their errors."""
        tasks = [asyncio.create_task(self.company.get("Thing", 1)) for _ in range(calls)]
        await self.world.time.finish(*tasks)
        results = await asyncio.gather(*tasks, return_exceptions=True)
        return {type(result) for result in results if isinstance(result, BaseException)}

    @property
    def limit(self) -> int:
        return self.world.transport.stats().companies[0].limit


async def test_a_caller_that_leaves_slots_free_changes_nothing() -> None:
    service = Adaptive()
    for _ in range(50):
        await service.send(31)
    assert service.limit == 32


async def test_responses_that_do_not_come_lower_the_limit() -> None:
    """To the default and not below it."""
    service = Adaptive()
    await service.send(1500)
    service.seconds = lambda _: 1e6
    for _ in range(12):
        assert await service.send(200) != set()
    assert service.limit == 32


async def test_what_fails_at_once_does_not_look_slow() -> None:
    """A connection that is refused in no time says nothing about the load."""
    service = Adaptive()
    await service.send(1500)

    def refuse(*_: Any) -> Response:
        raise SendError("connection refused", sent=False)

    service.seconds, service.answer = (lambda _: 0.0), refuse
    assert await service.send(600) == {NotSentError}
    assert service.limit == 128


async def test_a_response_that_is_not_the_services_counts_once() -> None:
    """A page of a proxy is one response, not also a missing one."""
    service = Adaptive()
    await service.send(1500)
    service.seconds, service.answer = (lambda _: 0.15), lambda: reply(b"<html>", 502)
    assert await service.send(1500) == {NoAnswerError}
    assert service.limit == 128


async def test_a_service_that_gets_a_queue_gets_fewer_calls() -> None:
    """One that is slower with few calls, too, keeps them."""
    service = Adaptive()
    await service.send(1500)
    service.seconds = lambda _: 0.5
    await service.send(3000)
    assert service.limit == 128
    service.seconds = lambda under_way: 0.5 * max(1.0, under_way / 8)  # eight at a time
    await service.send(3000)
    assert service.limit < 64
