"""Export formats and their table writers, which use constant memory.

In a workbook, booleans, numbers of up to 15 digits and times from March 1900 on have Excel types. Other
values are text, because Excel would change them. Text is never a formula or link. Text longer than 32,767
characters goes to a separate sheet, in pieces.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable, Iterator, Set
from contextlib import AbstractContextManager
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import attrs
import orjson

from wosdk_async.jobs.exports import ExportError, export_package
from wosdk_async.jobs.options import ExcelSeparator
from wosdk_async.jobs.sources.source import FileDialect
from wosdk_async.regular_files import recreate_file
from wosdk_async.text.formula_guard import FormulaGuard
from wosdk_async.text.remedies import Remedy

WriteBatch = Callable[[Any], None]
"""Function that appends an Arrow record batch to a file."""


@attrs.frozen(kw_only=True)
class TableForm:
    """Table schema and output format."""

    format: str
    schema: Any
    """Arrow schema, with metadata to store in Parquet files."""
    json_columns: Set[str] = frozenset()
    """Columns that contain JSON text."""
    title: str = "rows"
    """Sheet name."""
    csv_for_excel: ExcelSeparator | None = None
    guard: FormulaGuard = attrs.field(factory=FormulaGuard)
    """Guard against formulas in CSV text."""


def _exact_number(number: Decimal) -> str:
    """Return all digits of a number, without trailing zeros from the column's scale."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _iso_time(moment: datetime) -> str:
    """Return a time in ISO 8601: with ``Z`` if it is in UTC, without a zone if its zone is unknown."""
    return moment.replace(tzinfo=None).isoformat() + ("Z" if moment.tzinfo is not None else "")


def _excel_time(moment: datetime) -> str:
    """Format a time so that Excel parses it as a time; with ``T`` or ``Z``, Excel would read it as text."""
    return moment.replace(tzinfo=None).isoformat(" ")


@contextlib.contextmanager
def _writing_csv(path: Path, form: TableForm) -> Iterator[WriteBatch]:
    """Write CSV (RFC 4180); null is an empty cell."""
    dialect = FileDialect.for_excel(form.csv_for_excel)
    converters: _Converters = {
        bool: lambda value: "true" if value else "false",
        datetime: _excel_time if form.csv_for_excel else _iso_time,
        Decimal: lambda value: dialect.number(_exact_number(value)),
        str: form.guard,
    }
    with io.TextIOWrapper(recreate_file(path), dialect.encoding, newline="") as file:
        writer = dialect.writer(file)
        writer.writerow(map(form.guard, form.schema.names))

        def write(batch: Any) -> None:
            columns = [_converted(column, converters) for column in batch.columns]
            writer.writerows(zip(*columns, strict=True))

        yield write


@contextlib.contextmanager
def _writing_json(path: Path, form: TableForm) -> Iterator[WriteBatch]:
    """Write rows with all columns. JSON text is written as JSON values, in which numbers keep all digits."""
    converters = {name: _JSON_TEXT if name in form.json_columns else _JSON for name in form.schema.names}
    with recreate_file(path) as file:

        def write(batch: Any) -> None:
            columns = map(_converted, batch.columns, converters.values())
            rows = (dict(zip(converters, row, strict=True)) for row in zip(*columns, strict=True))
            file.write(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))

        yield write


_Converters = dict[type, Callable[[Any], Any]]

_JSON: _Converters = {
    Decimal: lambda number: orjson.Fragment(_exact_number(number)),
    datetime: _iso_time,
}
_JSON_TEXT: _Converters = {str: orjson.Fragment}


def _converted(column: Any, converters: _Converters) -> list[Any]:
    values = column.to_pylist()
    kind = next((type(value) for value in values if value is not None), type(None))
    convert = converters.get(kind)
    return values if convert is None else [None if value is None else convert(value) for value in values]


SHEET_ROWS = 1_048_575  # maximum rows on a sheet, without the header
_CELL = 32_767  # maximum UTF-16 code units in a cell
_PIECE = 16_000  # characters per piece; a character has one or two code units
_DIGITS = 15
_OLDEST = datetime(1900, 3, 1)  # earlier dates differ, because Excel has a 29 February 1900
_NEWEST = datetime(9999, 12, 31)  # this day is text, because rounding may move its times to the year 10000
_LONG = "Long texts"
_MAX_TITLE = 25  # characters of a sheet name without its number


@contextlib.contextmanager
def _writing_workbook(path: Path, form: TableForm) -> Iterator[WriteBatch]:
    """Write an Excel workbook; rows beyond 1,048,575 continue on another sheet."""
    errors = export_package("xlsxwriter.exceptions")
    folder = tempfile.TemporaryDirectory(prefix="sheets-", dir=path.parent)
    with folder, recreate_file(path) as file:
        options = {"constant_memory": True, "tmpdir": folder.name}
        book = export_package("xlsxwriter").Workbook(file, options)
        try:
            yield _Sheets(book, form).write
            book.close()
        except errors.FileCreateError as error:
            raise error.args[0] from None  # an OSError
        except errors.FileSizeError:
            raise ExportError("the workbook is larger than 4 GB; export to .csv or .parquet") from None
        finally:
            for sheet in book.worksheets():
                sheet.row_data_fh.close()


class _Sheets:
    def __init__(self, book: Any, form: TableForm) -> None:
        self._book = book
        self._date = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self._names: list[str] = form.schema.names
        self._title = form.title[:_MAX_TITLE]
        self._sheets = 0
        self._long: Any = None
        """Sheet for texts that are too long for a cell, split into pieces."""
        self._begin_sheet()

    def write(self, batch: Any) -> None:
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if self._row == SHEET_ROWS:
                self._begin_sheet()
            self._row += 1
            for column, value in enumerate(row):
                if value is not None:
                    self._write_cell(column, value)

    def _begin_sheet(self) -> None:
        self._sheets += 1
        number = f" {self._sheets}" if self._sheets > 1 else ""
        self._sheet = self._book.add_worksheet(f"{self._title}{number}")
        self._sheet.freeze_panes(1, 0)
        for column, name in enumerate(self._names):
            self._sheet.write_string(0, column, name)
        self._row = 0

    def _write_cell(self, column: int, value: Any) -> None:
        if isinstance(value, bool):
            self._sheet.write_boolean(self._row, column, value)
        elif isinstance(value, int | Decimal):
            self._write_number(column, value)
        elif isinstance(value, datetime):
            moment = value.replace(tzinfo=None)
            if _OLDEST <= moment < _NEWEST:
                self._sheet.write_datetime(self._row, column, moment, self._date)
            else:
                self._sheet.write_string(self._row, column, _iso_time(value))
        else:
            self._write_text(column, value)

    def _write_number(self, column: int, value: int | Decimal) -> None:
        text = _exact_number(Decimal(value))
        if len(text.strip("-0.").replace(".", "")) <= _DIGITS:
            self._sheet.write_number(self._row, column, float(text))
        else:
            self._sheet.write_string(self._row, column, text)

    def _write_text(self, column: int, text: str) -> None:
        if len(text) <= _CELL // 2 or len(text.encode("utf-16-le")) // 2 <= _CELL:
            self._sheet.write_string(self._row, column, text)
            return
        if self._long is None:
            self._long, self._long_row = self._book.add_worksheet(_LONG), 0
            self._long.write_row(0, 0, ("Cell", "Column", "Piece", "Text"))
        name = export_package("xlsxwriter.utility").xl_rowcol_to_cell(self._row, column)
        cell = f"{self._sheet.get_name()}!{name}"
        for number, start in enumerate(range(0, len(text), _PIECE), 1):
            self._long_row += 1
            self._long.write_string(self._long_row, 0, cell)
            self._long.write_string(self._long_row, 1, self._names[column])
            self._long.write_number(self._long_row, 2, number)
            self._long.write_string(self._long_row, 3, text[start : start + _PIECE])
        pointer = f"... (all {len(text):,} characters are on the sheet {_LONG!r})"
        self._sheet.write_string(self._row, column, text[:_PIECE] + pointer)


_GROUP_ROWS = 65_536
_GROUP_BYTES = 32 << 20  # bytes in memory after which a row group is written


@contextlib.contextmanager
def _writing_parquet(path: Path, form: TableForm) -> Iterator[WriteBatch]:
    arrow, parquet = export_package("pyarrow"), export_package("pyarrow.parquet")
    # Only strings get dictionaries, because these take time to build, and numbers and times rarely repeat.
    strings = [field.name for field in form.schema if arrow.types.is_string(field.type)]
    batches: list[Any] = []  # for the next row group
    rows = size = 0

    def write_group() -> None:
        nonlocal rows, size
        table = arrow.Table.from_batches(batches, form.schema)
        batches.clear()
        rows = size = 0
        if table.num_rows:
            writer.write_table(table, row_group_size=table.num_rows)

    def write(batch: Any) -> None:
        nonlocal rows, size
        batches.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
            write_group()

    with recreate_file(path) as file:
        writer = parquet.ParquetWriter(file, form.schema, compression="zstd", use_dictionary=strings)
        try:
            yield write
            write_group()
        except BaseException:
            with contextlib.suppress(OSError, ValueError):  # raise the first error instead
                writer.close()
            raise
        writer.close()


@attrs.frozen
class _Format:
    suffixes: tuple[str, ...]
    writing: Callable[[Path, TableForm], AbstractContextManager[WriteBatch]]
    packages: tuple[str, ...] = ()
    """Required packages in addition to pyarrow."""


_FORMATS = {
    "parquet": _Format((".parquet",), _writing_parquet, ("pyarrow.parquet", "pyarrow.ipc")),
    "csv": _Format((".csv",), _writing_csv),
    "jsonl": _Format((".jsonl", ".ndjson"), _writing_json),
    "xlsx": _Format((".xlsx",), _writing_workbook, ("xlsxwriter",)),
}
_BY_SUFFIX = {suffix: name for name, format in _FORMATS.items() for suffix in format.suffixes}


@contextlib.contextmanager
def writing_table(path: Path, form: TableForm) -> Iterator[WriteBatch]:
    """Write a file, and remove it on failure."""
    try:
        with _FORMATS[form.format].writing(path, form) as write:
            yield write
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def usable_format(output: Path, format: str | None, default: str | None = None) -> str:
    """Return an output's format. Slow, because it also imports the packages for the format.

    Raises:
        ExportError: the suffix is unknown or contradicts the format, or a package is missing.
    """
    by_suffix = _BY_SUFFIX.get(output.suffix.lower())
    if format and by_suffix and format != by_suffix:
        raise ExportError(
            f"{output}: the suffix means {by_suffix}, but the format is {format}; name another file",
            remedies=(Remedy.LEAVE_OUT,),
            option="format",
        )
    if (found := format or by_suffix or default) is None:
        raise ExportError(
            f"{output}: the suffix {output.suffix!r} is not a known format",
            remedies=(Remedy.FORMAT,),
            suffixes=", ".join(_BY_SUFFIX),
        )
    for name in _FORMATS[found].packages:
        export_package(name)
    return found
