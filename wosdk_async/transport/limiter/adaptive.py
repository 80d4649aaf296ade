"""Adaptive limits of the calls in flight of one Company.

The service publishes no limits (facts 7). :class:`AIMDLimit` starts at the limit of the client and lowers it
when the service asks to wait. :class:`GradientLimit` also lowers it when the service becomes slower.
"""

from __future__ import annotations

import math
from typing import Protocol

__all__ = ["AIMDLimit", "GradientLimit", "LimitAlgorithm"]


class LimitAlgorithm(Protocol):
    """Algorithm that computes ``limit`` from the end of every attempt. Attempts are numbered in order."""

    limit: float

    def responded(self, number: int, seconds: float, in_flight: int) -> None:
        """Note a response after ``seconds``, when so many calls were in flight."""

    def failed(self, seconds: float) -> None:
        """Note that no response came within ``seconds``."""

    def throttled(self, number: int, latest: int) -> None:
        """Note that the service asked to wait, when ``latest`` was the last attempt sent."""


class AIMDLimit:
    """Limit that is halved by a 429 or 503, then grows by one with every round of responses.

    AIMD stands for additive increase, multiplicative decrease. Further refusals of calls that were in flight
    when it was halved do not count: they are not news.
    """

    def __init__(self, most: int) -> None:
        self.limit: float = most
        self._most = most
        self._latest = 0

    def responded(self, number: int, seconds: float, in_flight: int) -> None:  # noqa: ARG002 - for subclasses
        """Raise the limit by its share of a round, if the attempt was sent after the limit was halved."""
        if self.limit < self._most and number > self._latest:
            self.limit = min(self._most, self.limit + 1 / self.limit)

    def failed(self, seconds: float) -> None:
        """Ignore it: a missing response says nothing about load."""

    def throttled(self, number: int, latest: int) -> None:
        """Halve the limit, unless the attempt was sent before the limit was halved last."""
        if number > self._latest:
            self.limit = max(1.0, self.limit / 2)
            self._latest = latest


class GradientLimit(AIMDLimit):
    """AIMDLimit that also falls when responses become slower, because a queue forms at the service.

    It starts at ``START``. A round has as many responses as the limit, at least ``ROUND``. After each round
    its mean time is compared with the best one. The new limit is the old one multiplied by
    ``TOLERANCE * best / mean`` (at least 0.5, at most 1) plus its square root, so that it can grow; the limit
    moves there by the share ``SMOOTH``. Every ``PROBE`` rounds it is halved for one round, whose mean becomes
    the best one. This tells a queue that was there from the start from a service that has become slower.
    """

    START = 8
    ROUND = 10
    TOLERANCE = 1.5
    SMOOTH = 0.4
    PROBE = 50

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.limit = min(most, self.START)
        self._best = math.inf
        self._rounds = 0
        self._before_probe: float | None = None
        self._skip = 0
        self._sum, self._count, self._busiest = 0.0, 0, 0

    def responded(self, number: int, seconds: float, in_flight: int) -> None:
        """Add a response to the round, if it was sent under the present limit."""
        if self._skip:  # sent under the limit before
            self._skip -= 1
        elif number > self._latest:
            self._busiest = max(self._busiest, in_flight)
            self._add(seconds, in_flight)

    def failed(self, seconds: float) -> None:
        """Add a missing response to the round as a slow one, if it was waited for long enough."""
        if seconds > self._best * self.TOLERANCE:
            self._add(seconds, 0)

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
        if target < self.limit or self._busiest >= self.limit / 2:  # an unused limit says nothing
            moved = self.limit + (target - self.limit) * self.SMOOTH
            self.limit = max(1.0, min(self._most, moved))
