"""Nothing is missed silently: the service's clock is set back, or a part is removed, replaced or edited."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from tests.export.test_incremental import NEW, created, parts, rows
from tests.jobs.conftest import Local, serving
from tests.support.laws import case
from wosdk_async import Client, Company, Watermark, WorkOrder
from wosdk_async.jobs import IncrementalExport
from wosdk_async.jobs.exports import ExportError
from wosdk_async.sandbox import Clock, LocalCompany


class Wall(Clock):
    """A clock that runs, and that its owner sets."""

    ahead = timedelta(0)

    def __call__(self) -> int:
        return super().__call__() + self.ahead // timedelta(microseconds=1) * 1000


async def order(acme: Company) -> int:
    made = await acme.run("WoCreateCommand", {"WorkOrder": NEW})
    id: int = made["Wo"]["Id"]
    return id


@pytest.fixture
async def clock() -> Wall:
    return Wall()


@pytest.fixture
async def acme(clock: Wall, dialect: str) -> AsyncIterator[Company]:
    with LocalCompany(dialect=dialect, clock=clock) as local:
        async with Client.from_env(local.variables) as client:
            yield client.company()


def union(folder: Path) -> dict[int, int]:
    """Return the latest version of each order, as the page has it."""
    found = pl.scan_parquet(f"{folder}/part-*/rows.parquet").sort("ConcurrencyId").unique("Id", keep="last")
    return dict(found.select("Id", "ConcurrencyId").collect().rows())


async def versions(acme: Company) -> dict[int, int]:
    found = await acme.query(WorkOrder).select("Id", "ConcurrencyId").all()
    return {order.id: order.concurrency_id for order in found if order.id and order.concurrency_id}


# --- the service's clock ----------------------------------------------------------------------


async def test_a_clock_that_was_set_back_is_noticed(acme: Company, clock: Wall, tmp_path: Path) -> None:
    """The part has all orders, and the next ones what moved, until the clock is right again and after it."""
    folder = tmp_path / "orders"
    known = [await order(acme) for _ in range(3)]
    await IncrementalExport(WorkOrder, folder, company=acme)
    clock.ahead = timedelta(hours=-1)
    await acme.run("WoPickUpCommand", {"WorkOrderId": known[0]})
    new = await order(acme)
    summary = await IncrementalExport(WorkOrder, folder, company=acme)
    assert [row["Id"] for row in rows(folder, 2)] == [*known, new]
    assert 3590 < summary.clock_behind < 3700
    await acme.run("WoPickUpCommand", {"WorkOrderId": known[1]})
    summary = await IncrementalExport(WorkOrder, folder, company=acme)
    assert (summary.rows, summary.clock_behind) == (1, 0)
    await acme.run("WoPickUpCommand", {"WorkOrderId": known[2]})
    clock.ahead = timedelta(0)
    await IncrementalExport(WorkOrder, folder, company=acme)
    assert union(folder) == await versions(acme)
    assert (await IncrementalExport(WorkOrder, folder, company=acme)).rows == 0


@pytest.mark.parametrize("right_again", [timedelta(minutes=58), timedelta(hours=5)])
async def test_new_orders_of_a_clock_that_was_behind_between_two_runs(
    acme: Company, clock: Wall, tmp_path: Path, right_again: timedelta
) -> None:
    """No run saw the clock; their ids tell that they are new."""
    folder = tmp_path / "orders"
    await order(acme)
    await IncrementalExport(WorkOrder, folder, company=acme)
    clock.ahead = timedelta(hours=-1)
    new = [await order(acme) for _ in range(3)]
    clock.ahead += right_again
    summary = await IncrementalExport(WorkOrder, folder, company=acme)
    assert summary.clock_behind == 0
    assert [row["Id"] for row in rows(folder, 2)] == new


async def test_a_clock_that_was_ahead(acme: Company, clock: Wall, tmp_path: Path) -> None:
    """The watermark is of a time to come, by two days; nothing is missed once the clock is right."""
    folder = tmp_path / "orders"
    clock.ahead = timedelta(days=2)
    await order(acme)
    await IncrementalExport(WorkOrder, folder, company=acme)
    clock.ahead = timedelta(0)
    for _ in range(2):
        await order(acme)
        await IncrementalExport(WorkOrder, folder, company=acme)
    assert union(folder) == await versions(acme)


async def test_a_feed_says_how_far_the_clock_is_behind(acme: Company, clock: Wall) -> None:
    """A watermark of version 0.2, which has no highest id, is protected, too. A time of the caller stays."""
    known = [await order(acme) for _ in range(2)]
    feed = acme.changes(WorkOrder)
    assert [order.id async for order in feed] == known
    clock.ahead = timedelta(minutes=-30)
    old = json.loads(str(feed.watermark))
    del old["highest"]
    for since in (feed.watermark, Watermark.parse(json.dumps(old))):
        again = acme.changes(WorkOrder, since=since)
        assert [order.id async for order in again] == known
        assert timedelta(minutes=29) < again.clock_behind < timedelta(minutes=31)
        assert [order.id async for order in again] == []
        assert again.clock_behind == timedelta(0)
    of_caller = acme.changes(WorkOrder, since=clock.now + timedelta(hours=2))  # by another clock
    for _ in range(2):
        assert [order.id async for order in of_caller] == []


# --- the folder -------------------------------------------------------------------------------


def remove(*numbers: int) -> Callable[[Path], None]:
    def removed(folder: Path) -> None:
        for number in numbers:
            shutil.rmtree(folder / f"part-{number:06d}")

    return removed


def swap(folder: Path) -> None:
    (folder / "part-000002").rename(folder / "spare")
    (folder / "part-000003").rename(folder / "part-000002")
    (folder / "spare").rename(folder / "part-000003")


def of_another_export(folder: Path) -> None:
    shutil.rmtree(folder / "part-000002")
    shutil.copytree(folder.with_name("other") / "part-000002", folder / "part-000002")


def truncate(folder: Path) -> None:
    path = folder / "part-000002" / "rows.parquet"
    path.write_bytes(path.read_bytes()[:-1])


def take_rows(folder: Path) -> None:
    (folder / "part-000002" / "rows.parquet").unlink()


def edit_watermark(folder: Path) -> None:
    path = folder / "part-000002" / "watermark.json"
    path.write_bytes(path.read_bytes() + b"\n")


def older_watermark(folder: Path) -> None:
    shutil.copy(folder / "part-000001" / "watermark.json", folder / "part-000003")


@pytest.fixture
async def local(tmp_path: Path, dialect: str) -> AsyncIterator[Local]:
    async with serving(tmp_path / "store.db", dialect) as found:
        yield found


async def export(local: Local, folder: Path, orders: int) -> None:
    """Add a part with so many new orders."""
    for _ in range(orders):
        await created(local)
    assert (await IncrementalExport(WorkOrder, folder, company=local.company)).path


DAMAGES: list[tuple[Callable[[Path], None], str]] = [
    (remove(1), r"orders: part-000001 is missing \(rows: 4\); restore it from a backup, or start over"),
    (remove(2), r"orders: part-000002 is missing \(rows: 3\); restore"),
    (remove(1, 2), r"orders: part-000001 to part-000002 are missing \(rows: 7\); restore"),
    (swap, "part-000002 does not follow the previous part"),
    (of_another_export, "part-000002 does not follow the previous part"),
    (truncate, r"part-000002/rows.parquet has [\d,]+ bytes instead of [\d,]+; restore"),
    (take_rows, r"part-000002/rows.parquet is missing \(rows: 3\); restore"),
    (edit_watermark, "part-000003 does not follow the previous part"),
    (older_watermark, "part-000003 does not follow the previous part"),
]


async def test_a_folder_with_a_gap_is_refused(local: Local, tmp_path: Path) -> None:
    """The message names the part and its rows; no part is added, and the restored folder is continued."""
    folder = tmp_path / "orders"
    await export(local, folder, 4)
    await export(local, tmp_path / "other", 1)
    await export(local, folder, 2)
    await export(local, tmp_path / "other", 0)
    await export(local, folder, 2)
    backup = shutil.copytree(folder, tmp_path / "backup")
    for damage, message in DAMAGES:
        with case(message):
            shutil.rmtree(folder)
            shutil.copytree(backup, folder)
            damage(folder)
            damaged = parts(folder)
            await created(local)
            with pytest.raises(ExportError, match=message):
                await IncrementalExport(WorkOrder, folder, company=local.company)
            assert parts(folder) == damaged
            shutil.rmtree(folder)
            shutil.copytree(backup, folder)
            await IncrementalExport(WorkOrder, folder, company=local.company)
            assert union(folder) == await versions(local.company)


async def test_the_last_part_is_read_again(local: Local, tmp_path: Path) -> None:
    """Removed, it leaves no gap: the watermark before it leads to the same orders."""
    folder = tmp_path / "orders"
    for orders in (2, 3):
        await export(local, folder, orders)
    remove(2)(folder)
    await export(local, folder, 0)
    assert union(folder) == await versions(local.company)


async def test_parts_of_version_0_2_are_continued(local: Local, tmp_path: Path) -> None:
    """They name neither bytes nor the part before; a gap between them is noticed by its number."""
    folder = tmp_path / "orders"
    for orders in (2, 1, 1):
        await export(local, folder, orders)
    for path in folder.glob("part-*/watermark.json"):
        about = json.loads(path.read_bytes())
        old = json.loads(about["watermark"])
        del about["bytes"], about["before"], old["highest"]
        path.write_text(json.dumps(about | {"watermark": json.dumps(old)}))
    await export(local, folder, 1)
    assert union(folder) == await versions(local.company)
    remove(2)(folder)
    with pytest.raises(ExportError, match="orders: part-000002 is missing; restore"):
        await IncrementalExport(WorkOrder, folder, company=local.company)
