"""Who may send now: a bounded number of calls in flight, first come first served.

Every Company has a lane with its own bound below the bound of the client, and the lanes take turns, so that
one with a long queue does not hold up the others. Taking and giving back a slot costs the same however many
wait: only lanes that could go, if there was a free slot, are in the line of turns.
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
    """The slots and the queue of one Company at one gate; made by :meth:`ConcurrencyLimiter.lane`."""

    __slots__ = ("calls", "control", "gate", "held", "in_line", "next_at", "queue", "timer")

    def __init__(self, gate: ConcurrencyLimiter, control: LimitAlgorithm) -> None:
        self.gate = gate
        self.control = control
        self.calls = 0
        """Calls of any state: the transport counts them here."""
        self.held = 0
        self.queue: OrderedDict[asyncio.Future[None], None] = OrderedDict()
        self.in_line = False
        self.next_at = 0.0
        self.timer: Timer | None = None

    def __repr__(self) -> str:
        return f"<TenantQueue {self.held} of {self.limit} in flight, {len(self.queue)} queued>"

    @property
    def limit(self) -> int:
        """How many calls may be in flight now."""
        return int(self.control.limit)


class ConcurrencyLimiter:
    """Hands out at most ``total`` slots at once, and to each lane what its control allows.

    ``each`` bounds every lane, ``rate`` the slots that one is given in a second. A caller that is cancelled
    while it waits leaves the queue; one that is cancelled just after it was granted a slot hands it on.
    """

    def __init__(
        self,
        total: int,
        each: int | None = None,
        *,
        rate: float | None = None,
        clock: Clock | None = None,
        control: Callable[[int], LimitAlgorithm] = AIMDLimit,
    ) -> None:
        self._total = total
        self._each = min(total, each or total)
        self._control = control
        self._clock = clock or Clock()
        self._interval = 1 / rate if rate else 0.0
        self._free = total
        self._line: deque[TenantQueue] = deque()  # the lanes that wait for a free slot alone, next one first
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

    def lane(self) -> TenantQueue:
        """A new lane."""
        return TenantQueue(self, self._control(self._each))

    def take(self, lane: TenantQueue) -> bool:
        """Take a slot if that is possible without waiting."""
        if not self._free or lane.queue or lane.held + 1 > lane.control.limit:
            return False
        if self._interval and self._clock.now() < lane.next_at:
            return False
        self._free -= 1
        lane.held += 1
        self.sent += 1
        if self._interval:
            self._spend(lane)
        return True

    async def acquire(self, lane: TenantQueue) -> None:
        """Wait for a slot."""
        if self.take(lane):
            return
        granted = self.queue(lane)
        try:
            await granted
        except asyncio.CancelledError:
            self.leave(lane, granted)
            raise

    def queue(self, lane: TenantQueue) -> asyncio.Future[None]:
        """A place in the queue. Whoever has waited for it has a slot; when cancelled, it is to :meth:`leave`.

        :meth:`acquire` without its coroutine: very many may wait, and the garbage collector sees each.
        """
        granted = asyncio.get_running_loop().create_future()
        lane.queue[granted] = None
        self.queued += 1
        self._line_up(lane)
        self._grant()
        return granted

    def leave(self, lane: TenantQueue, granted: asyncio.Future[None]) -> None:
        """Give a place in the queue up, or the slot that was granted in the same turn of the loop."""
        if granted.done() and not granted.cancelled():
            self.release(lane)
        elif granted in lane.queue:  # not yet taken out by a grant that came by
            del lane.queue[granted]
            self.queued -= 1

    def release(self, lane: TenantQueue) -> None:
        """Give a slot back and let the next in line go."""
        self._free += 1
        lane.held -= 1
        if lane.queue:
            self._line_up(lane)
        if self._line:
            self._grant()

    def _may_go(self, lane: TenantQueue) -> bool:
        if lane.held >= int(lane.control.limit):
            return False
        return not self._interval or self._clock.now() >= lane.next_at

    def _spend(self, lane: TenantQueue) -> None:
        """Take one slot's share of the rate."""
        lane.next_at = max(lane.next_at, self._clock.now() - _BURST) + self._interval

    def _line_up(self, lane: TenantQueue) -> None:
        """Put a lane with a queue into the line, unless it has to wait for something else first."""
        if lane.in_line or not lane.queue or lane.held >= int(lane.control.limit):
            return
        if not self._may_go(lane):
            self._wake_later(lane)
        else:
            lane.in_line = True
            self._line.append(lane)

    def _wake_later(self, lane: TenantQueue) -> None:
        def due() -> None:
            lane.timer = None
            self._line_up(lane)
            self._grant()

        if lane.timer is None:
            lane.timer = self._clock.call_later(max(0.0, lane.next_at - self._clock.now()), due)

    def _grant(self) -> None:
        """TokenGrant what can be granted, one turn for each lane in the line."""
        while self._free and self._line:
            lane = self._line.popleft()
            lane.in_line = False
            if lane.queue and self._may_go(lane):
                granted, _ = lane.queue.popitem(last=False)
                self.queued -= 1
                if not granted.done():  # else cancelled, and not yet gone from the queue
                    self._free -= 1
                    lane.held += 1
                    self.sent += 1
                    if self._interval:
                        self._spend(lane)
                    granted.set_result(None)
            self._line_up(lane)
