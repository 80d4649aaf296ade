"""The time of a test: it stands still until it is moved, or until a call has nothing left but to wait.

A call that waits (a retry, a latency of the sandbox, an answer that never comes) would never end while the
time stands still. So when all calls under way wait, the clock moves on to whatever is due next: what takes
a minute at the service takes no time in a test, and happens in the same order.
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
from wosdk_async.transport import clock as transport_clock

__all__ = ["SkippingClock", "Work", "work"]

_SECOND = 10**9
_TURNS = 10  # of the loop, in which whatever is ready has run


@attrs.define(eq=False)
class Work:
    """Something under way that the clock may move on for, once it does nothing but wait."""

    waits: int = 0


work: ContextVar[Work | None] = ContextVar("work", default=None)
"""What the running task is a part of; its own tasks inherit it."""


@attrs.define(eq=False)
class _Timer:
    """Something that is due; ``loop`` is where it happens."""

    due: int
    loop: asyncio.AbstractEventLoop
    callback: Callable[[], None] | None

    def cancel(self) -> None:
        self.callback = None

    def fire(self) -> None:
        if self.callback is not None:
            self.callback()


class SkippingClock(VirtualClock):
    """The one clock of a test, for the sandbox and for the clients connected to it.

    ``clock.advance(minutes=21)`` moves it, ``clock.now`` is its moment in UTC. Moving wakes what slept until
    then; that runs when the test awaits something.

    Args:
        start: the moment it shows first, with its zone; the present when left out.

    Raises:
        ValueError: ``start`` has no zone.
    """

    def __init__(self, start: datetime | None = None) -> None:
        super().__init__(start)
        self._timers: list[tuple[int, int, _Timer]] = []
        self._order = itertools.count()
        self._under_way: set[Work] = set()
        self._looking: asyncio.AbstractEventLoop | None = None

    @property
    def sleepers(self) -> int:
        """How many wait for the clock to go on, deadlines of calls included."""
        return sum(timer.callback is not None for _, _, timer in self._timers)

    def client_clock(self) -> transport_clock.Clock:
        """The same time, as a client asks for it: counted from the start, or a float would be too coarse."""
        return transport_clock.Clock(
            lambda: (self() - self._start) / _SECOND, self._sleep_of_client, self.call_later
        )

    def advance(self, seconds: float = 0, *, minutes: float = 0, hours: float = 0, days: float = 0) -> None:
        """Move on, and wake who slept until then.

        Raises:
            ValueError: the span is negative, or leads too far.
        """
        super().advance(seconds, minutes=minutes, hours=hours, days=days)
        self._wake(self())

    def call_later(self, seconds: float, callback: Callable[[], None]) -> _Timer:
        """Call back in the running loop once so many seconds have passed."""
        due = self() + math.ceil(seconds * _SECOND)
        timer = _Timer(due, asyncio.get_running_loop(), callback)
        heapq.heappush(self._timers, (due, next(self._order), timer))
        return timer

    async def sleep(self, seconds: float) -> None:
        """Until the clock shows ``seconds`` more."""
        if seconds <= 0:
            return await asyncio.sleep(0)
        over = asyncio.get_running_loop().create_future()
        timer = self.call_later(seconds, lambda: None if over.done() else over.set_result(None))
        with self.waiting(work.get()):
            try:
                await over
            finally:
                timer.cancel()

    async def _sleep_of_client(self, seconds: float) -> None:
        own = Work()
        with self.doing(own):
            outer = work.set(own)
            try:
                await self.sleep(seconds)
            finally:
                work.reset(outer)

    @contextmanager
    def doing(self, own: Work) -> Iterator[None]:
        """For a block of a client that may have to wait."""
        self._under_way.add(own)
        try:
            yield
        finally:
            self._under_way.discard(own)
            self.look()

    @contextmanager
    def waiting(self, own: Work | None) -> Iterator[None]:
        """For a block in which a part of ``own`` does nothing but wait."""
        if own is None:
            yield
            return
        own.waits += 1
        self.look()
        try:
            yield
        finally:
            own.waits -= 1

    def look(self) -> None:
        """Go on once everything under way has waited for a few turns of the loop."""
        if self._all_wait() and (self._looking is None or self._looking.is_closed()):
            self._looking = asyncio.get_running_loop()
            self._look(self._looking, _TURNS)

    def _look(self, loop: asyncio.AbstractEventLoop, turns: int) -> None:
        if turns and self._all_wait():
            loop.call_soon(self._look, loop, turns - 1)
            return
        self._looking = None
        if self._all_wait():
            self._jump()

    def _all_wait(self) -> bool:
        return bool(self._under_way) and all(own.waits for own in self._under_way)

    def _jump(self) -> None:
        """Move on to what is due next; who waits on after it looks again."""
        while self._timers and self._timers[0][2].callback is None:
            heapq.heappop(self._timers)
        if self._timers:
            self._moved_by += max(0, self._timers[0][0] - self())
            self._wake(self())
            self.look()

    def _wake(self, now: int) -> None:
        while self._timers and self._timers[0][0] <= now:
            timer = heapq.heappop(self._timers)[2]
            if timer.callback is not None and not timer.loop.is_closed():
                timer.loop.call_soon_threadsafe(timer.fire)
