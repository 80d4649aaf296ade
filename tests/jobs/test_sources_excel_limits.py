"""Sheets that would fill the memory are refused."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import xlsxwriter

from tests.jobs.test_sources_excel import written
from wosdk_async.jobs import ImportMapError, open_source
from wosdk_async.jobs.sources import workbook

# --- files that would fill the memory -------------------------------------------------------


@pytest.mark.parametrize("column", [20, 16_384])
def test_a_stray_cell_far_from_the_table_is_refused(tmp_path: Path, column: int) -> None:
    """The reader would take 700 MB for the first one, and end the process with the other."""
    path = tmp_path / "f.xlsx"
    with xlsxwriter.Workbook(path) as book:
        page = book.add_worksheet()
        page.write(0, 0, "a")
        page.write(1_048_575, column - 1, "x")
    with pytest.raises(
        ImportMapError, match=rf"reaches to row 1048576 and column {column}, .* delete stray cells"
    ):
        open_source(path)


def changed(path: Path, part: str, change: Callable[[bytes], bytes]) -> Path:
    """Write a workbook again with another part."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts[part] = change(parts[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)
    return path


@pytest.mark.parametrize(
    "cell",
    [
        b'<row r="9"><c r="ZZ1048570"><v>1</v></c></row>',
        b"<row r='1048570'><c r='XFD1048570'><v>1</v></c></row>",
        b'<row r="1048570"><c><v>1</v></c><c r="&#90;&#90;Z"><v>1</v></c></row>',
    ],
)
def test_a_far_cell_is_found_however_it_is_written(tmp_path: Path, cell: bytes) -> None:
    path = written(tmp_path / "f.xlsx", [["a"], ["1"]])
    changed(
        path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"</sheetData>", cell + b"</sheetData>")
    )
    with pytest.raises(ImportMapError, match="reaches to row 10485"):
        open_source(path)


def test_xml_that_expands_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "f.xlsx", [["a"], ["1"]])
    doctype = b'?>\n<!DOCTYPE x [<!ENTITY a "aaaa">]>'
    changed(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"?>", doctype, 1))
    with pytest.raises(ImportMapError, match="it has a document type"):
        open_source(path)


def test_a_workbook_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook, "_MAX_UNPACKED", 1 << 20)
    path = written(tmp_path / "f.xlsx", [["a"], ["x" * 30_000]])
    changed(path, "docProps/app.xml", lambda xml: xml + b" " * (2 << 20))
    with pytest.raises(
        ImportMapError, match="a workbook of 2 MB unpacked is too large; save the sheet as CSV"
    ):
        open_source(path)


def test_a_part_that_is_larger_than_it_says_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "f.xlsx", [["a"], ["1"]])
    part = b"docProps/app.xml"
    changed(path, part.decode(), lambda xml: xml + b" " * 100_000)
    content = bytearray(path.read_bytes())
    entry = content.rindex(part) - 46  # of the central directory
    content[entry + 24 : entry + 28] = (10).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(ImportMapError, match=r"'docProps/app.xml' in it is damaged"):
        open_source(path)


ODS = (
    '<document xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
    '<office:body><office:spreadsheet><table:table table:name="S">{}</table:table>'
    "</office:spreadsheet></office:body></document>"
)


def ods(path: Path, rows: str) -> Path:
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr("META-INF/manifest.xml", "<manifest/>")
        book.writestr("content.xml", ODS.format(rows))
    return path


TEXT = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'


def test_open_document_sheets_are_read(tmp_path: Path) -> None:
    number = '<table:table-cell office:value-type="float" office:value="7"/>'
    rows = (
        f"<table:table-row>{TEXT.format('a')}{TEXT.format('b')}</table:table-row>"
        f'<table:table-row table:number-rows-repeated="2">{TEXT.format("00501")}{number}</table:table-row>'
        '<table:table-row table:number-rows-repeated="1048570">'
        '<table:table-cell table:number-columns-repeated="16384"/>'
        "</table:table-row>"
    )
    source = open_source(ods(tmp_path / "f.ods", rows))
    assert [row.cells for row in source] == [{"a": "00501", "b": "7"}] * 2


@pytest.mark.parametrize("repeat", ["1000000000", "9" * 30, "x"])
def test_repeated_cells_that_would_fill_the_memory_are_refused(tmp_path: Path, repeat: str) -> None:
    rows = (
        f"<table:table-row>{TEXT.format('a')}</table:table-row>"
        f'<table:table-row table:number-rows-repeated="{repeat}">{TEXT.format("x")}</table:table-row>'
    )
    with pytest.raises(ImportMapError, match=r"too far to be read|damaged"):
        open_source(ods(tmp_path / "f.ods", rows))


def record(kind: int, content: bytes = b"") -> bytes:
    number = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return number + bytes([len(content)]) + content


def test_a_far_cell_of_a_binary_workbook_is_refused(tmp_path: Path) -> None:
    row = (1_000_000).to_bytes(4, "little") + b"\0" * 8
    cell = (999).to_bytes(4, "little") + b"\0" * 8
    path = tmp_path / "f.xlsb"
    for end, message in [(record(146), "reaches to row 1000001 and column 1000"), (b"", "reaches to row")]:
        with zipfile.ZipFile(path, "w") as book:
            content = record(0, cell) + record(145) + record(0, row) + record(2, cell) + end + record(2, cell)
            book.writestr("xl/worksheets/sheet1.bin", content)
        with pytest.raises(ImportMapError, match=message):
            open_source(path)
