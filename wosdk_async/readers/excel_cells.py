"""Cells of .xlsx: errors, formulas without results, invalid dates, merged and hidden cells."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from wosdk_async.readers.sheet_xml import (
    ERROR,
    NO_RESULT,
    SOME_CURRENCY,
    Attributes,
    Currencies,
    Faults,
    currency_in,
    parse,
)

BOOK = "xl/workbook.xml"
_RELATIONSHIPS = "xl/_rels/workbook.xml.rels"
_STYLES = "xl/styles.xml"
_LITERALS = re.compile(r'"[^"]*"|[\\_*].|\[[^]]*]')
_DATES = dict.fromkeys(["14", "15", "16", "17", "22"], True) | dict.fromkeys(
    ["18", "19", "20", "21", "45", "47"], False
)
"""Built-in date and time formats, and whether they show the day."""
_AMOUNTS = dict.fromkeys(["5", "6", "7", "8", "42", "44"], SOME_CURRENCY) | dict.fromkeys(["9", "10"], '"%')
"""Built-in formats of amounts in the currency of the user's locale, and of percentages."""
_NO_TIME = (
    "the number {} is neither a date from 1900-03-01 to 9999-12-31 nor a time of day; correct it in the sheet"
)
_CHUNK = 1 << 16
_CELL = re.compile(rb"<(?:\w{1,20}:)?[vtf][ />]")
_LONGEST_MATCH = 24
_TRUE = ("1", "true")
_RANGE = re.compile(r"([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})")


def sheet_parts(book: zipfile.ZipFile, parts: Mapping[str, str]) -> tuple[dict[str, str | None], range]:
    """Return the XML part of each sheet by name, and the range of valid date numbers."""
    days = range(61, 2_958_466)  # day 60 is the nonexistent 1900-02-29, so the days before it are uncertain
    ids: dict[str, str] = {}
    targets: dict[str, str] = {}

    def note(element: str, attributes: Attributes) -> None:
        nonlocal days
        if element == "workbookPr" and attributes.get("date1904") in _TRUE:
            days = range(1, 2_957_004)
        elif element == "sheet":
            id = next((value for name, value in attributes.items() if name.endswith(" id")), "")
            ids[attributes.get("name", "")] = id
        elif element == "Relationship":
            targets[attributes.get("Id", "")] = posixpath.join("/xl", attributes.get("Target", ""))

    for part in (BOOK, _RELATIONSHIPS):
        if part in parts:
            with book.open(parts[part]) as file:
                parse(file, note)
    found = {name: posixpath.normpath(targets.get(id, "")).lstrip("/").casefold() for name, id in ids.items()}
    return {name: parts.get(part) for name, part in found.items()}, days


def styles_in(book: zipfile.ZipFile, parts: Mapping[str, str]) -> dict[str, bool | str]:
    """Map each cell style to the currency of its amounts, or to whether its times show the day."""
    formats: dict[str, bool | str] = {**_DATES, **_AMOUNTS}
    styles: list[bool | str | None] = []
    is_of_cells = False

    def note(element: str, attributes: Attributes) -> None:
        nonlocal is_of_cells
        if element == "numFmt":
            code, number = attributes.get("formatCode", ""), attributes.get("numFmtId", "")
            shown = _LITERALS.sub("", code.lower())
            formats.pop(number, None)
            if re.search("[dmyhs]", shown) and not re.search(r"\[[hms]+]", code.lower()):
                formats[number] = re.search("[dy]|mmm", shown) is not None
            elif currency := currency_in(code):
                formats[number] = currency
        elif element == "xf" and is_of_cells:
            styles.append(formats.get(attributes.get("numFmtId", "")))
        elif element.endswith("Xfs"):
            is_of_cells = element == "cellXfs"

    if _STYLES in parts:
        with book.open(parts[_STYLES]) as file:
            parse(file, note)
    return {str(style): shown for style, shown in enumerate(styles) if shown is not None}


def has_cells(book: zipfile.ZipFile, part: str | None) -> bool:
    """Return whether an .xlsx sheet contains a cell with content."""
    if part is None:
        return False
    with book.open(part) as file:
        before = b""
        for chunk in iter(lambda: file.read(_CHUNK), b""):
            if _CELL.search(before + chunk):
                return True
            before = chunk[-_LONGEST_MATCH:]
    return False


class ExcelCells:
    """Facts about the cells of an .xlsx sheet, from its XML elements."""

    def __init__(self, styles: Mapping[str, bool | str], days: range) -> None:
        self._styles = styles
        self._days = days
        self._currencies: dict[int, list[list[Any]]] = defaultdict(list)
        self._runs: dict[str | int, list[Any]] = {}  # column -> its last run of rows with the same currency
        self._faults: Faults = defaultdict(dict)
        self.merged: list[tuple[range, range]] = []
        self.hidden_rows: list[range] = []
        self.hidden_columns: list[range] = []
        self._row = self._column = 0
        self._reference = ""  # such as "B7"; parsed into row and column only when needed
        self._type: str | None = None
        self._is_pending = False  # whether the cell is a formula whose result is still missing
        self._has_day: bool | None = None  # whether the format shows the day; None unless it is for times
        self._number = ""

    def start(self, element: str, attributes: Attributes) -> bool:
        """Handle the start of an element; return whether the element's text is needed."""
        if element == "c":
            if self._is_pending or self._number:
                self.finish()
            reference = attributes.get("r", "")
            if not reference:
                self._locate()
                self._column += 1
            self._reference = reference
            self._type = attributes.get("t")
            shown = self._styles.get(attributes.get("s", "0"))
            if isinstance(shown, str):
                self._note_currency(shown)
                shown = None
            self._has_day = shown
            if self._type == "e":
                self._mark(ERROR)
        elif element == "v":
            self._is_pending &= self._type != "str"  # an empty text is a valid result of a text formula
            return self._is_pending or (self._has_day is not None and self._type in (None, "n"))
        elif element == "f":
            self._is_pending = self._type != "e"
        elif element == "row":
            self.finish()
            self._locate()
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

    def _note_currency(self, currency: str) -> None:
        """Record the cell's currency; cells below each other with the same currency share a run of rows."""
        letters = self._reference.rstrip("0123456789")
        row = int(self._reference[len(letters) :] or self._row)
        run = self._runs.get(letters or self._column)
        if run is None or run[2] != currency or run[1] != row:
            self._locate()
            run = self._runs[letters or self._column] = [row, row, currency]
            self._currencies[self._column - 1].append(run)
        run[1] = row + 1

    @property
    def currencies(self) -> Currencies:
        """Currencies shown by the formats of cells."""
        return {
            column: [(range(first, stop), currency) for first, stop, currency in runs]
            for column, runs in self._currencies.items()
        }

    def text(self, text: str) -> None:
        """Handle a cell's text. If the cell has a formula, text that is not blank is its result."""
        self._is_pending &= not text.strip()
        self._number += text

    def finish(self) -> Faults:
        """Finish the last cell, and return all faults."""
        if self._is_pending:
            self._mark(NO_RESULT)
            self._is_pending = False
        elif self._has_day is not None and self._number.strip():
            number = float(self._number)
            is_time = 0 <= number < 1 and not self._has_day
            if not (is_time or self._days.start <= number < self._days.stop):
                self._mark(_NO_TIME.format(self._number[:30]))
        self._number = ""
        return self._faults

    def _mark(self, fault: str) -> None:
        self._locate()
        self._faults[self._row][self._column - 1] = fault

    def _locate(self) -> None:
        """Set the row and column from the cell's reference."""
        if self._reference:
            letters = self._reference.rstrip("0123456789")
            self._row = int(self._reference[len(letters) :] or self._row)
            self._column = _column_number(letters) or self._column + 1
            self._reference = ""


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number
