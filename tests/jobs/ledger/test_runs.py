"""Runs of a ledger: their files, undos, sheets and plans, and what goes wrong."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from tests.jobs.conftest import Job, Local, Write
from tests.jobs.journal.test_trouble import full_disk
from tests.jobs.ledger.imports import open_orders, refusal, sent, undo, workbook
from tests.jobs.maps import HEADER, MAP, MARKER, rows
from tests.jobs.runs import held, order
from wosdk_async import WoCreateCommand
from wosdk_async.jobs import Import, ImportMap, open_source
from wosdk_async.jobs.errors import ImportMapError


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


async def test_each_sheet_of_a_workbook_has_a_ledger(local: Local, job: Job, tmp_path: Path) -> None:
    path = workbook(tmp_path / "two.xlsx", One=(1, 2), Two=(3, 4))
    (tmp_path / "map.toml").write_text(MAP)
    for now in (2, 0):
        for sheet in (1, 2):
            ready = Import(
                open_source(path, sheet=sheet), ImportMap.load(tmp_path / "map.toml"), marker=MARKER
            )
            assert (await sent(ready, local)).done_now == now
    assert await held(local) == Counter("1234")


async def test_without_keys_a_renamed_sheet_is_known_by_its_rows(local: Local, tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    import_map = ImportMap.load(tmp_path / "map.toml")
    path = tmp_path / "f.xlsx"
    folder = (await sent(Import(open_source(workbook(path, One=(1, 2))), import_map), local)).folder
    found = await refusal(Import(open_source(workbook(path, Eins=(1, 2))), import_map), local)
    assert (found.why, found.folder, found.rows, found.lines) == ("sent_elsewhere", folder, 2, (2, 3))


async def test_files_of_another_sheet_are_kept(local: Local, tmp_path: Path) -> None:
    path = workbook(tmp_path / "two.xlsx", One=(1, 2), Two=(3, 4))
    (tmp_path / "map.toml").write_text('key = "{key}"\n' + MAP)
    import_map = ImportMap.load(tmp_path / "map.toml")
    for sheet in (1, 2):
        ready = Import(open_source(path, sheet=sheet), import_map, folder=tmp_path / "both.job")
        assert (await sent(ready, local)).done_now == 2
    assert (tmp_path / "both.job" / "runs" / "1" / "results.csv").is_file()


async def test_the_summary_has_the_plan(local: Local, job: Job, write: Write) -> None:
    assert (await sent(job(write(HEADER, rows(1, 2)), MAP), local)).as_dict()["plan"] == {"new": 2}
    second = await sent(job(write(HEADER, rows(1, 2, 3)), MAP), local)
    assert second.as_dict()["plan"] == {"new": 1, "done": 2}


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
    assert (summary.not_started, "rows.csv" in str(summary.stopped)) == (1, True)


@pytest.mark.parametrize(
    ("change", "sent_rows", "stopped"),
    [
        (("text 300", "text 301"), 200, "line 301: the file changed"),
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
    assert stopped in str(summary.stopped or "")


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
