"""Rows that the ledger does not know: new ones, edited ones, other keys, and copies of a file."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.jobs.conftest import Local
from tests.jobs.ledger.imports import LONG, corrected, refusal, undo, workbook
from tests.jobs.maps import CUSTOMER, HEADER, KEYED, MAP, MARKER, WORK_ORDER, load, rows
from tests.jobs.runs import held, killed_while_sending
from tests.jobs.test_check import checked
from tests.support.laws import case
from wosdk_async import problem_of
from wosdk_async.jobs import Import, open_source
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.ledger.refusals import ImportRefusedError
from wosdk_async.text.remedies import Remedy


async def test_an_edited_row_is_not_taken_for_a_new_one(local: Local) -> None:
    await local.run(rows(1, 2), MAP)
    source = local.write([*rows(1), ["2", "edited", "", ""]])
    found = await refusal(local.job(source, MAP), local)
    assert (found.why, found.rows, found.gone) == ("edited_or_new", 1, 1)
    assert (found.first_new.line, found.first_gone.line) == (3, 3)
    assert ("edited" in found.first_new.name, "text 2" in found.first_gone.name) == (True, True)
    assert found.remedies == (Remedy.KEY, Remedy.NEW_ROWS)
    message = str(ImportRefusedError(found))
    assert ("(line 3: '2, text 2, " in message, "(line 3: '2, edited')" in message) == (True, True)
    assert (await local.run(source, MAP, new_rows=True)).done_now == 1
    assert (await local.run(source, MAP)).done_now == 0, "nobody is asked twice"
    assert await held(local) == Counter("122")


async def test_a_key_that_comes_after_an_edit_asks_to_undo_the_edit_first(local: Local) -> None:
    await local.run(rows(1, 2), MAP)
    edited = local.write([*rows(1), ["2", "edited", "", ""]])
    assert Remedy.KEY_FIRST in (await refusal(local.job(edited, KEYED), local)).remedies
    assert (await local.run(rows(1, 2), KEYED)).done_now == 0
    summary = await local.run([*rows(1), ["2", "edited", "", ""]], KEYED)
    assert (summary.done_now, summary.changed) == (0, 1)


async def test_a_row_sent_before_the_map_had_a_key_is_known_when_it_returns_with_another_column(
    local: Local,
) -> None:
    """By the cells that the map reads, as nothing else about the row is equal."""
    await local.run(rows(1, 2), MAP)
    assert (await local.run(rows(1, 3), MAP, new_rows=True)).done_now == 1
    assert (await local.run(rows(1, 3), KEYED)).done_now == 0
    wider = local.write([[*row, "more"] for row in rows(1, 3, 2)], [*HEADER, "extra"])
    assert (await local.run(wider, KEYED)).done_now == 0
    assert await held(local) == Counter("123")


async def test_rows_that_left_the_file_are_not_advised_to_be_undone(local: Local) -> None:
    """Nothing would send them again, because the file lacks them."""
    await local.run(rows(1, 2), KEYED)
    other = KEYED.replace("{text}", "{text}!")
    assert other != KEYED
    for table, is_advised in ((rows(1, 2), True), (rows(2, 3), False)):
        warnings = (await local.run(table, other)).warnings
        (found,) = [each for each in warnings if each.startswith("the map has changed since ")]
        assert (Remedy.UNDO_AND_RETRY.value in found) == is_advised


async def test_a_row_that_waits_may_be_a_reject_that_was_sent_meanwhile(local: Local) -> None:
    """The user corrected it in the file, whose run was killed, and in the rejects."""
    folder = (await local.run([*rows(1), ["2", LONG, "", ""]], MAP)).folder
    rejects = corrected(folder, LONG, "in the rejects")
    copy = Path(shutil.copy(rejects, folder / "copy.csv"))
    source = local.write([*rows(1), ["2", "in the file", "", ""]])
    await killed_while_sending(local.job(source, MAP), local, [])
    assert (await local.run(copy, MAP, folder=folder)).done_now == 1
    found = await refusal(local.job(source, MAP, folder=folder), local)
    assert (found.why, found.rows, found.gone) == ("edited_or_new", 1, 1)
    assert "in the file" in found.first_new.name
    assert await held(local) == Counter("12")


async def test_appended_sorted_and_corrected_rows_need_no_word(local: Local) -> None:
    assert (await local.run([*rows(1), ["2", LONG, "", ""]], MAP)).failed == 1
    summary = await local.run(rows(3, 2, 1), MAP)
    assert (summary.created, summary.done_now) == (3, 2)
    assert await held(local) == Counter("123")


async def test_columns_that_came_or_went_make_all_rows_unknown(local: Local) -> None:
    await local.run(rows(1, 2), MAP)
    source = local.write([[*row, "seen"] for row in rows(1, 2)], [*HEADER, "remark"])
    for new_rows in (False, True):
        found = await refusal(local.job(source, MAP, new_rows=new_rows), local)
        assert (found.why, found.columns) == ("columns_changed", ("remark",))
        assert "'remark'" in ImportRefusedError(found).message
        assert problem_of(ImportRefusedError(found)).status == 409
        assert Remedy.NEW_ROWS not in found.remedies


async def test_each_night_only_lines_that_no_run_sent_are_new(local: Local) -> None:
    for numbers, now in (((1, 2), 2), ((2, 3), 1), ((3, 4, 1), 1)):
        summary = await local.run(rows(*numbers), MAP, new_rows=True)
        assert (summary.created, summary.done_now) == (len(numbers), now)
    assert await held(local) == Counter("1234")


async def test_other_new_keys_need_no_word(local: Local) -> None:
    await local.run(rows(1, 2), MAP, marker=MARKER)
    summary = await local.run(rows(3, 4), MAP, marker=MARKER)
    assert (summary.done_now, summary.gone) == (2, 2)
    assert await held(local) == Counter("1234")


async def test_another_template_knows_no_row_that_was_sent(local: Local) -> None:
    await local.run(rows(1, 2), MAP, marker=MARKER)
    for text, marker, now in (
        (MAP.replace('"{key}"', '"K-{key}"'), MARKER, "K-{key}"),
        (MAP, None, None),
        (f'key = "{{key}}-{{text}}"\n{MAP}', None, "{key}-{text}"),
    ):
        with case(now):
            found = await refusal(local.job(rows(1, 2, 3), text, marker=marker, new_rows=True), local)
            assert (found.why, found.was, found.now) == ("key_changed", "{key}", now)
            assert found.remedies == (Remedy.SAME_MAP, Remedy.UNDO_AND_SEND)


async def test_another_marker_is_refused_while_rows_are_in_doubt(local: Local) -> None:
    """They carry their keys in the field that it was."""
    source = local.write(rows(1, 2))
    await killed_while_sending(local.job(source, MAP, marker=MARKER), local, [1])
    found = await refusal(local.job(source, KEYED), local)
    assert (found.why, found.was, found.now) == ("key_changed", MARKER, None)
    assert (found.rows, found.gone) == (1, 0)


async def test_a_row_that_comes_back_may_be_one_that_was_edited(local: Local) -> None:
    text = WORK_ORDER + CUSTOMER
    name = (await local.rows("Customer", "DisplayAs"))[0]["DisplayAs"]
    assert (await local.run(rows(1, customer="Nowhere"), text)).failed == 1
    assert (await local.run(rows(1, customer=name), text)).done == 1
    found = await refusal(local.job(rows(1, customer="Nowhere"), text), local)
    assert (found.why, found.rows, found.gone) == ("edited_or_new", 1, 1)


async def test_a_column_that_the_map_reads_tells_rows_apart_whatever_its_name(local: Local) -> None:
    text = MAP.replace("{text}", "{_id}")
    header = ("key", "_id", "notes", "customer")
    assert (await local.run(local.write([["1", "a", "n", ""]], header), text)).done_now == 1
    found = await refusal(local.job(local.write([["1", "b", "n", ""]], header), text), local)
    assert found.why == "edited_or_new"


async def test_a_copy_without_a_key_is_not_sent_once_more(local: Local, tmp_path: Path) -> None:
    source = local.write(rows(1, 2))
    folder = (await local.run(source, MAP)).folder
    copy = local.write(rows(2, 3)).rename(tmp_path / "copy.csv")
    found = await refusal(local.job(copy, MAP, retry_refused=True), local)
    assert (found.why, found.folder, found.rows, found.lines) == ("sent_elsewhere", folder, 1, (2,))
    assert found.remedies == (Remedy.THAT_FOLDER,)
    assert (await local.run(copy, MAP, folder=folder, new_rows=True)).done_now == 1
    assert (await local.run(copy, MAP, again=True)).done_now == 2
    assert await held(local) == Counter("12233")


OPEN = MAP.replace('po_number = "{key}"\n', "")
FIELD = "work_order.contact_name"
MAPS: dict[str, tuple[str, str | None]] = {
    "marker": (MAP, MARKER),
    "another template": (MAP.replace('"{key}"', '"{key}/{text}"'), MARKER),
    "another field": (MAP.replace("po_number", "contact_name"), FIELD),
    "key": (f'key = "{{key}}"\n{OPEN}', None),
    "key beside an open marker": (f'key = "{{key}}"\n{OPEN}', MARKER),
    "open marker": (OPEN, MARKER),
    "nothing": (OPEN, None),
}


FILLED = ("marker", "another template", "another field")


@pytest.mark.parametrize("was", MAPS)
async def test_a_copy_is_not_sent_once_more_with_another_map_whose_keys_find_nothing(
    local: Local, tmp_path: Path, was: str
) -> None:
    source = local.write(rows(1, 2))
    copy = Path(shutil.copy(source, tmp_path / "copy.csv"))
    text, marker = MAPS[was]
    folder = (await local.run(source, text, marker=marker)).folder
    for now, (other, field) in MAPS.items():
        if now == was and was in FILLED:
            continue
        with case(now):
            found = await refusal(local.job(copy, other, marker=field), local)
            assert (found.why, found.folder, found.rows) == ("sent_elsewhere", folder, 2)
            assert found.now == (field if now in FILLED else None)
            assert (await checked(local, copy, other, marker=field)).decision.why == "sent_elsewhere"
    if was in FILLED:
        assert (await local.run(copy, text, marker=marker)).failed == 2  # the look-ups found both


@pytest.mark.parametrize("kind", ["marker", "key"])
async def test_a_copy_whose_keys_a_spreadsheet_changed_is_not_sent_once_more(
    local: Local, tmp_path: Path, kind: str
) -> None:
    """Look-ups find none of the new keys. Rows that were never sent are not in the way."""
    text, marker = MAPS[kind]
    header = ("key", "text", "notes", "customer")
    source = local.write([["001", "a", "", ""], ["002", "b", "", ""], ["003", LONG, "", ""]], header)
    folder = (await local.run(source, text, marker=marker)).folder
    copy = local.write([["1", "a", "", ""], ["3", "c", "", ""], ["4", "d", "", ""]], header)
    copy = copy.rename(tmp_path / "copy.csv")
    found = await refusal(local.job(copy, text, marker=marker), local)
    assert (found.why, found.folder, found.rows) == ("key_disguised", folder, 1)
    assert [(new.name, gone.name) for new, gone in found.resembling] == [("1", "001")]
    assert (await refusal(local.job(copy, text, marker=marker, folder=folder), local)).why == "key_disguised"
    assert (await local.run(copy, text, marker=marker, new_rows=True)).done_now == 3


async def test_a_copy_with_a_key_and_more_rows_is_compared_by_its_cells(local: Local, tmp_path: Path) -> None:
    folder = (await local.run(rows(1, 2), MAP)).folder
    copy = local.write(rows(1, 2, 3)).rename(tmp_path / "copy.csv")
    found = await refusal(local.job(copy, MAP, marker=MARKER), local)
    assert (found.why, found.rows, found.lines) == ("sent_elsewhere", 2, (2, 3))
    assert (await local.run(copy, MAP, marker=MARKER, folder=folder)).done_now == 1
    assert await held(local) == Counter("123")


@pytest.mark.parametrize("by_rejects", [False, True])
async def test_a_copy_is_known_by_any_run_of_the_job(local: Local, tmp_path: Path, by_rejects: bool) -> None:
    """The file of the last run was another one."""
    source = local.write([["1", LONG, "", ""], *rows(2)])
    copy = Path(shutil.copy(source, tmp_path / "copy.csv"))
    folder = (await local.run(source, MAP, marker=MARKER)).folder
    if by_rejects:
        await local.run(corrected(folder, LONG, "short"), MAP, marker=MARKER)
    else:
        await local.run(rows(1, 2), MAP, marker=MARKER)
    found = await refusal(local.job(copy, MAP), local)
    assert (found.why, found.rows, found.lines) == ("sent_elsewhere", 1, (3,))


async def test_another_sheet_or_undone_rows_are_no_copy(local: Local, tmp_path: Path) -> None:
    path = workbook(tmp_path / "two.xlsx", One=(1, 2), Two=(3, 4))
    import_map = load(tmp_path, MAP)
    folders = []
    for sheet, marker in ((1, MARKER), (2, None)):
        ready = Import(open_source(path, sheet=sheet), import_map, marker=marker)
        summary = await ready.run(local.company)
        assert summary.done_now == 2
        folders.append(summary.folder)
    for folder in folders:
        await undo(local, folder)
    moved = path.rename(tmp_path / "moved.xlsx")
    assert (await Import(open_source(moved, sheet=1), import_map).run(local.company)).done_now == 2


@pytest.mark.parametrize("name", MAPS)
async def test_a_first_run_warns_of_what_no_look_up_prevents(local: Local, name: str) -> None:
    text, marker = MAPS[name]
    warned = " ".join((await local.run(rows(1), text, marker=marker)).warnings)
    keyed, filled = "key" in name, name in FILLED
    assert ("another directory" in warned) is not filled
    assert ("edited" in warned) is not (filled or keyed)
    assert ("in doubt" in warned) is (marker is None)


@pytest.mark.parametrize("marker", [None, MARKER])
async def test_a_ledger_that_cannot_be_read_may_have_sent_the_copy(
    local: Local, tmp_path: Path, marker: str | None
) -> None:
    """Look-ups do not find rows that it sent without keys."""
    folder = (await local.run(rows(1), MAP)).folder
    (folder / "journal.db").write_bytes(b"no longer a database")
    with pytest.raises(JournalError):
        await local.run(local.write(rows(1)).rename(tmp_path / "copy.csv"), MAP, marker=marker)
    assert await held(local) == Counter("1")


@pytest.mark.parametrize("marker", [None, MARKER])
async def test_a_template_that_builds_the_same_keys_is_no_other(local: Local, marker: str | None) -> None:
    """A second column names the rows whose first one is empty; none of those sent is."""
    first, second = (f'key = "{each}"\n{MAP}' for each in ("{key}", "{key|text}"))
    if marker is not None:
        first, second = MAP, MAP.replace('"{key}"', '"{key|text}"')
    await local.run(rows(1, 2), first, marker=marker)
    summary = await local.run([*rows(1, 2), ["", "x", "", ""]], second, marker=marker)
    assert (summary.done, summary.done_now) == (3, 1)


async def test_another_template_with_the_same_values_recognizes_no_row(local: Local) -> None:
    """Or a row that is new would count as sent, and one that was sent would be sent again."""
    table = [["1", "2", "", ""], ["2", "1", "", ""]]
    await local.run(table, KEYED)
    found = await refusal(local.job(local.write(table), f'key = "{{text}}"\n{MAP}'), local)
    assert (found.why, found.was, found.now) == ("key_changed", "{key}", "{text}")
