"""Test clock, frozen until moved or until all calls are waiting.

With a frozen clock, a call that waits (for a retry, a sandbox latency, or a response that never arrives)
would never end. So once all pending calls are waiting, the clock jumps to the next timer. A minute of service
time takes no time in a test, and events keep their order.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

import attrs

from wosdk_async.sandbox.clock import VirtualClock
from wosdk_async.transport.clock import TransportClock

_SECOND = 10**9
_SETTLED_AFTER = 10  # loop iterations after which all tasks that were ready have run


@attrs.define(eq=False)
class Work:
    """A piece of pending work. The clock may jump once all pending work is waiting."""

    waits: int = 0


work: ContextVar[Work | None] = ContextVar("work", default=None)
"""Work of the running task, inherited by tasks that it starts."""


@attrs.define(eq=False)
class _Timer:
    loop: asyncio.AbstractEventLoop
    callback: Callable[[], None] | None
    on_cancel: Callable[[], None] = lambda: None

    def cancel(self) -> None:
        self.callback = None
        self.on_cancel()

    def fire(self) -> None:
        if self.callback is not None:
            self.callback()


class SkippingClock(VirtualClock):
    """Clock for a test's sandbox and clients.

    ``clock.advance(minutes=21)`` moves it, and ``clock.now`` is the current UTC time. Moving the clock wakes
    tasks whose sleep has ended; they run when the test next awaits.

    Args:
        start: start time with a time zone (default: now).

    Raises:
        ValueError: ``start`` has no time zone.
    """

    def __init__(self, start: datetime | None = None) -> None:
        super().__init__(start)
        self._timers: list[tuple[int, int, _Timer]] = []
        self._order = itertools.count()
        self._pending: set[Work] = set()
        self._checking_loop: asyncio.AbstractEventLoop | None = None

    @property
    def sleepers(self) -> int:
        """The number of waits on this clock, including call deadlines."""
        return sum(timer.callback is not None for _, _, timer in self._timers)

    def client_clock(self) -> TransportClock:
        """Return a client clock in seconds since its start; as a float, Unix time would be too coarse."""
        return TransportClock(
            lambda: (self() - self._start) / _SECOND, self._client_sleep, self.call_later, self._wake_later
        )

    def call_later(self, seconds: float, callback: Callable[[], None]) -> _Timer:
        """Call ``callback`` in the running loop after ``seconds``."""
        due = self() + math.ceil(seconds * 10**6) * 1000  # whole microseconds, as in `now`
        timer = _Timer(asyncio.get_running_loop(), callback)
        heapq.heappush(self._timers, (due, next(self._order), timer))
        return timer

    def _wake_later(self, seconds: float, callback: Callable[[], None]) -> _Timer:
        """Call ``callback`` after ``seconds``; count the wait as pending work, so that the clock can jump."""
        own = Work(waits=1)

        def end() -> None:
            self._pending.discard(own)

        def wake() -> None:
            end()
            callback()

        timer = self.call_later(seconds, wake)
        timer.on_cancel = end
        self._pending.add(own)
        self.check()
        return timer

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has advanced by ``seconds``."""
        if seconds <= 0:
            return await asyncio.sleep(0)
        done = asyncio.get_running_loop().create_future()
        timer = self.call_later(seconds, lambda: None if done.done() else done.set_result(None))
        with self.waiting(work.get()):
            try:
                await done
            finally:
                timer.cancel()

    async def _client_sleep(self, seconds: float) -> None:
        own = Work()
        with self.doing(own):
            outer = work.set(own)
            try:
                await self.sleep(seconds)
            finally:
                work.reset(outer)

    @contextmanager
    def doing(self, own: Work) -> Iterator[None]:
        """Count a block as pending work."""
        self._pending.add(own)
        try:
            yield
        finally:
            self._pending.discard(own)
            self.check()

    @contextmanager
    def waiting(self, own: Work | None) -> Iterator[None]:
        """Mark the work ``own`` as waiting during a block."""
        if own is None:
            yield
            return
        own.waits += 1
        self.check()
        try:
            yield
        finally:
            own.waits -= 1

    async def settle(self) -> None:
        """Let all ready tasks run, without moving the clock."""
        with self.doing(Work()):
            for _ in range(_SETTLED_AFTER):
                await asyncio.sleep(0)

    def check(self) -> None:
        """Jump forward once all pending work has waited for a few loop iterations."""
        if self._all_waiting() and (self._checking_loop is None or self._checking_loop.is_closed()):
            self._checking_loop = asyncio.get_running_loop()
            self._check(self._checking_loop, _SETTLED_AFTER)

    def _check(self, loop: asyncio.AbstractEventLoop, turns: int) -> None:
        if turns and self._all_waiting():
            loop.call_soon(self._check, loop, turns - 1)
            return
        self._checking_loop = None
        if self._all_waiting():
            self._jump()

    def _all_waiting(self) -> bool:
        return bool(self._pending) and all(own.waits for own in self._pending)

    def _jump(self) -> None:
        """Jump to the next timer, and check again, in case all work is still waiting."""
        while self._timers and self._timers[0][2].callback is None:
            heapq.heappop(self._timers)
        if self._timers:
            self._moved_by += max(0, self._timers[0][0] - self())
            self._wake(self())
            self.check()

    def _wake(self, now: int) -> None:
        while self._timers and self._timers[0][0] <= now:
            timer = heapq.heappop(self._timers)[2]
            if timer.callback is not None and not timer.loop.is_closed():
                timer.loop.call_soon_threadsafe(timer.fire)
