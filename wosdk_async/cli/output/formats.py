"""Formats of results: JSON lines and CSV; tables are in ``table.py``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import IO, TYPE_CHECKING, Any

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.output.cells import columns_of, value_at
from wosdk_async.cli.output.files import Output, opened
from wosdk_async.cli.texts import counted, json_text
from wosdk_async.text.formula_guard import FormulaGuard
from wosdk_async.text.safe_text import one_line

if TYPE_CHECKING:
    from wosdk_async.cli.output.table import TableFormat
    from wosdk_async.jobs.options import ExcelSeparator
    from wosdk_async.model import Record

__all__ = ["CsvFormat", "csv_cell", "format_of", "guarded_texts", "write_record", "write_rows"]


def format_of(
    output: Output, file: IO[str], paths: Sequence[str], entity: type[Record] | str = ""
) -> JsonFormat | CsvFormat | TableFormat:
    """Return the writer of rows to ``file``; ``paths`` are the requested properties."""
    if output.format == "json":
        return JsonFormat(file)
    if output.format == "csv":
        return CsvFormat(file, paths, output.excel, raw=output.raw)
    from wosdk_async.cli.output.table import TableFormat

    return TableFormat(file, paths, entity)


def write_record(
    output: Output, record: dict[str, Any], paths: Sequence[str] = (), entity: type[Record] | str = ""
) -> None:
    """Write one record: as JSON, as a CSV of one row, or as a table with a line for each value."""
    if output.format != "table":
        write_rows(output, [record], paths)
        return
    from wosdk_async.cli.output.table import print_record

    with opened(output) as file:
        print_record(file, record, paths, entity)


def write_rows(
    output: Output, rows: Sequence[Any], paths: Sequence[str] = (), entity: type[Record] | str = ""
) -> None:
    """Write all rows of a result."""
    with opened(output) as file:
        writer = format_of(output, file, paths, entity)
        writer.write(rows)
        writer.close()


class JsonFormat:
    """JSON lines: each record as the service sent it."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, rows: Sequence[Any]) -> None:
        """Write a line for each record."""
        self._file.write("".join(f"{json_text(row)}\n" for row in rows))

    def close(self) -> None:
        """Do nothing."""


# --- CSV (RFC 4180) that a spreadsheet opens as text and numbers, never as formulas ---------

_MAX_NAMED = 20  # left-out columns in the message


def csv_cell(
    value: Any, number: Callable[[str], str] = str, guard: Callable[[str], str] | None = None
) -> str:
    """Return the text of a cell: numbers with all digits, objects and lists as JSON, null as no text.

    ``number`` formats a number, ``guard`` a text; by default texts that look like formulas are escaped.
    """
    guard = guard or FormulaGuard()
    if value is None:
        return ""
    if isinstance(value, str):
        return guard(value)
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return number(str(value) if isinstance(value, int) else json_text(value))
    return guard(json_text(value))


def guarded_texts(count: int, *, raw: bool) -> str:
    """Return the message about texts of a CSV that an import reads with another apostrophe than they have."""
    if raw:
        return (
            f"{counted(count, 'text')} already had an apostrophe before a formula, and wosdk import would "
            "remove it; to import such texts, export JSON lines or Parquet"
        )
    return (
        f"{counted(count, 'text')} got a leading apostrophe, because spreadsheets read such texts as "
        "formulas; --csv-raw omits the apostrophe"
    )


class CsvFormat:
    """CSV with a header and a line for each record; on a terminal control characters are escaped.

    The columns are the requested paths; with ``*`` or no path, those of the first page.
    """

    def __init__(
        self,
        file: IO[str],
        paths: Sequence[str],
        excel: ExcelSeparator | None = None,
        *,
        raw: bool = False,
    ) -> None:
        from wosdk_async.jobs.sources.source import FileDialect

        self._escaped = one_line if file.isatty() else str
        dialect = FileDialect.for_excel(excel)
        if excel is not None and not file.isatty():
            file.write("\ufeff")  # byte order mark
        self._writer = dialect.writer(file)  # type: ignore[arg-type]  # it only writes
        self._number = dialect.number
        self._guard = FormulaGuard(raw=raw)
        self._paths = paths
        self._columns: list[str] | None = None
        self._left_out: set[str] = set()

    def write(self, rows: Sequence[dict[str, Any]]) -> None:
        """Write a page of rows."""
        if self._columns is None:
            self._columns = columns_of(rows, self._paths)
            if self._columns:
                self._writer.writerow(self._escaped(self._guard(name)) for name in self._columns)
        else:
            self._left_out.update(set(columns_of(rows, self._paths)).difference(self._columns))
        self._writer.writerows(
            [
                self._escaped(csv_cell(value_at(row, name), self._number, self._guard))
                for name in self._columns
            ]
            for row in rows
        )

    def close(self) -> None:
        """Report escaped texts, and columns that only later pages have."""
        if self._guard.texts:
            say(guarded_texts(self._guard.texts, raw=self._guard.raw))
        if self._left_out:
            named = ", ".join(sorted(self._left_out)[:_MAX_NAMED])
            rest = len(self._left_out) - _MAX_NAMED
            more = f" and {rest} more" if rest > 0 else ""
            say(f"columns that only later rows have are left out: {named}{more}; name them with -p")
