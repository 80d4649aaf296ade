"""Sheets of Excel and OpenDocument workbooks: texts unchanged, numbers and times as displayed."""

from __future__ import annotations

import codecs
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import python_calamine as calamine

from wosdk_async.readers.formula_errors import Faults, formula_errors
from wosdk_async.readers.program import Line, Unreadable

__all__ = ["explain", "read"]

_DIGITS = 15  # significant digits that Excel keeps


def read(path: str, *, sheet: str | int | None = None) -> Iterator[Line]:
    """Yield the lines of a sheet; its first row with content is the header.

    Line numbers are those that the sheet shows. A formula is read as its stored result.

    Args:
        path: the workbook.
        sheet: name of the sheet, or its number from 1 (default: the first).
    """
    _require_intact(path)
    book = calamine.CalamineWorkbook.from_path(path)
    names = [each.name for each in book.sheets_metadata if each.typ == calamine.SheetTypeEnum.WorkSheet]
    name = _sheet_name(names, sheet)
    page = book.get_sheet_by_name(name)
    if page.start is None or page.end is None:
        raise Unreadable(f"the sheet {name!r} is empty", "OTHER_SHEET")
    faults = _inside(formula_errors(path, name), page.start[1], page.width)
    rows = enumerate(page.iter_rows(), 1)
    last, header = next((row for row in rows if _has_content(row[1])), (0, []))
    yield last, [_text(value) for value in header], name
    for line, values in rows:
        if line in faults or _has_content(values):
            last = line
            yield _row(line, values, faults.get(line, {}))
    for last in sorted(line for line in faults if line > page.end[0] + 1):  # rows of formulas only
        yield _row(last, [""] * page.width, faults[last])
    yield (last,)


def _has_content(values: list[Any]) -> bool:
    return not all(isinstance(each, str) and not each.strip() for each in values)


def _require_intact(path: str) -> None:
    """Raise Unreadable if a part differs from its checksum, which calamine does not compare."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as book:
            if part := book.testzip():
                raise Unreadable(f"the workbook is damaged (checksum of {part}); get the file again")


def _inside(faults: Faults, first: int, width: int) -> Faults:
    """Return the faults of a table of ``width`` columns, by their places in its rows."""
    placed = (
        (line, {column - first: fault for column, fault in row.items() if first <= column < first + width})
        for line, row in faults.items()
    )
    return {line: row for line, row in placed if row}


def explain(path: str, error: BaseException) -> str | Unreadable:
    """Return the message about a workbook that cannot be read."""
    if _is_text(path):
        return Unreadable("this is a text file, and not a workbook", "READ_AS_CSV")
    reason = str(error) or type(error).__name__
    return f"this workbook cannot be read ({reason}); open it, save it again, or save the sheet as CSV"


def _sheet_name(names: list[str], sheet: str | int | None) -> str:
    if not names:
        raise Unreadable("there is no sheet with cells in it")
    if sheet is None:
        return names[0]
    if sheet in names:
        return str(sheet)
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    from wosdk_async.text.suggestions import suggestion

    hint = suggestion(str(sheet), names) or "."
    raise Unreadable(f"there is no sheet {sheet!r}{hint} Its sheets are: {', '.join(names)}")


def _is_text(path: str) -> bool:
    """Return whether a file begins as a text of UTF-8 does."""
    with open(path, "rb") as file:
        head = file.read(4096)
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)  # its last character may be cut
    except UnicodeDecodeError:
        return False
    return bool(text.strip()) and "\0" not in text


def _row(line: int, values: list[Any], faults: dict[int, str]) -> Line:
    cells: list[str] = []
    kinds: list[str] = []
    for place, value in enumerate(values):
        if isinstance(value, str):
            cells.append(value)
            kinds.append(" ")
            continue
        try:
            cells.append(_text(value))
            kinds.append(_kind(value))
        except ValueError as error:
            cells.append(str(value))
            kinds.append(" ")
            faults[place] = str(error)
    return line, cells, "".join(kinds), faults


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "b"
    return "n" if isinstance(value, int | float) else "t"


def _text(value: Any) -> str:
    """Return the text of a cell. Raise ValueError when its digits are lost."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _number_text(value)
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
