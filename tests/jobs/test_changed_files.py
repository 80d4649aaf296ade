"""A file that changes during an import: nothing of the new content is sent, in any format."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import FIXED_CUSTOMER, HEADER, WORK_ORDER
from wosdk_async.jobs import Import, ImportMap, open_source

Rows = Sequence[Sequence[str]]


def write_csv(path: Path, rows: Rows) -> None:
    path.write_text("".join(",".join(row) + "\n" for row in [HEADER, *rows]))


def write_json_lines(path: Path, rows: Rows) -> None:
    path.write_text("".join(json.dumps(dict(zip(HEADER, row, strict=False))) + "\n" for row in rows))


def write_parquet(path: Path, rows: Rows) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {name: [row[place] for row in rows] for place, name in enumerate(HEADER)}
    parquet.write_table(arrow.table(columns), path)


def write_sheet(path: Path, rows: Rows) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(path) as book:
        page = book.add_worksheet()
        for number, row in enumerate([HEADER, *rows]):
            page.write_row(number, 0, row)


def damage(path: Path, rows: Rows) -> None:
    """Cut the file in the middle."""
    del rows
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 5])


BEFORE = [[str(number), "text", "notes", ""] for number in range(1, 11)]
OTHER = [*BEFORE[:8], ["9", "other", "notes", ""], BEFORE[9]]
FEWER, MORE = BEFORE[:8], [*BEFORE, ["11", "text", "notes", ""]]
WIDER = [*BEFORE[:8], [*BEFORE[8], ""], BEFORE[9]]


@pytest.mark.parametrize(
    ("suffix", "write", "changes"),
    [
        ("csv", write_csv, (OTHER, FEWER, MORE, WIDER)),
        ("jsonl", write_json_lines, (OTHER, FEWER, MORE)),
        ("parquet", write_parquet, (OTHER, FEWER, MORE)),
    ],
)
async def test_nothing_is_sent_of_a_file_that_changes(
    local: Local, tmp_path: Path, suffix: str, write: Callable[[Path, Rows], None], changes: Sequence[Rows]
) -> None:
    (tmp_path / "map.toml").write_text(WORK_ORDER + FIXED_CUSTOMER)
    import_map = ImportMap.load(tmp_path / "map.toml")
    for number, change in enumerate([*changes, None]):
        path = tmp_path / f"{number}.{suffix}"
        write(path, BEFORE)
        job = Import(open_source(path), import_map)
        await job.open(local.company)
        if change is None:
            damage(path, BEFORE)
        else:
            write(path, change)
        summary = await job.run()
        unchanged = 8 if change is FEWER else 0  # of the others it is noticed before they are sent
        assert (number, summary.created, summary.not_started) == (number, unchanged, 10 - unchanged)
        assert summary.stopped is not None
        assert str(path) in summary.stopped
        assert local.server.count("WoCreateCommand") == unchanged
        local.server.asked.clear()


async def test_a_sheet_is_read_once_and_sent_as_it_was(local: Local, tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(WORK_ORDER + FIXED_CUSTOMER)
    path = tmp_path / "f.xlsx"
    write_sheet(path, BEFORE)
    job = Import(open_source(path), ImportMap.load(tmp_path / "map.toml"))
    await job.open(local.company)
    write_sheet(path, OTHER)
    summary = await job.run()
    assert (summary.complete, summary.created) == (True, 10)
    assert summary.folder is not None
    assert "other" not in (summary.folder / "results.csv").read_text()
    comments = {row["Items"][0]["Comment"] for row in await local.rows("WorkOrder", "Items.Comment")}
    assert comments == {"text"}
