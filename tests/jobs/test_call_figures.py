"""Attempts and seconds of the call of each row."""

from __future__ import annotations

from tests.jobs.conftest import Local
from tests.jobs.maps import MAP, MARKER, rows
from tests.jobs.test_outputs import records
from wosdk_async.jobs import RowOutcome
from wosdk_async.jobs.journal import Journal


async def test_an_import_leaves_figures_of_its_calls(local: Local) -> None:
    """In doubt, the code says which error it was."""
    local.server.broken = True
    summary = await local.job(rows(1, 2, 3), MAP).run(local.company)
    assert summary.folder is not None
    async with Journal.open(summary.folder) as journal:
        stored = await journal.rows_in()
    assert len(stored) == 3
    assert all(row.attempts == 1 and row.seconds > 0 and row.code == "InDoubtError" for row in stored)
    found = records(summary.folder / "results.csv")
    assert {row["code"] for row in found.values()} == {"InDoubtError"}
    assert all(row["request_id"] for row in found.values())


async def test_a_row_that_stays_in_doubt_keeps_the_figures_of_its_call(local: Local) -> None:
    """With a marker it is looked up first, and left in doubt when that is stopped."""
    local.server.broken = True
    local.company = local.company.with_options(deadline=0.5, settle=60)
    ready = local.job(rows(1), MAP, marker=MARKER)
    outcomes: list[RowOutcome] = []
    summary = await ready.run(
        local.company,
        on_row=outcomes.append,
        on_stage=lambda text: ready.stop() if text.startswith("rows in doubt") else None,
    )
    assert (summary.in_doubt, outcomes[0].code) == (1, "InDoubtError")
    assert summary.folder is not None
    async with Journal.open(summary.folder) as journal:
        (stored,) = await journal.rows_in()
    assert stored.code == "InDoubtError"
    assert stored.attempts >= 1
    assert stored.seconds > 0
