"""Export formats and their table writers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.exports.errors import ExportError, export_package
from wosdk_async.jobs.exports.spreadsheets import (
    TableForm,
    WriteBatch,
    writing_csv,
    writing_json,
    writing_workbook,
)
from wosdk_async.regular_files import recreate_file
from wosdk_async.text.remedies import Remedy

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
    "csv": _Format((".csv",), writing_csv),
    "jsonl": _Format((".jsonl", ".ndjson"), writing_json),
    "xlsx": _Format((".xlsx",), writing_workbook, ("xlsxwriter",)),
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
    """Return an output's format, and import the packages for the format, which is slow.

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
