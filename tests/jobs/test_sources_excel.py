"""Sheets: a cell has the text that is shown."""

from __future__ import annotations

import datetime as dt
import io
import sys
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from wosdk_async.jobs import Import, ImportMap, ImportMapError, open_source
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.rows import Row


def written(path: Path, rows: list[list[Any]], *, top: int = 0, left: int = 0, sheet: str = "Data") -> Path:
    with xlsxwriter.Workbook(path, {"strings_to_numbers": False, "strings_to_formulas": False}) as book:
        page = book.add_worksheet(sheet)
        formats = {
            dt.datetime: book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"}),
            dt.date: book.add_format({"num_format": "dd.mm.yyyy"}),
            dt.time: book.add_format({"num_format": "hh:mm:ss"}),
            dt.timedelta: book.add_format({"num_format": "[h]:mm:ss"}),
        }
        for number, row in enumerate(rows):
            for place, value in enumerate(row):
                cell = (top + number, left + place)
                if isinstance(value, str):
                    page.write_string(*cell, value)
                elif isinstance(value, tuple):
                    page.write_formula(*cell, value[0], None, value[1])
                elif value is not None:
                    page.write(*cell, value, formats.get(type(value)))
    return path


def cells(folder: Path, *values: Any) -> list[str]:
    """The texts of one row with these values."""
    names = [f"c{place}" for place in range(len(values))]
    source = open_source(written(folder / "f.xlsx", [["key", *names], ["1", *values]]))
    (row,) = source
    return [row.cells[name] for name in names]


def test_values_are_the_texts_that_the_sheet_shows(tmp_path: Path) -> None:
    shown = {
        "00501": "00501",
        "NA": "NA",
        "12345678901234567890": "12345678901234567890",
        " x\ny ": " x\ny ",
        501: "501",
        -3.0: "-3",
        12.5: "12.5",
        0.1 + 0.2: "0.3",
        1e-7: "0.0000001",
        999_999_999_999_999: "999999999999999",
        True: "true",
        False: "false",
        None: "",
        ("=1+1", 2): "2",
        ("=1+1", "two"): "two",
        dt.date(2026, 3, 1): "2026-03-01",
        dt.datetime(2026, 3, 1, 8, 0): "2026-03-01T08:00:00",
        dt.datetime(2026, 3, 1, 23, 59, 59, 999_000): "2026-03-01T23:59:59.999000",
        dt.time(8, 20): "08:20:00",
        dt.timedelta(hours=30, minutes=5): "30:05:00",
    }
    assert cells(tmp_path, *shown) == list(shown.values())


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (12345678901234567, "the number 1.234567890123457e+16 has more than 15 digits"),
        (1e15, "has more than 15 digits, and a sheet keeps only 15 of them; store it as text there"),
        (-1e300, "has more than 15 digits"),
        (("=1/0", "#DIV/0!"), "the cell shows an error of a formula; correct it in the sheet"),
        (("=NA()", "#N/A"), "the cell shows an error of a formula"),
    ],
)
def test_a_cell_that_cannot_be_used_fails_rows_that_use_it(tmp_path: Path, value: Any, reason: str) -> None:
    path = written(tmp_path / "f.xlsx", [["a", "b", "b2"], ["1", value, "x"], ["2", 5, "y"]], top=3, left=2)
    source = open_source(path)
    bad, good = source
    assert (bad.fault, bad.line, bad.cells["a"], bad.cells["b2"]) == (None, 5, "1", "x")
    assert good.cells["b"] == "5"
    with pytest.raises(RowError):
        bad.cells.get("b")
    assert (bad.cells.get("b2"), bad.cells.get("x", "-")) == ("x", "-")
    with pytest.raises(RowError) as caught:
        bad.cells["b"]
    assert caught.value.message.startswith("column 'b': ")
    assert reason in caught.value.message
    assert len(bad.original(source.columns)) == 3
    (tmp_path / "m.toml").write_text('[command]\ncomment = "{a}"\n')
    assert Import(source, ImportMap.load(tmp_path / "m.toml")).rows == 2


def test_rows_have_the_numbers_of_the_sheet_and_empty_ones_are_skipped(tmp_path: Path) -> None:
    rows = [["a", None, "b "], ["1", None, "x"], [], [" ", None, ""], ["2", "no name", None], [None, None, 3]]
    source = open_source(written(tmp_path / "f.xlsx", rows, top=2, left=1))
    assert source.columns == ("a", "", "b")
    assert source.dialect is None
    for _ in range(2):
        assert [(row.number, row.line, row.cells) for row in source] == [
            (1, 4, {"a": "1", "b": "x"}),
            (2, 7, {"a": "2", "b": ""}),
            (3, 8, {"a": "", "b": "3"}),
        ]
        assert source.empty_rows == 2
    assert [row.original(source.columns)[1] for row in source] == ["", "no name", ""]


def test_a_sheet_is_named_or_counted(tmp_path: Path) -> None:
    path = tmp_path / "f.xlsx"
    with xlsxwriter.Workbook(path) as book:
        for name in ("Chart data", "2026"):
            book.add_worksheet(name).write(0, 0, name)
        book.add_worksheet("Third").write(0, 0, "third")
    for sheet, column in [
        (None, "Chart data"),
        ("2026", "2026"),
        ("2", "2026"),
        (3, "third"),
        ("Third", "third"),
    ]:
        assert open_source(path, sheet=sheet).columns == (column,)
    for wrong, hint in [("third", "'third'; did you mean 'Third'?"), ("4", "'4'."), (0, "0.")]:
        with pytest.raises(ImportMapError) as caught:
            open_source(path, sheet=wrong)
        assert f"there is no sheet {hint} Its sheets are: Chart data, 2026, Third" in caught.value.message


def test_what_is_not_a_workbook_is_refused(tmp_path: Path) -> None:
    for content in (b"", b"a,b\n1,2\n", b"PK\x03\x04", b"\xd0\xcf\x11\xe0" + b"\0" * 1000):
        (tmp_path / "f.xlsx").write_bytes(content)
        with pytest.raises(ImportMapError, match="workbook"):
            open_source(tmp_path / "f.xlsx")
    with pytest.raises(
        ImportMapError, match=r"f\.xlsx: the sheet 'Data' is empty; name another with --sheet"
    ):
        open_source(written(tmp_path / "f.xlsx", []))
    with pytest.raises(ImportMapError, match=r"a \.xlsx file takes no --encoding"):
        open_source(tmp_path / "f.xlsx", encoding="utf-8")


def test_without_the_extra_its_name_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "f.xlsx", [["a"]])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(
        ImportMapError, match=r"need the extra 'files'; run pip install 'wosdk_async\[files\]'"
    ):
        open_source(path)


# --- laws -----------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30) | st.sampled_from(
    ["00501", "NA", "null", "12345678901234567890", "0.10", "1e5", "TRUE", "=1+1", "2026-03-01"]
)


@given(rows=st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
def test_texts_are_given_exactly_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = written(tmp_path_factory.mktemp("x") / "f.xlsx", [["a", "b"], *map(list, rows)])
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    assert [(row.cells["a"], row.cells["b"]) for row in open_source(path)] == filled


@given(number=st.integers(-(10**15) + 1, 10**15 - 1))
def test_whole_numbers_of_15_digits_are_exact(tmp_path_factory: pytest.TempPathFactory, number: int) -> None:
    assert cells(tmp_path_factory.mktemp("x"), number) == [str(number)]


@given(cents=st.integers(-(10**12), 10**12))
def test_money_in_cents_is_exact(tmp_path_factory: pytest.TempPathFactory, cents: int) -> None:
    whole, part = divmod(abs(cents), 100)
    shown = f"{'-' * (cents < 0)}{whole}.{part:02}".rstrip("0").rstrip(".")
    assert cells(tmp_path_factory.mktemp("x"), cents / 100) == [shown]


def read_or_refused(path: Path) -> tuple[tuple[str, ...], list[Row]] | str:
    """Return the columns and rows of a workbook, or the message with which it is refused."""
    try:
        source = open_source(path)
        return source.columns, list(source)
    except ImportMapError as error:
        return error.message


@given(content=st.binary(max_size=60), place=st.integers(0, 6000))
def test_a_damaged_workbook_is_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, place: int
) -> None:
    """Never another error, and never other cells: the parts of a workbook have checksums."""
    whole = io.BytesIO()
    with xlsxwriter.Workbook(whole) as book:
        book.add_worksheet().write(0, 0, "a")
    path = tmp_path_factory.mktemp("x") / "f.xlsx"
    data = whole.getvalue()
    path.write_bytes(data[:place] + content + data[place + len(content) :])
    seen = read_or_refused(path)
    assert seen == (("a",), []) or (isinstance(seen, str) and seen.startswith(f"{path}") and "\n" not in seen)


def test_an_old_workbook_is_read() -> None:
    """``sheet.xls`` was written in the format of Excel 97; errors in it are empty cells, as the docs say."""
    path = Path(__file__).with_name("data") / "sheet.xls"
    source = open_source(path)
    first, second = source
    assert dict(first.cells) == {
        "key": "A1", "zip": "00501", "long": "12345678901234567890", "amount": "12.5", "date": "2026-03-01",
        "time": "2026-03-01T08:20:00", "hour": "08:20:00", "flag": "true", "text": "Müller\n=1+1",
        "result": "3",
    }  # fmt: skip
    assert (second.line, second.cells["zip"], second.cells["text"], second.cells["result"]) == (
        4,
        "501",
        "NA",
        "",
    )
    with pytest.raises(RowError, match=r"column 'long': the number .* has more than 15 digits"):
        second.cells["long"]
    assert source.empty_rows == 1
    (other,) = open_source(path, sheet="Other")
    assert other.cells == {"x": "y"}


@pytest.mark.parametrize("suffix", ["xlsx", "xls", "ods"])
def test_a_text_file_with_the_suffix_of_a_workbook_is_named_as_one(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"f.{suffix}"
    path.write_text("a,b\n1,Zürich\n", encoding="utf-8")
    with pytest.raises(ImportMapError, match=r"this is a text file, and not a workbook; .* --format csv"):
        open_source(path)
    (row,) = open_source(path, format="csv")
    assert row.cells == {"a": "1", "b": "Zürich"}


def test_a_damaged_old_workbook_is_refused(tmp_path: Path) -> None:
    whole = (Path(__file__).with_name("data") / "sheet.xls").read_bytes()
    for size in (600, 2048, 4000):
        path = tmp_path / f"{size}.xls"
        path.write_bytes(whole[:size])
        with pytest.raises(ImportMapError, match=r"cannot be read|is not a workbook"):
            list(open_source(path))
