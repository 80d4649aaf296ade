"""Undelivered results of the processes of a killed run: collected however the job goes on."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest

from tests.jobs.conftest import Job, Local, Write
from tests.jobs.journal.test_grants import a_grant
from tests.jobs.journal.test_trouble import full_disk
from tests.jobs.local_workers import LocalPool, LocalWorker
from tests.jobs.maps import HEADER, MAP, MARKER, rows
from tests.jobs.runs import held, order
from wosdk_async import WoCreateCommand
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs import sending
from wosdk_async.jobs.cluster.messages import GrantedRow, RowReport
from wosdk_async.jobs.cluster.pool import UndeliveredReport
from wosdk_async.jobs.cluster.undelivered_file import UndeliveredFile
from wosdk_async.jobs.decisions import decide, settle_job
from wosdk_async.jobs.earlier_leases import EarlierLeases
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.undo import Undo

NONCE = "0123456789abcdef"


async def granted(
    job: Any, local: Local, *numbers: int, seconds: float = 600.0
) -> tuple[Path, UndeliveredFile]:
    """Leave the journal as a kill of the coordinator does; return its folder, and the file of the worker."""
    opened = await job.open(local.company)
    journal = opened.journal
    run = await journal.start_run()
    file = UndeliveredFile(opened.folder, journal.plan.job, run, NONCE)
    await journal.grant(attrs.evolve(a_grant(1, *numbers, seconds=seconds), worker=NONCE))
    journal.abandon()
    return opened.folder, file


async def create(local: Local, number: str) -> int:
    await local.company.run(WoCreateCommand(work_order=await order(local, number)))
    return int((await local.rows("WorkOrder"))[-1]["Id"])


def report(number: int, row: int, result: Any = "done", **more: Any) -> RowReport:
    return RowReport(number=number, epoch=1, row=row, result=result, **more)


def files_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith("undelivered-")]


@pytest.mark.parametrize("marker", [MARKER, None])
@pytest.mark.parametrize("workers", [True, False])
async def test_each_way_of_going_on_takes_them(
    local: Local, job: Job, write: Write, workers: bool, marker: str | None
) -> None:
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(1, 2, 3, 4))
    folder, file = await granted(job(source, MAP, marker=marker), local, 1, 2, 3)
    found = await create(local, "1")
    refused = report(3, 3, "failed", error="RefusedError", reason="no such thing")
    file.write([report(1, 1, entity="WorkOrder", id=found), report(2, 2, "not_sent"), refused])
    file.close()
    stages: list[str] = []
    outcomes: dict[int, str] = {}
    pool = LocalPool(local.company) if workers else None
    again = job(source, MAP, marker=marker, workers=pool, on_stage=stages.append)
    async with asyncio.timeout(60):  # and not the lease
        summary = await again.run(local.company, on_row=lambda row: outcomes.update({row.row: row.outcome}))
    assert outcomes == {1: "created", 2: "created", 3: "failed", 4: "created"}
    assert (summary.created, summary.failed, summary.in_doubt) == (3, 1, 0)
    assert not [each for each in stages if "may still send" in each]
    assert await held(local) == Counter("124")
    assert files_in(folder) == []
    async with Journal.open(folder, snapshot=True) as journal:
        assert await journal.open_leases() == []
        first, _, third, _ = await journal.rows_in()
        assert (first.id, first.proof, third.reason) == (found, "answered", "no such thing")


async def test_settle_takes_them(local: Local, job: Job, write: Write) -> None:
    local.company = local.company.with_options(settle=0)
    folder, file = await granted(job(write(HEADER, rows(1, 2)), MAP, marker=MARKER), local, 1, 2)
    found = await create(local, "1")
    file.write([report(1, 1, entity="WorkOrder", id=found), report(2, 2, "failed", reason="so")])
    file.close()
    said: list[str] = []
    async with Journal.open(folder) as journal, asyncio.timeout(60):
        assert (await settle_job(journal, local.company, on_stage=said.append))["looked_up"] == 0
        states = [(row.state, row.id) for row in await journal.rows_in()]
    assert states == [(State.DONE, found), (State.REFUSED, None)]
    assert said == ["undelivered results of an earlier run are collected: those of 2 rows"]
    assert files_in(folder) == []


async def test_without_a_marker_settle_and_decisions_take_them_too(
    local: Local, job: Job, write: Write
) -> None:
    folder, file = await granted(job(write(HEADER, rows(1, 2)), MAP), local, 1, 2)
    file.write([report(1, 1, entity="WorkOrder", id=5)])
    file.close()
    async with Journal.open(folder) as journal:
        with pytest.raises(JournalError, match="row 1 is not in doubt, it is done"):
            await decide(journal, 1, None, "somebody")  # it would be sent once more
        with pytest.raises(JournalError, match="has no marker"):
            await settle_job(journal, local.company)
        assert [row.state for row in await journal.rows_in()] == [State.DONE, State.SENDING]
        assert await journal.open_leases() == []


async def test_a_file_that_has_changed_goes_on_with_them(local: Local, job: Job, write: Write) -> None:
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(1, 2))
    folder, file = await granted(job(source, MAP, marker=MARKER), local, 1, 2)
    found = await create(local, "1")
    file.write([report(1, 1, entity="WorkOrder", id=found), report(2, 2, "not_sent")])
    file.close()
    os.mkfifo(folder / (fifo := f"undelivered-1-{'e' * 16}.jsonl"))
    write(HEADER, rows(3, 2, 1))
    async with asyncio.timeout(60):
        summary = await job(source, MAP, marker=MARKER, carry_over=True).run(local.company)
    assert (summary.done, summary.complete) == (3, True)
    assert await held(local) == Counter("123")
    assert files_in(folder) == [fifo]
    assert [fifo in each for each in summary.warnings] == [True]


async def test_a_file_that_has_changed_warns_once(local: Local, job: Job, write: Write) -> None:
    """What is left is looked at when the new job begins, and again when the last leases are over."""
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(1, 2))
    folder, file = await granted(job(source, MAP, marker=MARKER), local, 1)
    async with Journal.open(folder) as journal:
        await journal.grant(a_grant(2, 2, seconds=0.1))  # of a worker without a file
    file.close()
    os.mkfifo(folder / (fifo := f"undelivered-1-{'e' * 16}.jsonl"))
    write(HEADER, rows(1, 2, 3))
    stages: list[str] = []
    going_on = job(source, MAP, marker=MARKER, carry_over=True, on_stage=stages.append)
    summary = await going_on.run(local.company)
    assert [each for each in stages if "may still send" in each]
    assert [fifo in each for each in summary.warnings] == [True]


async def test_damaged_lines_are_in_the_summary(local: Local, job: Job, write: Write) -> None:
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(1, 2))
    folder, file = await granted(job(source, MAP, marker=MARKER), local, 1)
    with file.path.open("ab") as lines:
        lines.write(b'{"job":')
    file.close()
    os.mkfifo(fifo := folder / f"undelivered-1-{'e' * 16}.jsonl")
    summary = await job(source, MAP, marker=MARKER).run(local.company)
    assert [each for each in summary.warnings if file.path.name in each and "1 damaged line" in each]
    assert [each for each in summary.warnings if str(fifo) in each]
    assert len(summary.warnings) == 2
    assert files_in(folder) == [fifo.name]


async def test_settle_says_what_is_damaged(local: Local, job: Job, write: Write) -> None:
    local.company = local.company.with_options(settle=0)
    folder, file = await granted(job(write(HEADER, rows(1)), MAP, marker=MARKER), local, 1)
    os.mkfifo(folder / f"undelivered-1-{'e' * 16}.jsonl")
    file.close()
    said: list[str] = []
    async with Journal.open(folder) as journal:
        await settle_job(journal, local.company, on_stage=said.append)
    assert sum("is not a file" in each for each in said) == 1  # beside what it says of its look-ups


async def test_a_decision_says_what_is_damaged(local: Local, job: Job, write: Write) -> None:
    folder, file = await granted(job(write(HEADER, rows(1)), MAP), local, 1)
    os.mkfifo(folder / f"undelivered-1-{'e' * 16}.jsonl")
    file.close()
    said: list[str] = []
    async with Journal.open(folder) as journal:
        await decide(journal, 1, None, "somebody", on_stage=said.append)
    assert ["is not a file" in each for each in said] == [True]


async def test_an_undo_says_once_what_is_damaged(local: Local, job: Job, write: Write) -> None:
    """Also when it ends the leases before it looks at the records, as the command does."""
    folder, file = await granted(job(write(HEADER, rows(1)), MAP, marker=MARKER), local, 1)
    os.mkfifo(folder / f"undelivered-1-{'e' * 16}.jsonl")
    file.close()
    said: list[str] = []
    async with Journal.open(folder) as journal:
        undo = Undo(company=local.company, journal=journal, on_stage=said.append)
        await undo.end_leases()
        await undo.run(await local.company.work_orders.cancel_reason("Entered twice"))
    assert ["is not a file" in each for each in said] == [True]


# --- when a lease is over -------------------------------------------------------------------------


async def test_a_process_that_lives_is_waited_for_and_its_results_count(
    local: Local, job: Job, write: Write
) -> None:
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(1, 2))
    folder, file = await granted(job(source, MAP, marker=MARKER), local, 1)
    found = await create(local, "1")

    def ends(stage: str) -> None:
        if "may still send" in stage:
            file.write([report(1, 1, entity="WorkOrder", id=found)])
            file.close()

    async with asyncio.timeout(60):
        summary = await job(source, MAP, marker=MARKER, on_stage=ends).run(local.company)
    assert (summary.done, summary.complete) == (2, True)
    assert not summary.warnings
    assert files_in(folder) == []
    async with Journal.open(folder, snapshot=True) as journal:
        assert (await journal.rows_in())[0].proof == "answered"


@pytest.mark.parametrize("lives", [True, False])
async def test_the_lease_is_waited_for_if_nobody_knows_that_its_process_has_ended(
    local: Local, job: Job, write: Write, lives: bool
) -> None:
    """It stands still, or its file is gone."""
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(1, 2))
    folder, file = await granted(job(source, MAP, marker=MARKER), local, 1, seconds=1.5)
    if not lives:
        file.path.unlink()
    began = asyncio.get_running_loop().time()
    summary = await job(source, MAP, marker=MARKER).run(local.company)
    assert asyncio.get_running_loop().time() - began >= 1.5
    assert summary.complete
    assert ["still lives" in each for each in summary.warnings] == [True] * lives
    assert len(files_in(folder)) == lives
    file.close()


async def test_one_worker_that_has_ended_ends_no_other_lease(local: Local, job: Job, write: Write) -> None:
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(1, 2))
    folder, file = await granted(job(source, MAP, marker=MARKER), local, 1)
    async with Journal.open(folder) as journal:
        await journal.grant(a_grant(2, 2, seconds=1.5))
    file.close()
    stages: list[str] = []
    began = asyncio.get_running_loop().time()
    summary = await job(source, MAP, marker=MARKER, on_stage=stages.append).run(local.company)
    assert asyncio.get_running_loop().time() - began >= 1.5
    assert stages[0].endswith("in 2 s")  # and not 600
    assert summary.complete


async def test_a_stop_leaves_the_other_leases_open(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2))
    folder, file = await granted(job(source, MAP, marker=MARKER), local, 1)
    ready = job(source, MAP, marker=MARKER)
    await ready.run(local.company, on_stage=lambda _: ready.stop())
    async with Journal.open(folder, snapshot=True) as journal:
        assert len(await journal.open_leases()) == 1
    assert await held(local) == Counter()
    assert len(files_in(folder)) == 1
    file.close()


async def test_thousands_of_late_reports_are_kept_in_few_commits(
    local: Local, job: Job, write: Write
) -> None:
    """A forged file may have as many; each row of it would cost a read and a commit."""
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(1, 2, 3))
    folder, file = await granted(job(source, MAP, marker=MARKER), local, 1, 2)
    found = await create(local, "1")
    late = [report(number, 3, id=number) for number in range(3, 4000)]
    file.write([report(1, 1, entity="WorkOrder", id=found), report(2, 1, id=9), *late])
    file.close()
    commits: list[None] = []
    async with Journal.open(folder, commit=lambda write: (commits.append(None), write())[1]) as journal:
        earlier = EarlierLeases.of_job(journal)
        await earlier.end()
        first, *_, last = await journal.rows_in()
        assert (first.state, first.id, last.state) == (State.DONE, found, State.PLANNED)
        assert (await journal.grant_totals()).late_reports == 1 + len(late)  # row 1 counts once
        assert (await journal.open_leases(), files_in(folder)) == ([], [])
    assert len(commits) < 20


async def test_a_stop_leaves_the_reports_that_are_not_taken_where_they_are(
    local: Local, job: Job, write: Write
) -> None:
    source = write(HEADER, rows(1, 2, 3))
    folder, file = await granted(job(source, MAP, marker=MARKER), local, 1)
    file.write([report(number, 2, id=number) for number in range(1, 4000)])
    file.close()
    async with Journal.open(folder, commit=lambda write: (earlier.stop(), write())[1]) as journal:
        earlier = EarlierLeases.of_job(journal)
        await earlier.end()
        assert 0 < (await journal.grant_totals()).late_reports < 3999
        assert len(await journal.open_leases()) == 1
        assert files_in(folder) == [file.path.name]
    async with Journal.open(folder) as journal:
        await EarlierLeases.of_job(journal).end()
        assert (await journal.grant_totals()).late_reports == 3999
    assert files_in(folder) == []


async def test_the_longest_lease_is_waited_for(local: Local, job: Job, write: Write) -> None:
    folder, file = await granted(job(write(HEADER, rows(1, 2)), MAP), local, 1, seconds=0.1)
    file.path.unlink()
    file.close()
    began = asyncio.get_running_loop().time()
    async with Journal.open(folder) as journal:
        await journal.grant(a_grant(2, 2, seconds=1.5))
        await EarlierLeases.of_job(journal).end()
    assert asyncio.get_running_loop().time() - began >= 1.5


async def test_the_processes_of_this_run_are_not_earlier_ones(local: Local, job: Job, write: Write) -> None:
    """They are started before those of earlier runs are waited for."""
    folder, file = await granted(job(write(HEADER, rows(1)), MAP), local, 1)
    file.close()
    async with Journal.open(folder) as journal:
        run = await journal.start_run()
        own = UndeliveredFile(folder, journal.plan.job, run, "e" * 16)
        earlier = EarlierLeases.of_job(journal)
        await earlier.end()
        own.close()
    assert (earlier.warnings, files_in(folder)) == ([], [own.path.name])


async def test_leases_are_over_on_the_disk_before_their_files_are_removed(
    local: Local, job: Job, write: Write
) -> None:
    """Else a run that is killed right then leaves leases of which nobody knows that they are over."""
    folder, file = await granted(job(write(HEADER, rows(1)), MAP), local, 1)
    file.close()
    async with Journal.open(folder) as journal:
        await EarlierLeases.of_job(journal).collect()
        assert files_in(folder) == []
        journal.abandon()
    async with Journal.open(folder, snapshot=True) as journal:
        assert await journal.open_leases() == []


HOLDER = """
import sys
from pathlib import Path
from wosdk_async.jobs.cluster.messages import RowReport
from wosdk_async.jobs.cluster.undelivered_file import UndeliveredFile
file = UndeliveredFile(Path(sys.argv[1]), sys.argv[2], 1, sys.argv[3])
print("held", flush=True)
sys.stdin.readline()
file.write([RowReport(number=1, epoch=1, row=1, result="done", entity="WorkOrder", id=5)])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs Linux or macOS")
async def test_a_decision_waits_for_a_process_that_carries_out_the_row(
    local: Local, job: Job, write: Write
) -> None:
    folder, file = await granted(job(write(HEADER, rows(1)), MAP), local, 1)
    file.path.unlink()
    file.close()
    async with Journal.open(folder) as journal, asyncio.timeout(60):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", HOLDER, str(folder), journal.plan.job, NONCE),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
        )
        assert process.stdout is not None
        assert await process.stdout.readline() == b"held\n"
        said: list[str] = []

        def let_end(stage: str) -> None:
            said.append(stage)
            assert process.stdin is not None
            process.stdin.close()

        with pytest.raises(JournalError, match="row 1 is not in doubt, it is done"):
            await decide(journal, 1, None, "somebody", on_stage=let_end)
        assert "may still send rows" in said[0]
        assert await process.wait() == 0


async def test_a_run_that_is_aborted_leaves_the_files_of_its_open_leases(
    local: Local, job: Job, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run sees there that these processes have ended. The files of the others are removed."""
    monkeypatch.setattr(sending, "ABORT_GRACE", 0.05)
    local.company = local.company.with_options(settle=0)
    source, pool = write(HEADER, rows(*range(1, 21))), LocalPool(local.company)
    ready = job(source, MAP, marker=MARKER, workers=pool)
    silent: list[str] = []

    def abort(worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == 9:
            worker.silent = True
            silent.append(worker.nonce)
            ready.stop()
            ready.stop()

    def prepare(worker: LocalWorker) -> None:
        assert pool.setup is not None
        worker.nonce, worker.sent = f"{len(pool.workers):016x}", abort
        UndeliveredFile(Path(pool.setup.folder), pool.setup.job, pool.setup.run, worker.nonce).close()

    pool.prepare = prepare
    folder = (await ready.run(local.company)).folder
    assert folder is not None
    assert files_in(folder) == [f"undelivered-1-{silent[0]}.jsonl"]
    async with asyncio.timeout(25):  # and not the lease
        assert (await job(source, MAP, marker=MARKER).run(local.company)).complete
    assert files_in(folder) == []


# --- a journal that cannot take them --------------------------------------------------------------


async def test_what_the_journal_could_not_take_is_kept(local: Local, job: Job, write: Write) -> None:
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(1, 2))
    folder, file = await granted(job(source, MAP), local, 1)
    found = await create(local, "1")
    file.write([report(1, 1, entity="WorkOrder", id=found)])
    file.close()
    before = file.path.read_bytes()
    async with Journal.open(folder) as journal:
        with full_disk():
            with pytest.raises(JournalError):
                await EarlierLeases.of_job(journal).end()
            journal.abandon()
    assert file.path.read_bytes() == before
    summary = await job(source, MAP).run(local.company)
    assert (summary.done, summary.complete) == (2, True)
    assert files_in(folder) == []


async def test_a_pool_forgets_only_what_the_journal_took(local: Local, job: Job, write: Write) -> None:
    folder, file = await granted(job(write(HEADER, rows(1)), MAP), local, 1, seconds=0.1)
    file.path.unlink()
    file.close()
    pool = LocalPool(local.company, undelivered=[UndeliveredReport(1, NONCE, report(1, 1, id=5))])
    async with Journal.open(folder) as journal:
        with full_disk():
            with pytest.raises(JournalError):
                await EarlierLeases.of_job(journal).end(pool)
            journal.abandon()
    assert (pool.asked, pool.forgotten) == (1, 0)
    async with Journal.open(folder) as journal:
        await EarlierLeases.of_job(journal).end(pool)
    assert (pool.asked, pool.forgotten) == (3, 2)  # before the wait, and after it


@pytest.mark.parametrize(
    "said",
    [
        {"result": "failed", "error": "ThrottledError", "reason": "too many requests"},
        {"result": "not_sent"},
    ],
    ids=["unsent", "not sent"],
)
async def test_what_a_pool_returns_twice_is_no_late_report(
    local: Local, job: Job, write: Write, said: dict[str, Any]
) -> None:
    folder, file = await granted(job(write(HEADER, rows(1)), MAP), local, 1, seconds=0.1)
    file.path.unlink()
    file.close()
    pool = LocalPool(local.company, undelivered=[UndeliveredReport(1, NONCE, report(1, 1, **said))])
    async with Journal.open(folder) as journal:
        await EarlierLeases.of_job(journal).end(pool)
        assert pool.asked == 2
        assert (await journal.rows_in())[0].state != State.SENDING  # it was taken
        assert await journal.late_reports() == []


# --- workers that are none ------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [2, "2", True, LocalPool, SimpleNamespace(undelivered=None)])
def test_workers_that_are_no_pool(job: Job, write: Write, workers: Any) -> None:
    with pytest.raises(InvalidCallError, match=r"write workers=Processes\(4\)"):
        job(write(HEADER, rows(1)), MAP, workers=workers)
