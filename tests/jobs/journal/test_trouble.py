"""Journals that cannot be used: full disks, damage, lost commits, permissions, versions, two processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.jobs.journal.plans import a_plan, rows
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import FolderLock, Journal, RowRecord, State
from wosdk_async.jobs.journal.store import connect, explained, require_wal

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
    journal = Journal.create(made, a_plan(), rows(500))
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
    journal = Journal.create(tmp_path, a_plan(), rows(500))
    await journal.begin([1, 2, 3])
    with full_disk():
        journal.record(RowRecord(1, State.DONE, id=11))
        with pytest.raises(JournalError, match=r"journal\.db: .*give the same command again"):
            await journal.begin([4])
        assert journal.failed is not None
        journal.record(RowRecord(2, State.DONE, id=22))
        with pytest.raises(JournalError):
            await journal.flush()
        with pytest.raises(JournalError):
            await journal.begin([5])
        assert [record.id for record in journal.unwritten] == [11, 22]
        assert [state for _, state, _, _ in await journal.page(1, 5)] == [State.SENDING] * 3 + [
            State.PLANNED
        ] * 2
        await journal.close()
    assert [record.id for record in journal.unwritten] == [11, 22]
    async with Journal.open(tmp_path) as journal:
        states = [state for _, state, _, _ in await journal.page(1, 5)]
        assert states == [State.SENDING] * 3 + [State.PLANNED] * 2


async def test_a_disk_with_room_again_takes_the_outcomes_at_the_end(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, a_plan(), rows(500))
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
        assert [state for _, state, _, _ in await journal.page(1, 3)] == [
            State.DONE,
            State.DONE,
            State.PLANNED,
        ]
        assert (await journal.runs())[0].exit_status == 1


async def test_those_who_wait_behind_a_full_disk_are_refused_too(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, a_plan(), rows(500))
    with full_disk():
        ends = await asyncio.gather(*(journal.begin([row]) for row in range(1, 6)), return_exceptions=True)
    assert [type(each) for each in ends] == [JournalError] * 5
    await journal.close()
    async with Journal.open(tmp_path) as journal:
        assert journal.counts()[State.SENDING] == 0


@pytest.mark.parametrize("room", [0, 5000, 60_000])
def test_a_job_that_does_not_fit_the_disk_is_not_made(tmp_path: Path, room: int) -> None:
    with full_disk(room), pytest.raises(JournalError, match="disk"):
        Journal.create(tmp_path, a_plan(), rows(20_000))
    assert not any(each.name.startswith("journal") for each in tmp_path.iterdir())
    Journal.create(tmp_path, a_plan(), rows(3)).abandon()  # the lock is free


def test_every_commit_is_flushed_to_the_disk(tmp_path: Path) -> None:
    Journal.create(tmp_path, a_plan(), rows(1)).abandon()
    with contextlib.closing(connect(tmp_path)) as db:
        known = {name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
    assert known == {"journal_mode": "wal", "synchronous": 2}  # FULL


# --- damage ---------------------------------------------------------------------------------------


async def test_a_damaged_journal_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    await left_by_a_kill(tmp_path)
    with (tmp_path / "journal.db").open("r+b") as file:
        file.seek(2 * 4096)
        file.write(b"\xff" * 3 * 4096)
    with pytest.raises(JournalError, match=r"is damaged .*restore the folder from a backup"):
        Journal.open(tmp_path)
    FolderLock(tmp_path).release()  # and it is not held


@pytest.mark.parametrize("page", range(2, 40, 3))
async def test_damage_in_a_closed_journal_is_an_error_and_no_wrong_state(tmp_path: Path, page: int) -> None:
    async with Journal.create(tmp_path, a_plan(), rows(2000)) as journal:
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
        assert [(row, state) for row, state, _, _ in found] == [
            (row, State.DONE if row <= 1000 else State.PLANNED) for row in range(1, 2001)
        ]


@pytest.mark.parametrize("length", [0, 50, 100, 5000, 9000])
async def test_a_journal_that_was_cut_is_refused(tmp_path: Path, length: int) -> None:
    await Journal.create(tmp_path, a_plan(), rows(5000)).close()
    os.truncate(tmp_path / "journal.db", length)
    with pytest.raises(JournalError, match=r"is damaged|is not the journal of a job"):
        Journal.open(tmp_path)


@pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\0" + b"\0" * 84, b"\0" * 9000])
def test_a_file_that_is_not_a_journal_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "journal.db").write_bytes(content)
    with pytest.raises(JournalError, match=r"is damaged|is not the journal of a job"):
        Journal.open(tmp_path)


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "journal.db")
    db.execute("CREATE TABLE plan (data)")
    db.close()
    with pytest.raises(JournalError, match="is not the journal of a job"):
        Journal.open(tmp_path)


@pytest.mark.parametrize("data", ["{", "[]", "{}", '{"job": 1}', "null"])
async def test_a_plan_that_cannot_be_read_is_damage(tmp_path: Path, data: str) -> None:
    await Journal.create(tmp_path, a_plan(), rows(1)).close()
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
    with pytest.raises(JournalError, match="its last commits are missing"):
        Journal.open(tmp_path)


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


# --- versions, folders, file systems -----------------------------------------------------------------


async def test_a_newer_format_is_refused_with_the_remedy(tmp_path: Path) -> None:
    await Journal.create(tmp_path, a_plan(), rows(1)).close()
    db = sqlite3.connect(tmp_path / "journal.db", isolation_level=None)
    db.execute("PRAGMA user_version = 2")
    db.close()
    for read_only in (False, True):
        with pytest.raises(JournalError, match=r"newer wosdk_async .*pip install -U"):
            Journal.open(tmp_path, read_only=read_only)


async def test_fields_of_a_later_release_of_the_same_format_are_read_over(tmp_path: Path) -> None:
    await Journal.create(tmp_path, a_plan(), rows(1)).close()
    db = sqlite3.connect(tmp_path / "journal.db", isolation_level=None)
    [[data]] = db.execute("SELECT data FROM plan").fetchall()
    db.execute("UPDATE plan SET data = ?", [orjson.dumps(orjson.loads(data) | {"colour": "red"}).decode()])
    db.close()
    async with Journal.open(tmp_path) as journal:
        assert journal.plan == a_plan(rows=1)


def test_a_folder_without_a_journal_is_named(tmp_path: Path) -> None:
    for read_only in (False, True):
        with pytest.raises(JournalError, match=r"there is no journal\.db"):
            Journal.open(tmp_path, read_only=read_only)


def test_a_file_system_that_cannot_share_memory_is_refused(tmp_path: Path) -> None:
    address = f"{(tmp_path / 'x.db').as_uri()}?vfs=unix-dotfile"  # as network disks, it has no shared memory
    with contextlib.closing(sqlite3.connect(address, uri=True)) as db:
        with pytest.raises(JournalError, match="local disk with --job DIR"):
            require_wal(db, tmp_path)


@pytest.mark.parametrize("writable", ["nothing", "the lock"])
def test_a_folder_that_cannot_be_written_can_be_read(writable: str) -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folder is closed to other users
        folder = Path(name)
        Journal.create(folder, a_plan(), rows(9)).abandon()
        for file in folder.iterdir():
            file.chmod(0o444)
        if writable == "the lock":
            (folder / "lock").chmod(0o666)
        folder.chmod(0o555)
        said = as_nobody(folder)
        folder.chmod(0o755)
    refusal, read = said.splitlines()
    assert "cannot be written" in refusal
    assert "change the permissions" in refusal
    assert read == "9 rows are planned"


def as_nobody(folder: Path) -> str:
    """Open a journal in a child whose user owns nothing: root may write anything. Return what it says."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            try:
                Journal.open(folder)
            except JournalError as error:
                os.write(writing, f"{error.message}\n".encode())
            journal = Journal.open(folder, read_only=True)
            os.write(writing, f"{journal.counts()[State.PLANNED]} rows are planned\n".encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        text = said.read()
    os.waitpid(child, 0)
    return text


def a_process(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True
    )


# --- two processes ----------------------------------------------------------------------------------


OPEN = """
import sys
from pathlib import Path
from wosdk_async.jobs.journal import Journal
Journal.open(Path(sys.argv[1]))
"""


def test_a_second_process_is_refused_and_the_first_is_named(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, a_plan(), rows(2))
    ended = a_process(OPEN, str(tmp_path))
    assert ended.returncode == 1
    assert f"another process works on this job (process {os.getpid()} on " in ended.stderr
    journal.abandon()
    assert a_process(OPEN, str(tmp_path)).returncode == 0


async def test_a_second_journal_in_the_same_process_is_refused(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, a_plan(), rows(2))
    for again in (lambda: Journal.open(tmp_path), lambda: Journal.create(tmp_path, a_plan(), rows(1))):
        with pytest.raises(JournalError, match="another process works on this job"):
            again()
    await journal.close()
    with pytest.raises(JournalError, match="has just begun a job there"):
        Journal.create(tmp_path, a_plan(), rows(1))
    Journal.open(tmp_path).abandon()


FORKED = """
import os, signal, sys
from pathlib import Path
from wosdk_async.jobs.journal import Journal
journal = Journal.open(Path(sys.argv[1]))
reading, writing = os.pipe()
if os.fork() == 0:
    os.write(writing, b"x")  # what runs in a child after a fork has run
    sys.stdin.read()  # lives until the test has ended
    os._exit(0)
os.read(reading, 1)
if sys.argv[2] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
journal.abandon()
os._exit(0)
"""


@pytest.mark.parametrize("end", ["killed", "closed"])
def test_a_forked_child_that_lives_longer_does_not_keep_the_lock(tmp_path: Path, end: str) -> None:
    Journal.create(tmp_path, a_plan(), rows(2)).abandon()
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", FORKED, str(tmp_path), end]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE) as process:
        assert process.wait(60) == (-9 if end == "killed" else 0)
        Journal.open(tmp_path).abandon()


def test_another_program_that_holds_the_file_is_named(tmp_path: Path) -> None:
    Journal.create(tmp_path, a_plan(), rows(2)).abandon()
    path = tmp_path / "journal.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as db:
            with (
                pytest.raises(JournalError, match="another program has it open; close that"),
                explained(path),
            ):
                db.execute("BEGIN IMMEDIATE")
