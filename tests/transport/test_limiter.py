"""Slots are handed out in order, within their bounds, and never lost."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.support.virtual import Time
from wosdk_async.transport.limiter import SHARE, ConcurrencyLimiter, TenantQueue


async def spin() -> None:
    """Let everything that is ready run."""
    for _ in range(10):
        await asyncio.sleep(0)


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


# --- shares of Companies ------------------------------------------------------------------------


class Callers:
    """Callers of one limiter, and what must hold between any two of their steps."""

    def __init__(self, total: int, ceiling: int, each: int) -> None:
        self.limiter = ConcurrencyLimiter(total, each, ceiling=ceiling)
        self.total, self.ceiling, self.each = total, max(total, ceiling), min(total, each)
        self.queues = [self.limiter.new_queue() for _ in range(4)]
        self.holding: list[TenantQueue] = []
        self.waiting: list[tuple[TenantQueue, asyncio.Future[None]]] = []

    def step(self, kind: str, number: int) -> None:
        held = [queue.held for queue in self.queues]
        if kind == "ask":
            queue = self.queues[number % len(self.queues)]
            if self.limiter.take(queue):
                self.holding.append(queue)
            else:
                self.waiting.append((queue, self.limiter.enqueue(queue)))
        elif kind == "release" and self.holding:
            self.limiter.release(self.holding.pop(number % len(self.holding)))
        elif kind == "run" and self.waiting:  # the caller finds out whether it has been granted a slot
            queue, granted = self.waiting.pop(number % len(self.waiting))
            if granted.cancelled():
                self.limiter.leave(queue, granted)
            elif granted.done():
                self.holding.append(queue)
            else:
                self.waiting.append((queue, granted))
        elif kind == "cancel" and self.waiting:
            queue, granted = self.waiting.pop(number % len(self.waiting))
            if granted.cancel():
                self.waiting.append((queue, granted))  # until it runs
            else:
                self.limiter.leave(queue, granted)
        self.check(held)

    def is_alone(self, queue: TenantQueue) -> bool:
        return not any(each.held for each in self.queues if each is not queue)

    def check(self, held_before: list[int]) -> None:
        in_flight = sum(queue.held for queue in self.queues)
        free = self.total - in_flight
        assert in_flight == self.limiter.in_flight <= self.ceiling
        for queue, before in zip(self.queues, held_before, strict=True):
            assert queue.held <= self.each
            if queue.held > max(before, SHARE):
                assert free >= 0, "what is beyond the limit of the client is for shares"
                assert self.is_alone(queue) or queue.held - SHARE <= free
        for queue in {queue for queue, granted in self.waiting if not granted.done()}:
            if queue.held < min(SHARE, self.each):
                assert in_flight == self.ceiling
            elif queue.held < self.each:
                assert free <= 0 or (queue.held + 1 - SHARE > free - 1 and not self.is_alone(queue))

    def end(self) -> None:
        """Let every caller run and give its slot back."""
        for _ in range(2 * len(self.waiting) + 1):
            while self.holding:
                self.step("release", 0)
            for _ in range(len(self.waiting)):
                self.step("run", 0)
        assert not self.waiting
        assert (self.limiter.in_flight, self.limiter.queued) == (0, 0)


@examples(300)
@given(
    total=st.integers(1, 24),
    burst=st.integers(0, 20),
    each=st.integers(1, 24),
    steps=st.lists(
        st.tuples(
            st.sampled_from(["ask", "ask", "ask", "release", "release", "run", "cancel"]), st.integers(0, 50)
        ),
        max_size=40,
    ),
)
async def test_each_company_gets_its_share_and_none_takes_what_is_kept_for_others(
    total: int, burst: int, each: int, steps: list[tuple[str, int]]
) -> None:
    """After every step: the ceiling holds, nobody below its share waits in vain, nobody above it takes more
    than half of what was free while others are active, and a slot that may be granted is granted.
    """

    callers = Callers(total, total + burst, each)
    for kind, number in steps:
        for _ in range(1 + number // 5):
            callers.step(kind, number)
    callers.end()


async def test_the_company_that_holds_fewest_is_next() -> None:
    """Whoever waits longer; those that hold equally many take turns."""
    limiter, order = ConcurrencyLimiter(10), []
    full, some, few = (limiter.new_queue() for _ in range(3))
    for queue, held in ((full, 7), (few, 1), (some, 2)):
        while queue.held < held:
            assert limiter.take(queue)
    for queue in (some, few, few, some):
        limiter.enqueue(queue)
    for _ in range(4):
        before = some.held
        limiter.release(full)
        order.append("some" if some.held > before else "few")
    assert order == ["few", "some", "few", "some"]
    assert (few.held, some.held, full.held) == (3, 4, 3)


def take_all(limiter: ConcurrencyLimiter, queue: TenantQueue) -> int:
    """Take slots until none is allowed, and return how many ``queue`` holds."""
    while limiter.take(queue):
        pass
    return queue.held


def test_each_company_takes_half_of_what_the_others_left() -> None:
    """The first is alone, and gets what it may have. Those that find nothing still get four."""
    limiter = ConcurrencyLimiter(100, 32, ceiling=112)
    held = [take_all(limiter, limiter.new_queue()) for _ in range(8)]
    assert held == [32, 32, 20, 10, 5, 4, 4, 4]
    assert take_all(limiter, limiter.new_queue()) == 1, "the ceiling"


async def test_a_company_gets_what_was_kept_free_when_the_others_have_ended() -> None:
    """At once: it does not have to wait until one of its own calls ends."""
    limiter = ConcurrencyLimiter(10)
    mine, other = limiter.new_queue(), limiter.new_queue()
    assert limiter.take(other)
    held = take_all(limiter, mine)
    waiting = [limiter.enqueue(mine) for _ in range(10 - held)]
    assert not any(each.done() for each in waiting)
    limiter.release(other)
    assert all(each.done() for each in waiting)
    assert mine.held == 10


async def test_a_company_that_waits_while_its_calls_end_has_its_place_among_the_others() -> None:
    """It was behind another one because it held more; when a slot becomes free, it holds fewer."""
    limiter = ConcurrencyLimiter(20, ceiling=24)
    mine, other, third, fourth = (limiter.new_queue() for _ in range(4))
    for queue, held in ((mine, 8), (other, 6), (third, 5), (fourth, 4)):
        while queue.held < held:
            assert limiter.take(queue)
    waiting = {queue: limiter.enqueue(queue) for queue in (mine, other)}
    for queue in (mine, mine, mine, fourth, fourth, fourth):
        assert not any(each.done() for each in waiting.values())
        limiter.release(queue)
    assert waiting[mine].done()
    assert not waiting[other].done()


# --- rates and limits ---------------------------------------------------------------------------


async def test_waiters_of_a_rate_go_one_by_one() -> None:
    """Each waits its own share of the rate, and the last one is not forgotten."""
    time = Time()
    limiter = ConcurrencyLimiter(10, clock=time.clock())
    queue, granted = limiter.new_queue(2.0), []

    async def call() -> None:
        await limiter.acquire(queue)
        granted.append(time.seconds)

    tasks = [asyncio.create_task(call()) for _ in range(4)]
    await time.finish(*tasks)
    waits = [later - earlier for earlier, later in itertools.pairwise(granted)]
    assert waits == pytest.approx([0.4, 0.5, 0.5])  # 0.1 s that was not used may be caught up
    assert (limiter.in_flight, limiter.queued, limiter.granted) == (4, 0, 4)
    await time.pass_by(0.5)
    assert limiter.take(queue), "nobody waits, and the rate allows it"


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
