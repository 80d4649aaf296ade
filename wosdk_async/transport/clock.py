"""Clock that tests can replace, and call deadlines that share one timer.

``asyncio.timeout`` adds a timer to the loop for every call, although most timers never fire. Here, deadlines
in the same hundredth of a second share a tick, and one timer waits for the earliest tick.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Protocol, Self

import attrs

_TICKS = 100  # ticks per second: a deadline fires up to 10 ms late, but never early


class Timer(Protocol):
    """Scheduled callback."""

    def cancel(self) -> None:
        """Cancel the callback."""


class _NoTimer:
    def cancel(self) -> None:
        pass


def _call_later(seconds: float, callback: Callable[[], None]) -> Timer:
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # the loop was closed with calls in flight, which are collected now
        return _NoTimer()
    return loop.call_later(seconds, callback)


@attrs.frozen
class TransportClock:
    """Time functions: ``now`` in monotonic seconds, ``sleep``, and ``call_later`` to schedule a callback.

    ``wake_later`` schedules a callback that a waiting call needs; by default it is ``call_later``.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    call_later: Callable[[float, Callable[[], None]], Timer] = _call_later
    wake_later: Callable[[float, Callable[[], None]], Timer] = attrs.field(
        default=attrs.Factory(lambda self: self.call_later, takes_self=True)
    )


@attrs.define(eq=False)
class _Tick:
    """Scopes that end in the same hundredth of a second."""

    begins: float
    ends: float
    scopes: set[Scope] = attrs.field(factory=set, init=False)


class Scope:
    """Section of a task, cancelled at a deadline. It starts when the scope is created.

    As with ``asyncio.timeout``, a simultaneous cancellation from outside takes precedence and is never lost.
    As a context manager, the scope raises TimeoutError if it has timed out.
    """

    __slots__ = ("_cancelling", "_deadlines", "_task", "_tick", "expired", "until")

    def __init__(self, deadlines: Deadlines, until: float) -> None:
        task = asyncio.current_task(deadlines.loop)
        if task is None:
            raise RuntimeError("calls must be made in an asyncio task")
        self.until = until
        self._deadlines = deadlines
        self.expired = False
        self._task: asyncio.Task[Any] | None = task
        self._cancelling = task.cancelling()
        tick = deadlines._latest
        if not tick.begins <= until < tick.ends:
            tick = deadlines._tick_of(until)
        self._tick = tick
        tick.scopes.add(self)

    def end(self) -> bool:
        """End the scope, and return whether it timed out. Idempotent."""
        if not self.expired:
            tick = self._tick
            tick.scopes.discard(self)
            if not tick.scopes and tick is not self._deadlines._latest:
                self._deadlines._drop(tick)
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
        """Cancel the task because the scope timed out. Idempotent."""
        if self._task is not None and not self.expired:
            self._task.cancel()
        self.expired = True


class Deadlines:
    """Deadline scopes for the tasks of one event loop, driven by one timer."""

    def __init__(self, clock: TransportClock, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.loop = loop
        self._clock = clock
        self._ticks: dict[float, _Tick] = {}
        """Ticks with scopes, and the latest tick, keyed by end time."""
        self._ends: list[float] = []  # heap of the keys of _ticks; may still hold keys of dropped ticks
        self._latest = _NO_TICK
        self._timer: Timer | None = None
        self._armed_for = 0.0
        self.ended = False
        """Whether ``expire_all`` has been called."""

    def __repr__(self) -> str:
        running = sum(len(tick.scopes) for tick in self._ticks.values())
        return f"<Deadlines {running} running, ticks {len(self._ticks)}>"

    def within(self, seconds: float) -> Scope:
        """Return a scope that ends ``seconds`` from now."""
        return Scope(self, self._clock.now() + seconds)

    def expire_all(self) -> None:
        """Expire every scope now."""
        self.ended = True
        for ends in list(self._ticks):
            self._expire(ends)

    def _tick_of(self, until: float) -> _Tick:
        """Return the tick for ``until``, and make it the latest."""
        # Deadlines of minutes create thousands of ticks, so a tick is dropped once its scopes have ended. The
        # latest tick is kept for new scopes.
        latest, self._latest = self._latest, _NO_TICK
        if not latest.scopes:
            self._drop(latest)
        number = int(until * _TICKS)
        ends = (number + 1) / _TICKS
        tick = self._ticks.get(ends)
        if tick is None:
            tick = self._ticks[ends] = _Tick(number / _TICKS, ends)
            heapq.heappush(self._ends, ends)
            if self._timer is None or ends < self._armed_for:
                self._arm(ends)
        self._latest = tick
        return tick

    def _drop(self, tick: _Tick) -> None:
        if self._ticks.get(tick.ends) is tick:  # it may have been dropped already
            del self._ticks[tick.ends]

    def _expire(self, ends: float) -> None:
        tick = self._ticks.pop(ends, _NO_TICK)
        if tick is self._latest:
            self._latest = _NO_TICK
        for scope in tick.scopes:
            scope.expire()

    def _arm(self, ends: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._armed_for = ends
        self._timer = self._clock.call_later(max(0.0, ends - self._clock.now()), self._sweep)

    def _sweep(self) -> None:
        self._timer = None
        now = self._clock.now() + 1e-8  # with a margin, because rounding may fire a timer slightly early
        while self._ends and (self._ends[0] <= now or not self._ticks.get(self._ends[0], _NO_TICK).scopes):
            self._expire(heapq.heappop(self._ends))
        if self._ends:
            self._arm(self._ends[0])


_NO_TICK = _Tick(0.0, 0.0)
