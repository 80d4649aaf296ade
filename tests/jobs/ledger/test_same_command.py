"""The same command sends what the ledger does not know to be done; the Company is the judge."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.jobs.ledger.imports import corrected, open_orders, refusal, undo
from tests.jobs.maps import CUSTOMER, HEADER, MAP, MARKER, WORK_ORDER, rows
from tests.jobs.runs import carried_out, held, killed_while_sending, order
from tests.jobs.test_operations import COLUMNS, CREATE, UPDATE, customers, made
from wosdk_async import Customer, Ref, WoCreateCommand
from wosdk_async.jobs import CsvFile, Import, ImportMap
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.ledger.refusals import ImportRefusedError
from wosdk_async.text.remedies import Remedy


async def test_a_ledger_has_one_company_and_one_operation(local: Local, tmp_path: Path) -> None:
    source, options = local.write(rows(1)), {"folder": tmp_path / "j"}
    await local.run(source, MAP, **options)
    with pytest.raises(ImportRefusedError) as caught:
        await local.job(source, MAP, **options).open(local.company, identity="another Company")
    assert (caught.value.refusal.why, caught.value.refusal.now) == ("other_company", "another Company")
    codes = local.write([["T1", "a", ""]], COLUMNS)
    other = await refusal(local.job(codes, CREATE, **options), local)
    assert (other.why, other.was, other.now) == ("other_operation", "WoCreateCommand", "create Customer")
    assert other.remedies == (Remedy.OTHER_FOLDER,)
    assert not await customers(local)


async def test_a_named_folder_takes_any_file(local: Local, tmp_path: Path) -> None:
    folder = tmp_path / "nightly"
    for name, numbers in (("monday", (1, 2)), ("tuesday", (1, 2, 3))):
        source = local.write(rows(*numbers)).rename(tmp_path / f"{name}.csv")
        summary = await local.run(source, MAP, folder=folder)
        assert (summary.folder, summary.created) == (folder, len(numbers))
    moved = folder.rename(tmp_path / "moved")
    assert (await local.run(source, MAP, folder=moved)).done_now == 0
    assert await held(local) == Counter("123")


async def test_the_database_of_another_ledger_is_refused(local: Local) -> None:
    """``lock`` has the id of the ledger that the folder belongs to."""
    source = local.write(rows(1, 2))
    mine = (await local.run(source, MAP)).folder
    other = source.rename(source.with_name("other.csv"))
    theirs = (await local.run(other, MAP, again=True)).folder
    shutil.copy(theirs / "journal.db", mine / "journal.db")
    with pytest.raises(JournalError):
        await local.run(rows(1, 2), MAP)
    assert await held(local) == Counter("1122")


async def test_order_blank_cells_and_columns_of_notes_say_nothing(local: Local) -> None:
    await local.run(rows(1, 2, 3), MAP)
    header = ("customer", "_note", "notes", "text", "key", "empty")
    turned = [[row[3], f"seen {row[0]}", row[2], row[1], row[0], " "] for row in rows(3, 1, 2)]
    summary = await local.run(local.write(turned, header), MAP)
    assert (summary.created, summary.done_now, summary.changed) == (3, 0, 0)


@pytest.mark.parametrize("options", [{}, {"marker": MARKER}], ids=["cells", "marker"])
async def test_columns_without_a_name_say_nothing(local: Local, options: dict[str, Any]) -> None:
    """Such as a comma at the end of each line, or a remark beside the table."""
    await local.run(rows(1, 2), MAP, **options)
    for place in (0, 2, len(HEADER)):
        remarks = rows(1, 2)
        remarks[0].insert(place, "")
        remarks[1].insert(place, "called back")
        source = local.write(remarks, (*HEADER[:place], "", *HEADER[place:]))
        summary = await local.run(source, MAP, **options)
        assert (summary.created, summary.done_now, summary.changed) == (2, 0, 0)


async def test_a_row_that_no_longer_fits_the_header_is_not_sent_again(local: Local) -> None:
    await local.run(rows(1, 2), MAP, marker=MARKER)
    for ragged in ([*rows(2)[0], ""], rows(2)[0][:-1]):
        summary = await local.run([*rows(1), ragged], MAP, marker=MARKER)
        assert (summary.created, summary.failed, summary.done_now) == (1, 1, 0)
        summary = await local.run(rows(1, 2), MAP, marker=MARKER)
        assert (summary.created, summary.failed, summary.done_now, summary.changed) == (2, 0, 0, 0)
    assert await held(local) == Counter("12")


async def test_an_open_marker_keeps_the_number_that_the_row_got_first(local: Local) -> None:
    """A kill, and then other lines before the row: its key is not made anew."""
    text = MAP.replace('po_number = "{key}"\n', "")
    await killed_while_sending(local.job(rows(1, 2), text, marker=MARKER), local, [2])
    ready = local.job(rows(3, 2, 1), text, marker=MARKER)
    opened = await ready.open(local.company)
    name = opened.about.job
    await local.company.run(WoCreateCommand(work_order=await order(local, f"{name}-2")))
    assert (await ready.run()).created == 3
    assert await held(local) == Counter([f"{name}-1", f"{name}-2", f"{name}-3"])


async def test_rows_that_are_done_are_skipped_and_changed_ones_counted(local: Local) -> None:
    await local.run(rows(1, 2), MAP, marker=MARKER)
    edited = [["1", "edited", "", ""], *rows(2)]
    for _ in range(2):
        summary = await local.run(edited, MAP, marker=MARKER)
        assert (summary.created, summary.done_now, summary.changed) == (2, 0, 1)
    with (summary.folder / "results.csv").open(newline="", encoding="utf-8") as file:
        assert [bool(row["changed"]) for row in csv.DictReader(file)] == [True, False]
    assert await held(local) == Counter("12")


async def test_updates_are_sent_when_their_values_differ(local: Local) -> None:
    await made(local, "T1", "T2")
    await local.run(local.write([["T1", "", "a"], ["T2", "", "a"]], COLUMNS), UPDATE)
    edited = [["T2", "a column that the map does not read", "a"], ["T1", "", "b"]]
    summary = await local.run(local.write(edited, COLUMNS), UPDATE)
    assert (summary.done, summary.done_now, summary.changed) == (2, 1, 0)
    nameless = local.write([[*row, "a remark"] for row in edited], (*COLUMNS, ""))
    assert (await local.run(nameless, UPDATE)).done_now == 0
    assert {code: row["Instructions"] for code, row in (await customers(local)).items()} == {
        "T1": "b",
        "T2": "a",
    }


async def test_how_rows_are_read_is_no_change_of_the_map(local: Local) -> None:
    """Nor is where the operation is named."""
    await made(local, "T1", "T2")
    operation, fields = UPDATE.strip().split("\n", 1)
    named = operation.partition(" = ")[2].strip('"')
    rules = 'header_row = 1\nfill_down = "name"\nskip_when = [{ code = "Total" }]\n'
    source = local.write([["T1", "", "a"], ["T2", "", "a"]], COLUMNS)
    for text, now in ((UPDATE, 2), (rules + UPDATE, 0), (fields, 0), (fields.replace("{note}", "b"), 2)):
        (path := local.folder / "map.toml").write_text(text, encoding="utf-8")
        ready = Import(CsvFile(source), ImportMap.load(path, operation=named))
        assert (await ready.run(local.company)).done_now == now


async def test_rows_refused_before_they_were_sent_are_tried_again(local: Local) -> None:
    """The customer was missing, and is there now; neither file nor map has changed."""
    source = local.write(rows(1, customer="Pier"))
    text = WORK_ORDER + CUSTOMER
    assert (await local.run(source, text)).failed == 1
    await local.company.create(Customer(display_as="Pier", name="Pier", work_zone=Ref(14)))
    assert (await local.run(source, text)).done_now == 1
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
    local: Local, text: str, notes: str, options: dict[str, Any], now: int
) -> None:
    local.server.refused = "text 1"
    assert (await local.run(rows(1, 2), MAP, marker=MARKER)).failed == 1
    local.server.refused = None
    source = local.write([["1", "text 1", notes or "notes 1", ""], *rows(2)])
    summary, outcomes = await carried_out(local.job(source, text, marker=MARKER, **options), local)
    assert (summary.done_now, summary.failed, summary.complete) == (now, 1 - now, bool(now))
    assert outcomes[1].outcome == ("created" if now else "failed")
    assert await held(local) == Counter("2" + "1" * now)


async def test_undone_rows_are_skipped_until_they_are_asked_for(local: Local) -> None:
    source = local.write(rows(1, 2))
    await undo(local, (await local.run(source, MAP, marker=MARKER)).folder)
    summary = await local.run(source, MAP, marker=MARKER)
    assert (summary.undone, summary.done_now, summary.complete) == (2, 0, False)
    assert not await open_orders(local)
    summary = await local.run(source, MAP, marker=MARKER, retry_undone=True)
    assert (summary.undone, summary.done_now, summary.complete) == (0, 2, True)
    assert await open_orders(local) == Counter("12")


async def test_an_undone_row_that_repeats_a_key_again_fails(local: Local) -> None:
    """It was sent with the key that its reject was given; the file still has the key of another row."""
    source = local.write(rows(1, 1))
    folder = (await local.run(source, MAP, marker=MARKER)).folder
    await local.run(corrected(folder, "\n1,", "\n2,"), MAP, marker=MARKER, folder=folder)
    assert await open_orders(local) == Counter("12")
    for run in (1, 2):
        await undo(local, folder, run)
    for _ in range(2):
        summary = await local.run(source, MAP, marker=MARKER, retry_undone=True)
        assert (summary.done, summary.failed, summary.undone) == (1, 1, 0)
    assert await open_orders(local) == Counter("1")
    summary = await local.run(rows(1, 2), MAP, marker=MARKER)
    assert (summary.done, summary.done_now) == (2, 1)
    assert await open_orders(local) == Counter("12")


async def test_rows_that_are_gone_are_counted_and_those_in_doubt_looked_up(local: Local) -> None:
    source = local.write(rows(1, 2, 3))
    await killed_while_sending(local.job(source, MAP, marker=MARKER), local, [1])
    await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    summary = await local.run(rows(3), MAP, marker=MARKER)
    assert (summary.rows, summary.created, summary.gone, summary.complete) == (1, 1, 2, True)
    async with Journal.open(summary.folder) as journal:
        gone = journal.counts(gone=True)
    assert (gone[State.DONE], gone[State.PLANNED]) == (1, 1)
    assert await held(local) == Counter("13")
