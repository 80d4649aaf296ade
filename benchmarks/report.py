"""Tables and chart of docs/benchmarks.md, from the files of several benchmark runs.

    python -m benchmarks --json A.json; python -m benchmarks --quick --json B.json; ...
    python -m benchmarks.report A.json B.json ... [--svg OUT.svg] [--page docs/benchmarks.md]

Prints the tables in Markdown. ``--page`` also writes each table between its comments in a page, such as
``<!-- report: cells -->`` and ``<!-- end of report -->``. Absolute figures are medians of the full runs or,
if there are none, of the quick runs.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs
import msgspec

from benchmarks.cells import HTTP, OTHERS, STACKS
from benchmarks.chart import grouped_chart
from benchmarks.goals import GOALS, Goal, mark
from benchmarks.load import FLOOR, OURS, Figures
from tests.support import arguments

_HTTP = str(HTTP)
_PREFIXES = {str(cell): cell.prefix for cell in (HTTP, *OTHERS)}
"""Prefix of a cell's ratio names."""


@attrs.frozen
class _About:
    quick: bool
    python: str
    load: float


@attrs.frozen
class _BesideRatios:
    """Contents of a run's file, except the ratios."""

    about: _About
    cells: dict[str, dict[str, Figures]]
    peak_mb: dict[str, float]


@attrs.frozen
class Run:
    """Results of one run: ``ratios`` by name, and the medians of each stack by cell."""

    quick: bool
    python: str
    load: float
    """Load average before the run: processes that wanted a core, averaged over a minute."""
    ratios: Mapping[str, float]
    cells: Mapping[str, Mapping[str, Figures]]
    """Medians by cell and stack."""
    peak_mb: Mapping[str, float]

    @classmethod
    def read(cls, path: Path) -> Run:
        """Read a file that ``python -m benchmarks --json`` wrote. Raises ValueError for another file."""
        try:
            found = msgspec.json.decode(path.read_bytes())
            rest = msgspec.convert(found, _BesideRatios)
            beside = attrs.fields_dict(_BesideRatios)
            others = {name: value for name, value in found.items() if name not in beside}
            ratios = msgspec.convert(others, dict[str, float])
            if not all(set(STACKS) <= rest.cells.get(cell, {}).keys() for cell in {_HTTP, *rest.cells}):
                raise ValueError(f"{_HTTP!r} or a client is missing in its cells")
            if unknown := rest.cells.keys() - _PREFIXES.keys():
                raise ValueError(f"no cells of these names: {', '.join(sorted(unknown))}")
        except (ValueError, msgspec.MsgspecError) as error:
            raise ValueError(f"{path} was not written by python -m benchmarks --json: {error}") from None
        about = rest.about
        return cls(about.quick, about.python, about.load, ratios, rest.cells, rest.peak_mb)

    def write(self, path: Path) -> None:
        """Write a file for :meth:`read`."""
        about = {"quick": self.quick, "python": self.python, "load": self.load}
        rest = {"about": about, "cells": self.cells, "peak_mb": self.peak_mb}
        text = json.dumps({**self.ratios, **rest}, indent=1, default=attrs.asdict)
        path.write_text(f"{text}\n", encoding="utf-8")


def _chosen(runs: Sequence[Run]) -> list[Run]:
    """Return the full runs or, if there are none, all runs."""
    return [run for run in runs if not run.quick] or list(runs)


def _median(runs: Sequence[Run], cell: str, stack: str, figure: str) -> float:
    figures: list[float] = [getattr(run.cells[cell][stack], figure) for run in runs]
    return statistics.median(figures)


# --- tables -------------------------------------------------------------------------------------


def tables(runs: Sequence[Run]) -> dict[str, str]:
    """Return the tables in Markdown by name: ``cells``, ``create`` and ``ratios``.

    Raises ValueError if the chosen runs measured different clients or cells.
    """
    measured = [{cell: run.cells[cell].keys() for cell in run.cells} for run in _chosen(runs)]
    if any(each != measured[0] for each in measured):
        raise ValueError("the files differ in their cells or clients: pass runs of one version")
    return {"cells": _cells_table(runs), "create": _create_table(runs), "ratios": _ratios_table(runs)}


def _cells_table(runs: Sequence[Run]) -> str:
    """Return a table of the CPU time by stack and cell, and of our ratios to the floor and pyreqwest."""
    chosen = _chosen(runs)
    cells = list(chosen[0].cells)
    cpu = {each: {stack: _median(chosen, each, stack, "cpu_us") for stack in STACKS} for each in cells}
    rows = [[stack, *(f"{cpu[each][stack]:.0f}" for each in cells)] for stack in STACKS]
    for other, name in (("floor", "the floor"), ("pyreqwest", "pyreqwest")):
        names = (f"{_PREFIXES[each]}typed_create_vs_{other}" for each in cells)
        rows.append([f"ours, divided by {name}", *(_median_ratio(chosen, each) for each in names)])
    above = (cpu[each][OURS] - cpu[each][FLOOR] for each in cells)
    rows.append(["ours - floor, of these medians", *(f"{microseconds:.0f}" for microseconds in above)])
    table = markdown(["CPU us of a create, 100 at once", *cells], rows)
    return f"{table}\n\n{_origin(chosen)}"


def _median_ratio(chosen: Sequence[Run], name: str) -> str:
    """Return the median of a ratio over the runs; empty if no run has it."""
    values = [run.ratios[name] for run in chosen if name in run.ratios]
    return f"{statistics.median(values):.2f}" if values else ""


def _origin(chosen: Sequence[Run]) -> str:
    kind = "quick" if chosen[0].quick else "full"
    count = f"a {kind} run" if len(chosen) == 1 else f"{len(chosen)} {kind} runs"
    versions = " and ".join(sorted({run.python for run in chosen}))
    loads = " and ".join(f"{run.load:.1f}" for run in chosen)
    return f"Medians of {count}, CPython {versions}. Load averages before the runs: {loads}."


def _create_table(runs: Sequence[Run]) -> str:
    chosen = _chosen(runs)
    formats = {"cpu_us": ",.0f", "per_second": ",.0f", "p50_ms": ".1f", "p99_ms": ".1f"}
    rows = []
    for stack in chosen[0].cells[_HTTP]:
        figures = (f"{_median(chosen, _HTTP, stack, name):{how}}" for name, how in formats.items())
        peaks = [run.peak_mb[stack] for run in chosen if stack in run.peak_mb]
        rows.append([stack, *figures, f"{statistics.median(peaks):.0f}" if peaks else ""])
    head = [f"a create, {_HTTP}", "CPU us", "calls/s", "p50 ms", "p99 ms", "peak MB"]
    return markdown(head, rows)


def _ratios_table(runs: Sequence[Run]) -> str:
    """Return a table of the ratios that have a goal; results that miss it are in bold."""
    rows = []
    for name, goal in GOALS.items():
        values = [run.ratios[name] for run in runs if name in run.ratios]
        kinds = (
            [run for run in runs if run.quick is quick and name in run.ratios] for quick in (False, True)
        )
        shown = [_shown([run.ratios[name] for run in each], goal) for each in kinds]
        rows.append([f"`{name}`", str(goal), *shown, f"{sum(map(goal.is_kept, values))} of {len(values)}"])
    return markdown(["ratio", "goal", "full runs", "quick runs", "goal met"], rows)


def _shown(values: Sequence[float], goal: Goal | None) -> str:
    """Return up to two values; of more values, return the median, minimum and maximum."""
    if len(values) <= 2:
        return ", ".join(_ratio(each, goal) for each in values)
    lowest, highest = (_ratio(each, None) for each in (min(values), max(values)))
    return f"{_ratio(statistics.median(values), goal)} ({lowest}-{highest})"


def _ratio(value: float, goal: Goal | None) -> str:
    return mark(f"{value:.0f}" if value >= 10 else f"{value:.2f}", value, goal)


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table with the first column aligned left and the others aligned right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = cells
        padded = [each.rjust(width) for each, width in zip(others, widths[1:], strict=True)]
        return f"| {' | '.join([first.ljust(widths[0]), *padded])} |"

    ruler = "|".join(["", "-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:]), ""])
    return "\n".join([line(head), ruler, *map(line, rows)])


# --- picture and page ---------------------------------------------------------------------------


def picture(runs: Sequence[Run]) -> str:
    """Return the chart of the four cells in SVG."""
    chosen = _chosen(runs)
    groups = {
        cell: {stack: _median(chosen, cell, stack, "cpu_us") for stack in STACKS} for cell in chosen[0].cells
    }
    return grouped_chart("CPU time of a create, 100 at once", "us", groups)


def insert(page: str, found: Mapping[str, str]) -> str:
    """Return a page with each table in its place. Raises ValueError if the page lacks a place."""
    for name, table in found.items():
        before, begin, rest = page.partition(f"<!-- report: {name} -->\n")
        _, end, after = rest.partition("<!-- end of report -->")
        if not begin or not end:
            raise ValueError(f"the page has no place for the table {name!r}")
        page = f"{before}{begin}{table}\n{end}{after}"
    return page


def main() -> None:
    """Read the arguments and files, and write the tables and the chart."""
    parser = arguments.parser("benchmarks.report", __doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="RUN.json", help="what a run wrote by --json")
    parser.add_argument(
        "--svg", type=arguments.output, metavar="OUT.svg", help="where to draw the four cells"
    )
    parser.add_argument("--page", type=Path, metavar="PAGE.md", help="page to write the tables into")
    args = parser.parse_args()
    try:
        runs = [Run.read(path) for path in args.files]
        found = tables(runs)
        if args.page:
            page = insert(args.page.read_text(encoding="utf-8"), found)
            args.page.write_text(page, encoding="utf-8")
        if args.svg:
            args.svg.write_text(picture(runs), encoding="utf-8")
    except (OSError, ValueError) as error:
        parser.error(str(error))
    print("\n\n".join(found.values()))


if __name__ == "__main__":
    main()
