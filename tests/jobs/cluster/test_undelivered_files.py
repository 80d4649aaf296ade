"""Results that nobody took: written by a process whose coordinator is gone, read by whoever goes on."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.jobs.journal.test_trouble import full_disk
from wosdk_async.jobs.cluster.messages import RowReport
from wosdk_async.jobs.cluster.pool import UndeliveredReport
from wosdk_async.jobs.cluster.undelivered_file import UndeliveredFile
from wosdk_async.jobs.cluster.undelivered_reader import UndeliveredReader

REPORTS = [
    RowReport(number=number, epoch=3, row=number + 10, result="done", id=number) for number in range(1, 4)
]
NONCE = "0123456789abcdef"


def leave(folder: Path, run: int = 1, job: str = "job", nonce: str = NONCE) -> Path:
    file = UndeliveredFile(folder, job, run, nonce)
    file.write(REPORTS)
    file.close()
    return file.path


def read(files: UndeliveredReader) -> list[RowReport]:
    return [each.report for each in files.look()]


def test_undelivered_results_are_read_with_run_and_worker(tmp_path: Path) -> None:
    path = leave(tmp_path)
    files = UndeliveredReader(tmp_path, "job", 2)
    assert list(files.look()) == [UndeliveredReport(1, NONCE, report) for report in REPORTS]
    assert files.ended == {NONCE}
    assert not files.warnings
    assert path.stat().st_mode & 0o077 == 0  # nobody else's business


def test_it_is_read_by_each_run_until_it_is_removed(tmp_path: Path) -> None:
    leave(tmp_path)
    assert read(UndeliveredReader(tmp_path, "job", 2)) == REPORTS
    files = UndeliveredReader(tmp_path, "job", 3)
    assert read(files) == REPORTS
    assert read(files) == []  # once for each reader
    files.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_not_read_is_not_removed(tmp_path: Path) -> None:
    files = UndeliveredReader(tmp_path, "job", 2)
    assert read(files) == []
    leave(tmp_path)
    files.remove()
    assert read(files) == REPORTS


def test_files_of_this_run_are_not_read(tmp_path: Path) -> None:
    leave(tmp_path, run=2)
    assert read(UndeliveredReader(tmp_path, "job", 2)) == []
    assert read(UndeliveredReader(tmp_path, "job", 0)) == REPORTS  # nobody runs the job


@pytest.mark.parametrize("damage", [b"\x00\xff\n", b'{"job": "job"}\n', b"[]\n", b"\n", b"x" * 3_000_000])
def test_damaged_lines_are_told_to_the_user(tmp_path: Path, damage: bytes) -> None:
    path = leave(tmp_path)
    with path.open("ab") as file:
        file.write(damage)
    files = UndeliveredReader(tmp_path, "job", 2)
    assert read(files) == REPORTS
    assert [each for each in files.warnings if path.name in each and "damaged line" in each]
    assert len(files.warnings) == 1
    files.remove()
    assert not path.exists()


def test_a_line_that_was_cut_is_damaged(tmp_path: Path) -> None:
    """As the disk was full; also if what is there happens to be whole."""
    path = leave(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    files = UndeliveredReader(tmp_path, "job", 2)
    assert read(files) == REPORTS[:-1]
    assert "1 damaged line of" in files.warnings[0]


def test_a_line_of_another_worker_is_damaged(tmp_path: Path) -> None:
    path = leave(tmp_path)
    path.write_bytes(path.read_bytes().replace(NONCE.encode(), b"f" * 16, 2))  # first line, first result
    files = UndeliveredReader(tmp_path, "job", 2)
    assert read(files) == REPORTS[1:]
    assert files.ended == set()


def test_a_file_of_another_job_is_not_touched(tmp_path: Path) -> None:
    path = leave(tmp_path, job="other")
    before = path.read_bytes()
    files = UndeliveredReader(tmp_path, "job", 2)
    assert read(files) == []
    files.remove()
    assert path.read_bytes() == before
    assert files.ended == set()
    assert "does not belong to this job" in files.warnings[0]


def test_the_lock_of_a_copy_says_nothing(tmp_path: Path) -> None:
    """A folder that is copied while its processes live: results count, the end of the process does not."""
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copy(leave(tmp_path), copy)
    files = UndeliveredReader(copy, "job", 2)
    assert read(files) == REPORTS
    assert files.ended == set()


def test_a_clean_end_keeps_the_file(tmp_path: Path) -> None:
    """Its coordinator may be killed before it has written what the process could not deliver."""
    UndeliveredFile(tmp_path, "job", 1, NONCE).close()
    files = UndeliveredReader(tmp_path, "job", 2)
    assert read(files) == []
    assert files.ended == {NONCE}
    files.remove()
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_removed_and_says_nothing(tmp_path: Path) -> None:
    (tmp_path / f"undelivered-1-{NONCE}.jsonl").touch()
    files = UndeliveredReader(tmp_path, "job", 2)
    assert read(files) == []
    assert files.ended == set()
    files.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_coordinator_removes_what_its_processes_did_not_use(tmp_path: Path) -> None:
    UndeliveredFile(tmp_path, "job", 2, "a" * 16).close()
    UndeliveredFile(tmp_path, "job", 1, "b" * 16).close()
    UndeliveredFile(tmp_path, "other", 2, "c" * 16).close()
    kept = [
        leave(tmp_path, run=2),
        tmp_path / f"undelivered-1-{'b' * 16}.jsonl",
        tmp_path / f"undelivered-2-{'c' * 16}.jsonl",
    ]
    living = UndeliveredFile(tmp_path, "job", 2, "d" * 16)
    leased = UndeliveredFile(tmp_path, "job", 2, "e" * 16)
    leased.close()
    UndeliveredReader(tmp_path, "job", 2).remove_unused(["e" * 16])
    assert sorted(tmp_path.iterdir()) == sorted([*kept, living.path, leased.path])
    living.close()


def test_a_damaged_file_of_this_run_is_not_removed(tmp_path: Path) -> None:
    """As the disk was full when the process kept its results."""
    file = UndeliveredFile(tmp_path, "job", 2, NONCE)
    with file.path.open("ab") as lines:
        lines.write(b'{"job":')
    file.close()
    UndeliveredReader(tmp_path, "job", 2).remove_unused()
    assert file.path.exists()


def test_a_disk_that_is_full_at_the_start_leaves_nothing(tmp_path: Path) -> None:
    with full_disk(), pytest.raises(OSError, match="File too large"):
        UndeliveredFile(tmp_path, "job", 1, NONCE)
    assert list(tmp_path.iterdir()) == []


def test_many_files_are_not_read_beyond_a_bound(tmp_path: Path) -> None:
    for name in "ab":
        with (tmp_path / f"undelivered-1-{name * 16}.jsonl").open("wb") as file:
            file.truncate(40 << 20)  # sparse
    files = UndeliveredReader(tmp_path, "job", 2)
    assert read(files) == []
    assert ["too large" in warning for warning in files.warnings] == [False, True]


@pytest.mark.parametrize("line", [b"\n", None])
def test_no_file_is_read_beyond_what_a_worker_can_leave(tmp_path: Path, line: bytes | None) -> None:
    """A forged one would hold up every start of the job. It stays there, for a person to look at."""
    path = leave(tmp_path)
    more = line or path.read_bytes().splitlines(keepends=True)[1]
    with path.open("ab") as file:
        file.writelines([more] * 60_000)
    files = UndeliveredReader(tmp_path, "job", 2)
    assert 0 < len(read(files)) <= 10_000
    said = f"{path}: looks like undelivered results, but has more than 10,000 lines, more than a worker"
    assert said in files.warnings[0]
    files.remove()
    assert path.exists()


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        UndeliveredFile(tmp_path / "missing", "job", 1, NONCE)
    there = tmp_path / f"undelivered-1-{NONCE}.jsonl"
    there.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        UndeliveredFile(tmp_path, "job", 1, NONCE)
    assert not (tmp_path / "elsewhere").exists()


# --- anything may be in the folder ----------------------------------------------------------------


def a_fifo(path: Path) -> None:
    os.mkfifo(path)


def a_folder(path: Path) -> None:
    path.mkdir()


def a_link(path: Path) -> None:
    target = path.with_name("target")
    target.mkdir()
    path.symlink_to(leave(target))


def a_link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_huge_file(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)  # sparse


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(path.parent)  # its address must be short
        listener.bind(path.name)


def other_text(path: Path) -> None:
    path.write_text("notes of somebody\n")


@pytest.mark.parametrize(
    "put", [a_fifo, a_folder, a_link, a_link_to_a_device, a_huge_file, a_socket, other_text]
)
def test_what_is_not_ours_stays_there(tmp_path: Path, put: object, monkeypatch: pytest.MonkeyPatch) -> None:
    assert callable(put)
    monkeypatch.chdir(tmp_path)
    strange = tmp_path / f"undelivered-1-{'f' * 16}.jsonl"
    put(strange)
    leave(tmp_path)
    files = UndeliveredReader(tmp_path, "job", 2)
    assert read(files) == REPORTS  # the others are read
    assert len(files.warnings) == 1
    assert str(strange) in files.warnings[0]
    assert files.ended == {NONCE}
    files.remove()
    assert os.path.lexists(strange)
    UndeliveredReader(tmp_path, "job", 1).remove_unused()
    assert os.path.lexists(strange)


def test_other_names_are_not_looked_at(tmp_path: Path) -> None:
    for name in (
        "undelivered-1-4711.jsonl",
        f"undelivered-0-{NONCE}.jsonl",
        f"undelivered-1-{NONCE}.jsonl.bak",
        "undelivered-x.jsonl",
    ):
        (tmp_path / name).write_text("x")
    files = UndeliveredReader(tmp_path, "job", 2)
    assert (read(files), files.warnings) == ([], [])


# --- processes that live --------------------------------------------------------------------------

HOLDER = """
import sys
from pathlib import Path
from tests.jobs.cluster.test_undelivered_files import NONCE, REPORTS
from wosdk_async.jobs.cluster.undelivered_file import UndeliveredFile
file = UndeliveredFile(Path(sys.argv[1]), "job", 1, NONCE)
print("held", flush=True)
if sys.stdin.readline():
    file.write(REPORTS)
file.close()
"""


@contextlib.contextmanager
def holder(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds its file; a line lets it leave results and end."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        assert process.stdin is not None
        process.stdin.close()


def end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.write(b"\n")
    process.stdin.flush()
    process.wait(30)


def test_the_file_of_a_process_that_lives_stays(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        files = UndeliveredReader(tmp_path, "job", 2)
        assert read(files) == []
        assert files.ended == set()
        assert f"process {process.pid} " in files.living[0]
        files.remove()
        end(process)
        assert read(files) == REPORTS
        assert files.ended == {NONCE}
        assert files.living == []
