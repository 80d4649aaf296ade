"""Rows to send that another job in the directory has sent: nothing is sent until they are removed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Local, Table
from tests.jobs.ledger.imports import LONG, corrected, open_orders, refusal, undo
from tests.jobs.maps import KEYED, MAP, MARKER, rows
from tests.jobs.runs import held, killed, killed_while_sending
from tests.jobs.test_check import checked
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.imports.verification import decide
from wosdk_async.jobs.journal import Journal, RowRecord, State
from wosdk_async.jobs.ledger.terms import FIRST
from wosdk_async.text.remedies import Remedy

EITHER = [(KEYED, None), (MAP, MARKER)]
UNMARKED = pytest.mark.parametrize("text", [KEYED, MAP], ids=["key", "nothing"])
SIMILAR_KEYS = pytest.mark.parametrize(
    ("text", "marker"), [(KEYED, None), (MAP, MARKER)], ids=["key", "marker"]
)


async def sent(local: Local, name: str, content: Table, text: str, **options: Any) -> Path:
    """Import rows from a file of this name, and return the file."""
    path = local.write(content).rename(local.folder / name)
    await local.run(path, text, **options)
    return path


async def refused(local: Local, source: Path, text: str, **options: Any) -> list[int]:
    """Import a file, and return the lines of the first rows that another job sent."""
    check = await checked(local, source, text, **options)
    found = await refusal(local.job(source, text, **options), local)
    assert check.decision == found
    assert check.counts["refused"] == found.rows
    assert (found.why, min(found.rows, FIRST)) == ("sent_elsewhere", len(found.lines))
    return [*found.lines]


def append(path: Path, content: Table) -> Path:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(",".join(row) + "\n" for row in content)
    return path


@UNMARKED
@pytest.mark.parametrize("new_rows", [False, True])
async def test_appended_rows_of_another_file_are_not_sent_again(
    local: Local, text: str, new_rows: bool
) -> None:
    await sent(local, "monday.csv", rows(1, 2), text)
    tuesday = append(await sent(local, "tuesday.csv", rows(3), text), rows(2, 4))
    assert await refused(local, tuesday, text, new_rows=new_rows) == [3]
    tuesday = local.write(rows(3, 4)).rename(tuesday)
    assert (await local.run(tuesday, text, new_rows=new_rows)).done_now == 1
    assert await held(local) == Counter("1234")
    await local.run(local.write(rows(2)).rename(local.folder / "twice.csv"), text, again=True)
    assert await held(local) == Counter("12234")


@UNMARKED
async def test_a_row_that_another_ledger_sent_is_sent_once_that_was_undone(local: Local, text: str) -> None:
    monday = await sent(local, "monday.csv", rows(1), text)
    tuesday = append(await sent(local, "tuesday.csv", rows(3), text), rows(1))
    assert await refused(local, tuesday, text) == [3]
    await undo(local, monday.with_name("monday.csv.job"))
    assert (await local.run(tuesday, text)).done_now == 1
    assert await refused(local, monday, text, retry_undone=True) == [2]
    assert await open_orders(local) == Counter("13")


@SIMILAR_KEYS
async def test_appended_rows_whose_keys_a_spreadsheet_changed_are_not_sent_again(
    local: Local, text: str, marker: str | None
) -> None:
    await sent(local, "monday.csv", [["001", "a", "", ""]], text, marker=marker)
    tuesday = await sent(local, "tuesday.csv", [["002", "b", "", ""]], text, marker=marker)
    append(tuesday, [["1", "a", "", ""], ["3", "c", "", ""]])
    found = await refusal(local.job(tuesday, text, marker=marker), local)
    assert (found.why, found.rows, found.remedies) == ("key_disguised", 1, (Remedy.SAME_ROWS,))
    assert [(new.name, gone.name) for new, gone in found.resembling] == [("1", "001")]
    assert (await local.run(tuesday, text, marker=marker, new_rows=True)).done_now == 2


@UNMARKED
async def test_undone_rows_that_a_copy_sent_are_not_retried(local: Local, text: str) -> None:
    monday = await sent(local, "monday.csv", rows(1, 2), text)
    await undo(local, monday.with_name("monday.csv.job"))
    await local.run(shutil.copy(monday, local.folder / "copy.csv"), text)
    assert await refused(local, monday, text, retry_undone=True) == [2, 3]
    assert await open_orders(local) == Counter("12")


@UNMARKED
async def test_rows_that_another_file_sent_since_a_kill_are_not_sent_again(local: Local, text: str) -> None:
    monday = local.write(rows(1, 2, 3)).rename(local.folder / "monday.csv")
    async with killed(local.job(monday, text), local):
        pass
    await sent(local, "rest.csv", rows(2, 3), text)
    assert await refused(local, monday, text) == [3, 4]
    assert (await local.run(local.write(rows(1)).rename(monday), text, new_rows=True)).done_now == 1
    assert await held(local) == Counter("123")


async def test_keys_that_a_spreadsheet_changed_in_another_file_since_a_kill(local: Local) -> None:
    monday = local.write([["001", "a", "", ""]]).rename(local.folder / "monday.csv")
    async with killed(local.job(monday, KEYED), local):
        pass
    await sent(local, "rest.csv", [["1", "a", "", ""]], KEYED)
    assert (await refusal(local.job(monday, KEYED), local)).why == "key_disguised"


@UNMARKED
async def test_rows_to_send_again_are_sent_after_a_kill(local: Local, text: str) -> None:
    """Somebody said so when the ledger was created; a row that came since is compared."""
    await sent(local, "monday.csv", rows(1, 2, 3), text)
    copy = local.write(rows(1, 2)).rename(local.folder / "copy.csv")
    await killed_while_sending(local.job(copy, text, again=True), local, [])
    assert (await local.run(copy, text)).done_now == 2
    assert await refused(local, append(copy, rows(3)), text) == [4]


async def test_similar_keys_need_a_word_in_each_run(local: Local) -> None:
    await sent(local, "monday.csv", [["001", "a", "", ""]], MAP, marker=MARKER)
    tuesday = local.write([["1", "b", "", ""]]).rename(local.folder / "tuesday.csv")
    await killed_while_sending(local.job(tuesday, MAP, marker=MARKER, new_rows=True), local, [])
    assert (await refusal(local.job(tuesday, MAP, marker=MARKER), local)).why == "key_disguised"
    assert (await local.run(tuesday, MAP, marker=MARKER, new_rows=True)).done_now == 1


async def test_a_refused_row_corrected_to_one_that_another_job_sent_is_not_sent(local: Local) -> None:
    await sent(local, "monday.csv", [["5", "a", "", ""]], KEYED)
    local.server.refused = "refuse me"
    tuesday = local.write([["5", "refuse me", "", ""], *rows(9)]).rename(local.folder / "tuesday.csv")
    assert (await local.run(tuesday, KEYED, new_rows=True)).failed == 1
    local.server.refused = None
    tuesday = local.write([["5", "a", "", ""], *rows(9)]).rename(tuesday)
    assert await refused(local, tuesday, KEYED) == [2]


@pytest.mark.parametrize("by_rejects", [False, True])
@UNMARKED
async def test_a_row_that_is_corrected_in_two_files_is_sent_once(
    local: Local, text: str, by_rejects: bool
) -> None:
    monday = await sent(local, "monday.csv", [["1", LONG, "", ""], *rows(2)], text)
    await sent(local, "tuesday.csv", [["1", "short", "", ""]], text)
    source = local.write([["1", "short", "", ""], *rows(2)]).rename(monday)
    if by_rejects:
        source = corrected(monday.with_name("monday.csv.job"), LONG, "short")
    assert await refused(local, source, text) == [2]


async def test_rows_of_a_second_job_are_not_sent_by_the_first(local: Local) -> None:
    monday = await sent(local, "monday.csv", rows(1, 2), KEYED)
    tuesday = await sent(local, "tuesday.csv", rows(3, 4), KEYED)
    folder = monday.with_name("monday.csv.job")
    assert await refused(local, tuesday, KEYED, folder=folder, new_rows=True) == [2, 3]


async def test_rows_that_look_ups_find_are_looked_up(local: Local) -> None:
    await sent(local, "monday.csv", rows(1, 2), MAP, marker=MARKER)
    tuesday = append(await sent(local, "tuesday.csv", rows(3), MAP, marker=MARKER), rows(2, 4))
    summary = await local.run(tuesday, MAP, marker=MARKER)
    assert (summary.done_now, summary.failed) == (1, 1)
    assert await held(local) == Counter("1234")


async def test_rows_that_equal_a_sent_row_are_counted(local: Local) -> None:
    await sent(local, "monday.csv", rows(1), MAP)
    tuesday = append(await sent(local, "tuesday.csv", rows(2), MAP), rows(1))
    assert await refused(local, append(tuesday, rows(1)), MAP) == [3]
    assert await refused(local, local.write(rows(2, 1)).rename(tuesday), MAP) == [3]


async def test_a_running_job_that_has_sent_some_rows_will_send_the_others(local: Local) -> None:
    monday = await sent(local, "monday.csv", rows(1), MAP)
    tuesday = await sent(local, "tuesday.csv", rows(9), MAP)
    async with killed(local.job(append(monday, rows(2)), MAP), local):
        assert await refused(local, append(tuesday, rows(1, 2)), MAP) == [3, 4]


async def test_all_rows_with_similar_keys_are_counted_whichever_ledger_sent_them(local: Local) -> None:
    await sent(local, "monday.csv", [["002", "a", "", ""]], KEYED)
    await sent(local, "tuesday.csv", [["010", "b", "", ""]], KEYED)
    wednesday = await sent(local, "wednesday.csv", rows(9), KEYED)
    found = await refusal(
        local.job(append(wednesday, [["2", "c", "", ""], ["10", "b", "", ""]]), KEYED), local
    )
    assert (found.rows, [gone.name for _, gone in found.resembling]) == (2, ["002", "010"])


async def test_copies_of_a_job_folder_that_both_sent_rows_are_both_asked(local: Local) -> None:
    path = await sent(local, "a.csv", rows(1), KEYED)
    copy = shutil.copytree(path.with_name("a.csv.job"), local.folder / "b.job")
    await local.run(local.write(rows(1, 4)).rename(local.folder / "b.csv"), KEYED, folder=copy)
    await local.run(append(path, rows(5)), KEYED)
    new = local.write(rows(4, 5, 6)).rename(local.folder / "c.csv")
    assert (await refusal(local.job(new, KEYED), local)).why == "sent_elsewhere"
    assert (await local.run(path, KEYED)).done_now == 0
    assert await refused(local, append(path, rows(4)), KEYED) == [4]


@pytest.mark.parametrize("text", [MAP, KEYED], ids=["cells", "key"])
async def test_a_copy_of_a_file_and_its_job_in_another_directory_is_named(local: Local, text: str) -> None:
    path = await sent(local, "a.csv", rows(1), text)
    folder = path.with_name("a.csv.job")
    assert not any(str(folder) in each for each in (await local.run(append(path, rows(2)), text)).warnings)
    copied = local.folder / "copy"
    copied.mkdir()
    shutil.copytree(folder, copied / folder.name)
    copy = Path(shutil.copy(path, copied))
    for number in (3, 4):
        append(copy, rows(number))
        assert sum(str(folder) in each for each in (await checked(local, copy, text)).warnings) == 1
        summary = await local.run(copy, text)
        assert (sum(str(folder) in each for each in summary.warnings), summary.done_now) == (1, 1)
    shutil.rmtree(folder)
    assert (await local.run(append(copy, rows(5)), text)).warnings == []


async def test_rows_that_the_replaced_ledger_sent_are_not_sent_again(local: Local) -> None:
    """Only the rows that the file had were to be sent again."""
    path = await sent(local, "monday.csv", rows(1, 2), MAP)
    await local.run(local.write(rows(1)).rename(path), MAP, again=True)
    assert await refused(local, append(path, rows(2)), MAP) == [3]


@UNMARKED
async def test_a_ledger_to_send_rows_again_heeds_what_others_sent_since(local: Local, text: str) -> None:
    monday = await sent(local, "monday.csv", [["1", LONG, "", ""], *rows(2, 3)], text)
    folder = (await local.run(monday, text, again=True)).folder
    await undo(local, monday.with_name("monday.csv.job"))
    await undo(local, folder)
    await sent(local, "tuesday.csv", [["1", "short", "", ""], *rows(2)], text)
    source = local.write([["1", "short", "", ""], *rows(2, 3)]).rename(monday)
    assert await refused(local, source, text, retry_undone=True) == [2, 3]


async def test_an_equal_key_of_the_file_hides_no_row(local: Local) -> None:
    await sent(local, "monday.csv", [["K", "b", "", ""]], KEYED)
    tuesday = append(await sent(local, "tuesday.csv", rows(9), KEYED), [["K", "a", "", ""]])
    assert await refused(local, tuesday, KEYED) == [3]
    assert (await local.run(tuesday, KEYED, new_rows=True)).done_now == 1, "the row can be declared new"
    summary = await local.run(append(tuesday, [["K", "b", "", ""]]), KEYED, new_rows=True)
    assert (summary.done_now, summary.failed) == (0, 1)


async def test_files_with_the_same_numbers_need_a_word_in_each_run(local: Local) -> None:
    await sent(local, "monday.csv", [["1", "a", "", ""], ["2", "b", "", ""], ["3", "c", "", ""]], KEYED)
    tuesday = local.write([["1", "d", "", ""]]).rename(local.folder / "tuesday.csv")
    found = await refusal(local.job(tuesday, KEYED), local)
    assert (found.why, found.changed, found.remedies) == ("sent_elsewhere", 1, (Remedy.OTHER_CELLS,))
    assert (await local.run(tuesday, KEYED, new_rows=True)).done_now == 1
    assert await refused(local, append(tuesday, [["2", "e", "", ""]]), KEYED) == [3]
    assert (await local.run(tuesday, KEYED, new_rows=True)).done_now == 1
    assert await refused(local, append(tuesday, [["3", "c", "", ""]]), KEYED, new_rows=True) == [4]


async def test_a_first_file_of_sent_rows_and_of_others_with_their_keys(local: Local) -> None:
    """To skip all of them would lose rows, and to send all of them would create rows twice."""
    await sent(local, "monday.csv", [["1", "a", "", ""], ["2", "b", "", ""]], KEYED)
    tuesday = local.write([["1", "a", "", ""], ["2", "c", "", ""]]).rename(local.folder / "tuesday.csv")
    found = await refusal(local.job(tuesday, KEYED), local)
    assert (found.rows, found.changed, found.remedies) == (2, 1, (Remedy.OTHER_CELLS,))
    assert await refused(local, tuesday, KEYED, new_rows=True) == [2]
    tuesday = local.write([["2", "c", "", ""]]).rename(tuesday)
    assert (await local.run(tuesday, KEYED, new_rows=True)).done_now == 1
    assert await held(local) == Counter("122")


@pytest.mark.parametrize("marker", [None, MARKER])
async def test_rows_sent_with_keys_are_recognized_without_them(local: Local, marker: str | None) -> None:
    await sent(local, "monday.csv", rows(1, 2), MAP if marker else KEYED, marker=marker)
    tuesday = append(await sent(local, "tuesday.csv", rows(3), MAP), rows(1))
    assert await refused(local, tuesday, MAP) == [3]
    wednesday = local.write(rows(2, 4)).rename(local.folder / "wednesday.csv")
    assert (await refusal(local.job(wednesday, MAP), local)).lines == (2,)


async def test_look_ups_find_only_keys_in_the_field_that_they_were_sent_in(local: Local) -> None:
    field = "work_order.contact_name"
    other = MAP.replace("po_number", "contact_name")
    await sent(local, "monday.csv", rows(1, 2), MAP, marker=MARKER)
    await sent(local, "monday.csv", rows(1, 2, 5), other, marker=field)
    tuesday = local.write(rows(1, 3)).rename(local.folder / "tuesday.csv")
    assert (await refusal(local.job(tuesday, other, marker=field), local)).lines == (2,)


async def test_added_rows_that_another_job_sent_do_not_stop_the_new_ones(local: Local) -> None:
    """Each night's file may begin with many rows of the day before."""
    await sent(local, "monday.csv", rows(*range(22)), MAP, marker=MARKER)
    tuesday = await sent(local, "tuesday.csv", rows(98), MAP, marker=MARKER)
    tuesday = local.write(rows(98, *range(22), 99)).rename(tuesday)
    summary = await local.run(tuesday, MAP, marker=MARKER)
    assert (summary.stopped, summary.failed, summary.done_now) == (None, 22, 1)


@pytest.mark.parametrize("undone", [True, False])
@pytest.mark.parametrize("same", [True, False])
async def test_only_a_job_that_sent_the_same_row_and_did_not_undo_it_is_named(
    local: Local, same: bool, undone: bool
) -> None:
    """Otherwise, to skip the rows would lose them."""
    monday = await sent(local, "monday.csv", rows(*range(22)), MAP, marker=MARKER)
    if undone:
        await undo(local, monday.with_name("monday.csv.job"))
        await local.run(monday, MAP, marker=MARKER, again=True)
    changed = [[key, text if same else "another", *more] for key, text, *more in rows(*range(22))]
    path = local.write(changed).rename(local.folder / "tuesday.csv")
    summary = await local.run(path, MAP, marker=MARKER)
    assert summary.stopped is not None
    remedies = (Remedy.JOB_BESIDE if same else Remedy.EXISTING_RECORDS,)
    folder = local.folder / ("monday.csv.job-2" if undone else "monday.csv.job")
    assert (summary.stopped.remedies, summary.stopped.facts["folder"]) == (remedies, str(folder))


async def test_a_found_row_whose_record_another_job_undid_is_undone(local: Local) -> None:
    monday = await sent(local, "monday.csv", rows(1), MAP, marker=MARKER)
    tuesday = append(await sent(local, "tuesday.csv", rows(2), MAP, marker=MARKER), rows(1))
    summary = await local.run(tuesday, MAP, marker=MARKER, if_exists="skip")
    assert (summary.found, summary.plan) == (1, {"new": 1, "done": 1})
    await undo(local, monday.with_name("monday.csv.job"))
    summary = await local.run(tuesday, MAP, marker=MARKER)
    assert (summary.plan, summary.done_now) == ({"undone": 1, "done": 1}, 0)
    assert (summary.found, summary.found_undone, summary.complete) == (0, 1, False)
    assert {"created": 1, "undone": 1}.items() <= summary.as_dict().items()
    assert (await local.run(tuesday, MAP, marker=MARKER, retry_undone=True)).done_now == 1
    assert await open_orders(local) == Counter("12")


@pytest.mark.parametrize("copies", [False, True], ids=["one", "copied"])
@pytest.mark.parametrize(
    ("running", "text"),
    [(KEYED, KEYED), (MAP, MAP), (KEYED, MAP), (MAP, KEYED)],
    ids=["key", "nothing", "none", "new key"],
)
async def test_rows_that_a_running_job_will_send_are_known_by_any_map_and_beside_a_copy(
    local: Local, running: str, text: str, copies: bool
) -> None:
    monday = local.write(rows(1, 2, 3)).rename(local.folder / "monday.csv")
    async with killed(local.job(monday, running), local) as journal:
        if copies:
            shutil.copytree(journal.folder, local.folder / "backup.job", copy_function=shutil.copy)
        rest = local.write(rows(2, 3, 4)).rename(local.folder / "rest.csv")
        found = await refusal(local.job(rest, text), local)
        assert (found.why, found.lines, found.remedies) == ("sent_elsewhere", (2, 3), (Remedy.WAIT,))
    assert (await local.run(rest, text)).done_now == 3  # nobody may ever resume the other


async def test_a_copy_made_during_a_run_does_not_know_what_else_the_run_sent(local: Local) -> None:
    monday = local.write(rows(*range(1, 41))).rename(local.folder / "monday.csv")
    local.server.held = asyncio.Event()
    running = asyncio.create_task(local.run(monday, MAP, concurrency=1))
    await local.server.arrived.wait()
    copy = shutil.copytree(monday.with_name("monday.csv.job"), local.folder / "mine.job")
    local.server.held.set()
    await running
    local.server.held = None
    rest = local.write(rows(39, 40)).rename(local.folder / "rest.csv")
    assert await refused(local, rest, MAP, folder=copy) == [2, 3]


async def test_a_copy_made_during_a_run_hides_nothing_once_the_run_was_killed(local: Local) -> None:
    monday = local.write(rows(1, 2, 3)).rename(local.folder / "monday.csv")
    async with killed(local.job(monday, KEYED), local) as journal:
        copy = shutil.copytree(journal.folder, local.folder / "backup.job")
        os.utime(copy / "journal.db", (2e9, 2e9))  # the original writes only its log
        await journal.begin([2, 3])
        journal.record(RowRecord(2, State.DONE, id=1))
    rest = local.write(rows(2, 3)).rename(local.folder / "rest.csv")
    found = await refusal(local.job(rest, KEYED), local)
    assert (found.why, found.lines, found.folder) == ("sent_elsewhere", (2, 3), journal.folder)


async def test_look_ups_do_not_find_what_a_running_job_will_send(local: Local) -> None:
    monday = local.write(rows(1, 2, 3)).rename(local.folder / "monday.csv")
    tuesday = await sent(local, "tuesday.csv", rows(9), MAP, marker=MARKER)
    async with killed(local.job(monday, MAP, marker=MARKER), local) as journal:
        await journal.begin([2])
        rest = local.write(rows(2, 3, 4)).rename(local.folder / "rest.csv")
        assert await refused(local, rest, MAP, marker=MARKER) == [2, 3]
        assert await refused(local, append(tuesday, rows(2, 3, 5)), MAP, marker=MARKER) == [3, 4]
    assert await refused(local, tuesday, MAP, marker=MARKER) == [3]  # the row in flight


async def test_look_ups_do_not_find_what_a_running_job_sends_again(local: Local) -> None:
    monday = await sent(local, "monday.csv", rows(1, 2), MAP, marker=MARKER)
    await undo(local, monday.with_name("monday.csv.job"))
    async with killed(local.job(monday, MAP, marker=MARKER, retry_undone=True), local):
        rest = local.write(rows(2, 3)).rename(local.folder / "rest.csv")
        assert await refused(local, rest, MAP, marker=MARKER) == [2]


async def test_a_job_in_another_directory_knows_what_jobs_beside_its_file_undid(local: Local) -> None:
    monday = await sent(local, "monday.csv", rows(1), MAP, marker=MARKER)
    (elsewhere := local.folder / "jobs").mkdir()
    options: dict[str, Any] = {"marker": MARKER, "folder": elsewhere / "tuesday"}
    tuesday = await sent(local, "tuesday.csv", rows(1), MAP, if_exists="skip", **options)
    await undo(local, monday.with_name("monday.csv.job"))
    assert (await local.run(tuesday, MAP, **options)).found_undone == 1
    assert (await local.run(tuesday, MAP, retry_undone=True, **options)).done_now == 1
    assert await open_orders(local) == Counter("1")


async def test_a_found_row_whose_record_is_undone_is_free_for_other_files(local: Local) -> None:
    monday = await sent(local, "monday.csv", rows(1), MAP, marker=MARKER)
    await sent(local, "tuesday.csv", rows(1), MAP, marker=MARKER, if_exists="skip")
    wednesday = append(await sent(local, "wednesday.csv", rows(9), KEYED), rows(1))
    assert await refused(local, wednesday, KEYED) == [3]
    await undo(local, monday.with_name("monday.csv.job"))
    assert (await local.run(wednesday, KEYED)).done_now == 1
    assert await open_orders(local) == Counter("19")


async def test_a_copy_whose_rows_were_found_is_not_sent_without_keys(local: Local) -> None:
    for name in ("monday.csv", "copy.csv"):
        path = await sent(local, name, rows(1, 2), MAP, marker=MARKER)
    assert (await refusal(local.job(path, UNREAD), local)).why == "sent_elsewhere"


async def test_an_identical_file_with_another_key_is_not_new(local: Local) -> None:
    table = [["1", "a", "K1", ""], ["2", "b", "K2", ""]]
    await sent(local, "monday.csv", table, KEYED)
    copy = local.write(table).rename(local.folder / "copy.csv")
    other = KEYED.replace("{key}", "{notes}", 1)
    found = await refusal(local.job(copy, other, new_rows=True), local)
    assert (found.why, found.rows) == ("sent_elsewhere", 2)


async def test_the_confirmation_of_again_counts_similar_keys_of_other_jobs(local: Local) -> None:
    await sent(local, "monday.csv", [["003", "a", "", ""]], KEYED)
    tuesday = await sent(local, "tuesday.csv", rows(9), KEYED)
    job = local.job(append(tuesday, [["3", "a", "", ""]]), KEYED, again=True)
    assert (await job.open(local.company)).plan.resembling == 1
    await job.close()


async def test_a_copy_of_a_killed_job_says_nothing_of_rows_that_the_job_tried(local: Local) -> None:
    monday = local.write(rows(1, 2)).rename(local.folder / "monday.csv")
    folder = await killed_while_sending(local.job(monday, MAP), local, [1])
    shutil.copytree(folder, local.folder / "backup.job")
    assert (await local.run(monday, MAP)).in_doubt == 1
    async with Journal.open(folder) as journal:
        await decide(journal, 1, None, "somebody")
    assert (await local.run(monday, MAP)).done_now == 1
    await undo(local, folder, 2)
    assert (await local.run(monday, MAP, retry_undone=True)).done_now == 1


async def test_found_rows_are_not_sent_again(local: Local) -> None:
    """The job never sent them, and its new map cannot look them up."""
    await sent(local, "monday.csv", rows(1), MAP, marker=MARKER)
    tuesday = await sent(local, "tuesday.csv", rows(1, 2), MAP, marker=MARKER, if_exists="skip")
    assert await refused(local, tuesday, KEYED, again=True) == [2]


async def test_an_undo_in_a_renamed_folder_frees_refused_rows(local: Local) -> None:
    monday = await sent(local, "monday.csv", rows(1), KEYED)
    tuesday = append(await sent(local, "tuesday.csv", rows(9), KEYED), rows(1))
    assert await refused(local, tuesday, KEYED) == [3]
    folder = monday.with_name("monday.csv.job").rename(local.folder / "renamed.job")
    assert await refused(local, tuesday, KEYED) == [3]
    await undo(local, folder)
    assert (await local.run(tuesday, KEYED)).done_now == 1


async def test_a_copy_of_the_job_folder_tells_what_it_sent_since(local: Local) -> None:
    monday = local.write(rows(1, 2)).rename(local.folder / "monday.csv")
    async with killed(local.job(monday, MAP), local) as journal:
        pass
    copy = shutil.copytree(journal.folder, local.folder / "mine.job")
    assert (await local.run(monday, MAP)).done_now == 2  # the copy tells nothing new
    await undo(local, journal.folder)
    assert (await local.run(monday, MAP, folder=copy)).done_now == 2
    assert await refused(local, monday, MAP, retry_undone=True) == [2, 3]


async def test_an_old_copy_of_a_job_folder_tells_nothing(local: Local) -> None:
    monday = await sent(local, "monday.csv", rows(1), KEYED)
    folder = monday.with_name("monday.csv.job")
    shutil.copytree(folder, local.folder / "backup.job")
    await undo(local, folder)
    copy = local.write(rows(1)).rename(local.folder / "copy.csv")
    assert (await local.run(copy, KEYED)).done_now == 1


async def test_a_ledger_that_cannot_be_read_is_named_with_a_way_out(local: Local) -> None:
    monday = await sent(local, "monday.csv", rows(1), MAP)
    damaged = local.folder / "other.job"
    damaged.mkdir()
    (damaged / "journal.db").write_bytes(b"no database")
    with pytest.raises(JournalError) as caught:
        await local.run(append(monday, rows(2)), MAP)
    assert (caught.value.remedies, caught.value.facts["folder"]) == ((Remedy.MOVE_JOB,), str(damaged))


async def test_a_key_that_a_reject_left_is_free(local: Local) -> None:
    """The other ledger never sent a row with it."""
    monday = await sent(local, "monday.csv", [["K1", LONG, "", ""]], KEYED)
    await local.run(corrected(monday.with_name("monday.csv.job"), f"K1,{LONG}", "K2,short"), KEYED)
    tuesday = append(await sent(local, "tuesday.csv", rows(9), KEYED), [["K1", "other", "", ""]])
    assert (await local.run(tuesday, KEYED)).done_now == 1


async def test_similar_keys_that_another_job_sent_since_are_asked_about(local: Local) -> None:
    """Each run retries a row that was refused before it was sent."""
    content = [["1", LONG, "", ""], ["5", "e", "", ""]]
    tuesday = await sent(local, "tuesday.csv", content, MAP, marker=MARKER)
    assert (await local.run(tuesday, MAP, marker=MARKER)).failed == 1
    await sent(local, "wednesday.csv", [["0001", "a", "", ""]], MAP, marker=MARKER, new_rows=True)
    found = await refusal(local.job(tuesday, MAP, marker=MARKER), local)
    assert (found.why, [gone.name for _, gone in found.resembling]) == ("key_disguised", ["0001"])


@SIMILAR_KEYS
@pytest.mark.parametrize("option", ["new_rows", "again"])
async def test_what_the_first_run_was_told_says_nothing_of_later_rows(
    local: Local, text: str, marker: str | None, option: str
) -> None:
    await sent(local, "monday.csv", [["001", "a", "", ""]], text, marker=marker)
    tuesday = await sent(local, "tuesday.csv", rows(9), text, marker=marker, **{option: True})
    append(tuesday, [["1", "a", "", ""]])
    found = await refusal(local.job(tuesday, text, marker=marker), local)
    assert (found.why, found.first_new and found.first_new.name) == ("key_disguised", "1")


@UNMARKED
async def test_to_send_a_file_again_does_not_send_rows_of_other_jobs(local: Local, text: str) -> None:
    """This job never sent them, or they were undone here and sent there since."""
    await sent(local, "monday.csv", rows(1), text)
    tuesday = append(await sent(local, "tuesday.csv", rows(2, 3), text), rows(1))
    assert await refused(local, tuesday, text) == [4]
    await undo(local, tuesday.with_name("tuesday.csv.job"))
    await sent(local, "wednesday.csv", rows(3), text)
    assert await refused(local, tuesday, text, again=True) == [3, 4]
    tuesday = local.write(rows(2)).rename(tuesday)
    assert (await local.run(tuesday, text, again=True)).done_now == 1
    assert await open_orders(local) == Counter("123")


async def test_rows_that_another_job_sent_before_the_confirmation_are_not_sent(local: Local) -> None:
    monday = local.write(rows(1, 2)).rename(local.folder / "monday.csv")
    tuesday = append(await sent(local, "tuesday.csv", rows(3), MAP), rows(2, 4))
    first, later = local.job(monday, MAP), local.job(tuesday, MAP)
    await first.open(local.company)
    await later.open(local.company)
    await sent(local, "wednesday.csv", rows(2), MAP)
    for job in (first, later):
        assert (await refusal(job, local)).why == "sent_elsewhere"


async def test_a_file_to_send_again_is_not_sent_if_another_job_started_before_the_confirmation(
    local: Local,
) -> None:
    monday = await sent(local, "monday.csv", rows(1, 2), KEYED)
    await undo(local, monday.with_name("monday.csv.job"))
    again = local.job(monday, KEYED, again=True)
    await again.open(local.company)
    await sent(local, "tuesday.csv", rows(2), KEYED)
    with pytest.raises(JournalError):
        await again.run(local.company)
    assert await open_orders(local) == Counter("2")
    assert await refused(local, monday, KEYED, again=True) == [3]


async def test_rows_that_another_job_admitted_before_the_confirmation_are_not_sent(local: Local) -> None:
    monday = local.write(rows(1)).rename(local.folder / "monday.csv")
    tuesday = local.write(rows(1, 2)).rename(local.folder / "tuesday.csv")
    other = await local.job(monday, MAP).open(local.company)
    await other.journal.start_run(**other.request.details(local.company))
    waiting = local.job(tuesday, MAP)
    await waiting.open(local.company)
    await other.admit()
    found = await refusal(waiting, local)
    assert (found.why, found.remedies) == ("sent_elsewhere", (Remedy.WAIT,))
    await other.journal.close()


@UNMARKED
async def test_a_reject_that_another_job_sent_before_the_confirmation_is_not_sent(
    local: Local, text: str
) -> None:
    monday = await sent(local, "monday.csv", [["1", LONG, "", ""], *rows(2)], text)
    fixed = local.job(corrected(monday.with_name("monday.csv.job"), LONG, "text 1"), text)
    await fixed.open(local.company)
    await sent(local, "tuesday.csv", [["1", "text 1", "", ""]], text)
    assert (await refusal(fixed, local)).lines == (2,)


@SIMILAR_KEYS
async def test_a_run_without_a_row_compares_no_key(local: Local, text: str, marker: str | None) -> None:
    """A refused row is sent from another file; another reject is imported; the row is corrected in place."""
    content = [["001", LONG, "", ""], ["002", LONG, "", ""]]
    monday = await sent(local, "monday.csv", content, text, marker=marker)
    folder = monday.with_name("monday.csv.job")
    await sent(local, "tuesday.csv", [["1", "a", "", ""]], text, marker=marker)
    rejects = corrected(folder, f"002,{LONG}", "002,b")
    lines = rejects.read_text("utf-8").splitlines(keepends=True)
    rejects.write_text("".join(line for line in lines if "001" not in line), "utf-8")
    assert (await local.run(rejects, text, marker=marker)).done_now == 1
    source = local.write([["001", "a", "", ""], ["002", "b", "", ""]]).rename(monday)
    assert (await refusal(local.job(source, text, marker=marker), local)).why == "key_disguised"


@UNMARKED
async def test_rows_sent_with_another_map_are_the_same(local: Local, text: str) -> None:
    await sent(local, "monday.csv", rows(1, 2), text)
    copy = local.write(rows(1, 2, 3)).rename(local.folder / "copy.csv")
    other = text.replace('comment = "{notes}"', 'comment = "{notes}{customer}"')
    assert other != text
    found = await refusal(local.job(copy, other), local)
    assert (found.why, found.changed, found.rows) == ("sent_elsewhere", 0, 2)
    assert await refused(local, copy, other, new_rows=True) == [2, 3]


async def test_rejects_of_a_replaced_ledger_with_a_day_as_its_name(local: Local) -> None:
    folder = local.folder / "2026-11-30"
    source = local.write([["1", LONG, "", ""], *rows(2)])
    await local.run(source, KEYED, folder=folder)
    await local.run(source, KEYED, folder=folder, again=True)
    found = await refusal(local.job(corrected(folder, LONG, "short"), KEYED), local)
    assert (found.why, found.folder) == ("superseded", local.folder / "2026-11-30-2")


async def test_an_undo_frees_the_keys_for_other_files_in_the_directory(local: Local) -> None:
    monday = await sent(local, "monday.csv", rows(1, 2), MAP, marker=MARKER)
    await undo(local, monday.with_name("monday.csv.job"))
    copy = shutil.copy(monday, local.folder / "copy.csv")
    assert (await checked(local, copy, MAP, marker=MARKER)).counts["there"] == 0
    assert (await local.run(copy, MAP, marker=MARKER)).done_now == 2


@pytest.mark.parametrize("marker", [None, MARKER])
@pytest.mark.parametrize("lose", [False, True], ids=["damaged", "lost"])
async def test_a_ledger_that_is_damaged_behind_its_first_pages_or_lost_is_named(
    local: Local, marker: str | None, lose: bool
) -> None:
    monday = await sent(local, "monday.csv", rows(1), MAP, marker=marker)
    other = (await sent(local, "other.csv", rows(7), MAP, marker=marker)).with_name("other.csv.job")
    if lose:
        (other / "journal.db").unlink()
    else:
        _damage_tables(other / "journal.db")
    with pytest.raises(JournalError) as caught:
        await local.run(append(monday, rows(2)), MAP, marker=marker)
    assert (caught.value.remedies, caught.value.facts["folder"]) == ((Remedy.MOVE_JOB,), str(other))


def _damage_tables(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        query = "SELECT rootpage FROM sqlite_master WHERE name IN ('planned', 'identity', 'outcome', 'undo')"
        pages, (size,) = db.execute(query).fetchall(), db.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        for (page,) in pages:
            file.seek((page - 1) * size)
            file.write(bytes(size))


async def test_a_check_of_rejects_knows_what_other_jobs_undid(local: Local) -> None:
    monday = await sent(local, "monday.csv", [["1", "a", "", ""], ["2", LONG, "", ""]], MAP, marker=MARKER)
    tuesday = await sent(local, "tuesday.csv", rows(2), MAP, marker=MARKER)
    rejects = corrected(monday.with_name("monday.csv.job"), LONG, "a")
    assert (await checked(local, rejects, MAP, marker=MARKER)).existing
    await undo(local, tuesday.with_name("tuesday.csv.job"))
    assert not (await checked(local, rejects, MAP, marker=MARKER)).existing
    assert (await local.run(rejects, MAP, marker=MARKER)).done_now == 1


UNREAD = MAP.replace('po_number = "{key}"\n', "")
"""A map without a key, which does not read the column that other maps take the key from."""


@pytest.mark.parametrize("was", [f'key = "{{key}}"\n{UNREAD}', MAP], ids=["key", "marker"])
@pytest.mark.parametrize("first", [True, False])
async def test_rows_of_a_job_with_keys_are_known_by_all_their_cells(
    local: Local, was: str, first: bool
) -> None:
    await sent(local, "monday.csv", rows(1, 2), was, marker=MARKER if was == MAP else None)
    tuesday = local.write(rows(9)).rename(local.folder / "tuesday.csv")
    if not first:
        await local.run(tuesday, UNREAD)
    assert await refused(local, append(tuesday, rows(2, 3)), UNREAD) == [3]


async def test_again_in_a_first_run_asks_before_it_sends_rows_of_another_job(local: Local) -> None:
    await sent(local, "monday.csv", rows(1, 2), KEYED)
    job = local.job(local.write(rows(2, 3)).rename(local.folder / "tuesday.csv"), KEYED, again=True)
    opened = await job.open(local.company)
    assert (opened.plan.leaves_done, opened.plan.begins) == (1, True)
    await job.close()


async def test_again_in_a_first_run_waits_for_a_job_with_rows_in_doubt(local: Local) -> None:
    monday = local.write(rows(1, 2)).rename(local.folder / "monday.csv")
    await killed_while_sending(local.job(monday, MAP), local, [1])
    tuesday = local.write(rows(1, 3)).rename(local.folder / "tuesday.csv")
    found = await refusal(local.job(tuesday, MAP, again=True), local)
    assert (found.why, found.remedies) == ("sent_elsewhere", (Remedy.NEWER_JOB, Remedy.SETTLE))


async def test_a_job_with_another_key_cannot_take_the_file(local: Local) -> None:
    await sent(local, "monday.csv", rows(1, 2), KEYED)
    copy = local.write(rows(1, 2)).rename(local.folder / "copy.csv")
    assert (await refusal(local.job(copy, MAP), local)).remedies == (Remedy.SEND_AGAIN,)


async def test_the_job_of_all_its_rows_takes_a_copy_with_more(local: Local) -> None:
    folder = Path(f"{await sent(local, 'monday.csv', rows(1, 2), MAP)}.job")
    copy = local.write(rows(1, 2, 3)).rename(local.folder / "copy.csv")
    found = await refusal(local.job(copy, MAP), local)
    assert found.remedies == (Remedy.REMOVE_ROWS, Remedy.THAT_FOLDER)
    assert (await local.run(copy, MAP, folder=folder)).done_now == 1
    assert await held(local) == Counter("123")


async def test_only_the_job_itself_can_tell_which_rows_of_a_copy_are_edited(local: Local) -> None:
    """Without a key. To import only the rest would double the edited row."""
    folder = Path(f"{await sent(local, 'monday.csv', rows(1, 2), MAP)}.job")
    copy = local.write([*rows(1), ["2", "edited", "", ""]]).rename(local.folder / "copy.csv")
    found = await refusal(local.job(copy, MAP), local)
    assert (found.lines, found.gone, found.remedies) == ((2,), 1, (Remedy.THAT_FOLDER,))
    found = await refusal(local.job(copy, MAP, folder=folder), local)
    assert (found.why, found.gone, found.rows) == ("edited_or_new", 1, 1)
    assert await held(local) == Counter("12")


@pytest.mark.parametrize("is_killed", [False, True], ids=["ended", "killed"])
@pytest.mark.parametrize("is_edited", [False, True], ids=["same", "edited"])
@pytest.mark.parametrize(("text", "marker"), EITHER, ids=["key", "marker"])
async def test_a_renamed_file_belongs_to_its_job_also_if_the_map_has_a_key_now(
    local: Local, text: str, marker: str | None, is_edited: bool, is_killed: bool
) -> None:
    """To send all rows again, or to remove those that were sent, would double them."""
    source = local.write(rows(1, 2, 3)).rename(local.folder / "old.csv")
    if is_killed:
        folder = await killed_while_sending(local.job(source, MAP), local, [1])
    else:
        folder = (await local.run(source, MAP)).folder
    table = [*rows(1, 2), ["3", "edited", "", ""] if is_edited else rows(3)[0]]
    local.write(table).rename(source)
    new = source.rename(local.folder / "new.csv")
    found = await refusal(local.job(new, text, marker=marker), local)
    assert (found.why, found.remedies, found.folder) == ("sent_elsewhere", (Remedy.THAT_FOLDER,), folder)
    again = local.job(new, text, marker=marker, folder=folder)
    if is_edited and not is_killed:
        assert Remedy.KEY_FIRST in (await refusal(again, local)).remedies
    elif not (is_killed and marker):  # the marker of the row in doubt is unknown
        assert (await again.run(local.company)).complete is not is_killed
    assert max((await held(local)).values(), default=1) == 1


@pytest.mark.parametrize("change", ["none", "cell", "more", "reject"])
@pytest.mark.parametrize("is_killed", [False, True], ids=["ended", "killed"])
@pytest.mark.parametrize(("text", "marker"), [(MAP, None), *EITHER], ids=["nothing", "key", "marker"])
async def test_a_renamed_file_belongs_to_its_job(
    local: Local, text: str, marker: str | None, is_killed: bool, change: str
) -> None:
    """One remedy, whatever else changed. With a marker, only rows in doubt need it."""
    old = local.folder / "old.csv"
    table = [["1", "a", "", ""], ["2", "b", "", ""], ["3", LONG if change == "reject" else "c", "", ""]]
    source = local.write(table).rename(old)
    if is_killed:
        folder = await killed_while_sending(local.job(source, text, marker=marker), local, [1])
    else:
        folder = (await local.run(source, text, marker=marker)).folder
    if change == "cell":
        table[1][1] = "edited"
    elif change == "more":
        table.append(["4", "d", "", ""])
    local.write(table).rename(old)
    new = old.rename(local.folder / "new.csv")
    if marker is None or is_killed:
        found = await refusal(local.job(new, text, marker=marker), local)
        assert (found.why, found.remedies, found.folder) == ("sent_elsewhere", (Remedy.THAT_FOLDER,), folder)
    unkeyed_edit = change == "cell" and text == MAP and marker is None
    if unkeyed_edit and not is_killed:  # the row that was planned when the run was killed was not sent
        assert (await refusal(local.job(new, text, folder=folder), local)).why == "edited_or_new"
    else:
        summary = await local.run(new, text, marker=marker, folder=folder)
        assert summary.done == len(table) - (change == "reject") - (is_killed and marker is None)
    assert max((await held(local)).values()) == 1


async def test_another_job_that_lost_its_last_commits_is_no_empty_one(local: Local) -> None:
    old = local.write(rows(1, 2)).rename(local.folder / "old.csv")
    async with killed(local.job(old, MAP), local) as journal:
        await journal.begin([1])
        folder = Path(shutil.copytree(journal.folder, local.folder / "killed.job"))
    shutil.rmtree(journal.folder)
    (folder / "journal.db-wal").unlink()
    (folder / "journal.db-shm").unlink()
    new = old.rename(local.folder / "new.csv")
    with pytest.raises(JournalError) as caught:
        await local.run(new, MAP)
    assert (caught.value.remedies, caught.value.facts["folder"]) == ((Remedy.MOVE_JOB,), str(folder))


async def test_rows_of_two_other_jobs_are_all_listed(local: Local) -> None:
    """No job has sent all of them, so none can take the file."""
    await sent(local, "monday.csv", rows(1, 2), KEYED)
    await sent(local, "tuesday.csv", rows(3, 4, 5), KEYED)
    week = local.write(rows(1, 3, 4, 9)).rename(local.folder / "week.csv")
    found = await refusal(local.job(week, KEYED), local)
    assert (found.rows, found.lines, found.remedies) == (3, (2, 3, 4), (Remedy.REMOVE_ROWS,))
    assert (found.folder, found.others) == (local.folder / "tuesday.csv.job", 1)
    assert (await local.run(local.write(rows(9)).rename(week), KEYED)).done_now == 1


async def test_what_again_asks_about_is_said_by_a_check_and_asked_anew(local: Local) -> None:
    await sent(local, "monday.csv", rows(1), KEYED)
    tuesday = local.write(rows(1, 2)).rename(local.folder / "tuesday.csv")
    check = await checked(local, tuesday, KEYED, again=True)
    assert any("resent" in each and each.endswith(": 1") for each in check.warnings)
    job = local.job(tuesday, KEYED, again=True)
    await job.open(local.company)
    await sent(local, "wednesday.csv", rows(2), KEYED)
    with pytest.raises(JournalError):
        await job.run(local.company)
    assert await held(local) == Counter("12")


async def test_rows_in_doubt_of_another_job_are_settled_before_they_are_looked_up(local: Local) -> None:
    """A request of a killed job may still take effect, so a look-up that finds nothing proves nothing."""
    monday = local.write(rows(1, 2)).rename(local.folder / "monday.csv")
    await killed_while_sending(local.job(monday, MAP, marker=MARKER), local, [1])
    tuesday = local.write(rows(1, 3)).rename(local.folder / "tuesday.csv")
    found = await refusal(local.job(tuesday, MAP, marker=MARKER), local)
    assert (found.why, found.lines, found.remedies) == (
        "sent_elsewhere",
        (2,),
        (Remedy.NEWER_JOB, Remedy.SETTLE),
    )
    assert (await local.run(monday, MAP, marker=MARKER)).done == 2
    summary = await local.run(tuesday, MAP, marker=MARKER)
    assert (summary.done_now, summary.failed) == (1, 1)


async def test_look_ups_need_not_find_the_record_that_a_person_named(local: Local) -> None:
    """It may have been made by hand, without the key."""
    monday = local.write(rows(1, 2)).rename(local.folder / "monday.csv")
    folder = await killed_while_sending(local.job(monday, MAP, marker=MARKER), local, [1])
    async with Journal.open(folder) as journal:
        await decide(journal, 1, 512, "somebody")
    await local.run(monday, MAP, marker=MARKER)
    tuesday = local.write(rows(1, 2, 3)).rename(local.folder / "tuesday.csv")
    assert await refused(local, tuesday, MAP, marker=MARKER) == [2]


async def test_the_job_with_rows_in_doubt_is_named_before_one_that_sent_more(local: Local) -> None:
    await sent(local, "monday.csv", rows(1, 2, 3), MAP)
    tuesday = local.write(rows(4)).rename(local.folder / "tuesday.csv")
    folder = await killed_while_sending(local.job(tuesday, MAP), local, [1])
    week = local.write(rows(1, 2, 3, 4)).rename(local.folder / "week.csv")
    found = await refusal(local.job(week, MAP), local)
    assert (found.folder, found.lines, found.remedies) == (folder, (5,), (Remedy.NEWER_JOB, Remedy.SETTLE))
