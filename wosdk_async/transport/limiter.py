"""Concurrency limiter: a bounded number of slots for calls, shared fairly between Companies.

Each Company has its own first-in, first-out queue and limit. A free slot goes to the Company that holds the
fewest slots; tied Companies take turns.

A slot cannot be revoked: a host that hangs keeps its Company's slots until their deadlines. Therefore each
Company may hold ``SHARE`` slots even if the shared total is used up, until the client reaches its ceiling, a
higher limit. While other Companies hold slots, a Company that exceeds ``SHARE`` must leave as many slots free
as it holds above ``SHARE``, so that the next Company finds one.

A queue is ready while calls wait in it and its limit and rate allow another slot. Ready queues are grouped by
the number of slots they hold, so granting a slot takes constant time, however many calls wait.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable
from functools import partial

import attrs

from wosdk_async.options import DEFAULT_IN_FLIGHT
from wosdk_async.transport.clock import Timer, TransportClock

SHARE = 4
"""Slots that each Company may hold even if others use up the shared total; the ceiling still applies."""

_BURST = 0.1  # after a pause, slots for this many seconds at the rate may be granted at once


def _interval(rate: float | None) -> float:
    return 1 / rate if rate else 0.0


class AIMDLimit:
    """Limit that is halved by a 429 or 503, then grows by one per round of responses.

    AIMD stands for additive increase, multiplicative decrease. Attempts are numbered in sending order.
    Refusals of attempts sent before the halving do not count, because they report the same overload.
    """

    def __init__(self, maximum: int) -> None:
        self.limit: float = maximum
        self._maximum = maximum
        self._last_before_halving = 0

    def responded(self, number: int, seconds: float, in_flight: int) -> None:  # noqa: ARG002 - for subclasses
        """Raise the limit after a response, unless its attempt predates the last halving."""
        if self.limit < self._maximum and number > self._last_before_halving:
            self.limit = min(self._maximum, self.limit + 1 / self.limit)

    def failed(self, seconds: float) -> None:
        """Do nothing: a missing response says nothing about load."""

    def throttled(self, number: int, latest: int) -> None:
        """Halve the limit, unless attempt ``number`` predates the last halving."""
        if number > self._last_before_halving:
            self.limit = max(1.0, self.limit / 2)
            self._last_before_halving = latest


@attrs.define(eq=False, repr=False)
class TenantQueue:
    """Queue of one Company in one limiter, created by ``ConcurrencyLimiter.new_queue``."""

    limiter: ConcurrencyLimiter
    algorithm: AIMDLimit
    interval: float
    """Seconds between slots at the configured rate; 0 without a rate."""
    calls: int = 0
    """Number of unfinished calls, waiting or sending; maintained by the dispatcher."""
    held: int = 0
    """Number of slots in use."""
    waiting: OrderedDict[asyncio.Future[None], None] = attrs.field(factory=OrderedDict)
    """Futures of the waiting calls, in order. A future is done when its call is granted a slot."""
    level: int | None = None
    """Key of this queue among the limiter's ready queues; None if the queue is not ready."""
    next_at: float = 0.0
    """Time at which the rate allows the next slot."""
    timer: Timer | None = None

    @property
    def limit(self) -> int:
        """Current maximum of calls in flight."""
        return int(self.algorithm.limit)


class ConcurrencyLimiter:
    """Limiter of one event loop's slots.

    At most ``total`` slots are in use. Queues that hold fewer than ``SHARE`` slots may exceed the total, up
    to ``ceiling``. A queue holds at most as many slots as its algorithm allows; the algorithm's maximum is
    ``per_queue``.
    """

    def __init__(
        self,
        total: int,
        per_queue: int | None = None,
        *,
        ceiling: int | None = None,
        clock: TransportClock | None = None,
        algorithm: Callable[[int], AIMDLimit] = AIMDLimit,
    ) -> None:
        # Only the loop's thread changes these attributes. GIL: the client's repr reads them in any thread.
        ceiling = total if ceiling is None else ceiling
        self._total = total = min(total, ceiling)
        self._min_free = total - ceiling
        """Minimum of ``_free``, which is negative while more than ``total`` slots are in use."""
        self._per_queue = min(total, per_queue or total)
        self._algorithm = algorithm
        self._clock = clock or TransportClock()
        self._free = total
        self._ready: dict[int, dict[TenantQueue, None]] = {}
        """Ready queues by the number of slots they hold, in turn order."""
        self.queued = 0
        """Number of callers waiting for a slot."""
        self.granted = 0
        """Slots granted so far. Each attempt needs a slot, so this is also the latest attempt's number."""

    def __repr__(self) -> str:
        ceiling = self._total - self._min_free
        bounds = f"limit {self._total}, at most {ceiling} so that each Company gets {SHARE}"
        return f"<ConcurrencyLimiter {self.in_flight} in flight ({bounds}), {self.queued} queued>"

    @property
    def in_flight(self) -> int:
        """Number of slots in use."""
        return self._total - self._free

    def new_queue(self, rate: float | None = None) -> TenantQueue:
        """Return a queue for another Company, limited to ``rate`` slots per second."""
        return TenantQueue(self, self._algorithm(self._per_queue), _interval(rate))

    def set_rate(self, queue: TenantQueue, rate: float | None) -> None:
        """Limit ``queue`` to ``rate`` slots per second from now on; None removes the limit.

        Slots left unused before the change are not granted later.
        """
        interval = _interval(rate)
        queue.next_at = max(queue.next_at - queue.interval + interval, self._clock.now())
        queue.interval = interval
        if queue.timer is not None:
            queue.timer.cancel()
        self._wake(queue)

    def take(self, queue: TenantQueue) -> bool:
        """Take a slot without waiting. Return False if none is allowed or other calls are waiting."""
        held = queue.held
        if queue.waiting or held + 1 > queue.algorithm.limit:
            return False
        free = self._free
        # The first two comparisons usually suffice: many slots are free, or no other Company holds one.
        if held >= free and held + free != self._total and not self._has_room(queue):
            return False
        if queue.interval and self._clock.now() < queue.next_at:
            return False
        self._free, queue.held = free - 1, held + 1
        self.granted += 1
        if queue.interval:
            self._keep_pace(queue)
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

        A caller that is cancelled while waiting must call :meth:`leave`. Unlike :meth:`acquire`, this needs
        no coroutine: when thousands of calls wait, each coroutine adds garbage-collection cost.
        """
        granted = asyncio.get_running_loop().create_future()
        queue.waiting[granted] = None
        self.queued += 1
        self._make_ready(queue)
        self._grant()
        return granted

    def leave(self, queue: TenantQueue, granted: asyncio.Future[None]) -> None:
        """Leave the queue, and release a slot granted in the same iteration of the event loop."""
        if granted.done() and not granted.cancelled():
            self.release(queue)
        elif granted in queue.waiting:  # missing if a grant has already removed it
            del queue.waiting[granted]
            self.queued -= 1

    def release(self, queue: TenantQueue) -> None:
        """Release a slot, and grant it to the next caller."""
        self._free += 1
        queue.held -= 1
        if queue.waiting:
            has_fewest = not self._ready or queue.held < min(self._ready)
            if has_fewest and self._may_grant(queue) and self._has_room(queue):
                self._grant_first(queue)
            self._make_ready(queue)
        if self._ready:
            self._grant()

    def _has_room(self, queue: TenantQueue) -> bool:
        """Return whether a slot is free for ``queue``, not counting those reserved for other Companies."""
        free, held = self._free, queue.held
        if held < SHARE:
            return free > self._min_free
        # The last condition means that no other Company holds a slot.
        return held + 1 - SHARE < free or held == self._total - free

    def _may_grant(self, queue: TenantQueue) -> bool:
        if queue.held >= int(queue.algorithm.limit):
            return False
        return not queue.interval or self._clock.now() >= queue.next_at

    def _keep_pace(self, queue: TenantQueue) -> None:
        queue.next_at = max(queue.next_at, self._clock.now() - _BURST) + queue.interval

    def _make_ready(self, queue: TenantQueue) -> None:
        """Mark ``queue`` as ready if it may get a slot. If only its rate forbids this, schedule a retry."""
        if queue.level == queue.held or not queue.waiting or queue.held >= int(queue.algorithm.limit):
            return
        if self._may_grant(queue):
            self._remove_ready(queue)  # the queue may be listed under another number of slots
            queue.level = queue.held
            self._ready.setdefault(queue.held, {})[queue] = None
        elif queue.timer is None:
            wait = max(0.0, queue.next_at - self._clock.now())
            queue.timer = self._clock.wake_later(wait, partial(self._wake, queue))

    def _remove_ready(self, queue: TenantQueue) -> None:
        if (level := queue.level) is not None:
            queue.level = None
            del self._ready[level][queue]
            if not self._ready[level]:
                del self._ready[level]

    def _wake(self, queue: TenantQueue) -> None:
        queue.timer = None
        self._make_ready(queue)
        self._grant()

    def _grant(self) -> None:
        """Grant each free slot to the ready queue that holds the fewest slots."""
        while self._ready:
            queue = next(iter(self._ready[min(self._ready)]))
            if queue.waiting and self._may_grant(queue):
                if not self._has_room(queue):
                    return  # this queue holds the fewest slots, so no other queue has room either
                self._grant_first(queue)
            self._remove_ready(queue)
            self._make_ready(queue)

    def _grant_first(self, queue: TenantQueue) -> None:
        granted, _ = queue.waiting.popitem(last=False)
        self.queued -= 1
        if not granted.done():  # a cancelled caller gets no slot, and will call `leave`
            self._free -= 1
            queue.held += 1
            self.granted += 1
            if queue.interval:
                self._keep_pace(queue)
            try:  # without contextlib.suppress(), which would make two calls
                granted.set_result(None)
            except RuntimeError:  # the loop was closed before garbage collection ended a call
                return


# --- a limit by trials that maximize completed calls per second -----------------------------------


class ThroughputLimit(AIMDLimit):
    """AIMDLimit that exceeds ``START`` only while this increases the throughput.

    A round is ``max(ROUND, limit)`` responses that arrived while all slots were in use. Its throughput is
    ``limit / mean time`` calls per second (Little's law). A trial compares a round with another at twice the
    limit. If the throughput at the higher limit is ``gain`` times that at the lower, the limit becomes
    ``lower * gain``. If doubling had little effect, the limit is not doubled again for ``PAUSE`` rounds.

    A round that is ``SLOWER`` times as slow as the previous round starts a trial at half the limit. At half
    the limit, a service with a queue completes as many calls as before, and a service that is slow for
    another reason completes fewer.

    A 429 or 503 halves the limit. The limit returns to 0.9 of its previous value within a few rounds, then
    grows by one per round. Trials resume at 1.25 times the previous value.
    """

    START = DEFAULT_IN_FLIGHT
    ROUND = 64
    PAUSE = 20
    SLOWER = 2.0

    def __init__(self, maximum: int) -> None:
        super().__init__(maximum)
        self.limit = self._floor = float(min(maximum, self.START))
        self._refused_at = 0.0  # limit at the last 429 or 503; 0 once the limit has recovered
        self._before: tuple[float, float] | None = None  # limit and mean time before the running trial
        self._last_mean = math.inf
        self._pause_left = 0
        self._skip = self.limit  # responses to ignore: their attempts may have begun while slots were free
        self._times: list[float] = []

    def responded(self, number: int, seconds: float, in_flight: int) -> None:
        """Add a response to the round or the recovery if all slots were in use."""
        if in_flight + 1 <= self.limit:
            self._skip = self.limit
        elif not self._refused_at:
            self._add(seconds)
        elif number > self._last_before_halving:
            self._recover()

    def failed(self, seconds: float) -> None:
        """Count a missing response as infinitely slow if the wait exceeded the mean."""
        if seconds > self._last_mean and not self._refused_at:
            self._add(math.inf)

    def throttled(self, number: int, latest: int) -> None:
        """Halve the limit and end the trial, unless the attempt predates the last halving."""
        if number > self._last_before_halving:
            self._refused_at, self._before = self.limit, None
            self._times.clear()
        super().throttled(number, latest)

    def _recover(self) -> None:
        step = max(1.0, 0.9 * self._refused_at - self.limit)
        self.limit = min(self._maximum, self.limit + step / self.limit)
        if self.limit >= min(self._maximum, max(self._floor, 1.25 * self._refused_at)):
            self._refused_at = 0.0
            self._move(self.limit)

    def _add(self, seconds: float) -> None:
        if self._skip > 0:
            self._skip -= 1
            return
        self._times.append(seconds)
        if len(self._times) >= max(self.ROUND, self.limit):
            self._end_round(_mean(self._times))
            self._times.clear()

    def _end_round(self, mean: float) -> None:
        is_slower = mean > self.SLOWER * self._last_mean
        if mean < math.inf:
            self._last_mean = mean
        if self._before is not None:
            self._end_trial(*self._before, mean)
        elif is_slower and self.limit > self._floor:
            self._try(self.limit / 2, mean)
        elif self._pause_left <= 0 and self.limit < self._maximum and mean < math.inf:
            self._try(self.limit * 2, mean)
        else:
            self._pause_left -= 1

    def _try(self, limit: float, mean: float) -> None:
        self._before = self.limit, mean
        self._move(max(self._floor, min(self._maximum, limit)))

    def _end_trial(self, limit: float, mean: float, tried_mean: float) -> None:
        tried, self._before = self.limit, None
        (low, low_mean), (high, high_mean) = sorted([(limit, mean), (tried, tried_mean)])
        gain = high / low * low_mean / high_mean if high_mean < math.inf else 0.0
        # A gain below 1 is noise, or the service's speed changed between the rounds: limit its effect.
        better = max(self._floor, low * max(0.75, min(high / low, gain)))
        if limit < tried < min(self._maximum, 1.1 * better):
            self._try(2 * tried, tried_mean)
        else:
            self._move(better, self.PAUSE if limit < tried and limit / 1.2 < better < limit * 1.2 else 0)

    def _move(self, limit: float, pause: int = 0) -> None:
        self._skip = max(self.limit, limit)
        self.limit, self._pause_left = limit, pause


def _mean(times: list[float]) -> float:
    """Return the mean, capping the slowest eighth, because a few late responses do not show a queue."""
    ordered = sorted(times)
    cut = len(ordered) * 7 // 8
    return max(1e-6, (sum(ordered[:cut]) + (len(ordered) - cut) * ordered[cut]) / len(ordered))
