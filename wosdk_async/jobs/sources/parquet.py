"""Parquet files: values of every type as exact texts, read in batches."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from wosdk_async.jobs.errors import ImportMapError, require_file
from wosdk_async.jobs.rows import Row
from wosdk_async.jobs.sources.source import MAX_COLUMNS, Header, optional_package
from wosdk_async.jobs.typed_cells import CellType, TypedCell

__all__ = ["ParquetFile"]

_BATCH = 1024  # rows
_MAX_GROUP = 1 << 30  # bytes of a row group, which the reader may hold as a whole

Cells = tuple[list[str], dict[int, str]]
"""The texts of a column, and why some of them cannot be used, by their places."""


class ParquetFile:
    """The rows of a Parquet file; fields of structs are columns ``outer.inner``.

    Times are ISO 8601: with ``Z`` where the file has instants, else without a zone. Null is an empty text.
    ``line`` is the place of a row in the file, from 1.

    Raises:
        ImportMapError: the file cannot be used, here or while it is read; the message names the file.
    """

    dialect = None

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.empty_rows = 0
        require_file(self.path)
        self._arrow = optional_package("pyarrow", "parquet", self.path, "Parquet files")
        self._parquet = optional_package("pyarrow.parquet", "parquet", self.path, "Parquet files")
        with self._explaining(), self._parquet.ParquetFile(self.path) as file:
            self._check_size(file.metadata)
            self._header = Header(self.path, self._flat(file.schema_arrow.empty_table()).column_names)
        self.columns = self._header.columns

    def __repr__(self) -> str:
        return f"<ParquetFile {self.path.name} columns={len(self.columns)}>"

    def __iter__(self) -> Iterator[Row]:
        number = empty = line = 0
        for table in self._tables():
            columns = [self._cells(column) for column in table.columns]
            faulty = [(place, faults) for place, (_, faults) in enumerate(columns) if faults]
            for index, texts in enumerate(zip(*(texts for texts, _ in columns), strict=True)):
                line += 1
                faults = {place: found[index] for place, found in faulty if index in found}
                if faults or any(map(str.strip, texts)):
                    number += 1
                    yield self._header.row(number, line, list(texts), faults)
                else:
                    empty += 1
        self.empty_rows = empty

    def _tables(self) -> Iterator[Any]:
        """Yield the rows in batches, as tables without structs."""
        with contextlib.ExitStack() as exits:
            with self._explaining():
                file = exits.enter_context(self._parquet.ParquetFile(self.path))
                batches = file.iter_batches(batch_size=_BATCH)
            while True:
                with self._explaining():
                    if (batch := next(batches, None)) is None:
                        return
                    table = self._flat(self._arrow.Table.from_batches([batch]))
                yield table

    def _flat(self, table: Any) -> Any:
        while any(self._arrow.types.is_struct(field.type) for field in table.schema):
            table = table.flatten()
        return table

    def _check_size(self, metadata: Any) -> None:
        sizes = [metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups)]
        if max(sizes, default=0) > _MAX_GROUP:
            raise ImportMapError(
                f"{self.path}: a row group of {max(sizes) >> 20} MB is too large; write the file again with "
                "smaller row groups"
            )
        if metadata.num_columns > MAX_COLUMNS:
            raise ImportMapError(
                f"{self.path}: {metadata.num_columns} columns; at most {MAX_COLUMNS} are read"
            )

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        """Raise ImportMapError for what the reader raises about a file."""
        try:
            yield
        except ImportMapError:
            raise
        except (self._arrow.ArrowException, OSError, ValueError) as error:
            text = str(error).partition("\n")[0]
            raise ImportMapError(
                f"{self.path}: this is not a Parquet file, or it is damaged ({text}); write it again"
            ) from None

    # --- texts --------------------------------------------------------------------------------

    def _cells(self, column: Any) -> Cells:
        """Return a column as texts, those of values with their type."""
        if self._arrow.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        texts, faults = self._texts(column)
        kind = self._type(column.type)
        return texts if kind is None else [TypedCell(text, kind) if text else "" for text in texts], faults

    def _type(self, kind: Any) -> CellType | None:
        """Return the type of the values of a column; None for texts."""
        types = self._arrow.types
        if types.is_boolean(kind):
            return "boolean"
        if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
            return "number"
        return "time" if types.is_temporal(kind) else None

    def _texts(self, column: Any) -> Cells:
        types = self._arrow.types
        kind = column.type
        if types.is_floating(kind):
            return _float_cells(column, digits={16: 3, 32: 6, 64: 15}[kind.bit_width])
        if types.is_timestamp(kind) and kind.tz is not None:
            column = column.cast(self._arrow.timestamp(kind.unit, "UTC"))
        try:
            if types.is_duration(kind):
                raise TypeError
            texts = column.cast(self._arrow.string()).to_pylist()
        except (self._arrow.ArrowException, TypeError):
            reason = f"it holds values of the type {kind}, which have no text; write it as text"
            known = column.is_valid().to_pylist()
            return [""] * len(known), {place: reason for place, valid in enumerate(known) if valid}
        if types.is_decimal(kind):
            return [_plain(text) for text in texts], {}
        if types.is_temporal(kind):
            return _time_cells(texts)
        return [text or "" for text in texts], {}


def _plain(number: str | None) -> str:
    """Return a number without an exponent."""
    if number is None:
        return ""
    return format(Decimal(number), "f") if "e" in number or "E" in number else number


def _float_cells(column: Any, digits: int) -> Cells:
    """Return the shortest texts that are these numbers; whole ones with lost digits are faults."""
    texts = [_plain(text) for text in column.cast("string").to_pylist()]
    faults: dict[int, str] = {}
    for place, value in enumerate(column.to_pylist()):
        if value is None:
            continue
        if not math.isfinite(value):
            faults[place] = f"{value} is not a number that can be sent; write null for no value"
        elif abs(value) >= 10**digits and value == int(value):
            faults[place] = (
                f"the number {value!r} has more than {digits} digits, which its type does not keep; "
                "write it as text, integer or decimal"
            )
    return texts, faults


def _time_cells(texts: list[str | None]) -> Cells:
    cells: list[str] = []
    faults: dict[int, str] = {}
    for place, text in enumerate(texts):
        if text is not None and text.startswith("<"):
            faults[place] = "the time is not of the years 1 to 9999"
        cells.append("" if text is None else _iso(text))
    return cells, faults


def _iso(text: str) -> str:
    """Return a time of Arrow in ISO 8601, without zeros at the end of its fraction."""
    time, zone = (text[:-1], "Z") if text.endswith("Z") else (text, "")
    if "." in time:
        time = time.rstrip("0").rstrip(".")
    return time.replace(" ", "T") + zone
