"""The charts of a report on a job that waited, and on one that was short."""

from __future__ import annotations

import re

from tests.jobs.test_report import Page, facts
from wosdk_async.jobs.journal import Sample
from wosdk_async.jobs.report.page import report_page


def test_seconds_without_a_call_have_no_time_of_a_call() -> None:
    """The line ends before them, and they are no part of the average; a second alone is still a line."""
    page = report_page(facts(samples=[Sample(s, 10, 0.1, 0.2, 0, 0) for s in (0, 1, 8, 20)]))
    (median,) = re.findall(r'<path class="first" d="([^"]*)"', page)
    lines = [[float(x) for x in re.findall(r"([\d.]+) [\d.]+", line)] for line in median.split("M")[1:]]
    seconds = [
        [round(x / 1000 * 21, 1) for x in line] for line in lines
    ]  # a point is the middle of its second
    assert seconds == [[0.5, 1.5], [8, 9], [20, 21]]
    assert "median 100 ms on average, 100 ms at most" in Page(page).text


def test_a_short_run_has_no_time_twice_below_its_charts() -> None:
    page = report_page(facts(samples=[Sample(0, 10, 0.1, 0.2, 0, 0)]))
    assert re.findall(r'class="x">(.*?)</div>', page) == ["<span>0:00</span><span>0:01</span>"] * 2
