"""Reports of journals and folders that hold what nobody expects."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import sqlite3
import sys
from pathlib import Path

import pytest

from tests.jobs.journal.plans import a_journal
from wosdk_async.jobs.journal import Journal, RowRecord, State
from wosdk_async.jobs.report.outputs import outputs_are_current, write_outputs


async def test_a_journal_with_any_numbers_can_be_reported(tmp_path: Path) -> None:
    """Earlier versions kept what a worker said."""
    async with a_journal(tmp_path, 2) as journal:
        journal.record(RowRecord(1, State.DONE, 5, seconds=math.inf))
        await journal.start_run()
        await journal.end_run(0)
    with contextlib.closing(sqlite3.connect(tmp_path / "journal.db")) as db:
        db.execute("UPDATE run SET started_at = 1e308, ended_at = 9e999")
        db.commit()
    async with Journal.open(tmp_path, read_only=True) as journal:
        written = await write_outputs(journal, None)
    assert {"report.html", "report.json"} <= {each.name for each in written}
    assert json.loads((tmp_path / "report.json").read_text())["runs"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
@pytest.mark.parametrize("kind", ["mkfifo", "mkdir"])
async def test_pipes_and_folders_with_names_of_files_do_not_stop_a_report(tmp_path: Path, kind: str) -> None:
    names = ("results.csv", "report.html", "report.json", "outputs.json", "audit.csv", "in_doubt.csv")
    async with asyncio.timeout(20), a_journal(tmp_path, 2) as journal:
        for name in (*names, *(f"{name}.part" for name in names if kind == "mkfifo")):
            getattr(os, kind)(tmp_path / name)
        assert not await outputs_are_current(journal)
        written = await write_outputs(journal, None)
    assert {"results-2.csv"} <= {each.name for each in written}
    assert any(each.name.startswith("report") and each.read_bytes() for each in written)
