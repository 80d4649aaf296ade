"""Parquet files: the schema of the catalogue, zstd, row groups of a bounded size."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from wosdk_async.jobs.export.errors import export_package

__all__ = ["ParquetTableWriter"]

_GROUP_ROWS = 65_536
_GROUP_BYTES = 32 << 20  # of a row group as it waits in memory


class ParquetTableWriter:
    """Writer of a Parquet file.

    Args:
        path: the file.
        schema: schema of Arrow, whose metadata the file keeps.
    """

    def __init__(self, path: Path, schema: Any) -> None:
        self._arrow = export_package("pyarrow")
        self._schema = schema
        self._waiting: list[Any] = []
        # Texts repeat (names, states). Numbers and times hardly do, and dictionaries of them take time.
        texts = [field.name for field in schema if self._arrow.types.is_string(field.type)]
        self._writer = export_package("pyarrow.parquet").ParquetWriter(
            path, schema, compression="zstd", use_dictionary=texts
        )

    def write(self, batch: Any) -> None:
        """Append a batch; a row group is written when enough rows are there."""
        self._waiting.append(batch)
        rows = sum(each.num_rows for each in self._waiting)
        if rows >= _GROUP_ROWS or sum(each.nbytes for each in self._waiting) >= _GROUP_BYTES:
            self._write_group()

    def close(self) -> None:
        """Write the last row group and the footer."""
        with contextlib.closing(self._writer):
            self._write_group()

    def discard(self) -> None:
        """Close the file without the rows that wait."""
        self._writer.close()

    def _write_group(self) -> None:
        if self._waiting:
            table = self._arrow.Table.from_batches(self._waiting, self._schema)
            self._waiting = []
            self._writer.write_table(table, row_group_size=table.num_rows)
