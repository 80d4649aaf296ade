"""Undo takes back what a job surely created, and nothing else."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.jobs.conftest import Local
from tests.jobs.journal.plans import a_journal, a_plan
from tests.jobs.maps import CUSTOMER, MAP, MARKER, WORK_ORDER, rows
from tests.jobs.runs import Kill, KillAt, held, imported, killed, killed_while_sending, order
from tests.support.laws import some
from wosdk_async import Customer, Location, WoCreateCommand, WoReopenCommand, WorkOrder, WorkZone
from wosdk_async.errors import UnsupportedError
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import (
    ANSWERED,
    DECIDED,
    LOOKED_UP,
    Journal,
    RowRecord,
    State,
)
from wosdk_async.jobs.ledger.undone import UndoRow, run_to_undo, undo_state
from wosdk_async.jobs.undo import Undo, created_entity
from wosdk_async.jobs.undo.records import CreatedRecords
from wosdk_async.options import RetryPolicy
from wosdk_async.text.remedies import Remedy

CANCEL = "Entered twice"


async def undone(local: Local, folder: Path, *, look: bool = False) -> dict[int, UndoRow]:
    found: dict[int, UndoRow] = {}
    async with Journal.open(folder) as journal:
        undo = Undo(company=local.company, journal=journal, on_row=lambda row: found.update({row.row: row}))
        if look:
            await undo.look()
        else:
            await undo.run(await local.company.work_orders.cancel_reason(CANCEL), "undone")
    return found


def outcomes(found: dict[int, UndoRow]) -> dict[int, str]:
    return {row: each.outcome for row, each in found.items()}


async def states(local: Local) -> dict[str, str]:
    return {
        each["PoNumber"]: each["StatusId"] for each in await local.rows("WorkOrder", "PoNumber", "StatusId")
    }


async def test_what_was_created_is_cancelled_once(local: Local) -> None:
    folder = await imported(local, rows(1, 2, 3), MAP)
    assert outcomes(await undone(local, folder, look=True)) == dict.fromkeys((1, 2, 3), "undo")
    assert set((await states(local)).values()) == {"New"}, "looking changes nothing"
    found = await undone(local, folder)
    assert outcomes(found) == dict.fromkeys((1, 2, 3), "undone"), found
    assert set((await states(local)).values()) == {"Cancelled"}
    assert local.server.count("WoCancelCommand") == 3
    assert outcomes(await undone(local, folder)) == dict.fromkeys((1, 2, 3), "undone")
    assert local.server.count("WoCancelCommand") == 3, "a second undo sends nothing"
    logs = await local.rows("WoActionLog", "Comment", "TypeId")
    assert Counter(each["Comment"] for each in logs if each["TypeId"] == "Cancel") == {"undone": 3}


async def test_changed_and_cancelled_records_are_left(local: Local) -> None:
    folder = await imported(local, rows(1, 2, 3), MAP, concurrency=1)
    orders = {each["PoNumber"]: each["Id"] for each in await local.rows("WorkOrder", "PoNumber")}
    order = await local.company.get(WorkOrder, orders["1"])
    await local.company.update(order, po_number="1a")
    await local.company.work_orders.cancel(orders["2"], reason=CANCEL)
    found = await undone(local, folder)
    assert outcomes(found) == {1: "changed", 2: "gone", 3: "undone"}
    assert found[1].reason == "the version has changed from 1 to 2"
    assert await states(local) == {"1a": "New", "2": "Cancelled", "3": "Cancelled"}


async def test_a_record_that_one_look_does_not_show_is_not_taken_for_undone(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An undo that was killed had begun with it. The look-up may have read the response of another."""
    folder = await imported(local, rows(1), MAP)
    async with Journal.open(folder) as journal:
        await journal.begin_undo(1)
    asked, read = 0, CreatedRecords._read

    async def misread(self: CreatedRecords, ids: Sequence[int]) -> dict[int, Any]:
        nonlocal asked
        asked += 1
        return {} if asked == 1 else await read(self, ids)

    monkeypatch.setattr(CreatedRecords, "_read", misread)
    assert outcomes(await undone(local, folder)) == {1: "undone"}
    assert await states(local) == {"1": "Cancelled"}


async def test_a_record_is_not_gone_because_queries_ignore_their_condition(local: Local) -> None:
    """Records with other ids do not confirm that one is missing."""
    folder = await imported(local, rows(1, 2), MAP)
    async with Journal.open(folder) as journal:
        (second,) = await journal.rows_in(State.DONE, after=1)
        journal.record(replace(second, id=999_999))
    local.server.unconditional = "query/WorkOrder"
    assert outcomes(await undone(local, folder, look=True)) == {1: "undo", 2: "unread"}
    local.server.unconditional = "\0"
    assert outcomes(await undone(local, folder, look=True)) == {1: "undo", 2: "gone"}


async def test_records_that_were_there_are_never_touched(local: Local) -> None:
    """Neither what another job created and this one found, nor what a person only said was created."""
    await imported(local, rows(1), MAP, marker=MARKER)
    folder = await imported(local, rows(1, 2, 3), MAP, marker=MARKER, again=True, if_exists="skip")
    async with Journal.open(folder) as journal:
        (third,) = await journal.rows_in(State.DONE, after=2)
        journal.record(RowRecord(3, State.DONE, third.id, proof=DECIDED))
    assert outcomes(await undone(local, folder)) == {2: "undone", 3: "unsure"}
    assert await states(local) == {"1": "New", "2": "Cancelled", "3": "New"}


async def test_a_row_that_only_a_look_up_settled_is_left(local: Local) -> None:
    """The kill came before the request, and a colleague created the order with the key."""
    source = local.write(rows(1, 2))
    await imported(local, rows(1), MAP, marker=MARKER)
    local.write(rows(1, 2))
    folder = await killed_while_sending(local.job(source, MAP, marker=MARKER), local, [2])
    await local.company.run(WoCreateCommand(work_order=await order(local, "2")))
    await imported(local, source, MAP, marker=MARKER)
    async with Journal.open(folder, read_only=True) as journal:
        stored = await journal.rows_in(State.DONE)
    assert [each.proof for each in stored] == [ANSWERED, LOOKED_UP]
    assert outcomes(await undone(local, folder)) == {1: "undone", 2: "unsure"}
    assert await states(local) == {"1": "Cancelled", "2": "New"}


async def test_what_a_kill_left_under_a_key_of_the_job_is_undone(local: Local) -> None:
    """No other job builds keys of this job's id and row number."""
    text = MAP.replace('po_number = "{key}"\n', "")
    source = local.write(rows("a", "b"))
    async with killed(local.job(source, text, marker=MARKER), local) as journal:
        await journal.begin([1, 2])
        job, folder = journal.plan.job, journal.folder
    await local.company.run(WoCreateCommand(work_order=await order(local, f"{job}-1")))
    await imported(local, source, text, marker=MARKER)
    async with Journal.open(folder) as journal:
        (first, second) = await journal.rows_in(State.DONE)
        assert (first.proof, second.proof) == (LOOKED_UP, ANSWERED)
    assert outcomes(await undone(local, folder)) == {1: "undone", 2: "undone"}


async def test_a_record_that_a_look_up_found_by_a_key_of_the_file_is_left(local: Local) -> None:
    """Somebody else may have created it, even if this job has tried to."""
    source = local.write(rows(1, 2, 3))
    async with killed(local.job(source, MAP, marker=MARKER), local) as journal:
        journal.record(RowRecord(1, State.IN_DOUBT, attempts=1))
        journal.record(RowRecord(2, State.IN_DOUBT))
        await journal.flush()
        folder = journal.folder
    for number in ("1", "2"):
        await local.company.run(WoCreateCommand(work_order=await order(local, number)))
    await imported(local, source, MAP, marker=MARKER)
    assert outcomes(await undone(local, folder)) == {1: "unsure", 2: "unsure", 3: "undone"}
    assert await states(local) == {"1": "New", "2": "New", "3": "Cancelled"}


async def test_the_record_of_another_import_with_the_key_is_left(local: Local, tmp_path: Path) -> None:
    """Two imports of one process send one key; the second gets the result of the first."""
    started = asyncio.Event()

    class Signalling(Journal):
        async def begin(self, rows: Sequence[int]) -> None:
            await super().begin(rows)
            started.set()

    source = local.write(rows(1))
    (away := tmp_path / "away").mkdir()
    copy = Path(shutil.copy(source, away))  # beside the first job, the import would be refused
    first = local.job(source, MAP, marker=MARKER)
    second = local.job(copy, MAP, marker=MARKER, folder=away / "second")
    local.server.held = asyncio.Event()
    creating = asyncio.create_task(first.run(local.company))
    await local.server.arrived.wait()
    await second.open(local.company, journals=Signalling)
    following = asyncio.create_task(second.run(local.company))
    await started.wait()
    local.server.held.set()
    assert ((await creating).done, (await following).done) == (1, 1)
    assert local.server.count("WoCreateCommand") == 1
    assert outcomes(await undone(local, away / "second")) == {1: "unsure"}
    assert outcomes(await undone(local, source.with_name("rows.csv.job"))) == {1: "undone"}


async def test_a_change_counts_without_a_version_in_the_response(local: Local) -> None:
    """A new record has version 1 (facts 3.3)."""
    folder = await imported(local, rows(1), MAP)
    (order,) = await local.rows("WorkOrder")
    await local.company.update(await local.company.get(WorkOrder, order["Id"]), po_number="1a")
    async with Journal.open(folder) as journal:
        journal.record(RowRecord(1, State.DONE, order["Id"], proof=ANSWERED))
    assert outcomes(await undone(local, folder)) == {1: "changed"}


async def test_an_undo_that_was_killed_goes_on(local: Local) -> None:
    """One cancel had taken effect at the kill, one not; both were written as begun."""
    folder = await imported(local, rows(1, 2), MAP, concurrency=1)
    journal = Journal.open(folder)
    for row in (1, 2):
        await journal.begin_undo(row)
    (order, _) = await journal.rows_in(State.DONE)
    journal.abandon()
    await local.company.work_orders.cancel(order.id, reason=CANCEL)
    assert outcomes(await undone(local, folder, look=True)) == {1: "undone", 2: "undo"}
    assert outcomes(await undone(local, folder)) == {1: "undone", 2: "undone"}
    assert local.server.count("WoCancelCommand") == 2


@pytest.mark.parametrize("begun", [0, 1])
async def test_after_an_unfinished_undo_a_later_run_is_not_undone_unnamed(local: Local, begun: int) -> None:
    """The disk was full before the first row, or with a row under way."""

    class Full(Journal):
        async def begin_undo(self, row: Any) -> None:
            if begun:
                await super().begin_undo(row)
            raise JournalError("the disk is full")

    folder = await imported(local, rows(1, 2), MAP, marker=MARKER)
    reason = await local.company.work_orders.cancel_reason(CANCEL)
    full = Full.open(folder)
    with pytest.raises(JournalError):
        await Undo(company=local.company, journal=full, concurrency=1, of_run=1).run(reason)
    full.abandon()
    async with Journal.open(folder) as journal:
        assert await run_to_undo(journal) == 1
    summary = await local.run(rows(1, 2, 3), MAP, marker=MARKER)
    assert summary.done_now == 1
    async with Journal.open(folder) as journal:
        with pytest.raises(JournalError) as caught:
            await run_to_undo(journal)
        assert caught.value.remedies == (Remedy.NAME_RUN,)
        await Undo(company=local.company, journal=journal, of_run=1).run(reason)
        assert await states(local) == {"1": "Cancelled", "2": "Cancelled", "3": "New"}
        assert await run_to_undo(journal) == await journal.last_sending_run() == 3


async def test_an_undo_that_is_stopped_is_not_complete(local: Local) -> None:
    folder = await imported(local, rows(*range(1, 6)), MAP)
    async with Journal.open(folder) as journal:
        undo = Undo(company=local.company, journal=journal, concurrency=1)
        undo.on_row = lambda _: undo.stop()
        summary = await undo.run(await local.company.work_orders.cancel_reason(CANCEL))
        state = await undo_state(journal)
    assert summary.counts["undone"] < 5
    assert (summary.counts["undone"] + summary.not_started, summary.complete) == (5, False)
    assert str(state).startswith(f"undone in part: {summary.counts['undone']} of 5; ")
    assert outcomes(await undone(local, folder)) == dict.fromkeys(range(1, 6), "undone")


@pytest.mark.parametrize("asks", [1, 2])
async def test_an_undo_that_is_stopped_before_it_begins_is_not_complete(local: Local, asks: int) -> None:
    folder = await imported(local, rows(*range(1, 6)), MAP)
    async with Journal.open(folder) as journal:
        undo = Undo(company=local.company, journal=journal)
        for _ in range(asks):
            undo.stop()
        summary = await undo.run(await local.company.work_orders.cancel_reason(CANCEL))
    assert (summary.counts, summary.not_started, summary.complete) == ({}, 5, False)


async def test_an_undo_that_is_aborted_while_it_reads_its_journal_is_not_complete(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = await imported(local, rows(1, 2), MAP)
    reason, arrived = await local.company.work_orders.cancel_reason(CANCEL), asyncio.Event()

    async def hangs(*_: Any) -> Any:
        arrived.set()
        await asyncio.Event().wait()

    async with Journal.open(folder) as journal:
        monkeypatch.setattr(journal, "undos", hangs)
        undo = Undo(company=local.company, journal=journal)
        running = asyncio.create_task(undo.run(reason))
        await arrived.wait()
        undo.stop()
        undo.stop()
        summary = await running
    assert (summary.counts, summary.complete) == ({}, False)


async def cancels(local: Local, ids: Sequence[int]) -> list[int]:
    """Return how many times each of the orders was cancelled."""
    logs = await local.rows("WoActionLog", "TypeId", "WorkOrderId")
    found = Counter(each["WorkOrderId"] for each in logs if each["TypeId"] == "Cancel")
    return [found[id] for id in ids]


@pytest.mark.parametrize("limit", [1, 3])
async def test_a_kill_at_any_commit_undoes_each_record_once(local: Local, tmp_path: Path, limit: int) -> None:
    """Start of the undo, begin and end of each cancel, end of the undo: before the commit, and after."""
    points = [(at, after) for at in range(1, 9) for after in (False, True)]
    points = points if limit == 1 else some(points, 3)
    first = await imported(local, rows(*range(3 * len(points))), MAP)
    async with Journal.open(first, read_only=True) as journal:
        orders = [row.id or 0 for row in await journal.rows_in(State.DONE)]
    reason = await local.company.work_orders.cancel_reason(CANCEL)
    ended = 0
    for number, (at, after) in enumerate(points):
        folder, ids = tmp_path / f"{number}", orders[3 * number : 3 * number + 3]
        folder.mkdir()
        await created(folder, "WoCreateCommand", ids)
        journal = Journal.open(folder, commit=KillAt(at, after=after), synchronous=True)
        with pytest.raises((Kill, BaseExceptionGroup)):
            await Undo(company=local.company, journal=journal, concurrency=limit).run(reason)
        ended += not any(await cancels(local, ids))
        journal.abandon()
        assert outcomes(await undone(local, folder)) == dict.fromkeys((1, 2, 3), "undone"), (at, after)
        assert await cancels(local, ids) == [1, 1, 1], (at, after)
        async with Journal.open(folder, read_only=True) as journal:
            assert await journal.undo_counts() == {State.DONE: 3}
    assert 2 <= ended < len(points), "some were killed before they did anything"


async def test_a_record_that_changes_after_it_was_read_is_left(local: Local) -> None:
    """The command carries the state and version that were read, and the service refuses it (facts 3.7)."""
    folder = await imported(local, rows(1), MAP)
    local.server.creation, local.server.held = "WoCancelCommand", asyncio.Event()
    undoing = asyncio.create_task(undone(local, folder))
    await local.server.arrived.wait()
    ((order),) = await local.rows("WorkOrder")
    await local.company.update(await local.company.get(WorkOrder, order["Id"]), po_number="mine")
    local.server.held.set()
    assert outcomes(await undoing) == {1: "changed"}
    assert await states(local) == {"mine": "New"}


async def test_a_cancel_in_doubt_is_decided_by_the_next_undo(local: Local) -> None:
    folder = await imported(local, rows(1), MAP)
    local.server.creation, local.server.broken = "WoCancelCommand", True
    found = await undone(local, folder)
    assert outcomes(found) == {1: "in_doubt"}
    async with Journal.open(folder, read_only=True) as journal:
        assert await journal.undo_counts() == {State.IN_DOUBT: 1}
    local.server.broken = False
    assert outcomes(await undone(local, folder)) == {1: "undone"}


@pytest.mark.parametrize("look", [True, False])
async def test_rows_that_the_import_left_in_doubt_are_named(local: Local, look: bool) -> None:
    """Nobody knows whether they have records, so the undo of the others is not the end of it."""
    folder = await imported(local, rows(1, 2, 3), MAP)
    async with Journal.open(folder) as journal:
        journal.record(RowRecord(2, State.IN_DOUBT, reason="no response"))
        await journal.begin([3])
        undo = Undo(company=local.company, journal=journal)
        reason = await local.company.work_orders.cancel_reason(CANCEL)
        summary = await (undo.look() if look else undo.run(reason))
    assert summary.counts == {"undo" if look else "undone": 1, "in_doubt": 2}
    assert not summary.complete
    found = await undone(local, folder)
    assert outcomes(found) == {1: "undone", 2: "in_doubt", 3: "in_doubt"}
    assert found[2].reason == "the import left this row in doubt; settle it first"


TWICE = RetryPolicy(attempts=2, wait_initial=0.01)


async def test_a_delete_that_is_refused_the_second_time_is_decided_by_a_look(
    local: Local, tmp_path: Path
) -> None:
    """Its first request was carried out, and nobody heard of it."""
    place = await local.company.create(Location(name="one", type_id="Building"))
    await created(tmp_path, "create Location", [place.id])
    local.server.creation, local.server.unheard = "base/Location", 1
    local.server.failing, local.server.failing_numbers = "base/Location", range(3, 9)  # after the create
    async with Journal.open(tmp_path) as journal:
        undo = Undo(company=local.company.with_options(retry=TWICE), journal=journal, unversioned=True)
        assert (await undo.run()).counts == {"undone": 1}
    assert local.server.count("base/Location") == 3


# --- the import after an undo ---------------------------------------------------------------


async def test_keys_of_undone_records_can_be_used_again(local: Local) -> None:
    """Also after a second undo, and without the folder of the first job; others' cancelled orders count."""
    source = local.write(rows(1, 2, 3))
    first = await imported(local, source, MAP, marker=MARKER)
    await undone(local, first)
    second = await imported(local, source, MAP, marker=MARKER, again=True)
    await undone(local, second)
    shutil.rmtree(first)
    third = await imported(local, source, MAP, marker=MARKER, again=True)
    assert Counter((await all_states(local)).values()) == {"Cancelled": 6, "New": 3}
    (mine,) = [id for id, state in (await all_states(local)).items() if state == "New"][:1]
    await local.company.work_orders.cancel(mine, reason=CANCEL)
    summary = await local.run(source, MAP, marker=MARKER, again=True)
    assert (summary.done, summary.failed) == (0, 3), "they are there, one of them cancelled by somebody"
    assert outcomes(await undone(local, third)) == {1: "gone", 2: "undone", 3: "undone"}


async def test_rejects_that_were_corrected_are_undone_with_their_ledger(local: Local) -> None:
    """And a new ledger may use their keys again."""
    source = local.write(rows(1, customer="Pier Coffee") + rows(2, customer="Nobody"))
    by_name = WORK_ORDER + CUSTOMER
    first = await local.run(source, by_name, marker=MARKER)
    assert (first.created, first.failed) == (1, 1)
    for file in (first.folder / "rejects.csv", source):
        file.write_text(file.read_text("utf-8").replace("Nobody", "Pier Coffee"), "utf-8")
    await imported(local, first.folder / "rejects.csv", by_name, marker=MARKER)
    assert await held(local) == Counter("12")
    assert outcomes(await undone(local, first.folder)) == {1: "undone", 2: "undone"}
    again = await local.run(source, by_name, marker=MARKER, again=True)
    assert (again.created, again.failed) == (2, 0)


async def test_an_undone_record_that_is_opened_again_counts(local: Local) -> None:
    source = local.write(rows(1, 2))
    await undone(local, await imported(local, source, MAP, marker=MARKER))
    (order, _) = await local.rows("WorkOrder")
    await local.company.run(WoReopenCommand(work_order_id=order["Id"]))
    summary = await local.run(source, MAP, marker=MARKER, again=True, if_exists="skip")
    assert (summary.found, summary.done) == (1, 1)


async def test_found_records_that_are_cancelled_are_announced(local: Local, tmp_path: Path) -> None:
    """In every run, and not if another record has the key."""
    source = local.write(rows(1, 2))
    await undone(local, await imported(local, source, MAP, marker=MARKER))
    other = tmp_path / "other" / source.name
    other.parent.mkdir()
    shutil.copy(source, other)
    found, reasons = local.job(other, MAP, marker=MARKER, if_exists="skip"), list[str]()
    summary = await found.run(local.company, on_row=lambda row: reasons.append(row.reason or ""))
    assert (summary.found, summary.done) == (2, 0)
    assert [each.count("Cancelled") for each in reasons] == [1, 1]
    assert [each.startswith("2 of the 2 records found") for each in summary.warnings] == [True]
    assert (await local.run(other, MAP, marker=MARKER)).warnings == summary.warnings
    await imported(local, source, MAP, marker=MARKER, again=True)
    summary = await local.run(other, MAP, marker=MARKER, again=True, if_exists="skip")
    assert (summary.found, summary.warnings, summary.folder) == (2, [], other.with_name("rows.csv.job-2"))
    async with Journal.open(summary.folder) as journal:
        ids = {each.id for each in await journal.rows_in(State.FOUND)}
    orders = await local.rows("WorkOrder", "Id", "StatusId")
    assert ids == {each["Id"] for each in orders if each["StatusId"] == "New"}


async def test_a_call_in_doubt_is_not_taken_for_an_undone_record(local: Local) -> None:
    """Nothing was created, though a cancelled order has the key; nor after a kill."""
    source = local.write(rows(1, 2, 3))
    await undone(local, await imported(local, source, MAP, marker=MARKER))
    local.server.broken_times = 2
    folder = await imported(local, source, MAP, marker=MARKER, again=True)
    assert Counter((await all_states(local)).values()) == {"Cancelled": 3, "New": 3}
    found = await undone(local, folder, look=True)
    assert outcomes(found) == dict.fromkeys((1, 2, 3), "undo")
    async with Journal.open(folder) as journal:
        await journal.begin([2])
        await local.company.work_orders.cancel(found[2].id or 0, reason=CANCEL)
    summary = await local.run(source, MAP, marker=MARKER)
    assert summary.complete
    assert len(await all_states(local)) == 6, "row 2 was found, though somebody cancelled its order"


async def all_states(local: Local) -> dict[int, str]:
    return {each["Id"]: each["StatusId"] for each in await local.rows("WorkOrder", "StatusId")}


async def test_the_same_command_sends_what_was_not_undone(local: Local) -> None:
    """Rows that were refused or planned; those that were undone wait until they are asked for."""
    local.server.refused = "text 3"
    summary = await local.run(rows(1, 2, 3), MAP, marker=MARKER)
    assert (summary.created, summary.failed) == (2, 1)
    local.server.refused = None
    await undone(local, summary.folder)
    source = local.write(rows(1, 2, 3, 4))
    again = local.job(source, MAP, marker=MARKER, retry_refused=True, resume=True, folder=summary.folder)
    summary = await again.run(local.company)
    assert (summary.done_now, summary.undone) == (2, 2)
    assert await states(local) == {"1": "Cancelled", "2": "Cancelled", "3": "New", "4": "New"}


async def test_one_run_is_undone_and_the_others_stay(local: Local) -> None:
    for keys in ((1,), (1, 2), (1, 2, 3), (1, 2, 3)):  # the last one sends nothing
        folder = await imported(local, rows(*keys), MAP, marker=MARKER)
    async with Journal.open(folder) as journal:
        assert await journal.last_sending_run() == 3
        reason = await local.company.work_orders.cancel_reason(CANCEL)
        summary = await Undo(company=local.company, journal=journal, of_run=2).run(reason)
        assert summary.counts == {"undone": 1}
        assert await journal.last_sending_run() == 3, "an undo is no run that sends"
    assert await states(local) == {"1": "New", "2": "Cancelled", "3": "New"}


# --- responses that name a wrong id ---------------------------------------------------------


def answering(ids: dict[str, Any]) -> Callable[[Any], None]:
    """Return a change of responses: the order with this PoNumber gets another id; ``...`` leaves none."""

    def alter(content: Any) -> None:
        order = content["CommandResult"]["Wo"]
        if (id := ids.get(order["PoNumber"], order["Id"])) is ...:
            del order["Id"]
        else:
            order["Id"] = id

    return alter


async def test_an_order_without_the_key_of_its_row_is_left(local: Local) -> None:
    """A service that names the order of somebody else has it cancelled by nobody."""
    await imported(local, rows(9), MAP)
    (foreign,) = await local.rows("WorkOrder")
    local.server.altered = answering({"2": foreign["Id"]})
    folder = await imported(local, rows(1, 2, 3), MAP, marker=MARKER, again=True)
    found = await undone(local, folder)
    assert outcomes(found) == {1: "undone", 2: "other_key", 3: "undone"}
    assert found[2].reason == "po_number is '9', not '2'"
    assert await states(local) == {"9": "New", "1": "Cancelled", "2": "New", "3": "Cancelled"}


async def test_an_order_that_lost_its_key_is_left(local: Local) -> None:
    folder = await imported(local, rows(1), MAP, marker=MARKER)
    (order,) = await local.rows("WorkOrder")
    await local.company.update(await local.company.get(WorkOrder, order["Id"]), po_number="")
    assert outcomes(await undone(local, folder)) == {1: "other_key"}


async def test_a_marker_that_came_later_keeps_no_record(local: Local) -> None:
    """Rows that were sent without it have no key that could differ from that of their record."""
    await imported(local, rows(1), MAP)
    folder = await imported(local, rows(1, 2), MAP, marker=MARKER)
    assert outcomes(await undone(local, folder)) == {1: "undone", 2: "undone"}


async def test_an_id_of_several_rows_is_left(local: Local) -> None:
    """Without a marker nobody can tell which row it is of; a row that was found counts, too."""
    local.server.altered = answering({"2": 1, "3": 1})
    folder = await imported(local, rows(1, 2, 3, 4), MAP, concurrency=1)
    async with Journal.open(folder, read_only=True) as journal:
        assert [row.id for row in await journal.rows_in(State.DONE)] == [1, 1, 1, 4]
    assert outcomes(await undone(local, folder, look=True)) == {
        **dict.fromkeys((1, 2, 3), "shared"),
        4: "undo",
    }
    found = await undone(local, folder)
    assert outcomes(found) == {**dict.fromkeys((1, 2, 3), "shared"), 4: "undone"}
    assert await states(local) == {"1": "New", "2": "New", "3": "New", "4": "Cancelled"}


async def test_ids_that_cannot_be_block_no_other(local: Local) -> None:
    """These rows are created, and cannot be undone; of a page with a refused id the others are read."""
    bad = ["<b>", "7", 7.5, 2**63]  # other values leave a row in doubt (test_importing.py)
    local.server.altered = answering({str(key): id for key, id in enumerate([*bad, 2**62], 1)})
    last = len(bad) + 2
    folder = await imported(local, rows(*range(1, last + 1)), MAP, concurrency=1)
    local.server.refused = str(2**62)
    found = outcomes(await undone(local, folder))
    assert found == {**dict.fromkeys(range(1, last - 1), "no_id"), last - 1: "unread", last: "undone"}
    local.server.refused = None
    assert Counter((await states(local)).values()) == {"New": last - 1, "Cancelled": 1}


# --- other entities -------------------------------------------------------------------------


async def created(folder: Path, operation: str, ids: Sequence[int | None]) -> None:
    """Write the journal of a job that created these records."""
    plan = a_plan(operation=operation)
    async with a_journal(folder, len(ids), plan) as made:
        for row, id in enumerate(ids, 1):
            made.record(RowRecord(row, State.DONE, id, version=1, proof=ANSWERED))


async def test_records_of_an_entity_are_deleted(local: Local, tmp_path: Path) -> None:
    """A removed one and a changed one are left."""
    zone = (await local.rows("WorkZone"))[0]["Id"]
    made = [
        await local.company.create(Customer(name=name, work_zone=WorkZone.ref(zone)))
        for name in ("one", "two", "three")
    ]
    ids = [each.id for each in made]
    assert ids[1] is not None
    assert ids[2] is not None
    await local.company.delete(Customer, ids[1])
    await local.company.update(await local.company.get(Customer, ids[2]), dba="mine")
    await created(tmp_path, "create Customer", ids)
    found = await undone(local, tmp_path)
    assert outcomes(found) == {1: "undone", 2: "gone", 3: "changed"}
    removed = [(await local.company.get(Customer, id)).is_removed for id in ids if id is not None]
    assert removed == [True, True, False]


async def test_records_without_versions_are_deleted_when_that_is_said(local: Local, tmp_path: Path) -> None:
    """Nobody can tell whether they were changed, which is said before anything is done."""
    place = await local.company.create(Location(name="one", type_id="Building"))
    await created(tmp_path, "create Location", [place.id])
    async with Journal.open(tmp_path) as journal:
        undo = Undo(company=local.company, journal=journal)
        assert undo.unchecked.endswith("are not deleted")
        assert (await undo.run()).counts == {"unversioned": 1}
        undo = Undo(company=local.company, journal=journal, unversioned=True)
        assert undo.unchecked.endswith("are deleted anyway")
        assert (await undo.look()).counts == {"undo": 1}
        assert (await undo.run()).counts == {"undone": 1}
        assert (await undo.run()).counts == {"undone": 1}
    assert sum(path.startswith("DELETE ") for path in local.server.asked) == 1


def test_only_creations_can_be_undone() -> None:
    assert created_entity("WoCreateCommand") is WorkOrder
    assert created_entity("create Customer") is Customer
    for operation in (
        "WoAssignCommand",
        "update Customer by number",
        "delete Customer by id",
        "create Nothing",
    ):
        with pytest.raises(UnsupportedError, match="cannot be undone"):
            created_entity(operation)


def test_what_the_service_does_not_delete_cannot_be_undone() -> None:
    """It is said before anything is read or asked."""
    with pytest.raises(
        UnsupportedError, match="'create Portfolio' job cannot be undone: delete is not supported"
    ):
        created_entity("create Portfolio")
