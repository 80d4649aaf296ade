"""Scale on one machine: each case runs at a small size, and its figures get into the table and the ratios."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from benchmarks import scale
from benchmarks.goals import GOALS
from benchmarks.report import insert
from benchmarks.test_report import SVG, rows
from tests.docs.pages import ROOT

FOUND: scale.Found = {
    case.ratio: {size: scale.Figures(mb=50.0 + 10 * i, cpu_us=100.0 + i) for i, size in enumerate(case.sizes)}
    for case in scale.CASES
}


@pytest.mark.parametrize("case", scale.CASES, ids=lambda case: case.ratio)
def test_a_case_at_a_small_size(case: scale.Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """The case runs in this process, so it must not tune garbage collection."""
    monkeypatch.setattr(scale, "LEAST", 40)
    monkeypatch.setattr(scale, "WARM_UP", 20)
    monkeypatch.setattr(scale, "tune_process", lambda: None)
    assert case.cpu_us(4) > 0


def test_figures_come_from_another_process() -> None:
    found = scale.measure(scale.CASES[2], 10)
    assert found.mb > 10
    assert found.cpu_us > 0


def test_ratios_compare_the_large_size_with_both_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each ratio has a goal."""
    measured: list[tuple[scale.Case, int]] = []

    def measure(case: scale.Case, size: int) -> scale.Figures:
        measured.append((case, size))
        grown = size == max(case.quick or case.sizes)
        return scale.Figures(120.0 if grown else 40.0, 3.0 if grown else len(measured) % 3 + 0.5)

    monkeypatch.setattr(scale, "measure", measure)
    found = scale.ratios()
    assert len(measured) == 3 * len(scale.CASES)
    assert found.keys() <= GOALS.keys()
    assert {found[case.ratio] for case in scale.CASES} == {3.0}  # 1.5 before, 0.5 after
    assert {found[f"{case.ratio}_mb"] for case in scale.CASES} == {3.0}


def test_the_table_has_its_place_in_the_page() -> None:
    page = ROOT.joinpath("docs/load.md").read_text(encoding="utf-8")
    table = scale.table(FOUND)
    after = insert(page, {"scale": table})
    between = re.compile(r"(<!-- report: scale -->).*?(<!-- end of report -->)", re.DOTALL)
    assert between.sub("", after) == between.sub("", page)
    first = rows(table)["rows imported from CSV"]
    assert first == ["50,000 to 1,000,000", "50 to 70", "100 to 102", "1.40", "1.02", "`import_50k_vs_10k`"]
    assert [line.split("|")[1] for line in table.splitlines()] == [
        line.split("|")[1] for line in page.partition("<!-- report: scale -->\n")[2].splitlines()[:7]
    ]  # the page names the same cases


def test_the_pictures_have_a_bar_for_each_size() -> None:
    for picture, unit in zip(scale.pictures(FOUND), ("MB", "us"), strict=True):
        root = ET.fromstring(picture)
        texts = [each.text or "" for each in root.iter(f"{SVG}text")]
        assert {"1,000,000", *(case.what for case in scale.CASES)} <= set(texts)
        assert sum(text.endswith(f" {unit}") for text in texts) == sum(map(len, FOUND.values()))
