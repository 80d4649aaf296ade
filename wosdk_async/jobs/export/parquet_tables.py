"""Parquet files: the schema of the catalogue, zstd, row groups of a bounded size."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from wosdk_async.jobs.export.errors import export_package
from wosdk_async.regular_files import recreate_file

__all__ = ["ParquetTableWriter"]

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
