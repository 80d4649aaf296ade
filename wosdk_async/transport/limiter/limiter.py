"""Who may send now: a bounded number of calls in flight, first come first served.

Every Company has a queue with its own bound below the bound of the client, and the queues take turns, so that
one with a long queue does not hold up the others. Taking and giving back a slot costs the same however many
wait: only queues that could go, if there was a free slot, are in the line of turns.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable

from wosdk_async.transport.clock import Clock, Timer
from wosdk_async.transport.limiter.adaptive import AIMDLimit, LimitAlgorithm

__all__ = ["ConcurrencyLimiter", "TenantQueue"]

_BURST = 0.1  # seconds: what was not used of a rate for so long may be caught up


class TenantQueue:
    """The slots and the queue of one Company at one limiter; made by :meth:`ConcurrencyLimiter.new_queue`."""

    __slots__ = ("algorithm", "calls", "held", "limiter", "next_at", "ready", "timer", "waiting")

    def __init__(self, limiter: ConcurrencyLimiter, algorithm: LimitAlgorithm) -> None:
        self.limiter = limiter
        self.algorithm = algorithm
        self.calls = 0
        """Calls of any state: the transport counts them here."""
        self.held = 0
        self.waiting: OrderedDict[asyncio.Future[None], None] = OrderedDict()
        self.ready = False
        self.next_at = 0.0
        self.timer: Timer | None = None

    def __repr__(self) -> str:
        return f"<TenantQueue {self.held} of {self.limit} in flight, {len(self.waiting)} queued>"

    @property
    def limit(self) -> int:
        """How many calls may be in flight now."""
        return int(self.algorithm.limit)


class ConcurrencyLimiter:
    """Hands out at most ``total`` slots at once, and to each queue what its algorithm allows.

    ``each`` bounds every queue, ``rate`` the slots that one is given in a second. A caller that is cancelled
    while it waits leaves the queue; one that is cancelled just after it was granted a slot hands it on.
    """

    def __init__(
        self,
        total: int,
        each: int | None = None,
        *,
        rate: float | None = None,
        clock: Clock | None = None,
        algorithm: Callable[[int], LimitAlgorithm] = AIMDLimit,
    ) -> None:
        self._total = total
        self._each = min(total, each or total)
        self._algorithm = algorithm
        self._clock = clock or Clock()
        self._interval = 1 / rate if rate else 0.0
        self._free = total
        self._ready: deque[TenantQueue] = (
            deque()
        )  # the queues that wait for a free slot alone, next one first
        self.queued = 0
        """How many callers wait."""
        self.sent = 0
        """How many slots were given so far: the number of the call that got the last one."""

    def __repr__(self) -> str:
        return f"<ConcurrencyLimiter {self.in_flight} of {self._total} in flight, {self.queued} queued>"

    @property
    def in_flight(self) -> int:
        """How many slots are held."""
        return self._total - self._free

    def new_queue(self) -> TenantQueue:
        """A new queue."""
        return TenantQueue(self, self._algorithm(self._each))

    def take(self, queue: TenantQueue) -> bool:
        """Take a slot if that is possible without waiting."""
        if not self._free or queue.waiting or queue.held + 1 > queue.algorithm.limit:
            return False
        if self._interval and self._clock.now() < queue.next_at:
            return False
        self._free -= 1
        queue.held += 1
        self.sent += 1
        if self._interval:
            self._spend(queue)
        return True

    async def acquire(self, queue: TenantQueue) -> None:
        """Wait for a slot."""
        if self.take(queue):
            return
        granted = self.enqueue(queue)
        try:
            await granted
        except asyncio.CancelledError:
            self.leave(queue, granted)
            raise

    def enqueue(self, queue: TenantQueue) -> asyncio.Future[None]:
        """A place in the queue. Whoever has waited for it has a slot; when cancelled, it is to :meth:`leave`.

        :meth:`acquire` without its coroutine: very many may wait, and the garbage collector sees each.
        """
        granted = asyncio.get_running_loop().create_future()
        queue.waiting[granted] = None
        self.queued += 1
        self._make_ready(queue)
        self._grant()
        return granted

    def leave(self, queue: TenantQueue, granted: asyncio.Future[None]) -> None:
        """Give a place in the queue up, or the slot that was granted in the same turn of the loop."""
        if granted.done() and not granted.cancelled():
            self.release(queue)
        elif granted in queue.waiting:  # not yet taken out by a grant that came by
            del queue.waiting[granted]
            self.queued -= 1

    def release(self, queue: TenantQueue) -> None:
        """Give a slot back and let the next in line go."""
        self._free += 1
        queue.held -= 1
        if queue.waiting:
            self._make_ready(queue)
        if self._ready:
            self._grant()

    def _may_go(self, queue: TenantQueue) -> bool:
        if queue.held >= int(queue.algorithm.limit):
            return False
        return not self._interval or self._clock.now() >= queue.next_at

    def _spend(self, queue: TenantQueue) -> None:
        """Take one slot's share of the rate."""
        queue.next_at = max(queue.next_at, self._clock.now() - _BURST) + self._interval

    def _make_ready(self, queue: TenantQueue) -> None:
        """Put a queue with a queue into the line, unless it has to wait for something else first."""
        if queue.ready or not queue.waiting or queue.held >= int(queue.algorithm.limit):
            return
        if not self._may_go(queue):
            self._wake_later(queue)
        else:
            queue.ready = True
            self._ready.append(queue)

    def _wake_later(self, queue: TenantQueue) -> None:
        def due() -> None:
            queue.timer = None
            self._make_ready(queue)
            self._grant()

        if queue.timer is None:
            queue.timer = self._clock.call_later(max(0.0, queue.next_at - self._clock.now()), due)

    def _grant(self) -> None:
        """TokenGrant what can be granted, one turn for each queue in the line."""
        while self._free and self._ready:
            queue = self._ready.popleft()
            queue.ready = False
            if queue.waiting and self._may_go(queue):
                granted, _ = queue.waiting.popitem(last=False)
                self.queued -= 1
                if not granted.done():  # else cancelled, and not yet gone from the queue
                    self._free -= 1
                    queue.held += 1
                    self.sent += 1
                    if self._interval:
                        self._spend(queue)
                    granted.set_result(None)
            self._make_ready(queue)
