"""Rows that are corrected in two places, or share a key: each is sent once, whatever goes or is sorted."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.jobs.ledger.imports import LONG, corrected, undo
from tests.jobs.maps import KEYED, MAP
from tests.jobs.test_operations import COLUMNS, UPDATE, customers, made


def table(*rows: str) -> list[list[str]]:
    """Rows such as ``1A``: a key and a text; a text ``-`` is refused before it is sent."""
    return [[row[0], LONG if row[1:] == "-" else row[1:], "", ""] for row in rows]


async def there(local: Local) -> Counter[str]:
    """How many work orders that are not cancelled have each text."""
    items = await local.rows("WoItem", "WorkOrderId", "Comment")
    found = await local.rows("WorkOrder", "StatusId")
    is_open = {row["Id"] for row in found if row["StatusId"] != "Cancelled"}
    return Counter(row["Comment"] for row in items if row["WorkOrderId"] in is_open)


def fixed(copy: Path, old: str, new: str, lines: int | None = None) -> Path:
    """Return the first lines of a copy of rejects, with another text in a cell."""
    text = copy.read_text("utf-8").replace(old, new)
    copy.write_text("".join(text.splitlines(keepends=True)[:lines]), "utf-8")
    return copy


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([(MAP, "1- 1B 2C"), (KEYED, "1- 1B 2C"), (KEYED, "1B 2C")], "BC"),
        ([(MAP, "1- 1B 2C"), (KEYED, "1- 1B 2C"), (KEYED, "6A 1B 2C")], "ABC"),
        ([(KEYED, "1- 1B"), (KEYED, ("1,B", "9,B")), (KEYED, "8A 1B")], "AB"),
        ([(KEYED, "1- 1B"), (KEYED, ("1,B", "9,B")), (KEYED, "1B")], "B"),
        ([(KEYED, "1B 1A 2C"), (KEYED, "1A 1B 2C"), (KEYED, ("1,A", "9,A"))], "ABC"),
        ([(KEYED, "1A 1B 1C"), (KEYED, ("1,B", "9,B")), (KEYED, "1A 1C")], "AB"),
    ],
    ids=["deleted", "corrected", "corrected twice", "first deleted", "sorted", "third"],
)
async def test_rows_that_share_a_key(
    local: Local, steps: list[tuple[str, str | tuple[str, str]]], expected: str
) -> None:
    folder = None
    for text, step in steps:
        source: Any = table(*step.split()) if isinstance(step, str) else corrected(folder, *step)
        folder = (await local.run(source, text)).folder
    assert await there(local) == Counter(expected)
    (head, last) = next((text, step) for text, step in reversed(steps) if isinstance(step, str))
    assert (await local.run(table(*last.split()), head)).done_now == 0
    assert await there(local) == Counter(expected)


async def test_a_row_that_takes_the_key_of_a_refused_one_leaves_it_its_number(local: Local) -> None:
    """So that the rejects of the time before still name it."""
    folder = (await local.run(table("1-", "1B", "2C"), KEYED)).folder
    copy = Path(shutil.copy(folder / "rejects.csv", local.folder / "copy.csv"))
    assert (await local.run(table("1B", "2C"), KEYED)).done_now == 1
    without_second = fixed(copy, f"1,{LONG}", "8,A", lines=2)
    assert (await local.run(without_second, KEYED)).done_now == 1
    assert await there(local) == Counter("ABC")


@pytest.mark.parametrize(
    ("head", "later", "undone"),
    [(MAP, KEYED, False), (MAP, MAP, True), (f'key = "N{{key}}"\n{MAP}', KEYED, False)],
    ids=["the map gains a key", "undone", "another template"],
)
async def test_a_row_that_is_corrected_in_both_places_is_sent_once(
    local: Local, head: str, later: str, undone: bool
) -> None:
    folder = (await local.run(table("1-", "2B"), head)).folder
    copy = fixed(Path(shutil.copy(folder / "rejects.csv", local.folder / "copy.csv")), f"1,{LONG}", "6,A")
    if head is not MAP:  # the reject first: it was sent with the key of another template
        assert (await local.run(copy, later)).done_now == 1
    summary = await local.run(table("6A", "2B"), head)
    assert summary.done_now == (1 if head is MAP else 0)
    if undone:
        await undo(local, summary.folder)
    assert (await local.run(copy, later)).done_now == 0
    if undone:
        assert (await local.run(table("6A", "2B"), head, retry_undone=True)).done_now == 1
    assert await there(local) == Counter("AB")


async def test_a_row_that_comes_back_learns_its_key(local: Local) -> None:
    """It was sent before the map had a key, and is edited afterwards."""
    await local.run(table("1A", "2B", "3C"), MAP)
    await local.run(table("1A", "2B", "4D"), MAP, new_rows=True)
    for rows in (("1A", "2B", "4D"), ("1A", "2B", "3C", "4D"), ("1A", "2B", "3c", "4D")):
        assert (await local.run(table(*rows), KEYED, new_rows=True)).done_now == 0
    assert await there(local) == Counter("ABCD")


async def test_an_update_with_the_key_of_another_row_overwrites_nothing(local: Local) -> None:
    """Its reject was sent with a key of its own, and the original still has the first key."""
    await made(local, "T1", "T2")
    source = local.write([["T1", "", "from A"], ["T1", "", "from B"]], COLUMNS)
    folder = (await local.run(source, UPDATE)).folder
    assert (await local.run(corrected(folder, "T1,,from B", "T2,,from B"), UPDATE)).done_now == 1
    assert (
        await local.run(local.write([["T1", "", "from A"], ["T1", "", "from B"]], COLUMNS), UPDATE)
    ).done_now == 0
    assert [(await customers(local))[code]["Instructions"] for code in ("T1", "T2")] == ["from A", "from B"]


async def test_a_reject_that_was_corrected_otherwise_than_the_file_counts_as_changed(local: Local) -> None:
    """Also if the row, whose key another row had, was known by the cells that the file still has."""
    rows = table("1A", "1B")
    folder = (await local.run(rows, KEYED)).folder
    copy = Path(shutil.copy(folder / "rejects.csv", local.folder / "copy.csv"))
    assert (await local.run(fixed(copy, "1,B", "9,C"), KEYED)).done_now == 1
    again = await local.run(rows, KEYED)
    assert (again.done, again.changed, again.done_now) == (2, 1, 0)
    assert await there(local) == Counter("AC")


@pytest.mark.parametrize("wrong", [("T2", LONG * 9), ("T3", "right")], ids=["cell", "key"])
async def test_an_update_that_was_corrected_in_its_reject_is_not_reverted(
    local: Local, wrong: tuple[str, str]
) -> None:
    """By the same command, whose file still has the cells from before; other cells are sent."""
    await made(local, "T1", "T2")
    table = [["T1", "", "from A"], [wrong[0], "", wrong[1]]]
    folder = (await local.run(local.write(table, COLUMNS), UPDATE)).folder
    assert (await local.run(corrected(folder, ",,".join(wrong), "T2,,right"), UPDATE)).done_now == 1
    again = await local.run(local.write(table, COLUMNS), UPDATE)
    assert (again.done, again.done_now, again.failed) == (2, 0, 0)
    table[1] = ["T2", "", "edited"]
    assert (await local.run(local.write(table, COLUMNS), UPDATE)).done_now == 1
    assert (await customers(local))["T2"]["Instructions"] == "edited"


async def test_a_rule_that_skips_rows_of_the_same_file_takes_them_out(local: Local) -> None:
    """Although nothing is to be sent: the summary counts the rows of the file as the map reads it."""
    rows = table("1A", "2-", "3C")
    assert (await local.run(rows, KEYED)).failed == 1
    summary = await local.run(rows, f'skip_when = {{ key = "2" }}\n{KEYED}')
    assert (summary.rows, summary.done, summary.failed, summary.gone) == (2, 2, 0, 1)
