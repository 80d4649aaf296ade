"""Chart of the figures for the docs, in SVG: a bar for each stack, on a logarithmic scale."""

from __future__ import annotations

import math
from html import escape

from benchmarks.load import Figures

__all__ = ["bar_chart"]

_ROW, _LEFT, _WIDTH = 34, 230, 420  # pixels


def bar_chart(found: dict[str, Figures], title: str) -> str:
    """Return bars of the CPU time of a call, shortest first."""
    rows = sorted(found.items(), key=lambda row: row[1].cpu_us)
    low = math.log(rows[0][1].cpu_us / 2)
    scale = _WIDTH / (math.log(rows[-1][1].cpu_us) - low)
    height = _ROW * len(rows) + 50
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 110}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="10" y="22" font-weight="bold">{escape(title)}</text>',
    ]
    for i, (name, figures) in enumerate(rows):
        y, width = 40 + i * _ROW, (math.log(figures.cpu_us) - low) * scale
        colour = "#1f6f54" if name.startswith("wosdk") else "#9aa5b1"
        lines += [
            f'<text x="{_LEFT - 8}" y="{y + 16}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="22" fill="{colour}"/>',
            f'<text x="{_LEFT + width + 6:.1f}" y="{y + 16}">{figures.cpu_us:,.0f} us</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])
