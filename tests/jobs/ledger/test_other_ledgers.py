"""Rows of a file with a ledger that another ledger in the directory sent."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.jobs.conftest import Local, Table
from tests.jobs.ledger.imports import LONG, corrected, open_orders, refusal, undo
from tests.jobs.maps import MAP, MARKER, rows
from tests.jobs.runs import held, killed, killed_while_sending
from wosdk_async.text.remedies import Remedy

KEY = f'key = "{{key}}"\n{MAP}'
UNMARKED = pytest.mark.parametrize("text", [KEY, MAP], ids=["key", "nothing"])
KEYED = pytest.mark.parametrize(("text", "marker"), [(KEY, None), (MAP, MARKER)], ids=["key", "marker"])


async def sent(local: Local, name: str, content: Table, text: str, **options: object) -> Path:
    """Import rows from a file of this name, and return the file."""
    path = local.write(content).rename(local.folder / name)
    await local.run(path, text, **options)
    return path


def append(path: Path, content: Table) -> Path:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(",".join(row) + "\n" for row in content)
    return path


@UNMARKED
@pytest.mark.parametrize("new_rows", [False, True])
async def test_appended_rows_of_another_file_are_not_sent_again(
    local: Local, text: str, new_rows: bool
) -> None:
    monday = await sent(local, "monday.csv", rows(1, 2), text)
    tuesday = append(await sent(local, "tuesday.csv", rows(3), text), rows(2, 4))
    found = await refusal(local.job(tuesday, text, new_rows=new_rows), local)
    assert (found.why, found.folder, found.rows, found.lines) == (
        "sent_elsewhere",
        monday.with_name("monday.csv.job"),
        1,
        (3,),
    )
    assert found.remedies == (Remedy.OTHER_FILE,)
    await sent(local, "tuesday.csv", rows(3, 4), text)
    await local.run(local.write(rows(2)).rename(local.folder / "twice.csv"), text, again=True)
    assert await held(local) == Counter("12234")


@KEYED
async def test_appended_rows_whose_keys_a_spreadsheet_changed_are_not_sent_again(
    local: Local, text: str, marker: str | None
) -> None:
    await sent(local, "monday.csv", [["001", "a", "", ""]], text, marker=marker)
    tuesday = await sent(local, "tuesday.csv", [["002", "b", "", ""]], text, marker=marker)
    append(tuesday, [["1", "a", "", ""], ["3", "c", "", ""]])
    found = await refusal(local.job(tuesday, text, marker=marker), local)
    assert (found.why, found.rows) == ("key_disguised", 1)
    assert [(new.name, gone.name) for new, gone in found.resembling] == [("1", "001")]
    assert (await local.run(tuesday, text, marker=marker, new_rows=True)).done_now == 2


@UNMARKED
async def test_undone_rows_that_a_copy_sent_are_not_retried(local: Local, text: str) -> None:
    monday = await sent(local, "monday.csv", rows(1, 2), text)
    await undo(local, monday.with_name("monday.csv.job"))
    await local.run(shutil.copy(monday, local.folder / "copy.csv"), text)
    found = await refusal(local.job(monday, text, retry_undone=True), local)
    assert (found.why, found.rows) == ("sent_elsewhere", 2)
    assert await open_orders(local) == Counter("12")


@UNMARKED
async def test_rows_that_another_file_sent_since_a_kill_are_not_sent_again(local: Local, text: str) -> None:
    monday = local.write(rows(1, 2, 3)).rename(local.folder / "monday.csv")
    async with killed(local.job(monday, text), local):
        pass
    await sent(local, "rest.csv", rows(2, 3), text)
    found = await refusal(local.job(monday, text), local)
    assert (found.why, found.rows, found.lines) == ("sent_elsewhere", 2, (3, 4))


@UNMARKED
async def test_rows_to_send_again_are_sent_after_a_kill(local: Local, text: str) -> None:
    """Somebody said so when the ledger was created; a row that came since is compared."""
    await sent(local, "monday.csv", rows(1, 2, 3), text)
    copy = local.write(rows(1, 2)).rename(local.folder / "copy.csv")
    await killed_while_sending(local.job(copy, text, again=True), local, [])
    assert (await local.run(copy, text)).done_now == 2
    found = await refusal(local.job(append(copy, rows(3)), text), local)
    assert (found.why, found.rows, found.lines) == ("sent_elsewhere", 1, (4,))


@KEYED
async def test_keys_that_somebody_insisted_on_are_sent_after_a_kill(
    local: Local, text: str, marker: str | None
) -> None:
    await sent(local, "monday.csv", [["001", "a", "", ""]], text, marker=marker)
    tuesday = local.write([["1", "b", "", ""]]).rename(local.folder / "tuesday.csv")
    await killed_while_sending(local.job(tuesday, text, marker=marker, new_rows=True), local, [])
    assert (await local.run(tuesday, text, marker=marker)).done_now == 1


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
    found = await refusal(local.job(source, text), local)
    assert (found.why, found.rows, found.lines) == ("sent_elsewhere", 1, (2,))
    assert await held(local) == Counter("12")


@UNMARKED
async def test_rows_of_a_second_job_are_not_sent_by_the_first(local: Local, text: str) -> None:
    monday = await sent(local, "monday.csv", rows(1, 2), text)
    tuesday = await sent(local, "tuesday.csv", rows(3, 4), text)
    job = local.job(tuesday, text, folder=monday.with_name("monday.csv.job"), new_rows=True)
    found = await refusal(job, local)
    assert (found.why, found.folder, found.rows) == (
        "sent_elsewhere",
        tuesday.with_name("tuesday.csv.job"),
        2,
    )


async def test_rows_that_look_ups_find_are_looked_up(local: Local) -> None:
    await sent(local, "monday.csv", rows(1, 2), MAP, marker=MARKER)
    tuesday = append(await sent(local, "tuesday.csv", rows(3), MAP, marker=MARKER), rows(2, 4))
    summary = await local.run(tuesday, MAP, marker=MARKER)
    assert (summary.done_now, summary.failed) == (1, 1)
    assert await held(local) == Counter("1234")


async def test_equal_rows_are_counted_and_a_replaced_ledger_is_not_asked(local: Local) -> None:
    await sent(local, "monday.csv", rows(1), MAP)
    tuesday = await sent(local, "tuesday.csv", rows(2), MAP)
    await local.run(tuesday, MAP, again=True)
    await local.run(append(tuesday, rows(2)), MAP)  # tuesday.csv.job sent it, but was replaced
    append(tuesday, rows(1))
    found = await refusal(local.job(tuesday, MAP), local)
    assert (found.why, found.lines) == ("sent_elsewhere", (4,))
    await local.run(tuesday, MAP, again=True)
    await local.run(append(tuesday, rows(1)), MAP)  # monday.csv has one such row
    assert await held(local) == Counter("11122222")
