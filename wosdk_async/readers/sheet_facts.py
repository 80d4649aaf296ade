"""Facts of .xlsx and .ods that calamine does not tell: faulty, merged and hidden cells, and currencies."""

from __future__ import annotations

import io
import posixpath
import re
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, NamedTuple
from xml.parsers import expat

from wosdk_async.readers.program import Unreadable

__all__ = ["Faults", "SheetFacts", "sheet_facts", "without_shapes"]

_BOOK = "xl/workbook.xml"
_RELATIONSHIPS = "xl/_rels/workbook.xml.rels"
_STYLES = "xl/styles.xml"
_NOT_OF_TIME = re.compile(r'"[^"]*"|[\\_*].|\[[^]]*]')
_DATES = dict.fromkeys(["14", "15", "16", "17", "22"], True) | dict.fromkeys(
    ["18", "19", "20", "21", "45", "47"], False
)
"""The formats of dates and times that each workbook has, and whether they show the day."""

_SOME_CURRENCY = "\u00a4"
_AMOUNTS = dict.fromkeys(["5", "6", "7", "8", "42", "44"], _SOME_CURRENCY)
"""The formats of amounts that each workbook has: they show the currency of the reader's country."""
_SHOWN_TEXT = re.compile(r'[_*].|\[\$([^]-]+)|\[[^]]*]|"([^"]*)"|((?:\\.)+)|([^\x00-\x7f]|\$)')
_CODE = re.compile("[A-Z]{3}")
_LONGEST_SIGN = 20  # characters

_CONTENT = "content.xml"
_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_STYLE = "urn:oasis:names:tc:opendocument:xmlns:style:1.0"
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
"""Why cells have no value, by their rows, from 1, and columns, from 0."""
Currencies = dict[int, list[tuple[range, str]]]
"""Currencies that only the formats of cells show: for columns, the ranges of rows that have one."""


class SheetFacts(NamedTuple):
    """Rows are counted from 1, columns from 0."""

    faults: Faults
    merged: list[tuple[range, range]]
    """Rows and columns of each merged range."""
    hidden_rows: list[range]
    hidden_columns: list[range]
    others: set[str]
    """Other sheets with content."""
    currencies: Currencies
    shapes: list[tuple[int, int]]
    """Where the file has shapes and comments with texts, for :func:`without_shapes`."""


def sheet_facts(path: str, sheet: str) -> SheetFacts | None:
    """Return what is known of a sheet; None for other formats than .xlsx and .ods."""
    if not zipfile.is_zipfile(path):
        return None
    with zipfile.ZipFile(path) as book:
        parts = {name.casefold(): name for name in book.namelist()}
        found: _ExcelCells | _OpenDocumentCells
        if _BOOK in parts:
            names, days = _sheet_parts(book, parts)
            found, part = _ExcelCells(_styles(book, parts), days), names.get(sheet)
            others = {name for name, other in names.items() if name != sheet and _has_cells(book, other)}
        elif _CONTENT in parts:
            found, part = _OpenDocumentCells(sheet), parts[_CONTENT]
            others = found.others
        else:  # .xlsb
            return None
        if part is None:
            raise Unreadable(f"the cells of {sheet!r} are not found; open the file and save it again")
        shapes: list[tuple[int, int]] = []
        with book.open(part) as file:
            _parse(file, found.start, found.text, shapes if part == parts.get(_CONTENT) else None)
        hidden = found.hidden_rows, found.hidden_columns
        return SheetFacts(found.finish(), found.merged, *hidden, others, found.currencies, shapes)


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
    """Return the part of each sheet that has its cells, and which numbers are dates in them."""
    days = range(61, 2_958_466)  # before, Excel has a day that never was
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


def _styles(book: zipfile.ZipFile, parts: Mapping[str, str]) -> dict[str, bool | str]:
    """Return the styles of times, with whether they show the day, and of amounts, with the currency."""
    formats: dict[str, bool | str] = {**_DATES, **_AMOUNTS}
    found: list[bool | str | None] = []
    is_of_cells = False

    def note(element: str, attributes: _Attributes) -> None:
        nonlocal is_of_cells
        if element == "numFmt":
            code, number = attributes.get("formatCode", ""), attributes.get("numFmtId", "")
            shown = _NOT_OF_TIME.sub("", code.lower())
            formats.pop(number, None)
            if re.search("[dmyhs]", shown) and not re.search(r"\[[hms]+]", code.lower()):
                formats[number] = re.search("[dy]|mmm", shown) is not None
            elif currency := _currency(code):
                formats[number] = currency
        elif element == "xf" and is_of_cells:
            found.append(formats.get(attributes.get("numFmtId", "")))
        elif element.endswith("Xfs"):
            is_of_cells = element == "cellXfs"

    if _STYLES in parts:
        with book.open(parts[_STYLES]) as file:
            _parse(file, note)
    return {str(style): shown for style, shown in enumerate(found) if shown is not None}


def _currency(code: str) -> str | None:
    """Return the sign or code of the currency that a format of numbers shows."""
    for found in _SHOWN_TEXT.finditer(code):
        symbol, quoted, escaped, plain = found.groups("")
        text = symbol or quoted or escaped.replace("\\", "") or plain
        for word in text.split():
            has_sign = any(unicodedata.category(character) == "Sc" for character in word)
            if symbol or has_sign or _CODE.fullmatch(word):
                return word[:_LONGEST_SIGN]
    return None


def _parse(
    file: IO[bytes],
    note: Callable[[str, _Attributes], object],
    text: Callable[[str], object] | None = None,
    shapes: list[tuple[int, int]] | None = None,
) -> None:
    """Call ``note`` with each element, by its local name, and its attributes.

    While ``note`` returns a true value, ``text`` is called with texts. With ``shapes``, shapes and comments
    are skipped, and the first byte and that of the end tag of each that has a text are added to it.
    """

    def start(element: str, attributes: _Attributes) -> None:
        parser.CharacterDataHandler = text if note(element.rpartition(" ")[2], attributes) else None

    depth, first, has_text = 0, 0, False
    outside: Any = None

    def start_or_skip(element: str, attributes: _Attributes) -> None:
        nonlocal depth, first, outside
        if not depth:
            if not element.startswith(_SKIPPED):
                start(element, attributes)
                return
            first, outside = parser.CurrentByteIndex, parser.CharacterDataHandler
            parser.CharacterDataHandler, parser.EndElementHandler = note_text, end
        depth += 1

    def note_text(text: str) -> None:
        nonlocal has_text
        has_text |= not text.isspace()

    def end(_: str) -> None:
        nonlocal depth, has_text
        depth -= 1
        if not depth:
            parser.CharacterDataHandler, parser.EndElementHandler = outside, None
            if has_text and shapes is not None:
                shapes.append((first, parser.CurrentByteIndex))
            has_text = False

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start if shapes is None else start_or_skip
    parser.ParseFile(file)


def without_shapes(path: str, shapes: Sequence[tuple[int, int]]) -> IO[bytes]:
    """Return an .ods file without shapes and comments, whose texts calamine takes for those of cells."""
    made = io.BytesIO()
    with zipfile.ZipFile(path) as book, zipfile.ZipFile(made, "w") as other:
        for part in ("mimetype", "META-INF/manifest.xml"):
            other.writestr(part, book.read(part))
        content, rest, pieces = book.read(_CONTENT), 0, []
        for first, last in shapes:
            pieces.append(content[rest:first])
            rest = content.index(b">", last) + 1
        other.writestr(_CONTENT, b"".join([*pieces, content[rest:]]))
    made.seek(0)
    return made


_TRUE = ("1", "true")
_RANGE = re.compile(r"([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})")


class _ExcelCells:
    """Takes the elements of a sheet of .xlsx."""

    def __init__(self, styles: Mapping[str, bool | str], days: range) -> None:
        self._styles = styles
        self._days = days
        self._currencies: dict[int, list[list[Any]]] = defaultdict(list)
        self._runs: dict[str | int, list[Any]] = {}  # the last of each column
        self._faults: Faults = defaultdict(dict)
        self.merged: list[tuple[range, range]] = []
        self.hidden_rows: list[range] = []
        self.hidden_columns: list[range] = []
        self._row = self._column = 0
        self._place = ""  # as the file has it, until it matters
        self._type: str | None = None
        self._is_pending = False  # a formula whose result is not seen yet
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
            shown = self._styles.get(attributes.get("s", "0"))
            if isinstance(shown, str):
                self._note_currency(shown)
                shown = None
            self._has_day = shown
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

    def _note_currency(self, currency: str) -> None:
        """Note the currency of the cell: one run for the cells of a column that have the same one."""
        letters = self._place.rstrip("0123456789")
        row = int(self._place[len(letters) :] or self._row)
        run = self._runs.get(letters or self._column)
        if run is None or run[2] != currency or run[1] != row:
            self._find()
            run = self._runs[letters or self._column] = [row, row, currency]
            self._currencies[self._column - 1].append(run)
        run[1] = row + 1

    @property
    def currencies(self) -> Currencies:
        """The currencies that cells have."""
        return {
            column: [(range(first, stop), currency) for first, stop, currency in runs]
            for column, runs in self._currencies.items()
        }

    def text(self, text: str) -> None:
        """Take a text of the cell: a result, unless it is blank."""
        self._is_pending &= not text.strip()
        self._number += text

    def finish(self) -> Faults:
        """End the last cell, and return what is found."""
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
        self._find()
        self._faults[self._row][self._column - 1] = fault

    def _find(self) -> None:
        """Take the row and column from the place of the cell."""
        if self._place:
            letters = self._place.rstrip("0123456789")
            self._row = int(self._place[len(letters) :] or self._row)
            self._column = _column_number(letters) or self._column + 1
            self._place = ""


class _OpenDocumentCells:
    """Takes the elements of an .ods file, for one sheet."""

    def __init__(self, sheet: str) -> None:
        self._sheet = sheet
        self._faults: Faults = defaultdict(dict)
        self.merged: list[tuple[range, range]] = []
        self.hidden_rows: list[range] = []
        self.hidden_columns: list[range] = []
        self.others: set[str] = set()
        self.currencies: Currencies = defaultdict(list)
        self._formats: dict[str, str] = defaultdict(str)  # as those of Excel
        self._format = ""
        self._styles: dict[str, str] = {}  # of cells, with the currency that they show
        self._column_styles: list[tuple[range, str]] = []
        self._table = ""
        self._sheet_columns = range(0)
        self._is_here = False
        self._rows = range(1)
        self._columns = range(0)
        self._is_text = self._is_formula = self._is_read = False
        self._shown = self._quotes = ""

    def start(self, element: str, attributes: _Attributes) -> bool:
        """Take an element. Return whether its text matters."""
        if element == "table":
            self.finish()
            if f"{_TABLE} is-sub-table" in attributes:
                raise Unreadable("a cell has a table in it, which is not read; save the workbook as .xlsx")
            self._table = attributes.get(f"{_TABLE} name", "")
            self._is_here = self._table == self._sheet
        elif not self._table:
            return self._note_style(element, attributes)
        elif not self._is_here:
            if f"{_OFFICE} value-type" in attributes:
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
            kind = attributes.get(f"{_OFFICE} value-type")
            if kind in ("currency", "float"):
                self._note_currency(attributes)
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

    def _note_style(self, element: str, attributes: _Attributes) -> bool:
        """Take an element above the tables. Return whether its text is shown beside a number."""
        if element in ("number-style", "currency-style"):
            self._format = attributes.get(f"{_STYLE} name", "")
        elif element == "style":
            code = self._formats.get(attributes.get(f"{_STYLE} data-style-name", ""), "")
            if currency := _currency(code):
                self._styles[attributes.get(f"{_STYLE} name", "")] = currency
        self._quotes = "[${}-]" if element == "currency-symbol" else '"{}"'
        return element in ("currency-symbol", "text")

    def _note_currency(self, attributes: _Attributes) -> None:
        """Note the currency of a cell: its own, that of its style, or that of its column's style."""
        style = attributes.get(f"{_TABLE} style-name")
        own = attributes.get(f"{_OFFICE} currency") or self._styles.get(style or "")
        is_amount = attributes[f"{_OFFICE} value-type"] == "currency"
        for column in self._columns:
            currency = own
            if not own and style is None:
                currency = next((shown for columns, shown in self._column_styles if column in columns), None)
            if currency := currency or (_SOME_CURRENCY if is_amount else None):
                self.currencies[column].append((self._rows, currency[:_LONGEST_SIGN]))

    def text(self, text: str) -> None:
        """Take a text that the cell or the format shows."""
        if self._table:
            self._shown += text
        else:
            self._formats[self._format] += self._quotes.format(text)

    def finish(self) -> Faults:
        """End the last cell, and return what is found."""
        if shown := self._shown.strip():
            if _SHOWN_ERROR.fullmatch(shown):
                self._mark(_ERROR)
            elif not self._is_read:
                self._mark(_LOST)
        self._shown = ""
        return self._faults

    def _mark(self, fault: str) -> None:
        for row in self._rows:
            self._faults[row].update(dict.fromkeys(self._columns, fault))


_VISIBILITY = f"{_TABLE} visibility"
_HIDDEN = ("collapse", "filter")


def _following(before: range, attributes: _Attributes, what: str) -> range:
    """Return the rows or columns of an element that may stand for several."""
    return range(before.stop, before.stop + int(attributes.get(f"{_TABLE} number-{what}-repeated", 1)))


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number
