"""Figures of a job over time: what each second of calls was like."""

from __future__ import annotations

import asyncio
import datetime
from pathlib import Path

import attrs
import pytest

from tests.jobs.conftest import Job, Local, Write
from tests.jobs.maps import HEADER, MAP, MARKER, rows
from tests.jobs.test_outputs import planned, records
from wosdk_async.calls.outcome import Done, Failed, InDoubt
from wosdk_async.errors import InDoubtError
from wosdk_async.jobs import RowOutcome, open_source
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.sampling import CallMeter


async def test_each_second_with_calls_has_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.csv").write_text("a\n1\n")
    now = [100.0]
    begun = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=50)
    async with planned(
        tmp_path / "job", open_source(tmp_path / "in.csv"), created_at=begun.isoformat(timespec="seconds")
    ) as journal:
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now[0])
        meter = CallMeter(journal)
        for i in range(20):
            meter.add(Done(i, i, None, attempts=1), now[0] - (i + 1) / 100)
        assert meter.add(Done(20, 20, None, attempts=3, waits=(0.5, 1.0)), 98.0) == (3, 2.0)
        now[0] = 101.5
        doubt = InDoubtError("no response", attempts=2, waits=(0.1,))
        assert meter.add(InDoubt(21, 21, doubt), 101.0) == (2, 0.5)
        assert meter.add(Failed(22, 22, ValueError("here")), 101.5) == (0, 0.0)
        meter.flush()
        meter.flush()
        monkeypatch.undo()
        first, second = await journal.samples()
    assert 49 <= first.second <= 52
    assert (second.second - first.second) in (1, 2)
    assert attrs.astuple(first)[1:6] == pytest.approx((21, 0.11, 0.2, 1, 2))
    assert attrs.astuple(second)[1:6] == pytest.approx((2, 0.5, 0.5, 1, 1))


async def test_an_import_leaves_figures_of_its_calls(local: Local, job: Job, write: Write) -> None:
    """Also attempts and seconds of each row; in doubt, the code says which error it was."""
    local.server.broken = True
    summary = await job(write(HEADER, rows(1, 2, 3)), MAP).run(local.company)
    assert summary.folder is not None
    async with Journal.open(summary.folder) as journal:
        samples = await journal.samples()
        stored = await journal.rows_in()
    assert (sum(sample.calls for sample in samples), len(stored)) == (3, 3)
    assert all(row.attempts == 1 and row.seconds > 0 and row.code == "InDoubtError" for row in stored)
    found = records(summary.folder / "results.csv")
    assert {row["code"] for row in found.values()} == {"InDoubtError"}
    assert all(row["request_id"] for row in found.values())


async def test_a_row_that_stays_in_doubt_keeps_the_figures_of_its_call(
    local: Local, job: Job, write: Write
) -> None:
    """With a marker it is looked up first, and left in doubt when that is stopped."""
    local.server.broken = True
    local.company = local.company.with_options(deadline=0.5, settle=60)
    ready = job(write(HEADER, rows(1)), MAP, marker=MARKER)
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
