"""Trace of one call, counters of all calls, and the client's statistics."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs

from wosdk_async.protocol.wire import Response

PHASES = {
    "queue": "waiting in the queue",
    "session": "opening the session",
    "connect": "connecting",
    "request": "waiting for the response",
    "sleep": "waiting to retry",
    "lookup": "looking for the record of a marker",
}


@attrs.define
class Trace:
    """Trace of one call, or of the latest if several calls shared the trace.

    Attributes:
        company: name of the Company.
        operation: name of the operation, such as ``retrieve Customer``.
        request_id: RequestId of the call.
        attempts: number of requests made.
        sent: whether the call may have taken effect. Set at the end of an attempt that sent its first byte,
            and cleared when the service responds that it did nothing.
        phase: current phase of the call: queue, session, connect, request, sleep or lookup.
        times: seconds spent in each completed phase.
        waits: seconds slept before each retry.
        reply: last response of any attempt.
        effect: whether ``sent`` was true at the end of any traced call that is not safe to repeat.
        found: whether a call with a marker found an existing record before its first attempt, so that nothing
            was sent (``look_first``, or another call with the same key).
    """

    request_id: str | None = None
    _marks: list[Any] = attrs.field(factory=lambda: [0.0], repr=False)
    """Start time, then each completed phase and its end time; durations are computed on demand."""
    attempts: int = 0
    sent: bool = False
    phase: str = "queue"
    waits: tuple[float, ...] = ()
    reply: Response | None = attrs.field(default=None, repr=False)
    effect: bool = attrs.field(default=False, repr=False)
    repeat_safe: bool = attrs.field(default=False, repr=False, kw_only=True)
    """Whether the call may be sent twice, and so is never in doubt. Set by ``run_many``."""
    company: str | None = attrs.field(default=None, kw_only=True)
    operation: str | None = attrs.field(default=None, kw_only=True)
    found: bool = attrs.field(default=False, kw_only=True)

    def begin(self, request_id: str | None, now: float) -> None:
        """Start a new call and clear the previous one."""
        self.request_id, self.attempts, self.sent = request_id, 0, False
        self.waits, self.reply = (), None
        self.phase, self._marks = "queue", [now]

    def copy_from(self, other: Trace) -> None:
        """Copy ``other``, but keep ``effect`` from earlier calls."""
        # GIL: each field is set atomically. In a trace shared by threads, fields may come from two calls, but
        # the client bases no decision on such a trace.
        effect = self.effect or other.effect
        for name in _FIELDS:
            setattr(self, name, getattr(other, name))
        self.effect = effect

    def append(self, attempt: Trace) -> None:
        """Add another attempt of the same call, recorded in its own trace."""
        self._marks = [*self._marks, self.phase, *attempt._marks]
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
        """Add a completed attempt: times of its start and first byte, and its response with arrival time."""
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
        """Seconds spent in each completed phase."""
        marks = self._marks
        times: dict[str, float] = {}
        for started, phase, ended in zip(marks[::2], marks[1::2], marks[2::2], strict=False):
            times[phase] = times.get(phase, 0.0) + ended - started
        return times


_FIELDS = tuple(field.name for field in attrs.fields(Trace))


class Counters:
    """Call counters of one event loop, used only by its thread."""

    def __init__(self) -> None:
        self.running = 0
        """Number of calls in progress. Each call adds itself."""
        self.done = 0
        """Number of calls that returned a result."""
        self.outcomes: Counter[str] = Counter()
        """Number of calls without a result, by error name or ``cancelled``."""
        self._idle: asyncio.Event | None = None

    def end(self) -> None:
        """Subtract a call from ``running``, however it ended."""
        self.running -= 1
        if not self.running and self._idle is not None:
            self._idle.set()

    def totals(self) -> dict[str, int]:
        """Return the number of calls by outcome."""
        return {"done": self.done, **self.outcomes}

    async def wait_until_idle(self) -> None:
        """Wait until no call is running."""
        while self.running:
            self._idle = self._idle or asyncio.Event()
            self._idle.clear()
            await self._idle.wait()


@attrs.frozen(kw_only=True)
class CompanyStats:
    """Statistics of one Company: calls ``in_flight`` (at most ``limit``), and calls ``queued`` for a slot.

    ``calls`` counts all unfinished calls, including those waiting for the session or a retry. These four
    values cover the running event loop; all others are shared by all loops.

    All times are in seconds. ``session_age`` is the time since the session was opened. ``session_left`` is
    the time until it must be renewed. Both are None without a session. ``session_number`` counts the sessions
    opened.

    ``response_age`` is the time since the service last responded to a call with anything but a 5xx.
    ``error_age`` is the time since a call last failed, with an error of class ``last_error``. Both are None
    before the first such event.

    ``login_age`` is the time since the current log-in began, and ``login_waits_for`` is the reason why it
    waits.
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
    """Snapshot of a client's statistics. Calls and connections are those of the running event loop.

    ``outcomes`` counts completed calls by their final outcome: ``done``, ``cancelled``, or the error name. A
    call with a marker counts once; its attempts and look-ups do not count. ``retry_quota`` is the remaining
    retry budget. ``connections_busy`` and ``connections_idle`` are connections for calls, excluding log-ins
    and downloads.
    """

    in_flight: int
    queued: int
    retry_quota: float
    outcomes: Mapping[str, int]
    companies: tuple[CompanyStats, ...]
    connections_busy: int
    connections_idle: int
