"""Faulty, merged and hidden cells and currencies of .xlsx and .ods sheets, which calamine does not report."""

from __future__ import annotations

import zipfile
from typing import NamedTuple

from wosdk_async.readers.excel_cells import BOOK, ExcelCells, has_cells, sheet_parts, styles_in
from wosdk_async.readers.opendocument_cells import CONTENT, OpenDocumentCells
from wosdk_async.readers.program import Unreadable
from wosdk_async.readers.sheet_xml import Currencies, Faults, parse


class SheetFacts(NamedTuple):
    """Facts of a sheet; rows are counted from 1, columns from 0."""

    faults: Faults
    merged: list[tuple[range, range]]
    """Rows and columns of each merged range."""
    hidden_rows: list[range]
    hidden_columns: list[range]
    others: set[str]
    """Other sheets with content."""
    currencies: Currencies
    shapes: list[tuple[int, int]]
    """Offsets of shapes and comments with text, for :func:`.opendocument_cells.without_shapes`."""


def sheet_facts(path: str, sheet: str) -> SheetFacts | None:
    """Return the facts of a sheet; None for formats other than .xlsx and .ods."""
    if not zipfile.is_zipfile(path):
        return None
    with zipfile.ZipFile(path) as book:
        parts = {name.casefold(): name for name in book.namelist()}
        cells: ExcelCells | OpenDocumentCells
        if BOOK in parts:
            names, days = sheet_parts(book, parts)
            cells, part = ExcelCells(styles_in(book, parts), days), names.get(sheet)
            others = {name for name, other in names.items() if name != sheet and has_cells(book, other)}
        elif CONTENT in parts:
            cells, part = OpenDocumentCells(sheet), parts[CONTENT]
            others = cells.others
        else:  # .xlsb
            return None
        if part is None:
            raise Unreadable(f"the cells of {sheet!r} cannot be found; open the file and save it again")
        shapes: list[tuple[int, int]] = []
        with book.open(part) as file:
            parse(file, cells.start, cells.text, shapes if part == parts.get(CONTENT) else None)
        hidden = cells.hidden_rows, cells.hidden_columns
        return SheetFacts(cells.finish(), cells.merged, *hidden, others, cells.currencies, shapes)
