"""Limit on a Company's calls in flight, found by trials that maximize completed calls per second."""

from __future__ import annotations

import math

from wosdk_async.options import DEFAULT_IN_FLIGHT
from wosdk_async.transport.limiter import AIMDLimit


class ThroughputLimit(AIMDLimit):
    """AIMDLimit that exceeds ``START`` only while a higher limit completes more calls per second.

    A round consists of ``limit`` responses, but at least ``ROUND``, that arrived while all slots were in use.
    The round then completes ``limit / mean time`` calls per second (Little's law). A trial compares a
    round with another at twice the limit. If the higher limit completes ``gain`` times as many calls, the
    limit becomes ``lower * gain``. After a trial with little effect, trials pause for ``PAUSE`` rounds;
    otherwise the next trial follows at once.

    A round that is ``SLOWER`` than the previous one starts a trial at half the limit. The same rule applies:
    at half the limit, a service with a queue completes as many calls as before; a service that is slow
    throughout completes fewer.

    A 429 or 503 halves the limit. The limit returns to 0.9 of its previous value within a few rounds, then
    grows by one per round. Trials resume when the limit exceeds that value by a quarter.
    """

    START = DEFAULT_IN_FLIGHT
    ROUND = 64
    PAUSE = 20
    SLOWER = 2.0

    def __init__(self, maximum: int) -> None:
        super().__init__(maximum)
        self.limit = self._lowest = float(min(maximum, self.START))
        self._refused_at = 0.0  # limit at the last 429 or 503; 0 once the limit has recovered
        self._before: tuple[float, float] | None = None  # limit and mean time before the running trial
        self._last_mean = math.inf
        self._pause_left = 0
        self._skip = self.limit  # responses to ignore, because some were sent before all slots were in use
        self._times: list[float] = []

    def responded(self, number: int, seconds: float, in_flight: int) -> None:
        """Add a response to the round or the recovery if all slots were in use."""
        if in_flight + 1 <= self.limit:
            self._skip = self.limit
        elif not self._refused_at:
            self._add(seconds)
        elif number > self._last_before_halving:
            self._recover()

    def failed(self, seconds: float) -> None:
        """Count a missing response as infinitely slow if the wait exceeded the mean."""
        if seconds > self._last_mean and not self._refused_at:
            self._add(math.inf)

    def throttled(self, number: int, latest: int) -> None:
        """Halve the limit and end the trial, unless the attempt predates the last halving."""
        if number > self._last_before_halving:
            self._refused_at, self._before = self.limit, None
            self._times.clear()
        super().throttled(number, latest)

    def _recover(self) -> None:
        step = max(1.0, 0.9 * self._refused_at - self.limit)
        self.limit = min(self._maximum, self.limit + step / self.limit)
        if self.limit >= min(self._maximum, max(self._lowest, 1.25 * self._refused_at)):
            self._refused_at = 0.0
            self._move(self.limit)

    def _add(self, seconds: float) -> None:
        if self._skip > 0:
            self._skip -= 1
            return
        self._times.append(seconds)
        if len(self._times) >= max(self.ROUND, self.limit):
            self._end_round(_mean(self._times))
            self._times.clear()

    def _end_round(self, mean: float) -> None:
        is_slower = mean > self.SLOWER * self._last_mean
        if mean < math.inf:
            self._last_mean = mean
        if self._before is not None:
            self._judge(*self._before, mean)
        elif is_slower and self.limit > self._lowest:
            self._try(self.limit / 2, mean)
        elif self._pause_left <= 0 and self.limit < self._maximum and mean < math.inf:
            self._try(self.limit * 2, mean)
        else:
            self._pause_left -= 1

    def _try(self, limit: float, mean: float) -> None:
        self._before = self.limit, mean
        self._move(max(self._lowest, min(self._maximum, limit)))

    def _judge(self, limit: float, mean: float, tried_mean: float) -> None:
        """End the trial and adopt the better limit."""
        tried, self._before = self.limit, None
        (low, low_mean), (high, high_mean) = sorted([(limit, mean), (tried, tried_mean)])
        gain = high / low * low_mean / high_mean if high_mean < math.inf else 0.0
        # A gain below 1 is noise, or the service's speed changed between the rounds: limit its effect.
        better = max(self._lowest, low * max(0.75, min(high / low, gain)))
        if limit < tried < min(self._maximum, 1.1 * better):
            self._try(2 * tried, tried_mean)
        else:
            self._move(better, self.PAUSE if limit < tried and limit / 1.2 < better < limit * 1.2 else 0)

    def _move(self, limit: float, pause: int = 0) -> None:
        self._skip = max(self.limit, limit)
        self.limit, self._pause_left = limit, pause


def _mean(times: list[float]) -> float:
    """Return the mean, capping the slowest eighth, because a few late responses do not show a queue."""
    ordered = sorted(times)
    cut = len(ordered) * 7 // 8
    return max(1e-6, (sum(ordered[:cut]) + (len(ordered) - cut) * ordered[cut]) / len(ordered))
