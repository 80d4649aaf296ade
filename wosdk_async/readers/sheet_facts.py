"""Facts of .xlsx and .ods that the native reader omits: cells without a value, merged and hidden ones."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import IO
from xml.parsers import expat

from wosdk_async.readers.program import Unreadable

__all__ = ["Faults", "SheetFacts", "sheet_facts"]

_BOOK = "xl/workbook.xml"
_RELATIONSHIPS = "xl/_rels/workbook.xml.rels"
_STYLES = "xl/styles.xml"
_NOT_OF_TIME = re.compile(r'"[^"]*"|[\\_*].|\[[^]]*]')
_DATES = dict.fromkeys(["14", "15", "16", "17", "22"], True) | dict.fromkeys(
    ["18", "19", "20", "21", "45", "47"], False
)
"""Built-in formats of dates and times, and whether they show the day."""

_CONTENT = "content.xml"
_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_SKIPPED = (f"{_OFFICE} annotation", "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0 ")
_CALC = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"
_ERROR = "the cell shows an error of a formula; correct it in the sheet"
_SHOWN_ERROR = re.compile(r"#\S+[!?]|#N/?[ADV]|Err:\d+")
_NO_RESULT = "the formula has no result; open the workbook in a spreadsheet and save it"
_NO_TIME = (
    "the number {} is no date from 1900-03-01 to 9999-12-31 and no time of a day; correct it in the sheet"
)
_LOST = "the cell has tabs, line breaks or texts that are not read; save the workbook as .xlsx"

_Attributes = Mapping[str, str]
Faults = dict[int, dict[int, str]]
"""Reasons why cells have no value, by row, from 1, and column, from 0."""


class SheetFacts:
    """Facts of a sheet; rows are counted from 1, columns from 0."""

    def __init__(self) -> None:
        self.faults: Faults = defaultdict(dict)
        self.merged: list[tuple[range, range]] = []
        """Rows and columns of each merged range."""
        self.hidden_rows: list[range] = []
        self.hidden_columns: list[range] = []
        self.others: set[str] = set()
        """Other sheets with content."""


def sheet_facts(path: str, sheet: str) -> SheetFacts | None:
    """Return the facts of a sheet; None for formats other than .xlsx and .ods."""
    if not zipfile.is_zipfile(path):
        return None
    with zipfile.ZipFile(path) as book:
        parts = {name.casefold(): name for name in book.namelist()}
        found: _ExcelCells | _OpenDocumentCells
        if _BOOK in parts:
            names, days = _sheet_parts(book, parts)
            found, part = _ExcelCells(_date_styles(book, parts), days), names.get(sheet)
            found.others = {
                name for name, other in names.items() if name != sheet and _has_cells(book, other)
            }
        elif _CONTENT in parts:
            found, part = _OpenDocumentCells(sheet), parts[_CONTENT]
        else:  # .xlsb
            return None
        if part is None:
            raise Unreadable(f"the cells of {sheet!r} are not found; open the file and save it again")
        with book.open(part) as file:
            _parse(file, found.start, found.text, skips=part == parts.get(_CONTENT))
        found.finish()
        return found


def _has_cells(book: zipfile.ZipFile, part: str | None) -> bool:
    """Return whether a sheet of .xlsx has a cell with content."""
    if part is None:
        return False
    with book.open(part) as file:
        before = b""
        for chunk in iter(lambda: file.read(_CHUNK), b""):
            if _CELL.search(before + chunk):
                return True
            before = chunk[-_LONGEST:]
    return False


_CHUNK = 1 << 16
_CELL = re.compile(rb"<(?:\w{1,20}:)?[vtf][ />]")
_LONGEST = 24


def _sheet_parts(book: zipfile.ZipFile, parts: Mapping[str, str]) -> tuple[dict[str, str | None], range]:
    """Return the part with the cells of each sheet, and the range of numbers that are dates."""
    days = range(61, 2_958_466)  # before, Excel has the nonexistent 1900-02-29
    ids: dict[str, str] = {}
    targets: dict[str, str] = {}

    def note(element: str, attributes: _Attributes) -> None:
        nonlocal days
        if element == "workbookPr" and attributes.get("date1904") in ("1", "true"):
            days = range(1, 2_957_004)
        elif element == "sheet":
            id = next((value for name, value in attributes.items() if name.endswith(" id")), "")
            ids[attributes.get("name", "")] = id
        elif element == "Relationship":
            targets[attributes.get("Id", "")] = posixpath.join("/xl", attributes.get("Target", ""))

    for part in (_BOOK, _RELATIONSHIPS):
        if part in parts:
            with book.open(parts[part]) as file:
                _parse(file, note)
    found = {name: posixpath.normpath(targets.get(id, "")).lstrip("/").casefold() for name, id in ids.items()}
    return {name: parts.get(part) for name, part in found.items()}, days


def _date_styles(book: zipfile.ZipFile, parts: Mapping[str, str]) -> dict[str, bool]:
    """Return the cell styles of dates and times, and whether they show the day."""
    formats: dict[str, bool] = dict(_DATES)
    found: list[bool | None] = []
    is_of_cells = False

    def note(element: str, attributes: _Attributes) -> None:
        nonlocal is_of_cells
        if element == "numFmt":
            code = attributes.get("formatCode", "").lower()
            shown = _NOT_OF_TIME.sub("", code)
            if re.search("[dmyhs]", shown) and not re.search(r"\[[hms]+]", code):
                formats[attributes.get("numFmtId", "")] = re.search("[dy]|mmm", shown) is not None
        elif element == "xf" and is_of_cells:
            found.append(formats.get(attributes.get("numFmtId", "")))
        elif element.endswith("Xfs"):
            is_of_cells = element == "cellXfs"

    if _STYLES in parts:
        with book.open(parts[_STYLES]) as file:
            _parse(file, note)
    return {str(style): is_day for style, is_day in enumerate(found) if is_day is not None}


def _parse(
    file: IO[bytes],
    note: Callable[[str, _Attributes], object],
    text: Callable[[str], object] | None = None,
    *,
    skips: bool = False,
) -> None:
    """Call ``note`` with the local name and attributes of each element.

    While it returns a true value, call ``text`` with texts. ``skips`` skips comments and shapes.
    """

    def start(element: str, attributes: _Attributes) -> None:
        parser.CharacterDataHandler = text if note(element.rpartition(" ")[2], attributes) else None

    skipped = 0  # open elements

    def start_outside(element: str, attributes: _Attributes) -> None:
        nonlocal skipped
        if skipped or element.startswith(_SKIPPED):
            skipped += 1
            parser.CharacterDataHandler, parser.EndElementHandler = None, end
        else:
            start(element, attributes)

    def end(_: str) -> None:
        nonlocal skipped
        skipped -= 1
        if not skipped:
            parser.EndElementHandler = None

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start_outside if skips else start
    parser.ParseFile(file)


_TRUE = ("1", "true")
_RANGE = re.compile(r"([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})")


class _ExcelCells(SheetFacts):
    """Facts of a sheet of .xlsx, from its elements."""

    def __init__(self, times: Mapping[str, bool], days: range) -> None:
        super().__init__()
        self._times = times
        self._days = days
        self._row = self._column = 0
        self._place = ""  # as the file has it, until it matters
        self._type: str | None = None
        self._is_pending = False  # a formula without a result so far
        self._has_day: bool | None = None  # of a date or time
        self._number = ""

    def start(self, element: str, attributes: _Attributes) -> bool:
        """Take an element. Return whether its text matters."""
        if element == "c":
            if self._is_pending or self._number:
                self.finish()
            place = attributes.get("r", "")
            if not place:
                self._find()
                self._column += 1
            self._place = place
            self._type = attributes.get("t")
            self._has_day = self._times.get(attributes.get("s", ""))
            if self._type == "e":
                self._mark(_ERROR)
        elif element == "v":
            self._is_pending &= self._type != "str"  # its result may be an empty text
            return self._is_pending or (self._has_day is not None and self._type in (None, "n"))
        elif element == "f":
            self._is_pending = self._type != "e"
        elif element == "row":
            self.finish()
            self._find()
            self._row = int(attributes.get("r", self._row + 1))
            self._column = 0
            if attributes.get("hidden") in _TRUE:
                self.hidden_rows.append(range(self._row, self._row + 1))
        elif element == "mergeCell":
            if found := _RANGE.fullmatch(attributes.get("ref", "")):
                rows = range(int(found[2]), int(found[4]) + 1)
                self.merged.append((rows, range(_column_number(found[1]) - 1, _column_number(found[3]))))
        elif element == "col" and attributes.get("hidden") in _TRUE:
            self.hidden_columns.append(range(int(attributes["min"]) - 1, int(attributes["max"])))
        return self._is_pending and element == "t"

    def text(self, text: str) -> None:
        """Take a text of the cell: a result, unless it is blank."""
        self._is_pending &= not text.strip()
        self._number += text

    def finish(self) -> None:
        """End the last cell."""
        if self._is_pending:
            self._mark(_NO_RESULT)
            self._is_pending = False
        elif self._has_day is not None and self._number.strip():
            number = float(self._number)
            is_time = 0 <= number < 1 and not self._has_day
            if not (is_time or self._days.start <= number < self._days.stop):
                self._mark(_NO_TIME.format(self._number[:30]))
        self._number = ""

    def _mark(self, fault: str) -> None:
        self._find()
        self.faults[self._row][self._column - 1] = fault

    def _find(self) -> None:
        """Take the row and column from the place of the cell."""
        if self._place:
            letters = self._place.rstrip("0123456789")
            self._row = int(self._place[len(letters) :] or self._row)
            self._column = _column_number(letters) or self._column + 1
            self._place = ""


class _OpenDocumentCells(SheetFacts):
    """Facts of one sheet of an .ods file, from its elements."""

    def __init__(self, sheet: str) -> None:
        super().__init__()
        self._sheet = sheet
        self._table = ""
        self._sheet_columns = range(0)
        self._is_here = False
        self._rows = range(1)
        self._columns = range(0)
        self._is_text = self._is_formula = self._is_read = False
        self._shown = ""

    def start(self, element: str, attributes: _Attributes) -> bool:
        """Take an element. Return whether its text matters."""
        if element == "table":
            self.finish()
            if f"{_TABLE} is-sub-table" in attributes:
                raise Unreadable("a cell has a table in it, which is not read; save the workbook as .xlsx")
            self._table = attributes.get(f"{_TABLE} name", "")
            self._is_here = self._table == self._sheet
        elif not self._is_here:
            if f"{_OFFICE} value-type" in attributes:
                self.others.add(self._table)
            return False
        elif element == "table-column":
            self._sheet_columns = _following(self._sheet_columns, attributes, "columns")
            if attributes.get(_VISIBILITY) in _HIDDEN:
                self.hidden_columns.append(self._sheet_columns)
        elif element == "table-row":
            self.finish()
            self._rows = _following(self._rows, attributes, "rows")
            self._columns = range(0)
            if attributes.get(_VISIBILITY) in _HIDDEN:
                self.hidden_rows.append(self._rows)
        elif element in ("table-cell", "covered-table-cell"):
            self.finish()
            self._columns = _following(self._columns, attributes, "columns")
            self._note_merged(attributes)
            kind = attributes.get(f"{_OFFICE} value-type")
            calculated = attributes.get(f"{_CALC} value-type")
            has_formula = f"{_TABLE} formula" in attributes
            self._is_text = kind == "string" and f"{_OFFICE} string-value" not in attributes
            self._is_formula = has_formula and calculated is None
            self._is_read = kind is not None or f"{_OFFICE} value" in attributes
            if calculated == "error":
                self._mark(_ERROR)
            elif has_formula and kind is None:
                self._mark(_NO_RESULT)
        elif element in ("tab", "line-break") and self._is_text:
            self._mark(_LOST)
        return self._is_formula or not self._is_read

    def _note_merged(self, attributes: _Attributes) -> None:
        rows, columns = (
            int(attributes.get(f"{_TABLE} number-{each}-spanned", 1)) for each in ("rows", "columns")
        )
        if rows > 1 or columns > 1:
            row, column = self._rows.start, self._columns.start
            self.merged.append((range(row, row + rows), range(column, column + columns)))

    def text(self, text: str) -> None:
        """Take a text that the cell shows."""
        self._shown += text

    def finish(self) -> None:
        """End the last cell."""
        if shown := self._shown.strip():
            if _SHOWN_ERROR.fullmatch(shown):
                self._mark(_ERROR)
            elif not self._is_read:
                self._mark(_LOST)
        self._shown = ""

    def _mark(self, fault: str) -> None:
        for row in self._rows:
            self.faults[row].update(dict.fromkeys(self._columns, fault))


_VISIBILITY = f"{_TABLE} visibility"
_HIDDEN = ("collapse", "filter")


def _following(before: range, attributes: _Attributes, what: str) -> range:
    """Return the rows or columns of an element, which may be repeated."""
    return range(before.stop, before.stop + int(attributes.get(f"{_TABLE} number-{what}-repeated", 1)))


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number
