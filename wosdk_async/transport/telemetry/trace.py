"""What happened to one call so far: kept for errors, for outcomes and for whoever wants to look."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import attrs

from wosdk_async.protocol.wire import Response
from wosdk_async.transport.clock import Clock

__all__ = ["PHASES", "Trace"]

PHASES = {
    "queue": "waiting in the queue",
    "session": "opening the session",
    "connect": "connecting",
    "request": "waiting for the response",
    "sleep": "waiting to send again",
}


@attrs.define
class Trace:
    """The course of one call, of the last one that ended where several were traced.

    ``company``, ``operation`` and ``request_id`` say which one. ``reply`` is the last answer as it came, of
    whatever attempt. ``phase`` names what the call is busy with, so that a deadline can say what used the
    time up, and ``times`` holds the seconds spent in each phase that the call went through: queue, session,
    connect, request, sleep. ``waits`` are the seconds slept before each further attempt. ``sent`` turns true
    when the first byte of an attempt leaves, and false again when the service answers that it did nothing:
    while it is true the call may have been carried out.
    ``effect`` says whether that was so of any traced call that is not safe to repeat; it never turns back.
    """

    request_id: str | None = None
    _marks: list[Any] = attrs.field(factory=lambda: [0.0], repr=False)
    """When it began, and then each phase that it has left and when; added up only if somebody asks."""
    _now: Callable[[], float] = attrs.field(default=time.monotonic, repr=False)
    attempts: int = 0
    sent: bool = False
    phase: str = "queue"
    waits: tuple[float, ...] = ()
    reply: Response | None = attrs.field(default=None, repr=False)
    effect: bool = attrs.field(default=False, repr=False)
    repeat_safe: bool = attrs.field(default=False, repr=False, kw_only=True)
    """Whether the call may be repeated, so that having sent it leaves no doubt; told by ``run_many``."""
    company: str | None = attrs.field(default=None, kw_only=True)
    operation: str | None = attrs.field(default=None, kw_only=True)

    def begin(self, request_id: str | None, clock: Clock, now: float) -> None:
        """Forget the call before."""
        self._now = clock.now
        self.request_id, self.attempts, self.sent = request_id, 0, False
        self.waits, self.reply = (), None
        self.phase, self._marks = "queue", [now]

    def become(self, other: Trace) -> None:
        """Take over what ``other`` says of its call; of the calls before only their ``effect`` is kept."""
        effect = self.effect or other.effect
        for name in _FIELDS:
            setattr(self, name, getattr(other, name))
        self.effect = effect

    def go_on(self, attempt: Trace) -> None:
        """Add what ``attempt`` says of one more attempt of the same call."""
        marks = attempt._marks
        self._marks = [*self._marks, "sleep", *marks] if self.attempts or self.waits else marks
        self._now, self.phase = attempt._now, attempt.phase
        self.attempts += attempt.attempts
        self.waits += attempt.waits
        self.sent = self.sent or attempt.sent
        self.reply = attempt.reply or self.reply

    def start_phase(self, phase: str, now: float) -> None:
        """Leave the phase that was, and go on with ``phase``."""
        self._marks += (self.phase, now)
        self.phase = phase

    def mark_sent(self) -> None:
        """The first byte of an attempt leaves."""
        self.sent = True
        self._marks += (self.phase, self._now())
        self.phase = "request"

    @property
    def times(self) -> dict[str, float]:
        """Seconds in each phase that the call has been through and left."""
        marks = self._marks
        times: dict[str, float] = {}
        for begun, phase, left in zip(marks[::2], marks[1::2], marks[2::2], strict=False):
            times[phase] = times.get(phase, 0.0) + left - begun
        return times


_FIELDS = tuple(field.name for field in attrs.fields(Trace))
