"""Deadlines of many calls by one timer.

``asyncio.timeout`` puts a timer of its own into the heap of the loop for every call. Nearly all of them are
called off, so here a call only enters a set: the calls that end in the same hundredth of a second share
it, and one timer waits for the earliest set that is left.
"""

from __future__ import annotations

import asyncio
import heapq
from types import TracebackType
from typing import Self

from wosdk_async.transport.clock import Clock, Timer

__all__ = ["Deadlines", "Scope"]

_TICKS = 100  # in a second: a deadline is kept to 10 ms, never early


class Scope:
    """A block that is cancelled when its time is up, and then raises TimeoutError.

    The same bargain as ``asyncio.timeout``: a cancellation from outside that comes at the same time
    wins, and none is swallowed.
    """

    __slots__ = ("_cancelling", "_deadlines", "_expired", "_task", "_tick", "until")

    def __init__(self, deadlines: Deadlines, until: float) -> None:
        self.until = until
        self._deadlines = deadlines
        self._tick = int(until * _TICKS) + 1
        self._expired = False

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a call can only be made in a task")
        self._task = task
        self._cancelling = task.cancelling()
        scopes = self._deadlines._scopes.get(self._tick)
        if scopes is None:
            self._deadlines._begin(self, self._tick)
        else:
            scopes.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if not self._expired:
            # A set that is left empty waits for the calls that follow, or is dropped by the sweep.
            self._deadlines._scopes[self._tick].discard(self)
        elif self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def _expire(self) -> None:
        self._expired = True
        self._task.cancel()


class Deadlines:
    """Hands out scopes and ends those whose time is up."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._scopes: dict[int, set[Scope]] = {}
        self._ticks: list[int] = []  # a heap of the keys above
        self._timer: Timer | None = None
        self._armed = 0
        self.ended = False
        """Whether every scope was ended before its time."""

    def __repr__(self) -> str:
        return f"<Deadlines {sum(map(len, self._scopes.values()))} running>"

    def within(self, seconds: float) -> Scope:
        """A scope that ends ``seconds`` from now."""
        return Scope(self, self._clock.now() + seconds)

    def expire_all(self) -> None:
        """End every scope now."""
        self.ended = True
        for tick in list(self._scopes):
            self._expire(tick)

    def _begin(self, scope: Scope, tick: int) -> None:
        """The first scope that ends at ``tick``."""
        self._scopes[tick] = {scope}
        heapq.heappush(self._ticks, tick)
        if self._timer is None or tick < self._armed:
            self._arm(tick)

    def _expire(self, tick: int) -> None:
        for scope in self._scopes.pop(tick, ()):
            scope._expire()

    def _arm(self, tick: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._armed = tick
        self._timer = self._clock.call_later(max(0.0, tick / _TICKS - self._clock.now()), self._sweep)

    def _sweep(self) -> None:
        self._timer = None
        now = self._clock.now() * _TICKS + 1e-6  # a timer may be early by a rounding
        while self._ticks and (self._ticks[0] <= now or not self._scopes.get(self._ticks[0])):
            self._expire(heapq.heappop(self._ticks))
        if self._ticks:
            self._arm(self._ticks[0])
