"""Cells of .xlsx and .ods: errors, missing results, lost text, currencies, merged and hidden cells."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from wosdk_async.readers.program import Unreadable
from wosdk_async.readers.sheet_xml import (
    LONGEST_SIGN,
    OFFICE,
    SOME_CURRENCY,
    TRUE,
    Attributes,
    Currencies,
    Faults,
    currency_in,
)

_ERROR = "the cell shows a formula error; correct it in the sheet"
_NO_RESULT = "the formula has no result; open the workbook in a spreadsheet program and save it"
_NO_TIME = (
    "the number {} is neither a date from 1900-03-01 to 9999-12-31 nor a time of day; correct it in the sheet"
)
_RANGE = re.compile(r"([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})")


class _Cells:
    def __init__(self) -> None:
        self._faults: Faults = defaultdict(dict)
        self.merged: list[tuple[range, range]] = []
        self.hidden_rows: list[range] = []
        self.hidden_columns: list[range] = []


class ExcelCells(_Cells):
    """Facts about the cells of an .xlsx sheet, from its XML elements."""

    def __init__(self, styles: Mapping[str, bool | str], days: range) -> None:
        super().__init__()
        self._styles = styles
        self._days = days
        self._currencies: dict[int, list[list[Any]]] = defaultdict(list)
        self._runs: dict[str | int, list[Any]] = {}  # column -> its last run of rows with the same currency
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
                self._mark(_ERROR)
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
            if attributes.get("hidden") in TRUE:
                self.hidden_rows.append(range(self._row, self._row + 1))
        elif element == "mergeCell":
            if found := _RANGE.fullmatch(attributes.get("ref", "")):
                rows = range(int(found[2]), int(found[4]) + 1)
                self.merged.append((rows, range(_column_number(found[1]) - 1, _column_number(found[3]))))
        elif element == "col" and attributes.get("hidden") in TRUE:
            self.hidden_columns.append(range(int(attributes["min"]) - 1, int(attributes["max"])))
        return self._is_pending and element == "t"

    def _note_currency(self, currency: str) -> None:
        """Record the cell's currency; in a column, consecutive cells with the same currency share a run."""
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
        """Handle a cell's text. If the cell has a formula, non-blank text is the formula's result."""
        self._is_pending &= not text.strip()
        self._number += text

    def finish(self) -> Faults:
        """Finish the last cell, and return all faults."""
        if self._is_pending:
            self._mark(_NO_RESULT)
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


_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
_NUMBER = "urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"
_STYLE = "urn:oasis:names:tc:opendocument:xmlns:style:1.0"
_CALC = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"
_VISIBILITY = f"{_TABLE} visibility"
_HIDDEN = ("collapse", "filter")
_SHOWN_ERROR = re.compile(r"#\S+[!?]|#N/?[ADV]|Err:\d+")
_LOST = "reading would lose text, tabs or line breaks of the cell; save the workbook as .xlsx"


class OpenDocumentCells(_Cells):
    """Facts about the cells of an .ods sheet, from its XML elements."""

    def __init__(self, sheet: str) -> None:
        super().__init__()
        self._sheet = sheet
        self.others: set[str] = set()
        self.currencies: Currencies = defaultdict(list)
        self._formats: dict[str, str] = defaultdict(str)  # format name -> format in Excel's notation
        self._format = ""
        self._styles: dict[str, str] = {}  # cell style -> displayed currency
        self._column_styles: list[tuple[range, str]] = []
        self._table = ""
        self._sheet_columns = range(0)
        self._is_in_sheet = False
        self._rows = range(1)
        self._columns = range(0)
        self._is_text = self._may_show_error = self._has_value = False
        self._shown = self._notation = ""

    def start(self, element: str, attributes: Attributes) -> bool:
        """Handle the start of an element; return whether the element's text is needed."""
        if element == "table":
            self.finish()
            if f"{_TABLE} is-sub-table" in attributes:
                raise Unreadable("a cell contains a table, which cannot be read; save the workbook as .xlsx")
            self._table = attributes.get(f"{_TABLE} name", "")
            self._is_in_sheet = self._table == self._sheet
        elif not self._table:
            return self._note_style(element, attributes)
        elif not self._is_in_sheet:
            if f"{OFFICE} value-type" in attributes:
                self.others.add(self._table)
            return False
        elif element == "table-column":
            self._sheet_columns = _following(self._sheet_columns, attributes, "columns")
            if attributes.get(_VISIBILITY) in _HIDDEN:
                self.hidden_columns.append(self._sheet_columns)
            if (style := attributes.get(f"{_TABLE} default-cell-style-name")) in self._styles:
                self._column_styles.append((self._sheet_columns, self._styles[style]))
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
            kind = attributes.get(f"{OFFICE} value-type")
            if kind in ("currency", "float", "percentage"):
                self._note_currency(attributes)
            calculated = attributes.get(f"{_CALC} value-type")
            has_formula = f"{_TABLE} formula" in attributes
            self._is_text = kind == "string" and f"{OFFICE} string-value" not in attributes
            self._may_show_error = has_formula and calculated is None
            self._has_value = kind is not None or f"{OFFICE} value" in attributes
            if calculated == "error":
                self._mark(_ERROR)
            elif has_formula and kind is None:
                self._mark(_NO_RESULT)
        elif element in ("tab", "line-break") and self._is_text:
            self._mark(_LOST)
        return self._may_show_error or not self._has_value

    def _note_merged(self, attributes: Attributes) -> None:
        rows, columns = (
            int(attributes.get(f"{_TABLE} number-{each}-spanned", 1)) for each in ("rows", "columns")
        )
        if rows > 1 or columns > 1:
            row, column = self._rows.start, self._columns.start
            self.merged.append((range(row, row + rows), range(column, column + columns)))

    def _note_style(self, element: str, attributes: Attributes) -> bool:
        """Handle an element outside tables; return whether its text is shown next to numbers."""
        if element.endswith("-style"):
            self._format = attributes.get(f"{_STYLE} name", "")
        elif element == "style":
            code = self._formats.get(attributes.get(f"{_STYLE} data-style-name", ""), "")
            if currency := currency_in(code):
                self._styles[attributes.get(f"{_STYLE} name", "")] = currency
        elif element == "number" and attributes.get(f"{_NUMBER} display-factor", "1") != "1":
            self._formats[self._format] += "0,"
        elif element == "number" and attributes.get(f"{_NUMBER} decimal-places", "0") == "0":
            digits = int(attributes.get(f"{_NUMBER} min-integer-digits", 1))
            self._formats[self._format] += "0" * min(digits, LONGEST_SIGN)
        self._notation = "[${}-]" if element == "currency-symbol" else '"{}"'
        return element in ("currency-symbol", "text")

    def _note_currency(self, attributes: Attributes) -> None:
        """Record the currency of a cell, taken from the cell, its style or its column's style."""
        style = attributes.get(f"{_TABLE} style-name")
        own, shown = attributes.get(f"{OFFICE} currency"), self._styles.get(style or "")
        default = {"currency": SOME_CURRENCY, "percentage": '"%'}.get(attributes[f"{OFFICE} value-type"])
        for column in self._columns:
            if style is None:
                shown = next((shown for columns, shown in self._column_styles if column in columns), None)
            # A format with a text, such as "Mio", has priority, because the cell's currency lacks the text.
            has_text = shown is not None and shown.startswith('"')
            if currency := (shown if has_text else own or shown) or default:
                self.currencies[column].append((self._rows, currency[: LONGEST_SIGN + 1]))

    def text(self, text: str) -> None:
        """Handle text in a cell or in a format."""
        if self._table:
            self._shown += text
        else:
            self._formats[self._format] += self._notation.format(text)

    def finish(self) -> Faults:
        """Finish the last cell, and return all faults."""
        if shown := self._shown.strip():
            if _SHOWN_ERROR.fullmatch(shown):
                self._mark(_ERROR)
            elif not self._has_value:
                self._mark(_LOST)
        self._shown = ""
        return self._faults

    def _mark(self, fault: str) -> None:
        for row in self._rows:
            self._faults[row].update(dict.fromkeys(self._columns, fault))


def _following(before: range, attributes: Attributes, what: str) -> range:
    """Return the rows or columns that an element covers, including repetitions."""
    return range(before.stop, before.stop + int(attributes.get(f"{_TABLE} number-{what}-repeated", 1)))
