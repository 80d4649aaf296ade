"""Reader of Excel and OpenDocument workbooks: numbers become decimal text, and times ISO 8601."""

from __future__ import annotations

import zipfile
from bisect import bisect_right
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from operator import itemgetter
from typing import Any, NamedTuple

import python_calamine as calamine

from wosdk_async.readers.cells import ExcelCells, OpenDocumentCells
from wosdk_async.readers.program import CURRENCIES, Line, Unreadable
from wosdk_async.readers.sheet_xml import (
    BOOK,
    CONTENT,
    Currencies,
    Faults,
    has_cells,
    parse,
    sheet_parts,
    styles_in,
    without_shapes,
)

Row = tuple[int, list[str], str, dict[int, str]]

_DIGITS = 15  # number of significant digits that Excel keeps


def read(path: str, *, sheet: str | int | None = None, header_row: int | None = None) -> Iterator[Line]:
    """Yield the lines of a sheet, with its row numbers. Formulas are read as their stored results.

    ``sheet`` is a name or a number from 1 (default: the first visible sheet). ``header_row`` is the row
    number of the header (default: the first row with content). In a rejects file, ``header_row`` is ignored.
    """
    _require_intact(path)
    with open(path, "rb") as file:  # the content decides the format, not the suffix
        book = calamine.CalamineWorkbook.from_filelike(file)
    sheets = [each for each in book.sheets_metadata if each.typ == calamine.SheetTypeEnum.WorkSheet]
    name = _sheet_name(sheets, sheet)
    page = book.get_sheet_by_name(name)
    others = [each.name for each in sheets if each.name != name]
    facts = _sheet_facts(path, name)
    if facts is not None and facts.shapes:
        book = calamine.CalamineWorkbook.from_filelike(without_shapes(path, facts.shapes))
        page = book.get_sheet_by_name(name)
    if page.start is None or page.end is None:
        raise Unreadable(f"the sheet {name!r} is empty", "OTHER_SHEET")
    table = _Table(facts or _calamine_facts(book, page, others), page, is_blind=facts is None)
    rows = enumerate(page.iter_rows(), 1)
    last, header = next((row for row in rows if _is_header(*row, header_row)), (0, []))
    if header_row and not header:
        raise Unreadable(f"row {header_row} of the sheet {name!r} should be its header, but is empty")
    table.find_covered_cells(last)
    yield last, [_text(value) for value in header], name, {}, table.about(others)
    faults = table.faults
    for line, values in rows:
        if line in faults or _has_content(values):
            last = line
            row = _row(line, values, table.faults_in(line, values), times_checked=facts is not None)
            yield table.with_currencies(row)
    # Rows that have only formulas without results may be below calamine's range.
    for last in sorted(line for line in faults if line > page.end[0] + 1):
        yield _row(last, [""] * page.width, faults[last])
    yield (last,)


def _is_header(line: int, values: list[Any], header_row: int | None) -> bool:
    of_rejects = set(map(str, values)) >= {"_job", "_row"}  # the first row of a rejects file is its header
    return _has_content(values) and (of_rejects or header_row in (None, line))


class _SheetFacts(NamedTuple):
    """Facts about a sheet; rows are counted from 1, columns from 0."""

    faults: Faults
    merged: list[tuple[range, range]]
    """Rows and columns of each merged range."""
    hidden_rows: list[range]
    hidden_columns: list[range]
    others: set[str]
    """Other sheets with content."""
    currencies: Currencies
    shapes: list[tuple[int, int]]
    """Offsets of shapes and comments with text, for :func:`.sheet_xml.without_shapes`."""


def _sheet_facts(path: str, sheet: str) -> _SheetFacts | None:
    """Return an .xlsx or .ods sheet's facts, most of which calamine omits; None for other formats."""
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
        return _SheetFacts(cells.finish(), cells.merged, *hidden, others, cells.currencies, shapes)


def _calamine_facts(book: Any, page: Any, others: list[str]) -> _SheetFacts:
    """Return calamine's facts about a sheet in a format other than .xlsx and .ods."""
    merged = [
        (range(first[0] + 1, last[0] + 2), range(first[1], last[1] + 1))
        for first, last in page.merged_cell_ranges or ()
    ]
    filled = {name for name in others if book.get_sheet_by_name(name).start is not None}
    return _SheetFacts({}, merged, [], [], filled, {}, [])


class _Table:
    """Facts about a table's cells, by index in the row.

    With ``is_blind``, hidden cells and formula errors are unknown.
    """

    def __init__(self, facts: _SheetFacts, page: Any, *, is_blind: bool) -> None:
        self._facts, self._page, self._is_blind = facts, page, is_blind
        self._left = left = page.start[1]
        self._end = page.end[0] + 1
        self._columns = range(left, left + page.width)
        self.faults: Faults = {}
        for line, row in facts.faults.items():
            if inside := {column - left: why for column, why in row.items() if column in self._columns}:
                self.faults[line] = inside
        of_table = {column: runs for column, runs in facts.currencies.items() if column in self._columns}
        self._signs = sorted({sign for runs in of_table.values() for _, sign in runs})
        self._currencies = {
            column - left: sorted(
                (run.start, run.stop, chr(CURRENCIES + self._signs.index(sign))) for run, sign in runs
            )
            for column, runs in of_table.items()
        }
        """Cell index -> runs of rows with the same currency, each as first row, row after the last, and kind.
        """
        self._top = 0
        self._covered: dict[int, list[tuple[int, str, bool]]] = {}
        self._fillable: list[tuple[str, int]] = []

    def find_covered_cells(self, header: int) -> None:
        self._top = header
        if not self._facts.merged:
            return
        first_rows = {rows[0] for rows, _ in self._facts.merged}
        firsts = {line: values for line, values in enumerate(self._page.iter_rows(), 1) if line in first_rows}
        for rows, columns in self._facts.merged:
            self._cover(rows, columns, firsts.get(rows[0], []))

    def _cover(self, rows: range, columns: range, values: list[Any]) -> None:
        """Record the cells of a merged range; ``values`` is the row in which it starts."""
        name = f"{_cell_name(rows[0], columns[0])}:{_cell_name(rows[-1], columns[-1])}"
        first = columns[0] - self._left
        is_inside, is_below = columns[0] in self._columns, rows[0] > self._top
        is_faulty = first in self.faults.get(rows[0], ())
        is_empty = is_inside and not is_faulty and not _has_content(values[first : first + 1])
        if is_inside and is_below and not is_empty and len(rows) > 1:
            self._fillable.append((name, first))
        for line in range(max(rows[0], self._top + 1), min(rows[-1], self._end) + 1):
            for column in _common(columns, self._columns):
                if (line, column) != (rows[0], columns[0]):
                    may_be_empty = is_empty or (is_below and column == columns[0])
                    self._covered.setdefault(line, []).append((column - self._left, name, may_be_empty))

    def about(self, others: list[str]) -> dict[str, Any]:
        """Return the facts about the sheet for the import's warnings."""
        below = range(self._top + 1, self._end + 1)
        return {
            "rows": sum(len(_common(each, below)) for each in self._facts.hidden_rows),
            "columns": sum(len(_common(each, self._columns)) for each in self._facts.hidden_columns),
            "others": [name for name in others if name in self._facts.others],
            "merged": self._fillable[:_MERGED],
            "blind": self._is_blind,
            "currencies": self._signs,
        }

    def with_currencies(self, row: Row) -> Row:
        """Return the row with the currency or the leading zeros that the cell formats add to its numbers."""
        line, cells, kinds, faults = row
        for index, runs in self._currencies.items():
            _, stop, kind = runs[bisect_right(runs, line, key=itemgetter(0)) - 1]
            if not (runs[0][0] <= line < stop and kinds[index] == "n"):
                continue
            shown, cell = self._signs[ord(kind) - CURRENCIES], cells[index]
            if shown.strip("0"):
                kinds = f"{kinds[:index]}{kind}{kinds[index + 1 :]}"
            elif "." not in cell:
                cells[index] = cell.zfill(len(shown) + cell.startswith("-"))
        return line, cells, kinds, faults

    def faults_in(self, line: int, values: list[Any]) -> dict[int, str]:
        faults = self.faults.get(line, {})
        for index, name, may_be_empty in self._covered.get(line, ()):
            if not may_be_empty or _has_content([values[index]]):
                faults[index] = _COVERED.format(name)
        return faults


_MERGED = 1000
_COVERED = "it is part of the merged cells {}, which share one value; unmerge them and fill in each cell"


def _common(some: range, others: range) -> range:
    return range(max(some.start, others.start), min(some.stop, others.stop))


def _cell_name(row: int, column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row}"


def _has_content(values: list[Any]) -> bool:
    return not all(isinstance(each, str) and not each.strip() for each in values)


def _require_intact(path: str) -> None:
    """Raise Unreadable if a part does not match its checksum, which calamine does not check."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as book:
            if part := book.testzip():
                raise Unreadable(f"the workbook is damaged (checksum of {part}); get the file again")


def explain(path: str, error: BaseException) -> str | Unreadable:
    """Return the message about a workbook that cannot be read."""
    if _is_text(path):
        return Unreadable("this is a text file, not a workbook", "READ_AS_CSV")
    reason = str(error) or type(error).__name__
    return f"this workbook cannot be read ({reason}); open and save it again, or save the sheet as CSV"


def _sheet_name(sheets: list[Any], sheet: str | int | None) -> str:
    if not sheets:
        raise Unreadable("the workbook has no worksheet")
    names = [each.name for each in sheets]
    if sheet is None:
        shown = (each.name for each in sheets if each.visible == calamine.SheetVisibleEnum.Visible)
        return str(next(shown, names[0]))
    if sheet in names:
        return str(sheet)
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
        return str(names[int(sheet) - 1])
    from wosdk_async.text.suggestions import suggestion

    hint = suggestion(str(sheet), names) or "."
    raise Unreadable(f"there is no sheet {sheet!r}{hint} The sheets are: {', '.join(names)}")


def _is_text(path: str) -> bool:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(1000)
    except UnicodeDecodeError:
        return False
    return bool(text.strip()) and "\0" not in text


def _row(line: int, values: list[Any], faults: dict[int, str], *, times_checked: bool = True) -> Row:
    """Return a row. With ``times_checked``, ``faults`` already contains the invalid times."""
    cells: list[str] = []
    kinds: list[str] = []
    for index, value in enumerate(values):
        if isinstance(value, str):
            cells.append(value)
            kinds.append(" ")
            continue
        try:
            if not times_checked and _may_be_no_time(value):
                raise ValueError(_NO_TIME)
            cells.append(_text(value))
            kinds.append("b" if isinstance(value, bool) else "n" if isinstance(value, int | float) else "t")
        except ValueError as error:
            cells.append(str(value))
            kinds.append(" ")
            faults[index] = str(error)
    return line, cells, "".join(kinds), faults


_FIRST_DAY = date(1900, 3, 1)  # earlier dates are uncertain: Excel counts a nonexistent 1900-02-29
_NO_TIME = "it is midnight or an invalid date, which look the same in this format; save the workbook as .xlsx"


def _may_be_no_time(value: Any) -> bool:
    """Return whether ``value`` may be a number, such as -1 or 60, that calamine converted to a time."""
    if isinstance(value, date):
        return (value.date() if isinstance(value, datetime) else value) < _FIRST_DAY
    return isinstance(value, time) and value == time()


def _text(value: Any) -> str:
    """Return the text of a cell. Raise ValueError for a number that may have lost digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        if abs(value) < 10**_DIGITS:
            shown = f"{value:.{_DIGITS}g}"
            return format(Decimal(shown), "f") if "e" in shown else shown
        raise ValueError(
            f"the number {value!r} has more than {_DIGITS} digits, but a sheet keeps only {_DIGITS}; "
            "store it as text"
        )
    if isinstance(value, timedelta):
        minutes, rest = divmod(round(abs(value) / timedelta(milliseconds=1)), 60_000)
        part = f".{rest % 1000:03}000" if rest % 1000 else ""
        sign = "-" if value < timedelta() else ""
        return f"{sign}{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}{part}"
    if isinstance(value, datetime):
        return _whole_milliseconds(value).isoformat()
    if isinstance(value, time):
        return _whole_milliseconds(datetime.combine(date.min, value)).time().isoformat()
    return str(value.isoformat())


def _whole_milliseconds(value: datetime) -> datetime:
    """Round a time to milliseconds, because a sheet stores times as inexact fractions of days."""
    rounded = round(value.microsecond, -3)
    return value.replace(microsecond=0) + timedelta(microseconds=rounded)
