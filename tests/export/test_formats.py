"""Files of each format, read back by readers of others."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import python_calamine

from wosdk_async.jobs.exports import table_writers
from wosdk_async.jobs.exports.table_writers import TableForm, writing_table

SCHEMA = pa.schema(
    [
        ("Id", pa.int64()),
        ("Name", pa.string()),
        ("Money", pa.decimal128(38, 15)),
        ("Local", pa.timestamp("us")),
        ("Utc", pa.timestamp("us", "UTC")),
        ("Flag", pa.bool_()),
        ("Extra", pa.string()),
    ],
    metadata={"entity": "WorkOrder"},
)
MOMENT = datetime(2026, 3, 1, 9, 12, 31, 441234)
ROWS: list[dict[str, Any]] = [
    {
        "Id": 1,
        "Name": "=1+1",
        "Money": Decimal("350.50"),
        "Local": MOMENT,
        "Utc": MOMENT.replace(tzinfo=UTC),
        "Flag": True,
        "Extra": '{"A":12345678901234567890.123456789,"B":"x"}',
    },
    {"Id": 2},
    {
        "Id": 10**17 + 1,
        "Name": 'https://x.example/ "q", \x07\x1b\n_x0041_ \uffff Köln 🛠',
        "Money": Decimal("-12345678901234567890.123456789"),
        "Local": datetime(1, 1, 1),
        "Utc": datetime(9999, 12, 31, 23, 59, 59, 999999, UTC),
        "Flag": False,
        "Extra": "[]",
    },
]


def written(path: Path, rows: list[dict[str, Any]] = ROWS, **options: Any) -> Path:
    form = TableForm(
        format=path.suffix[1:], schema=SCHEMA, json_columns={"Extra"}, title="WorkOrder", **options
    )
    with writing_table(path, form) as write:
        for start in range(0, len(rows), 2):
            write(pa.RecordBatch.from_pylist(rows[start : start + 2], SCHEMA))
    return path


def test_parquet(tmp_path: Path) -> None:
    """All values, and what the schema says of them."""
    found = pq.read_table(written(tmp_path / "rows.parquet"))
    assert found.to_pylist() == [{name: row.get(name) for name in SCHEMA.names} for row in ROWS]
    assert found.schema.equals(SCHEMA, check_metadata=True)


def test_parquet_has_row_groups(tmp_path: Path) -> None:
    """Of 65,536 rows at the least, so that a reader skips what it does not need."""
    batch = pa.RecordBatch.from_pylist([{"Id": id} for id in range(10_000)], SCHEMA)
    path = tmp_path / "rows.parquet"
    with writing_table(path, TableForm(format="parquet", schema=SCHEMA)) as write:
        for _ in range(20):
            write(batch)
    metadata = pq.read_metadata(path)
    assert (metadata.num_rows, metadata.num_row_groups) == (200_000, 3)


def test_row_groups_of_long_texts_are_smaller(tmp_path: Path) -> None:
    """Of 32 MiB at the least as they wait in memory, which would hold 65,536 of these rows otherwise."""
    batch = pa.RecordBatch.from_pylist([{"Id": 1, "Name": "x" * (12 << 20)}], SCHEMA)
    path = tmp_path / "rows.parquet"
    with writing_table(path, TableForm(format="parquet", schema=SCHEMA)) as write:
        for _ in range(5):
            write(batch)
    metadata = pq.read_metadata(path)
    assert [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)] == [3, 2]


@pytest.mark.parametrize("separator", [None, "comma", "semicolon"])
def test_names_of_columns_are_no_formulas(
    tmp_path: Path, separator: Literal["comma", "semicolon"] | None
) -> None:
    """A service may have fields of any name."""
    schema = pa.schema([("Id", pa.int64()), ("=HYPERLINK(1)", pa.string()), ("@Sum", pa.string())])
    path = tmp_path / "rows.csv"
    with writing_table(path, TableForm(format="csv", schema=schema, csv_for_excel=separator)) as write:
        write(pa.RecordBatch.from_pylist([{"Id": 1}], schema))
    with path.open(newline="", encoding="utf-8-sig") as text:
        header = next(csv.reader(text, delimiter=";" if separator == "semicolon" else ","))
    assert header == ["Id", "'=HYPERLINK(1)", "'@Sum"]


def test_csv(tmp_path: Path) -> None:
    """Exact numbers, ISO times, no formulas, empty cells for null."""
    with written(tmp_path / "rows.csv").open(newline="", encoding="utf-8") as file:
        first, second, third = csv.DictReader(file)
    assert first == {
        "Id": "1",
        "Name": "'=1+1",
        "Money": "350.5",
        "Local": "2026-03-01T09:12:31.441234",
        "Utc": "2026-03-01T09:12:31.441234Z",
        "Flag": "true",
        "Extra": ROWS[0]["Extra"],
    }
    assert set(second.values()) == {"2", ""}
    assert (third["Money"], third["Local"]) == ("-12345678901234567890.123456789", "0001-01-01T00:00:00")
    assert third["Name"] == ROWS[2]["Name"]


@pytest.mark.parametrize(("separator", "sign", "point"), [("comma", ",", "."), ("semicolon", ";", ",")])
def test_csv_for_excel(
    tmp_path: Path, separator: Literal["comma", "semicolon"], sign: str, point: str
) -> None:
    """Where 1,5 is a number, numbers have a comma, with all their digits; times are Excel's, JSON stays."""
    content = written(tmp_path / "rows.csv", csv_for_excel=separator).read_bytes()
    assert content.startswith(f"\ufeffId{sign}Name{sign}Money".encode())
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=sign))
    assert [row["Money"] for row in rows] == [
        f"350{point}5",
        "",
        f"-12345678901234567890{point}123456789",
    ]
    assert rows[0]["Local"] == rows[0]["Utc"] == "2026-03-01 09:12:31.441234"
    assert rows[0]["Extra"] == ROWS[0]["Extra"]


def test_json_lines(tmp_path: Path) -> None:
    """JSON columns are values, and numbers have all their digits."""
    lines = written(tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    first, second, third = (json.loads(line, parse_float=Decimal) for line in lines)
    assert first["Extra"] == {"A": Decimal("12345678901234567890.123456789"), "B": "x"}
    assert (first["Money"], first["Utc"], first["Flag"]) == (
        Decimal("350.5"),
        "2026-03-01T09:12:31.441234Z",
        True,
    )
    assert second == dict.fromkeys(SCHEMA.names) | {"Id": 2}
    assert (third["Money"], third["Extra"]) == (ROWS[2]["Money"], [])


def sheets(path: Path) -> dict[str, list[list[Any]]]:
    """The cells of each sheet."""
    book = python_calamine.load_workbook(path)
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def test_workbooks_keep_types_and_digits(tmp_path: Path) -> None:
    """Dates are dates from 1900, numbers are numbers up to 15 digits; all else is text, never a formula."""
    (found,) = sheets(written(tmp_path / "rows.xlsx")).values()
    header, first, second, third = found
    assert header == SCHEMA.names
    assert first[:3] == [1.0, "=1+1", 350.5]
    assert first[5] is True
    moment = first[3]
    assert isinstance(moment, datetime)
    assert abs(moment - MOMENT).total_seconds() < 0.001
    assert first[4] == moment
    assert second == [2.0, "", "", "", "", "", ""]
    assert third[0] == "100000000000000001"
    assert third[2:4] == ["-12345678901234567890.123456789", "0001-01-01T00:00:00"]
    assert third[4] == "9999-12-31T23:59:59.999999Z"
    assert "https://x.example/" in third[1]
    assert "Köln 🛠" in third[1]


def test_long_texts_are_whole_on_a_sheet_of_their_own(tmp_path: Path) -> None:
    """A cell takes 32,767 units of UTF-16."""
    texts = ["x" * 32_767, "y" * 32_768, "🛠" * 20_000]
    found = sheets(written(tmp_path / "rows.xlsx", [{"Id": i, "Name": text} for i, text in enumerate(texts)]))
    names = [row[1] for row in found["WorkOrder"][1:]]
    assert names[0] == texts[0]
    assert "32,768 characters are on the sheet 'Long texts'" in names[1]
    pieces: dict[str, str] = {}
    for cell, column, _, text in found["Long texts"][1:]:
        assert column == "Name"
        pieces[cell] = pieces.get(cell, "") + text
    assert pieces == {"WorkOrder!B3": texts[1], "WorkOrder!B4": texts[2]}


def test_rows_go_on_to_a_next_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sheet has 1,048,576 of them."""
    monkeypatch.setattr(table_writers, "SHEET_ROWS", 2)
    found = sheets(written(tmp_path / "rows.xlsx", [{"Id": id} for id in range(5)]))
    assert [len(rows) for rows in found.values()] == [3, 3, 2]
    assert list(found) == ["WorkOrder", "WorkOrder 2", "WorkOrder 3"]
    assert all(rows[0] == SCHEMA.names for rows in found.values())


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl", "xlsx"])
@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_what_was_put_in_place_of_a_draft_is_not_written(
    tmp_path: Path, format: str, link: Callable[[Path, Path], None]
) -> None:
    """A link is replaced, and the file that it leads to stays as it is."""
    kept, draft = tmp_path / "kept", tmp_path / f"rows.{format}"
    kept.write_bytes(b"before")
    link(draft, kept)
    written(draft)
    assert kept.read_bytes() == b"before"
    assert (draft.is_symlink(), draft.stat().st_nlink, draft.stat().st_size > 100) == (False, 1, True)


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl", "xlsx"])
def test_a_file_that_fails_is_removed(tmp_path: Path, format: str) -> None:
    """Also what the writer keeps beside it."""
    form = TableForm(format=format, schema=SCHEMA)
    with pytest.raises(RuntimeError, match="stop"), writing_table(tmp_path / "rows.out", form) as write:
        write(pa.RecordBatch.from_pylist(ROWS, SCHEMA))
        raise RuntimeError("stop")
    assert list(tmp_path.iterdir()) == []
