"""Deadlines of many calls by one timer.

``asyncio.timeout`` puts a timer of its own into the heap of the loop for every call. Nearly all of them are
called off, so here a call only enters a set: the calls that end in the same hundredth of a second share
it, and one timer waits for the earliest set that is left.
"""

from __future__ import annotations

import asyncio
import heapq
from types import TracebackType
from typing import Any, Self

from wosdk_async.transport.clock import Clock, Timer

__all__ = ["Deadlines", "Scope"]

_TICKS = 100  # in a second: a deadline is kept to 10 ms, never early


class Scope:
    """A stretch of a task that is cancelled when its time is up; it begins when it is made.

    The same bargain as ``asyncio.timeout``: a cancellation from outside that comes at the same time
    wins, and none is swallowed. As a block it raises TimeoutError.
    """

    __slots__ = ("_cancelling", "_deadlines", "_expired", "_task", "_tick", "until")

    def __init__(self, deadlines: Deadlines, until: float) -> None:
        task = asyncio.current_task(deadlines.loop)
        if task is None:
            raise RuntimeError("a call can only be made in a task")
        self.until = until
        self._deadlines = deadlines
        self._expired = False
        self._task: asyncio.Task[Any] | None = task
        self._cancelling = task.cancelling()
        self._tick = tick = int(until * _TICKS) + 1
        scopes = deadlines._scopes.get(tick)
        if scopes is None:
            deadlines._begin(self, tick)
        else:
            scopes.add(self)

    @property
    def expired(self) -> bool:
        """Whether its time is up."""
        return self._expired

    def end(self) -> bool:
        """Let it go, and say whether it was cancelled because its time was up. May be called again."""
        if not self._expired:
            # A set that is left empty waits for the calls that follow, or is dropped by the sweep.
            self._deadlines._scopes[self._tick].discard(self)
            return False
        task, self._task = self._task, None
        return task is not None and task.uncancel() <= self._cancelling

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self.end() and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def _expire(self) -> None:
        self._expired = True
        if self._task is not None:
            self._task.cancel()


class Deadlines:
    """Hands out scopes for tasks of ``loop``, else of the running one, and ends those whose time is up."""

    def __init__(self, clock: Clock, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.loop = loop
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
