"""The same command sends what the ledger does not know to be done; the Company is the judge."""

from __future__ import annotations

import csv
import shutil
import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Job, Local, Write
from tests.jobs.journal.test_trouble import full_disk
from tests.jobs.maps import CUSTOMER, HEADER, MAP, MARKER, WORK_ORDER, rows
from tests.jobs.runs import carried_out, held, killed_while_sending, order
from tests.jobs.test_operations import COLUMNS, CREATE, DELETE, UPDATE, customers, made
from wosdk_async import Customer, Ref, WoCreateCommand
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs import Import, ImportMap, Summary, open_source
from wosdk_async.jobs.errors import ImportMapError, JournalError
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.journal.lock import is_held
from wosdk_async.jobs.ledger.decision import Refusal, Remedy
from wosdk_async.jobs.ledger.identity import undisguised
from wosdk_async.jobs.ledger.refusals import ImportRefusedError
from wosdk_async.jobs.undo import Undo, last_sending_run

LONG = "x" * 4000
"""A text that no work order can have: the row is refused before it is sent."""


async def sent(ready: Import, local: Local) -> Summary:
    """Run an import; the responses of the service are never late."""
    return await ready.run(local.company.with_options(settle=0))


async def refusal(ready: Import, local: Local) -> Refusal:
    """Return why an import sends nothing."""
    before, local.server.asked[:] = await held(local), []
    with pytest.raises(ImportRefusedError) as caught:
        await ready.run(local.company)
    assert not any("Command" in each for each in local.server.asked)
    assert await held(local) == before
    return caught.value.refusal


async def undo(local: Local, folder: Path | None, run: int | None = None) -> None:
    """Take back what a run created; the last one that sent rows unless one is given."""
    assert folder is not None
    async with Journal.open(folder) as journal:
        undone = Undo(company=local.company, journal=journal, of_run=run or await last_sending_run(journal))
        await undone.run(await local.company.work_orders.cancel_reason("Entered twice"))


async def open_orders(local: Local) -> Counter[str]:
    """How many work orders that are not cancelled have each number of the file."""
    found = await local.rows("WorkOrder", "PoNumber", "StatusId")
    return Counter(row["PoNumber"] for row in found if row["StatusId"] != "Cancelled")


def corrected(folder: Path | None, old: str, new: str) -> Path:
    """Return the rejects of a job with another text in a cell."""
    assert folder is not None
    path = folder / "rejects.csv"
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    return path


# --- rule 1: the ledger ---------------------------------------------------------------------------


async def test_a_ledger_has_one_company_and_one_operation(
    local: Local, job: Job, write: Write, tmp_path: Path
) -> None:
    source, options = write(HEADER, rows(1)), {"folder": tmp_path / "j"}
    await sent(job(source, MAP, **options), local)
    with pytest.raises(ImportRefusedError) as caught:
        await job(source, MAP, **options).open(local.company, identity="another Company")
    assert (caught.value.refusal.why, caught.value.refusal.now) == ("other_company", "another Company")
    codes = write(COLUMNS, [["T1", "a", ""]])
    other = await refusal(job(codes, CREATE, **options), local)
    assert (other.why, other.was, other.now) == ("other_operation", "WoCreateCommand", "create Customer")
    assert other.remedies == (Remedy.OTHER_FOLDER,)
    assert not await customers(local)


async def test_another_operation_beside_the_file_has_a_ledger_of_its_own(
    local: Local, job: Job, write: Write
) -> None:
    source = write((*HEADER, *COLUMNS), [[*rows(1)[0], "T1", "a", ""]])
    first, second = await sent(job(source, MAP), local), await sent(job(source, CREATE), local)
    assert [each.folder and each.folder.name for each in (first, second)] == [
        "rows.csv.job",
        "rows.csv.job-2",
    ]
    again = await sent(job(source, MAP), local)
    assert (again.folder, again.created_now) == (first.folder, 0)


async def test_a_named_folder_takes_any_file(local: Local, job: Job, write: Write, tmp_path: Path) -> None:
    folder = tmp_path / "nightly"
    for name, numbers in (("monday", (1, 2)), ("tuesday", (1, 2, 3))):
        source = write(HEADER, rows(*numbers)).rename(tmp_path / f"{name}.csv")
        summary = await sent(job(source, MAP, folder=folder), local)
        assert (summary.folder, summary.created) == (folder, len(numbers))
    moved = folder.rename(tmp_path / "moved")
    assert (await sent(job(source, MAP, folder=moved), local)).created_now == 0
    assert await held(local) == Counter("123")


async def test_the_database_of_another_ledger_is_refused(local: Local, job: Job, write: Write) -> None:
    """``lock`` has the id of the ledger that the folder belongs to."""
    source = write(HEADER, rows(1, 2))
    mine = (await sent(job(source, MAP), local)).folder
    other = source.rename(source.with_name("other.csv"))
    theirs = (await sent(job(other, MAP, again=True), local)).folder
    assert mine is not None
    assert theirs is not None
    shutil.copy(theirs / "journal.db", mine / "journal.db")
    with pytest.raises(JournalError):
        await sent(job(write(HEADER, rows(1, 2)), MAP), local)
    assert await held(local) == Counter("1122")


# --- rule 2: identity -----------------------------------------------------------------------------


async def test_equal_rows_are_rows_of_their_own(local: Local, job: Job, write: Write) -> None:
    assert (await sent(job(write(HEADER, rows(1, 1, 1)), MAP), local)).created == 3
    assert (await sent(job(write(HEADER, rows(1, 1, 1, 1)), MAP), local)).created_now == 1
    assert await held(local) == Counter("1111")


async def test_order_blank_cells_and_columns_of_notes_say_nothing(
    local: Local, job: Job, write: Write
) -> None:
    await sent(job(write(HEADER, rows(1, 2, 3)), MAP), local)
    header = ("customer", "_note", "notes", "text", "key", "empty")
    turned = [[row[3], f"seen {row[0]}", row[2], row[1], row[0], " "] for row in rows(3, 1, 2)]
    summary = await sent(job(write(header, turned), MAP), local)
    assert (summary.created, summary.created_now, summary.changed) == (3, 0, 0)


async def test_a_key_of_the_map_alone_tells_rows(local: Local, job: Job, write: Write) -> None:
    keyed = f'key = "{{key}}"\n{MAP}'
    await sent(job(write(HEADER, rows(1, 2)), keyed), local)
    edited = [["1", "edited", "", ""], *rows(2, 3)]
    summary = await sent(job(write(HEADER, edited), keyed), local)
    assert (summary.created_now, summary.changed) == (1, 1)
    assert await held(local) == Counter("123")


async def test_an_open_marker_keeps_the_number_that_the_row_got_first(
    local: Local, job: Job, write: Write
) -> None:
    """A kill, and then other lines before the row: its key is not made anew."""
    text = MAP.replace('po_number = "{key}"\n', "")
    await killed_while_sending(job(write(HEADER, rows(1, 2)), text, marker=MARKER), local, [2])
    ready = job(write(HEADER, rows(3, 2, 1)), text, marker=MARKER)
    opened = await ready.open(local.company.with_options(settle=0))
    name = opened.about.job
    await local.company.run(WoCreateCommand(work_order=await order(local, f"{name}-2")))
    assert (await ready.run()).created == 3
    assert await held(local) == Counter([f"{name}-1", f"{name}-2", f"{name}-3"])


# --- rule 3: the same command ---------------------------------------------------------------------


async def test_rows_that_are_not_known_or_planned_are_sent(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2, 3))
    first = job(source, MAP, limit=1)
    stopped = await first.run(local.company, on_row=lambda _: first.stop())
    assert stopped.not_started > 0
    assert (await sent(job(write(HEADER, rows(1, 2, 3, 4)), MAP), local)).created == 4
    assert await held(local) == Counter("1234")


async def test_rows_under_way_in_a_kill_are_looked_up(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2))
    await killed_while_sending(job(source, MAP, marker=MARKER), local, [1, 2])
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    summary = await sent(job(source, MAP, marker=MARKER), local)
    assert (summary.created, summary.in_doubt) == (2, 0)
    assert await held(local) == Counter("12")


async def test_without_a_look_up_rows_in_doubt_are_never_sent(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2))
    await killed_while_sending(job(source, MAP), local, [1])
    for _ in range(2):
        summary = await sent(job(source, MAP), local)
        assert (summary.created, summary.in_doubt) == (1, 1)
    assert await held(local) == Counter("2")


async def test_updates_in_doubt_are_compared_and_deletes_looked_for(
    local: Local, job: Job, write: Write
) -> None:
    await made(local, "T1", "T2")
    source = write(COLUMNS, [["T1", "", "new"], ["T2", "", "new"]])
    await killed_while_sending(job(source, UPDATE), local, [1, 2])
    assert (await sent(job(source, UPDATE), local)).done == 2
    assert {row["Instructions"] for row in (await customers(local)).values()} == {"new"}
    await killed_while_sending(job(source, DELETE), local, [1])
    summary = await sent(job(source, DELETE), local)
    assert (summary.done, summary.in_doubt) == (2, 0)
    assert all(row["IsRemoved"] for row in (await customers(local)).values())


async def test_rows_that_are_done_are_skipped_and_changed_ones_counted(
    local: Local, job: Job, write: Write
) -> None:
    await sent(job(write(HEADER, rows(1, 2)), MAP, marker=MARKER), local)
    edited = [["1", "edited", "", ""], *rows(2)]
    for _ in range(2):
        summary = await sent(job(write(HEADER, edited), MAP, marker=MARKER), local)
        assert (summary.created, summary.created_now, summary.changed) == (2, 0, 1)
    assert summary.folder is not None
    with (summary.folder / "results.csv").open(newline="", encoding="utf-8") as file:
        assert [bool(row["changed"]) for row in csv.DictReader(file)] == [True, False]
    assert await held(local) == Counter("12")


async def test_updates_are_sent_when_their_values_differ(local: Local, job: Job, write: Write) -> None:
    await made(local, "T1", "T2")
    await sent(job(write(COLUMNS, [["T1", "", "a"], ["T2", "", "a"]]), UPDATE), local)
    edited = [["T2", "a column that the map does not read", "a"], ["T1", "", "b"]]
    summary = await sent(job(write(COLUMNS, edited), UPDATE), local)
    assert (summary.done, summary.done_now, summary.changed) == (2, 1, 0)
    assert {code: row["Instructions"] for code, row in (await customers(local)).items()} == {
        "T1": "b",
        "T2": "a",
    }


async def test_rows_refused_before_they_were_sent_are_tried_again(
    local: Local, job: Job, write: Write
) -> None:
    """The customer was missing, and is there now; neither file nor map has changed."""
    source = write(HEADER, rows(1, customer="Pier"))
    text = WORK_ORDER + CUSTOMER
    assert (await sent(job(source, text), local)).failed == 1
    await local.company.create(Customer(display_as="Pier", name="Pier", work_zone=Ref(14)))
    assert (await sent(job(source, text), local)).created_now == 1
    assert await held(local) == Counter("1")


@pytest.mark.parametrize(
    ("text", "notes", "options", "now"),
    [
        (MAP, "", {}, 0),
        (f"# a remark\n{MAP}", "", {}, 0),
        (MAP, "other", {}, 1),
        (MAP.replace('comment = "{notes}"', 'comment = "x"'), "", {}, 1),
        (MAP, "", {"retry_refused": True}, 1),
    ],
    ids=["unchanged", "remark in the map", "cells", "map", "retry_refused"],
)
async def test_rows_refused_by_the_service_are_sent_when_something_changed(
    local: Local, job: Job, write: Write, text: str, notes: str, options: dict[str, Any], now: int
) -> None:
    local.server.refused = "text 1"
    assert (await sent(job(write(HEADER, rows(1, 2)), MAP, marker=MARKER), local)).failed == 1
    local.server.refused = None
    source = write(HEADER, [["1", "text 1", notes or "notes 1", ""], *rows(2)])
    summary, outcomes = await carried_out(job(source, text, marker=MARKER, **options), local)
    assert (summary.created_now, summary.failed, summary.complete) == (now, 1 - now, bool(now))
    assert not outcomes or outcomes[1].outcome == "created"
    assert await held(local) == Counter("2" + "1" * now)


async def test_undone_rows_are_skipped_until_they_are_asked_for(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2))
    await undo(local, (await sent(job(source, MAP, marker=MARKER), local)).folder)
    summary = await sent(job(source, MAP, marker=MARKER), local)
    assert (summary.undone, summary.created_now, summary.complete) == (2, 0, False)
    assert not await open_orders(local)
    summary = await sent(job(source, MAP, marker=MARKER, retry_undone=True), local)
    assert (summary.undone, summary.created_now, summary.complete) == (0, 2, True)
    assert await open_orders(local) == Counter("12")


async def test_rows_that_are_gone_are_counted_and_those_in_doubt_looked_up(
    local: Local, job: Job, write: Write
) -> None:
    source = write(HEADER, rows(1, 2, 3))
    await killed_while_sending(job(source, MAP, marker=MARKER), local, [1])
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    summary = await sent(job(write(HEADER, rows(3)), MAP, marker=MARKER), local)
    assert (summary.rows, summary.created, summary.gone, summary.complete) == (1, 1, 2, True)
    assert summary.folder is not None
    async with Journal.open(summary.folder) as journal:
        gone = journal.gone()
    assert (gone[State.DONE], gone[State.PLANNED]) == (1, 1)
    assert await held(local) == Counter("13")


# --- rule 4: without a key ------------------------------------------------------------------------


async def test_an_edited_row_is_not_taken_for_a_new_one(local: Local, job: Job, write: Write) -> None:
    await sent(job(write(HEADER, rows(1, 2)), MAP), local)
    source = write(HEADER, [*rows(1), ["2", "edited", "", ""]])
    found = await refusal(job(source, MAP), local)
    assert (found.why, found.rows, found.gone) == ("edited_or_new", 1, 1)
    assert found.first_new is not None
    assert found.first_gone is not None
    assert (found.first_new.line, found.first_gone.line) == (3, 3)
    assert ("edited" in found.first_new.name, "text 2" in found.first_gone.name) == (True, True)
    assert found.remedies == (Remedy.KEY, Remedy.NEW_ROWS)
    assert (await sent(job(source, MAP, new_rows=True), local)).created_now == 1
    assert (await sent(job(source, MAP), local)).created_now == 0, "nobody is asked twice"
    assert await held(local) == Counter("122")


async def test_appended_sorted_and_corrected_rows_need_no_word(local: Local, job: Job, write: Write) -> None:
    assert (await sent(job(write(HEADER, [*rows(1), ["2", LONG, "", ""]]), MAP), local)).failed == 1
    summary = await sent(job(write(HEADER, rows(3, 2, 1)), MAP), local)
    assert (summary.created, summary.created_now) == (3, 2)
    assert await held(local) == Counter("123")


@pytest.mark.parametrize("new_rows", [False, True])
async def test_columns_that_came_or_went_make_all_rows_unknown(
    local: Local, job: Job, write: Write, new_rows: bool
) -> None:
    await sent(job(write(HEADER, rows(1, 2)), MAP), local)
    source = write([*HEADER, "remark"], [[*row, "seen"] for row in rows(1, 2)])
    found = await refusal(job(source, MAP, new_rows=new_rows), local)
    assert (found.why, found.columns) == ("columns_changed", ("remark",))
    assert Remedy.NEW_ROWS not in found.remedies


async def test_each_night_only_lines_that_no_run_sent_are_new(local: Local, job: Job, write: Write) -> None:
    for numbers, now in (((1, 2), 2), ((2, 3), 1), ((3, 4, 1), 1)):
        summary = await sent(job(write(HEADER, rows(*numbers)), MAP, new_rows=True), local)
        assert (summary.created, summary.created_now) == (len(numbers), now)
    assert await held(local) == Counter("1234")


# --- rule 5: with a key ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("was", "now"),
    [("00501", "501"), ("501", "501.0"), ("12300", "1.23E+04"), ("Ab 1", "ab1"), ("\u00e9", "e\u0301")],
    ids=["zeros", "fraction", "exponent", "case and blanks", "normalisation"],
)
async def test_a_key_that_a_spreadsheet_changed_is_shown(
    local: Local, job: Job, write: Write, was: str, now: str
) -> None:
    await sent(job(write(HEADER, rows(was)), MAP, marker=MARKER), local)
    source = write(HEADER, rows(now))
    found = await refusal(job(source, MAP, marker=MARKER), local)
    assert (found.why, found.remedies) == ("key_disguised", (Remedy.NEW_ROWS,))
    assert found.first_new is not None
    assert found.first_gone is not None
    assert (found.first_new.name, found.first_gone.name) == (now, was)
    assert (await sent(job(source, MAP, marker=MARKER, new_rows=True), local)).created_now == 1
    assert await held(local) == Counter([was, now])


async def test_other_new_keys_need_no_word(local: Local, job: Job, write: Write) -> None:
    await sent(job(write(HEADER, rows(1, 2)), MAP, marker=MARKER), local)
    summary = await sent(job(write(HEADER, rows(3, 4)), MAP, marker=MARKER), local)
    assert (summary.created_now, summary.gone) == (2, 2)
    assert await held(local) == Counter("1234")


@pytest.mark.parametrize(
    ("text", "marker", "now"),
    [
        (MAP.replace('"{key}"', '"K-{key}"'), MARKER, "K-{key}"),
        (MAP, None, None),
        (f'key = "{{key}}-{{text}}"\n{MAP}', None, "{key}-{text}"),
    ],
    ids=["template", "no marker", "key of the map"],
)
async def test_another_template_knows_no_row_that_was_sent(
    local: Local, job: Job, write: Write, text: str, marker: str | None, now: str | None
) -> None:
    await sent(job(write(HEADER, rows(1, 2)), MAP, marker=MARKER), local)
    found = await refusal(job(write(HEADER, rows(1, 2, 3)), text, marker=marker, new_rows=True), local)
    assert (found.why, found.was, found.now) == ("key_changed", "{key}", now)
    assert found.remedies == (Remedy.SAME_MAP, Remedy.AGAIN)


async def test_another_marker_is_refused_while_rows_are_in_doubt(
    local: Local, job: Job, write: Write
) -> None:
    """They carry their keys in the field that it was."""
    source = write(HEADER, rows(1, 2))
    await killed_while_sending(job(source, MAP, marker=MARKER), local, [1])
    keyed = f'key = "{{key}}"\n{MAP}'
    found = await refusal(job(source, keyed), local)
    assert (found.why, found.was, found.now) == ("key_changed", MARKER, None)


# --- rule 6: again --------------------------------------------------------------------------------


async def test_again_sends_all_rows_in_a_new_ledger(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2))
    await sent(job(source, MAP), local)
    ready = job(source, MAP, again=True)
    assert (await ready.open(local.company)).plan.leaves_done == 2
    second = await sent(ready, local)
    assert second.folder is not None
    assert (second.created_now, second.folder.name) == (2, "rows.csv.job-2")
    third = await sent(job(write(HEADER, rows(1, 2, 3)), MAP), local)
    assert (third.created_now, third.folder) == (1, second.folder), (
        "the newest ledger is the one that is used"
    )
    assert await held(local) == Counter("11223")


@pytest.mark.parametrize("numbers", [[], [1]], ids=["planned", "in doubt"])
async def test_again_is_refused_while_rows_may_still_be_sent(
    local: Local, job: Job, write: Write, numbers: list[int]
) -> None:
    source = write(HEADER, rows(1, 2))
    await killed_while_sending(job(source, MAP), local, numbers)
    found = await refusal(job(source, MAP, again=True), local)
    assert (found.why, found.rows) == ("unfinished", 2)
    assert found.remedies == (Remedy.SAME_COMMAND, Remedy.SETTLE)


async def test_again_holds_the_old_ledger_until_the_new_one_is_there(
    local: Local, job: Job, write: Write
) -> None:
    source = write(HEADER, rows(1))
    await sent(job(source, MAP), local)
    folder, seen = source.with_name("rows.csv.job"), []

    class Watching(Journal):
        @classmethod
        def create(cls, *given: Any, **more: Any) -> Journal:
            seen.append(is_held(folder))
            return super().create(*given, **more)

    ready = job(source, MAP, again=True)
    await ready.open(local.company, journals=Watching)
    assert (seen, is_held(folder)) == ([True], False)
    await ready.close()


@pytest.mark.parametrize("named", [False, True], ids=["beside the file", "named"])
async def test_again_that_is_killed_at_its_question_sends_nothing_later(
    local: Local, job: Job, write: Write, named: bool
) -> None:
    source = write(HEADER, rows(1, 2))
    place = {"folder": source.with_name("named.job")} if named else {}
    first = await sent(job(source, MAP, **place), local)
    opened = await job(source, MAP, again=True, **place).open(local.company)
    opened.journal.abandon()
    second = await sent(job(source, MAP, **place), local)
    assert (second.created_now, second.folder) == (0, first.folder)
    third = await sent(job(source, MAP, again=True, **place), local)
    assert (third.created_now, await held(local)) == (2, Counter("1122"))
    assert (await sent(job(write(HEADER, []), MAP, **place), local)).folder == third.folder
    assert (await sent(job(write(HEADER, rows(1, 2)), MAP, **place), local)).created_now == 0


async def test_again_does_not_wait_for_rows_that_were_never_sent_and_are_gone(
    local: Local, job: Job, write: Write
) -> None:
    await killed_while_sending(job(write(HEADER, rows(1, 2, 3)), MAP), local, [])
    source = write(HEADER, rows(1, 2))
    assert (await sent(job(source, MAP), local)).created_now == 2
    assert (await sent(job(source, MAP, again=True), local)).created_now == 2


async def test_what_an_older_ledger_took_back_does_not_count_as_there(
    local: Local, job: Job, write: Write
) -> None:
    source = write(HEADER, rows(1, 2))
    await undo(local, (await sent(job(source, MAP, marker=MARKER), local)).folder)
    summary = await sent(job(source, MAP, marker=MARKER, again=True), local)
    assert (summary.created_now, summary.failed) == (2, 0)
    assert await open_orders(local) == Counter("12")


# --- rule 7: rejects ------------------------------------------------------------------------------


async def test_a_row_that_comes_back_may_be_one_that_was_edited(local: Local, job: Job, write: Write) -> None:
    text = WORK_ORDER + CUSTOMER
    name = (await local.rows("Customer", "DisplayAs"))[0]["DisplayAs"]
    assert (await sent(job(write(HEADER, rows(1, customer="Nowhere")), text), local)).failed == 1
    assert (await sent(job(write(HEADER, rows(1, customer=name)), text), local)).done == 1
    found = await refusal(job(write(HEADER, rows(1, customer="Nowhere")), text), local)
    assert (found.why, found.rows, found.gone) == ("edited_or_new", 1, 1)


async def test_a_ledger_that_another_one_followed_sends_nothing_more(
    local: Local, job: Job, write: Write, tmp_path: Path
) -> None:
    old = (await sent(job(write(HEADER, rows(1)), MAP), local)).folder
    assert old is not None
    new = (await sent(job(write(HEADER, rows(1)), MAP, again=True), local)).folder
    found = await refusal(job(write(HEADER, rows(1, 2)), MAP, folder=old, resume=True), local)
    assert (found.why, found.folder) == ("superseded", new)


async def test_a_column_that_the_map_reads_tells_rows_apart_whatever_its_name(
    local: Local, job: Job, write: Write
) -> None:
    text = MAP.replace("{text}", "{_id}")
    header = ("key", "_id", "notes", "customer")
    assert (await sent(job(write(header, [["1", "a", "n", ""]]), text), local)).done_now == 1
    found = await refusal(job(write(header, [["1", "b", "n", ""]]), text), local)
    assert found.why == "edited_or_new"


async def test_a_copy_whose_keys_no_field_carries_is_not_sent_once_more(
    local: Local, job: Job, write: Write, tmp_path: Path
) -> None:
    keyed = 'key = "{key}"\n' + MAP.replace('po_number = "{key}"\n', "")
    folder = (await sent(job(write(HEADER, rows(1, 2)), keyed), local)).folder
    copy = write(HEADER, rows(2, 3)).rename(tmp_path / "copy.csv")
    found = await refusal(job(copy, keyed), local)
    assert (found.why, found.folder, found.rows) == ("sent_elsewhere", folder, 1)


@pytest.mark.parametrize("place", ["its place", "a copy", "elsewhere with the folder"])
@pytest.mark.parametrize("options", [{}, {"marker": MARKER}], ids=["cells", "key"])
async def test_rejects_are_rows_of_their_ledger(
    local: Local, job: Job, write: Write, tmp_path: Path, place: str, options: dict[str, Any]
) -> None:
    source = write(HEADER, [["1", LONG, "", ""], *rows(2)])
    folder = (await sent(job(source, MAP, **options), local)).folder
    rejects = corrected(folder, LONG, "short")
    if place == "a copy":
        rejects = Path(shutil.copy(rejects, tmp_path / "fixed.csv"))
    elif place != "its place":
        (tmp_path / "deep" / "er").mkdir(parents=True)
        rejects = Path(shutil.copy(rejects, tmp_path / "deep" / "er" / "fixed.csv"))
        options = {**options, "folder": folder}
    for now in (1, 0):
        summary = await sent(job(rejects, MAP, **options), local)
        assert (summary.folder, summary.rows, summary.created_now) == (folder, 1, now)
    assert await held(local) == Counter("12")
    for text in (LONG, "short"):  # as it was, and corrected there as well
        source = write(HEADER, [["1", text, "", ""], *rows(2)])
        assert (await sent(job(source, MAP, **options), local)).created_now == 0
    assert await held(local) == Counter("12")


async def test_a_reject_that_is_done_meanwhile_is_skipped(local: Local, job: Job, write: Write) -> None:
    """It was corrected in the file as well."""
    source = write(HEADER, [["1", LONG, "", ""], *rows(2)])
    rejects = corrected((await sent(job(source, MAP, marker=MARKER), local)).folder, LONG, "short")
    await sent(job(write(HEADER, rows(1, 2)), MAP, marker=MARKER), local)
    summary = await sent(job(rejects, MAP, marker=MARKER), local)
    assert (summary.created, summary.created_now) == (1, 0)
    assert await held(local) == Counter("12")


async def test_without_keys_a_reject_that_was_corrected_in_the_file_too_is_refused(
    local: Local, job: Job, write: Write
) -> None:
    """Its cells are those of a row that was sent meanwhile; equal rows of one file are rows of their own."""
    source = write(HEADER, [["1", LONG, "", ""], ["1", LONG, "", ""], *rows(2)])
    rejects = corrected((await sent(job(source, MAP), local)).folder, LONG, "short")
    copy = Path(shutil.copy(rejects, rejects.with_name("copy.csv")))
    assert (await sent(job(rejects, MAP), local)).created_now == 2
    assert (await sent(job(copy, MAP), local)).created_now == 0
    assert await held(local) == Counter("112")
    source = write(HEADER, [["3", LONG, "", ""], *rows(4)])
    rejects = corrected((await sent(job(source, MAP, again=True), local)).folder, LONG, "short")
    await sent(job(write(HEADER, [["3", "short", "", ""], *rows(4)]), MAP), local)
    for _ in range(2):
        summary = await sent(job(rejects, MAP), local)
        assert (summary.created_now, summary.failed) == (0, 1)
    assert await held(local) == Counter("11234")


@pytest.mark.parametrize(
    ("problem", "line", "cells"),
    [
        ("missing_job", 2, {"_job": ""}),
        ("mixed_jobs", 2, {"_job": "zyxw2345"}),
        ("missing_row", 2, {"_row": ""}),
        ("row_twice", 2, {"_row": "1"}),
        ("unknown_row", 2, {"_row": "99"}),
        ("no_ledger", None, {"_job": "zyxw2345"}),  # no test has a ledger of this name
    ],
)
async def test_rejects_that_do_not_name_their_rows_are_refused(
    local: Local, job: Job, write: Write, problem: str, line: int | None, cells: dict[str, str]
) -> None:
    source = write(HEADER, [["1", LONG, "", ""], ["2", LONG, "", ""], *rows(3)])
    rejects = corrected((await sent(job(source, MAP), local)).folder, LONG, "short")
    with rejects.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    for number, each in enumerate(lines, 1):
        each.update(cells if line in (number, None) else {})
    with rejects.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, lines[0])
        writer.writeheader()
        writer.writerows(lines)
    found = await refusal(job(rejects, MAP), local)
    assert (found.why, found.problem) == ("rejects", problem)


async def test_no_ledger_begins_with_rejects(local: Local, job: Job, write: Write) -> None:
    folder = (await sent(job(write(HEADER, [["1", LONG, "", ""], *rows(2)]), MAP), local)).folder
    found = await refusal(job(corrected(folder, LONG, "short"), MAP, again=True), local)
    assert (found.why, found.problem) == ("rejects", "again")


async def test_edited_rejects_stay_as_they_are(local: Local, job: Job, write: Write) -> None:
    """Also when the next night's file has no rejects, or others."""
    folder = (
        await sent(job(write(HEADER, [["1", LONG, "", ""], *rows(2)]), MAP, marker=MARKER), local)
    ).folder
    rejects = corrected(folder, LONG, "short")
    edited = rejects.read_bytes()
    for more in (rows(3), [["4", LONG, "", ""]]):
        await sent(job(write(HEADER, [["1", LONG, "", ""], *rows(2), *more]), MAP, marker=MARKER), local)
        assert rejects.read_bytes() == edited
    assert rejects.with_name("rejects-2.csv").exists()


# --- rule 8: runs ---------------------------------------------------------------------------------


async def test_an_undo_takes_back_the_last_run_or_another(local: Local, job: Job, write: Write) -> None:
    for numbers in ((1, 2), (1, 2, 3), (1, 2, 3)):  # the third sends nothing
        folder = (await sent(job(write(HEADER, rows(*numbers)), MAP), local)).folder
    await undo(local, folder)
    assert await open_orders(local) == Counter("12")
    await undo(local, folder, run=1)
    assert not await open_orders(local)


async def test_files_of_a_run_with_another_file_are_kept(local: Local, job: Job, write: Write) -> None:
    folder = (await sent(job(write(HEADER, rows(1)), MAP), local)).folder
    assert folder is not None
    first = (folder / "results.csv").read_bytes()
    await sent(job(write(HEADER, rows(1, 2)), MAP), local)
    assert (folder / "runs" / "1" / "results.csv").read_bytes() == first
    assert (folder / "results.csv").read_bytes() != first


# --- rule 9: copies -------------------------------------------------------------------------------


async def test_a_copy_without_a_key_is_not_sent_once_more(
    local: Local, job: Job, write: Write, tmp_path: Path
) -> None:
    source = write(HEADER, rows(1, 2))
    folder = (await sent(job(source, MAP), local)).folder
    copy = write(HEADER, rows(2, 3)).rename(tmp_path / "copy.csv")
    found = await refusal(job(copy, MAP), local)
    assert (found.why, found.folder, found.rows) == ("sent_elsewhere", folder, 1)
    assert found.remedies == (Remedy.THAT_FOLDER, Remedy.AGAIN)
    assert (await sent(job(copy, MAP, folder=folder, new_rows=True), local)).created_now == 1
    assert (await sent(job(copy, MAP, again=True), local)).created_now == 2
    assert await held(local) == Counter("12233")


async def test_a_ledger_that_cannot_be_read_may_have_sent_the_copy(
    local: Local, job: Job, write: Write, tmp_path: Path
) -> None:
    folder = (await sent(job(write(HEADER, rows(1)), MAP), local)).folder
    assert folder is not None
    (folder / "journal.db").write_bytes(b"no longer a database")
    with pytest.raises(JournalError):
        await sent(job(write(HEADER, rows(1)).rename(tmp_path / "copy.csv"), MAP), local)
    assert await held(local) == Counter("1")


# --- rule 10: what there is besides ---------------------------------------------------------------


async def test_records_of_the_company_are_skipped_or_fail_by_their_keys(
    local: Local, job: Job, write: Write
) -> None:
    """``if_exists`` speaks of the Company; the ledger does not know these rows."""
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    source = write(HEADER, rows(1, 2))
    summary = await sent(job(source, MAP, marker=MARKER), local)
    assert (summary.created, summary.failed) == (1, 1)
    summary = await sent(job(source, MAP, marker=MARKER, if_exists="skip"), local)
    assert (summary.created, summary.found) == (1, 1)
    assert await held(local) == Counter("12")


def test_options_that_are_gone_are_refused(job: Job, write: Write) -> None:
    for option in ("carry_over", "abandon", "retry"):
        with pytest.raises(ConfigurationError):
            job(write(HEADER, rows(1)), MAP, **{option: True})


# --- sheets ---------------------------------------------------------------------------------------


def workbook(path: Path, **sheets: Sequence[int]) -> Path:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(path) as book:
        for name, numbers in sheets.items():
            page = book.add_worksheet(name)
            for number, row in enumerate([HEADER, *rows(*numbers)]):
                page.write_row(number, 0, row)
    return path


async def test_each_sheet_of_a_workbook_has_a_ledger(local: Local, job: Job, tmp_path: Path) -> None:
    path = workbook(tmp_path / "two.xlsx", One=(1, 2), Two=(3, 4))
    (tmp_path / "map.toml").write_text(MAP)
    for now in (2, 0):
        for sheet in (1, 2):
            ready = Import(
                open_source(path, sheet=sheet), ImportMap.load(tmp_path / "map.toml"), marker=MARKER
            )
            assert (await sent(ready, local)).created_now == now
    assert await held(local) == Counter("1234")


async def test_without_keys_a_renamed_sheet_is_known_by_its_rows(local: Local, tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    import_map = ImportMap.load(tmp_path / "map.toml")
    path = tmp_path / "f.xlsx"
    folder = (await sent(Import(open_source(workbook(path, One=(1, 2))), import_map), local)).folder
    found = await refusal(Import(open_source(workbook(path, Eins=(1, 2))), import_map), local)
    assert (found.why, found.folder, found.rows) == ("sent_elsewhere", folder, 2)


async def test_files_of_another_sheet_are_kept(local: Local, tmp_path: Path) -> None:
    path = workbook(tmp_path / "two.xlsx", One=(1, 2), Two=(3, 4))
    (tmp_path / "map.toml").write_text('key = "{key}"\n' + MAP)
    import_map = ImportMap.load(tmp_path / "map.toml")
    for sheet in (1, 2):
        ready = Import(open_source(path, sheet=sheet), import_map, folder=tmp_path / "both.job")
        assert (await sent(ready, local)).created_now == 2
    assert (tmp_path / "both.job" / "runs" / "1" / "results.csv").is_file()


async def test_the_summary_has_the_plan(local: Local, job: Job, write: Write) -> None:
    assert (await sent(job(write(HEADER, rows(1, 2)), MAP), local)).as_dict()["plan"] == {"new": 2}
    second = await sent(job(write(HEADER, rows(1, 2, 3)), MAP), local)
    assert second.as_dict()["plan"] == {"new": 1, "done": 2}


# --- what goes wrong ------------------------------------------------------------------------------


async def test_the_rows_that_were_read_are_closed_after_a_refusal(
    local: Local, job: Job, write: Write
) -> None:
    await sent(job(write(HEADER, rows(1, 2)), MAP), local)
    ready = job(write(HEADER, rows(1, 3)), MAP)
    read = ready.read()
    assert (await refusal(ready, local)).why == "edited_or_new"
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        next(read.chunks())


async def test_a_file_that_is_removed_before_its_first_row_stops_the_import(
    local: Local, job: Job, write: Write
) -> None:
    source = write(HEADER, rows(1))
    ready = job(source, MAP)
    await ready.open(local.company)
    source.unlink()
    summary = await sent(ready, local)
    assert (summary.not_started, "rows.csv" in (summary.stopped or "")) == (1, True)


@pytest.mark.parametrize(
    ("change", "sent_rows", "stopped"),
    [
        (("text 300", "text 301"), 200, "line 301: the file has changed"),
        ((",shop", ",office"), 300, ""),  # no column that the map reads
    ],
    ids=["a cell that is sent", "another cell"],
)
async def test_a_file_that_changes_before_its_rows_are_sent(
    local: Local, job: Job, write: Write, change: tuple[str, str], sent_rows: int, stopped: str
) -> None:
    """The page before the change is sent."""
    source = write(HEADER, rows(*range(1, 301), customer="shop"))
    ready = job(source, MAP)
    await ready.open(local.company)
    source.write_text(source.read_text().replace(*change))
    summary = await sent(ready, local)
    assert summary.done == sent_rows
    assert stopped in (summary.stopped or "")


def test_a_full_temporary_directory_is_named(job: Job, write: Write) -> None:
    ready = job(write(HEADER, rows(*range(30_000))), MAP)
    with full_disk(), pytest.raises(ImportMapError, match="temporary file"):
        ready.read()


async def test_a_key_that_cannot_be_sent_is_compared_with_none_that_is_gone(
    local: Local, tmp_path: Path
) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    import_map, path = ImportMap.load(tmp_path / "map.toml"), tmp_path / "rows.csv"
    for keys, ended in ((("1", "2"), (2, 0)), (("1", "+2AA-", "3"), (2, 1))):  # UTF-7 has half pairs
        path.write_text("\n".join(["key,text,notes,customer", *(f"{key},t,n," for key in keys)]))
        summary = await sent(Import(open_source(path, encoding="utf-7"), import_map, marker=MARKER), local)
        assert (summary.done, summary.failed) == ended


def test_keys_of_many_digits_differ_in_the_last_one() -> None:
    assert undisguised("1" * 31 + "2") != undisguised("1" * 31 + "3")
    assert undisguised("1_2") != undisguised("12")
