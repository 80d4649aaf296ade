"""SVG chart for the docs: groups of bars on one scale, for light and dark themes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

_LEFT, _WIDTH, _RIGHT = 190, 400, 90  # pixels for the names, the longest bar, and a bar's figure
_BAR, _HEADING, _TOP, _GAP = 22, 26, 44, 14
_STYLE = """\
text { font: 13px sans-serif; fill: #1f2328 } .head { font-weight: bold }
.page { fill: #ffffff } .bar { fill: #8c959f } .ours { fill: #1f7a5a }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .page { fill: #0d1117 } .bar { fill: #6e7681 } .ours { fill: #3fb98a }
}"""


def grouped_chart(title: str, unit: str, groups: Mapping[str, Mapping[str, float]]) -> str:
    """Return a chart with a group of bars for each of ``groups``, which map names to figures.

    ``<title>`` and ``<desc>`` have title and figures as text, for screen readers. Bars whose name begins with
    ``wosdk_async`` have a different colour.
    """
    longest = max(figure for bars in groups.values() for figure in bars.values())
    height = _TOP + sum(_HEADING + _BAR * len(bars) + _GAP for bars in groups.values())
    width = _LEFT + _WIDTH + _RIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-labelledby="title desc">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="desc">{escape(_said(unit, groups))}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
        f'<text class="head" x="10" y="24">{escape(title)}</text>',
    ]
    top = _TOP
    for name, bars in groups.items():
        lines.append(f'<text class="head" x="10" y="{top + 16}">{escape(name)}</text>')
        lines += _bars(bars, unit, top + _HEADING, _WIDTH / longest)
        top += _HEADING + _BAR * len(bars) + _GAP
    return "\n".join([*lines, "</svg>", ""])


def _bars(bars: Mapping[str, float], unit: str, top: int, scale: float) -> Iterator[str]:
    for i, (name, figure) in enumerate(bars.items()):
        y, width = top + i * _BAR, figure * scale
        colour = "ours" if name.startswith("wosdk_async") else "bar"
        yield f'<text x="{_LEFT - 8}" y="{y + 14}" text-anchor="end">{escape(name)}</text>'
        yield f'<rect class="{colour}" x="{_LEFT}" y="{y}" width="{width:.1f}" height="{_BAR - 4}"/>'
        yield f'<text x="{_LEFT + width + 6:.1f}" y="{y + 14}">{figure:,.0f} {escape(unit)}</text>'


def _said(unit: str, groups: Mapping[str, Mapping[str, float]]) -> str:
    return " ".join(
        f"{name}: {', '.join(f'{bar} {figure:,.0f} {unit}' for bar, figure in bars.items())}."
        for name, bars in groups.items()
    )
