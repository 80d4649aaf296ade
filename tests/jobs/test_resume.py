"""A job goes on where it was stopped or killed: no row is created twice, and none is lost."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from tests.jobs.conftest import Job, Local, Write
from tests.jobs.maps import HEADER, MAP, MARKER, rows
from wosdk_async import (
    ConfigurationError,
    Customer,
    Location,
    Ref,
    RetryPolicy,
    Task,
    WoCreateCommand,
    WoItem,
    WorkOrder,
)
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs import Import, ImportMapError, ImportOptions, RowOutcome, Summary
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import State


async def held(local: Local) -> Counter[str]:
    """How many work orders have each number of the file."""
    return Counter(row["PoNumber"] for row in await local.rows("WorkOrder", "PoNumber"))


async def carried_out(job: Import, local: Local) -> tuple[Summary, dict[int, RowOutcome]]:
    outcomes: dict[int, RowOutcome] = {}
    summary = await job.run(local.company, on_row=lambda row: outcomes.update({row.row: row}))
    return summary, outcomes


async def killed_while_sending(job: Import, local: Local, numbers: Sequence[int]) -> None:
    """Leave the journal as a kill does while these rows are under way."""
    opened = await job.open(local.company)
    await opened.journal.begin(numbers)
    opened.journal.abandon()


async def test_a_job_that_was_stopped_goes_on(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(*range(1, 41)))
    first = job(source, MAP, limit=2)
    done = 0

    def on_row(outcome: RowOutcome) -> None:
        nonlocal done
        done += outcome.outcome == "created"
        if done == 5:
            first.stop()

    summary = await first.run(local.company, on_row=on_row)
    assert 5 <= summary.created < 12
    assert summary.not_started == 40 - summary.created
    summary, outcomes = await carried_out(job(source, MAP), local)
    assert (summary.created, summary.created_now) == (40, len(outcomes))
    assert await held(local) == Counter(map(str, range(1, 41)))
    local.server.asked.clear()
    summary, outcomes = await carried_out(job(source, MAP), local)
    assert (summary.created, summary.created_now, outcomes) == (40, 0, {})
    assert not local.server.asked, "a finished job sends nothing"


async def test_rows_being_sent_are_looked_up_before_anything_is_sent(
    local: Local, job: Job, write: Write
) -> None:
    source = write(HEADER, rows(1, 2, 3, 4))
    await killed_while_sending(job(source, MAP, marker=MARKER), local, [1, 2])
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    local.server.asked.clear()
    local.company = local.company.with_options(settle=0.3)
    summary, outcomes = await carried_out(job(source, MAP, marker=MARKER), local)
    assert summary.created == 4
    assert [outcomes[number].outcome for number in (1, 2, 3, 4)] == ["created"] * 4
    assert await held(local) == Counter("1234")
    assert local.server.count("WoCreateCommand") == 3
    assert local.server.asked[0].endswith("query/WorkOrder"), "row 1 is looked for before all else"


async def test_a_stop_while_rows_settle_leaves_them_in_doubt(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2))
    await killed_while_sending(job(source, MAP, marker=MARKER), local, [1])
    ready = job(source, MAP, marker=MARKER)
    outcomes: dict[int, RowOutcome] = {}
    summary = await ready.run(
        local.company, on_row=lambda row: outcomes.update({row.row: row}), on_stage=lambda _: ready.stop()
    )
    assert (summary.created, summary.in_doubt) == (1, 1)
    assert (outcomes[1].reason or "").endswith("; the same command given again looks it up")


async def test_one_look_that_finds_nothing_is_not_believed(local: Local, job: Job, write: Write) -> None:
    """Neither the first, before the settle time, nor the one behind it alone."""
    source = write(HEADER, rows(1))
    await killed_while_sending(job(source, MAP, marker=MARKER), local, [1])
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    local.server.hidden, local.server.hidden_times = "query/WorkOrder", 2
    local.company = local.company.with_options(settle=0)
    summary, outcomes = await carried_out(job(source, MAP, marker=MARKER), local)
    assert (summary.created, outcomes[1].outcome) == (1, "created")
    assert await held(local) == Counter("1")


async def test_a_record_that_appears_after_its_time_is_the_job_s_own(
    local: Local, job: Job, write: Write
) -> None:
    source = write(HEADER, rows(1))
    await killed_while_sending(job(source, MAP, marker=MARKER), local, [1])
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    local.server.hidden, local.server.hidden_times = "query/WorkOrder", 3
    local.company = local.company.with_options(settle=0)
    summary, outcomes = await carried_out(job(source, MAP, marker=MARKER), local)
    assert (summary.created, outcomes[1].outcome) == (1, "created")
    assert await held(local) == Counter("1")


async def test_more_rows_in_doubt_than_one_query_takes(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(*range(1, 451)))
    await killed_while_sending(job(source, MAP, marker=MARKER), local, range(1, 421))
    for number in ("7", "250", "420"):
        await local.company.run(WoCreateCommand(work_order=await order(local, number)))
    local.company = local.company.with_options(settle=0)
    summary, outcomes = await carried_out(job(source, MAP, marker=MARKER), local)
    assert (summary.created, len(outcomes)) == (450, 450)
    assert await held(local) == Counter(map(str, range(1, 451)))


async def order(local: Local, number: str) -> WorkOrder:
    """A work order as the map makes it."""
    found: dict[type[Any], int] = {}
    for entity in (Customer, Location, Task):
        found[entity] = (await local.rows(entity.__name__))[0]["Id"]
    kinds = await local.rows("WorkOrderType", "TypeId", "IsDefSR")
    kind = next(each["Id"] for each in kinds if each["TypeId"] == "Request" and each.get("IsDefSR"))
    return WorkOrder(
        type_category="Request",
        sub_type=Ref(kind),
        customer=Ref(found[Customer]),
        po_number=number,
        items=[WoItem(asset=Ref(found[Location]), task=Ref(found[Task]), comment="c")],
    )


async def test_without_a_marker_they_are_in_doubt_for_good(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2, 3))
    await killed_while_sending(job(source, MAP), local, [1, 3])
    summary, outcomes = await carried_out(job(source, MAP), local)
    assert (summary.created, summary.in_doubt) == (1, 2)
    assert "killed" in (outcomes[1].reason or "")
    assert await held(local) == Counter("2")
    summary, outcomes = await carried_out(job(source, MAP), local)
    assert (summary.in_doubt, outcomes, await held(local)) == (2, {}, Counter("2"))


async def test_a_key_that_two_records_have_is_not_decided(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2))
    await killed_while_sending(job(source, MAP, marker=MARKER), local, [1])
    for _ in range(2):
        await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    summary, outcomes = await carried_out(job(source, MAP, marker=MARKER), local)
    assert (summary.created, summary.in_doubt) == (1, 1)
    assert (outcomes[1].reason or "").startswith("several work orders have the key '1': ids ")
    assert await held(local) == Counter({"1": 2, "2": 1})


async def test_a_row_in_doubt_is_settled_and_sent_again(local: Local, job: Job, write: Write) -> None:
    """The deadline of the call is too short for the client to do it itself."""
    local.company = local.company.with_options(deadline=0.4, settle=0.5)
    local.server.broken = True
    ready = job(write(HEADER, rows(1)), MAP, marker=MARKER)
    stages: list[str] = []

    def on_stage(text: str) -> None:
        stages.append(text)
        local.server.broken = False

    outcomes: list[RowOutcome] = []
    summary = await ready.run(local.company, on_row=outcomes.append, on_stage=on_stage)
    assert stages == ["rows in doubt: 1; looked up again in 0 s"]
    assert ([row.outcome for row in outcomes], summary.created) == (["created"], 1)
    assert await held(local) == Counter("1")


# --- keys -----------------------------------------------------------------------------------------


async def test_a_field_that_the_map_leaves_open_gets_a_key(local: Local, job: Job, write: Write) -> None:
    text = MAP.replace('po_number = "{key}"\n', "")
    ready = job(write(HEADER, rows(1, 2)), text, marker=MARKER)
    opened = await ready.open(local.company)
    await ready.run(local.company)
    assert await held(local) == Counter([f"{opened.plan.job}-1", f"{opened.plan.job}-2"])


async def test_keys_that_occur_twice_or_not_at_all_are_refused(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows("a", "b", "a", "", " c"))
    _, outcomes = await carried_out(job(source, MAP, marker=MARKER), local)
    assert await held(local) == Counter("ab")
    assert outcomes[3].reason == "the key 'a' is that of row 1 (line 2) already; keys must be unique"
    assert outcomes[4].reason == (
        "the key in work_order.po_number ('') is empty; each row needs a key of its own"
    )
    assert outcomes[5].reason == (
        "the key in work_order.po_number (' c') has blanks at an end; each row needs a key of its own"
    )


async def test_keys_that_are_there_already(local: Local, job: Job, write: Write) -> None:
    made = await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    assert made.wo is not None
    source = write(HEADER, rows(1, 2))
    _, outcomes = await carried_out(job(source, MAP, marker=MARKER), local)
    holder = f"WorkOrder {made.wo.id}"
    assert outcomes[1].reason == f"is there already: work_order.po_number '1' is that of {holder}"
    summary, outcomes = await carried_out(
        job(source, MAP, marker=MARKER, again=True, if_exists="skip"), local
    )
    assert (summary.found, summary.complete) == (2, True)
    assert (outcomes[1].outcome, outcomes[1].work_order_id) == ("found", made.wo.id)
    assert await held(local) == Counter("12")


async def test_a_marker_that_no_query_finds_costs_one_work_order(
    local: Local, job: Job, write: Write
) -> None:
    local.server.hidden = "query/WorkOrder"
    summary, _ = await carried_out(job(write(HEADER, rows(*range(50))), MAP, marker=MARKER), local)
    assert (summary.created, summary.not_started) == (1, 49)
    assert "the marker does not work: row 1 was created with work_order.po_number '0'" in (
        summary.stopped or ""
    )


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("work_order.po_numbr", "WorkOrder has no field 'po_numbr'; did you mean 'po_number'?"),
        ("work_order.type_category", "type_category is one of a few values, and a key is a text"),
        ("work_order.customer.name", "work_order.customer is no object in "),
        ("comment.text", "comment is no object in "),
    ],
)
async def test_a_marker_that_cannot_be_used(job: Job, write: Write, marker: str, message: str) -> None:
    with pytest.raises(ImportMapError, match=message.replace("?", r"\?")):
        job(write(HEADER, rows(1)), MAP, marker=marker)


# --- changes --------------------------------------------------------------------------------------


async def stopped_after(number: int, ready: Import, local: Local) -> None:
    def on_row(outcome: RowOutcome) -> None:
        if outcome.row == number:
            ready.stop()

    await ready.run(local.company, on_row=on_row)


async def test_a_file_that_changed_needs_a_word(local: Local, job: Job, write: Write) -> None:
    options = {"marker": MARKER, "limit": 1}
    await stopped_after(1, job(write(HEADER, rows(1, 2, 3, 4, 5, 6)), MAP, **options), local)
    created = set(await held(local))
    source = write(HEADER, rows(6, 5, 4, 3, 2, 1, 7))
    with pytest.raises(ImportMapError, match=r"has changed since the job in .* add --continue to"):
        await job(source, MAP, **options).run(local.company)
    assert set(await held(local)) == created
    summary, outcomes = await carried_out(job(source, MAP, carry_over=True, **options), local)
    assert summary.created == 7
    assert await held(local) == Counter("1234567")
    assert {outcomes[number].row for number in outcomes}.isdisjoint({6}), "row 6 is the row 1 of before"


async def test_without_keys_a_changed_file_cannot_be_continued(local: Local, job: Job, write: Write) -> None:
    await stopped_after(1, job(write(HEADER, rows(1, 2, 3, 4, 5, 6)), MAP, limit=1), local)
    with pytest.raises(ImportMapError, match="tells rows by their keys"):
        await job(write(HEADER, rows(6)), MAP, carry_over=True).run(local.company)


async def test_a_file_that_is_as_it_was_belongs_to_its_old_job(local: Local, job: Job, write: Write) -> None:
    for keys, now in (((1, 2), 2), ((1, 2, 3), 3), ((1, 2), 0)):
        summary = await job(write(HEADER, rows(*keys)), MAP).run(local.company)
        assert summary.created_now == now


@pytest.mark.parametrize("all_of_it", [False, True])
async def test_a_job_whose_lock_is_removed_sends_no_more(
    local: Local, job: Job, write: Write, all_of_it: bool
) -> None:
    source = write(HEADER, rows(*range(60)))
    ready = job(source, MAP, limit=2)
    folder = source.with_name("rows.csv.job")

    def on_row(outcome: RowOutcome) -> None:
        if outcome.row == 5:
            shutil.rmtree(folder) if all_of_it else (folder / "lock").unlink()

    summary = await ready.run(local.company, on_row=on_row)
    assert "was removed while this process worked on the job" in (summary.stopped or "")
    assert sum((await held(local)).values()) < 5 + 2 * 2 + 3


async def test_keys_of_the_job_itself_tell_no_rows_of_another_file(
    local: Local, job: Job, write: Write
) -> None:
    text = MAP.replace('po_number = "{key}"\n', "")
    await stopped_after(1, job(write(HEADER, rows(1, 2, 3, 4, 5, 6)), text, marker=MARKER, limit=1), local)
    with pytest.raises(ImportMapError, match="map a column to the marker"):
        await job(write(HEADER, rows(6)), text, marker=MARKER, carry_over=True).run(local.company)


async def test_rows_in_doubt_that_a_new_file_lacks_are_named(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2, 3))
    await killed_while_sending(job(source, MAP, marker=MARKER), local, [1, 2])
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(3, 2))
    summary, _ = await carried_out(job(source, MAP, marker=MARKER, carry_over=True), local)
    assert summary.created == 2
    assert any("not in the new file: '1' (line 2); look for them" in text for text in summary.warnings)


async def test_a_changed_file_after_a_finished_job_is_a_new_one(local: Local, job: Job, write: Write) -> None:
    first = await job(write(HEADER, rows(1)), MAP).run(local.company)
    second = await job(write(HEADER, rows(2)), MAP).run(local.company)
    assert (second.created, second.folder) != (1, first.folder)
    assert await held(local) == Counter("12")


async def test_a_file_that_changes_while_it_is_read_stops_the_job(
    local: Local, job: Job, write: Write
) -> None:
    ready = job(write(HEADER, rows(1, 2)), MAP)
    await ready.open(local.company)
    write(HEADER, rows(1, 9))
    summary, outcomes = await carried_out(ready, local)
    assert "line 3: the file has changed since the job began" in (summary.stopped or "")
    assert await held(local) == Counter()
    assert {row.outcome for row in outcomes.values()} == {"not_started"}


async def test_refused_rows_are_sent_again_with_a_better_map(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, [["1", "t", "n", ""], ["2", "t", "long" * 1000, ""]])
    summary, _ = await carried_out(job(source, MAP), local)
    assert (summary.created, summary.failed) == (1, 1)
    better = MAP.replace('comment = "{notes}"', 'comment = { text = "{notes}", truncate = true }')
    summary, _ = await carried_out(job(source, better), local)
    assert (summary.created, summary.failed) == (1, 1), "without being asked nothing is sent again"
    summary, outcomes = await carried_out(job(source, better, retry_refused=True), local)
    assert (summary.created, list(outcomes)) == (2, [2])
    assert await held(local) == Counter("12")


async def test_another_marker_is_another_job(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2, 3, 4))
    await stopped_after(1, job(source, MAP, limit=1), local)
    with pytest.raises(ImportMapError, match="began with no marker; give the same, or --again"):
        await job(source, MAP, marker=MARKER).run(local.company)


async def test_a_job_belongs_to_one_process(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1))
    first = job(source, MAP)
    await first.open(local.company)
    with pytest.raises(JournalError, match="another process works on this job"):
        await job(source, MAP).open(local.company)
    await first.close()
    assert (await job(source, MAP).run(local.company)).created == 1


async def test_a_job_in_which_nothing_was_sent_gives_way(local: Local, job: Job, write: Write) -> None:
    """As when the user said no: rows that were refused without being sent do not count."""
    opened = await job(write(HEADER, rows(1, 1, 2)), MAP, marker=MARKER).open(local.company)
    await opened.journal.close()
    summary, outcomes = await carried_out(job(write(HEADER, rows(3, 4, 3)), MAP, marker=MARKER), local)
    assert (summary.created, summary.failed) == (2, 1)
    assert (outcomes[3].reason or "").startswith("the key '3' is that of row 1"), (
        "it is a new job: all is told"
    )
    assert await held(local) == Counter("34")


async def test_each_company_has_its_own_job(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1))
    first = job(source, MAP)
    opened = await first.open(local.company)
    assert opened.plan.company == f"acmefacilities ({local.company.id}) at this machine"
    await first.run(local.company)
    for identity, is_new in (("another", True), ("another", False), (opened.plan.company, False)):
        ready = job(source, MAP)
        assert (await ready.open(local.company, identity=identity)).new == is_new
        await ready.run()


# --- limits ---------------------------------------------------------------------------------------


async def test_a_map_that_is_wrong_for_all_rows_stops_the_job(local: Local, job: Job, write: Write) -> None:
    text = MAP.replace('po_number = "{key}"', 'po_number = "{key}"\nduration = "{text}"')
    summary, outcomes = await carried_out(job(write(HEADER, rows(*range(100))), text), local)
    assert (summary.failed, summary.not_started) == (20, 80)
    assert (summary.stopped or "").startswith("the first 20 rows were all refused for one reason: ")
    assert len(outcomes) == 100


@pytest.mark.parametrize(("limit", "most"), [("7", 7), ("10%", 10)])
async def test_too_many_failures_stop_the_job(
    local: Local, job: Job, write: Write, limit: str, most: int
) -> None:
    bad = [["", "x" * 4000, "n", ""] if i % 2 else [str(i), "t", "n", ""] for i in range(100)]
    ready = job(write(HEADER, bad), MAP, stop_after=limit, limit=1)
    summary, _ = await carried_out(ready, local)
    assert summary.failed == most
    assert summary.stopped == f"{most} rows have failed, the limit is {limit} (--stop-after)"
    assert summary.created <= most + 4


async def test_too_many_doubts_stop_the_job(local: Local, job: Job, write: Write) -> None:
    local.server.broken = True
    ready = job(write(HEADER, rows(*range(50))), MAP, stop_after_doubt=3, limit=2)
    summary, _ = await carried_out(ready, local)
    assert 3 <= summary.in_doubt <= 3 + 2 * 2
    assert summary.stopped == "3 rows are in doubt, the limit is 3 (--stop-after-doubt)"


async def test_a_service_out_of_reach_stops_the_job_and_loses_no_row(
    local: Local, job: Job, write: Write
) -> None:
    source = write(HEADER, rows(*range(60)))
    local.server.busy = True
    local.company = local.company.with_options(retry=RetryPolicy(attempts=1))
    summary, _ = await carried_out(job(source, MAP, limit=1), local)
    assert (summary.created, summary.failed, summary.not_started) == (0, 20, 40)
    assert (summary.stopped or "").startswith("20 rows in a row could not be sent: ")
    local.server.busy = False
    summary, _ = await carried_out(job(source, MAP), local)
    assert (summary.created, sum((await held(local)).values())) == (60, 60)


@pytest.mark.parametrize("text", ["0", "0%", "101%", "five", "-1", "5 %%", "1.5"])
def test_a_limit_that_is_none(text: str) -> None:
    with pytest.raises(ConfigurationError, match="it takes a number of rows or 1% to 100%"):
        ImportOptions(stop_after=text)


async def test_an_import_is_awaited(local: Local, job: Job, write: Write) -> None:
    assert (await job(write(HEADER, rows(1)), MAP, company=local.company)).created == 1
    with pytest.raises(InvalidCallError, match="the import has no Company"):
        await job(write(HEADER, rows(1)), MAP)


async def test_a_cancelled_job_goes_on(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(*range(1, 31)))
    ready = job(source, MAP, marker=MARKER, limit=4)
    running: asyncio.Task[Summary]

    def on_row(outcome: RowOutcome) -> None:
        if outcome.row == 7:
            running.cancel()

    running = asyncio.create_task(ready.run(local.company, on_row=on_row))
    with pytest.raises(asyncio.CancelledError):
        await running
    summary, _ = await carried_out(job(source, MAP, marker=MARKER, limit=4), local)
    assert summary.created == 30
    assert await held(local) == Counter(map(str, range(1, 31)))


def test_states_have_their_numbers() -> None:
    """They are in the journals on the disks of users."""
    assert [(each.name, each.value) for each in State] == [
        ("PLANNED", 0),
        ("SENDING", 1),
        ("DONE", 2),
        ("REFUSED", 3),
        ("IN_DOUBT", 4),
        ("FOUND", 5),
    ]
