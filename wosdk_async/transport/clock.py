"""Time: the clock that tests can replace, and the deadlines of many calls by one timer.

``asyncio.timeout`` adds a timer to the loop for every call, and nearly all of them are cancelled. Here a call
only enters a set: all calls that end in the same hundredth of a second share it, and one timer waits for the
earliest set.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Protocol, Self

import attrs

__all__ = ["Deadlines", "Scope", "Timer", "TransportClock"]

_TICKS = 100  # in a second: a deadline is met within 10 ms, never early


class Timer(Protocol):
    """Handle of a scheduled callback."""

    def cancel(self) -> None:
        """Cancel the callback."""


def _call_later(seconds: float, callback: Callable[[], None]) -> Timer:
    return asyncio.get_running_loop().call_later(seconds, callback)


@attrs.frozen
class TransportClock:
    """Functions for time: ``now`` is monotonic, in seconds; ``sleep`` waits; ``call_later`` calls back."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    call_later: Callable[[float, Callable[[], None]], Timer] = _call_later


class Scope:
    """Part of a task that is cancelled when its time is up. It starts when it is made.

    As with ``asyncio.timeout``, a cancellation from outside at the same time takes precedence, and none is
    lost. As a context manager it raises TimeoutError.
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
            deadlines._add_tick(tick, self)
        else:
            scopes.add(self)

    @property
    def expired(self) -> bool:
        """Whether its time is up."""
        return self._expired

    def end(self) -> bool:
        """End the scope. Return whether it was cancelled because its time was up. May be called again."""
        if not self._expired:
            scopes = self._deadlines._scopes.get(self._tick)
            if scopes is not None:  # it was not ended before
                scopes.discard(self)
                if not scopes and self._tick != self._deadlines._latest:
                    del self._deadlines._scopes[self._tick]
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

    def expire(self) -> None:
        """Cancel the task, because its time is up."""
        self._expired = True
        if self._task is not None:
            self._task.cancel()


class Deadlines:
    """Scopes for the tasks of ``loop``, or of the running loop, and the timer that ends them."""

    def __init__(self, clock: TransportClock, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.loop = loop
        self._clock = clock
        self._scopes: dict[int, set[Scope]] = {}
        self._ticks: list[int] = []  # a heap of the keys above, and of those that have no scopes any more
        self._latest = 0
        self._timer: Timer | None = None
        self._armed_for = 0
        self.ended = False
        """Whether all scopes were ended early, by ``expire_all``."""

    def __repr__(self) -> str:
        running = sum(map(len, self._scopes.values()))
        return f"<Deadlines {running} running, ticks {len(self._scopes)}>"

    def within(self, seconds: float) -> Scope:
        """Return a scope that ends ``seconds`` from now."""
        return Scope(self, self._clock.now() + seconds)

    def expire_all(self) -> None:
        """End every scope now."""
        self.ended = True
        for tick in list(self._scopes):
            self._expire(tick)

    def _add_tick(self, tick: int, scope: Scope) -> None:
        """Add ``tick`` with the first scope that ends at it."""
        # Deadlines of minutes have thousands of ticks, so a tick is dropped when its scopes have ended. The
        # latest waits for the scopes that follow it.
        if not self._scopes.get(self._latest, True):
            del self._scopes[self._latest]
        self._scopes[tick] = {scope}
        self._latest = tick
        heapq.heappush(self._ticks, tick)
        if self._timer is None or tick < self._armed_for:
            self._arm(tick)

    def _expire(self, tick: int) -> None:
        for scope in self._scopes.pop(tick, ()):
            scope.expire()

    def _arm(self, tick: int) -> None:
        """Set the timer for ``tick``."""
        if self._timer is not None:
            self._timer.cancel()
        self._armed_for = tick
        self._timer = self._clock.call_later(max(0.0, tick / _TICKS - self._clock.now()), self._sweep)

    def _sweep(self) -> None:
        """End the scopes whose time is up, drop empty sets, and set the timer for the next one."""
        self._timer = None
        now = self._clock.now() * _TICKS + 1e-6  # a timer may be early by a rounding error
        while self._ticks and (self._ticks[0] <= now or not self._scopes.get(self._ticks[0])):
            self._expire(heapq.heappop(self._ticks))
        if self._ticks:
            self._arm(self._ticks[0])
