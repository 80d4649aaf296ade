"""Text files of tables: CSV that a spreadsheet can open, and JSON lines."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence, Set
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson

from wosdk_async.jobs.sources.source import FileDialect
from wosdk_async.regular_files import recreate_file
from wosdk_async.text.formula_guard import FormulaGuard

__all__ = ["CsvTableWriter", "JsonTableWriter", "exact_number", "iso_time"]


def exact_number(number: Decimal) -> str:
    """Return all digits, without the zeros that fill the column: its numbers have one scale."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def iso_time(moment: datetime) -> str:
    """Return a time in ISO 8601, in UTC with ``Z``; the time zone of a local time is not known."""
    return moment.replace(tzinfo=None).isoformat() + ("Z" if moment.tzinfo is not None else "")


class CsvTableWriter:
    """Writer of a CSV file (RFC 4180).

    Null is an empty cell, and what ``guard`` returns stands for a text.
    """

    def __init__(self, path: Path, schema: Any, dialect: FileDialect, guard: FormulaGuard) -> None:
        self._file = io.TextIOWrapper(recreate_file(path), dialect.encoding, newline="")
        self._writer = dialect.writer(self._file)
        self._texts = _TEXTS | {
            str: guard,
            Decimal: lambda value: dialect.number(exact_number(value)),
        }
        self._writer.writerow([guard(name) for name in schema.names])

    def write(self, batch: Any) -> None:
        """Append the rows of a batch."""
        columns = [self._cells(column.to_pylist()) for column in batch.columns]
        self._writer.writerows(zip(*columns, strict=True))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    discard = close

    def _cells(self, values: list[Any]) -> list[Any]:
        """Return the cells of a column: all its values are of one type."""
        kind = next((type(value) for value in values if value is not None), None)
        text = self._texts.get(kind)
        return values if text is None else [None if value is None else text(value) for value in values]


_TEXTS: dict[type | None, Callable[[Any], str]] = {
    bool: lambda value: "true" if value else "false",
    datetime: iso_time,
}


class JsonTableWriter:
    """Writer of JSON lines: an object for each row, with every column by its name.

    Columns of JSON text are written as the values that they hold, numbers with all their digits.
    """

    def __init__(self, path: Path, schema: Any, json_columns: Set[str]) -> None:
        self._file = recreate_file(path)
        self._names: Sequence[str] = schema.names
        self._is_json = [name in json_columns for name in self._names]

    def write(self, batch: Any) -> None:
        """Append the rows of a batch."""
        columns = [
            _values(column.to_pylist(), is_json)
            for column, is_json in zip(batch.columns, self._is_json, strict=True)
        ]
        rows = (dict(zip(self._names, row, strict=True)) for row in zip(*columns, strict=True))
        self._file.write(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    discard = close


def _values(values: list[Any], is_json: bool) -> list[Any]:
    """Return the values of a column as orjson writes them."""
    kind = next((type(value) for value in values if value is not None), None)
    write = orjson.Fragment if is_json else _JSON.get(kind)
    return values if write is None else [None if value is None else write(value) for value in values]


_JSON: dict[type | None, Callable[[Any], Any]] = {
    Decimal: lambda number: orjson.Fragment(exact_number(number)),
    datetime: iso_time,
}
