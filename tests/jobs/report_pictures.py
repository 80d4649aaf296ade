"""The pictures of docs/jobs.md: `python -m tests.jobs.report_pictures [FOLDER]`. Needs Chromium."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from tests.console.browser import chromium
from wosdk_async.jobs.journal import JobPlan, JobRun, Sample, State, StoredRow, new_job_id
from wosdk_async.jobs.report.facts import JobFacts
from wosdk_async.jobs.report.page import report_page

FOLDER = Path("docs/images")
SECONDS = 150
REASONS = (
    ("Customer: there is no 'Harbour Hotel'", 140),
    ("`Task.Id` is a required field", 62),
    ("dt_due: takes a time such as 31.03.2026, not '31.02.2026'", 29),
)


def main(folder: Path = FOLDER) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    page = report_page(made_up())
    with chromium() as browser:
        for name, width, scheme in (("job-report", 1040, "light"), ("job-report-narrow", 390, "dark")):
            shown = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            shown.set_content(page)
            shown.screenshot(path=folder / f"{name}.png")
            shown.close()


def made_up() -> JobFacts:
    """A large import that was stopped once, met a slow minute, and is not finished."""
    begun = datetime(2026, 11, 22, 20, 14, 3, tzinfo=UTC)
    plan = JobPlan(
        job=new_job_id(), file="/data/requests-2026-11.csv", size=4_201_133, sha256="1f" * 32,
        company="AcmeFacilities", map_sha256="2f" * 32, operation="WoCreateCommand",
        marker="work_order.po_number", created_at=begun.isoformat(), rows=12_400, empty_rows=3,
    )  # fmt: skip
    start, details = begun.timestamp(), {"user": "nightly", "host": "jobs-1", "version": "0.2.0"}
    runs = [
        JobRun(1, start, start + 90, 1, details | {"stopped": "SIGTERM"}),
        JobRun(2, start + 3600, start + 3660, 1, details | {"stopped": "SIGTERM"}),
    ]
    facts = JobFacts(plan, Path("/data/requests-2026-11.csv.job"), runs=runs, samples=list(samples()))
    facts.add(rows())
    return facts


def samples() -> Iterator[Sample]:
    chance = random.Random(7)
    for second in range(SECONDS):
        slow = math.exp(-(((second - 52) / 7) ** 2))
        yield Sample(
            second if second < 90 else second + 3510,
            calls=round(chance.uniform(78, 98) * (1 - 0.7 * slow)),
            p50=chance.uniform(0.11, 0.115) + 0.2 * slow,
            p95=chance.uniform(0.2, 0.29) + 0.45 * slow,
            waits=round(12 * slow * chance.uniform(0.8, 1.1)),
            retries=round(18 * slow * chance.uniform(0.8, 1.1)) + (chance.random() < 0.05),
        )


def rows() -> Iterator[StoredRow]:
    number = 0
    failed = [(State.REFUSED, reason, count) for reason, count in REASONS]
    doubt = (State.IN_DOUBT, "the connection was closed before the response", 16)
    kinds = [(State.DONE, None, 11_984), (State.FOUND, None, 119), *failed, doubt, (State.PLANNED, None, 50)]
    for state, reason, count in kinds:
        for _ in range(count):
            number += 1
            yield StoredRow(number, state, reason=reason, key=f"R-{number}", line=number + 1)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
