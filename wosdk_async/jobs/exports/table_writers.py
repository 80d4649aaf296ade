"""Export formats and their table writers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.exports.errors import ExportError, export_package
from wosdk_async.jobs.exports.spreadsheets import CsvTableWriter, JsonTableWriter, TableForm, WorkbookWriter
from wosdk_async.regular_files import recreate_file
from wosdk_async.text.remedies import Remedy

_GROUP_ROWS = 65_536
_GROUP_BYTES = 32 << 20  # bytes in memory after which a row group is written


class ParquetTableWriter:
    """Parquet writer."""

    def __init__(self, path: Path, form: TableForm) -> None:
        self._arrow = export_package("pyarrow")
        self._schema = schema = form.schema
        self._batches: list[Any] = []  # for the next row group
        self._rows = self._bytes = 0
        # Only strings get dictionaries, which take time to build: names and states repeat, but numbers and
        # times rarely do.
        strings = [field.name for field in schema if self._arrow.types.is_string(field.type)]
        self._file = recreate_file(path)
        self._writer = export_package("pyarrow.parquet").ParquetWriter(
            self._file, schema, compression="zstd", use_dictionary=strings
        )

    def write(self, batch: Any) -> None:
        """Append a batch; write a row group once there are enough rows."""
        self._batches.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._write_group()

    def close(self) -> None:
        """Write the last row group and the footer."""
        with self._file, contextlib.closing(self._writer):
            self._write_group()

    def discard(self) -> None:
        """Close the file without writing the remaining rows."""
        with self._file:
            self._writer.close()

    def _write_group(self) -> None:
        if self._batches:
            table = self._arrow.Table.from_batches(self._batches, self._schema)
            self._batches, self._rows, self._bytes = [], 0, 0
            self._writer.write_table(table, row_group_size=table.num_rows)


_Writer = ParquetTableWriter | CsvTableWriter | JsonTableWriter | WorkbookWriter


@attrs.frozen
class _Format:
    suffixes: tuple[str, ...]
    writer: Callable[[Path, TableForm], _Writer]
    packages: tuple[str, ...] = ()
    """Required packages in addition to pyarrow."""


_FORMATS = {
    "parquet": _Format((".parquet",), ParquetTableWriter, ("pyarrow.parquet", "pyarrow.ipc")),
    "csv": _Format((".csv",), CsvTableWriter),
    "jsonl": _Format((".jsonl", ".ndjson"), JsonTableWriter),
    "xlsx": _Format((".xlsx",), WorkbookWriter, ("xlsxwriter",)),
}
_BY_SUFFIX = {suffix: name for name, format in _FORMATS.items() for suffix in format.suffixes}


@contextlib.contextmanager
def writing_table(path: Path, form: TableForm) -> Iterator[_Writer]:
    """Write a file, and remove it on failure."""
    writer = _FORMATS[form.format].writer(path, form)
    try:
        yield writer
        writer.close()
    except BaseException:
        with contextlib.suppress(OSError, ValueError):  # raise the first error instead
            writer.discard()
        path.unlink(missing_ok=True)
        raise


def usable_format(output: Path, format: str | None, default: str | None = None) -> str:
    """Import the packages for an output (this is slow), and return the output's format.

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
