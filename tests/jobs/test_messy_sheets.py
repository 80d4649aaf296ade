"""Sheets as people make them: each cell is what the sheet shows, or its row fails, or the file is refused."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs import maps
from tests.jobs.opendocument import read_document, text_row
from tests.jobs.readers import read_here
from tests.support.laws import each_of, examples
from wosdk_async.jobs import Import, ImportMap, ImportMapError, Source, open_source
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.sources.table import Table
from wosdk_async.jobs.sources.table_rules import TableRules
from wosdk_async.readers import workbook
from wosdk_async.text.remedies import Remedy

DATA = Path(__file__).with_name("data")


def load(folder: Path, *lines: str) -> ImportMap:
    """A map that reads the columns No and Due."""
    return maps.load(folder, *lines, "[command]", 'comment = "{No} {Due}"')


def book(path: Path, rows: list[list[Any]], *merged: str, sheet: str = "Data") -> Path:
    with xlsxwriter.Workbook(path) as made:
        page = made.add_worksheet(sheet)
        for number, row in enumerate(rows):
            page.write_row(number, 0, row)
        for cells in merged:
            first = cells.partition(":")[0]
            value = rows[int(first[1:]) - 1][ord(first[0]) - 65]
            page.merge_range(cells, value)
    return path


def due(source: Source) -> list[str]:
    """The cells of a column, ``!`` for those that fail their row."""
    found = []
    for row in source:
        try:
            found.append("!" if row.fault else row.cells["Due"])
        except RowError:
            found.append("!")
    return found


ORDERS = [["No", "Due"], ["1", "May"], ["2", ""], ["3", ""], ["4", "June"]]


def test_merged_rows_are_refused_by_name_or_filled_down(tmp_path: Path) -> None:
    source = read_here(workbook, book(tmp_path / "f.xlsx", ORDERS, "B2:B4"))
    with pytest.raises(ImportMapError, match=r'B2:B4 in sheet \'Data\'.* fill_down = \["Due"\]'):
        Import(source, load(tmp_path))
    filled = load(tmp_path, 'fill_down = ["Due"]')
    Import(source, filled)
    assert due(Table.of(source, filled.rules)) == ["May", "May", "May", "June"]


def test_merged_cells_of_one_row_fail_it_unless_they_are_empty(tmp_path: Path) -> None:
    rows = [["No", "Due"], ["1", "May"], ["2", ""], ["", ""], ["4", "June"]]
    source = read_here(workbook, book(tmp_path / "f.xlsx", rows, "A3:B3", "A4:B4"))
    Import(source, load(tmp_path))
    assert due(source) == ["May", "!", "June"]
    with pytest.raises(RowError, match="the merged cells A3:B3, which share one value; unmerge them"):
        list(source)[1].cells["Due"]


def test_a_formula_without_a_result_empties_no_field(tmp_path: Path) -> None:
    """Neither alone nor as the value of merged cells: a program wrote the sheet and calculated nothing."""
    with xlsxwriter.Workbook(tmp_path / "f.xlsx") as made:
        page = made.add_worksheet()
        page.write_row(0, 0, ["No", "Due", "Text"])
        for line in (1, 2):
            page.write(line, 0, line)
            page.write_formula(line, 1, '=A2&"!"', None, "")
        page.merge_range("B3:C3", "")
    fields = ['id = "{No}"', 'instructions = { text = "{Due}{Text}", empty = "clear" }']
    found = maps.load(tmp_path, 'operation = "update Customer by id"', "[entity]", *fields)
    for row in read_here(workbook, tmp_path / "f.xlsx"):
        with pytest.raises(RowError, match="the formula has no result"):
            maps.built(found, row.cells)
    assert (
        "merged cells B3:C3"
        in row.cells.faults[  # type: ignore[attr-defined]
            "Text"
        ]
    )


def test_merged_cells_of_the_title_and_of_columns_that_are_not_read_do_no_harm(tmp_path: Path) -> None:
    rows = [["Orders", "", ""], ["No", "Due", "Team"], ["1", "May", "A"], ["2", "May", ""]]
    source = read_here(workbook, book(tmp_path / "f.xlsx", rows, "A1:C1", "C3:C4"), header_row=2)
    Import(source, load(tmp_path, "header_row = 2"))
    assert due(source) == ["May", "May"]


def test_the_first_visible_sheet_is_read_and_what_is_hidden_is_counted(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "f.xlsx") as made:
        old, orders, closed, _ = map(made.add_worksheet, ("Old", "Orders", "Closed", "Empty"))
        old.hide()
        orders.activate()
        orders.set_first_sheet()
        for page in (old, orders, closed):
            for number, row in enumerate(ORDERS):
                page.write_row(number, 0, row)
        orders.set_row(2, None, None, {"hidden": True})
        orders.set_row(40, None, None, {"hidden": True})
        orders.set_column("B:XFD", None, None, {"hidden": True})
    source = read_here(workbook, tmp_path / "f.xlsx")
    assert source.sheet == "Orders"
    assert [note.partition(": ")[2] for note in source.notes] == [
        "sheet 'Orders' has 1 hidden row and 1 hidden column; hidden cells are imported anyway",
        "other sheets with content are ignored: 'Old', 'Closed'",
    ]
    assert Import(source, load(tmp_path)).read().warnings == source.notes
    assert read_here(workbook, tmp_path / "f.xlsx", sheet="Old").sheet == "Old"
    (note,) = read_here(workbook, DATA / "serials.xls").notes
    assert "cells with errors or missing formula results are read as empty" in note


def test_an_old_workbook_does_not_tell_midnight_from_numbers_that_are_no_dates() -> None:
    shown = []
    for row in read_here(workbook, DATA / "serials.xls"):
        try:
            shown.append(row.cells["day"])
        except RowError as error:
            shown.append(error.message[-26:])
    assert shown == [*["save the workbook as .xlsx"] * 3, "1900-03-01", "2026-03-01", ""]
    assert read_here(workbook, DATA / "serials.xls").merged == [("A7:A8", "number")]


def test_an_opendocument_sheet_has_merged_and_hidden_cells_too(tmp_path: Path) -> None:
    def cell(text: str, more: str = "") -> str:
        return (
            f'<table:table-cell office:value-type="string" {more}><text:p>{text}</text:p></table:table-cell>'
        )

    rows = [
        f"<table:table-row>{cell('No')}{cell('Due')}</table:table-row>",
        '<table:table-row table:visibility="collapse">'
        f"{cell('1')}{cell('May', 'table:number-rows-spanned=' + chr(34) + '2' + chr(34))}</table:table-row>",
        f"<table:table-row>{cell('2')}<table:covered-table-cell/></table:table-row>",
    ]
    columns = '<table:table-column/><table:table-column table:visibility="collapse"/>'
    more = f'<table:table table:name="More"><table:table-row>{cell("x")}</table:table-row></table:table>'
    source = read_document(tmp_path / "f.ods", "".join(rows), columns, more=more)
    assert source.merged == [("B2:B3", "Due")]
    assert [note.partition(": ")[2] for note in source.notes] == [
        "sheet 'Data' has 1 hidden row and 1 hidden column; hidden cells are imported anyway",
        "other sheets with content are ignored: 'More'",
    ]


@each_of(
    "content",
    [
        "{}<text:p>May</text:p>",
        "<text:p>May</text:p>{}{}",
        "<text:p>Ma{}y</text:p>",
        "{}<text:p>May</text:p><drawing:frame/>",
    ],
)
@each_of(
    "shape",
    [
        "<drawing:frame><drawing:a><text:p>June &gt; <drawing:a/></text:p></drawing:a></drawing:frame>",
        '<drawing:custom-shape drawing:name="a>b"><text:p>June</text:p></drawing:custom-shape >',
        "<office:annotation><text:p>June</text:p></office:annotation>",
    ],
)
def test_the_text_of_a_shape_is_not_that_of_its_cell(tmp_path: Path, shape: str, content: str) -> None:
    inner = content.replace("{}", shape)
    rows = text_row("No", "Due") + text_row("1", "April")
    rows += f'<table:table-row><table:table-cell/><table:table-cell office:value-type="string">{inner}'
    rows += "</table:table-cell></table:table-row>"
    assert due(read_document(tmp_path / "f.ods", rows)) == ["April", "May"]


# --- what a file is -------------------------------------------------------------------------------


def test_the_content_tells_what_a_file_is(tmp_path: Path) -> None:
    made = book(tmp_path / "f.xlsx", ORDERS)
    for suffix in ("xls", "csv", "parquet"):
        other = shutil.copy(made, tmp_path / f"g.{suffix}")
        assert due(open_source(other)) == ["May", "", "", "June"], suffix
    for suffix in ("xlsx", "csv"):
        other = shutil.copy(DATA / "serials.xls", tmp_path / f"h.{suffix}")
        assert open_source(other).columns == ("number", "day")
    (tmp_path / "f.txt").write_text('{"No": 1, "Due": "May"}\n')
    assert due(open_source(tmp_path / "f.txt")) == ["May"]
    (tmp_path / "f.xls").write_bytes("No\tDue\n1\tMay\n".encode("utf-16"))
    assert due(open_source(tmp_path / "f.xls", delimiter="tab")) == ["May"]
    with pytest.raises(ImportMapError) as caught:
        open_source(made, format="csv")
    assert (caught.value.remedies, caught.value.facts["option"]) == ((Remedy.LEAVE_OUT,), "format")


def test_a_web_page_under_the_name_of_a_workbook_is_named_as_one(tmp_path: Path) -> None:
    path = tmp_path / "f.xls"
    for text in ("<html><table><tr><td>No", "\ufeff <TABLE>", "<?xml version='1.0'?><Workbook>"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ImportMapError, match=r"web page or XML with the suffix \.xls.*save it as \.xlsx"):
            open_source(path)


@each_of("name", ["f.xls", "f.csv", "f.mht"])
@each_of("first", ["MIME-Version: 1.0", "\ufeffMime-Version: 1.0", "From: <Saved by Blink>"])
def test_a_web_archive_is_named_as_one(tmp_path: Path, name: str, first: str) -> None:
    """Also with options of sheets: the name lets people expect one."""
    lines = [first, "X-Document-Type: Workbook", 'Content-Type: multipart/related; boundary="x"', "", "--x"]
    (tmp_path / name).write_text("\r\n".join(lines), encoding="utf-8")
    with pytest.raises(ImportMapError, match=r"a web archive \(MHTML\).* Excel and save it as \.xlsx"):
        open_source(tmp_path / name, sheet=1)


# --- laws -----------------------------------------------------------------------------------------

_SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def shown(path: Path, sheet: int) -> dict[tuple[int, int], str | None]:
    """What a sheet shows at each row, from 1, and column, from 0; None for a formula without a result."""
    with zipfile.ZipFile(path) as made:
        page = ElementTree.fromstring(made.read(f"xl/worksheets/sheet{sheet}.xml"))
        texts = [
            "".join(each.itertext()) for each in ElementTree.fromstring(made.read("xl/sharedStrings.xml"))
        ]
    found: dict[tuple[int, int], str | None] = {}
    for cell in page.iter(f"{_SPACE}c"):
        place, value = cell.attrib["r"], cell.findtext(f"{_SPACE}v") or ""
        key = int(place[1:]), ord(place[0]) - 65
        if cell.find(f"{_SPACE}f") is not None and not value:
            found[key] = None
        else:
            found[key] = texts[int(value)] if cell.get("t") == "s" else value
    for each in page.iter(f"{_SPACE}mergeCell"):
        first, last = each.attrib["ref"].split(":")
        for row in range(int(first[1:]), int(last[1:]) + 1):
            for column in range(ord(first[0]) - 65, ord(last[0]) - 64):
                found[row, column] = found.get((int(first[1:]), ord(first[0]) - 65), "")
    return found


@st.composite
def messy_sheets(draw: st.DrawFn) -> tuple[int, list[list[Any]], list[tuple[int, int, int, int]]]:
    """Lines above the header, the rows of A to D, and merged ranges that do not overlap."""
    above = draw(st.integers(0, 3))
    values = st.sampled_from(["", "", "a", "b", "=without", "=result", 5, 0.5])
    rows = draw(st.lists(st.lists(values, min_size=4, max_size=4), min_size=1, max_size=8))
    last, merged, used = above + len(rows), [], set()
    for _ in range(draw(st.integers(0, 3))):
        top, left = draw(st.integers(above + 1, last)), draw(st.integers(1, 3))
        bottom, right = draw(st.integers(top, last)), draw(st.integers(left, 3))
        cells = {(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)}
        if len(cells) > 1 and not cells & used:
            used |= cells
            merged.append((top, left, bottom, right))
    return above, rows, merged


@examples(60)
@given(messy=messy_sheets(), hidden_sheet=st.booleans(), fills=st.booleans())
def test_a_cell_is_what_the_sheet_shows_or_cannot_be_read(
    tmp_path_factory: pytest.TempPathFactory,
    messy: tuple[int, list[list[Any]], list[tuple[int, int, int, int]]],
    hidden_sheet: bool,
    fills: bool,
) -> None:
    """Read by us, and by a few lines over the XML that know nothing of us."""
    above, rows, merged = messy
    path = tmp_path_factory.mktemp("x") / "f.xlsx"
    with xlsxwriter.Workbook(path, {"strings_to_formulas": False}) as made:
        if hidden_sheet:
            other = made.add_worksheet("Hidden")
            other.write(0, 0, "wrong")
            other.hide()
        page = made.add_worksheet("Data")
        page.activate()
        page.set_first_sheet()
        for line in range(above):
            page.write(line, 0, f"title {line}")
        page.write_row(above, 0, ["A", "B", "C", "D"])
        for number, row in enumerate(rows, above + 1):
            for column, value in enumerate([f"k{number}", *row[1:]]):
                if value in ("=without", "=result"):
                    page.write_formula(number, column, "=A1", None, "" if value == "=without" else "done")
                elif value != "":
                    page.write(number, column, value)
        for top, left, bottom, right in merged:
            first = rows[top - above - 1][left]
            page.merge_range(top, left, bottom, right, "" if first in ("=without", "=result") else first)
    source = read_here(workbook, path, header_row=above + 1)
    assert source.sheet == "Data"
    refused = {column for _, column in source.merged}
    table = Table.of(source, TableRules(fill_down=("B", "C", "D") if fills else ()))
    display, last = shown(path, 2 if hidden_sheet else 1), {"B": "", "C": "", "D": ""}
    for row in table:
        for column, name in enumerate("ABCD"):
            expected = display.get((row.line, column), "")
            if fills and column and not expected and expected is not None:
                expected = last[name]
            try:
                cell = row.cells[name]
            except RowError:
                last[name] = cell = "!"
            if column:
                last[name] = cell
            if fills or name not in refused:
                assert cell == "!" or cell == expected, (row.line, name)
                assert cell == "!" or expected is not None, (row.line, name)
            assert cell != "!" or expected is None or merged or fills, (row.line, name)
