"""Exports of changes: a folder to which each run adds a part."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest

from tests.export.conftest import Orders, order
from tests.jobs.conftest import Local, serving
from tests.support.facts import having
from tests.support.frames import leaks
from wosdk_async import (
    Company,
    ConfigurationError,
    Customer,
    InvalidCallError,
    UnsupportedError,
    WorkOrder,
    WosdkError,
)
from wosdk_async.jobs import Export, ExportOptions, IncrementalExport
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.exports import ExportError
from wosdk_async.jobs.journal import FolderLock
from wosdk_async.text.remedies import Remedy

NEW = {
    "TypeCategory": "Request",
    "SubType": {"Id": 259},
    "Customer": {"Id": 512},
    "Items": [{"Asset": {"Id": 20430}, "Task": {"Id": 14211}}],
}


@pytest.fixture
async def local(tmp_path: Path, dialect: str) -> AsyncIterator[Local]:
    """A local Company with three work orders."""
    async with serving(tmp_path / "store.db", dialect) as found:
        for _ in range(3):
            await created(found)
        yield found


async def created(local: Local) -> int:
    made = await local.company.run("WoCreateCommand", {"WorkOrder": NEW})
    id: int = made["Wo"]["Id"]
    return id


def parts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def rows(folder: Path, part: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(folder / f"part-{part:06d}" / "rows.parquet").to_pylist()
    return found


async def test_each_run_adds_what_has_changed(local: Local, tmp_path: Path) -> None:
    """All of it first; then what moved, new ones too; nothing when nothing did."""
    folder = tmp_path / "orders"
    first = await IncrementalExport(WorkOrder, folder, company=local.company)
    assert (first.path, first.rows) == (folder / "part-000001", 3)
    again = await IncrementalExport(WorkOrder, folder, company=local.company)
    assert (again.path, again.rows) == (None, 0)
    await local.company.run("WoPickUpCommand", {"WorkOrderId": 1})
    new = await created(local)
    second = await IncrementalExport("WorkOrder", folder, company=local.company)
    assert second.rows == 2
    assert [row["Id"] for row in rows(folder, 2)] == [1, new]
    assert parts(folder) == ["lock", "part-000001", "part-000002"]
    assert (await IncrementalExport(WorkOrder, folder, company=local.company)).rows == 0


@pytest.mark.parametrize("spelled", [str.upper, lambda name: name[0].lower() + name[1:]])
async def test_names_in_other_letters(
    acme: Company, orders: Orders, tmp_path: Path, spelled: Callable[[str], str]
) -> None:
    """The service ignores letter case: an order that moved is in the next part, and no other."""
    known = [order(id, LastActionDateUtc=f"2026-03-0{id}T12:00:00Z") for id in range(1, 6)]
    orders.rows = {row["Id"]: row for row in known}
    orders.show = lambda row: {spelled(name): value for name, value in row.items()}
    folder = tmp_path / "orders"
    assert (await IncrementalExport(WorkOrder, folder, company=acme)).rows == 5
    orders.rows[3] |= {"LastActionDateUtc": "2026-03-05T12:00:01Z", "ConcurrencyId": 4}
    assert (await IncrementalExport(WorkOrder, folder, company=acme)).rows == 1
    assert [(row["Id"], row["ConcurrencyId"]) for row in rows(folder, 2)] == [(3, 4)]
    assert (await IncrementalExport(WorkOrder, folder, company=acme)).rows == 0


async def test_the_latest_version_of_each_order(local: Local, tmp_path: Path) -> None:
    """As the page has it, by duckdb and by polars."""
    folder = tmp_path / "orders"
    for command in ("WoPickUpCommand", "WoStartCommand"):
        await IncrementalExport(WorkOrder, folder, company=local.company)
        await local.company.run(command, {"WorkOrderId": 1})
    await IncrementalExport(WorkOrder, folder, company=local.company)
    pattern = f"{folder}/part-*/rows.parquet"
    latest = duckdb.sql(
        f"""select "Id", "ConcurrencyId" from '{pattern}' qualify row_number() over"""  # noqa: S608 - a path
        ' (partition by "Id" order by "ConcurrencyId" desc, filename desc) = 1 order by "Id"'
    ).fetchall()
    versions = [(row["Id"], row["ConcurrencyId"]) for part in (1, 2, 3) for row in rows(folder, part)]
    assert latest == sorted(dict(versions).items())
    assert len(versions) == 5
    by_polars = pl.scan_parquet(pattern).sort("ConcurrencyId").unique("Id", keep="last").collect()
    assert sorted(by_polars.select("Id", "ConcurrencyId").rows()) == latest


async def test_a_run_that_fails_adds_nothing(local: Local, tmp_path: Path) -> None:
    """Nor does one that was killed: what it left is removed."""
    folder = tmp_path / "orders"
    await IncrementalExport(WorkOrder, folder, company=local.company)
    await created(local)
    local.server.failing = "query/WorkOrder"
    local.server.failing_numbers = range(local.server.count("query/WorkOrder") + 6, 1_000_000)
    with pytest.raises(WosdkError, check=having(code="BUSINESS_LOGIC_ERROR")) as caught:
        await IncrementalExport(WorkOrder, folder, company=local.company)
    assert leaks(caught.value, {"record": "'ConcurrencyId': 1"}) == set()
    assert parts(folder) == ["lock", "part-000001"]
    local.server.failing = "\0"
    left = folder / ".part-000002"
    left.mkdir()
    (left / "rows.parquet").write_bytes(b"half")
    assert (await IncrementalExport(WorkOrder, folder, company=local.company)).rows == 1
    assert parts(folder) == ["lock", "part-000001", "part-000002"]


async def test_all_parts_of_a_folder_are_alike(local: Local, tmp_path: Path) -> None:
    """Other columns or another format are refused, with what differs."""
    folder = tmp_path / "orders"
    await IncrementalExport(WorkOrder, folder, company=local.company, select=["Number"])
    assert list(rows(folder, 1)[0]) == ["Id", "Number", "LastActionDateUtc", "ConcurrencyId", "Extra"]
    with pytest.raises(
        ExportError, match=r"differs from the existing parts .properties changed from Number, .* to "
    ):
        await IncrementalExport(WorkOrder, folder, company=local.company)
    with pytest.raises(ExportError, match="format changed from parquet to csv"):
        await IncrementalExport(WorkOrder, folder, company=local.company, select=["Number"], format="csv")


async def test_the_suffix_of_a_folder_says_the_format(local: Local, tmp_path: Path) -> None:
    """A folder that is called orders.csv does not get parts of Parquet."""
    await IncrementalExport(WorkOrder, tmp_path / "orders.csv", company=local.company)
    assert (tmp_path / "orders.csv" / "part-000001" / "rows.csv").is_file()
    with pytest.raises(ExportError, check=having(remedies=(Remedy.LEAVE_OUT,), option="format")):
        IncrementalExport(WorkOrder, tmp_path / "orders.csv", format="jsonl")
    with pytest.raises(ExportError, check=having(remedies=(Remedy.INCREMENTAL,))):
        Export(WorkOrder, tmp_path / "orders.csv")


@pytest.mark.parametrize("option", [{"format": "pdf"}, {"csv_for_excel": "tab"}])
def test_an_option_that_takes_something_else(option: dict[str, Any]) -> None:
    """It is an error of this library, and names what the option takes."""
    with pytest.raises(ConfigurationError, match=r"ExportOptions\.\w+ is '\w+'; it must be \w+, "):
        ExportOptions(**option)


@pytest.mark.parametrize("format", ["csv", "xlsx"])
async def test_parts_in_other_formats(local: Local, tmp_path: Path, format: Any) -> None:
    summary = await IncrementalExport(WorkOrder, tmp_path / "orders", company=local.company, format=format)
    assert summary.bytes == (tmp_path / "orders" / "part-000001" / f"rows.{format}").stat().st_size > 0


async def test_the_watermark_is_beside_the_rows(local: Local, tmp_path: Path) -> None:
    """One that was damaged is not taken for none: all records would come again."""
    folder = tmp_path / "orders"
    await IncrementalExport(WorkOrder, folder, company=local.company)
    path = folder / "part-000001" / "watermark.json"
    about = json.loads(path.read_bytes())
    assert about["rows"] == 3
    assert datetime.now(UTC) - datetime.fromisoformat(json.loads(about["watermark"])["time"]) < timedelta(
        days=1
    )
    for broken in (b"", b"[]", b'{"watermark": "x", "plan": {}}'):
        path.write_bytes(broken)
        with pytest.raises(ExportError, match="restore it from a backup"):
            await IncrementalExport(WorkOrder, folder, company=local.company)
    path.unlink()
    with pytest.raises(ExportError, match="restore it from a backup"):
        await IncrementalExport(WorkOrder, folder, company=local.company)


async def test_what_it_refuses(local: Local, tmp_path: Path) -> None:
    """Entities without a time of their change, options of files, folders of others, and a second process."""
    with pytest.raises(UnsupportedError, match=r"Customer has no LastActionDateUtc.*compare"):
        IncrementalExport(Customer, tmp_path / "customers")
    for option in ({"limit": 5}, {"again": True}, {"force": True}):
        with pytest.raises(ExportError, match=f"remove {next(iter(option))}=, "):
            IncrementalExport(WorkOrder, tmp_path / "orders", **option)
    with pytest.raises(ExportError, match=r"\(store"):
        await IncrementalExport(WorkOrder, tmp_path, company=local.company)
    with pytest.raises(ExportError, match="is a file"):
        await IncrementalExport(WorkOrder, tmp_path / "store.db", company=local.company)
    with pytest.raises(ExportError, match="does not exist; create it"):
        await IncrementalExport(WorkOrder, tmp_path / "none" / "orders", company=local.company)
    folder = tmp_path / "orders"
    folder.mkdir()
    lock = FolderLock(folder)
    with pytest.raises(JournalError, check=having(remedies=(Remedy.WAIT,))):
        await IncrementalExport(WorkOrder, folder, company=local.company)
    lock.release()


async def test_parts_beyond_a_million(local: Local, tmp_path: Path) -> None:
    """The last part is that with the highest number, not the last one by its name."""
    folder = tmp_path / "orders"
    await IncrementalExport(WorkOrder, folder, company=local.company)
    (folder / "part-000001").rename(folder / "part-999999")
    for number in (1_000_000, 1_000_001):
        await created(local)
        summary = await IncrementalExport(WorkOrder, folder, company=local.company)
        assert (summary.rows, summary.path) == (1, folder / f"part-{number}")


@pytest.mark.parametrize("kind", ["link", "file", "strange"])
async def test_nothing_is_removed_that_no_run_left(local: Local, tmp_path: Path, kind: str) -> None:
    """Whatever its name is; the message says which it is."""
    folder, elsewhere = tmp_path / "orders", tmp_path / "precious"
    await IncrementalExport(WorkOrder, folder, company=local.company)
    elsewhere.mkdir()
    left = folder / ".part-000002"
    if kind == "link":
        left.symlink_to(elsewhere)
    elif kind == "file":
        left.write_text("precious")
    else:
        left.mkdir()
        (left / "thesis.txt").write_text("precious")
    with pytest.raises(ExportError, match=r"\.part-000002 .*; move it"):
        await IncrementalExport(WorkOrder, folder, company=local.company)
    assert left.exists()
    assert elsewhere.exists()


async def test_a_watermark_of_the_future_hides_nothing(local: Local, tmp_path: Path) -> None:
    """The service's clock is behind it, so all orders come again, and the next watermark is right."""
    folder = tmp_path / "orders"
    await IncrementalExport(WorkOrder, folder, company=local.company)
    path = folder / "part-000001" / "watermark.json"
    about = json.loads(path.read_bytes())
    about["watermark"] = json.dumps(json.loads(about["watermark"]) | {"time": "2999-01-01T00:00:00Z"})
    path.write_text(json.dumps(about))
    summary = await IncrementalExport(WorkOrder, folder, company=local.company)
    assert (summary.rows, summary.clock_behind > 900 * 365 * 86400) == (3, True)
    summary = await IncrementalExport(WorkOrder, folder, company=local.company)
    assert (summary.rows, summary.clock_behind) == (0, 0)


@pytest.mark.parametrize(
    ("overlap", "found"),
    [
        ({}, [21, 22]),  # five minutes
        ({"overlap": timedelta(0)}, [22]),
        ({"overlap": timedelta(minutes=10)}, [20, 21, 22]),
    ],
)
async def test_each_run_looks_back(
    acme: Company, orders: Orders, tmp_path: Path, overlap: dict[str, timedelta], found: list[int]
) -> None:
    """Moves of transactions that were under way come late, with a time before the watermark.

    New orders come, whatever their time is.
    """
    orders.rows = {id: order(id, LastActionDateUtc="2026-03-01T09:00:00Z") for id in range(20, 24)}
    orders.rows[30] = order(30, LastActionDateUtc="2026-03-01T15:00:00Z")
    await IncrementalExport(WorkOrder, tmp_path / "orders", company=acme, **overlap)
    late = {20: "14:50:00", 21: "14:55:00", 22: "15:00:00", 23: "14:49:59", 31: "09:00:00"}
    orders.rows |= {
        id: order(id, LastActionDateUtc=f"2026-03-01T{time}Z", ConcurrencyId=4) for id, time in late.items()
    }
    await IncrementalExport(WorkOrder, tmp_path / "orders", company=acme, **overlap)
    assert [row["Id"] for row in rows(tmp_path / "orders", 2)] == [*found, 31]


@pytest.mark.parametrize(
    ("overlap", "message"),
    [
        (timedelta(seconds=-1), "must be from zero to one day"),
        (timedelta(days=2), "must be from zero to one day"),
        (300, "must be a timedelta, up to a day"),
    ],
)
def test_an_overlap_that_is_none(tmp_path: Path, overlap: Any, message: str) -> None:
    """Changes would be missed, or all of them read in each run."""
    with pytest.raises(InvalidCallError, match=message):
        IncrementalExport(WorkOrder, tmp_path / "orders", overlap=overlap)


async def test_it_is_run_once(local: Local, tmp_path: Path) -> None:
    """Its count of rows is that of one part."""
    export = IncrementalExport(WorkOrder, tmp_path / "orders", company=local.company)
    assert (await export).rows == 3
    with pytest.raises(InvalidCallError, match="create another"):
        await export
