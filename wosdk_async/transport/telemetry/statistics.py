"""Trace of one call, counters of all calls, and the statistics that a program gets of a client."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs

from wosdk_async.protocol.wire import Response

__all__ = ["PHASES", "CompanyStats", "Counters", "Stats", "Trace"]

PHASES = {
    "queue": "waiting in the queue",
    "session": "opening the session",
    "connect": "connecting",
    "request": "waiting for the response",
    "sleep": "waiting to retry",
}


@attrs.define
class Trace:
    """Course of one call; of the one that ended last, if several calls were traced.

    Attributes:
        company: name of the Company.
        operation: what was called, such as ``retrieve Customer``.
        request_id: RequestId of the call.
        attempts: requests that were made for it.
        sent: whether it may have taken effect. It turns true when the first byte of an attempt leaves, and
            false again when the service responds that it did nothing.
        phase: what the call is doing: queue, session, connect, request or sleep.
        times: seconds spent in each phase that has ended.
        waits: seconds slept before each further attempt.
        reply: the last response, of whichever attempt.
        effect: whether ``sent`` was true at the end of any traced call that is not safe to repeat.
        found: whether the record of a call with a marker existed before its first attempt, so that nothing
            was sent (``look_first``, or another call with the same key).
    """

    request_id: str | None = None
    _marks: list[Any] = attrs.field(factory=lambda: [0.0], repr=False)
    """Time of the start, then each ended phase and its time; durations are added up only on demand."""
    attempts: int = 0
    sent: bool = False
    phase: str = "queue"
    waits: tuple[float, ...] = ()
    reply: Response | None = attrs.field(default=None, repr=False)
    effect: bool = attrs.field(default=False, repr=False)
    repeat_safe: bool = attrs.field(default=False, repr=False, kw_only=True)
    """Whether the call may be sent twice, so that ``sent`` leaves no doubt. ``run_many`` sets it."""
    company: str | None = attrs.field(default=None, kw_only=True)
    operation: str | None = attrs.field(default=None, kw_only=True)
    found: bool = attrs.field(default=False, kw_only=True)

    def begin(self, request_id: str | None, now: float) -> None:
        """Start a new call and forget the one before."""
        self.request_id, self.attempts, self.sent = request_id, 0, False
        self.waits, self.reply = (), None
        self.phase, self._marks = "queue", [now]

    def copy_from(self, other: Trace) -> None:
        """Copy ``other``. Of the calls before, only ``effect`` is kept."""
        # GIL: each field is set atomically. The fields of a trace that threads share may be of two calls: no
        # verdict is read from it.
        effect = self.effect or other.effect
        for name in _FIELDS:
            setattr(self, name, getattr(other, name))
        self.effect = effect

    def append(self, attempt: Trace) -> None:
        """Add one more attempt of the same call, which has its own trace."""
        marks = attempt._marks
        self._marks = [*self._marks, "sleep", *marks] if self.attempts or self.waits else marks
        self.phase = attempt.phase
        self.attempts += attempt.attempts
        self.waits += attempt.waits
        self.sent = self.sent or attempt.sent
        self.reply = attempt.reply or self.reply

    def start_phase(self, phase: str, now: float) -> None:
        """End the current phase and start ``phase``."""
        self._marks += (self.phase, now)
        self.phase = phase

    def add_attempt(
        self, started: float, sent_at: float | None, reply: tuple[Response, float] | None
    ) -> None:
        """Add an attempt that has ended: when it started, its first byte left, and its response came."""
        self.attempts += 1
        self.start_phase("connect", started)
        if sent_at is not None:
            self.sent = True
            self.start_phase("request", sent_at)
        if reply is not None:
            self.reply, ended = reply
            self.start_phase("request", ended)

    @property
    def times(self) -> dict[str, float]:
        """Seconds spent in each phase that has ended."""
        marks = self._marks
        times: dict[str, float] = {}
        for started, phase, ended in zip(marks[::2], marks[1::2], marks[2::2], strict=False):
            times[phase] = times.get(phase, 0.0) + ended - started
        return times


_FIELDS = tuple(field.name for field in attrs.fields(Trace))


class Counters:
    """Counters of the calls of one event loop. Only the thread of that loop uses them."""

    def __init__(self) -> None:
        self.running = 0
        """Calls that have not ended. Each call adds itself."""
        self.done = 0
        """Calls that returned a result."""
        self.outcomes: Counter[str] = Counter()
        """Other calls that ended, by ``cancelled`` or the name of the error."""
        self._none_left: asyncio.Event | None = None

    def end(self) -> None:
        """Count a call that ended, however it did."""
        self.running -= 1
        if not self.running and self._none_left is not None:
            self._none_left.set()

    def totals(self) -> dict[str, int]:
        """Return how many calls ended with each outcome."""
        return {"done": self.done, **self.outcomes}

    async def none_left(self) -> None:
        """Wait until no call is running."""
        while self.running:
            self._none_left = self._none_left or asyncio.Event()
            self._none_left.clear()
            await self._none_left.wait()


@attrs.frozen(kw_only=True)
class CompanyStats:
    """Statistics of one Company: calls ``in_flight``, of at most ``limit``, and calls ``queued`` for a slot.

    ``calls`` are all that have not ended, including those that wait for the session or a retry. These four
    are of the running event loop. All loops share the rest.

    ``session_age`` and ``session_left`` are the seconds since the session was opened and until it is renewed
    at the latest; None without a session. ``session_number`` counts the sessions that were opened.
    ``response_age`` are the seconds since the service last responded to a call with anything but a 5xx, and
    ``error_age`` since a call last ended with an error, of the class ``last_error``; None before the first.
    ``login_age`` are the seconds since the log-in that runs began, and ``login_waits_for`` what it waits for.
    """

    name: str
    in_flight: int
    queued: int
    limit: int
    session_age: float | None
    session_left: float | None
    session_number: int
    response_age: float | None = None
    login_age: float | None = None
    login_waits_for: str = ""
    calls: int = 0
    error_age: float | None = None
    last_error: str = ""


@attrs.frozen(kw_only=True)
class Stats:
    """Statistics of a client at one moment. Calls and connections are those of the running event loop.

    ``outcomes`` counts the calls that ended: ``done``, ``cancelled``, or the name of the error.
    ``retry_quota`` is the budget left for retries. ``connections_busy`` and ``connections_idle`` are the
    connections for calls, without those for log-ins and downloads.
    """

    in_flight: int
    queued: int
    retry_quota: float
    outcomes: Mapping[str, int]
    companies: tuple[CompanyStats, ...]
    connections_busy: int
    connections_idle: int
