"""The one clock of a local Company: stamps, schedules, the life of tokens and waits of faults go by it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from datetime import UTC, datetime, timedelta

__all__ = ["Clock", "VirtualClock"]

_SECOND = 10**9
_END = datetime(2300, 1, 1, tzinfo=UTC)  # what is scheduled from here is still in the calendar


class Clock:
    """Nanoseconds since 1970 when called: goes by itself, and can be moved on.

    It may be moved from any thread.
    """

    _runs = True

    def __init__(self) -> None:
        self._moved_by = 0
        self._sleepers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._lock = threading.Lock()

    def __call__(self) -> int:
        return time.time_ns() + self._moved_by

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.now.isoformat()}>"

    @property
    def now(self) -> datetime:
        """The moment, in UTC."""
        return datetime.fromtimestamp(self() / _SECOND, UTC)

    @property
    def sleepers(self) -> int:
        """How many wait for the clock to go on."""
        return len(self._sleepers)

    def advance(self, seconds: float = 0, *, minutes: float = 0, hours: float = 0, days: float = 0) -> None:
        """Move on, and wake who slept until then.

        Raises:
            ValueError: the span is negative, or leads too far.
        """
        span = timedelta(seconds=seconds, minutes=minutes, hours=hours, days=days)
        if not timedelta() <= span <= _END - self.now:
            raise ValueError(f"The clock cannot go on by {span}. Name at least 0, and less than centuries.")
        with self._lock:
            self._moved_by += span // timedelta(microseconds=1) * 1000
            for loop, moved in self._sleepers:
                loop.call_soon_threadsafe(moved.set)

    async def sleep(self, seconds: float) -> None:
        """Until the clock shows ``seconds`` more."""
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
    """A clock that stands still until it is moved.

    Args:
        start: the moment it shows first, with its zone, or in nanoseconds since 1970; the present when
            left out.

    Raises:
        ValueError: ``start`` has no zone.
    """

    _runs = False

    def __init__(self, start: datetime | int | None = None) -> None:
        super().__init__()
        if isinstance(start, datetime):
            start = _nanoseconds(start)
        elif start is not None and not isinstance(start, int):
            raise ValueError(f"start is {start!r}; it must be a datetime with its zone.")
        self._start = time.time_ns() if start is None else start

    def __call__(self) -> int:
        return self._start + self._moved_by


def _nanoseconds(moment: datetime) -> int:
    if moment.tzinfo is None:
        raise ValueError(f"start {moment} has no zone. Name one, as in {moment}+00:00.")
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
