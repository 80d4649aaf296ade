"""Algorithms that adapt how many calls of one Company may be in flight.

The service publishes no limits (facts 7). :class:`AIMDLimit` starts at the limit of the client and lowers it
when the service asks to wait. :class:`GradientLimit` also lowers it when the service becomes slower.
"""

from __future__ import annotations

import math
from typing import Protocol

__all__ = ["AIMDLimit", "GradientLimit", "LimitAlgorithm"]


class LimitAlgorithm(Protocol):
    """Algorithm that changes ``limit`` after each attempt. Attempts are numbered in the order of sending."""

    limit: float

    def responded(self, number: int, seconds: float, in_flight: int) -> None:
        """Note a response that took ``seconds``, while ``in_flight`` calls were in flight."""

    def failed(self, seconds: float) -> None:
        """Note that no response came within ``seconds``."""

    def throttled(self, number: int, latest: int) -> None:
        """Note that the service asked attempt ``number`` to wait; ``latest`` is the last one sent so far."""


class AIMDLimit:
    """Limit that is halved by a 429 or 503, then grows by one with every round of responses.

    AIMD stands for additive increase, multiplicative decrease. Other refusals of calls that were in flight
    when it was halved do not count: they report the same overload.
    """

    def __init__(self, maximum: int) -> None:
        self.limit: float = maximum
        self._maximum = maximum
        self._last_before_halving = 0

    def responded(self, number: int, seconds: float, in_flight: int) -> None:  # noqa: ARG002 - for subclasses
        """Raise the limit by 1 / limit, unless the attempt was sent before the limit was halved last."""
        if self.limit < self._maximum and number > self._last_before_halving:
            self.limit = min(self._maximum, self.limit + 1 / self.limit)

    def failed(self, seconds: float) -> None:
        """Do nothing: a missing response says nothing about load."""

    def throttled(self, number: int, latest: int) -> None:
        """Halve the limit, unless the attempt was sent before the limit was halved last."""
        if number > self._last_before_halving:
            self.limit = max(1.0, self.limit / 2)
            self._last_before_halving = latest


class GradientLimit(AIMDLimit):
    """AIMDLimit that is also lowered when responses become slower, which shows a queue at the service.

    It starts at ``START``. A round has as many responses as the limit, at least ``ROUND``. After each round
    the mean time of its responses is compared with the best mean so far::

        target = limit * clamp(TOLERANCE * best / mean, 0.5, 1) + sqrt(limit)  # the root lets it grow
        limit += SMOOTH * (target - limit)

    Every ``PROBE`` rounds the limit is halved for one round, and the mean of that round becomes the best.
    So the best mean follows a service that has become slower, and does not include the waiting time of
    a queue that was there from the start.
    """

    START = 8
    ROUND = 10
    TOLERANCE = 1.5
    SMOOTH = 0.4
    PROBE = 50

    def __init__(self, maximum: int) -> None:
        super().__init__(maximum)
        self.limit = min(maximum, self.START)
        self._best = math.inf
        self._rounds = 0
        self._before_probe: float | None = None
        self._skip = 0
        self._sum, self._count, self._busiest = 0.0, 0, 0

    def responded(self, number: int, seconds: float, in_flight: int) -> None:
        """Add a response to the round, if its request was sent under the present limit."""
        if self._skip:  # sent before the probe lowered the limit
            self._skip -= 1
        elif number > self._last_before_halving:
            self._busiest = max(self._busiest, in_flight)
            self._add(seconds, in_flight)

    def failed(self, seconds: float) -> None:
        """Count a missing response as a slow one, if the wait was longer than ``TOLERANCE`` allows."""
        if seconds > self._best * self.TOLERANCE:
            self._add(seconds, self._busiest)

    def throttled(self, number: int, latest: int) -> None:
        """Halve the limit and end a probe."""
        super().throttled(number, latest)
        self._before_probe = None

    def _add(self, seconds: float, in_flight: int) -> None:
        self._sum += seconds
        self._count += 1
        if self._count >= max(self.ROUND, self.limit):
            self._end_round(self._sum / self._count, in_flight)
            self._sum, self._count, self._busiest = 0.0, 0, 0

    def _end_round(self, mean: float, in_flight: int) -> None:
        self._rounds += 1
        if self._before_probe is not None:
            self._best, self.limit, self._before_probe = mean, self._before_probe, None
            return
        self._best = min(mean, self._best)
        if self._rounds % self.PROBE == 0:
            self._before_probe, self.limit, self._skip = self.limit, max(1.0, self.limit / 2), in_flight
            return
        gradient = max(0.5, min(1.0, self.TOLERANCE * self._best / mean)) if mean > 0 else 1.0
        target = self.limit * gradient + math.sqrt(self.limit)
        if target < self.limit or self._busiest >= self.limit / 2:  # do not raise a limit that is not used
            moved = self.limit + (target - self.limit) * self.SMOOTH
            self.limit = max(1.0, min(self._maximum, moved))
