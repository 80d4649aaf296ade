"""Results that nobody took: written by a process whose coordinator is gone, read by the next run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wosdk_async.jobs.cluster.messages import RowReport
from wosdk_async.jobs.cluster.pool import LeftReport
from wosdk_async.jobs.cluster.spool import LeftFile, read_left, remove_empty

REPORTS = [
    RowReport(number=number, epoch=3, row=number + 10, result="done", id=number) for number in range(1, 4)
]


def leave(folder: Path, run: int = 1, job: str = "job") -> Path:
    file = LeftFile(folder, run)
    file.write(job, run, "nonce", REPORTS)
    file.close()
    return file.path


def read(folder: Path, *, before: int = 2, patience: float = 0.0) -> list[RowReport]:
    found = read_left(folder, "job", before=before, patience=patience)
    return [each.report for each in found.reports]


def test_what_is_left_is_read_with_run_and_worker(tmp_path: Path) -> None:
    leave(tmp_path)
    found = read_left(tmp_path, "job", before=2, patience=0)
    assert list(found.reports) == [LeftReport(1, "nonce", report) for report in REPORTS]


def test_it_is_read_again_until_it_is_forgotten(tmp_path: Path) -> None:
    leave(tmp_path)
    assert read(tmp_path) == REPORTS
    found = read_left(tmp_path, "job", before=2, patience=0)
    found.forget()
    assert read(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_files_of_this_run_are_not_read(tmp_path: Path) -> None:
    leave(tmp_path, run=2)
    assert read(tmp_path, before=2) == []
    assert read(tmp_path, before=3) == REPORTS


@pytest.mark.parametrize("damage", [b"\x00\xff\n", b'{"job": "job"}\n', b"[]\n", b"\n", b"x" * 3_000_000])
def test_damaged_lines_are_skipped_with_a_warning(
    tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = leave(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(damage + b"".join(lines) if damage.endswith(b"\n") else b"".join(lines) + damage)
    assert read(tmp_path) == REPORTS
    assert "damaged" in caplog.text


def test_a_line_that_was_cut_is_skipped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = leave(tmp_path)
    path.write_bytes(path.read_bytes()[:-20])
    assert read(tmp_path) == REPORTS[:-1]
    assert "1 damaged" in caplog.text


def test_lines_of_another_job_are_skipped(tmp_path: Path) -> None:
    leave(tmp_path, job="other")
    assert read(tmp_path) == []


def test_an_empty_file_is_removed_when_it_is_closed(tmp_path: Path) -> None:
    LeftFile(tmp_path, 1).close()
    assert list(tmp_path.iterdir()) == []


def test_empty_files_of_killed_processes_are_removed(tmp_path: Path) -> None:
    (tmp_path / "left-1-99.jsonl").touch()
    (tmp_path / "left-2-99.jsonl").touch()
    left = leave(tmp_path)
    remove_empty(tmp_path, 1)
    assert sorted(tmp_path.iterdir()) == sorted([left, tmp_path / "left-2-99.jsonl"])


HOLDER = """
import sys
from pathlib import Path
from tests.jobs.cluster.test_spool import REPORTS
from wosdk_async.jobs.cluster.spool import LeftFile
file = LeftFile(Path(sys.argv[1]), 1)
print("held", flush=True)
sys.stdin.readline()
file.write("job", 1, "nonce", REPORTS)
file.close()
"""


def test_a_process_that_still_lives_is_waited_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
    )
    with holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        holder.stdout.readline()
        found = read_left(tmp_path, "job", before=2, patience=0.1)
        assert not found.reports
        assert not found.files  # the next run reads what it leaves
        assert "still lives" in caplog.text
        holder.stdin.write(b"\n")
        holder.stdin.flush()
        assert read(tmp_path, patience=30) == REPORTS
