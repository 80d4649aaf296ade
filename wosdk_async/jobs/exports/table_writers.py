"""Writers of tables: record batches of Arrow into a file of one format, in constant memory."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Set
from pathlib import Path
from typing import Any, Protocol

import attrs

from wosdk_async.jobs.exports.errors import ExportError, export_package
from wosdk_async.jobs.exports.spreadsheets import CsvTableWriter, JsonTableWriter, WorkbookWriter
from wosdk_async.jobs.options import ExcelSeparator
from wosdk_async.jobs.sources.source import FileDialect
from wosdk_async.regular_files import recreate_file
from wosdk_async.text.formula_guard import FormulaGuard
from wosdk_async.text.remedies import Remedy

__all__ = [
    "FORMATS",
    "ExportFileFormat",
    "ParquetTableWriter",
    "TableFile",
    "TableWriter",
    "format_named",
    "require_csv",
    "require_packages",
    "writing_table",
]


class TableWriter(Protocol):
    """Writer of one file."""

    def write(self, batch: Any) -> None:
        """Append a record batch."""

    def close(self) -> None:
        """Complete the file and close it."""

    def discard(self) -> None:
        """Close the file, which is not complete."""


@attrs.frozen(kw_only=True)
class TableFile:
    """A file that a table is written to."""

    path: Path
    format: str
    schema: Any
    """Schema of Arrow."""
    json_columns: Set[str] = frozenset()
    """Columns that hold JSON text."""
    title: str = "rows"
    """Name of the table, where the format has one."""
    csv_for_excel: ExcelSeparator | None = None
    guard: FormulaGuard = attrs.field(factory=FormulaGuard)
    """Function for the texts of a CSV, which counts those that it changes."""


@attrs.frozen
class ExportFileFormat:
    """A format of files that an export writes."""

    suffixes: tuple[str, ...]
    writer: Callable[[TableFile], TableWriter]
    packages: tuple[str, ...] = ()
    """What it needs beside pyarrow."""


FORMATS = {
    "parquet": ExportFileFormat(
        (".parquet",),
        lambda file: ParquetTableWriter(file.path, file.schema),
        ("pyarrow.parquet", "pyarrow.ipc"),
    ),
    "csv": ExportFileFormat(
        (".csv",),
        lambda file: CsvTableWriter(
            file.path, file.schema, FileDialect.for_excel(file.csv_for_excel), file.guard
        ),
    ),
    "jsonl": ExportFileFormat(
        (".jsonl", ".ndjson"), lambda file: JsonTableWriter(file.path, file.schema, file.json_columns)
    ),
    "xlsx": ExportFileFormat(
        (".xlsx",), lambda file: WorkbookWriter(file.path, file.schema, file.title), ("xlsxwriter",)
    ),
}
"""Formats by their names."""
_BY_SUFFIX = {suffix: name for name, format in FORMATS.items() for suffix in format.suffixes}


def require_packages(format: str) -> None:
    """Import what a format needs, which takes long. Raises ExportError when a package is missing."""
    for name in FORMATS[format].packages:
        export_package(name)


@contextlib.contextmanager
def writing_table(file: TableFile) -> Iterator[TableWriter]:
    """Write a file, and remove it when that fails. Raises ExportError when a package is missing."""
    writer = FORMATS[file.format].writer(file)
    try:
        yield writer
        writer.close()
    except BaseException:
        with contextlib.suppress(OSError, ValueError):  # the first error says more
            writer.discard()
        file.path.unlink(missing_ok=True)
        raise


def format_named(output: Path, format: str | None, default: str | None = None) -> str:
    """Return the format of an output. Raises ExportError when its suffix does not say it, or says another."""
    by_suffix = _BY_SUFFIX.get(output.suffix.lower())
    if format and by_suffix and format != by_suffix:
        raise ExportError(
            f"{output}: its suffix is that of {by_suffix}, and the format is {format}; name another file",
            remedies=(Remedy.LEAVE_OUT,),
            option="format",
        )
    if (found := format or by_suffix or default) is None:
        raise ExportError(
            f"{output}: its suffix {output.suffix!r} is not that of a format",
            remedies=(Remedy.FORMAT,),
            suffixes=", ".join(_BY_SUFFIX),
        )
    return found


def require_csv(format: str, csv_for_excel: str | None, csv_raw: bool) -> None:
    """Raise ExportError for an option of CSV in another format."""
    if format != "csv" and (csv_for_excel or csv_raw):
        option = "csv_for_excel" if csv_for_excel else "csv_raw"
        raise ExportError(
            f"only CSV has this option, and the output is {format}",
            remedies=(Remedy.LEAVE_OUT,),
            option=option,
        )


_GROUP_ROWS = 65_536
_GROUP_BYTES = 32 << 20  # of a row group as it waits in memory
_PIECE_ROWS = 8_192  # pieces of fewer rows take more time to write than to join


class ParquetTableWriter:
    """Writer of a Parquet file.

    Args:
        path: the file.
        schema: schema of Arrow, whose metadata the file keeps.
    """

    def __init__(self, path: Path, schema: Any) -> None:
        self._arrow = export_package("pyarrow")
        self._schema = schema
        self._small: list[Any] = []  # batches to be joined
        self._pieces: list[Any] = []  # of the next row group
        self._small_rows = self._rows = self._bytes = 0
        # Texts repeat (names, states). Numbers and times hardly do, and dictionaries of them take time.
        texts = [field.name for field in schema if self._arrow.types.is_string(field.type)]
        self._file = recreate_file(path)
        self._writer = export_package("pyarrow.parquet").ParquetWriter(
            self._file, schema, compression="zstd", use_dictionary=texts
        )

    def write(self, batch: Any) -> None:
        """Append a batch; a row group is written when enough rows are there."""
        self._small.append(batch)
        self._small_rows += batch.num_rows
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._small_rows >= _PIECE_ROWS:
            self._join()
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._write_group()

    def close(self) -> None:
        """Write the last row group and the footer."""
        with self._file, contextlib.closing(self._writer):
            self._write_group()

    def discard(self) -> None:
        """Close the file without the rows that wait."""
        with self._file:
            self._writer.close()

    def _join(self) -> None:
        self._pieces += self._table(self._small).combine_chunks().to_batches()
        self._small, self._small_rows = [], 0

    def _write_group(self) -> None:
        self._join()
        if self._pieces:
            table = self._table(self._pieces)
            self._pieces, self._rows, self._bytes = [], 0, 0
            self._writer.write_table(table, row_group_size=table.num_rows)

    def _table(self, batches: list[Any]) -> Any:
        return self._arrow.Table.from_batches(batches, self._schema)
