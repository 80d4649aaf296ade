"""JSON lines and CSV output; ``table.py`` has tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import IO, TYPE_CHECKING, Any

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.output.cells import columns_of, value_at
from wosdk_async.cli.output.files import Output, opened
from wosdk_async.cli.output.table import TableFormat, print_record
from wosdk_async.cli.texts import counted, json_text
from wosdk_async.text.formula_guard import FormulaGuard
from wosdk_async.text.safe_text import one_line

if TYPE_CHECKING:
    from wosdk_async.jobs.options import ExcelSeparator
    from wosdk_async.model import Record


def format_of(
    output: Output, file: IO[str], paths: Sequence[str], entity: type[Record] | str = ""
) -> JsonFormat | CsvFormat | TableFormat:
    """Return a row writer for ``file``; ``paths`` are the requested properties."""
    if output.format == "json":
        return JsonFormat(file)
    if output.format == "csv":
        return CsvFormat(file, paths, output.excel, raw=output.raw)
    return TableFormat(file, paths, entity)


def write_record(
    output: Output, record: dict[str, Any], paths: Sequence[str] = (), entity: type[Record] | str = ""
) -> None:
    """Write one record: as JSON, as a one-row CSV, or as a table with one line per value."""
    if output.format != "table":
        write_rows(output, [record], paths)
        return
    with opened(output.path) as file:
        print_record(file, record, paths, entity)


def write_rows(
    output: Output, rows: Sequence[Any], paths: Sequence[str] = (), entity: type[Record] | str = ""
) -> None:
    """Write all rows of a result."""
    with opened(output.path) as file:
        writer = format_of(output, file, paths, entity)
        writer.write(rows)
        writer.close()


class JsonFormat:
    """JSON lines with records as received from the service."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, rows: Sequence[Any]) -> None:
        """Write one line per record."""
        self._file.write("".join(f"{json_text(row)}\n" for row in rows))

    def close(self) -> None:
        """Do nothing."""


# --- CSV (RFC 4180) that a spreadsheet opens as text and numbers, never as formulas ---------

_MAX_NAMED = 20  # omitted columns listed in the message


def csv_cell(
    value: Any, number: Callable[[str], str] = str, guard: Callable[[str], str] | None = None
) -> str:
    """Format a cell: numbers with all digits, objects and lists as JSON, null as empty."""
    guard = guard or FormulaGuard()
    if value is None:
        return ""
    if isinstance(value, str):
        return guard(value)
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return number(str(value) if isinstance(value, int) else json_text(value))
    return guard(json_text(value))


def guard_warning(count: int, *, raw: bool) -> str:
    """Return a warning about cells that got an apostrophe or, if ``raw``, would lose one in an import."""
    if raw:
        return (
            f"{counted(count, 'cell')} already had an apostrophe before a formula; wosdk import would "
            "remove the apostrophe. To keep it, export JSON lines or Parquet"
        )
    return (
        f"{counted(count, 'cell')} got a leading apostrophe, because spreadsheets would read the text as a "
        "formula; --csv-raw omits the apostrophe"
    )


class CsvFormat:
    """CSV with a header and one line per record; on a terminal, control characters are escaped.

    The first page determines the columns (see :func:`columns_of`).
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
            file.write("\ufeff")  # byte order mark, by which Excel recognizes UTF-8
        self._writer = dialect.writer(file)  # type: ignore[arg-type]  # the writer only needs write()
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
        """Print the :func:`guard_warning` and the names of columns that only appear in later pages."""
        if self._guard.texts:
            say(guard_warning(self._guard.texts, raw=self._guard.raw))
        if self._left_out:
            named = ", ".join(sorted(self._left_out)[:_MAX_NAMED])
            rest = len(self._left_out) - _MAX_NAMED
            more = f" and {rest} more" if rest > 0 else ""
            say(f"omitted columns that only appear in later rows: {named}{more}; select them with -p")
