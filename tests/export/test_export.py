"""Exports of a scripted service: what is read, what a stop leaves, and what is refused."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

import attrs
import pyarrow.parquet as pq
import pytest

from tests.export.conftest import MONEY, Orders, order
from tests.support.facts import having
from tests.support.frames import leaks
from wosdk_async import (
    Company,
    Customer,
    InvalidCallError,
    UnsupportedError,
    WorkOrder,
    WosdkError,
    fields,
    problem_of,
)
from wosdk_async.jobs import Export, IncrementalExport
from wosdk_async.jobs.errors import OutputError
from wosdk_async.jobs.exports import ExportError, ExportOptions, differences
from wosdk_async.jobs.exports.export_job import ExportedTable
from wosdk_async.text.remedies import Remedy

SMALL = {"page": 10, "parallel": 3}


def ids_in(path: Path) -> list[int]:
    """The ids of a Parquet file, in its order."""
    found: list[int] = pq.read_table(path)["Id"].to_pylist()
    return found


def left_in(folder: Path) -> list[str]:
    """Names of what is there besides the output."""
    return sorted(path.name for path in folder.iterdir() if path.name != "orders.parquet")


async def test_all_records_are_written_in_the_order_of_their_ids(
    acme: Company, orders: Orders, tmp_path: Path
) -> None:
    """Each once, although several ranges are read at once; nothing but the file is left."""
    summary = await Export(WorkOrder, tmp_path / "orders.parquet", company=acme, **SMALL)
    assert ids_in(tmp_path / "orders.parquet") == sorted(orders.rows)
    assert (summary.rows, summary.earlier, summary.format) == (len(orders.rows), 0, "parquet")
    assert left_in(tmp_path) == []
    assert len(set(orders.asked)) > 10  # ranges, not one after the other


async def test_values_are_exact(acme: Company, tmp_path: Path) -> None:
    """Money, times with and without zone, references by their id, and what the catalogue does not know."""
    await Export(WorkOrder, tmp_path / "orders.parquet", company=acme)
    first = pq.read_table(tmp_path / "orders.parquet").slice(0, 1).to_pylist()[0]
    assert first["VendorNte.Value"] == MONEY
    assert first["DtCreated"] == datetime(2026, 3, 1, 9, 12, 31, 441234)
    assert first["LastActionDateUtc"] == datetime(2026, 3, 1, 15, 12, 31, 440000, UTC)
    assert (first["Customer.Id"], first["StatusId"], first["IsWarranty"]) == (2, "New", False)
    assert first["Extra"] is None


async def test_rows_added_meanwhile_are_not_in_it(acme: Company, orders: Orders, tmp_path: Path) -> None:
    """The highest id is read first."""

    async def add(_: int | None) -> None:
        orders.rows[90_000] = order(90_000)

    export = Export(WorkOrder, tmp_path / "orders.parquet", company=acme, **SMALL)
    known = sorted(orders.rows)

    async def add_once_begun(above: int | None) -> None:
        if len(orders.asked) > 1:
            await add(above)

    orders.before = add_once_begun
    await export
    assert ids_in(tmp_path / "orders.parquet") == known


async def test_no_records_are_a_file_without_rows(acme: Company, orders: Orders, tmp_path: Path) -> None:
    orders.rows.clear()
    summary = await Export(WorkOrder, tmp_path / "orders.parquet", company=acme)
    assert summary.rows == 0
    assert ids_in(tmp_path / "orders.parquet") == []


@pytest.mark.parametrize("limit", [1, 25, 59, 200])
async def test_a_limit_takes_the_lowest_ids(
    acme: Company, orders: Orders, tmp_path: Path, limit: int
) -> None:
    await Export(WorkOrder, tmp_path / "orders.parquet", company=acme, limit=limit, **SMALL)
    assert ids_in(tmp_path / "orders.parquet") == sorted(orders.rows)[:limit]


# --- going on -----------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [None, 100])
async def test_a_page_that_fails_keeps_what_was_read(
    acme: Company, orders: Orders, tmp_path: Path, limit: int | None
) -> None:
    """The same export goes on, asks for nothing twice, and says how much was there."""
    output = tmp_path / "orders.parquet"
    orders.failing = lambda above: above is not None and 9010 <= above < 20_000
    export = Export(WorkOrder, output, company=acme, limit=limit, **SMALL)
    with pytest.raises(WosdkError, check=having(code="BUSINESS_LOGIC_ERROR")):
        await export
    assert not output.exists()
    assert left_in(tmp_path) == ["orders.parquet.export"]
    assert export.is_kept
    orders.failing = lambda _: False
    orders.asked.clear()
    seen: list[int] = []
    summary = await Export(WorkOrder, output, company=acme, limit=limit, on_progress=seen.append, **SMALL)
    assert ids_in(output) == sorted(orders.rows)[:limit]
    assert seen[0] == summary.earlier == export.rows > 0
    assert seen[-1] == summary.rows
    assert left_in(tmp_path) == []


async def test_each_cancellation_leaves_an_export_that_goes_on(
    acme: Company, orders: Orders, tmp_path: Path
) -> None:
    """It is cancelled at the third, the sixth, ... request, until one run comes to its end."""
    output, runs = tmp_path / "orders.parquet", 0
    while not output.exists():
        runs += 1
        task = asyncio.ensure_future(Export(WorkOrder, output, company=acme, **SMALL).run())
        begun = len(orders.asked)

        async def cancel(_: int | None, task: asyncio.Task[object] = task, begun: int = begun) -> None:
            if len(orders.asked) - begun == 12:
                task.cancel()

        orders.before = cancel
        await asyncio.wait([task])
        assert task.cancelled() or task.result()
    assert runs > 1
    assert ids_in(output) == sorted(orders.rows)


async def test_an_export_of_something_else_does_not_go_on(
    acme: Company, orders: Orders, tmp_path: Path
) -> None:
    """What differs is named; again=True throws away what was read."""
    output, parquet = tmp_path / "orders", SMALL | {"format": "parquet"}
    orders.failing = lambda above: above is not None and 0 < above < 20_000
    with pytest.raises(WosdkError, check=having(code="BUSINESS_LOGIC_ERROR")):
        await Export(WorkOrder, output, company=acme, **parquet)
    orders.failing = lambda _: False
    f = fields(WorkOrder)
    for other, differing in (
        ({"select": ["Number"]}, r"properties changed from \* to Number, Id"),
        ({"where": [f.status_id == "New"]}, r"conditions changed from none to \{'.*New.*"),
        ({"limit": 5}, "limit changed from none to 5"),
        ({"format": "csv"}, "format changed from parquet to csv"),
    ):
        with pytest.raises(
            ExportError, match=f"differs from the stopped export to the same output .{differing}"
        ) as caught:
            await Export(WorkOrder, output, company=acme, **(parquet | other))
        assert caught.value.remedies == (Remedy.EXPORT_AGAIN,)
    await Export(WorkOrder, output, company=acme, again=True, select=["Number"], **parquet)
    assert pq.read_schema(output).names == ["Id", "Number", "Extra"]


def test_each_field_of_a_plan_is_compared(acme: Company) -> None:
    """Else a stopped export would go on in another form."""
    plan = ExportedTable.of(WorkOrder, Path("orders.csv"), ExportOptions(), select=["Id"]).plan(acme)
    assert differences(plan, plan) == []
    for name in plan:
        other = {**plan["expression"], "Criteria": {"Conditions": []}} if name == "expression" else "other"
        assert len(differences(plan, {**plan, name: other})) == 1, name
    assert set(attrs.fields_dict(ExportOptions)) - set(plan) == {"parallel", "page", "again", "force"}


async def test_an_entity_without_ids_of_its_own_is_read_in_one_range(
    acme: Company, orders: Orders, tmp_path: Path
) -> None:
    """Nothing of it is kept when it is stopped: the next run reads all of it again."""
    orders.rows = {number: {"Id": number, "ParentId": 5, "ChildId": number} for number in range(1, 36)}
    output = tmp_path / "orders.parquet"
    calls = 0

    def third(_: int | None) -> bool:
        nonlocal calls
        calls += 1
        return calls == 3

    orders.failing = third
    with pytest.raises(WosdkError, check=having(code="BUSINESS_LOGIC_ERROR")):
        await Export("AssetTree", output, company=acme, **SMALL)
    summary = await Export("AssetTree", output, company=acme, **SMALL)
    assert (summary.rows, summary.earlier) == (35, 0)


# --- refusals -----------------------------------------------------------------------------------


async def test_an_output_that_exists_stays(acme: Company, orders: Orders, tmp_path: Path) -> None:
    """Unless force=True; nothing is read before that."""
    output = tmp_path / "orders.parquet"
    output.write_bytes(b"precious")
    with pytest.raises(ExportError, check=having(remedies=(Remedy.OVERWRITE,))) as exists:
        await Export(WorkOrder, output, company=acme)
    problem = problem_of(exists.value).body
    assert (problem["status"], problem["detail"]) == (409, "[address] already exists")
    assert (output.read_bytes(), orders.asked, left_in(tmp_path)) == (b"precious", [], [])
    await Export(WorkOrder, output, company=acme, force=True)
    assert ids_in(output) == sorted(orders.rows)


def test_names_and_options_are_checked_at_once(tmp_path: Path) -> None:
    """Before there is a Company."""
    output = tmp_path / "orders.parquet"
    with pytest.raises(ExportError, check=having(remedies=(Remedy.FORMAT,))):
        Export(WorkOrder, tmp_path / "orders.dat")
    with pytest.raises(WosdkError, match="did you mean 'Number'"):
        Export(WorkOrder, output, select=["Numbr"])
    with pytest.raises(InvalidCallError, check=having(remedies=(Remedy.QUERY_UNKNOWN,), entity="Gadget")):
        Export("Gadget", output)
    with pytest.raises(InvalidCallError, match="not a property of WorkOrder"):
        Export(WorkOrder, output, where=[fields(Customer).name == "x"])
    with pytest.raises(UnsupportedError, match="Customer has no LastActionDateUtc"):
        Export(Customer, output, since=datetime.now(UTC))
    with pytest.raises(InvalidCallError, match="a datetime with a zone"):
        Export(WorkOrder, output, since=datetime(2026, 3, 1))
    with pytest.raises(WosdkError, match="parallel is 0"):
        Export(WorkOrder, output, parallel=0)
    with pytest.raises(TypeError, match="fromat"):
        Export(WorkOrder, output, fromat="csv")


def test_formats_that_contradict_are_refused(tmp_path: Path) -> None:
    """The suffix says the format; what is for CSV is not for another format."""
    with pytest.raises(ExportError, check=having(remedies=(Remedy.LEAVE_OUT,), option="format")):
        Export(WorkOrder, tmp_path / "orders.parquet", format="csv")
    with pytest.raises(ExportError, check=having(remedies=(Remedy.LEAVE_OUT,), option="csv_for_excel")):
        Export(WorkOrder, tmp_path / "orders.ndjson", csv_for_excel="semicolon")
    with pytest.raises(ExportError, check=having(remedies=(Remedy.LEAVE_OUT,), option="csv_for_excel")):
        IncrementalExport(WorkOrder, tmp_path / "orders", csv_for_excel="comma")


async def test_a_link_stays_and_what_it_names_is_written(acme: Company, tmp_path: Path) -> None:
    link, target = tmp_path / "orders.parquet", tmp_path / "kept.bin"
    link.symlink_to(target)
    summary = await Export(WorkOrder, link, company=acme)
    assert link.is_symlink()
    assert (summary.path, len(ids_in(target))) == (target, summary.rows)
    with pytest.raises(ExportError, match=r"kept\.bin already exists"):
        await Export(WorkOrder, link, company=acme)


async def test_a_pipe_is_not_replaced(acme: Company, tmp_path: Path) -> None:
    """Not even with force=True: whoever reads it would wait for ever."""
    pipe = tmp_path / "orders.csv"
    os.mkfifo(pipe)
    with pytest.raises(ExportError, match="is not a regular file"):
        await Export(WorkOrder, pipe, company=acme, force=True)
    assert pipe.is_fifo()


async def test_it_needs_a_company_and_a_directory(acme: Company, tmp_path: Path) -> None:
    with pytest.raises(InvalidCallError, match=r"write export\.run\(company\)"):
        await Export(WorkOrder, tmp_path / "orders.parquet")
    with pytest.raises(ExportError, match="does not exist; create it"):
        await Export(WorkOrder, tmp_path / "none" / "orders.parquet", company=acme)
    with pytest.raises(ExportError, check=having(remedies=(Remedy.INCREMENTAL,))):
        await Export(WorkOrder, tmp_path, company=acme, format="parquet")


async def test_a_folder_of_somebody_else_is_not_used(acme: Company, tmp_path: Path) -> None:
    """Nothing in it is removed."""
    folder = tmp_path / "orders.parquet.export"
    folder.mkdir()
    (folder / "thesis.txt").write_text("precious")
    with pytest.raises(ExportError, match=r"\(thesis\.txt\)"):
        await Export(WorkOrder, tmp_path / "orders.parquet", company=acme, again=True)
    assert (folder / "thesis.txt").read_text() == "precious"


async def test_a_time_is_a_condition(acme: Company, orders: Orders, tmp_path: Path) -> None:
    """The service decides it; the file has what it sends."""
    orders.rows[3]["LastActionDateUtc"] = "2026-03-01T07:59:59Z"
    orders.rows[4]["LastActionDateUtc"] = "2026-03-01T08:00:00Z"
    moment = datetime(2026, 3, 1, 8, tzinfo=UTC)
    await Export(WorkOrder, tmp_path / "orders.parquet", company=acme, since=moment)
    assert ids_in(tmp_path / "orders.parquet") == sorted(set(orders.rows) - {3})


async def test_money_beyond_the_column_is_kept_in_extra(
    acme: Company, orders: Orders, tmp_path: Path
) -> None:
    """And so is what the catalogue does not know."""
    orders.rows = {1: order(1, SlaState="Met", Duration="long")}
    await Export(WorkOrder, tmp_path / "orders.parquet", company=acme)
    row = pq.read_table(tmp_path / "orders.parquet").to_pylist()[0]
    assert row["Extra"] == '{"Duration":"long","SlaState":"Met"}'
    assert row["Duration"] is None
    assert isinstance(row["VendorNte.Value"], Decimal)


async def test_records_that_are_repeated_in_a_page_are_written_once(
    acme: Company, orders: Orders, tmp_path: Path
) -> None:
    """As a condition on a list does: once for each element that matches."""
    orders.repeated = 3
    await Export(WorkOrder, tmp_path / "orders.parquet", company=acme, **SMALL)
    assert ids_in(tmp_path / "orders.parquet") == sorted(orders.rows)


async def test_an_id_of_too_many_bits_ends_the_export(acme: Company, orders: Orders, tmp_path: Path) -> None:
    """A part could not be named after it."""
    orders.rows = {2**70: order(2**70)}
    with pytest.raises(WosdkError, match="more than 64 bits"):
        await Export(WorkOrder, tmp_path / "orders.parquet", company=acme)
    assert left_in(tmp_path) == []


async def test_a_page_out_of_order_ends_the_export(acme: Company, orders: Orders, tmp_path: Path) -> None:
    """A service that breaks its promise does not make a file with rows missing."""
    orders.rows[70] = order(2)
    with pytest.raises(WosdkError, match="not in order of Id") as caught:
        await Export(WorkOrder, tmp_path / "orders.parquet", company=acme, parallel=1, page=10)
    assert not (tmp_path / "orders.parquet").exists()
    assert leaks(caught.value, {"record": "WO0000"}) == set()


async def test_a_service_that_ignores_the_end_of_a_range_ends_the_export(
    acme: Company, orders: Orders, tmp_path: Path
) -> None:
    """Records would be in the file several times."""
    orders.boundless = True
    with pytest.raises(WosdkError, match="ignores conditions on Id"):
        await Export(WorkOrder, tmp_path / "orders.parquet", company=acme, **SMALL)
    assert not (tmp_path / "orders.parquet").exists()


@pytest.mark.parametrize("more", [1, 4000])
async def test_a_service_that_gives_more_than_asked(
    acme: Company, orders: Orders, tmp_path: Path, more: int
) -> None:
    """The highest id is that of the first record, whatever comes behind it."""
    orders.more = more
    output = tmp_path / "orders.parquet"
    await Export(WorkOrder, output, company=acme, **SMALL)
    assert ids_in(output) == sorted(orders.rows)


async def test_a_refusal_leaves_no_folder(acme: Company, orders: Orders, tmp_path: Path) -> None:
    """Nothing was read from which the export could continue."""
    orders.failing = lambda _: True
    with pytest.raises(WosdkError, check=having(code="BUSINESS_LOGIC_ERROR")):
        await Export(WorkOrder, tmp_path / "orders.parquet", company=acme)
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("is_soon_free", [False, True])
async def test_a_full_disk_keeps_what_was_read(
    acme: Company, orders: Orders, tmp_path: Path, is_soon_free: bool
) -> None:
    """The error says what to do, and the same export goes on: a page that is half written does not count."""
    output = tmp_path / "orders.parquet"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def free(*_: object) -> None:
        if is_soon_free:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    orders.rows = {id: order(id, TaskRefinement=sha256(b"%d" % id).hexdigest() * 9) for id in range(1, 3000)}
    earlier = signal.signal(signal.SIGXFSZ, free)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(OutputError, match="File too large; "):
            await Export(WorkOrder, output, company=acme, page=700, parallel=2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, earlier)
    assert not output.exists()
    await Export(WorkOrder, output, company=acme, page=700, parallel=2)
    assert ids_in(output) == sorted(orders.rows)


@pytest.mark.parametrize("kind", [Export, IncrementalExport])
async def test_a_disk_that_is_full_at_the_start(acme: Company, tmp_path: Path, kind: Any) -> None:
    """Nothing is left behind, and the words are those of an export."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with pytest.raises(OutputError, match="File too large; "):
            await kind(WorkOrder, tmp_path / "orders.parquet", company=acme)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert left_in(tmp_path) == []
    assert not (tmp_path / "orders.parquet").exists()


@pytest.mark.parametrize("damage", ["cut", "empty", "noise", "fewer"])
async def test_a_part_that_cannot_be_read_is_read_again(
    acme: Company, orders: Orders, tmp_path: Path, damage: str
) -> None:
    """After a power failure a file may be there without all that was written."""
    output = tmp_path / "orders.parquet"
    orders.failing = lambda above: above == 7503
    with pytest.raises(WosdkError, check=having(code="BUSINESS_LOGIC_ERROR")):
        await Export(WorkOrder, output, company=acme, page=100, parallel=1)
    (part,) = sorted((tmp_path / "orders.parquet.export").glob("start_*.arrow"))
    whole = part.read_bytes()
    torn = {"cut": whole[:-3000], "empty": b"", "noise": b"noise" * 1000, "fewer": whole}[damage]
    part.write_bytes(torn)
    if damage == "fewer":
        part.rename(part.with_name(part.name.replace("_60.", "_61.")))
    orders.failing = lambda _: False
    summary = await Export(WorkOrder, output, company=acme, page=100, parallel=1)
    assert summary.rows == len(orders.rows)
    assert ids_in(output) == sorted(orders.rows)


async def test_a_limit_holds_when_a_part_cannot_be_read(
    acme: Company, orders: Orders, tmp_path: Path
) -> None:
    """How many rows are to come behind the gap is not known before it was read again."""
    output, options = tmp_path / "orders.parquet", {"limit": 100, "page": 10, "parallel": 1}
    for stop in (40, 1000):
        orders.failing = lambda above, stop=stop: above == stop
        with pytest.raises(WosdkError, check=having(code="BUSINESS_LOGIC_ERROR")):
            await Export(WorkOrder, output, company=acme, **options)
    work = tmp_path / "orders.parquet.export"
    assert len(list(work.glob("*.arrow"))) == 2
    (work / "start_40_40.arrow").write_bytes(b"noise")
    orders.failing = lambda _: False
    assert (await Export(WorkOrder, output, company=acme, **options)).rows == 100
    assert ids_in(output) == sorted(orders.rows)[:100]
