"""Rows that the ledger knows, and that changed meanwhile: what random walks of imports found."""

from __future__ import annotations

import csv
import shutil
from collections import Counter

import pytest

from tests.jobs.conftest import Local
from tests.jobs.ledger.imports import LONG, corrected, open_orders, undo
from tests.jobs.ledger.imports import refusal as refused
from tests.jobs.maps import KEYED, MAP, MARKER, rows
from tests.jobs.runs import carried_out, held, killed_while_sending, order
from tests.jobs.test_check import checked
from tests.jobs.test_operations import COLUMNS, UPDATE, made
from wosdk_async import Customer, WoCreateCommand
from wosdk_async.jobs import Import
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.ledger.refusals import ImportRefusedError
from wosdk_async.text.remedies import Remedy


async def test_a_row_that_changed_before_it_was_found_is_counted(local: Local) -> None:
    """Its process was killed, so that only the look-up shows that it was sent with other cells."""
    await killed_while_sending(local.job(rows(1, 2), MAP, marker=MARKER), local, [1])
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    changed = local.write([["1", "another text", "", ""], *rows(2)])
    summary = await local.run(changed, MAP, marker=MARKER)
    assert (summary.done, summary.changed, summary.first_changed) == (2, 1, 2)
    with (summary.folder / "results.csv").open(newline="") as file:
        assert [bool(row["changed"]) for row in csv.DictReader(file)] == [True, False]


async def test_an_import_whose_file_changed_after_it_was_read_is_not_complete(local: Local) -> None:
    """All rows that were read are sent, for example after a prompt; those that came since then are not."""
    path = local.write(rows(1, 2))
    job = local.job(path, KEYED)
    await job.open(local.company)
    local.write(rows(1, 2, 3))
    summary = await job.run(local.company)
    assert (summary.done, summary.not_started, summary.complete) == (2, 0, False)


async def test_a_row_in_doubt_whose_cells_have_changed_is_listed_as_such(local: Local) -> None:
    """A person looks for the record with the cells that were sent, which the ledger does not keep."""
    await killed_while_sending(local.job(rows(1, 2), KEYED), local, [1, 2])
    edited = local.write([["1", "another text", "", ""], *rows(2)])
    folder = (await local.run(edited, KEYED)).folder
    with (folder / "in_doubt.csv").open(newline="", encoding="utf-8") as file:
        assert [each["_changed"] for each in csv.DictReader(file)] == ["yes", ""]


async def changed(ready: Import, local: Local) -> tuple[int, int, int]:
    """Count the rows that differ from what was sent: in the plan, in the summary, and in ``results.csv``."""
    summary = await ready.run(local.company)
    with (summary.folder / "results.csv").open(newline="") as file:
        listed = sum(bool(row["changed"]) for row in csv.DictReader(file))
    return summary.plan.get("done_changed", 0), summary.changed, listed


async def test_plan_summary_and_results_agree_after_a_change_of_the_map(local: Local) -> None:
    """Only the map changes, and no longer reads a column in which the rows have cells."""
    source, head = local.write(rows(1, 2)), f'marker = "{MARKER}"\n{MAP}'
    other = head.replace('comment = "{notes}"', 'comment = "x"')
    assert other != head
    assert await changed(local.job(source, head), local) == (0, 0, 0)
    for text, count in ((other, 2), (other, 2), (head, 0), (other, 2)):
        assert await changed(local.job(source, text), local) == (count,) * 3


async def test_rows_whose_cells_were_sent_do_not_count_as_changed_once_the_map_has_a_key(
    local: Local,
) -> None:
    """The map reads one more column, for the key only."""
    keyless = MAP.replace('po_number = "{key}"\n', "")
    assert await changed(local.job(local.write(rows(1, 2)), keyless), local) == (0, 0, 0)
    for text in (f'key = "{{key}}"\n{keyless}', keyless, f'key = "{{key}}"\n{keyless}'):
        assert await changed(local.job(local.write(rows(1, 2)), text), local) == (0, 0, 0)
    edited = local.write([["1", "another text", "notes 1", ""], *rows(2, 3)])
    assert await changed(local.job(edited, f'key = "{{key}}"\n{keyless}'), local) == (1, 1, 1)


async def test_a_key_that_a_spreadsheet_changed_is_noticed_after_rows_got_keys(local: Local) -> None:
    """The rows were sent without a key, so the ledger knew them by the beginnings of their cells."""
    await local.run(rows("00501", "2"), MAP)
    await local.run(rows("00501", "2"), KEYED)
    with pytest.raises(ImportRefusedError) as caught:
        await local.run(rows("501", "2"), KEYED)
    refusal = caught.value.refusal
    assert (refusal.why, refusal.first_gone.name, refusal.gone) == ("key_disguised", "00501", 1)
    assert sum((await held(local)).values()) == 2


@pytest.mark.parametrize("rejects", [True, False], ids=["rejects", "back"])
async def test_a_refused_row_whose_key_a_spreadsheet_changed_is_not_sent_with_both_keys(
    local: Local, rejects: bool
) -> None:
    """Its row was sent with the new key; then the old rejects come, or the file as it was, corrected."""
    folder = (await local.run([["K4", LONG, "", ""]], MAP, marker=MARKER)).folder
    old = corrected(folder, LONG, "text") if rejects else None
    changed = local.write(rows("k4"))
    assert (await refused(local.job(changed, MAP, marker=MARKER), local)).why == "key_disguised"
    assert (await local.run(changed, MAP, marker=MARKER, new_rows=True)).done_now == 1
    source = old or local.write(rows("K4"))
    found = await refused(local.job(source, MAP, marker=MARKER), local)
    assert (found.why, found.first_new.name, found.first_gone.name) == ("key_disguised", "K4", "k4")
    both = local.write(rows("k4", "K4"))  # rows of one file are two rows
    assert (await local.run(both, MAP, marker=MARKER)).done_now == 1
    assert await held(local) == Counter(["k4", "K4"])


async def test_a_refused_row_is_not_sent_after_its_reject_with_the_key_before_a_spreadsheet_changed_it(
    local: Local,
) -> None:
    """The file with the new key was refused, too, before the old rejects were sent."""
    folder = (await local.run([["K4", LONG, "", ""]], MAP, marker=MARKER)).folder
    copy = shutil.copy(corrected(folder, LONG, "text"), local.write([]).with_name("copy.csv"))
    assert (await local.run([["k4", LONG, "", ""]], MAP, marker=MARKER, new_rows=True)).failed == 1
    assert (await local.run(copy, MAP, marker=MARKER)).done_now == 1
    source = local.write(rows("k4"))
    assert (await refused(local.job(source, MAP, marker=MARKER), local)).why == "key_disguised"
    assert (await local.run(source, MAP, marker=MARKER, new_rows=True)).done_now == 1


async def test_a_reject_that_was_sent_without_a_key_gets_its_key_back(local: Local) -> None:
    source = local.write([["001", LONG, "", ""], *rows("002")])
    folder = (await local.run(source, KEYED)).folder
    assert (await local.run(corrected(folder, LONG, "text"), MAP)).done_now == 1
    assert (await local.run(source, KEYED)).done == 2
    local.write([["1", "text", "", ""], *rows("002")])
    assert (await refused(local.job(source, KEYED), local)).why == "key_disguised"


async def test_new_rows_answers_once_also_for_a_row_that_was_never_sent(local: Local) -> None:
    await killed_while_sending(local.job(rows("001"), MAP, marker=MARKER), local, [])
    source = local.write([["1", LONG, "", ""]])
    assert (await refused(local.job(source, MAP, marker=MARKER), local)).why == "key_disguised"
    assert (await local.run(source, MAP, marker=MARKER, new_rows=True)).failed == 1
    assert (await local.run(source, MAP, marker=MARKER)).failed == 1


async def test_two_keys_of_one_file_are_not_confused_once_one_is_gone(local: Local) -> None:
    """Also not by the command that is repeated."""
    await local.run([*rows("001"), ["1", LONG, "", ""]], MAP, marker=MARKER)
    for _ in range(2):
        summary = await local.run([["1", LONG, "", ""]], MAP, marker=MARKER)
        assert (summary.failed, summary.gone) == (1, 1)
    assert (await local.run(rows("1"), MAP, marker=MARKER)).done_now == 1


@pytest.mark.parametrize("head", [f'marker = "{MARKER}"\n{MAP}', KEYED], ids=["marker", "key"])
async def test_new_rows_says_nothing_about_the_keys_of_later_files(local: Local, head: str) -> None:
    await local.run(rows("001", "002"), head)
    await local.run(rows("003"), head, new_rows=True)
    later = local.write([["1", LONG, "", ""], *rows("2")])
    found = await refused(local.job(later, head), local)
    assert (found.why, found.first_new and found.first_new.name) == ("key_disguised", "1")
    summary = await local.run(later, head, new_rows=True)
    assert (summary.done_now, summary.failed) == (1, 1)
    again = local.write(rows("1", "2"))  # the rows of that command are not asked about again
    assert (await local.run(again, head)).done_now == 1
    assert await held(local) == Counter(["001", "002", "003", "1", "2"])


async def test_exponents_in_a_column_of_long_keys_are_not_sent(local: Local) -> None:
    """Neither they nor their corrected rejects, nor the file with the keys of before."""
    head = f'key = "C-{{key}}"\n{MAP}'
    known = rows("5012345678901", "6012345678902")
    await local.run(known, head)
    summary = await local.run(rows("5.01235E+12", "6,01235e+12"), head)
    assert (summary.done_now, summary.failed) == (0, 2)
    rejects = corrected(summary.folder, "6,01235e+12", known[1][0])
    for source in (rejects, known):
        assert (await local.run(source, head)).done_now == 0
    assert (await held(local)).total() == 2


async def test_keys_that_a_spreadsheet_changed_are_counted_and_the_first_shown(local: Local) -> None:
    """Also in the plan of a new ledger, which sends all rows again."""
    await local.run(rows("001", "002", "003", "004", "5"), MAP, marker=MARKER)
    changed = local.write(rows("4", "2", "5", "1", "3"))
    found = await refused(local.job(changed, MAP, marker=MARKER), local)
    assert (found.why, found.rows, found.remedies) == ("key_disguised", 4, (Remedy.NEW_KEYS,))
    names = [(new.name, new.line, gone.name, gone.line) for new, gone in found.resembling]
    assert names == [("4", 2, "004", 5), ("2", 3, "002", 3), ("1", 5, "001", 2)]
    plan = (await local.job(changed, MAP, marker=MARKER, again=True).open(local.company)).plan
    assert (plan.leaves_done, plan.resembling) == (5, 4)


async def test_stale_rejects_overwrite_no_update(local: Local) -> None:
    """The row was corrected in the file as well and updated; its reject has another key and older values."""
    await made(local, "T1")
    folder = (await local.run(local.write([["T1", "", LONG]], COLUMNS), UPDATE)).folder
    rejects = corrected(folder, LONG, "older")
    source = local.write([["T1", "", "newer"]], COLUMNS)
    assert (await local.run(source, UPDATE)).done_now == 1
    rejects = corrected(folder, "T1", "T2")
    assert dict((await checked(local, rejects, UPDATE)).counts) == {"changed": 1}
    for path in (rejects, source):
        local.server.asked[:] = []
        assert (await local.run(path, UPDATE)).done_now == 0
        assert not any(each.startswith("PUT") for each in local.server.asked)


@pytest.mark.parametrize("before", [UPDATE, UPDATE.replace("{note}", "{note}?")], ids=["map", "other map"])
async def test_an_update_that_was_found_is_not_written_again(local: Local, before: str) -> None:
    """Its process was killed, and the record has what file and map say by now."""
    (id,) = await made(local, "T1")
    source = local.write([["T1", "", "first"]], COLUMNS)
    await killed_while_sending(local.job(source, before), local, [1])
    await local.company.update(Customer.ref(id), instructions="second")
    source = local.write([["T1", "", "second"]], COLUMNS)
    company, local.server.asked[:] = local.company, []
    for _ in range(2):
        summary = await local.job(source, UPDATE).run(company)
        assert (summary.done, summary.complete) == (1, True)
    assert not any(each.startswith("PUT") for each in local.server.asked)


async def test_a_row_without_a_key_is_refused_where_the_map_has_one(local: Local) -> None:
    """It would be known by its cells, and sent once more after each change of a cell."""
    for text in ("a", "b"):
        source = local.write([[" ", text, "", ""], *rows(2)])
        summary, outcomes = await carried_out(local.job(source, KEYED), local)
        assert (summary.done, summary.failed) == (1, 1)
        assert [each.reason for each in outcomes.values() if each.outcome == "failed"] == [
            "the key '{key}' is empty; each row needs its own key"
        ]
    assert await held(local) == Counter("2")


async def test_a_row_in_doubt_whose_key_is_corrected_is_never_sent_with_another_key_than_the_ledger_has(
    local: Local,
) -> None:
    """By the ledger's key it is looked up: a record with another one would not be found."""
    local.server.refused = "text 1"
    summary = await local.run(rows(1, 2), MAP, marker=MARKER)
    local.server.refused = None
    folder = summary.folder
    rejects = folder / "rejects.csv"
    text = rejects.read_text()
    rejects.write_text(text.replace("1,text 1", "1a,text 1"))
    await killed_while_sending(local.job(rejects, MAP, marker=MARKER), local, [1])
    rejects.write_text(text.replace("1,text 1", "1b,text 1"))
    found = []
    for _ in range(2):
        ready = local.job(rejects, MAP, marker=MARKER)
        summary = await ready.run(local.company)
        found.append((summary.done, summary.waiting, summary.stopped))
    assert found == [(0, 1, None), (1, 0, None)]
    assert await held(local) == Counter(["1b", "2"])
    async with Journal.open(folder, read_only=True) as journal:
        assert [row.key for row in await journal.rows_in()] == ["1b", "2"]


async def test_a_map_gets_a_key_while_rows_are_appended(local: Local) -> None:
    assert (await local.run(rows(1, 2), MAP)).done == 2
    assert (await local.run(rows(1, 2, 3), KEYED)).done == 3
    changed = [["1", "another text", "notes 1", ""], *rows(2, 3)]
    assert (await local.run(changed, KEYED)).done == 3
    assert len(await local.rows("WorkOrder")) == 3


async def test_the_key_of_an_undone_record_is_free_for_a_row_that_the_ledger_does_not_know(
    local: Local,
) -> None:
    """It was sent without a key, undone and edited; then the map got a marker."""
    await undo(local, (await local.run(rows(1), MAP)).folder)
    edited = local.write([["1", "another text", "", ""]])
    summary = await local.run(edited, MAP, marker=MARKER)
    assert (summary.done_now, summary.failed) == (1, 0)
    assert await open_orders(local) == Counter("1")


async def test_a_copy_is_refused_whose_rows_were_sent_with_corrected_cells(local: Local) -> None:
    local.server.refused = "text 1"
    file = local.write(rows(1))
    copy = shutil.copy(file, file.with_name("copy.csv"))
    assert (await local.run(file, MAP)).failed == 1
    rejects = file.with_name("rows.csv.job") / "rejects.csv"
    rejects.write_text(rejects.read_text().replace("text 1", "corrected"))
    assert (await local.run(rejects, MAP)).done == 1
    local.server.refused = None
    with pytest.raises(ImportRefusedError) as caught:
        await local.run(copy, MAP)
    assert (caught.value.refusal.why, caught.value.refusal.rows) == ("sent_elsewhere", 1)


async def test_a_named_folder_is_used_beside_those_of_other_operations(local: Local) -> None:
    file = local.write(rows(1))
    folder = file.with_name("rows.csv.job")
    assert (await local.run(file, MAP)).done == 1
    reading = 'operation = "WoLastModificationCommand"\n[command]\nwork_order_id = "{key}"\n'
    assert (await local.run(file, reading)).folder == folder.with_name("rows.csv.job-2")
    summary = await local.run(file, MAP, folder=folder)
    assert (summary.folder, summary.done_now) == (folder, 0)


async def test_results_have_the_keys_of_a_map_without_a_marker(local: Local) -> None:
    """Also that of another row, and no cells of a row whose key is empty."""
    twice = [["1", "text", "", ""], ["1", "other", "", ""], ["", "none", "", ""], *rows(2)]
    summary = await local.run(twice, KEYED)
    with (summary.folder / "results.csv").open(newline="") as file:
        found = [(row["outcome"], row["key"]) for row in csv.DictReader(file)]
    assert found == [("created", "1"), ("failed", "1"), ("failed", ""), ("created", "2")]
    summary = await local.run(rows(1, 2), MAP, folder=summary.folder.with_name("cells.job"), again=True)
    with (summary.folder / "results.csv").open(newline="") as file:
        assert {row["key"] for row in csv.DictReader(file)} == {""}
