"""Runs of a ledger: their files, undos, sheets and plans, and what goes wrong."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from tests.jobs.conftest import Local
from tests.jobs.journal.test_trouble import full_disk
from tests.jobs.ledger.imports import refusal, workbook
from tests.jobs.maps import MAP, MARKER, load, rows
from tests.jobs.runs import held
from wosdk_async.jobs import Import, open_source
from wosdk_async.jobs.errors import ImportMapError


async def test_each_sheet_of_a_workbook_has_a_ledger(local: Local, tmp_path: Path) -> None:
    path = workbook(tmp_path / "two.xlsx", One=(1, 2), Two=(3, 4))
    for now in (2, 0):
        for sheet in (1, 2):
            ready = Import(open_source(path, sheet=sheet), load(tmp_path, MAP), marker=MARKER)
            assert (await ready.run(local.company)).done_now == now
    assert await held(local) == Counter("1234")


async def test_the_ledger_of_a_sheet_is_found_after_it_was_named_for_other_files(
    local: Local, tmp_path: Path
) -> None:
    path = workbook(tmp_path / "f.xlsx", One=(1, 2), Two=(3, 4), Three=(5,))
    folder, import_map = tmp_path / "f.xlsx.job", load(tmp_path, MAP)
    other = workbook(tmp_path / "other.xlsx", Other=(6,))
    imports = [(path, 1, None, 2), (path, 2, folder, 2), (other, 1, folder, 1)]
    again = [(path, 1, None, 0), (path, 2, None, 0)]
    for file, sheet, named, now in (*imports, *again, (path, 3, None, 1)):
        ready = Import(open_source(file, sheet=sheet), import_map, marker=MARKER, folder=named)
        summary = await ready.run(local.company)
        assert (summary.done_now, summary.failed) == (now, 0)
        assert (summary.folder == folder) == (sheet != 3)
    assert await held(local) == Counter("123456")


async def test_without_keys_a_renamed_sheet_is_known_by_its_rows(local: Local, tmp_path: Path) -> None:
    import_map, path = load(tmp_path, MAP), tmp_path / "f.xlsx"
    folder = (await Import(open_source(workbook(path, One=(1, 2))), import_map).run(local.company)).folder
    found = await refusal(Import(open_source(workbook(path, Eins=(1, 2))), import_map), local)
    assert (found.why, found.folder, found.rows, found.lines) == ("sent_elsewhere", folder, 2, (2, 3))


async def test_files_of_another_sheet_are_kept(local: Local, tmp_path: Path) -> None:
    path = workbook(tmp_path / "two.xlsx", One=(1, 2), Two=(3, 4))
    import_map = load(tmp_path, 'key = "{key}"', MAP)
    for sheet in (1, 2):
        ready = Import(open_source(path, sheet=sheet), import_map, folder=tmp_path / "both.job")
        assert (await ready.run(local.company)).done_now == 2
    assert (tmp_path / "both.job" / "runs" / "1" / "results.csv").is_file()


async def test_the_summary_has_the_plan(local: Local) -> None:
    assert (await local.run(rows(1, 2), MAP)).as_dict()["plan"] == {"new": 2}
    second = await local.run(rows(1, 2, 3), MAP)
    assert second.as_dict()["plan"] == {"new": 1, "done": 2}


async def test_the_rows_that_were_read_are_closed_after_a_refusal(local: Local) -> None:
    await local.run(rows(1, 2), MAP)
    ready = local.job(rows(1, 3), MAP)
    read = ready.read()
    assert (await refusal(ready, local)).why == "edited_or_new"
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        next(read.chunks())


async def test_a_file_that_is_removed_before_its_first_row_stops_the_import(local: Local) -> None:
    source = local.write(rows(1))
    ready = local.job(source, MAP)
    await ready.open(local.company)
    source.unlink()
    summary = await ready.run(local.company)
    assert (summary.not_started, "rows.csv" in str(summary.stopped)) == (1, True)


@pytest.mark.parametrize(
    ("change", "sent_rows", "stopped"),
    [
        (("text 210", "text 211"), 200, "line 211: the file changed"),
        ((",shop", ",office"), 210, ""),  # no column that the map reads
    ],
    ids=["a cell that is sent", "another cell"],
)
async def test_a_file_that_changes_before_its_rows_are_sent(
    local: Local, change: tuple[str, str], sent_rows: int, stopped: str
) -> None:
    """The page before the change is sent."""
    source = local.write(rows(*range(1, 211), customer="shop"))
    ready = local.job(source, MAP)
    await ready.open(local.company)
    source.write_text(source.read_text().replace(*change))
    summary = await ready.run(local.company)
    assert summary.done == sent_rows
    assert stopped in str(summary.stopped or "")


def test_a_full_temporary_directory_is_named(local: Local) -> None:
    ready = local.job(rows(*range(30_000)), MAP)
    with full_disk(), pytest.raises(ImportMapError, match="temporary file"):
        ready.read()


async def test_a_key_that_cannot_be_sent_is_compared_with_none_that_is_gone(
    local: Local, tmp_path: Path
) -> None:
    import_map, path = load(tmp_path, MAP), tmp_path / "rows.csv"
    for keys, ended in ((("1", "2"), (2, 0)), (("1", "+2AA-", "3"), (2, 1))):  # UTF-7 has half pairs
        path.write_text("\n".join(["key,text,notes,customer", *(f"{key},t,n," for key in keys)]))
        summary = await Import(open_source(path, encoding="utf-7"), import_map, marker=MARKER).run(
            local.company
        )
        assert (summary.done, summary.failed) == ended
