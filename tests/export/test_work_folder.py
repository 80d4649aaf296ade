"""The work folder of an export, which is made, locked and removed while others do the same."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.users import make_foreign
from wosdk_async.jobs import report
from wosdk_async.jobs.errors import JournalError, OutputError
from wosdk_async.jobs.exports import ExportError
from wosdk_async.jobs.exports.incremental import WATERMARK, PartChain
from wosdk_async.jobs.exports.work_folder import WorkFolder, work_folder_of

PLAN = {"entity": "WorkOrder", "company": "Acme", "expression": {}, "columns": [], "format": "csv"}


def test_files_that_never_end_are_not_read(tmp_path: Path) -> None:
    """A pipe without a writer would stop whoever opens it."""
    os.mkfifo(folder_with(tmp_path / "orders.csv.export") / "export.json")
    WorkFolder(tmp_path / "orders.csv", PLAN).remove()
    part = folder_with(tmp_path / "part-000001")
    os.mkfifo(part / WATERMARK)
    with pytest.raises(ExportError):
        PartChain.read(tmp_path)


def folder_with(path: Path) -> Path:
    path.mkdir()
    (path / "lock").touch()
    return path


@pytest.mark.parametrize("what", ["", "start_5_1.arrow"])
def test_a_work_folder_of_another_user_is_refused(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files would become rows of the output."""
    folder = folder_with(tmp_path / "orders.csv.export")
    (folder / "start_5_1.arrow").touch()
    make_foreign(folder / what, monkeypatch)
    with pytest.raises(JournalError, match="belongs to another user"):
        WorkFolder(tmp_path / "orders.csv", PLAN)


def test_exports_that_end_while_others_begin(tmp_path: Path) -> None:
    """One at a time has the folder. The others learn that another one works there, and nothing else."""
    output, at_work, done = tmp_path / "orders.csv", list[int](), list[int]()
    refusals = set[str]()

    def work(worker: int) -> None:
        for _ in range(150):
            try:
                folder = WorkFolder(output, PLAN)
            except JournalError as error:
                refusals.add(error.message.partition(" (")[0])
                continue
            at_work.append(worker)
            folder.start(5)
            assert at_work == [worker]
            at_work.pop()
            folder.remove()
            done.append(worker)

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(work, range(3))) == [None] * 3
    assert len(done) > 3
    # The lock of an export that has just begun does not name its process yet.
    who = (
        "this job is already running in this process",
        "another process is working on this job",
    )
    assert refusals <= {f"{work_folder_of(output)}: {each}" for each in who}
    assert not work_folder_of(output).exists()


def test_a_plan_that_is_too_long_is_not_a_missing_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The range files of the export would be removed."""
    output = tmp_path / "orders.csv"
    folder = WorkFolder(output, PLAN)
    folder.start(5)
    folder.close()
    monkeypatch.setattr(report, "_MAX_JSON", 10)
    with pytest.raises(OutputError, match=r"export\.json: it is larger than 10 bytes"):
        WorkFolder(output, PLAN)
    assert (work_folder_of(output) / "export.json").exists()
