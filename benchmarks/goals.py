"""Goals of the ratios, and how a ratio that misses its goal is marked."""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen
class Goal:
    """Bound of a ratio."""

    bound: float
    least: bool = False
    """Whether the bound is a minimum instead of a maximum."""

    def is_kept(self, value: float) -> bool:
        """Return whether a ratio meets the goal."""
        return value >= self.bound if self.least else value <= self.bound

    def __str__(self) -> str:
        return f"at {'least' if self.least else 'most'} {self.bound:g}"


GOALS = {
    "codec_vs_pydantic": Goal(0.5),
    "typed_create_vs_aiohttp": Goal(0.5),
    "typed_create_vs_floor": Goal(1.7),
    "httpx_vs_typed_create": Goal(25, least=True),
    "run_many_50k_vs_1k": Goal(1.1),
    "latency_50ms_vs_floor": Goal(0.9, least=True),
    "typed_create_vs_pyreqwest": Goal(0.75),
    "tls_typed_create_vs_pyreqwest": Goal(0.85),
    "uvloop_typed_create_vs_pyreqwest": Goal(0.95),
    "uvloop_tls_typed_create_vs_pyreqwest": Goal(1.05),
    "tls_typed_create_vs_aiohttp": Goal(0.4),
    "companies_2k_vs_100": Goal(1.7),
    "companies_2k_vs_100_mb": Goal(1.35),
    "outstanding_50k_vs_1k": Goal(1.5),
    "outstanding_50k_vs_1k_mb": Goal(7),
    "import_50k_vs_10k": Goal(1.2),
    "import_50k_vs_10k_mb": Goal(1.4),
    "export_50k_vs_10k": Goal(1.2),
    "export_50k_vs_10k_mb": Goal(1.4),
    "threads_4_vs_1": Goal(1.2),
    "threads_4_vs_1_mb": Goal(1.2),
}
"""Goals by ratio name; other ratios have none."""


def mark(text: str, value: float, goal: Goal | None) -> str:
    """Return the text of a ratio, between ``**`` if it misses its goal."""
    return text if goal is None or goal.is_kept(value) else f"**{text}**"


def lines(ratios: Mapping[str, float]) -> str:
    """Return the ratios of one run with their goals, as lines for a terminal."""
    goals = ((name, value, GOALS.get(name)) for name, value in ratios.items())
    return "\n".join(
        f"{name:36} {mark(f'{value:.3f}', value, goal):>10}  {goal or ''}".rstrip()
        for name, value, goal in goals
    )
