"""The work folder of an export, which is made, locked and removed while others do the same."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.export.plan import ExportPlan
from wosdk_async.jobs.export.work_folder import WorkFolder, work_folder_of

PLAN = ExportPlan(entity="WorkOrder", company="Acme", expression={}, columns=[], format="csv")


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
            folder.start(PLAN, 5)
            assert at_work == [worker]
            at_work.pop()
            folder.remove()
            done.append(worker)

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(work, range(3))) == [None] * 3
    assert len(done) > 3
    assert refusals <= {f"{work_folder_of(output)}: another process works on this job"}
    assert not work_folder_of(output).exists()
