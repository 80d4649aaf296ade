"""Sheets of Excel and OpenDocument workbooks: texts as they stand, numbers and times as they are shown."""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from wosdk_async.jobs.errors import ImportMapError, require_file
from wosdk_async.jobs.rows import Row
from wosdk_async.jobs.sources.source import Header, optional_package
from wosdk_async.jobs.sources.workbook import inspect_workbook
from wosdk_async.jobs.typed_cells import CellType, TypedCell
from wosdk_async.suggestions import suggestion

__all__ = ["ExcelFile"]

_DIGITS = 15  # significant digits that Excel keeps


class ExcelFile:
    """One sheet of a workbook; its first row with content is the header.

    The sheet is held in memory as a whole, so workbooks over a size are refused before they are read.
    ``line`` is the number that the sheet shows beside the row. Formulas count by their last result.

    Raises:
        ImportMapError: the file cannot be used; the message names the file and the remedy.
    """

    dialect = None

    def __init__(self, path: str | Path, *, sheet: str | int | None = None) -> None:
        self.path = Path(path)
        self.empty_rows = 0
        require_file(self.path)
        calamine = optional_package("python_calamine", "files", self.path, "Excel files")
        errors = inspect_workbook(self.path)
        with _reporting(self.path):
            book = calamine.CalamineWorkbook.from_path(str(self.path))
        name = self._sheet_name(calamine, book, sheet)
        with _reporting(self.path):
            self._sheet = book.get_sheet_by_name(name)
        self.sheet = name
        if self._sheet.start is None:
            raise ImportMapError(f"{self.path}: the sheet {name!r} is empty; name another with --sheet")
        self._left = self._sheet.start[1]
        self._errors = errors.get(name, {})
        _, header = next(self._filled(), (1, []))
        self._header = Header(self.path, [_text(value) for value in header])
        self.columns = self._header.columns

    def __repr__(self) -> str:
        return f"<ExcelFile {self.path.name} sheet={self.sheet!r} columns={len(self.columns)}>"

    def __iter__(self) -> Iterator[Row]:
        lines = self._filled()
        above, _ = next(lines)
        number, last = 0, above
        for line, values in lines:
            number += 1
            last = line
            yield self._row(number, line, values)
        self.empty_rows = last - above - number

    def _filled(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield the rows that have content, with their numbers in the sheet."""
        for line, values in enumerate(self._sheet.iter_rows(), 1):
            if line in self._errors or not all(isinstance(each, str) and not each.strip() for each in values):
                yield line, values

    def _row(self, number: int, line: int, values: list[Any]) -> Row:
        faults: dict[int, str] = {}
        cells = []
        for place, value in enumerate(values):
            if isinstance(value, str):
                cells.append(value)
                continue
            try:
                cells.append(TypedCell(_text(value), _type(value)))
            except ValueError as error:
                cells.append(str(value))
                faults[place] = str(error)
        for column in self._errors.get(line, ()):  # the reader gives them as empty cells
            faults[column - self._left] = "the cell shows an error of a formula; correct it in the sheet"
        return self._header.row(number, line, cells, faults)

    def _sheet_name(self, calamine: Any, book: Any, sheet: str | int | None) -> str:
        names: list[str] = [
            each.name for each in book.sheets_metadata if each.typ == calamine.SheetTypeEnum.WorkSheet
        ]
        if not names:
            raise ImportMapError(f"{self.path}: there is no sheet with cells in it")
        if sheet is None:
            return names[0]
        if sheet in names:
            return str(sheet)
        if str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
            return names[int(sheet) - 1]
        hint = suggestion(str(sheet), names) or "."
        raise ImportMapError(
            f"{self.path}: there is no sheet {sheet!r}{hint} Its sheets are: {', '.join(names)}"
        )


@contextlib.contextmanager
def _reporting(path: Path) -> Iterator[None]:
    """Raise ImportMapError for whatever the reader raises about a file."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # a panic of the reader is not an Exception
        text = str(error) or type(error).__name__
        if _is_text(path):
            raise ImportMapError(
                f"{path}: this is a text file, and not a workbook; give it the suffix .csv, or add "
                "--format csv"
            ) from None
        raise ImportMapError(
            f"{path}: this workbook cannot be read ({text}); open it, save it again, or save the sheet as CSV"
        ) from None


def _is_text(path: Path) -> bool:
    """Return whether a file begins as a text of UTF-8 does."""
    with path.open("rb") as file:
        head = file.read(4096)
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)  # its last character may be cut
    except UnicodeDecodeError:
        return False
    return bool(text.strip()) and "\0" not in text


def _type(value: Any) -> CellType:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "time"


def _text(value: Any) -> str:
    """Return the text of a cell. Raise ValueError when its digits are lost."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _number_text(value)
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if isinstance(value, datetime):
        return _whole_milliseconds(value).isoformat()
    if isinstance(value, time):
        return _whole_milliseconds(datetime.combine(date.min, value)).time().isoformat()
    return str(value.isoformat())


def _number_text(value: float) -> str:
    if abs(value) < 10**_DIGITS:
        shown = f"{value:.{_DIGITS}g}"
        return format(Decimal(shown), "f") if "e" in shown else shown
    raise ValueError(
        f"the number {value!r} has more than {_DIGITS} digits, and a sheet keeps only {_DIGITS} of them; "
        "store it as text there"
    )


def _whole_milliseconds(value: datetime) -> datetime:
    """Return a time without the rounding errors of a sheet, which counts in fractions of days."""
    rounded = round(value.microsecond, -3)
    return value.replace(microsecond=0) + timedelta(microseconds=rounded)
