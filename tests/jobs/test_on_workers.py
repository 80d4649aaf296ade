"""An import on many workers: nothing is lost, nothing is doubled, and the audit says so."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import sqlite3
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from tests.engine.proxy import Proxy
from tests.jobs.conftest import Local
from tests.jobs.journal.test_grants import a_grant
from tests.jobs.local_workers import LocalPool, LocalWorker
from tests.jobs.maps import MAP, MARKER, rows
from tests.jobs.runs import carried_out, held, killed, killed_while_sending, order
from tests.support.facts import having
from wosdk_async import Client, WoCreateCommand
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs import ImportOptions
from wosdk_async.jobs.cluster import coordinator
from wosdk_async.jobs.cluster.job_workers import JobWorkers
from wosdk_async.jobs.cluster.messages import GrantedRow, Setup
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.imports.verification import decide, settle_job
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.undo import Undo
from wosdk_async.options import CallOptions, RetryPolicy
from wosdk_async.text.remedies import Remedy

NUMBERS = range(1, 41)
BRIEF: dict[str, Any] = {"lease": 0.6, "skew": 0}
"""Times in which a lost worker is soon known to send nothing."""


async def open_leases(folder: Path) -> int:
    async with Journal.open(folder, snapshot=True) as journal:
        return len(await journal.open_leases())


async def test_workers_send_the_rows(local: Local) -> None:
    pool = LocalPool(local.company)
    source = local.write(rows(*NUMBERS))
    summary, outcomes = await carried_out(
        local.job(source, MAP, marker=MARKER, workers=pool, concurrency=4), local
    )
    assert (summary.created, summary.complete, len(outcomes)) == (40, True, 40)
    assert await held(local) == Counter(map(str, NUMBERS))
    assert pool.closed
    assert (summary.audit_state, summary.audit and summary.audit.once) == ("clean", 40)
    assert summary.as_dict()["audit"]["once"] == 40
    assert (pool.setup.marker, pool.setup.operation) == (MARKER, "WoCreateCommand")
    assert pool.setup.max_in_flight == 4
    assert sum(len(grant.rows) for worker in pool.workers for o in worker.orders for grant in o.grants) >= 39
    assert await open_leases(summary.folder) == 0
    async with Journal.open(summary.folder, snapshot=True) as journal:
        assert (await journal.grant_totals()).leases > 0
        assert {row.proof for row in await journal.rows_in()} == {"answered"}
    local.server.asked.clear()
    summary, _ = await carried_out(local.job(source, MAP, marker=MARKER), local)
    assert (summary.complete, summary.audit_state, local.server.asked) == (True, "clean", [])


async def test_workers_have_every_option_of_the_client_and_of_the_job(local: Local) -> None:
    pool = LocalPool(local.company)
    changed = CallOptions(settle=0.25, deadline=2.5, retry=RetryPolicy(attempts=2))
    other = {"check_request_ids": False, "trusted_hosts": ("orders.example",), "options": changed}
    async with Client.from_env(local.variables, **other) as client:
        ready = local.job(rows(1, 2, 3), MAP, marker=MARKER, workers=pool, concurrency=3, lease=4, skew=0.75)
        summary = await ready.run(client.company())
    assert (summary.complete, summary.folder is not None) == (True, True)
    assert pool.setup == Setup(
        operation="WoCreateCommand",
        company=local.company.name,
        marker=MARKER,
        lease=4,
        deadline=2.5,
        settle=0.25,
        attempts=2,
        max_in_flight=3,
        trusted_hosts=("orders.example",),
        check_request_ids=False,
    )
    with contextlib.closing(sqlite3.connect(f"{summary.folder}/journal.db")) as db:
        assert set(db.execute("SELECT seconds FROM lease")) == {(4 + 2.5 + 0.75,)}


async def test_workers_that_are_killed_with_a_row_double_and_lose_nothing(local: Local) -> None:
    """One before it sends its row, and one after."""
    pool = LocalPool(local.company)
    killed: list[int] = []

    def kill_once(number: int, worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == number and number not in killed:
            killed.append(number)
            pool.kill(worker)

    def prepare(worker: LocalWorker) -> None:
        worker.about_to_send = functools.partial(kill_once, 7)
        worker.sent = functools.partial(kill_once, 23)

    pool.prepare = prepare
    ready = local.job(rows(*NUMBERS), MAP, marker=MARKER, workers=pool, stop_after_doubt=1, **BRIEF)
    summary, outcomes = await carried_out(ready, local)
    assert sorted(killed) == [7, 23]
    assert (summary.created, summary.complete, summary.stopped) == (40, True, None)
    assert len(outcomes) == 40
    assert await held(local) == Counter(map(str, NUMBERS))


async def test_a_row_that_kills_its_workers_is_refused(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second worker that ends with it is the last one here; the other rows are carried out."""
    monkeypatch.setattr(coordinator, "MAX_LOSSES", 2)
    pool = LocalPool(local.company)
    local.company = local.company.with_options(deadline=1)

    def kill(worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == 5:
            pool.kill(worker)

    pool.prepare = lambda worker: setattr(worker, "about_to_send", kill)
    ready = local.job(rows(*range(1, 13)), MAP, marker=MARKER, workers=pool, lease=1.2, skew=0)
    summary, outcomes = await carried_out(ready, local)
    assert (summary.created, summary.failed, len(pool.workers)) == (11, 1, 2 + 2)
    assert "the worker with this row was lost 2 times" in (outcomes[5].reason or "")
    assert await held(local) == Counter(str(number) for number in range(1, 13) if number != 5)


async def test_a_row_that_is_not_granted_stays_planned(local: Local) -> None:
    """So after a kill of the coordinator only rows are in doubt that a worker may have had."""
    seen: list[tuple[set[int], set[int]]] = []
    pool = LocalPool(local.company, workers=1)
    ready = local.job(rows(*NUMBERS), MAP, marker=MARKER, workers=pool, concurrency=1)
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


async def test_rounds_go_on_while_rows_end(local: Local) -> None:
    """Row 2 is in doubt twice, row 3 three times, row 4 four times."""
    pool = LocalPool(local.company)
    doubts: Counter[int] = Counter()

    def in_doubt(row: GrantedRow) -> bool:
        doubts[row.row] += 1
        return row.row > 1 and doubts[row.row] <= row.row

    pool.prepare = lambda worker: setattr(worker, "in_doubt", in_doubt)
    ready = local.job(rows(*range(1, 5)), MAP, marker=MARKER, workers=pool)
    summary, _ = await carried_out(ready, local)
    assert (summary.created, summary.complete) == (4, True)


async def test_the_first_row_of_a_later_run_is_sent_by_a_worker_too(local: Local) -> None:
    """It may be the one that kills its workers; and the marker was proved before there was any grant."""
    pool = LocalPool(local.company)
    source = local.write(rows(*NUMBERS))
    ready = local.job(source, MAP, marker=MARKER, workers=pool, concurrency=2)

    def stop(worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == 9:
            ready.stop()

    pool.prepare = lambda worker: setattr(worker, "sent", stop)
    summary, _ = await carried_out(ready, local)
    assert summary.not_started > 0
    again, sent = LocalPool(local.company), []
    again.prepare = lambda worker: setattr(worker, "sent", lambda _, row: sent.append(row.row))
    await carried_out(local.job(source, MAP, marker=MARKER, workers=again), local)
    assert len(sent) == summary.not_started
    assert await held(local) == Counter(map(str, NUMBERS))


async def test_a_worker_of_which_nothing_is_heard_is_lost_when_its_lease_is_over(local: Local) -> None:
    pool = LocalPool(local.company)
    silent: list[LocalWorker] = []

    def fall_silent(worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == 9 and not silent:
            silent.append(worker)
            worker.silent = True

    pool.prepare = lambda worker: setattr(worker, "sent", fall_silent)
    options = {"workers": pool, **BRIEF}
    stages: list[str] = []
    ready = local.job(rows(*NUMBERS), MAP, marker=MARKER, on_stage=stages.append, **options)
    summary, _ = await carried_out(ready, local)
    assert silent
    (warning,) = summary.warnings
    assert warning.startswith(f"worker {silent[0].name} has been silent for too long: ")
    assert f"warning: {warning}" in stages
    assert (summary.created, summary.complete) == (40, True)
    assert await held(local) == Counter(map(str, NUMBERS))
    async with Journal.open(summary.folder, snapshot=True) as journal:
        totals = await journal.grant_totals()
        assert (totals.lost_leases, totals.lost_rows > 0) == (1, True)
        (run,) = await journal.runs()
        assert run.details["options"] == {"lease": 0.6, "skew": 0.0, "marker": MARKER}


async def test_the_first_20_lost_workers_are_said(local: Local) -> None:
    pool = LocalPool(local.company, workers=26)
    pool.prepare = lambda worker: setattr(worker, "lost", "" if worker.name.endswith(".0") else "killed")
    stages: list[str] = []
    ready = local.job(rows(*NUMBERS), MAP, marker=MARKER, workers=pool, on_stage=stages.append)
    summary, _ = await carried_out(ready, local)
    assert summary.complete
    assert set(summary.warnings) == {
        f"worker {worker.name} was lost: killed; it had no rows" for worker in pool.workers[1:21]
    }
    assert len([stage for stage in stages if stage.startswith("warning: worker")]) == 20


async def test_a_callback_that_raises_ends_the_import(local: Local) -> None:
    """As in one process; it is called by a task of the coordinator, whose end nobody would see."""
    pool = LocalPool(local.company, workers=2)
    pool.prepare = lambda worker: setattr(worker, "lost", "" if worker.name.endswith(".0") else "killed")

    def stage(text: str) -> None:
        if text.startswith("warning"):
            raise BrokenPipeError

    ready = local.job(rows(*NUMBERS), MAP, marker=MARKER, workers=pool, on_stage=stage)
    with pytest.raises(BrokenPipeError):
        await carried_out(ready, local)


async def test_a_pool_that_breaks_stops_the_import(local: Local) -> None:
    pool = LocalPool(local.company)

    def break_pool(worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == 9:
            pool.broken("the scheduler has gone; start it again")

    pool.prepare = lambda worker: setattr(worker, "sent", break_pool)
    source = local.write(rows(*NUMBERS))
    summary, outcomes = await carried_out(
        local.job(source, MAP, marker=MARKER, workers=pool, concurrency=2), local
    )
    assert str(summary.stopped) == "the scheduler has gone; start it again"
    assert (len(outcomes), summary.in_doubt) == (40, 0)
    assert (summary.complete, summary.audit_state, summary.not_started > 0) == (False, "due", True)
    assert sum((await held(local)).values()) == summary.created
    again = LocalPool(local.company)
    summary, _ = await carried_out(local.job(source, MAP, marker=MARKER, workers=again), local)
    assert (summary.complete, summary.audit_state) == (True, "clean")


class SlowlyClosedPool(LocalPool):
    """A pool that is asked to stop the import, twice, while it ends its workers."""

    job: Any = None

    async def aclose(self) -> None:
        self.job.stop()
        self.job.stop()
        await asyncio.sleep(0.01)
        await super().aclose()


async def test_a_second_stop_does_not_cut_the_end_of_the_workers(local: Local) -> None:
    pool = SlowlyClosedPool(local.company)
    pool.job = local.job(rows(*NUMBERS), MAP, marker=MARKER, workers=pool)
    summary, outcomes = await carried_out(pool.job, local)
    assert (pool.closed, summary.created, len(outcomes)) == (True, 40, 40)


async def test_an_import_that_is_aborted_leaves_its_leases_to_the_next_run(local: Local) -> None:
    pool = LocalPool(local.company)
    source = local.write(rows(*NUMBERS))
    ready = local.job(source, MAP, marker=MARKER, workers=pool, **BRIEF)

    def abort(worker: LocalWorker, row: GrantedRow) -> None:
        if row.row == 9:
            worker.silent = True
            ready.stop()
            ready.stop()

    pool.prepare = lambda worker: setattr(worker, "sent", abort)
    summary, outcomes = await carried_out(ready, local)
    assert (summary.complete, summary.in_doubt > 0, len(outcomes)) == (False, True, 40)
    assert summary.folder is not None
    assert await open_leases(summary.folder) >= 1
    stages: list[str] = []
    again = local.job(source, MAP, marker=MARKER, workers=LocalPool(local.company), on_stage=stages.append)
    summary = await again.run(local.company)
    assert "waiting for their leases" in stages[1]
    assert (summary.created, summary.complete) == (40, True)
    assert await held(local) == Counter(map(str, NUMBERS))


# --- what earlier runs left -----------------------------------------------------------------------


async def left_open(job: Any, local: Local, *numbers: int, seconds: float = 0.1) -> Path:
    """Leave the journal as a kill of the coordinator does while a worker has these rows."""
    async with killed(job, local) as journal:
        await journal.begin(numbers)
        await journal.grant(a_grant(1, *numbers, seconds=seconds))
    return journal.folder


async def test_without_workers_leases_of_an_earlier_run_end_first(local: Local) -> None:
    source = local.write(rows(1, 2))
    folder = await left_open(local.job(source, MAP, marker=MARKER), local, 1, seconds=0.5)
    stages: list[str] = []
    orphans: list[asyncio.Task[Any]] = []
    command = WoCreateCommand(work_order=await order(local, "1"))

    def on_stage(text: str) -> None:
        stages.append(text)
        if "may still send" in text:  # and so it does
            orphans.append(asyncio.create_task(local.company.run(command)))

    ready, began = local.job(source, MAP, marker=MARKER, on_stage=on_stage), asyncio.get_running_loop().time()
    assert (await ready.run(local.company)).complete
    assert asyncio.get_running_loop().time() - began >= 0.5
    assert await held(local) == Counter("12")
    await asyncio.gather(*orphans)
    assert stages[0].startswith("workers of an earlier run may still send rows")
    assert stages[-1] == "audit: 2 once", "it was begun on many workers"
    assert await open_leases(folder) == 0


async def test_a_long_wait_for_leases_is_said_again_and_can_be_stopped(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wosdk_async.jobs.stop.MESSAGE_INTERVAL", 0.2)
    source = local.write(rows(1, 2))
    folder = await left_open(local.job(source, MAP, marker=MARKER), local, 1, seconds=600)
    ready = local.job(source, MAP, marker=MARKER)
    stages: list[str] = []

    def on_stage(text: str) -> None:
        stages.append(text)
        if len(stages) == 2:
            ready.stop()

    async with asyncio.timeout(60):
        summary = await ready.run(local.company, on_stage=on_stage)
    assert (summary.created, summary.audit_state) == (0, "due")
    assert await held(local) == Counter()
    assert await open_leases(folder) == 1, "the next run waits for it"
    seconds = [int(text.rpartition("(")[2].removesuffix(" s)")) for text in stages]
    assert (len(seconds), seconds[0]) == (2, 600)
    assert 560 <= seconds[1] <= 600


async def test_an_audit_that_is_due_is_made_by_the_next_run(local: Local) -> None:
    source = local.write(rows(1, 2))
    folder = (await local.run(source, MAP, marker=MARKER)).folder
    async with Journal.open(folder) as journal:
        await journal.grant(a_grant(1, 1))
        journal.end_grant(1)
    await local.company.run(WoCreateCommand(work_order=await order(local, "2")))
    summary = await local.run(source, MAP, marker=MARKER)
    assert (summary.complete, summary.done, summary.audit_state) == (False, 2, "not clean")
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
    assert "data differs from the journal" in (folder / "report.html").read_text()
    async with Journal.open(folder, snapshot=True) as journal:
        assert [run.exit_status for run in await journal.runs()][-1] == 1
    last = (await local.rows("WorkOrder"))[-1]["Id"]
    await local.company.work_orders.cancel(last, reason="Entered twice")
    summary = await local.run(source, MAP, marker=MARKER)
    assert (summary.complete, summary.audit_state) == (True, "clean")
    assert not table.exists()


async def test_an_audit_does_not_hold_for_rows_that_are_sent_after_it(local: Local) -> None:
    local.server.refused = "notes 3"
    source = local.write(rows(1, 2, 3, 4))
    first = local.job(source, MAP, marker=MARKER, workers=LocalPool(local.company))
    summary = await first.run(local.company)
    assert (summary.failed, summary.audit_state, summary.complete) == (1, "clean", False)
    again = local.job(source, MAP, marker=MARKER, retry_refused=True)
    summary = await again.run(local.company, on_row=lambda _: again.stop())
    assert summary.audit_state == "due"


# --- options --------------------------------------------------------------------------------------


@pytest.fixture
async def of_this_process() -> AsyncIterator[dict[str, Any]]:
    """Options of a client that cannot be taken to another process."""
    async with Proxy() as proxy, httpx.AsyncHTTPTransport() as transport, httpx.AsyncClient() as client:
        yield {
            "ssl_context": ssl.create_default_context(),
            "proxy": f"http://{proxy.address}",
            "transport": transport,
            "http_client": client,
            "host_suffixes": ("example.com",),
        }


async def test_a_client_that_workers_cannot_have_is_refused(
    local: Local, of_this_process: dict[str, Any]
) -> None:
    for name, value in of_this_process.items():
        async with Client.from_env(local.variables, **{name: value}) as client:
            ready = local.job(rows(1), MAP, marker=MARKER, workers=LocalPool(local.company))
            with pytest.raises(ConfigurationError, match=f"the client.s {name}"):
                await ready.run(client.company())
    assert await held(local) == Counter()


async def test_a_deadline_that_no_lease_has_room_for_is_refused(local: Local) -> None:
    local.company = local.company.with_options(deadline=30)
    ready = local.job(rows(1), MAP, marker=MARKER, workers=LocalPool(local.company), lease=30)
    with pytest.raises(ConfigurationError, match="use a longer lease"):
        await ready.run(local.company)
    assert await held(local) == Counter()


async def test_the_rate_is_shared(local: Local) -> None:
    local.company.set_rate(50)
    pool = LocalPool(local.company)
    seen: list[float | None] = []

    def prepare(worker: LocalWorker) -> None:
        seen.append(local.company.rate)  # all of it, for what the rows refer to: no worker has rows yet
        worker.sent = lambda *_: seen.append(local.company.rate)

    pool.prepare = prepare
    ready = local.job(rows(1, 2, 3), MAP, marker=MARKER, workers=pool)
    summary = await ready.run(local.company)
    assert summary.complete
    assert (seen, local.company.rate) == ([50, 50, 5, 5], 50)
    assert sum(worker.orders[-1].share.rate or 0 for worker in pool.workers if worker.orders) <= 45


@pytest.mark.parametrize(("rate", "kept"), [(100, 10), (50, 5), (5, 0.5), (2, 0.5), (1, 0.5), (0.5, 0.25)])
async def test_what_the_coordinator_keeps_of_the_rate(local: Local, rate: float, kept: float) -> None:
    """As docs/cluster.md says: a tenth, at least 0.5 calls in a second, never more than half."""
    local.company.set_rate(rate)
    pool: Any = LocalPool(local.company)
    workers = JobWorkers(pool, local.company, cast(Journal, None), "WoCreateCommand", ImportOptions())
    assert workers.options.rate == pytest.approx(rate - kept)


async def test_a_file_of_one_row_has_an_audit(local: Local) -> None:
    """Its row is sent from here, as it proves the marker."""
    ready = local.job(rows(1), MAP, marker=MARKER, workers=LocalPool(local.company))
    summary, _ = await carried_out(ready, local)
    assert (summary.audit_state, summary.audit and summary.audit.once) == ("clean", 1)


async def test_a_file_without_rows_needs_no_audit(local: Local) -> None:
    pool = LocalPool(local.company)
    summary = await local.run([], MAP, marker=MARKER, workers=pool)
    assert (summary.rows, summary.audit_state, summary.complete) == (0, "none", True)
    assert pool.workers == []


# --- other jobs of the same file ------------------------------------------------------------------


async def test_a_changed_file_waits_once_for_the_workers_of_its_job(local: Local) -> None:
    source = local.write(rows(1, 2))
    folder = await left_open(local.job(source, MAP, marker=MARKER), local, 1, seconds=0.3)
    local.write(rows(1, 2, 3))
    stages: list[str] = []
    ready = local.job(source, MAP, marker=MARKER)
    summary = await ready.run(local.company, on_stage=stages.append)
    assert (summary.created, await held(local)) == (3, Counter("123"))
    assert sum("may still send rows" in text for text in stages) == 1
    assert (summary.folder, await open_leases(folder)) == (folder, 0)


@pytest.mark.parametrize("leases", [None, "over", "open"])
async def test_a_new_job_is_refused_while_the_old_one_is_worked_on(local: Local, leases: str | None) -> None:
    """By a run that has granted rows, has granted none at the moment, or sends its rows itself."""
    old = local.job(rows(1, 2), MAP, marker=MARKER)
    folder = await (left_open(old, local, 1) if leases else killed_while_sending(old, local, [1]))
    async with Journal.open(folder) as journal:
        if leases == "over":
            journal.end_grant(1, lost=[1])
        with pytest.raises(JournalError, check=having(remedies=(Remedy.WAIT,))):
            await local.run(rows(1, 2), MAP, marker=MARKER, again=True)
    assert not folder.with_name(f"{folder.name}-2").exists()
    assert await held(local) == Counter()


async def undo_all(journal: Journal, local: Local, on_stage: Callable[[str], None]) -> None:
    undo = Undo(company=local.company, journal=journal, on_stage=on_stage)
    await undo.run(await local.company.work_orders.cancel_reason("Entered twice"))


async def decide_row(journal: Journal, _: Local, on_stage: Callable[[str], None]) -> None:
    await decide(journal, 1, None, "me", on_stage=on_stage)


async def settle(journal: Journal, local: Local, on_stage: Callable[[str], None]) -> None:
    assert (await settle_job(journal, local.company, on_stage=on_stage))["not_there"] == 1


@pytest.mark.parametrize("change", [decide_row, undo_all, settle])
async def test_a_change_waits_for_workers_that_may_still_send_rows(local: Local, change: Any) -> None:
    folder = await left_open(local.job(rows(1, 2), MAP, marker=MARKER), local, 1, seconds=0.3)
    stages: list[str] = []
    async with Journal.open(folder) as journal:
        await change(journal, local, stages.append)
        assert await journal.open_leases() == {}
    assert "may still send rows" in stages[0]
