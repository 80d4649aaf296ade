"""What is read from a journal: rows, also those that its file has no more, references, runs."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from tests.jobs.journal.plans import a_journal, a_plan
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import (
    Journal,
    ReferenceRecord,
    RowRecord,
    State,
)
from wosdk_async.jobs.journal.folder import plan_of

# --- reading --------------------------------------------------------------------------------------


async def test_rows_come_in_pages_by_state(tmp_path: Path) -> None:
    async with a_journal(tmp_path, 10) as journal:
        await journal.begin(range(1, 9))
        for row in (1, 3, 5, 7):
            journal.record(RowRecord(row, State.DONE))
        assert [row.row for row in await journal.rows_in(State.DONE, limit=3)] == [1, 3, 5]
        assert [row.row for row in await journal.rows_in(State.DONE, after=5, limit=3)] == [7]
        assert [row.row for row in await journal.rows_in(State.SENDING, State.PLANNED)] == [2, 4, 6, 8, 9, 10]
        assert [row.row for row in await journal.rows_in(after=8)] == [9, 10]
        assert await journal.rows_in(State.FOUND) == []
        assert [place for place, *_ in await journal.page(4, 6)] == [4, 5, 6]
        assert await journal.page(11, 20) == []


async def test_rows_of_the_file_come_in_its_order_and_the_others_are_gone(tmp_path: Path) -> None:
    def sort_backwards_without_row_2(db: sqlite3.Connection) -> None:
        db.execute("UPDATE planned SET place = NULL")
        db.execute("UPDATE planned SET place = 5 - row, line = 6 - row, digest = 7 WHERE row <> 2")

    async with a_journal(tmp_path, 4) as journal:
        await journal.begin([1, 2, 3])
        await journal.admit(sort_backwards_without_row_2, a_plan(rows=3))
        assert [(row.place, row.row, row.changed) for row in await journal.file_rows()] == [
            (1, 4, True),
            (2, 3, True),
            (4, 1, True),
        ]
        assert [row.row for row in await journal.file_rows(State.SENDING, after=2, limit=1)] == [1]
        assert [[row.row for row in page] async for page in journal.file_pages(size=2)] == [[4, 3], [1]]
        assert [[row.row for row in page] async for page in journal.pages(size=3)] == [[1, 2, 3], [4]]
        assert [(place, row) for place, row, *_ in await journal.page(2, 4)] == [(2, 3), (4, 1)]
        assert (journal.counts()[State.SENDING], journal.counts()[State.PLANNED]) == (2, 1)
        assert (journal.counts(gone=True)[State.SENDING], journal.counts(gone=True)[State.PLANNED]) == (1, 0)
        [gone] = (await journal.rows_numbered([2, 9])).values()
        assert (gone.row, gone.place, gone.line) == (2, None, 3)


async def test_rows_that_are_planned_again_have_the_cells_of_the_file(tmp_path: Path) -> None:
    def change_all(db: sqlite3.Connection) -> None:
        db.execute("UPDATE planned SET digest = 7")

    async with a_journal(tmp_path, 3) as journal:
        await journal.begin([1, 2])
        await journal.admit(change_all, a_plan(rows=3))
        await journal.plan_again([1])
        found = [(row.state, row.changed) for row in await journal.rows_in()]
        assert found == [(State.PLANNED, False), (State.SENDING, True), (State.PLANNED, True)]


async def test_times_of_changes_rise_though_the_clock_falls(tmp_path: Path) -> None:
    times = iter([500.0, 499.0, 20.0])
    async with a_journal(tmp_path, 3, clock=lambda: next(times)) as journal:
        for row in (1, 2, 3):
            await journal.begin([row])
        found = await journal.read(lambda db: db.execute("SELECT stamp FROM outcome ORDER BY row").fetchall())
        assert found == [(500_000,), (500_001,), (500_002,)]


async def test_a_reader_cannot_write(tmp_path: Path) -> None:
    await a_journal(tmp_path, 1).close()
    async with Journal.open(tmp_path, read_only=True) as journal:
        with pytest.raises(JournalError, match="read-only"):
            await journal.begin([1])
        with pytest.raises(JournalError, match="read-only"):
            journal.record(RowRecord(1, State.DONE))


async def test_a_snapshot_puts_no_file_beside_the_journal(tmp_path: Path) -> None:
    """Not even those that SQLite makes to read; beside a process that works on the job it sees commits."""
    async with a_journal(tmp_path, 3) as journal:
        await journal.begin([1])
        async with Journal.open(tmp_path, snapshot=True) as beside:
            assert beside.counts()[State.SENDING] == 1
    before = sorted(os.listdir(tmp_path))
    async with Journal.open(tmp_path, snapshot=True) as alone:
        assert (alone.counts()[State.SENDING], len(await alone.page(1, 3))) == (1, 3)
        assert plan_of(tmp_path) == alone.plan
        assert sorted(os.listdir(tmp_path)) == before


async def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = a_journal(tmp_path, 1)
    await journal.close()
    await journal.close()
    for use in (lambda: journal.begin([1]), lambda: journal.page(1, 1), journal.references):
        with pytest.raises(JournalError, match="is closed"):
            await use()


async def test_a_closed_journal_is_one_file(tmp_path: Path) -> None:
    journal = a_journal(tmp_path, 10)
    await journal.begin([1, 2])
    await journal.close()
    assert sorted(os.listdir(tmp_path)) == ["journal.db", "lock"]
    (tmp_path / "copy").mkdir()
    (tmp_path / "journal.db").rename(tmp_path / "copy" / "journal.db")
    async with Journal.open(tmp_path / "copy") as journal:
        assert journal.counts()[State.SENDING] == 2


async def test_people_can_read_it_with_sql(tmp_path: Path) -> None:
    async with a_journal(tmp_path, 2) as journal:
        journal.record(RowRecord(1, State.DONE, id=5, number="RSC1"))
    db = sqlite3.connect(tmp_path / "journal.db")
    assert db.execute('SELECT "row", "key", state, id, number FROM rows').fetchall() == [
        (1, "K-1", 2, 5, "RSC1"),
        (2, "K-2", 0, None, None),
    ]
    db.close()


# --- references, runs ---------------------------------------------------------------------


async def test_references_are_kept_with_what_became_of_them(tmp_path: Path) -> None:
    async with a_journal(tmp_path, 1) as journal:
        await journal.begin_reference(ReferenceRecord("customer", "acme", "Acme", State.SENDING))
        await journal.begin_reference(ReferenceRecord("location", "acme", "Acme", State.SENDING))
        await journal.begin_reference(ReferenceRecord("customer", "half \ud800", "K", State.SENDING))
        journal.record_reference(ReferenceRecord("customer", "acme", "Acme", State.DONE, id=4))
    async with Journal.open(tmp_path) as journal:
        found = {(each.reference, each.name): (each.state, each.id) for each in await journal.references()}
        assert found == {
            ("customer", "acme"): (State.DONE, 4),
            ("location", "acme"): (State.SENDING, None),
            ("customer", "half ?"): (State.SENDING, None),
        }


async def test_what_a_newer_version_adds_to_an_outcome_is_ignored(tmp_path: Path) -> None:
    reference = ReferenceRecord("customer", "pier", "Pier", State.DONE, 7, entity="Customer")
    async with a_journal(tmp_path, 1) as journal:
        journal.record(RowRecord(1, State.DONE, id=9, warnings=("cut",)))
        await journal.begin_reference(reference)
        await journal.begin_undo(1)
    with contextlib.closing(sqlite3.connect(journal.path, isolation_level=None)) as db:
        for table in ("outcome", "reference", "undo"):
            db.execute(f"UPDATE {table} SET detail = json_insert(detail, '$[#]', 'new')")  # noqa: S608
    async with Journal.open(journal.folder, read_only=True) as journal:
        (row,) = await journal.rows_in()
        assert (row.id, row.warnings, row.proof) == (9, ("cut",), None)
        assert await journal.references() == [reference]
        assert (await journal.undos([1]))[1].state is State.SENDING


async def test_runs_are_numbered_and_a_killed_one_has_no_end(tmp_path: Path) -> None:
    journal = a_journal(tmp_path, 1, clock=lambda: 100.0)
    assert await journal.start_run(options={"limit": 32}, path=tmp_path) == 1
    journal.abandon()
    async with Journal.open(tmp_path, clock=lambda: 200.0) as journal:
        assert await journal.start_run() == 2
        await journal.end_run(130, reason="stopped")
        first, second = await journal.runs()
    assert (first.started_at, first.ended_at, first.exit_status) == (100.0, None, None)
    assert first.details["options"] == {"limit": 32}
    assert {"version", "host", "pid", "user"} <= first.details.keys()
    assert (second.started_at, second.ended_at, second.exit_status) == (200.0, 200.0, 130)
    assert second.details["reason"] == "stopped"
