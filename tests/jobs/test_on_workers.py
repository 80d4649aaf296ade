"""An import on many workers: nothing is lost, nothing is doubled, and the audit says so."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sqlite3
import ssl
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Job, Local, Write
from tests.jobs.journal.test_grants import a_grant
from tests.jobs.local_workers import LocalPool, LocalWorker
from tests.jobs.maps import HEADER, MAP, MARKER, rows
from tests.jobs.runs import carried_out, held, order
from wosdk_async import Client, WoCreateCommand
from wosdk_async.errors import ConfigurationError, WosdkError
from wosdk_async.jobs import sending
from wosdk_async.jobs.cluster.messages import GrantedRow, RowReport
from wosdk_async.jobs.cluster.pool import LeftReport
from wosdk_async.jobs.decisions import settle_job
from wosdk_async.jobs.journal import Journal, RowRecord, State

NUMBERS = range(1, 41)


async def open_leases(folder: Path) -> int:
    async with Journal.open(folder, snapshot=True) as journal:
        return len(await journal.open_leases())


async def test_workers_send_the_rows(local: Local, job: Job, write: Write) -> None:
    pool = LocalPool(local.company)
    local.company = local.company.with_options(settle=0)
    ready = job(write(HEADER, rows(*NUMBERS)), MAP, marker=MARKER, workers=pool, limit=4)
    summary, outcomes = await carried_out(ready, local)
    assert (summary.created, summary.complete, len(outcomes)) == (40, True, 40)
    assert await held(local) == Counter(map(str, NUMBERS))
    assert pool.closed
    assert (summary.audit_state, summary.audit and summary.audit.once) == ("clean", 40)
    assert summary.as_dict()["audit"]["once"] == 40
    assert pool.setup is not None
    assert (pool.setup.run, pool.setup.marker, pool.setup.operation) == (1, MARKER, "WoCreateCommand")
    assert pool.setup.most_in_flight == 4
    assert sum(len(grant.rows) for worker in pool.workers for o in worker.orders for grant in o.grants) >= 39
    assert summary.folder is not None
    assert await open_leases(summary.folder) == 0
    async with Journal.open(summary.folder, snapshot=True) as journal:
        assert (await journal.grant_totals()).leases > 0
        assert {row.proof for row in await journal.rows_in()} == {"answered"}
    local.server.asked.clear()
    summary, _ = await carried_out(job(ready._source.path, MAP, marker=MARKER), local)
    assert (summary.complete, summary.audit_state, local.server.asked) == (True, "clean", [])


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_worker_that_is_killed_with_a_row_doubles_and_loses_nothing(
    local: Local, job: Job, write: Write, when: str
) -> None:
    pool = LocalPool(local.company)
    local.company = local.company.with_options(settle=0)
    killed: list[int] = []

    def prepare(worker: LocalWorker) -> None:
        def kill(worker: LocalWorker, row: GrantedRow) -> None:
            if row.row in (7, 23) and row.row not in killed:
                killed.append(row.row)
                pool.kill(worker)

        if when == "before":
            worker.about_to_send = kill
        else:
            worker.sent = kill

    pool.prepare = prepare
    ready = job(write(HEADER, rows(*NUMBERS)), MAP, marker=MARKER, workers=pool, stop_after_doubt=1)
    summary, outcomes = await carried_out(ready, local)
    assert killed
    assert (summary.created, summary.complete, summary.stopped) == (40, True, None)
    assert len(outcomes) == 40
    assert await held(local) == Counter(map(str, NUMBERS))


async def test_a_row_that_is_not_granted_stays_planned(local: Local, job: Job, write: Write) -> None:
    """So after a kill of the coordinator only rows are in doubt that a worker may have had."""
    seen: list[tuple[set[int], set[int]]] = []
    pool = LocalPool(local.company, workers=1)
    ready = job(write(HEADER, rows(*NUMBERS)), MAP, workers=pool, limit=1)
    opened = await ready.open(local.company)

    def look(worker: LocalWorker, _: GrantedRow) -> None:
        granted = {row.row for order in worker.orders for grant in order.grants for row in grant.rows}
        address = f"{(opened.folder / 'journal.db').as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(address, uri=True)) as db:
            begun = {row for (row,) in db.execute("SELECT row FROM outcome WHERE state > 0")}
        seen.append((begun, granted))

    pool.prepare = lambda worker: setattr(worker, "about_to_send", look)
    summary, _ = await carried_out(ready, local)
    assert summary.created == 40
    assert all(granted <= begun for begun, granted in seen)  # never sent before it is on the disk
    assert len(seen[0][0]) < 40


async def test_rounds_go_on_while_rows_end(local: Local, job: Job, write: Write) -> None:
    """Row 2 is in doubt twice, row 3 three times, and so on."""
    pool = LocalPool(local.company)
    local.company = local.company.with_options(settle=0)
    doubts: Counter[int] = Counter()

    def in_doubt(row: GrantedRow) -> bool:
        doubts[row.row] += 1
        return row.row > 1 and doubts[row.row] <= row.row

    pool.prepare = lambda worker: setattr(worker, "in_doubt", in_doubt)
    ready = job(write(HEADER, rows(*range(1, 7))), MAP, marker=MARKER, workers=pool)
    summary, _ = await carried_out(ready, local)
    assert (summary.created, summary.complete) == (6, True)


async def test_without_a_marker_rows_of_a_lost_worker_are_in_doubt(
    local: Local, job: Job, write: Write
) -> None:
    pool = LocalPool(local.company, workers=1)

    def kill(worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == 3:
            pool.kill(worker)

    pool.prepare = lambda worker: setattr(worker, "sent", kill)
    ready = job(write(HEADER, rows(*NUMBERS)), MAP, workers=pool, stop_after_doubt=None)
    summary, _ = await carried_out(ready, local)
    assert summary.in_doubt > 0
    assert summary.created + summary.in_doubt == 40
    assert (summary.audit, summary.audit_state, summary.complete) == (None, "impossible", False)
    assert max((await held(local)).values()) == 1


async def test_a_row_that_kills_its_workers_is_refused(local: Local, job: Job, write: Write) -> None:
    pool = LocalPool(local.company)
    local.company = local.company.with_options(settle=0)

    def kill(worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == 30:
            pool.kill(worker)

    pool.prepare = lambda worker: setattr(worker, "about_to_send", kill)
    ready = job(write(HEADER, rows(*NUMBERS)), MAP, marker=MARKER, workers=pool)
    summary, outcomes = await carried_out(ready, local)
    assert (summary.created, summary.failed) == (39, 1)
    assert re.search(r"its worker was lost \d times", outcomes[30].reason or "")
    assert "30" not in await held(local)


async def test_the_first_row_of_a_later_run_is_sent_by_a_worker_too(
    local: Local, job: Job, write: Write
) -> None:
    """It may be the one that kills its workers; and the marker was proved before there was any grant."""
    pool = LocalPool(local.company)
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(*NUMBERS))
    ready = job(source, MAP, marker=MARKER, workers=pool)

    def stop(worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == 9:
            ready.stop()

    pool.prepare = lambda worker: setattr(worker, "sent", stop)
    summary, _ = await carried_out(ready, local)
    assert summary.not_started > 0
    again, sent = LocalPool(local.company), []
    again.prepare = lambda worker: setattr(worker, "sent", lambda _, row: sent.append(row.row))
    await carried_out(job(source, MAP, marker=MARKER, workers=again), local)
    assert len(sent) == summary.not_started
    assert await held(local) == Counter(map(str, NUMBERS))


async def test_a_worker_of_which_nothing_is_heard_is_lost_when_its_lease_is_over(
    local: Local, job: Job, write: Write
) -> None:
    pool = LocalPool(local.company)
    local.company = local.company.with_options(settle=0)
    silent: list[LocalWorker] = []

    def fall_silent(worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == 9 and not silent:
            silent.append(worker)
            worker.silent = True

    pool.prepare = lambda worker: setattr(worker, "sent", fall_silent)
    options = {"workers": pool, "lease": 0.6, "skew": 0}
    ready = job(write(HEADER, rows(*NUMBERS)), MAP, marker=MARKER, **options)
    summary, _ = await carried_out(ready, local)
    assert silent
    assert (summary.created, summary.complete) == (40, True)
    assert await held(local) == Counter(map(str, NUMBERS))
    assert summary.folder is not None
    async with Journal.open(summary.folder, snapshot=True) as journal:
        totals = await journal.grant_totals()
        assert (totals.lost_leases, totals.lost_rows > 0) == (1, True)
        (run,) = await journal.runs()
        assert run.details["workers"]["lost_rows"] == totals.lost_rows
        assert run.details["options"] == {"lease": 0.6, "skew": 0.0, "marker": MARKER}


async def test_a_pool_that_breaks_stops_the_import(local: Local, job: Job, write: Write) -> None:
    pool = LocalPool(local.company)

    def break_pool(worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == 9:
            pool.broken("the scheduler has gone; start it again")

    pool.prepare = lambda worker: setattr(worker, "sent", break_pool)
    source = write(HEADER, rows(*NUMBERS))
    summary, outcomes = await carried_out(job(source, MAP, marker=MARKER, workers=pool), local)
    assert summary.stopped == "the scheduler has gone; start it again"
    assert (len(outcomes), summary.in_doubt) == (40, 0)
    assert (summary.complete, summary.audit_state, summary.not_started > 0) == (False, "due", True)
    assert sum((await held(local)).values()) == summary.created
    again = LocalPool(local.company)
    local.company = local.company.with_options(settle=0)
    summary, _ = await carried_out(job(source, MAP, marker=MARKER, workers=again), local)
    assert (summary.complete, summary.audit_state) == (True, "clean")
    assert again.setup is not None
    assert again.setup.run == 2


class SlowlyClosedPool(LocalPool):
    """A pool that is asked to stop the import, twice, while it ends its workers."""

    job: Any = None

    async def aclose(self) -> None:
        self.job.stop()
        self.job.stop()
        await asyncio.sleep(0.01)
        await super().aclose()


async def test_a_second_stop_does_not_cut_the_end_of_the_workers(
    local: Local, job: Job, write: Write
) -> None:
    local.company = local.company.with_options(settle=0)
    pool = SlowlyClosedPool(local.company)
    pool.job = job(write(HEADER, rows(*NUMBERS)), MAP, marker=MARKER, workers=pool)
    summary, outcomes = await carried_out(pool.job, local)
    assert (pool.closed, summary.created, len(outcomes)) == (True, 40, 40)


async def test_a_second_stop_does_not_hide_why_an_import_cannot_begin(
    local: Local, job: Job, write: Write
) -> None:
    pool = SlowlyClosedPool(local.company)
    source = write(HEADER, rows(1))
    await left_open(job(source, MAP, marker=MARKER), local, 1)

    async def leftovers() -> Any:
        raise WosdkError("nothing can be asked")

    pool.leftovers = leftovers  # type: ignore[method-assign]
    pool.job = job(source, MAP, marker=MARKER, workers=pool)
    with pytest.raises(WosdkError, match="nothing can be asked"):
        await pool.job.run(local.company)
    assert pool.closed


async def test_an_import_that_is_aborted_leaves_its_leases_to_the_next_run(
    local: Local, job: Job, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "ABORT_GRACE", 0.05)
    pool = LocalPool(local.company)
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(*NUMBERS))
    ready = job(source, MAP, marker=MARKER, workers=pool, lease=0.9, skew=0)

    def abort(worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == 9:
            worker.silent = True
            ready.stop()
            ready.stop()

    pool.prepare = lambda worker: setattr(worker, "sent", abort)
    summary, outcomes = await carried_out(ready, local)
    assert (summary.complete, summary.in_doubt > 0, len(outcomes)) == (False, True, 40)
    assert summary.folder is not None
    assert await open_leases(summary.folder) == 1
    stages: list[str] = []
    again = job(source, MAP, marker=MARKER, workers=LocalPool(local.company), on_stage=stages.append)
    summary = await again.run(local.company)
    assert "before their leases have surely ended" in stages[0]
    assert (summary.created, summary.complete) == (40, True)
    assert await held(local) == Counter(map(str, NUMBERS))


# --- what earlier runs left -----------------------------------------------------------------------


async def left_open(job: Any, local: Local, *numbers: int, epoch: int = 1, seconds: float = 0.1) -> Path:
    """Leave the journal as a kill of the coordinator does while a worker has these rows."""
    opened = await job.open(local.company)
    await opened.journal.start_run()
    await opened.journal.begin(numbers)
    await opened.journal.grant(a_grant(epoch, *numbers, seconds=seconds))
    opened.journal.abandon()
    return Path(opened.folder)


def left_report(number: int, row: int, result: Any = "done", *, epoch: int = 1, **more: Any) -> LeftReport:
    report = RowReport(number=number, epoch=epoch, row=row, result=result, **more)
    return LeftReport(1, f"w{epoch}", report)


async def test_reports_that_workers_left_are_taken_before_anything_is_sent(
    local: Local, job: Job, write: Write
) -> None:
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(1, 2, 3, 4, 5, 6))
    folder = await left_open(job(source, MAP, marker=MARKER), local, 1, 2, 3, 4)
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    found = (await local.rows("WorkOrder"))[-1]["Id"]
    left = [
        left_report(1, 1, entity="WorkOrder", id=found, version=1),
        left_report(2, 2, "not_sent"),
        left_report(3, 3, "failed", error="RefusedError", reason="no such thing"),
        left_report(1, 5, epoch=9, id=5),  # of a grant that the journal does not have
    ]
    pool = LocalPool(local.company, left=left)
    stages: list[str] = []
    ready = job(source, MAP, marker=MARKER, workers=pool, on_stage=stages.append)
    local.server.asked.clear()
    summary = await ready.run(local.company)
    assert stages[0].endswith("before their leases have surely ended, in 0 s")
    assert pool.asked_for_left == 2
    assert (summary.created, summary.failed) == (5, 1)
    assert await held(local) == Counter("12456")
    async with Journal.open(folder, snapshot=True) as journal:
        first, _, third, *_ = await journal.rows_in()
        assert (first.id, first.proof, first.version) == (found, "answered", 1)
        assert (third.state, third.reason) == (State.REFUSED, "no such thing")
        assert [(fact.epoch, fact.report.row) for fact in await journal.facts()] == [(9, 5)]
        assert await journal.open_leases() == []
        leases = (await journal.grant_totals()).leases
    # A run that takes reports and is killed does not forget them: the next run gets them once more.
    async with Journal.open(folder) as journal:
        journal.record(RowRecord(6, State.PLANNED))
    again = LocalPool(local.company, left=left)
    assert (await job(source, MAP, marker=MARKER, workers=again, if_exists="skip").run(local.company)).found
    async with Journal.open(folder, snapshot=True) as journal:
        assert (await journal.grant_totals()).leases == leases
        assert [fact.epoch for fact in await journal.facts()] == [9]


async def test_without_workers_leases_of_an_earlier_run_end_first(
    local: Local, job: Job, write: Write
) -> None:
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(1, 2))
    folder = await left_open(job(source, MAP, marker=MARKER), local, 1, seconds=1.5)
    stages: list[str] = []
    orphans: list[asyncio.Task[Any]] = []
    command = WoCreateCommand(work_order=await order(local, "1"))

    def on_stage(text: str) -> None:
        stages.append(text)
        if "may still send" in text:  # and so it does
            orphans.append(asyncio.create_task(local.company.run(command)))

    ready, began = job(source, MAP, marker=MARKER, on_stage=on_stage), asyncio.get_running_loop().time()
    assert (await ready.run(local.company)).complete
    assert asyncio.get_running_loop().time() - began >= 1.5
    assert await held(local) == Counter("12")
    await asyncio.gather(*orphans)
    assert stages[0].startswith("workers of an earlier run may still send rows")
    assert stages[-1] == "audit: 2 once", "it was begun on many workers"
    assert await open_leases(folder) == 0


async def test_a_stop_while_leases_end_sends_nothing(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2))
    folder = await left_open(job(source, MAP, marker=MARKER), local, 1, seconds=600)
    ready = job(source, MAP, marker=MARKER)
    summary = await ready.run(local.company, on_stage=lambda _: ready.stop())
    assert (summary.created, summary.audit_state) == (0, "due")
    assert await held(local) == Counter()
    assert await open_leases(folder) == 1, "the next run waits for it"


async def test_an_audit_that_is_due_is_made_by_the_next_run(local: Local, job: Job, write: Write) -> None:
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(1, 2))
    folder = (await job(source, MAP, marker=MARKER).run(local.company)).folder
    assert folder is not None
    async with Journal.open(folder) as journal:
        await journal.grant(a_grant(1, 1))
        journal.end_grant(1)
    await local.company.run(WoCreateCommand(work_order=await order(local, "2")))
    summary = await job(source, MAP, marker=MARKER).run(local.company)
    assert (summary.complete, summary.done, summary.audit_state) == (False, 2, "not clean")
    assert summary.audit is not None
    assert summary.audit.twice == 1
    (table,) = [each for each in summary.files if each.name == "audit.csv"]
    second = (await local.rows("WorkOrder"))[-1]
    header, line = table.read_text().splitlines()
    assert header == "row,line,finding,key,state,ids"
    assert line.startswith("2,3,twice,2,done,")
    assert str(second["Id"]) in line
    report = json.loads((folder / "report.json").read_text())
    assert (report["audit"]["state"], report["audit"]["rows"][0]["finding"]) == ("not clean", "twice")
    assert report["workers"]["leases"] == 1
    assert "The Company does not have what the journal says" in (folder / "report.html").read_text()
    async with Journal.open(folder, snapshot=True) as journal:
        assert [run.exit_status for run in await journal.runs()][-1] == 1
    last = (await local.rows("WorkOrder"))[-1]["Id"]
    await local.company.work_orders.cancel(last, reason="Entered twice")
    summary = await job(source, MAP, marker=MARKER).run(local.company)
    assert (summary.complete, summary.audit_state) == (True, "clean")
    assert not table.exists()


async def test_an_audit_does_not_hold_for_rows_that_are_sent_after_it(
    local: Local, job: Job, write: Write
) -> None:
    local.company = local.company.with_options(settle=0)
    local.server.refused = "notes 3"
    source = write(HEADER, rows(1, 2, 3, 4))
    first = job(source, MAP, marker=MARKER, workers=LocalPool(local.company))
    summary = await first.run(local.company)
    assert (summary.failed, summary.audit_state, summary.complete) == (1, "clean", False)
    again = job(source, MAP, marker=MARKER, retry_refused=True)
    again.stop()
    assert (await again.run(local.company)).audit_state == "due"


async def test_settle_waits_for_leases_too(local: Local, job: Job, write: Write) -> None:
    local.company = local.company.with_options(settle=0)
    folder = await left_open(job(write(HEADER, rows(1, 2)), MAP, marker=MARKER), local, 1)
    stages: list[str] = []
    async with Journal.open(folder) as journal:
        assert (await settle_job(journal, local.company, on_stage=stages.append))["not_there"] == 1
        assert await journal.open_leases() == []
    assert len(stages) == 1


# --- options --------------------------------------------------------------------------------------


async def test_a_client_that_workers_cannot_have_is_refused(local: Local, job: Job, write: Write) -> None:
    async with Client.from_env(local.variables, ssl_context=ssl.create_default_context()) as client:
        ready = job(write(HEADER, rows(1)), MAP, marker=MARKER, workers=LocalPool(local.company))
        with pytest.raises(ConfigurationError, match="workers cannot take ssl_context of the client"):
            await ready.run(client.company())
    assert await held(local) == Counter()


async def test_a_deadline_that_no_lease_has_room_for_is_refused(local: Local, job: Job, write: Write) -> None:
    local.company = local.company.with_options(deadline=40)
    ready = job(write(HEADER, rows(1)), MAP, marker=MARKER, workers=LocalPool(local.company))
    with pytest.raises(ConfigurationError, match="make the lease longer"):
        await ready.run(local.company)
    assert await held(local) == Counter()


async def test_the_rate_is_shared(local: Local, job: Job, write: Write) -> None:
    local.company.set_rate(50)
    local.company = local.company.with_options(settle=0)
    pool = LocalPool(local.company)
    seen: list[float | None] = []

    def prepare(worker: LocalWorker) -> None:
        seen.append(local.company.rate)  # all of it, for what the rows refer to: no worker has rows yet
        worker.sent = lambda *_: seen.append(local.company.rate)

    pool.prepare = prepare
    ready = job(write(HEADER, rows(1, 2, 3)), MAP, marker=MARKER, workers=pool)
    summary = await ready.run(local.company)
    assert summary.complete
    assert (seen, local.company.rate) == ([50, 50, 5, 5], 50)
    assert sum(worker.orders[-1].share.rate or 0 for worker in pool.workers if worker.orders) <= 45
