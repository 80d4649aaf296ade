"""How many calls of a Company may be under way, as its answers teach.

The service publishes no limits (facts 7), so both start at what the client allows and come down when the
service shows that it is too much: :class:`AIMDLimit` when it says so, :class:`GradientLimit` also when it
gets slow.
"""

from __future__ import annotations

import math
from typing import Protocol

__all__ = ["AIMDLimit", "GradientLimit", "LimitAlgorithm"]


class LimitAlgorithm(Protocol):
    """Told how every call ended; ``limit`` is what it makes of it. Calls are numbered as they are sent."""

    limit: float

    def answered(self, number: int, seconds: float, held: int) -> None:
        """The service answered after ``seconds``; so many calls were under way."""

    def gave_up(self, seconds: float) -> None:
        """No answer came within ``seconds``."""

    def throttled(self, number: int, latest: int) -> None:
        """The service asked to wait, when ``latest`` was the last call sent."""


class AIMDLimit:
    """Half of the limit for a 429 or 503, and one more for every round of answers after that.

    The calls that were under way when it was halved may be refused as well: they tell nothing new.
    """

    def __init__(self, most: int) -> None:
        self.limit: float = most
        self._most = most
        self._latest = 0

    def answered(self, number: int, seconds: float, held: int) -> None:  # noqa: ARG002 - others use them
        if self.limit < self._most and number > self._latest:
            self.limit = min(self._most, self.limit + 1 / self.limit)

    def gave_up(self, seconds: float) -> None:
        pass

    def throttled(self, number: int, latest: int) -> None:
        if number > self._latest:
            self.limit = max(1.0, self.limit / 2)
            self._latest = latest


class GradientLimit(AIMDLimit):
    """AIMDLimit that also lowers the limit when responses get slower: a queue forms at the service.

    Starts at ``START``. After every round of as many answers as the limit has, at least ``ROUND``, the mean
    time of the round is held against the best. The limit is multiplied by ``TOLERANCE * best / mean``, at
    most 1 and at least 0.5, gets its square root as room to find more, and moves there by ``SMOOTH``. Every
    ``PROBE`` rounds it is halved for one round, whose mean is the best from then on: so neither a queue
    that was there from the start nor a service that became slower for good is mistaken for the other.
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

    def answered(self, number: int, seconds: float, held: int) -> None:
        if self._skip:  # sent under the limit before this one
            self._skip -= 1
        elif number > self._latest:
            self._busiest = max(self._busiest, held)
            self._add(seconds, held)

    def gave_up(self, seconds: float) -> None:
        if seconds > self._best * self.TOLERANCE:
            self._add(seconds, 0)

    def throttled(self, number: int, latest: int) -> None:
        super().throttled(number, latest)
        self._before_probe = None

    def _add(self, seconds: float, held: int) -> None:
        self._sum += seconds
        self._count += 1
        if self._count >= max(self.ROUND, self.limit):
            self._end_round(self._sum / self._count, held)
            self._sum, self._count, self._busiest = 0.0, 0, 0

    def _end_round(self, mean: float, held: int) -> None:
        self._rounds += 1
        if self._before_probe is not None:
            self._best, self.limit, self._before_probe = mean, self._before_probe, None
            return
        self._best = min(mean, self._best)
        if self._rounds % self.PROBE == 0:
            self._before_probe, self.limit, self._skip = self.limit, max(1.0, self.limit / 2), held
            return
        gradient = max(0.5, min(1.0, self.TOLERANCE * self._best / mean)) if mean > 0 else 1.0
        wanted = self.limit * gradient + math.sqrt(self.limit)
        if wanted < self.limit or self._busiest >= self.limit / 2:  # unused room teaches nothing
            moved = self.limit + (wanted - self.limit) * self.SMOOTH
            self.limit = max(1.0, min(self._most, moved))
