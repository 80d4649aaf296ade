"""A file that changes: what is sent is what the job knows by its hash, in any format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import FIXED_CUSTOMER, HEADER, WORK_ORDER
from wosdk_async.jobs import CsvFile, Import, ImportMap, ImportMapError, open_source
from wosdk_async.jobs.rows import Row

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


@pytest.mark.parametrize(("suffix", "write"), [("xlsx", write_sheet), ("parquet", write_parquet)])
async def test_a_converted_file_is_read_once_and_sent_as_it_was(
    local: Local, tmp_path: Path, suffix: str, write: Callable[[Path, Rows], None]
) -> None:
    (tmp_path / "map.toml").write_text(WORK_ORDER + FIXED_CUSTOMER)
    path = tmp_path / f"f.{suffix}"
    write(path, BEFORE)
    job = Import(open_source(path), ImportMap.load(tmp_path / "map.toml"))
    await job.open(local.company)
    write(path, OTHER)
    summary = await job.run()
    assert (summary.complete, summary.created) == (True, 10)
    assert summary.folder is not None
    assert "other" not in (summary.folder / "results.csv").read_text()
    comments = {row["Items"][0]["Comment"] for row in await local.rows("WorkOrder", "Items.Comment")}
    assert comments == {"text"}
    with pytest.raises(ImportMapError, match=r"rows of .* were sent by the job"):  # not taken as done
        await Import(open_source(path), ImportMap.load(tmp_path / "map.toml")).run(local.company)


@pytest.mark.parametrize(
    ("suffix", "write"),
    [("csv", write_csv), ("jsonl", write_json_lines), ("xlsx", write_sheet), ("parquet", write_parquet)],
)
@pytest.mark.parametrize("late", [False, True])
async def test_a_file_that_is_replaced_before_its_job_begins_is_refused(
    local: Local, tmp_path: Path, suffix: str, write: Callable[[Path, Rows], None], late: bool
) -> None:
    """Otherwise the job has the hash of one file and the rows of another, which then counts as done."""
    (tmp_path / "map.toml").write_text(WORK_ORDER + FIXED_CUSTOMER)
    import_map = ImportMap.load(tmp_path / "map.toml")
    path = tmp_path / f"f.{suffix}"
    write(path, BEFORE)
    source = open_source(path)
    job = Import(source, import_map) if late else None
    write(path, OTHER)
    with pytest.raises(ImportMapError) as caught:
        await (job or Import(source, import_map)).run(local.company)
    assert caught.value.message.startswith(f"{path}: it has changed since it was opened")
    assert local.server.count("WoCreateCommand") == 0
    summary = await Import(open_source(path), import_map).run(local.company)
    assert (summary.complete, summary.created) == (True, 10)
    comments = {row["Items"][0]["Comment"] for row in await local.rows("WorkOrder", "Items.Comment")}
    assert comments == {"text", "other"}


@pytest.mark.parametrize("other", [write_csv, lambda path, _: path.unlink()], ids=["replaced", "removed"])
async def test_a_file_that_is_replaced_while_its_job_begins_is_refused(
    local: Local, tmp_path: Path, other: Callable[[Path, Rows], None]
) -> None:
    class Replaced(CsvFile):
        """A file that is replaced when its rows were read for the second time."""

        times = 0

        def __iter__(self) -> Iterator[Row]:
            yield from super().__iter__()
            self.times += 1
            if self.times == 2:
                other(self.path, OTHER)

    (tmp_path / "map.toml").write_text(WORK_ORDER + FIXED_CUSTOMER)
    path = tmp_path / "f.csv"
    write_csv(path, BEFORE)
    with pytest.raises(ImportMapError, match="has changed since it was opened"):
        await Import(Replaced(path), ImportMap.load(tmp_path / "map.toml")).run(local.company)
    assert local.server.count("WoCreateCommand") == 0
    assert not (tmp_path / "f.csv.job" / "journal.db").exists()
