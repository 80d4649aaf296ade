"""Slots are handed out in order, within their bounds, and never lost."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.support.virtual import Time
from wosdk_async.transport.limiter.adaptive import AIMDLimit, GradientLimit
from wosdk_async.transport.limiter.limiter import ConcurrencyLimiter


async def spin() -> None:
    """Let everything that is ready run."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_first_come_first_served() -> None:
    """Waiters of one key get their slots in the order in which they asked."""
    limiter, order = ConcurrencyLimiter(1), []
    a = limiter.new_queue()
    await limiter.acquire(a)

    async def wait(number: int) -> None:
        await limiter.acquire(a)
        order.append(number)
        limiter.release(a)

    tasks = [asyncio.create_task(wait(number)) for number in range(5)]
    await spin()
    assert (limiter.in_flight, limiter.queued) == (1, 5)
    limiter.release(a)
    await asyncio.gather(*tasks)
    assert order == [0, 1, 2, 3, 4]
    assert (limiter.in_flight, limiter.queued) == (0, 0)


async def test_a_key_never_holds_more_than_its_share() -> None:
    """A key at its own bound waits although the limiter has room, and others pass it."""
    limiter = ConcurrencyLimiter(10, 2)
    a, b = limiter.new_queue(), limiter.new_queue()
    await limiter.acquire(a)
    await limiter.acquire(a)
    third = asyncio.create_task(limiter.acquire(a))
    await spin()
    await asyncio.wait_for(limiter.acquire(b), 1)
    assert not third.done()
    limiter.release(a)
    await asyncio.wait_for(third, 1)


async def test_keys_take_turns() -> None:
    """A key with a long queue does not hold up one that asks later."""
    limiter, order = ConcurrencyLimiter(1), []
    queues = {key: limiter.new_queue() for key in "abx"}
    await limiter.acquire(queues["x"])

    async def wait(key: str) -> None:
        await limiter.acquire(queues[key])
        order.append(key)
        limiter.release(queues[key])

    tasks = [asyncio.create_task(wait(key)) for key in "aaaabb"]
    await spin()
    limiter.release(queues["x"])
    await asyncio.gather(*tasks)
    assert order == ["a", "b", "a", "b", "a", "a"]


async def test_cancelled_after_being_granted_hands_the_slot_on() -> None:
    """A waiter that is cancelled in the same turn in which it got its slot does not keep it."""
    limiter = ConcurrencyLimiter(1)
    a = limiter.new_queue()
    await limiter.acquire(a)
    first, second = (asyncio.create_task(limiter.acquire(a)) for _ in range(2))
    await spin()
    limiter.release(a)  # grants to the first, which has not run yet
    first.cancel()
    await asyncio.wait_for(second, 1)
    with pytest.raises(asyncio.CancelledError):
        await first
    assert limiter.in_flight == 1


async def test_released_while_a_cancelled_waiter_is_still_queued() -> None:
    """A slot that comes back in the same turn in which the first in line was cancelled goes to the second."""
    limiter = ConcurrencyLimiter(1)
    a = limiter.new_queue()
    await limiter.acquire(a)
    first, second = (asyncio.create_task(limiter.acquire(a)) for _ in range(2))
    await spin()
    first.cancel()
    limiter.release(a)
    await asyncio.wait_for(second, 1)
    limiter.release(a)
    assert (limiter.in_flight, limiter.queued) == (0, 0)


@examples(120)
@given(
    total=st.integers(1, 4),
    each=st.integers(1, 4),
    steps=st.lists(
        st.tuples(st.sampled_from(["ask", "ask", "release", "cancel", "spin", "spin"]), st.integers(0, 5)),
        max_size=40,
    ),
)
def test_no_slot_is_lost_or_made(total: int, each: int, steps: list[tuple[str, int]]) -> None:
    """Whatever is asked, released and cancelled in whatever order: bounds hold and all slots come back."""

    async def scenario() -> None:
        limiter, holding, waiting = ConcurrencyLimiter(total, each), [], []
        queues = {key: limiter.new_queue() for key in "abc"}

        def settle() -> None:
            for key, task in list(waiting):
                if task.done():
                    waiting.remove((key, task))
                    if not task.cancelled():
                        holding.append(key)
            assert len(holding) <= total
            assert all(holding.count(key) <= each for key in holding)

        for step, number in steps:
            if step == "ask":
                key = "abc"[number % 3]
                waiting.append((key, asyncio.create_task(limiter.acquire(queues[key]))))
            elif step == "release" and holding:
                limiter.release(queues[holding.pop(number % len(holding))])
            elif step == "cancel" and waiting:
                waiting[number % len(waiting)][1].cancel()
            elif step == "spin":
                await spin()
                settle()
        while waiting or holding:
            await spin()
            settle()
            if holding:
                limiter.release(queues[holding.pop()])
        assert (limiter.in_flight, limiter.queued) == (0, 0)

    asyncio.run(scenario())


async def test_waiters_of_a_rate_go_one_by_one() -> None:
    """Each waits its own share of the rate, and the last one is not forgotten."""
    time = Time()
    limiter = ConcurrencyLimiter(10, rate=2.0, clock=time.clock())
    queue, granted = limiter.new_queue(), []

    async def call() -> None:
        await limiter.acquire(queue)
        granted.append(time.seconds)

    tasks = [asyncio.create_task(call()) for _ in range(4)]
    await time.finish(*tasks)
    waits = [later - earlier for earlier, later in itertools.pairwise(granted)]
    assert waits == pytest.approx([0.4, 0.5, 0.5])  # 0.1 s that was not used may be caught up
    assert (limiter.in_flight, limiter.queued, limiter.granted) == (4, 0, 4)


async def test_a_queue_that_everybody_left_is_passed_over() -> None:
    """Its turn is not given to nobody: the slot goes to the next queue."""
    limiter = ConcurrencyLimiter(1)
    held, left, next_one = (limiter.new_queue() for _ in range(3))
    await limiter.acquire(held)
    gone = asyncio.create_task(limiter.acquire(left))
    await spin()
    waiting = asyncio.create_task(limiter.acquire(next_one))
    await spin()
    gone.cancel()
    await spin()
    limiter.release(held)
    await asyncio.wait_for(waiting, 1)
    assert (limiter.in_flight, limiter.queued) == (1, 0)
    limiter.release(next_one)
    assert (limiter.in_flight, limiter.queued) == (0, 0)


@pytest.mark.parametrize(
    "algorithm", [AIMDLimit(16), GradientLimit(16)], ids=lambda each: type(each).__name__
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
        algorithm.responded(10, 0.1, int(halved))
    assert algorithm.limit > halved
    after = algorithm.limit
    algorithm.throttled(10, latest=12)
    assert algorithm.limit == after / 2


async def test_a_limit_that_falls_while_calls_wait_holds_for_them() -> None:
    """They were next in line for a slot of the client, and now wait for one of their own Company."""
    limiter = ConcurrencyLimiter(4)
    mine, other = limiter.new_queue(), limiter.new_queue()
    for queue in (mine, mine, mine, other):
        await limiter.acquire(queue)
    waiting = asyncio.create_task(limiter.acquire(mine))
    await spin()
    mine.algorithm.throttled(3, limiter.granted)
    limiter.release(other)
    await spin()
    assert (mine.limit, mine.held, limiter.queued) == (2, 3, 1)
    for _ in range(2):
        limiter.release(mine)
    await asyncio.wait_for(waiting, 1)
    assert (mine.held, limiter.in_flight, limiter.queued) == (2, 2, 0)
