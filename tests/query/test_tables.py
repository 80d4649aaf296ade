"""Queries read into tables, and the tables in polars, pandas and duckdb."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from collections.abc import Callable
from contextlib import aclosing
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest

from tests.query.table import OPERATORS, query, unsent
from wosdk_async import Company, Customer, Employee, Location, Query, WorkOrder, fields
from wosdk_async.errors import ConfigurationError, InvalidCallError
from wosdk_async.model import AssetTree, Contact, LaborCode
from wosdk_async.protocol.wire import Call
from wosdk_async.query.table import RecordTable

DUE = "2024-05-16T13:12:00.447"


def order(id: int) -> dict[str, Any]:
    """An order; every third has neither money nor a time."""
    more = {"VendorNte": {"CurrencyTypeId": "USD", "Value": id + 0.05}, "DueDateUtc": DUE} if id % 3 else {}
    return {"Id": id, "Number": f"A{id}", "IsWarranty": id % 2 == 0, "Customer": {"Id": 512}} | more


def served(count: int, asked: list[Any] | None = None) -> Query[WorkOrder]:
    """A query that these orders answer."""

    async def send(call: Call[Any]) -> Any:
        expression = json.loads(call.body or b"")["QueryExpression"]
        if asked is not None:
            asked.append(expression)
        bounds = expression.get("Criteria", {}).get("Conditions", [])
        found = [
            order(id)
            for id in range(1, count + 1)
            if all(OPERATORS[each["Operator"]](id, int(each["Values"][0])) for each in bounds)
        ]
        if expression["Orders"][0]["OrderType"] == "Descending":
            found.reverse()
        rows = [{"Data": each} for each in found[: expression["Count"]]]
        return call.decode(json.dumps({"Entities": rows}).encode())

    return Query(WorkOrder, send).select("Number", "IsWarranty", "VendorNte", "DueDateUtc", "Customer.Id")


async def test_a_table_has_the_rows_of_all_pages_in_order() -> None:
    asked: list[Any] = []
    table = await served(25, asked).table(size=10)
    assert len(table) == table.num_rows == 25
    assert table.to_pyarrow().column("Id").to_pylist() == list(range(1, 26))
    assert len(asked) == 4
    first = table.to_pyarrow().to_pylist()[0]
    assert first == {
        "Number": "A1",
        "IsWarranty": False,
        "VendorNte.CurrencyTypeId": "USD",
        "VendorNte.Value": Decimal("1.05"),
        "DueDateUtc": datetime(2024, 5, 16, 13, 12, 0, 447000, UTC),
        "Customer.Id": 512,
        "Id": 1,
        "Extra": None,
    }


async def test_a_table_honours_the_limit_and_the_order() -> None:
    f = fields(WorkOrder)
    table = await served(25).order_by(f.id.desc()).limit(3).table(size=2)
    assert table.to_pyarrow().column("Id").to_pylist() == [25, 24, 23]


async def test_parallel_reads_all_by_ranges_of_ids() -> None:
    table = await served(25).table(size=4, parallel=3)
    assert sorted(table.to_pyarrow().column("Id").to_pylist()) == list(range(1, 26))
    with pytest.raises(
        InvalidCallError,
        match=r"^table\(parallel=...\) reads all WorkOrder records in the order of Id; the query can have no",
    ):
        await served(25).limit(3).table(parallel=3)
    with pytest.raises(InvalidCallError, match="parallel is 0"):
        await served(25).table(parallel=0)


async def test_names_in_another_letter_case_are_understood() -> None:
    async def send(call: Call[Any]) -> Any:
        is_first = "Criteria" not in json.loads(call.body or b"")["QueryExpression"]
        rows = [{"Data": {"ID": id, "number": "A"}} for id in (1, 2) if is_first]
        return call.decode(json.dumps({"Entities": rows}).encode())

    table = (await Query(WorkOrder, send).select("Number").table()).to_pyarrow()
    assert table.to_pylist() == [{"Number": "A", "Id": id, "Extra": None} for id in (1, 2)]


async def test_batches_come_page_by_page() -> None:
    batches = [batch async for batch in served(25).batches(size=10)]
    assert [batch.num_rows for batch in batches] == [10, 10, 5]
    async with aclosing(served(25).batches(size=7, parallel=2)) as parts:
        assert sum([batch.num_rows async for batch in parts]) == 25


async def test_an_empty_table_has_its_schema() -> None:
    table = await served(0).table()
    assert (len(table), table.schema.names[:2]) == (0, ["Id", "Number"])
    assert (await served(0).table(parallel=2)).num_rows == 0
    assert polars.DataFrame(table).schema["VendorNte.Value"] == polars.Decimal(38, 15)
    assert list(pandas.DataFrame.from_arrow(table).columns) == table.schema.names
    assert duckdb.from_arrow(table.to_pyarrow()).fetchall() == []


async def test_repr_shows_no_data() -> None:
    assert repr(await served(2).table()) == "<RecordTable WorkOrder rows=2 columns=8>"


# --- frames ---------------------------------------------------------------------------------


def in_polars(table: RecordTable) -> list[Any]:
    return polars.DataFrame(table).select("Id", "VendorNte.Value", "DueDateUtc", "IsWarranty").rows()


def in_pandas(table: RecordTable) -> list[Any]:
    frame = pandas.DataFrame.from_arrow(table)[["Id", "VendorNte.Value", "DueDateUtc", "IsWarranty"]]
    return [
        tuple(None if pandas.isna(each) else each for each in row) for row in frame.itertuples(index=False)
    ]


def in_duckdb(table: RecordTable) -> list[Any]:
    found = duckdb.from_arrow(table).project('Id, "VendorNte.Value", epoch_us(DueDateUtc), IsWarranty')
    return [
        (id, money, due and datetime.fromtimestamp(due / 1e6, UTC), warranty)
        for id, money, due, warranty in found.fetchall()
    ]


def in_duckdb_by_name(orders: RecordTable) -> list[Any]:
    return duckdb.sql('select Id, "VendorNte.Value", null, IsWarranty from orders').fetchall()


@pytest.mark.parametrize("read", [in_polars, in_pandas, in_duckdb])
async def test_frames_have_the_exact_values(read: Callable[[RecordTable], list[Any]]) -> None:
    table = await served(3).table(size=2)
    due = datetime(2024, 5, 16, 13, 12, 0, 447000, UTC)
    for _ in range(2):  # a stream can be read again
        assert read(table) == [
            (1, Decimal("1.05"), due, False),
            (2, Decimal("2.05"), due, True),
            (3, None, None, False),
        ]


async def test_duckdb_finds_a_table_by_its_name() -> None:
    assert in_duckdb_by_name(await served(1).table()) == [(1, Decimal("1.05"), None, False)]


async def test_pyarrow_takes_the_stream_without_a_copy() -> None:
    table = await served(5).table()
    taken = pyarrow.table(table)
    assert taken.equals(table.to_pyarrow())
    addresses = [each.column("Id").chunk(0).buffers()[1].address for each in (taken, table.to_pyarrow())]
    assert addresses[0] == addresses[1]


# --- mistakes -------------------------------------------------------------------------------


async def test_without_pyarrow_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'wosdk_async\[arrow\]'"):
        await query().table()


async def test_an_unknown_entity_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(InvalidCallError, match="'NewEntity' is not in the catalogue"):
        await Query("NewEntity", unsent).table()


# --- the sandbox ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entity", "paths"),
    [
        (Customer, []),
        (Employee, []),
        (AssetTree, []),
        (LaborCode, []),
        (Contact, ["*", "ContactAddresses.*"]),
        (Location, ["*", "Address.*", "Info.*"]),
    ],
)
async def test_all_that_the_sandbox_sends_has_a_column(
    company: Company, entity: Any, paths: list[str]
) -> None:
    asked = company.query(entity).select(*paths)
    table, records = (await asked.table()).to_pyarrow(), await asked.all()
    assert table.num_rows == len(records) > 0
    assert set(table.column("Extra").to_pylist()) == {None}
    assert table.column("Id").to_pylist() == [record.id for record in records]


async def test_a_table_is_copied() -> None:
    table: Any = await served(3).table()
    assert len(copy.copy(table)) == len(pickle.loads(pickle.dumps(table))) == 3  # noqa: S301
