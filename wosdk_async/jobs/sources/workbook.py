"""Workbooks before they are read: how large their sheets are, and which cells hold errors.

The reader of workbooks keeps the whole rectangle of a sheet, and ends the process when there is no memory
for it: two cells in far corners are enough. And it gives errors of formulas as empty cells.
"""

from __future__ import annotations

import contextlib
import posixpath
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO
from xml.parsers import expat

from wosdk_async.jobs.errors import ImportMapError

__all__ = ["inspect_workbook"]

_MAX_UNPACKED = 1 << 30  # bytes
_MAX_CELLS = 20_000_000  # in the rectangle of a sheet; the reader takes about 32 bytes for each

Errors = Mapping[int, list[int]]
"""The cells of a sheet that hold errors: columns from 0, by the number of the row from 1."""

_Attributes = Mapping[str, str]


def inspect_workbook(path: Path) -> dict[str, Errors]:
    """Return the cells with errors of each sheet, by its name; of .xlsx files only.

    Raises:
        ImportMapError: the file is too large to be read, or is not a workbook.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        packed = file.read(4) == b"PK\x03\x04"
    if not packed and size <= _MAX_UNPACKED:
        return {}  # .xls, which has at most 65,536 rows of 256 columns; for others the reader has a message
    with _explaining(path), zipfile.ZipFile(path) as book:
        size = sum(each.file_size for each in book.infolist())
        if size > _MAX_UNPACKED:
            raise ImportMapError(
                f"{path}: a workbook of {size >> 20} MB unpacked is too large; save the sheet as CSV"
            )
        if (damaged := book.testzip()) is not None:  # also a part that is larger than it says
            raise zipfile.BadZipFile(f"{damaged!r} in it is damaged")
        return _inspect_parts(path, book)


@contextlib.contextmanager
def _explaining(path: Path) -> Iterator[None]:
    """Raise ImportMapError for what is wrong with an archive or with XML."""
    try:
        yield
    except ImportMapError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        expat.ExpatError,
        OSError,
        RuntimeError,
        ValueError,
        EOFError,
    ) as e:
        raise ImportMapError(
            f"{path}: this is not a workbook, or it is damaged ({e}); open it and save it again"
        ) from None


def _inspect_parts(path: Path, book: zipfile.ZipFile) -> dict[str, Errors]:
    errors: dict[str, Errors] = {}
    for part in book.namelist():
        if not part.endswith((".xml", ".bin")):
            continue
        sheet = _Sheet()
        with book.open(part) as file:
            if part.endswith(".bin"):
                _read_binary(file, sheet)
            else:
                _read_xml(file, _OpenDocument(sheet) if part == "content.xml" else _SpreadsheetML(sheet))
        if sheet.rows * sheet.columns > _MAX_CELLS:
            raise ImportMapError(
                f"{path}: a sheet reaches to row {sheet.rows} and column {sheet.columns}, too far to be "
                "read; delete stray cells far from the table, or save the sheet as CSV"
            )
        errors[part] = sheet.errors
    return {name: errors[part] for name, part in _parts_by_name(book).items() if part in errors}


def _parts_by_name(book: zipfile.ZipFile) -> dict[str, str]:
    """Return the part of each sheet of an .xlsx file."""
    sheets: dict[str, str] = {}
    targets: dict[str, str] = {}

    def note(element: str, attributes: _Attributes) -> None:
        if element == "sheet":
            id = next((value for name, value in attributes.items() if name.endswith(" id")), "")
            sheets[attributes.get("name", "")] = id
        elif element == "Relationship":
            targets[attributes.get("Id", "")] = posixpath.join("/xl", attributes.get("Target", ""))

    for part in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels"):
        if part in book.namelist():
            with book.open(part) as file:
                _read_xml(file, note)
    return {name: posixpath.normpath(targets.get(id, "")).lstrip("/") for name, id in sheets.items()}


def _read_xml(file: IO[bytes], note: Callable[[str, _Attributes], None]) -> None:
    """Call ``note`` with each element, by its local name, and its attributes."""

    def start(element: str, attributes: _Attributes) -> None:
        note(element.rpartition(" ")[2], attributes)

    def refuse(*_: object) -> None:
        raise ValueError("it has a document type")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse  # nothing that expands
    parser.ParseFile(file)


class _Sheet:
    """The place of the last row and column with cells, and the cells with errors."""

    def __init__(self) -> None:
        self.rows = self.columns = 0
        self.errors: dict[int, list[int]] = defaultdict(list)

    def reach(self, row: int, column: int) -> None:
        """Remember that there is a cell; both count from 1."""
        if row > self.rows:
            self.rows = row
        if column > self.columns:
            self.columns = column


class _SpreadsheetML:
    """Elements of a sheet of an .xlsx file."""

    def __init__(self, sheet: _Sheet) -> None:
        self._sheet = sheet
        self._row = self._column = 0

    def __call__(self, element: str, attributes: _Attributes) -> None:
        if element == "c":
            place = attributes.get("r", "")
            letters = place.rstrip("0123456789")
            self._row = int(place[len(letters) :] or self._row)
            self._column = _column_number(letters) or self._column + 1
            self._sheet.reach(self._row, self._column)
            if attributes.get("t") == "e":
                self._sheet.errors[self._row].append(self._column - 1)
        elif element == "row":
            self._row = int(attributes.get("r", self._row + 1))
            self._column = 0


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number


class _OpenDocument:
    """Elements of the content of an .ods file, in which rows and cells may be repeated."""

    def __init__(self, sheet: _Sheet) -> None:
        self._sheet = sheet
        self._row = self._column = 0

    def __call__(self, element: str, attributes: _Attributes) -> None:
        if element in ("table-cell", "covered-table-cell"):
            self._column += _repeated(attributes, "number-columns-repeated")
            if any(name.endswith(" value-type") for name in attributes):
                self._sheet.reach(self._row, self._column)
        elif element == "p":  # the text of a cell
            self._sheet.reach(self._row, self._column)
        elif element == "table-row":
            self._row += _repeated(attributes, "number-rows-repeated")
            self._column = 0
        elif element == "table":
            self._row = self._column = 0


def _repeated(attributes: _Attributes, name: str) -> int:
    return int(next((value for key, value in attributes.items() if key.endswith(f" {name}")), 1))


_ROW, _LAST_CELL, _BEGIN_DATA, _END_DATA = 0, 11, 145, 146


def _read_binary(file: IO[bytes], sheet: _Sheet) -> None:
    """Read the records of a sheet of an .xlsb file; other parts have no sheet data."""
    row, inside = 0, False
    while (kind := _varint(file, 2)) is not None:
        content = file.read(_varint(file, 4) or 0)
        if kind in (_BEGIN_DATA, _END_DATA):
            inside = kind == _BEGIN_DATA
        elif inside and kind <= _LAST_CELL:
            number = int.from_bytes(content[:4], "little") + 1
            if kind == _ROW:
                row = number
            else:
                sheet.reach(row, number)


def _varint(file: IO[bytes], longest: int) -> int | None:
    """Return a number in groups of 7 bits, or None at the end of the file."""
    number = 0
    for place in range(longest):
        byte = file.read(1)
        if not byte:
            return None
        number |= (byte[0] & 0x7F) << 7 * place
        if byte[0] < 0x80:
            break
    return number
