"""Charts of a report as inline SVG: it stretches with the page, and its labels are HTML beside it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import attrs

from wosdk_async.jobs.journal import Sample
from wosdk_async.jobs.report.markup import Markup, element

__all__ = ["Bin", "Series", "chart", "share_bar", "time_bins"]

_WIDTH, _HEIGHT = 1000, 100  # of the drawing, in its own units
_MOST_BINS = 300  # points of a line
_PAUSE = 60  # seconds without a call that are left out


@attrs.define
class Bin:
    """Calls of one interval of the working time of a job; pauses between runs are left out.

    Args:
        start: seconds of work before it.
        width: its seconds.
    """

    start: int
    width: int
    calls: int = 0
    p50: float = 0.0
    p95: float = 0.0
    waits: int = 0
    retries: int = 0

    def add(self, sample: Sample) -> None:
        """Add the figures of a sample: the median becomes their mean, the 95th percentile the highest."""
        calls = self.calls + sample.calls
        if calls:
            self.p50 = (self.p50 * self.calls + sample.p50 * sample.calls) / calls
        self.calls = calls
        self.p95 = max(self.p95, sample.p95)
        self.waits += sample.waits
        self.retries += sample.retries

    @property
    def rate(self) -> float:
        """Calls in a second."""
        return self.calls / self.width


def time_bins(samples: Sequence[Sample]) -> tuple[list[Bin], list[int]]:
    """Return the figures over the working time, and the working seconds at which a pause was left out."""
    placed: list[tuple[int, Sample]] = []
    pauses: list[int] = []
    work, end = 0, samples[0].second if samples else 0
    for sample in samples:
        gap = sample.second - end
        if gap > max(_PAUSE, sample.width):
            pauses.append(work)
        else:
            work += max(gap, 0)
        placed.append((work, sample))
        work += sample.width
        end = sample.second + sample.width
    width = max(math.ceil(work / _MOST_BINS), max((each.width for each in samples), default=1))
    bins = [Bin(start, width) for start in range(0, work, width)]
    for at, sample in placed:
        bins[at // width].add(sample)
    return bins, pauses


@attrs.frozen
class Series:
    """One line of a chart: its name, a class of the style sheet, and its value in a bin or None.

    Of one that is ``summed`` the sum is said and not the mean.
    """

    name: str
    style: str
    value: Callable[[Bin], float | None]
    filled: bool = False
    summed: bool = False


def chart(
    title: str, bins: Sequence[Bin], pauses: Sequence[int], series: Sequence[Series], unit: str = ""
) -> Markup:
    """Return a chart of figures over the working time."""
    top = _round_up(max((each.value(one) or 0 for each in series for one in bins), default=0))
    seconds = bins[-1].start + bins[-1].width
    lines = [
        element("path", class_=f"{each.style}{' filled' if each.filled else ''}", d=_path(each, bins, top))
        for each in series
    ]
    grid = [element("path", class_="grid", d=f"M0 {y}H{_WIDTH}") for y in (0, 50, 100)]
    breaks = [
        element("path", class_="pause", d=f"M{_number(at / seconds * _WIDTH)} 0V{_HEIGHT}") for at in pauses
    ]
    keys = [
        element("span", element("i", class_=each.style), _summary(each, bins, unit), class_="key")
        for each in series
    ]
    label = f"{title}: " + ", ".join(_summary(each, bins, unit) for each in series)
    return element(
        "figure",
        element("figcaption", title),
        element(
            "div",
            element("div", *(element("span", _shown(top * part, unit)) for part in (1, 0.5, 0)), class_="y"),
            element(
                "svg",
                grid,
                breaks,
                lines,
                viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
                preserveAspectRatio="none",
                role="img",
                aria_label=label,
            ),
            class_="plot",
        ),
        element("div", *(element("span", _duration(at)) for at in _ticks(seconds)), class_="x"),
        element("p", keys, class_="figures"),
        class_="chart",
    )


def share_bar(parts: Sequence[tuple[str, int]]) -> Markup:
    """Return one bar that is divided by counts; each part is a class of the style sheet and its count."""
    total = sum(count for _, count in parts) or 1
    drawn, x = [], 0.0
    for style, count in parts:
        width = count / total * _WIDTH
        if count:
            width = max(width, 4)  # a single row of a million can still be seen
            drawn.append(element("rect", class_=style, x=_number(x), y=0, width=_number(width), height=10))
        x += width
    view = f"0 0 {_number(max(x, 1))} 10"
    return element("svg", drawn, class_="share", viewBox=view, preserveAspectRatio="none", aria_hidden="true")


def _path(series: Series, bins: Sequence[Bin], top: float) -> str:
    """Return the line of a series, which has a step for each bin if it is filled."""
    seconds = bins[-1].start + bins[-1].width
    lines = [
        "L".join(f"{_number(x)} {_number(y)}" for x, y in _points(series, part, top, seconds))
        for part in _runs(series, bins)
    ]
    return (
        f"M0 {_HEIGHT}L{lines[0]}L{_WIDTH} {_HEIGHT}Z"
        if series.filled
        else "".join(f"M{line}" for line in lines)
    )


def _runs(series: Series, bins: Sequence[Bin]) -> Iterator[list[Bin]]:
    """Give the bins that follow each other and have a value: a line over a gap would invent some."""
    known = itertools.groupby(bins, key=lambda each: series.value(each) is not None)
    return (list(part) for has_value, part in known if has_value)


def _points(series: Series, bins: Sequence[Bin], top: float, seconds: int) -> Iterator[tuple[float, float]]:
    for each in bins:
        y = _HEIGHT * (1 - (series.value(each) or 0) / top)
        left, right = each.start, min(each.start + each.width, seconds)
        if series.filled or len(bins) == 1:
            yield left / seconds * _WIDTH, y
            yield right / seconds * _WIDTH, y
        else:
            yield (left + right) / 2 / seconds * _WIDTH, y


def _ticks(seconds: int) -> tuple[float, ...]:
    """Return the times below a chart; the middle of a second would have the name of its begin."""
    return (0, seconds / 2, seconds) if seconds > 1 else (0, seconds)


def _summary(series: Series, bins: Sequence[Bin], unit: str) -> str:
    values = [value for each in bins if (value := series.value(each)) is not None] or [0.0]
    total = sum(values)
    whole = (
        f"{_shown(total, unit)} in all"
        if series.summed
        else f"{_shown(total / len(values), unit)} on average"
    )
    return f"{series.name} {whole}, {_shown(max(values), unit)} at most"


def _round_up(value: float) -> float:
    """Return the top of an axis: 1, 2 or 5 times a power of ten."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value)


def _shown(value: float, unit: str) -> str:
    if unit == "ms":
        value, unit = (value, "s") if value >= 1 else (value * 1000, "ms")
    number = f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
    return f"{number} {unit}".strip()


def _duration(seconds: float) -> str:
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
