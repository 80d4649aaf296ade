"""Concurrency limiter: slots for a bounded number of calls in flight, first come first served.

Every Company has its own queue with its own limit; the limit of the client applies to all queues together.
The queues take turns, so that one Company with many calls does not delay the others. A queue takes turns only
while it is ready: calls wait in it, and its limit and rate allow another slot. So the cost of a slot does not
depend on how many calls wait.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable

from wosdk_async.transport.clock import Timer, TransportClock
from wosdk_async.transport.limiter.adaptive import AIMDLimit, LimitAlgorithm

__all__ = ["ConcurrencyLimiter", "TenantQueue"]

_BURST = 0.1  # seconds; after a pause, the slots that the rate allows in this time are granted at once


def _interval(rate: float | None) -> float:
    return 1 / rate if rate else 0.0


class TenantQueue:
    """Queue of one Company at one limiter; ``ConcurrencyLimiter.new_queue`` makes it."""

    __slots__ = ("algorithm", "calls", "held", "interval", "limiter", "next_at", "ready", "timer", "waiting")

    def __init__(self, limiter: ConcurrencyLimiter, algorithm: LimitAlgorithm, interval: float) -> None:
        self.limiter = limiter
        self.algorithm = algorithm
        self.interval = interval
        """Seconds from one slot to the next by its rate; 0 without a rate."""
        self.calls = 0
        """Calls that have not ended, waiting or not. The transport counts them here."""
        self.held = 0
        """Slots in use."""
        self.waiting: OrderedDict[asyncio.Future[None], None] = OrderedDict()
        """Futures of the calls that wait for a slot, in order. Each is done when its call has one."""
        self.ready = False
        """Whether it takes turns."""
        self.next_at = 0.0
        """Time from which the rate allows the next slot."""
        self.timer: Timer | None = None

    def __repr__(self) -> str:
        return f"<TenantQueue {self.held} of {self.limit} in flight, {len(self.waiting)} queued>"

    @property
    def limit(self) -> int:
        """Calls that may be in flight now."""
        return int(self.algorithm.limit)


class ConcurrencyLimiter:
    """Limiter that grants at most ``total`` slots at a time, within one event loop.

    A queue holds at most as many slots as its algorithm allows, at most ``per_queue``, and gets at most
    ``rate`` slots in a second, or as many as :meth:`set_rate` says. A caller that is cancelled while it waits
    leaves the queue; if it had just been granted a slot, that slot goes to the next caller.
    """

    def __init__(
        self,
        total: int,
        per_queue: int | None = None,
        *,
        rate: float | None = None,
        clock: TransportClock | None = None,
        algorithm: Callable[[int], LimitAlgorithm] = AIMDLimit,
    ) -> None:
        # Changed by the thread of its loop alone. GIL: the repr of a client reads numbers from other threads.
        self._total = total
        self._per_queue = min(total, per_queue or total)
        self._algorithm = algorithm
        self._clock = clock or TransportClock()
        self.rate = rate
        self._free = total
        self._ready: deque[TenantQueue] = deque()  # queues that are ready, in turn
        self.queued = 0
        """Callers that wait for a slot."""
        self.granted = 0
        """Slots granted so far. It is also the number of the latest attempt, as each attempt needs a slot."""

    def __repr__(self) -> str:
        return f"<ConcurrencyLimiter {self.in_flight} of {self._total} in flight, {self.queued} queued>"

    @property
    def in_flight(self) -> int:
        """Slots in use."""
        return self._total - self._free

    def new_queue(self) -> TenantQueue:
        """Return a queue for one more Company."""
        return TenantQueue(self, self._algorithm(self._per_queue), _interval(self.rate))

    def set_rate(self, queue: TenantQueue, rate: float | None) -> None:
        """Give ``queue`` at most ``rate`` slots in a second from now on; None for no limit.

        The next slot is as far from the last one as the new rate says. Time in which no slot was taken is not
        caught up at the new rate.
        """
        interval = _interval(rate)
        queue.next_at = max(queue.next_at - queue.interval + interval, self._clock.now())
        queue.interval = interval
        if queue.timer is not None:
            queue.timer.cancel()
            queue.timer = None
        self._make_ready(queue)
        self._grant()

    def take(self, queue: TenantQueue) -> bool:
        """Take a slot without waiting. Return False if none is allowed or calls wait already."""
        if not self._free or queue.waiting or queue.held + 1 > queue.algorithm.limit:
            return False
        if queue.interval and self._clock.now() < queue.next_at:
            return False
        self._free -= 1
        queue.held += 1
        self.granted += 1
        if queue.interval:
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
        """Join the queue, and return a future that is done when the caller has a slot.

        A caller that is cancelled meanwhile must call :meth:`leave`. This does the same as :meth:`acquire`
        without a coroutine: very many calls may wait, and each coroutine costs garbage collection.
        """
        granted = asyncio.get_running_loop().create_future()
        queue.waiting[granted] = None
        self.queued += 1
        self._make_ready(queue)
        self._grant()
        return granted

    def leave(self, queue: TenantQueue, granted: asyncio.Future[None]) -> None:
        """Leave the queue. A slot that was granted in the same turn of the loop is released."""
        if granted.done() and not granted.cancelled():
            self.release(queue)
        elif granted in queue.waiting:  # else a grant has removed it already
            del queue.waiting[granted]
            self.queued -= 1

    def release(self, queue: TenantQueue) -> None:
        """Give a slot back, and grant it to the next caller."""
        self._free += 1
        queue.held -= 1
        if queue.waiting:
            self._make_ready(queue)
        if self._ready:
            self._grant()

    def _may_grant(self, queue: TenantQueue) -> bool:
        """Return whether limit and rate of ``queue`` allow another slot."""
        if queue.held >= int(queue.algorithm.limit):
            return False
        return not queue.interval or self._clock.now() >= queue.next_at

    def _spend(self, queue: TenantQueue) -> None:
        """Set the time of the next slot, after one was granted."""
        queue.next_at = max(queue.next_at, self._clock.now() - _BURST) + queue.interval

    def _make_ready(self, queue: TenantQueue) -> None:
        """Let ``queue`` take turns if it is ready; if only its rate forbids a slot, try again later."""
        if queue.ready or not queue.waiting or queue.held >= int(queue.algorithm.limit):
            return
        if not self._may_grant(queue):
            self._wake_later(queue)
        else:
            queue.ready = True
            self._ready.append(queue)

    def _wake_later(self, queue: TenantQueue) -> None:
        """Call ``_make_ready`` again when the rate of ``queue`` allows the next slot."""

        def due() -> None:
            queue.timer = None
            self._make_ready(queue)
            self._grant()

        if queue.timer is None:
            queue.timer = self._clock.call_later(max(0.0, queue.next_at - self._clock.now()), due)

    def _grant(self) -> None:
        """Grant the free slots, one to each queue in turn."""
        while self._free and self._ready:
            queue = self._ready.popleft()
            queue.ready = False
            if queue.waiting and self._may_grant(queue):
                granted, _ = queue.waiting.popitem(last=False)
                self.queued -= 1
                if not granted.done():  # else its caller was cancelled, and will call `leave`
                    self._free -= 1
                    queue.held += 1
                    self.granted += 1
                    if queue.interval:
                        self._spend(queue)
                    granted.set_result(None)
            self._make_ready(queue)
