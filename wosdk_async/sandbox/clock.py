"""Clock of a local Company, for timestamps, schedules, token lifetimes and fault delays."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

_SECOND = 10**9
_MICROSECOND = 1000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_END = datetime(2300, 1, 1, tzinfo=UTC)  # latest time of a clock, so that schedules fit in a datetime
_UNITS = ("seconds", "minutes", "hours", "days")


class Clock:
    """Running clock that any thread can move forward."""

    _runs = True

    def __init__(self) -> None:
        self._moved_by = 0
        self._sleepers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._lock = threading.Lock()

    def __call__(self) -> int:
        """Return nanoseconds since 1970."""
        return time.time_ns() + self._moved_by

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.now.isoformat()}>"

    @property
    def now(self) -> datetime:
        """The current time in UTC."""
        return _EPOCH + timedelta(microseconds=self() // _MICROSECOND)

    @property
    def sleepers(self) -> int:
        """The number of sleeping tasks."""
        return len(self._sleepers)

    def advance(self, seconds: float = 0, *, minutes: float = 0, hours: float = 0, days: float = 0) -> None:
        """Move the clock forward, and wake tasks whose sleep has ended.

        Raises:
            ValueError: the total is negative, or moves the clock past the start of 2300.
            TypeError: a unit is not a number.
        """
        for name, given in (("seconds", seconds), ("minutes", minutes), ("hours", hours), ("days", days)):
            if isinstance(given, bool) or not isinstance(given, int | float):
                raise TypeError(f"{name} is {given!r}; it must be a number, as in advance(minutes=21).")
        wanted = seconds + 60 * minutes + 3600 * hours + 86400 * days
        # Compared as numbers, because a timedelta is limited to 2.7 million years.
        if not 0 <= wanted <= (_END - self.now).total_seconds():
            raise ValueError(
                f"The clock cannot move forward by {wanted:g} seconds: pass 0 or more,"
                " and stay before the year 2300."
            )
        span = timedelta(seconds=seconds, minutes=minutes, hours=hours, days=days)
        with self._lock:
            self._moved_by += span // timedelta(microseconds=1) * _MICROSECOND
        self._wake(self())

    def _wake(self, _now: int) -> None:
        with self._lock:
            for loop, moved in self._sleepers:
                loop.call_soon_threadsafe(moved.set)

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has advanced by ``seconds``."""
        due = self() + int(seconds * _SECOND)
        moved = asyncio.Event()
        sleeper = (asyncio.get_running_loop(), moved)
        with self._lock:
            self._sleepers.add(sleeper)
        try:
            while (left := due - self()) > 0:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(moved.wait(), left / _SECOND if self._runs else None)
                moved.clear()
        finally:
            with self._lock:
                self._sleepers.discard(sleeper)


class VirtualClock(Clock):
    """Clock that only moves when advanced.

    Args:
        start: a datetime with a time zone, or nanoseconds since 1970 (default: now).

    Raises:
        ValueError: ``start`` has no time zone, or is neither a datetime nor an integer.
    """

    _runs = False

    def __init__(self, start: datetime | int | None = None) -> None:
        super().__init__()
        if not isinstance(start, int):
            require_start(start, "start")
        if isinstance(start, datetime):
            start = (start - _EPOCH) // timedelta(microseconds=1) * _MICROSECOND
        # Whole microseconds, so that `now` equals the times in records
        self._start = time.time_ns() // _MICROSECOND * _MICROSECOND if start is None else start

    def __call__(self) -> int:
        """Return nanoseconds since 1970."""
        return self._start + self._moved_by


def require_start(start: object, argument: str) -> None:
    """Raise ValueError if a clock's start is neither None nor a datetime with a time zone."""
    if start is not None and not isinstance(start, datetime):
        raise ValueError(f"{argument} is {start!r}; it must be a datetime with a time zone.")
    if start is not None and start.tzinfo is None:
        raise ValueError(f"{argument} {start} has no time zone; add one, as in {start}+00:00.")


def span_of(body: Mapping[str, object]) -> dict[str, Any]:
    """Return the `Clock.advance` arguments from a JSON body. Raises ValueError if it is invalid."""
    if not body or not body.keys() <= set(_UNITS) or not {*map(type, body.values())} <= {int, float}:
        raise ValueError(f"Specify how far to move the clock, as numbers: {', '.join(_UNITS)}.")
    return dict(body)
