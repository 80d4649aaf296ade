"""Journals that cannot be used: full disks, damage, lost commits."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import resource
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.jobs.journal.plans import a_journal, a_plan, insert_rows
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import (
    FolderLock,
    GrantRecord,
    Journal,
    RowRecord,
    State,
)
from wosdk_async.jobs.journal.store import connect

ROOT = Path(__file__).parents[3]


@contextlib.contextmanager
def full_disk(room: int = 0) -> Iterator[None]:
    """No file of this process grows beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def left_by_a_kill(folder: Path) -> None:
    """Leave the journal of a job with commits in its log, as kill -9 does."""
    made = folder / "made"
    made.mkdir()
    journal = a_journal(made, 500)
    await journal.begin(range(1, 41))
    for row in range(1, 21):
        journal.record(RowRecord(row, State.DONE, id=row))
    await journal.flush()
    for name in ("journal.db", "journal.db-wal", "lock"):
        shutil.copy(made / name, folder / name)
    journal.abandon()
    shutil.rmtree(made)


# --- a disk that is full --------------------------------------------------------------------------


async def test_a_full_disk_stops_the_job_and_loses_nothing(tmp_path: Path) -> None:
    journal = a_journal(tmp_path, 500)
    await journal.begin([1, 2, 3])
    with full_disk():
        journal.record(RowRecord(1, State.DONE, id=11))
        with pytest.raises(JournalError, match=r"journal\.db: .*run the same command again"):
            await journal.begin([4])
        assert journal.failed is not None
        journal.record(RowRecord(2, State.DONE, id=22))
        with pytest.raises(JournalError):
            await journal.flush()
        with pytest.raises(JournalError):
            await journal.begin([5])
        assert [record.id for record in journal.unwritten] == [11, 22]
        assert [state for _, _, state, *_ in await journal.page(1, 5)] == [State.SENDING] * 3 + [
            State.PLANNED
        ] * 2
        await journal.close()
    assert [record.id for record in journal.unwritten] == [11, 22]
    async with Journal.open(tmp_path) as journal:
        states = [state for _, _, state, *_ in await journal.page(1, 5)]
        assert states == [State.SENDING] * 3 + [State.PLANNED] * 2


async def test_a_disk_with_room_again_takes_the_outcomes_at_the_end(tmp_path: Path) -> None:
    journal = a_journal(tmp_path, 500)
    await journal.start_run()
    await journal.begin([1, 2])
    with full_disk():
        journal.record(RowRecord(1, State.DONE, id=11))
        with pytest.raises(JournalError):
            await journal.begin([3])
        journal.record(RowRecord(2, State.DONE, id=22))
        with pytest.raises(JournalError):
            await journal.end_run(1)
    with pytest.raises(JournalError):  # it does not go on by itself
        await journal.begin([3])
    await journal.close()
    assert journal.unwritten == []
    async with Journal.open(tmp_path) as journal:
        assert [state for _, _, state, *_ in await journal.page(1, 3)] == [
            State.DONE,
            State.DONE,
            State.PLANNED,
        ]
        assert (await journal.runs())[0].exit_status == 1


ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i AS data FROM n WHERE i > 1"


@pytest.mark.parametrize(
    "statements",
    [
        "DROP VIEW rows; CREATE VIEW rows AS SELECT 1",  # first: without the check the others take hours
        f"ALTER TABLE plan RENAME TO x; CREATE VIEW plan AS {ENDLESS}",
        f"DROP TABLE undo; CREATE VIEW undo AS {ENDLESS}",
        f"CREATE TRIGGER rows AFTER INSERT ON outcome BEGIN INSERT INTO run {ENDLESS}; END",
        "CREATE VIRTUAL TABLE leases USING fts5 (id)",
        "DROP TABLE plan; CREATE TABLE plan (x, data TEXT GENERATED ALWAYS AS (hex(zeroblob(499999000))))",
        "DROP TABLE undo; CREATE TABLE undo (row, x GENERATED ALWAYS AS (hex(zeroblob(499999000))))",
        "CREATE TABLE others (id CHECK (instr(hex(zeroblob(10000000)), 'x')))",
        "CREATE INDEX others ON outcome (hex(zeroblob(row)))",
        "ANALYZE",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = CAST(sql AS BLOB) WHERE name = 'run'",
        f"CREATE TABLE others ({'x' * 6000})",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE VIEW plan AS SELECT 1 AS data' "
        "WHERE name = 'plan'",
    ],
)
@pytest.mark.parametrize("options", [{}, {"read_only": True}, {"read_only": True, "snapshot": True}])
def test_a_journal_has_its_own_tables_and_indexes_only(
    tmp_path: Path, statements: str, options: dict[str, bool]
) -> None:
    a_journal(tmp_path, 2).abandon()
    with contextlib.closing(sqlite3.connect(tmp_path / "journal.db")) as db:
        db.executescript(statements)
    with pytest.raises(JournalError, match=r"journal\.db"):
        connect(tmp_path, **options).close()


def test_what_sqlite_reads_with_the_schema_is_bounded(tmp_path: Path) -> None:
    """Each row of its statistics would take a gigabyte and ten seconds."""
    a_journal(tmp_path, 2).abandon()
    with contextlib.closing(sqlite3.connect(tmp_path / "journal.db")) as db:
        db.executescript(
            "ANALYZE; PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE sqlite_stat1 "
            "(tbl, idx, x, stat GENERATED ALWAYS AS (instr(hex(zeroblob(99999000)), "
            "hex(zeroblob(50000000)) || ''1'')))' WHERE name = 'sqlite_stat1'"
        )
    begun = time.process_time()
    with pytest.raises(JournalError, match=r"'sqlite_stat1' does not belong to a journal"):
        connect(tmp_path, read_only=True)
    assert time.process_time() - begun < 2


async def test_those_who_wait_behind_a_full_disk_are_refused_too(tmp_path: Path) -> None:
    journal = a_journal(tmp_path, 500)
    with full_disk():
        ends = await asyncio.gather(*(journal.begin([row]) for row in range(1, 6)), return_exceptions=True)
    assert [type(each) for each in ends] == [JournalError] * 5
    await journal.close()
    async with Journal.open(tmp_path) as journal:
        assert journal.counts()[State.SENDING] == 0


@pytest.mark.parametrize("room", [0, 5000, 20_000])
def test_a_ledger_that_does_not_fit_the_disk_is_not_made(tmp_path: Path, room: int) -> None:
    with full_disk(room), pytest.raises(JournalError, match="disk"):
        Journal.create(tmp_path, a_plan())
    assert not any(each.name.startswith("journal") for each in tmp_path.iterdir())
    Journal.create(tmp_path, a_plan()).abandon()  # the lock is free


@pytest.mark.parametrize("end", ["killed", "closed while full", "closed with room again"])
async def test_rows_that_do_not_fit_the_disk_are_admitted_all_or_none(tmp_path: Path, end: str) -> None:
    journal = Journal.create(tmp_path, a_plan())
    with full_disk(200_000):
        with pytest.raises(JournalError, match="disk"):
            await journal.admit(functools.partial(insert_rows, rows=20_000), a_plan(rows=20_000))
        if end == "closed while full":
            await journal.close()
    if end == "killed":
        journal.abandon()
    await journal.close()
    rows = 20_000 if end == "closed with room again" else 0
    async with Journal.open(tmp_path) as journal:
        assert (journal.plan.rows, sum(journal.counts().values())) == (rows, rows)


def test_every_commit_is_flushed_to_the_disk(tmp_path: Path) -> None:
    a_journal(tmp_path, 1).abandon()
    with contextlib.closing(connect(tmp_path)) as db:
        known = {name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
    assert known == {"journal_mode": "wal", "synchronous": 2}  # FULL


# --- damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [2, 4, 9])
async def test_a_damaged_journal_is_refused_before_anything_is_sent(tmp_path: Path, page: int) -> None:
    """Also when the damage is in rows that nobody reads at first."""
    await left_by_a_kill(tmp_path)
    with (tmp_path / "journal.db").open("r+b") as file:
        file.seek(page * 4096)
        file.write(b"\xff" * 4096)
    with pytest.raises(JournalError, match=r"is damaged .*restore the folder from a backup"):
        Journal.open(tmp_path)
    FolderLock(tmp_path).release()  # and it is not held


@pytest.mark.parametrize("page", range(2, 40, 3))
async def test_damage_in_a_closed_journal_is_an_error_and_no_wrong_state(tmp_path: Path, page: int) -> None:
    async with a_journal(tmp_path, 2000) as journal:
        for row in range(1, 1001):
            journal.record(RowRecord(row, State.DONE, id=row))
    with (tmp_path / "journal.db").open("r+b") as file:
        file.seek(page * 4096)
        file.write(b"\xff" * 4096)
    with contextlib.ExitStack() as exits:
        try:
            journal = Journal.open(tmp_path)
        except JournalError:
            return
        exits.callback(journal.abandon)
        try:
            found = await journal.page(1, 2000)
        except JournalError:
            return
        assert [(row, state) for _, row, state, *_ in found] == [
            (row, State.DONE if row <= 1000 else State.PLANNED) for row in range(1, 2001)
        ]


@pytest.mark.parametrize(
    "content", [50, 100, 5000, 9000, b"", b"hello", b"SQLite format 3\0" + b"\0" * 84, b"\0" * 9000]
)
async def test_a_file_that_was_cut_or_is_no_journal_is_refused(tmp_path: Path, content: bytes | int) -> None:
    await a_journal(tmp_path, 5000).close()
    path = tmp_path / "journal.db"
    path.write_bytes(path.read_bytes()[:content] if isinstance(content, int) else content)
    with pytest.raises(JournalError, match=r"is damaged|is not a job's journal"):
        Journal.open(tmp_path)


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "journal.db")
    db.execute("CREATE TABLE plan (data)")
    db.close()
    with pytest.raises(JournalError, match="is not a job's journal"):
        Journal.open(tmp_path)


@pytest.mark.parametrize("data", ["{", "[]", "{}", '{"job": 1}', "null"])
async def test_a_plan_that_cannot_be_read_is_damage(tmp_path: Path, data: str) -> None:
    await a_journal(tmp_path, 1).close()
    db = sqlite3.connect(tmp_path / "journal.db", isolation_level=None)
    db.execute("UPDATE plan SET data = ?", [data])
    db.close()
    with pytest.raises(JournalError, match="is damaged"):
        Journal.open(tmp_path)


@pytest.mark.parametrize("lost", ["all", "half", "the last byte"])
async def test_commits_that_were_lost_are_noticed(tmp_path: Path, lost: str) -> None:
    await left_by_a_kill(tmp_path)
    log = tmp_path / "journal.db-wal"
    size = log.stat().st_size
    if lost == "all":
        log.unlink()
    else:
        os.truncate(log, size // 2 if lost == "half" else size - 1)
    for snapshot in (False, True):
        with pytest.raises(JournalError, match="the last commits are missing"):
            Journal.open(tmp_path, snapshot=snapshot)


async def test_a_log_that_is_whole_is_read(tmp_path: Path) -> None:
    await left_by_a_kill(tmp_path)
    async with Journal.open(tmp_path) as journal:
        counts = journal.counts()
    assert (counts[State.DONE], counts[State.SENDING]) == (20, 20)


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"not a number\n{}", b"9" * 19, b"00000000000000000000\n["]
)
async def test_a_lock_file_with_anything_in_it_does_no_harm(tmp_path: Path, content: bytes) -> None:
    await left_by_a_kill(tmp_path)
    (tmp_path / "lock").write_bytes(content)
    async with Journal.open(tmp_path) as journal:
        assert journal.counts()[State.DONE] == 20


async def test_what_was_refused_on_a_full_disk_is_not_written_later(tmp_path: Path) -> None:
    """Nobody sent anything for it."""
    journal = a_journal(tmp_path, 3)
    grant = GrantRecord(epoch=1, worker="w", rows=(2,), rate=None, in_flight=1, seconds=9.0)
    with full_disk():
        for refused in (journal.begin_undo(1), journal.grant(grant)):
            with pytest.raises(JournalError):
                await refused
    await journal.close()
    async with Journal.open(tmp_path) as journal:
        assert (await journal.undos([1]), await journal.open_leases()) == ({}, {})
