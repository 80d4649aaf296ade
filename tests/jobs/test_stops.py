"""Imports that stop: by a limit, without a service, or cancelled."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.jobs import conftest
from tests.jobs.conftest import Local
from tests.jobs.maps import CREATED, MAP, MARKER, WORK_ORDER, rows
from tests.jobs.runs import carried_out, held
from tests.support.facts import having
from tests.support.laws import each_of
from wosdk_async import Client, ConfigurationError, RetryPolicy, jobs
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs import ImportOptions, RowOutcome, Summary
from wosdk_async.jobs.errors import RunStoppedError
from wosdk_async.jobs.stop import ALIKE, StopRules
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.retry import final_error


def kind_of(summary: Summary) -> str | None:
    """The rule or error that stopped an import."""
    return None if summary.stopped is None else summary.stopped.kind


@pytest.mark.parametrize("more", [0, 1], ids=["same file", "one more row"])
async def test_a_job_that_a_wrong_map_stopped_resumes_with_the_corrected_one(local: Local, more: int) -> None:
    """What was refused before does not stop it again, and is sent, as its map has changed."""
    wrong = MAP.replace('po_number = "{key}"', 'po_number = "{key}"\nduration = "{text}"')
    summary, outcomes = await carried_out(local.job(rows(*range(40)), wrong), local)
    assert (summary.failed, summary.not_started, len(outcomes)) == (20, 20, 40)
    assert kind_of(summary) == "all-refused"
    summary, outcomes = await carried_out(local.job(rows(*range(40 + more)), MAP), local)
    assert (summary.created, summary.complete, len(outcomes)) == (40 + more, True, 40 + more)
    assert await held(local) == Counter(map(str, range(40 + more)))
    assert [each.name for each in summary.folder.parent.glob("*.job*")] == [summary.folder.name]


@pytest.mark.parametrize(
    ("place", "remedies"),
    [("renamed.csv", (Remedy.JOB_BESIDE,)), ("new/rows.csv", (Remedy.EARLIER_IMPORT,))],
)
async def test_a_moved_file_whose_rows_all_exist_stops_the_job_and_names_the_earlier_one(
    local: Local, place: str, remedies: tuple[Remedy, ...]
) -> None:
    text, source = f'marker = "{MARKER}"\n{MAP}', local.write(rows(*range(30)))
    folder = (await local.run(source, text)).folder
    moved = source.parent / place
    moved.parent.mkdir(exist_ok=True)
    source = source.rename(moved)
    summary, _ = await carried_out(local.job(source, text), local)
    assert summary.stopped is not None
    assert (summary.stopped.kind, summary.stopped.remedies) == ("all-exist", remedies)
    if remedies == (Remedy.JOB_BESIDE,):
        assert summary.stopped.facts["folder"] == str(folder)
    skips = local.job(source, text, if_exists="skip")
    summary, _ = await carried_out(skips, local)
    assert (summary.complete, summary.found) == (True, 30)
    assert await held(local) == Counter(map(str, range(30)))


async def test_reasons_are_bounded_also_of_rows_that_were_not_started(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Theirs repeats that of the refused ones."""
    refuse = conftest._refuse
    monkeypatch.setattr(conftest, "_refuse", lambda send, _: refuse(send, "z" * 1900))
    local.server.failing = "WoCreateCommand"
    summary, outcomes = await carried_out(local.job(rows(*range(22)), MAP, concurrency=1), local)
    assert (summary.failed, summary.not_started) == (20, 2)
    reasons = [outcomes[row].reason or "" for row in (20, 22)]
    assert all("z" * 900 in each and len(each) < 1050 for each in reasons)


async def test_rows_that_the_service_refused_do_not_stop_the_next_run(local: Local) -> None:
    """They are listed again, and wait for a corrected file or ``retry_refused``."""
    source = local.write(rows(*range(40)))
    local.server.failing = "WoCreateCommand"
    summary, _ = await carried_out(local.job(source, MAP, concurrency=1), local)
    assert (summary.failed, summary.not_started) == (20, 20)
    local.server.failing = "\0"
    summary, outcomes = await carried_out(local.job(source, MAP), local)
    assert (summary.created, summary.failed, summary.stopped) == (20, 20, None)
    assert Counter(row.outcome for row in outcomes.values()) == {"created": 20, "failed": 20}
    summary, _ = await carried_out(local.job(source, MAP, retry_refused=True), local)
    assert (summary.created, summary.complete) == (40, True)
    assert await held(local) == Counter(map(str, range(40)))


@pytest.mark.parametrize(("limit", "most"), [("7", 7), ("10%", 10)])
async def test_too_many_failures_stop_the_job(local: Local, limit: str, most: int) -> None:
    bad = [["", "x" * 4000, "n", ""] if i % 2 else [str(i), "t", "n", ""] for i in range(100)]
    ready = local.job(bad, MAP, stop_after=limit, concurrency=1)
    summary, _ = await carried_out(ready, local)
    assert summary.failed == most
    assert summary.stopped.message == f"{most} rows have failed, reaching the limit of {limit}"
    assert (kind_of(summary), summary.stopped.remedies) == ("too-many-failed", (Remedy.STOP_AFTER,))
    assert summary.created <= most + 4


async def test_too_many_doubts_stop_the_job(local: Local) -> None:
    local.server.broken = True
    ready = local.job(rows(*range(50)), MAP, stop_after_doubt=3, concurrency=2)
    summary, _ = await carried_out(ready, local)
    assert 3 <= summary.in_doubt <= 3 + 2 * 2
    assert summary.stopped.message == "3 rows are in doubt, reaching the limit of 3"
    assert (kind_of(summary), summary.stopped.remedies) == ("too-many-in-doubt", (Remedy.STOP_AFTER_DOUBT,))


def test_rows_that_could_not_be_sent_count_only_without_others_between() -> None:
    rules = StopRules(ImportOptions(), rows=100)
    for other in (rules.done, rules.in_doubt, lambda: rules.refused("bad")):
        for _ in range(ALIKE - 1):
            rules.unsent("no connection")
        other()
        assert rules.stop.reason is None
    for _ in range(ALIKE):
        rules.unsent("no connection")
    assert rules.stop.reason.message == "20 consecutive rows could not be sent: no connection"


def test_a_stop_without_a_connection_does_not_say_that_no_row_was_sent() -> None:
    rules = StopRules(ImportOptions(), rows=100)
    rules.done()
    for _ in range(ALIKE):
        rules.unsent(str(final_error(SendError("no route to host", sent=False), repeat_safe=False)))
    assert "nothing was sent" not in rules.stop.reason.message


async def test_a_service_out_of_reach_stops_the_job_and_loses_no_row(local: Local) -> None:
    source = local.write(rows(*range(60)))
    local.server.busy = True
    local.company = local.company.with_options(retry=RetryPolicy(attempts=1))
    summary, _ = await carried_out(local.job(source, MAP, concurrency=1), local)
    assert (summary.created, summary.failed, summary.waiting, summary.not_started) == (0, 0, 20, 60)
    assert kind_of(summary) == "none-sent"
    local.server.busy = False
    summary, _ = await carried_out(local.job(source, MAP), local)
    assert (summary.created, sum((await held(local)).values())) == (60, 60)


def test_the_rules_that_stop_an_import_are_documented() -> None:
    """The docstring lists each kind that the package gives, and docs/messages.md shows it."""
    package = Path(jobs.__file__).parent
    calls = "".join(path.read_text("utf-8") for path in package.rglob("*.py"))
    given = set(re.findall(r'(?:RunStoppedError|\._stop)\((?:[^()]*kind=)?"([\w-]+)"', calls))
    named = set(re.findall(r"``([\w-]+)``", RunStoppedError.__doc__ or ""))
    assert given == named - {"kind", "stopped"}


@each_of("text", ["0", "0%", "101%", "five", "-1", "5 %%", "1.5"])
def test_a_limit_that_is_none(text: str) -> None:
    with pytest.raises(ConfigurationError, check=having(remedies=(Remedy.STOP_AFTER,))):
        ImportOptions(stop_after=text)


async def test_an_import_is_awaited(local: Local) -> None:
    outcomes: list[RowOutcome] = []
    ready = local.job(rows(1), MAP, company=local.company, on_row=outcomes.append)
    assert ((await ready).created, len(outcomes)) == (1, 1)
    with pytest.raises(InvalidCallError, match="the import has no Company"):
        await local.job(rows(1), MAP)


async def test_a_cancelled_job_goes_on(local: Local) -> None:
    source = local.write(rows(*range(1, 31)))
    ready = local.job(source, MAP, marker=MARKER, concurrency=4)
    running: asyncio.Task[Summary]

    def on_row(outcome: RowOutcome) -> None:
        if outcome.row == 7:
            running.cancel()

    running = asyncio.create_task(ready.run(local.company, on_row=on_row))
    with pytest.raises(asyncio.CancelledError):
        await running
    summary, _ = await carried_out(local.job(source, MAP, marker=MARKER, concurrency=4), local)
    assert summary.created == 30
    assert await held(local) == Counter(map(str, range(1, 31)))


@pytest.mark.parametrize("marker", [None, MARKER])
@pytest.mark.parametrize("limit", [1, 8])
async def test_rows_behind_a_client_that_is_closed_are_not_started(
    local: Local, marker: str | None, limit: int
) -> None:
    source = local.write(rows(*range(1, 31)))
    outcomes: dict[int, RowOutcome] = {}
    closing: list[asyncio.Task[None]] = []
    async with Client.from_env(local.variables) as client:

        def on_row(row: RowOutcome) -> None:
            outcomes[row.row] = row
            if len(outcomes) == 5:
                closing.append(asyncio.create_task(client.aclose()))

        ready = local.job(source, MAP, marker=marker, concurrency=limit, on_row=on_row)
        summary = await ready.run(client.company())
        await closing[0]
    assert Counter(row.outcome for row in outcomes.values()).keys() == {"created", "not_started"}
    assert (summary.failed, summary.in_doubt, len(outcomes)) == (0, 0, 30)
    assert kind_of(summary) == "client-closed"
    summary, _ = await carried_out(local.job(source, MAP, marker=marker), local)
    assert (summary.complete, sum((await held(local)).values())) == (True, 30)


async def test_records_behind_a_client_that_is_closed_fail_no_row(local: Local) -> None:
    """The client is closed while what the rows refer to is created."""
    source = local.write([row for i in range(1, 21) for row in rows(i, customer=f"New {i}")])
    outcomes: dict[int, RowOutcome] = {}
    closing: list[asyncio.Task[None]] = []
    async with Client.from_env(local.variables) as client:

        def on_stage(text: str) -> None:
            if text.startswith("creating"):
                closing.append(asyncio.create_task(client.aclose()))

        ready = local.job(source, WORK_ORDER + CREATED, on_stage=on_stage)
        ready_run = ready.run(client.company(), on_row=lambda row: outcomes.update({row.row: row}))
        summary = await ready_run
        await closing[0]
    assert (summary.failed, summary.not_started, len(outcomes)) == (0, 20, 20)
    summary, _ = await carried_out(local.job(source, WORK_ORDER + CREATED), local)
    assert (summary.complete, summary.created) == (True, 20)


async def test_a_row_that_waits_for_the_rate_is_not_begun(local: Local) -> None:
    """A stop sends it no more, and a kill does not leave it in doubt."""
    local.company.set_rate(20)
    ready = local.job(rows(*range(60)), MAP, concurrency=32)
    ended: list[RowOutcome] = []

    def third(outcome: RowOutcome) -> None:
        ended.append(outcome)
        if len(ended) == 3:
            ready.stop()

    summary = await ready.run(local.company, on_row=third)
    assert summary.created < 20  # 5 are begun at once
    assert summary.created + summary.not_started == 60


async def test_rows_built_ahead_of_the_calls_are_not_the_first_rows(local: Local) -> None:
    """Every tenth row fails before the first call has ended; rows that failed before stop no later run."""
    text = MAP.replace('po_number = "{key}"', 'po_number = "{key}"\nduration = "{text}"')
    lines = [[str(key), "bad" if key % 10 == 9 else str(key), "", ""] for key in range(300)]
    summary, _ = await carried_out(local.job(lines, text), local)
    assert (summary.created, summary.failed, kind_of(summary)) == (270, 30, None)
    summary, _ = await carried_out(local.job(lines, text), local)
    assert (summary.done, summary.failed, kind_of(summary)) == (270, 30, None)
    failed_first = [*sorted(lines, key=lambda line: line[1] != "bad"), ["900", "1", "", ""]]
    summary, outcomes = await carried_out(local.job(failed_first, text), local)
    assert (summary.done, summary.failed, kind_of(summary)) == (271, 30, None)
    assert Counter(each.outcome for each in outcomes.values()) == {"failed": 30, "created": 1}
