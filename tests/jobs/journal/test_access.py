"""Journals that cannot be opened: versions, permissions, file systems, two processes."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import orjson
import pytest

from tests.jobs.journal.plans import a_journal, a_plan
from tests.jobs.test_sources import as_nobody
from tests.support.facts import having
from tests.support.preloaded import python
from wosdk_async import problem_of
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.journal.entries import FORMAT
from wosdk_async.jobs.journal.store import explained, require_wal
from wosdk_async.text.remedies import Remedy

# --- versions, folders, file systems -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "words"),
    [(FORMAT + 1, r"newer wosdk_async .*pip install -U"), (1, r"Finish the job with that version")],
)
async def test_another_format_is_refused_with_the_remedy(tmp_path: Path, version: int, words: str) -> None:
    await a_journal(tmp_path, 1).close()
    db = sqlite3.connect(tmp_path / "journal.db", isolation_level=None)
    db.execute(f"PRAGMA user_version = {version}")
    db.close()
    for read_only in (False, True):
        with pytest.raises(JournalError, match=words):
            Journal.open(tmp_path, read_only=read_only)


async def test_fields_of_a_later_release_of_the_same_format_are_read_over(tmp_path: Path) -> None:
    await a_journal(tmp_path, 1).close()
    db = sqlite3.connect(tmp_path / "journal.db", isolation_level=None)
    [[data]] = db.execute("SELECT data FROM plan").fetchall()
    db.execute("UPDATE plan SET data = ?", [orjson.dumps(orjson.loads(data) | {"colour": "red"}).decode()])
    db.close()
    async with Journal.open(tmp_path) as journal:
        assert journal.plan == a_plan(rows=1)


def test_a_folder_without_a_journal_is_named(tmp_path: Path) -> None:
    for read_only in (False, True):
        with pytest.raises(JournalError, match=r"it has no journal\.db"):
            Journal.open(tmp_path, read_only=read_only)


def test_a_file_system_that_cannot_share_memory_is_refused(tmp_path: Path) -> None:
    address = f"{(tmp_path / 'x.db').as_uri()}?vfs=unix-dotfile"  # as network disks, it has no shared memory
    with contextlib.closing(sqlite3.connect(address, uri=True)) as db:
        with pytest.raises(JournalError) as caught:
            require_wal(db, tmp_path)
    assert caught.value.remedies == (Remedy.LOCAL_DISK,)


@pytest.mark.parametrize("writable", ["nothing", "the lock"])
def test_a_folder_that_cannot_be_written_can_be_read(writable: str) -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folder is closed to other users
        folder = Path(name)
        a_journal(folder, 9).abandon()
        for file in folder.iterdir():
            file.chmod(0o444)
        if writable == "the lock":
            (folder / "lock").chmod(0o666)
        folder.chmod(0o555)

        def use() -> None:
            with pytest.raises(JournalError) as caught:
                Journal.open(folder)
            rows = Journal.open(folder, read_only=True).counts()[State.PLANNED]
            raise KeyError(caught.value.message, caught.value.remedies, f"{rows} rows are planned")

        said = as_nobody(use)
        folder.chmod(0o755)
    assert "PERMISSIONS" in said or "change the permissions" in said
    assert "9 rows are planned" in said


def a_process(code: str, *arguments: str | Path) -> tuple[int, str]:
    """Run code in another process; return its status, and what it says on stderr."""
    process = python(code, *arguments, stderr=subprocess.PIPE, text=True)
    _, said = process.communicate(timeout=60)
    return process.returncode, said


# --- two processes ----------------------------------------------------------------------------------


OPEN = """
import sys
from pathlib import Path
from wosdk_async.jobs.journal import Journal
Journal.open(Path(sys.argv[1]))
"""


def test_a_second_process_is_refused_and_the_first_is_named(tmp_path: Path) -> None:
    journal = a_journal(tmp_path, 2)
    status, said = a_process(OPEN, tmp_path)
    assert status == 1
    assert f"another process is working on this job; wait for process {os.getpid()} on " in said
    journal.abandon()
    assert a_process(OPEN, tmp_path) == (0, "")


async def test_a_second_journal_in_the_same_process_is_refused(tmp_path: Path) -> None:
    journal = a_journal(tmp_path, 2)
    for again in (lambda: Journal.open(tmp_path), lambda: a_journal(tmp_path, 1)):
        with pytest.raises(JournalError, check=having(remedies=(Remedy.WAIT,))) as error:
            again()
        problem = problem_of(error.value).body
        assert (problem["status"], problem["type"]) == (409, "urn:problem-type:wosdk:journal")
        assert problem["detail"].endswith(" this job is already running in this process")
    await journal.close()
    with pytest.raises(JournalError, check=having(conflict=True, remedies=())):
        a_journal(tmp_path, 1)
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
    a_journal(tmp_path, 2).abandon()
    with python(FORKED, tmp_path, end, stdin=subprocess.PIPE) as process:
        assert process.wait(60) == (-9 if end == "killed" else 0)
        Journal.open(tmp_path).abandon()


def test_another_program_that_holds_the_file_is_named(tmp_path: Path) -> None:
    a_journal(tmp_path, 2).abandon()
    path = tmp_path / "journal.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as db:
            with pytest.raises(JournalError, match="locked by another program"), explained(path):
                db.execute("BEGIN IMMEDIATE")
