"""The fault that only takes time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from statistics import NormalDist

import attrs
from attrs.validators import optional

from .faults_checks import is_span, number
from .faults_exchange import Exchange

__all__ = ["Latency"]


@attrs.frozen(kw_only=True)
class Latency:
    """A wait before the request is carried out: ``fixed`` seconds, ``uniform`` between two, or ``lognormal``
    through the median and one more percentile, as in ``{p50 = 0.05, p99 = 0.8}``.
    """

    fixed: float | None = attrs.field(default=None, validator=optional(number))
    uniform: Sequence[float] | None = None
    lognormal: Mapping[str, float] | None = None

    def __attrs_post_init__(self) -> None:
        if sum(each is not None for each in (self.fixed, self.uniform, self.lognormal)) != 1:
            raise ValueError("a latency needs one of fixed, uniform and lognormal")
        if self.uniform is not None and not is_span(self.uniform):
            raise ValueError(f"uniform is {self.uniform!r}; it must be two numbers, the lower one first")
        if self.lognormal is not None:
            _curve(self.lognormal)

    async def play(self, exchange: Exchange, draw: Random) -> bool:
        await exchange.clock.sleep(self.seconds(draw))
        return False

    def seconds(self, draw: Random) -> float:
        """One wait."""
        if self.uniform is not None:
            return draw.uniform(*self.uniform)
        if self.lognormal is not None:
            return draw.lognormvariate(*_curve(self.lognormal))
        return self.fixed or 0.0


def _curve(percentiles: Mapping[str, float]) -> tuple[float, float]:
    """Mean and deviation of the logarithm, from the median and one percentile above it."""
    try:
        low, high = sorted((int(name.removeprefix("p")), value) for name, value in percentiles.items())
        if low[0] != 50 or not 50 < high[0] < 100 or not 0 < low[1] <= high[1] < math.inf:
            raise ValueError
        middle, deviation = math.log(low[1]), NormalDist().inv_cdf(high[0] / 100)
        return middle, (math.log(high[1]) - middle) / deviation
    except (ValueError, TypeError, AttributeError):
        text = f"lognormal is {percentiles!r}; it must be like {{p50 = 0.05, p99 = 0.8}}, in seconds above 0"
        raise ValueError(text) from None
