"""Rows that the ledger knows, and that changed meanwhile: what random walks of imports found."""

from __future__ import annotations

import csv
import shutil
from collections import Counter

import pytest

from tests.jobs.conftest import Job, Local, Write
from tests.jobs.ledger.imports import LONG, corrected, open_orders, sent, undo
from tests.jobs.ledger.imports import refusal as refused
from tests.jobs.maps import HEADER, MAP, MARKER, rows
from tests.jobs.runs import carried_out, held, killed_while_sending, order
from tests.jobs.test_check import checked
from tests.jobs.test_operations import COLUMNS, UPDATE, made
from wosdk_async import Customer, WoCreateCommand
from wosdk_async.jobs import Import
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.ledger.refusals import ImportRefusedError

KEYED = f'key = "{{key}}"\n{MAP}'


async def test_a_row_that_changed_before_it_was_found_is_counted(
    local: Local, job: Job, write: Write
) -> None:
    """Its process was killed, so that only the look-up shows that it was sent with other cells."""
    await killed_while_sending(job(write(HEADER, rows(1, 2)), MAP, marker=MARKER), local, [1])
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    changed = write(HEADER, [["1", "another text", "", ""], *rows(2)])
    summary = await job(changed, MAP, marker=MARKER).run(local.company.with_options(settle=0))
    assert (summary.done, summary.changed) == (2, 1)
    assert summary.folder is not None
    with (summary.folder / "results.csv").open(newline="") as file:
        assert [bool(row["changed"]) for row in csv.DictReader(file)] == [True, False]


async def changed(ready: Import, local: Local) -> tuple[int, int, int]:
    """Count the rows that differ from what was sent: in the plan, in the summary, and in ``results.csv``."""
    summary = await sent(ready, local)
    assert summary.folder is not None
    with (summary.folder / "results.csv").open(newline="") as file:
        listed = sum(bool(row["changed"]) for row in csv.DictReader(file))
    return summary.plan.get("done_changed", 0), summary.changed, listed


async def test_plan_summary_and_results_agree_after_a_change_of_the_map(
    local: Local, job: Job, write: Write
) -> None:
    """Only the map changes, and no longer reads a column in which the rows have cells."""
    source, head = write(HEADER, rows(1, 2)), f'marker = "{MARKER}"\n{MAP}'
    other = head.replace('comment = "{notes}"', 'comment = "x"')
    assert other != head
    assert await changed(job(source, head), local) == (0, 0, 0)
    for text, count in ((other, 2), (other, 2), (head, 0), (other, 2)):
        assert await changed(job(source, text), local) == (count,) * 3


async def test_rows_whose_cells_were_sent_do_not_count_as_changed_once_the_map_has_a_key(
    local: Local, job: Job, write: Write
) -> None:
    """The map reads one more column, for the key only."""
    keyless = MAP.replace('po_number = "{key}"\n', "")
    assert await changed(job(write(HEADER, rows(1, 2)), keyless), local) == (0, 0, 0)
    for text in (f'key = "{{key}}"\n{keyless}', keyless, f'key = "{{key}}"\n{keyless}'):
        assert await changed(job(write(HEADER, rows(1, 2)), text), local) == (0, 0, 0)
    edited = write(HEADER, [["1", "another text", "notes 1", ""], *rows(2, 3)])
    assert await changed(job(edited, f'key = "{{key}}"\n{keyless}'), local) == (1, 1, 1)


async def test_a_key_that_a_spreadsheet_changed_is_noticed_after_rows_got_keys(
    local: Local, job: Job, write: Write
) -> None:
    """The rows were sent without a key, so the ledger knew them by the beginnings of their cells."""
    await job(write(HEADER, rows("00501", "2")), MAP).run(local.company)
    keyed = f'key = "{{key}}"\n{MAP}'
    await job(write(HEADER, rows("00501", "2")), keyed).run(local.company)
    with pytest.raises(ImportRefusedError) as caught:
        await job(write(HEADER, rows("501", "2")), keyed).run(local.company)
    refusal = caught.value.refusal
    assert refusal.first_gone is not None
    assert (refusal.why, refusal.first_gone.name, refusal.gone) == ("key_disguised", "00501", 1)
    assert sum((await held(local)).values()) == 2


@pytest.mark.parametrize("rejects", [True, False], ids=["rejects", "back"])
async def test_a_refused_row_whose_key_a_spreadsheet_changed_is_not_sent_with_both_keys(
    local: Local, job: Job, write: Write, rejects: bool
) -> None:
    """Its row was sent with the new key; then the old rejects come, or the file as it was, corrected."""
    folder = (await sent(job(write(HEADER, [["K4", LONG, "", ""]]), MAP, marker=MARKER), local)).folder
    old = corrected(folder, LONG, "text") if rejects else None
    assert (await sent(job(write(HEADER, rows("k4")), MAP, marker=MARKER), local)).done_now == 1
    source = old or write(HEADER, rows("K4"))
    found = await refused(job(source, MAP, marker=MARKER), local)
    assert found.first_new is not None
    assert found.first_gone is not None
    assert (found.why, found.first_new.name, found.first_gone.name) == ("key_disguised", "K4", "k4")
    both = write(HEADER, rows("k4", "K4"))  # rows of one file are two rows
    assert (await sent(job(both, MAP, marker=MARKER), local)).done_now == 1
    assert await held(local) == Counter(["k4", "K4"])


async def test_a_refused_row_is_not_sent_after_its_reject_with_the_key_before_a_spreadsheet_changed_it(
    local: Local, job: Job, write: Write
) -> None:
    """The file with the new key was refused, too, before the old rejects were sent."""
    folder = (await sent(job(write(HEADER, [["K4", LONG, "", ""]]), MAP, marker=MARKER), local)).folder
    copy = shutil.copy(corrected(folder, LONG, "text"), write(HEADER, []).with_name("copy.csv"))
    assert (await sent(job(write(HEADER, [["k4", LONG, "", ""]]), MAP, marker=MARKER), local)).failed == 1
    assert (await sent(job(copy, MAP, marker=MARKER), local)).done_now == 1
    source = write(HEADER, rows("k4"))
    assert (await refused(job(source, MAP, marker=MARKER), local)).why == "key_disguised"
    assert (await sent(job(source, MAP, marker=MARKER, new_rows=True), local)).done_now == 1


@pytest.mark.parametrize("head", [f'marker = "{MARKER}"\n{MAP}', KEYED], ids=["marker", "key"])
async def test_new_rows_says_nothing_about_the_keys_of_later_files(
    local: Local, job: Job, write: Write, head: str
) -> None:
    await sent(job(write(HEADER, rows("001", "002")), head), local)
    await sent(job(write(HEADER, rows("003")), head, new_rows=True), local)
    later = write(HEADER, [["1", LONG, "", ""], *rows("2")])
    found = await refused(job(later, head), local)
    assert (found.why, found.first_new and found.first_new.name) == ("key_disguised", "1")
    summary = await sent(job(later, head, new_rows=True), local)
    assert (summary.done_now, summary.failed) == (1, 1)
    again = write(HEADER, rows("1", "2"))  # the rows of that command are not asked about again
    assert (await sent(job(again, head), local)).done_now == 1
    assert await held(local) == Counter(["001", "002", "003", "1", "2"])


async def test_exponents_in_a_column_of_long_keys_are_noticed(local: Local, job: Job, write: Write) -> None:
    head = f'key = "C-{{key}}"\n{MAP}'
    await sent(job(write(HEADER, rows("5012345678901", "6012345678902")), head), local)
    found = await refused(job(write(HEADER, rows("5.01235E+12", "6.01235E+12")), head), local)
    assert (found.why, found.first_new and found.first_new.name) == ("key_disguised", "C-5.01235E+12")


async def test_keys_that_a_spreadsheet_changed_are_counted_and_the_first_shown(
    local: Local, job: Job, write: Write
) -> None:
    """Also in the plan of a new ledger, which sends all rows again."""
    await sent(job(write(HEADER, rows("001", "002", "003", "004", "5")), MAP, marker=MARKER), local)
    changed = write(HEADER, rows("4", "2", "5", "1", "3"))
    found = await refused(job(changed, MAP, marker=MARKER), local)
    assert (found.why, found.rows) == ("key_disguised", 4)
    names = [(new.name, new.line, gone.name, gone.line) for new, gone in found.resembling]
    assert names == [("4", 2, "004", 5), ("2", 3, "002", 3), ("1", 5, "001", 2)]
    plan = (await job(changed, MAP, marker=MARKER, again=True).open(local.company)).plan
    assert (plan.leaves_done, plan.resembling) == (5, 4)


async def test_stale_rejects_overwrite_no_update(local: Local, job: Job, write: Write) -> None:
    """The row was corrected in the file as well and updated; its reject has another key and older values."""
    await made(local, "T1")
    folder = (await sent(job(write(COLUMNS, [["T1", "", LONG]]), UPDATE), local)).folder
    assert folder is not None
    rejects = corrected(folder, LONG, "older")
    source = write(COLUMNS, [["T1", "", "newer"]])
    assert (await sent(job(source, UPDATE), local)).done_now == 1
    rejects = corrected(folder, "T1", "T2")
    assert dict((await checked(local, rejects, UPDATE)).counts) == {"changed": 1}
    for path in (rejects, source):
        local.server.asked[:] = []
        assert (await sent(job(path, UPDATE), local)).done_now == 0
        assert not any(each.startswith("PUT") for each in local.server.asked)


@pytest.mark.parametrize("before", [UPDATE, UPDATE.replace("{note}", "{note}?")], ids=["map", "other map"])
async def test_an_update_that_was_found_is_not_written_again(
    local: Local, job: Job, write: Write, before: str
) -> None:
    """Its process was killed, and the record has what file and map say by now."""
    (id,) = await made(local, "T1")
    source = write(COLUMNS, [["T1", "", "first"]])
    opened = await job(source, before).open(local.company)
    await opened.journal.start_run(**opened.request.details(local.company))
    await opened.admit()
    await opened.journal.begin([1])
    opened.journal.abandon()
    await local.company.update(Customer.ref(id), instructions="second")
    source = write(COLUMNS, [["T1", "", "second"]])
    company, local.server.asked[:] = local.company.with_options(settle=0), []
    for _ in range(2):
        summary = await job(source, UPDATE).run(company)
        assert (summary.done, summary.complete) == (1, True)
    assert not any(each.startswith("PUT") for each in local.server.asked)


async def test_a_row_without_a_key_is_refused_where_the_map_has_one(
    local: Local, job: Job, write: Write
) -> None:
    """It would be known by its cells, and sent once more after each change of a cell."""
    keyed = f'key = "{{key}}"\n{MAP}'
    for text in ("a", "b"):
        source = write(HEADER, [[" ", text, "", ""], *rows(2)])
        summary, outcomes = await carried_out(job(source, keyed), local)
        assert (summary.done, summary.failed) == (1, 1)
        assert [each.reason for each in outcomes.values() if each.outcome == "failed"] == [
            "the key '{key}' is empty; each row needs its own key"
        ]
    assert await held(local) == Counter("2")


async def test_a_row_in_doubt_whose_key_is_corrected_is_never_sent_with_another_key_than_the_ledger_has(
    local: Local, job: Job, write: Write
) -> None:
    """By the ledger's key it is looked up: a record with another one would not be found."""
    local.server.refused = "text 1"
    summary = await job(write(HEADER, rows(1, 2)), MAP, marker=MARKER).run(local.company)
    local.server.refused = None
    folder = summary.folder
    assert folder is not None
    rejects = folder / "rejects.csv"
    text = rejects.read_text()
    rejects.write_text(text.replace("1,text 1", "1a,text 1"))
    await killed_while_sending(job(rejects, MAP, marker=MARKER), local, [1])
    rejects.write_text(text.replace("1,text 1", "1b,text 1"))
    found = []
    for _ in range(2):
        ready = job(rejects, MAP, marker=MARKER)
        summary = await ready.run(local.company.with_options(settle=0))
        found.append((summary.done, summary.waiting, summary.stopped))
    assert found == [(0, 1, None), (1, 0, None)]
    assert await held(local) == Counter(["1b", "2"])
    async with Journal.open(folder, read_only=True) as journal:
        assert [row.key for row in await journal.rows_in()] == ["1b", "2"]


async def test_a_map_gets_a_key_while_rows_are_appended(local: Local, write: Write, job: Job) -> None:
    assert (await job(write(HEADER, rows(1, 2)), MAP).run(local.company)).done == 2
    assert (await job(write(HEADER, rows(1, 2, 3)), KEYED).run(local.company)).done == 3
    changed = [["1", "another text", "notes 1", ""], *rows(2, 3)]
    assert (await job(write(HEADER, changed), KEYED).run(local.company)).done == 3
    assert len(await local.rows("WorkOrder")) == 3


async def test_the_key_of_an_undone_record_is_free_for_a_row_that_the_ledger_does_not_know(
    local: Local, write: Write, job: Job
) -> None:
    """It was sent without a key, undone and edited; then the map got a marker."""
    await undo(local, (await job(write(HEADER, rows(1)), MAP).run(local.company)).folder)
    edited = write(HEADER, [["1", "another text", "", ""]])
    summary = await job(edited, MAP, marker=MARKER).run(local.company)
    assert (summary.done_now, summary.failed) == (1, 0)
    assert await open_orders(local) == Counter("1")


async def test_a_copy_is_refused_whose_rows_were_sent_with_corrected_cells(
    local: Local, write: Write, job: Job
) -> None:
    local.server.refused = "text 1"
    file = write(HEADER, rows(1))
    copy = shutil.copy(file, file.with_name("copy.csv"))
    assert (await job(file, MAP).run(local.company)).failed == 1
    rejects = file.with_name("rows.csv.job") / "rejects.csv"
    rejects.write_text(rejects.read_text().replace("text 1", "corrected"))
    assert (await job(rejects, MAP).run(local.company)).done == 1
    local.server.refused = None
    with pytest.raises(ImportRefusedError) as caught:
        await job(copy, MAP).run(local.company)
    assert (caught.value.refusal.why, caught.value.refusal.rows) == ("sent_elsewhere", 1)


async def test_a_named_folder_is_used_beside_those_of_other_operations(
    local: Local, write: Write, job: Job
) -> None:
    file = write(HEADER, rows(1))
    folder = file.with_name("rows.csv.job")
    assert (await job(file, MAP).run(local.company)).done == 1
    reading = 'operation = "WoLastModificationCommand"\n[command]\nwork_order_id = "{key}"\n'
    assert (await job(file, reading).run(local.company)).folder == folder.with_name("rows.csv.job-2")
    summary = await job(file, MAP, folder=folder).run(local.company)
    assert (summary.folder, summary.done_now) == (folder, 0)
