"""Slots are handed out in order, within their bounds, and never lost."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import examples
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
