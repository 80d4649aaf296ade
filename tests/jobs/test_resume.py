"""A job goes on where it was stopped or killed: no row is created twice, and none is lost."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import MAP, MARKER, rows
from tests.jobs.runs import carried_out, held, killed_while_sending, order
from tests.jobs.test_operations import COLUMNS, UPDATE, made
from wosdk_async import (
    WoCreateCommand,
)
from wosdk_async.jobs import RowOutcome
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.imports.verification import settle_job
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.stop import Stop
from wosdk_async.text.remedies import Remedy


async def test_a_job_that_was_stopped_goes_on(local: Local) -> None:
    source = local.write(rows(*range(1, 41)))
    first = local.job(source, MAP, concurrency=2)
    done = 0

    def on_row(outcome: RowOutcome) -> None:
        nonlocal done
        done += outcome.outcome == "created"
        if done == 5:
            first.stop()

    summary = await first.run(local.company, on_row=on_row)
    assert 5 <= summary.created < 12
    assert summary.not_started == 40 - summary.created
    assert summary.stopped.kind == "asked"
    summary, outcomes = await carried_out(local.job(source, MAP), local)
    assert (summary.created, summary.done_now) == (40, len(outcomes))
    assert await held(local) == Counter(map(str, range(1, 41)))
    local.server.asked.clear()
    summary, outcomes = await carried_out(local.job(source, MAP), local)
    assert (summary.created, summary.done_now, outcomes) == (40, 0, {})
    assert not local.server.asked, "a finished job sends nothing"


async def test_rows_being_sent_are_looked_up_before_anything_is_sent(local: Local) -> None:
    source = local.write(rows(1, 2, 3, 4))
    await killed_while_sending(local.job(source, MAP, marker=MARKER), local, [1, 2])
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    local.server.asked.clear()
    summary, outcomes = await carried_out(local.job(source, MAP, marker=MARKER), local)
    assert summary.created == 4
    assert [outcomes[number].outcome for number in (1, 2, 3, 4)] == ["created"] * 4
    assert await held(local) == Counter("1234")
    assert local.server.count("WoCreateCommand") == 3
    assert local.server.asked[0].endswith("query/WorkOrder"), "row 1 is looked for before all else"


@pytest.mark.parametrize("fails", [False, True])
async def test_without_a_run_a_row_that_comes_late_is_found_or_stays_in_doubt(
    local: Local, fails: bool
) -> None:
    """It is not there at first, and then it is, or the look-up fails."""
    folder = await killed_while_sending(local.job(rows(1, 2), MAP, marker=MARKER), local, [1])
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    local.server.hidden, local.server.hidden_times = "query/WorkOrder", 1
    if fails:
        before = local.server.count("query/WorkOrder")
        local.server.failing, local.server.failing_numbers = "query/WorkOrder", range(before + 2, 1000)
    async with Journal.open(folder) as journal:
        found = await settle_job(journal, local.company)
        assert found == {"looked_up": 1, "found": not fails, "not_there": 0}
        assert len(await journal.rows_in(State.IN_DOUBT)) == fails


async def test_rows_that_are_not_there_are_looked_up_with_a_pause_in_between(local: Local) -> None:
    folder = await killed_while_sending(local.job(rows(1), MAP, marker=MARKER), local, [1])
    before = local.server.count("query/WorkOrder")
    async with Journal.open(folder) as journal:
        found = await settle_job(journal, local.company)
    assert found == {"looked_up": 1, "found": 0, "not_there": 1}
    assert local.server.count("query/WorkOrder") == before + 3, "one at once, and two after the settle time"


async def test_without_a_run_a_stop_leaves_rows_in_doubt(local: Local) -> None:
    folder = await killed_while_sending(local.job(rows(1), MAP, marker=MARKER), local, [1])
    async with Journal.open(folder) as journal:
        (stop := Stop()).ask()
        found = await settle_job(journal, local.company, stop=stop)
        assert found == {"looked_up": 1, "found": 0, "not_there": 0}
        assert len(await journal.rows_in(State.IN_DOUBT)) == 1


async def test_without_a_run_nothing_is_compared_with_the_file(local: Local) -> None:
    """Whether an update was carried out is seen only beside its row."""
    await made(local, "T1")
    folder = await killed_while_sending(
        local.job(local.write([["T1", "", "x"]], COLUMNS), UPDATE), local, [1]
    )
    async with Journal.open(folder) as journal:
        with pytest.raises(JournalError) as caught:
            await settle_job(journal, local.company)
    assert caught.value.remedies == (Remedy.RUN_AGAIN, Remedy.DECIDE_ROWS)


async def test_a_stop_while_rows_settle_leaves_them_in_doubt(local: Local) -> None:
    source = local.write(rows(1, 2))
    await killed_while_sending(local.job(source, MAP, marker=MARKER), local, [1])
    ready = local.job(source, MAP, marker=MARKER)
    summary, outcomes = await carried_out(ready, local, on_stage=lambda _: ready.stop())
    assert (summary.created, summary.in_doubt) == (1, 1)
    assert (outcomes[1].reason or "").endswith("; run the same command again to look up the row")


@pytest.mark.parametrize("times", [2, 3], ids=["until the settle time", "until the row is sent"])
async def test_looks_that_find_nothing_are_not_believed(local: Local, times: int) -> None:
    """Neither the first, before the settle time, nor the one behind it alone, nor both of those behind it."""
    source = local.write(rows(1))
    await killed_while_sending(local.job(source, MAP, marker=MARKER), local, [1])
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    local.server.hidden, local.server.hidden_times = "query/WorkOrder", times
    summary, outcomes = await carried_out(local.job(source, MAP, marker=MARKER), local)
    assert (summary.created, outcomes[1].outcome) == (1, "created")
    assert await held(local) == Counter("1")


async def test_more_rows_in_doubt_than_one_query_takes(local: Local) -> None:
    source = local.write(rows(*range(1, 251)))
    await killed_while_sending(local.job(source, MAP, marker=MARKER), local, range(1, 231))
    for number in ("7", "115", "230"):
        await local.company.run(WoCreateCommand(work_order=await order(local, number)))
    summary, outcomes = await carried_out(local.job(source, MAP, marker=MARKER), local)
    assert (summary.created, len(outcomes)) == (250, 250)
    assert await held(local) == Counter(map(str, range(1, 251)))


async def test_without_a_marker_they_are_in_doubt_for_good(local: Local) -> None:
    source = local.write(rows(1, 2, 3))
    await killed_while_sending(local.job(source, MAP), local, [1, 3])
    summary, outcomes = await carried_out(local.job(source, MAP), local)
    assert (summary.created, summary.in_doubt) == (1, 2)
    assert "killed" in (outcomes[1].reason or "")
    assert await held(local) == Counter("2")
    summary, outcomes = await carried_out(local.job(source, MAP), local)
    assert (summary.in_doubt, outcomes, await held(local)) == (2, {}, Counter("2"))


async def test_a_key_that_two_records_have_is_not_decided(local: Local) -> None:
    source = local.write(rows(1, 2))
    await killed_while_sending(local.job(source, MAP, marker=MARKER), local, [1])
    for _ in range(2):
        await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    summary, outcomes = await carried_out(local.job(source, MAP, marker=MARKER), local)
    assert (summary.created, summary.in_doubt) == (1, 1)
    assert (outcomes[1].reason or "").startswith("several work orders have the key '1' (ids ")
    assert await held(local) == Counter({"1": 2, "2": 1})


async def test_a_row_in_doubt_is_settled_and_sent_again(local: Local) -> None:
    """The deadline of the call is too short for the client to do it itself."""
    local.company = local.company.with_options(deadline=0.4, settle=0.5)
    local.server.broken = True
    ready = local.job(rows(1), MAP, marker=MARKER)
    stages: list[str] = []

    def on_stage(text: str) -> None:
        stages.append(text)
        local.server.broken = False

    summary, outcomes = await carried_out(ready, local, on_stage=on_stage)
    assert stages == ["rows in doubt: 1; the service may still be processing them; next look-up in 0 s"]
    assert ([row.outcome for row in outcomes.values()], summary.created) == (["created"], 1)
    assert await held(local) == Counter("1")
