"""Tables and chart of docs/benchmarks.md (``benchmarks.report``), and their place in the page."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from benchmarks import goals, report
from benchmarks.cells import STACKS
from benchmarks.load import Figures
from tests.docs.pages import ROOT

SVG = "{http://www.w3.org/2000/svg}"
CELLS = ("asyncio, http", "asyncio, https", "uvloop, http", "uvloop, https")
OURS = STACKS[0]


def run(ours: float = 40.0, *, quick: bool = False, ratios: dict[str, float] | None = None) -> report.Run:
    """Return a run in which the other stacks take 50, 60 and 70 us."""
    cpu = dict(zip(STACKS, (ours, 50.0, 60.0, 70.0), strict=True))
    more = {"per_second": 12345.6, "p50_ms": 4.25, "p99_ms": 9.0, "server_us": 20.0}
    cells = {cell: {stack: Figures(us, **more) for stack, us in cpu.items()} for cell in CELLS}
    peaks = {} if quick else {OURS: 40.4}
    return report.Run(
        quick=quick, python="3.11.7", load=0.25, ratios=ratios or {}, cells=cells, peak_mb=peaks
    )


def rows(table: str) -> dict[str, list[str]]:
    """Return the other cells of each row, by its first cell."""
    lines = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("|")]
    return {first.strip(): [cell.strip() for cell in others] for first, *others in lines}


def test_absolute_figures_are_medians_of_the_full_runs() -> None:
    """If there are full runs, quick runs do not count."""
    table = report.tables([run(40.0), run(44.0), run(45.0), run(90.0, quick=True)])["cells"]
    found = rows(table)
    assert found["CPU us of a create, 100 at once"] == list(CELLS)
    assert found[OURS] == ["44"] * 4
    assert found["ours - floor, of these medians"] == ["-6"] * 4
    assert "Medians of 3 full runs, CPython 3.11.7." in table


def test_ratios_of_the_cells_are_those_of_the_runs() -> None:
    """They are computed within each round, so they are not the quotients of the medians above them."""
    prefixes = ("", "tls_", "uvloop_", "uvloop_tls_")
    full = [
        run(ratios={f"{prefix}typed_create_vs_floor": i + more for i, prefix in enumerate(prefixes)})
        for more in (1.1, 1.2, 1.9)
    ]
    quick = run(quick=True, ratios={"typed_create_vs_floor": 9.0, "typed_create_vs_pyreqwest": 9.0})
    found = rows(report.tables([*full, quick])["cells"])
    assert found["ours, divided by the floor"] == ["1.20", "2.20", "3.20", "4.20"]
    assert found["ours, divided by pyreqwest"] == [""] * 4


def test_quick_runs_count_when_there_are_no_others() -> None:
    """The table says that its run was quick, and has no peak memory."""
    found = report.tables([run(40.0, quick=True)])
    assert "Medians of a quick run" in found["cells"]
    assert rows(found["create"])[OURS] == ["40", "12,346", "4.2", "9.0", ""]
    assert rows(report.tables([run()])["create"])[OURS][-1] == "40"


def test_ratios_that_miss_their_goal_are_bold() -> None:
    """A goal is a maximum or a minimum; ratios without a goal are left out."""
    good = {"codec_vs_pydantic": 0.5, "httpx_vs_typed_create": 25.0, "latency_50ms_vs_floor": 0.9}
    bad = {"codec_vs_pydantic": 0.51, "httpx_vs_typed_create": 24.4, "latency_50ms_vs_floor": 0.89}
    runs = [run(ratios={**good, "only_here": 1.0}), run(quick=True, ratios=bad), run(quick=True, ratios=good)]
    found = rows(report.tables(runs)["ratios"])
    assert found["`codec_vs_pydantic`"] == ["at most 0.5", "0.50", "**0.51**, 0.50", "2 of 3"]
    assert found["`httpx_vs_typed_create`"] == ["at least 25", "25", "**24**, 25", "2 of 3"]
    assert found["`latency_50ms_vs_floor`"] == ["at least 0.9", "0.90", "**0.89**, 0.90", "2 of 3"]
    assert "`only_here`" not in found


def test_one_run_marks_ratios_that_miss_their_goal() -> None:
    lines = goals.lines({"codec_vs_pydantic": 0.51, "httpx_vs_typed_create": 25.0, "only_here": 1.0})
    assert [line.split(maxsplit=2) for line in lines.splitlines()] == [
        ["codec_vs_pydantic", "**0.510**", "at most 0.5"],
        ["httpx_vs_typed_create", "25.000", "at least 25"],
        ["only_here", "1.000"],
    ]


def test_the_picture_says_in_words_what_it_shows() -> None:
    """The longest bar fits, and there are colours for light and dark themes."""
    picture = report.picture([run(40.0)])
    root = ET.fromstring(picture)
    title, desc = (root.findtext(f"{SVG}{name}") or "" for name in ("title", "desc"))
    assert root.get("aria-labelledby") == "title desc"
    assert title == "CPU time of a create, 100 at once"
    assert f"uvloop, https: {OURS} 40 us, {STACKS[1]} 50 us" in desc
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert {*CELLS, *STACKS, "40 us", "70 us"} <= set(texts)
    bars = [each for each in root.iter(f"{SVG}rect") if each.get("class") != "page"]
    assert len(bars) == 4 * len(STACKS)
    ends = [float(each.get("x", "")) + float(each.get("width", "")) for each in bars]
    assert max(ends) < int(root.get("width", ""))
    assert "prefers-color-scheme: dark" in picture


def test_the_page_and_the_files(tmp_path: Path) -> None:
    """The command reads ``--json`` files, and changes the page only between the comments."""
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    run(40.0, ratios={"codec_vs_pydantic": 0.4}).write(files[0])
    run(41.0, quick=True, ratios={"codec_vs_pydantic": 0.6}).write(files[1])
    page, picture = tmp_path / "page.md", tmp_path / "picture.svg"
    before = (ROOT / "docs/benchmarks.md").read_text()
    page.write_text(before)
    said = subprocess.run(
        [sys.executable, "-m", "benchmarks.report", *files, "--page", page, "--svg", picture],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    after = page.read_text()
    runs = [report.Run.read(file) for file in files]
    assert picture.read_text() == report.picture(runs)
    between = re.compile(r"(<!-- report: \w+ -->).*?(<!-- end of report -->)", re.DOTALL)
    assert between.sub("", after) == between.sub("", before)
    for table in report.tables(runs).values():
        assert table in after
        assert table in said.stdout
    assert report.insert(after, report.tables(runs)) == after


def test_a_page_without_a_place() -> None:
    with pytest.raises(ValueError, match="no place for the table 'cells'"):
        report.insert("# A page\n", {"cells": "| a |"})
