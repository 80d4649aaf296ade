"""Folders of jobs: found by their numbers, made once, and files in them that a kill leaves whole."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from tests.jobs.journal.plans import a_journal, a_plan
from tests.support.facts import having
from tests.support.preloaded import Preloaded, python
from tests.support.users import make_foreign
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import FolderLock, JobFolders, Journal, plan_of
from wosdk_async.jobs.journal.folder import jobs_in, limit_readers
from wosdk_async.regular_files import replace_file
from wosdk_async.text.remedies import Remedy


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "requests.csv.job"


def a_job(base: Path, **changes: str) -> Path:
    folders = JobFolders(base)
    folders.ledgers()
    folder, lock = folders.new()
    a_journal(folder, 2, a_plan(**changes), lock=lock).abandon()
    return folder


# --- find -------------------------------------------------------------------------------------------


def test_ledgers_are_listed_with_the_oldest_first(base: Path) -> None:
    assert [a_job(base, company=each).name for each in ("acme", "other", "acme", "third")] == [
        "requests.csv.job",
        "requests.csv.job-2",
        "requests.csv.job-3",
        "requests.csv.job-4",
    ]
    ledgers = JobFolders(base).ledgers()
    assert [plan_of(each).company for each in ledgers] == ["acme", "other", "acme", "third"]


def test_a_folder_of_something_else_is_not_taken(base: Path) -> None:
    base.mkdir()
    (base / "results.csv").write_text("mine")
    with pytest.raises(JournalError, check=having(remedies=(Remedy.OTHER_FOLDER,))):
        JobFolders(base).ledgers()
    (base / "results.csv").unlink()
    base.rmdir()
    base.write_text("a file")
    with pytest.raises(JournalError, check=having(remedies=(Remedy.OTHER_FOLDER,))):
        JobFolders(base).ledgers()
    base.unlink()
    base.symlink_to(base.parent / "nowhere")
    with pytest.raises(JournalError, check=having(remedies=(Remedy.OTHER_FOLDER,))):
        JobFolders(base).ledgers()


@pytest.mark.parametrize("what", ["", "lock", "journal.db"])
def test_a_folder_of_another_user_is_refused(base: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its ledger may say that rows were sent, and its owner can read the rows."""
    make_foreign(a_job(base) / what, monkeypatch)
    with pytest.raises(JournalError, match="belongs to another user"):
        Journal.open(base)


@pytest.mark.parametrize("name", ["results.csv", "rejects-2.csv", "report.html", "~$results.csv"])
def test_users_may_own_the_output_files(base: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A spreadsheet program replaces the file that it saves, and puts a lock file beside it."""
    folder = a_job(base)
    (folder / name).touch()
    if os.geteuid() == 0:
        make_foreign(folder / name, monkeypatch)
    Journal.open(folder).abandon()


def test_root_trusts_the_owner_of_the_directory(base: Path) -> None:
    """As in a container with a mounted directory of the host's user. Only root may give files away."""
    folder = a_job(base)
    for path in (base.parent, folder, *folder.iterdir()):
        os.chown(path, 12_345 if os.geteuid() == 0 else -1, -1)
    Journal.open(folder).abandon()


def test_an_empty_folder_or_a_link_of_another_user_is_refused(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.mkdir()
    link = base.with_name("link")
    link.symlink_to(base)
    FolderLock(link).release()  # the user's own link leads to the user's own folder
    make_foreign(base, monkeypatch)
    folders = JobFolders(base)
    with pytest.raises(JournalError, match="belongs to another user"):
        folders.ledgers()
    with pytest.raises(JournalError, match="belongs to another user"):
        FolderLock(link)
    if os.geteuid() == 0:
        os.chown(base, 0, -1)
        os.chown(link, 12_345, -1, follow_symlinks=False)
        with pytest.raises(JournalError, match="belongs to another user"):
            FolderLock(link)


# --- new --------------------------------------------------------------------------------------------


def test_a_folder_is_made_with_those_above_it(tmp_path: Path) -> None:
    folders = JobFolders(tmp_path / "jobs" / "today" / "first")
    folder, lock = folders.new()
    assert folder == tmp_path / "jobs" / "today" / "first"
    with pytest.raises(JournalError, check=having(remedies=(Remedy.WAIT,))):
        FolderLock(folder)
    lock.release()
    FolderLock(folder).release()


@pytest.mark.parametrize(
    ("mode", "same_group", "other_group"),
    [(0o600, 0o700, 0o700), (0o640, 0o750, 0o700), (0o604, 0o705, 0o700), (0o644, 0o755, 0o755)],
)
def test_only_readers_of_the_input_can_open_a_folder(
    base: Path, mode: int, same_group: int, other_group: int
) -> None:
    base.mkdir()
    base.chmod(0o755)
    file = base.with_name("requests.csv")
    file.touch(mode)
    file.chmod(mode)
    limit_readers(base, file)
    assert stat.S_IMODE(base.stat().st_mode) == same_group
    others = [12_345] if os.geteuid() == 0 else sorted({*os.getgroups()} - {base.stat().st_gid})
    for group in others[:1]:  # a user may have a single group
        os.chown(file, -1, group)
        base.chmod(0o755)
        limit_readers(base, file)
        assert stat.S_IMODE(base.stat().st_mode) == other_group


def test_a_folder_that_holds_its_input_keeps_its_permissions(base: Path) -> None:
    base.mkdir()
    rejects = base / "rejects.csv"
    rejects.touch(0o600)
    base.chmod(0o755)
    limit_readers(base, rejects)
    assert stat.S_IMODE(base.stat().st_mode) == 0o755


def test_ledgers_are_found_though_folders_of_older_ones_were_removed(base: Path) -> None:
    """A nightly file has many jobs: whoever clears old ones up must not make the import forget the last."""
    for _ in range(4):
        last = a_job(base)
    for name in ("requests.csv.job", "requests.csv.job-3"):
        shutil.rmtree(base.with_name(name))
    for name in ("requests.csv.job-x", "requests.csv.job-2.bak", "requests.csv.job-01"):
        base.with_name(name).mkdir()
    folders = JobFolders(base)
    assert folders.ledgers() == [base.with_name("requests.csv.job-2"), last]
    folder, lock = folders.new()
    lock.release()
    assert folder.name == "requests.csv.job-5"


def test_a_folder_in_which_a_start_was_killed_is_used_again(base: Path) -> None:
    base.mkdir()
    for name in ("lock", "journal.db.part", "journal.db.part-journal", "input.csv"):
        (base / name).touch()
    folders = JobFolders(base)
    assert folders.ledgers() == []
    folder, lock = folders.new()
    assert folder == base
    a_journal(folder, 2, lock=lock).abandon()
    assert sorted(os.listdir(base)) == ["input.csv", "journal.db", "lock"]
    assert JobFolders(base).ledgers() == [base]


def test_a_job_that_is_just_being_made_is_waited_for(base: Path) -> None:
    folders = JobFolders(base)
    folders.ledgers()
    _, lock = folders.new()
    with pytest.raises(JournalError, check=having(remedies=(Remedy.WAIT,))):
        JobFolders(base).ledgers()
    lock.release()


def test_of_two_that_start_together_one_is_refused(base: Path) -> None:
    first, second = JobFolders(base), JobFolders(base)
    assert first.ledgers() == second.ledgers() == []
    folder, lock = first.new()
    a_journal(folder, 2, lock=lock).abandon()
    with pytest.raises(JournalError, check=having(conflict=True, remedies=())):
        second.new()
    assert not base.with_name("requests.csv.job-2").exists()


@pytest.mark.parametrize("made", [False, True])
def test_of_two_that_find_a_killed_start_one_is_refused(base: Path, made: bool) -> None:
    base.mkdir()
    first, second = JobFolders(base), JobFolders(base)
    assert first.ledgers() == second.ledgers() == []
    folder, lock = first.new()
    if made:
        a_journal(folder, 2, lock=lock).abandon()
    with pytest.raises(
        JournalError, match="has just created a job" if made else "already running in this process"
    ):
        second.new()
    lock.release()
    FolderLock(base).release()  # the one that was refused does not hold it


def test_a_folder_that_appears_between_is_not_taken(base: Path) -> None:
    folders = JobFolders(base)
    folders.ledgers()
    base.mkdir()  # by another process, which takes its lock in a moment
    with pytest.raises(JournalError, check=having(conflict=True, remedies=())):
        folders.new()
    assert os.listdir(base) == []


STARTER = """
import sys
from pathlib import Path
from tests.jobs.journal.plans import a_journal, a_plan
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import JobFolders, Journal
folders = JobFolders(Path(sys.argv[1]))
sys.stdin.read(1)  # all start together
try:
    if not folders.ledgers():
        folder, lock = folders.new()
        a_journal(folder, 3000, lock=lock)
        print("made", flush=True)
    else:
        print("found", flush=True)
except JournalError as error:
    print("refused", flush=True)
sys.exit()
"""


def test_of_many_processes_that_start_together_one_makes_the_job(base: Path) -> None:
    pipe = subprocess.PIPE
    processes = [Preloaded([base], code=STARTER, stdin=pipe, stdout=pipe, text=True) for _ in range(4)]
    for process in processes:
        process.stdin.write("x")
        process.stdin.flush()
    said = [process.communicate()[0].strip() for process in processes]
    assert said.count("made") == 1
    assert set(said) <= {"made", "found", "refused"}
    assert jobs_in(base.parent) == [base]


def test_a_lock_says_who_has_it_whatever_was_in_its_file(tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(b"x" * 3000)
    lock = FolderLock(tmp_path)
    with pytest.raises(JournalError, check=having(remedies=(Remedy.WAIT,))):
        FolderLock(tmp_path)
    lock.write_stamp(12345)
    lock.release()
    assert repr(lock) == "<FolderLock released stamp=12345>"
    lock.write_stamp(99999)  # it is not this one's any more
    again = FolderLock(tmp_path)
    assert repr(again) == "<FolderLock held stamp=12345>"
    again.release()


# --- files that a kill leaves whole -------------------------------------------------------------------


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "results.csv"
    path.write_bytes(b"old")
    with pytest.raises(error), replace_file(path) as file:
        file.write(b"new")
        raise error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["results.csv"]


KILLED = """
import os, signal, sys
from pathlib import Path
from wosdk_async.regular_files import replace_file
with replace_file(Path(sys.argv[1])) as file:
    file.write(b"new" * 100_000)
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_leaves_the_old_file_and_the_next_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_bytes(b"old")
    assert python(KILLED, path).wait(60) == -9
    assert path.read_bytes() == b"old"
    with replace_file(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["results.csv"]
