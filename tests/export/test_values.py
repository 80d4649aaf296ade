"""Values that a service may send: a cell of an export is what a record has, or the value is in Extra."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.export.conftest import Orders, order
from tests.support.facts import having
from tests.support.service import Answer, Request, Service
from wosdk_async import AssetTree, BusinessRuleError, Company, WorkOrder, WosdkError, codec
from wosdk_async.codec import json as json_codec
from wosdk_async.jobs import Export

READ = codec.reader(WorkOrder)

TIMES = [
    "2026-03-01T09:12:31.44",
    "2026-03-01T09:12:31.4412345Z",
    "2026-03-01T09:12:31.1234+0530",
    "2026-03-01T09:12:31.441234+02",
    "2026-03-01T09:12:31.4412345-02:00",
    "20260301T091231",
    "2026-03-01T24:00:00",
    "2026-03-01",
    "0000-01-01T00:00:00",
    "0001-01-01T00:00:00+05:30",
    "9999-12-31T23:59:59-05:30",
    "10000-01-01T00:00:00",
    "2026-13-01T00:00:00",
    "soon",
    "",
]


async def exported(orders: Orders, acme: Company, tmp_path: Path) -> list[dict[str, Any]]:
    """The rows of an export of everything."""
    await Export(WorkOrder, tmp_path / "orders.parquet", company=acme)
    rows: list[dict[str, Any]] = pq.read_table(tmp_path / "orders.parquet").to_pylist()
    assert len(rows) == len(orders.rows)
    return rows


@pytest.mark.parametrize(("name", "attribute"), [("DtDue", "dt_due"), ("DueDateUtc", "due_date_utc")])
async def test_times_are_read_as_records_read_them(
    orders: Orders, acme: Company, tmp_path: Path, name: str, attribute: str
) -> None:
    """All in one page: one that is odd must not change how the others are read."""
    orders.rows = {id: order(id, **{name: time}) for id, time in enumerate(TIMES, 1)}
    for row, time in zip(await exported(orders, acme, tmp_path), TIMES, strict=True):
        read = getattr(READ(json.dumps({name: time}).encode()), attribute)
        assert row[name] == (read if isinstance(read, datetime) else None), time
        assert (name in json.loads(row["Extra"] or "{}")) == (row[name] is None)


async def test_an_amount_has_all_its_decimals(orders: Orders, acme: Company, tmp_path: Path) -> None:
    """More than the four that the service stores, and in its column."""
    orders.rows = {1: order(1, VendorNte={"CurrencyTypeId": "EUR", "Value": 12.34567})}
    for format in ("csv", "jsonl"):
        await Export(WorkOrder, tmp_path / f"orders.{format}", company=acme, select=["VendorNte"])
    with (tmp_path / "orders.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["VendorNte.Value"] == "12.34567"
    assert "VendorNte" not in row["Extra"]
    row = json.loads((tmp_path / "orders.jsonl").read_text(encoding="utf-8"), parse_float=Decimal)
    assert row["VendorNte.Value"] == Decimal("12.34567")
    (row,) = await exported(orders, acme, tmp_path)
    assert (row["VendorNte.Value"], row["Extra"]) == (Decimal("12.34567"), None)


@pytest.mark.parametrize("number", ["1E-9999999", "0E-9999999", "1E+9999999", "0.00001", "1e999999999999"])
async def test_numbers_of_no_size_that_a_column_has(tmp_path: Path, number: str) -> None:
    """They do not end the process; each is in Extra, as it was sent."""

    def answer(request: Request) -> Answer:
        is_first = "GreaterThan" not in json.dumps(request.json)
        row = f'{{"Data": {{"Id": 1, "VendorNte": {{"Value": {number}}}}}}}'
        return Answer(body=f'{{"Entities": [{row if is_first else ""}]}}'.encode())

    async with Service() as service:
        service.handler = answer
        async with service.client() as client:
            await Export(WorkOrder, tmp_path / "orders.parquet", company=client.company())
    (row,) = pq.read_table(tmp_path / "orders.parquet").to_pylist()
    if row["VendorNte.Value"] is None:
        assert "VendorNte.Value" in json.loads(row["Extra"], parse_float=str)
    else:
        assert row["VendorNte.Value"] == Decimal(number)


async def test_an_id_in_other_letters_names_the_part(orders: Orders, acme: Company, tmp_path: Path) -> None:
    """The service ignores letter case, so a stopped export goes on from there, too."""
    orders.rows = {id: {"ID": id, "Number": "x"} for id in range(1, 31)}
    orders.failing = lambda above: above == 20
    with pytest.raises(BusinessRuleError, check=having(code="BUSINESS_LOGIC_ERROR")):
        await Export(WorkOrder, tmp_path / "orders.parquet", company=acme, page=10, parallel=1)
    orders.failing = lambda _: False
    summary = await Export(WorkOrder, tmp_path / "orders.parquet", company=acme, page=10, parallel=1)
    assert (summary.earlier, summary.rows) == (20, 30)


@pytest.mark.parametrize("id", ["5", [1], {}, True, 5.5, 2**70])
async def test_ids_by_which_nothing_is_read_are_of_any_type(
    orders: Orders, acme: Company, tmp_path: Path, id: Any
) -> None:
    """Records that are read by offset are kept, whatever their id is, as a table keeps them."""
    orders.rows = {1: {"Id": id, "ParentId": 5, "ChildId": 6}}
    summary = await Export(AssetTree, tmp_path / "tree.parquet", company=acme)
    (row,) = pq.read_table(tmp_path / "tree.parquet").to_pylist()
    assert (summary.rows, row["Id"], json.loads(row["Extra"])) == (1, None, {"Id": id})


async def test_a_record_that_is_not_an_object_names_the_entity(
    orders: Orders, acme: Company, tmp_path: Path
) -> None:
    """Of an error of Python nobody could tell where it comes from."""
    orders.rows = {1: {}}
    orders.show = lambda _: None  # type: ignore[assignment, return-value]  # as a service might
    with pytest.raises(WosdkError, match="a record of AssetTree is null, not a JSON object"):
        await Export(AssetTree, tmp_path / "tree.parquet", company=acme)


async def test_a_page_of_too_many_values_is_asked_for_by_half(
    orders: Orders, acme: Company, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """40 records of 5,400 brackets and commas are more than a body may have here; the file has them all."""
    monkeypatch.setattr(json_codec, "_MAX_SYMBOLS", 200_000)
    many: list[Any] = [[]] * 1_800
    orders.rows = {id: {"Id": id, "Number": "x", "SlaStates": many} for id in range(1, 41)}
    await Export(WorkOrder, tmp_path / "orders.parquet", company=acme, page=40, parallel=1, select=["Number"])
    table = pq.read_table(tmp_path / "orders.parquet")
    assert table["Id"].to_pylist() == list(range(1, 41))
    assert {len(json.loads(text)["SlaStates"]) for text in table["Extra"].to_pylist()} == {1_800}
    assert orders.asked[2:] == [(None, 40), (None, 40), (20, 40)]
