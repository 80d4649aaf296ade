"""Rows that were never sent are counted, even if the last file lacks them."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.jobs.ledger.imports import LONG, corrected
from tests.jobs.maps import KEYED, MAP, MARKER, rows
from tests.jobs.runs import carried_out, held, told
from wosdk_async.jobs import RowOutcome, Summary
from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.ledger.overview import Overview, overview
from wosdk_async.options import RetryPolicy


async def seen(folder: Path) -> Overview:
    async with Journal.open(folder, read_only=True) as journal:
        return await overview(journal)


def report(summary: Summary) -> tuple[Any, str]:
    """What the report says of unsent rows, and its page."""
    assert summary.folder is not None
    page = (summary.folder / "report.html").read_text("utf-8")
    return json.loads((summary.folder / "report.json").read_bytes())["unsent"], page


@pytest.mark.parametrize("text", [MAP, KEYED], ids=["cells", "key"])
async def test_rows_that_rejects_lack_keep_the_job_unfinished(local: Local, text: str) -> None:
    source = local.write([["1", LONG, "", ""], *rows(2, 3, 4)])
    stopped = await local.run(source, text, stop_after=1, concurrency=1)
    assert (stopped.created, stopped.not_started) == (0, 3)
    page = report(stopped)[1]
    assert ("Run the same import again" in page, "Restore the file" in page) == (True, False)
    rejects = corrected(stopped.folder, LONG, "short")
    for _ in range(2):
        summary = await local.run(rejects, text)
        assert (summary.complete, len(told(summary))) == (True, 1), summary.warnings
    job = await seen(stopped.folder)
    assert (job.state, job.left, job.as_dict()["unsent"]) == ("unfinished", 3, {"original": 3, "earlier": 0})
    counts, page = report(summary)
    assert (counts, "Not finished: 3 rows" in page) == ({"original": 3, "earlier": 0}, True)
    source = local.write([["1", "short", "", ""], *rows(2, 3, 4)])
    summary = await local.run(source, text)
    assert (summary.complete, told(summary)) == (True, []), summary
    assert (await seen(stopped.folder)).state == "finished"
    assert await held(local) == Counter("1234")


async def test_rows_of_a_file_that_was_replaced_are_counted_until_they_are_sent(local: Local) -> None:
    first = local.write([["1", LONG, "", ""], *rows(2, 3)])
    text = first.read_text()
    stopped = await local.run(first, KEYED, stop_after=1, concurrency=1)
    assert stopped.not_started == 2
    summary = await local.run(local.write(rows(7, 8)), KEYED)
    assert (summary.complete, len(told(summary))) == (True, 1), summary.warnings
    assert f"folder={str(summary.folder)!r}" in told(summary)[0]
    assert "new_rows=" not in told(summary)[0]
    job = await seen(summary.folder)
    assert (job.state, job.as_dict()["unsent"]) == ("finished", {"original": 0, "earlier": 2})
    counts, page = report(summary)
    assert counts == {"original": 0, "earlier": 2}
    assert ("all rows are done" in page, "2 rows of earlier files" in page) == (False, True)
    earlier = first.with_name("earlier.csv")
    earlier.write_text(text.replace(LONG, "short"))
    summary = await local.run(earlier, KEYED, folder=summary.folder)
    assert (summary.complete, told(summary)) == (True, [])
    assert await held(local) == Counter("12378")


async def test_the_file_of_unsent_rows_without_a_key_needs_a_word(local: Local) -> None:
    first = local.write([["1", LONG, "", ""], *rows(2, 3)])
    text = first.read_text()
    await local.run(first, MAP, stop_after=1, concurrency=1)
    summary = await local.run(local.write(rows(7, 8)), MAP, new_rows=True)
    assert "new_rows=" in told(summary)[0]
    earlier = first.with_name("earlier.csv")
    earlier.write_text(text.replace(LONG, "short"))
    summary = await local.run(earlier, MAP, folder=summary.folder, new_rows=True)
    assert (summary.complete, told(summary)) == (True, [])
    assert await held(local) == Counter("12378")


@pytest.mark.parametrize("options", [{}, {"marker": MARKER}], ids=["cells", "key"])
async def test_summary_outcomes_and_results_agree_on_rows_that_could_not_be_sent(
    local: Local, options: dict[str, Any]
) -> None:
    local.server.busy = True
    local.company = local.company.with_options(retry=RetryPolicy(attempts=1))
    source = local.write([["1", LONG, "", ""], *rows(2, 3)])
    summary, outcomes = await carried_out(local.job(source, MAP, **options), local)
    counts = {"failed": summary.failed, "not_started": summary.not_started}
    assert (counts, summary.waiting) == ({"failed": 1, "not_started": 2}, 2)
    assert Counter(each.outcome for each in outcomes.values()) == counts
    assert [(outcomes[row].code, bool(outcomes[row].reason)) for row in (2, 3)] == [
        ("ThrottledError", True)
    ] * 2
    with (summary.folder / "results.csv").open(newline="") as file:
        listed = {int(each["row"]): each["outcome"] for each in csv.DictReader(file)}
    assert listed == {row: each.outcome for row, each in outcomes.items()}


async def test_rows_of_a_file_that_was_overwritten_need_it_back(local: Local) -> None:
    """The same command would find other rows in it."""
    source = local.write([[str(key), "text", "n" * 2000, ""] for key in range(450)])
    text = source.read_text()

    def overwrite(outcome: RowOutcome) -> None:
        if outcome.row == 1:
            source.write_text(text.replace("text", "other"))

    summary = await local.job(source, KEYED, concurrency=4).run(local.company, on_row=overwrite)
    assert isinstance(summary.stopped, ImportMapError), summary
    assert 0 < summary.created < 450
    assert "Restore the file, then run" in report(summary)[1]
    source.write_text(text)
    summary = await local.run(source, KEYED)
    assert (summary.complete, "Restore the file" in report(summary)[1]) == (True, False)
    assert sum((await held(local)).values()) == 450
