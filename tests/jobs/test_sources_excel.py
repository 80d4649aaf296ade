"""Sheets: a cell has the text that is shown."""

from __future__ import annotations

import datetime as dt
import io
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs.maps import load
from tests.jobs.readers import read_here
from tests.support.laws import each_of, examples
from wosdk_async.jobs import Import, ImportMapError, open_source
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.readers import workbook
from wosdk_async.text.remedies import Remedy


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


def changed(path: Path, part: str, change: Callable[[bytes], bytes]) -> Path:
    """Write a workbook again with another part."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts[part] = change(parts[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)
    return path


def cells(folder: Path, *values: Any) -> list[str]:
    """The texts of one row with these values."""
    names = [f"c{place}" for place in range(len(values))]
    source = read_here(workbook, written(folder / "f.xlsx", [["key", *names], ["1", *values]]))
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


@each_of(
    ("value", "reason"),
    [
        (12345678901234567, "the number 1.234567890123457e+16 has more than 15 digits"),
        (1e15, "has more than 15 digits, but a sheet keeps only 15; store it as text"),
        (-1e300, "has more than 15 digits"),
        (("=1/0", "#DIV/0!"), "the cell shows a formula error; correct it in the sheet"),
        (("=NA()", "#N/A"), "the cell shows a formula error"),
    ],
)
def test_a_cell_that_cannot_be_used_fails_rows_that_use_it(tmp_path: Path, value: Any, reason: str) -> None:
    path = written(tmp_path / "f.xlsx", [["a", "b", "b2"], ["1", value, "x"], ["2", 5, "y"]], top=3, left=2)
    source = read_here(workbook, path)
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
    assert Import(source, load(tmp_path, "[command]", 'comment = "{a}"')).read().rows == 2


def test_rows_have_the_numbers_of_the_sheet_and_empty_ones_are_skipped(tmp_path: Path) -> None:
    rows = [["a", None, "b "], ["1", None, "x"], [], [" ", None, ""], ["2", "no name", None], [None, None, 3]]
    source = read_here(workbook, written(tmp_path / "f.xlsx", rows, top=2, left=1))
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
        assert read_here(workbook, path, sheet=sheet).columns == (column,)
    for wrong, hint in [("third", "'third'; did you mean 'Third'?"), ("4", "'4'."), (0, "0.")]:
        with pytest.raises(ImportMapError) as caught:
            open_source(path, sheet=wrong)
        assert f"there is no sheet {hint} The sheets are: Chart data, 2026, Third" in caught.value.message


def test_what_is_not_a_workbook_is_refused(tmp_path: Path) -> None:
    for content in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0" + b"\0" * 1000):
        (tmp_path / "f.xlsx").write_bytes(content)
        with pytest.raises(ImportMapError, match="workbook"):
            open_source(tmp_path / "f.xlsx")
    with pytest.raises(ImportMapError) as caught:
        open_source(written(tmp_path / "f.xlsx", []))
    assert caught.value.remedies == (Remedy.OTHER_SHEET,)
    with pytest.raises(ImportMapError) as caught:
        open_source(tmp_path / "f.xlsx", encoding="utf-8")
    assert (caught.value.remedies, caught.value.facts["option"]) == ((Remedy.LEAVE_OUT,), "encoding")


def test_without_the_extra_its_name_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "f.xlsx", [["a"]])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ImportMapError, match=r"pip install 'wosdk_async\[files\]'"):
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
    assert [(row.cells["a"], row.cells["b"]) for row in read_here(workbook, path)] == filled


@given(number=st.integers(-(10**15) + 1, 10**15 - 1))
def test_whole_numbers_of_15_digits_are_exact(tmp_path_factory: pytest.TempPathFactory, number: int) -> None:
    assert cells(tmp_path_factory.mktemp("x"), number) == [str(number)]


@given(cents=st.integers(-(10**12), 10**12))
def test_money_in_cents_is_exact(tmp_path_factory: pytest.TempPathFactory, cents: int) -> None:
    whole, part = divmod(abs(cents), 100)
    shown = f"{'-' * (cents < 0)}{whole}.{part:02}".rstrip("0").rstrip(".")
    assert cells(tmp_path_factory.mktemp("x"), cents / 100) == [shown]


def shown_as(folder: Path, number: float, code: str, *, date_1904: bool = False) -> str:
    """The text of a number that a format shows, or why it has none."""
    path = folder / "f.xlsx"
    with xlsxwriter.Workbook(path, {"date_1904": date_1904}) as book:
        page = book.add_worksheet()
        page.write_row(0, 0, ["a", "b"])
        page.write_number(1, 0, number, book.add_format({"num_format": code, "align": "left"}))
        page.write_number(1, 1, 7, book.add_format({"num_format": '0.0 "days"'}))
    (row,) = read_here(workbook, path)
    assert row.cells["b"] == "7"
    try:
        return row.cells["a"]
    except RowError as error:
        return error.message


@given(number=st.integers(-(10**15) + 1, 10**15 - 1), digits=st.integers(1, 20))
def test_leading_zeros_of_a_format_are_read(
    tmp_path_factory: pytest.TempPathFactory, number: int, digits: int
) -> None:
    shown = shown_as(tmp_path_factory.mktemp("x"), number, "0" * digits)
    assert shown == f"{'-' * (number < 0)}{abs(number):0{digits}}"


@given(milliseconds=st.integers(-(10**12), 10**12))
def test_a_duration_has_its_sign(tmp_path_factory: pytest.TempPathFactory, milliseconds: int) -> None:
    shown = shown_as(tmp_path_factory.mktemp("x"), milliseconds / 86_400_000, "[h]:mm:ss")
    sign, hours, minutes, seconds = re.fullmatch(r"(-?)(\d\d+):(\d\d):(\d\d(?:\.\d+)?)", shown).groups()  # type: ignore[union-attr]
    span = (int(hours) * 60 + int(minutes)) * 60_000 + round(float(seconds) * 1000)
    assert (-span if sign else span) == milliseconds


NUMBERS = (
    st.floats(-3e6, 3e6)
    | st.floats(0, 1, exclude_max=True)
    | st.integers(-2, 70).map(float)
    | st.sampled_from([-1.5, 60.5, 2_957_003.5, 2_957_004, 2_958_465, 2_958_465.5, 2_958_466, 1e9])
)


@given(
    number=NUMBERS,
    code=st.sampled_from(["yyyy-mm-dd hh:mm", "dd.mm.yyyy", "m/d/yy", "mmm", "h:mm", "mm:ss", 'hh "days"']),
    date_1904=st.booleans(),
)
def test_a_date_or_time_is_exact_or_a_fault(
    tmp_path_factory: pytest.TempPathFactory, number: float, code: str, date_1904: bool
) -> None:
    """A number outside of the calendar, such as 0 or -1.5, is no time of a day."""
    shown = shown_as(tmp_path_factory.mktemp("x"), number, code, date_1904=date_1904)
    epoch = dt.datetime(1904, 1, 1) if date_1904 else dt.datetime(1899, 12, 30)
    if (1 if date_1904 else 61) <= number < (2_957_004 if date_1904 else 2_958_466):
        near = dt.datetime.fromisoformat(shown) - epoch
    elif 0 <= number < 1 and code in ("h:mm", "mm:ss", 'hh "days"'):
        near = dt.datetime.combine(epoch, dt.time.fromisoformat(shown)) - epoch
    else:
        assert shown.startswith(f"column 'a': the number {number:.16G} is neither a date from 1900-03-01 to ")
        return
    assert abs(near - dt.timedelta(days=number)) <= dt.timedelta(milliseconds=1)


def read_or_refused(path: Path) -> tuple[tuple[str, ...], list[Row]] | str:
    """Return the columns and rows of a workbook, or the message with which it is refused."""
    try:
        source = open_source(path)
        return source.columns, list(source)
    except ImportMapError as error:
        return error.message


@given(content=st.binary(max_size=60), place=st.integers(0, 6000))
@examples(15)  # a process each
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


@pytest.mark.parametrize("suffix", ["xlsx", "ods", "xlsb"])
def test_a_changed_byte_of_a_text_is_noticed(tmp_path: Path, suffix: str) -> None:
    path, part = tmp_path / f"f.{suffix}", "xl/sharedStrings.xml"
    with zipfile.ZipFile(written(tmp_path / "w.xlsx", [["a"], ["Pole 114"]])) as book:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as stored:
            for name in book.namelist():
                stored.writestr(name, book.read(name))
    path.write_bytes(path.read_bytes().replace(b"Pole 114", b"Pole 999"))
    seen = read_or_refused(path)
    assert isinstance(seen, str)
    assert f"(checksum of {part})" in seen


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
def test_a_text_file_with_the_suffix_of_a_workbook_is_read_as_csv(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"f.{suffix}"
    path.write_text("a,b\n1,Zürich\n", encoding="utf-8")
    (row,) = open_source(path)
    assert row.cells == {"a": "1", "b": "Zürich"}
    with pytest.raises(ImportMapError) as caught:
        open_source(path, format=suffix)
    assert caught.value.remedies == (Remedy.READ_AS_CSV,)


def test_a_damaged_old_workbook_is_refused(tmp_path: Path) -> None:
    whole = (Path(__file__).with_name("data") / "sheet.xls").read_bytes()
    for size in (600, 2048, 4000):
        path = tmp_path / f"{size}.xls"
        path.write_bytes(whole[:size])
        with pytest.raises(ImportMapError, match=r"cannot be read|is not a workbook|was aborted"):
            list(open_source(path))


@pytest.mark.parametrize("place", ["A2", "Z2", "C1048576"])
def test_an_error_outside_of_the_table_is_of_no_column(tmp_path: Path, place: str) -> None:
    """Whatever the reader makes of it, the cells of the table keep their values."""
    path = written(tmp_path / "f.xlsx", [["a"], ["1"]], left=2)
    error = f'<c r="{place}" t="e"><v>#N/A</v></c></row>'.encode()
    changed(path, "xl/worksheets/sheet1.xml", lambda xml: error.join(xml.rsplit(b"</row>", 1)))
    assert next(row.cells["a"] for row in read_here(workbook, path)) == "1"


RESULTS = [  # of a cell with a formula: its type, what follows the formula, and the text that it has
    ("", "", None),
    ("", "<v></v>", None),  # as openpyxl writes it
    ("", "\n<v/>\n", None),
    (' t="str"', "", None),
    (' t="str"', "<v></v>", ""),
    (' t="str"', "<v> </v>", " "),
    (' t="str"', "<v>x</v>", "x"),
    ("", "<v>7</v>", "7"),
    (' t="b"', "<v>0</v>", "false"),
]


@each_of(("kind", "result", "text"), RESULTS)
@each_of("alone", [True, False])
def test_a_formula_without_a_result_is_no_empty_cell(
    tmp_path: Path, kind: str, result: str, text: str | None, alone: bool
) -> None:
    """Also in a row of formulas only, below the cells that have values."""
    path = written(tmp_path / "f.xlsx", [["a", "b"], ["1", "x"]], left=1)
    place = "C3" if alone else "C2"
    rows = f'<c r="{place}"{kind}><f>A1</f>{result}</c></row>'.encode()
    rows = b'</row><row r="3">' + rows if alone else rows
    changed(
        path,
        "xl/worksheets/sheet1.xml",
        lambda xml: rows.join(xml.replace(b'<c r="C2" t="s"><v>3</v></c>', b"").rsplit(b"</row>", 1)),
    )
    found = list(read_here(workbook, path))
    if text is None:
        assert found[-1].line == int(place[1])
        with pytest.raises(RowError):
            found[-1].cells["b"]
    elif text.strip() or not alone:
        assert found[-1].cells["b"] == text


def test_errors_are_found_in_a_part_of_any_name(tmp_path: Path) -> None:
    path = written(tmp_path / "f.xlsx", [["a"], [("=NA()", "#N/A")]])
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts["xl/worksheets/Other.XML"] = parts.pop("xl/worksheets/sheet1.xml")
    name = "xl/_rels/workbook.xml.rels"
    parts[name] = parts[name].replace(b"worksheets/sheet1.xml", b"/xl/worksheets/./Other.XML")
    with zipfile.ZipFile(path, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)
    assert read_or_refused(path) != (("a",), [])


def test_a_formula_without_a_result_above_the_table_is_no_header(tmp_path: Path) -> None:
    """The header is the first row with content. Below it such a formula makes a row, which has a fault."""
    path = written(tmp_path / "f.xlsx", [["a", "b"], ["1", "2"]], top=2)
    formula = '<row r="{0}"><c r="A{0}"><f>TODAY()</f></c></row>'

    def with_formulas(xml: bytes) -> bytes:
        above = xml.replace(b"<sheetData>", b"<sheetData>" + formula.format(1).encode())
        return above.replace(b"</sheetData>", formula.format(5).encode() + b"</sheetData>")

    source = read_here(workbook, changed(path, "xl/worksheets/sheet1.xml", with_formulas))
    assert source.columns == ("a", "b")
    first, second = source
    assert (first.line, first.cells, second.line) == (4, {"a": "1", "b": "2"}, 5)
    with pytest.raises(RowError, match="has no result"):
        second.cells["a"]
