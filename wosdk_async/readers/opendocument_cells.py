"""Cells of .ods: errors, formulas without results, lost text, currencies, merged and hidden cells."""

from __future__ import annotations

import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Sequence
from typing import IO

from wosdk_async.readers.program import Unreadable
from wosdk_async.readers.sheet_xml import (
    ERROR,
    LONGEST_SIGN,
    NO_RESULT,
    OFFICE,
    SOME_CURRENCY,
    Attributes,
    Currencies,
    Faults,
    currency_in,
)

CONTENT = "content.xml"
_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
_NUMBER = "urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"
_STYLE = "urn:oasis:names:tc:opendocument:xmlns:style:1.0"
_CALC = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"
_VISIBILITY = f"{_TABLE} visibility"
_HIDDEN = ("collapse", "filter")
_SHOWN_ERROR = re.compile(r"#\S+[!?]|#N/?[ADV]|Err:\d+")
_LOST = "the cell contains tabs, line breaks or text that is not read; save the workbook as .xlsx"


def without_shapes(path: str, shapes: Sequence[tuple[int, int]]) -> IO[bytes]:
    """Return a copy of an .ods file without ``shapes``, whose text calamine would read as cell text."""
    copied = io.BytesIO()
    with zipfile.ZipFile(path) as book, zipfile.ZipFile(copied, "w") as other:
        for part in ("mimetype", "META-INF/manifest.xml"):
            other.writestr(part, book.read(part))
        content, rest, pieces = book.read(CONTENT), 0, []
        for first, last in shapes:
            pieces.append(content[rest:first])
            rest = content.index(b">", last) + 1
        other.writestr(CONTENT, b"".join([*pieces, content[rest:]]))
    copied.seek(0)
    return copied


class OpenDocumentCells:
    """Facts about the cells of an .ods sheet, from its XML elements."""

    def __init__(self, sheet: str) -> None:
        self._sheet = sheet
        self._faults: Faults = defaultdict(dict)
        self.merged: list[tuple[range, range]] = []
        self.hidden_rows: list[range] = []
        self.hidden_columns: list[range] = []
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
                self._mark(ERROR)
            elif has_formula and kind is None:
                self._mark(NO_RESULT)
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
                self._mark(ERROR)
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
