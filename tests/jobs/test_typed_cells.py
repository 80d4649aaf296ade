"""Cells that are values in the file: the marks and formats of the map hold for texts only."""

# ruff: noqa: E501 - a table of inputs and the messages about them

from __future__ import annotations

import asyncio
import csv
import datetime as dt
import shutil
import tempfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs.maps import built, load
from tests.jobs.readers import read_here
from tests.jobs.test_map_values import value
from tests.jobs.test_outputs import planned
from tests.jobs.test_sources_excel import written
from tests.support.laws import each_of, examples
from wosdk_async.jobs import ImportMap, Source, open_source
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.journal import RowRecord, State
from wosdk_async.jobs.report.outputs import write_outputs
from wosdk_async.jobs.sources.rows import TypedCell
from wosdk_async.readers import workbook

NUMBER = 'decimal = ",", thousands = "."'
GERMAN = 'date = "%d.%m.%Y"'
MAP = """
[command]
compute_schedule = { text = "{flag}", values = { ja = true, nein = false } }
[command.work_order]
po_number = "{number}"
contact_name = "{when} {flag}"
vendor_nte.value = { text = "{number}", decimal = ",", thousands = "." }
dt_due = { text = "{when}", date = "%d.%m.%Y" }
"""


def number(text: str, was: str | None = None) -> TypedCell:
    return TypedCell(text, "number", was=was)


def time(text: str, was: str | None = None) -> TypedCell:
    return TypedCell(text, "time", was=was)


@each_of(
    ("field", "options", "cell", "text", "found"),
    [
        ("NUMBER", NUMBER, "1.234", "{c}", Decimal(1234)),
        ("NUMBER", NUMBER, number("1.234"), "{c}", Decimal("1.234")),
        ("NUMBER", NUMBER, number("80.5"), "{c}", Decimal("80.5")),
        ("NUMBER", NUMBER, number("-1.234"), "{c|'5'}", Decimal("-1.234")),
        ("NUMBER", NUMBER, number("1.234"), "-{c}", Decimal("-1.234")),
        ("NUMBER", NUMBER, number("1.2e3"), "-{c}", Decimal(-1200)),
        ("WHOLE", 'thousands = "."', number("1234567"), "{c}", 1234567),
        ("WHOLE", 'thousands = "."', number("1234567"), "-{c}", -1234567),
        ("LOCAL", GERMAN, "09.12.2026", "{c}", dt.datetime(2026, 12, 9)),
        ("LOCAL", GERMAN, time("2026-12-09"), "{c}", dt.datetime(2026, 12, 9)),
        ("LOCAL", 'date = "%Y-%d-%m"', time("2026-12-09"), "{c}", dt.datetime(2026, 12, 9)),
        ("LOCAL", 'date = "%Y-%d-%m %H:%M"', time("2026-12-09"), "{c} 08:30", dt.datetime(2026, 12, 9, 8, 30)),
        ("LOCAL", 'date = "%Y%m%d"', number("20261209"), "{c}", dt.datetime(2026, 12, 9)),
        ("UTC", f'{GERMAN}, zone = "Europe/Berlin"', time("2026-07-09T10:00:00"), "{c}",
         dt.datetime(2026, 7, 9, 8, tzinfo=dt.UTC)),
        ("FLAG", "values = { ja = true, nein = false }", TypedCell("false", "boolean"), "{c}", False),
        ("FLAG", 'values = { "true" = false, ja = true }', TypedCell("true", "boolean"), "{c}", False),
        # Corrected by hand among the rejects: as the map says, or as it was, but never as both.
        ("NUMBER", NUMBER, number("1.250,50", was="x"), "{c}", Decimal("1250.50")),
        ("NUMBER", NUMBER, number("80.5", was="80.25"), "{c}", Decimal("80.5")),
        ("NUMBER", NUMBER, number("1235", was="1.234"), "{c}", Decimal(1235)),
        ("NUMBER", NUMBER, number("80.5", was="80.25"), "-{c}", Decimal("-80.5")),
        ("LOCAL", GERMAN, time("09.12.2026", was="2026-12-09"), "{c}", dt.datetime(2026, 12, 9)),
        ("NUMBER", NUMBER, number(" ", was="7"), "{c}", None),
    ],
)  # fmt: skip
def test_a_value_of_the_file_is_not_read_in_the_format_of_texts(
    tmp_path: Path, field: str, options: str, cell: str, text: str, found: object
) -> None:
    assert value(tmp_path, field, options, cell, text) == found


@each_of(
    ("field", "options", "cell", "why"),
    [
        (
            "NUMBER",
            NUMBER,
            number("1.235", was="1.234"),
            "is ambiguous: '1.235' is 1.235 as a number (the original cell was the number '1.234'), but 1235 in the map's format",
        ),
        ("LOCAL", 'date = "%Y-%d-%m"', time("2026-12-08", was="2026-12-09"), "is ambiguous"),
        ("LOCAL", 'date = "%d%m%Y"', number("1112026"), "'1112026' is a number without its leading zeros"),
        ("LOCAL", GERMAN, time("08:00:00"), "takes a time such as 2026-03-31T16:05"),
        ("NUMBER", NUMBER, time("2026-12-09"), "takes a number such as"),
        ("NUMBER", NUMBER, number("abc", was="7"), "takes a number such as 1.234,50, not 'abc'"),
        ("FLAG", "values = { ja = true }", number("1"), "takes 'ja', not '1'"),
        ("NUMBER", NUMBER, number("1e700000000"), "takes a number with at most 100 digits on each side"),
        (
            "NUMBER",
            NUMBER,
            number("1e-101"),
            "side of the decimal point, not '1e-101'; correct it (column 'c')",
        ),
    ],
)
def test_what_has_two_meanings_or_none_is_refused(
    tmp_path: Path, field: str, options: str, cell: str, why: str
) -> None:
    with pytest.raises(RowError) as error:
        value(tmp_path, field, options, cell)
    assert why in error.value.message


@pytest.mark.parametrize("cell", ["1e700000000", "-1e-700000000", "9" * 101])
def test_a_number_within_a_text_is_not_written_out_beyond_its_bound(tmp_path: Path, cell: str) -> None:
    """Not even for a moment: it would be a text of 700 MB."""
    with pytest.raises(RowError, match=rf"at most 100 digits .*not '{cell[:100]}.*\(column 'c'\)"):
        value(tmp_path, "NUMBER", NUMBER, number(cell), "{c}{c}")


def test_a_number_is_a_text_in_a_text_field(tmp_path: Path) -> None:
    found = value(tmp_path, "TEXT", "truncate = false", number("1234"))
    assert found == "1234"
    assert type(found) is str


def made(import_map: ImportMap, source: Source) -> list[Any]:
    """What the map makes of each row, or why it is refused."""
    found: list[Any] = []
    for row in source:
        try:
            found.append(built(import_map, row.cells))
        except RowError as error:
            found.append(error.message)
    return found


def test_one_column_of_a_sheet_has_numbers_and_texts(tmp_path: Path) -> None:
    sheet = written(
        tmp_path / "a.xlsx",
        [
            ["number", "when", "flag"],
            ["1.250,50", "09.12.2026", "ja"],
            [1.234, dt.date(2026, 12, 9), True],
            [1234.0, dt.datetime(2026, 12, 9, 8, 30), False],
        ],
    )
    orders = [each.work_order for each in made(load(tmp_path, MAP), read_here(workbook, sheet))]
    amounts = [each.vendor_nte.value for each in orders]
    assert amounts == [Decimal("1250.50"), Decimal("1.234"), Decimal(1234)]
    assert [each.dt_due.isoformat() for each in orders] == [
        *("2026-12-09T00:00:00", "2026-12-09T00:00:00", "2026-12-09T08:30:00")
    ]
    assert [each.po_number for each in orders] == ["1.250,50", "1.234", "1234"]


def test_zeros_of_a_cell_format_are_sent_in_texts_and_not_in_numbers(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        page = book.add_worksheet()
        page.write_row(0, 0, ["number", "when", "flag"])
        for row, (number, code) in enumerate([(4711, "0000000"), (4711.5, "0000000"), (47, "0.00")], 1):
            page.write(row, 0, number, book.add_format({"num_format": code}))
    (tmp_path / "m.toml").write_text(MAP)
    source = open_source(tmp_path / "a.xlsx")
    orders = [each.work_order for each in made(ImportMap.load(tmp_path / "m.toml"), source)]
    assert [each.po_number for each in orders] == ["0004711", "4711.5", "47"]
    assert [str(each.vendor_nte.value) for each in orders] == ["4711", "4711.5", "47"]


def test_numbers_of_json_and_parquet_are_values_too(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"number": [1.234], "when": [dt.date(2026, 12, 9)], "flag": [True]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    (tmp_path / "a.jsonl").write_text('{"number": 1.234, "when": "09.12.2026", "flag": true}\n')
    for name in ("a.parquet", "a.jsonl"):
        (command,) = made(load(tmp_path, MAP), open_source(tmp_path / name))
        order = command.work_order
        assert (order.vendor_nte.value, order.dt_due, command.compute_schedule) == (
            *(Decimal("1.234"), dt.datetime(2026, 12, 9), True),
        )


# --- rejects --------------------------------------------------------------------------------


async def rejected(folder: Path, source: Source) -> Path:
    """The rejects of a job that refuses every row."""
    async with planned(folder, source) as journal:
        for row in source:
            journal.record(RowRecord(row.number, State.REFUSED, reason="no"))
        await write_outputs(journal, source)
    return folder / "rejects.csv"


NUMBERS = st.one_of(
    st.integers(-(10**14), 10**14),
    st.floats(-1e9, 1e9, allow_nan=False),
    st.sampled_from([1.234, 1234, 0.5, 1.5, 1e-7, 12.0]),
)
TIMES = st.one_of(
    st.dates(dt.date(1901, 1, 1), dt.date(2099, 12, 31)),
    st.datetimes(dt.datetime(1901, 1, 1), dt.datetime(2099, 12, 31)).map(lambda t: t.replace(microsecond=0)),
)
TEXTS = st.sampled_from(
    ["1.250,50", "1.234", "09.12.2026", "ja", "x", "2026-12-09", "true", "", "=1+1", "'1"]
)
CELLS = st.one_of(NUMBERS, TIMES, st.booleans(), TEXTS)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=5))
@examples(40)
def test_rejects_mean_what_the_sheet_meant(rows: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        header = ["number", "when", "flag", "key"]
        sheet = written(folder / "a.xlsx", [header, *([*row, "k"] for row in rows)])
        import_map, source = load(folder, MAP), read_here(workbook, sheet)
        first = made(import_map, source)
        rejects = open_source(asyncio.run(rejected(folder / "job", source)))
        assert rejects.columns == source.columns
        assert made(import_map, rejects) == first
        again = open_source(asyncio.run(rejected(folder / "again", rejects)))  # the rejects of rejects
        assert made(import_map, again) == first


def edited(path: Path, changes: Mapping[str, str]) -> Path:
    with path.open(newline="", encoding="utf-8-sig") as file:
        header, *lines = list(csv.reader(file))
    for line in lines:
        for column, text in changes.items():
            line[header.index(column)] = text
    copy = path.with_name("edited.csv")
    with copy.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *lines])
    return copy


async def test_corrected_rejects_are_read_in_one_way_or_refused(tmp_path: Path) -> None:
    import_map = load(tmp_path, MAP)
    source = open_source(
        written(tmp_path / "a.xlsx", [["number", "when", "flag"], [1.234, dt.date(2026, 12, 9), "ja"]])
    )
    rejects = await rejected(tmp_path / "job", source)
    with rejects.open(newline="", encoding="utf-8-sig") as file:
        assert next(csv.reader(file))[-6:] == ["_row", "_line", "_outcome", "_code", "_reason", "_types"]
    (good,) = made(import_map, open_source(edited(rejects, {"number": "2,5", "when": "10.12.2026"})))
    order = good.work_order
    assert (order.vendor_nte.value, order.dt_due) == (Decimal("2.5"), dt.datetime(2026, 12, 10))
    (bad,) = made(import_map, open_source(edited(rejects, {"number": "1.235"})))
    assert "is ambiguous" in bad
    # It stays refused in the rejects of that file, too.
    again = await rejected(tmp_path / "again", open_source(edited(rejects, {"number": "1.235"})))
    assert made(import_map, open_source(again)) == [bad]
    (row,) = open_source(edited(rejects, {"_types": "{"}))
    assert "_types" in row.fault
    shutil.rmtree(tmp_path / "job")
