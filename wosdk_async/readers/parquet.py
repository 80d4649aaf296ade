"""Reader of Parquet files: values of all types as exact text, read in batches."""

from __future__ import annotations

import math
import struct
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from itertools import repeat
from typing import Any

import pyarrow as arrow  # type: ignore[import-untyped]
import pyarrow.parquet as parquet  # type: ignore[import-untyped]
from pyarrow import types

from wosdk_async.readers.program import Line

_BATCH = 4096  # rows read at a time

Cells = tuple[list[str], dict[int, str]]
"""Texts of a column in a batch, and the reasons why some cannot be used, by index."""


def read(path: str) -> Iterator[Line]:
    """Yield the header of a Parquet file, and its rows, numbered from 1.

    A field of a struct is a column ``outer.inner``.
    Times are ISO 8601; only instants have a zone, ``Z``. Null is an empty string.
    """
    with parquet.ParquetFile(path) as file:
        leaves = _leaves(file)
        # Texts are read as dictionaries, so that repeated texts share memory.
        texts = [path for path, leaf in leaves.items() if leaf.physical_type == "BYTE_ARRAY"]
        dictionaries = [path for path in texts if leaves[path].logical_type.type in ("STRING", "NONE")]
        # Schema.empty_table() would import pandas, which takes as long as importing pyarrow.
        schema = _flat(arrow.Table.from_batches([], file.schema_arrow)).schema
        yield 0, schema.names, None
    textless = _textless(schema, leaves)
    kinds = "".join(map(_kind_letter, schema.types))
    old_times = [schema.names.index(name) for name, leaf in leaves.items() if leaf.physical_type == "INT96"]
    line = 0
    fractions = _batches(path, dictionaries, "ns") if old_times else repeat(None)
    for table, fraction in zip(_batches(path, dictionaries, "s"), fractions, strict=False):
        columns = [
            _bytes_cells(column, textless[place]) if place in textless else _cells(column)
            for place, column in enumerate(table.columns)
        ]
        for place in old_times:
            columns[place] = _old_time_cells(table.column(place), fraction.column(place))
        faulty = [(place, by_row) for place, (_, by_row) in enumerate(columns) if by_row]
        for index, cells in enumerate(zip(*(texts for texts, _ in columns), strict=True)):
            line += 1
            faults = {place: by_row[index] for place, by_row in faulty if index in by_row}
            if faults or any(map(str.strip, cells)):
                yield line, list(cells), kinds, faults
    yield (line,)


def explain(_: str, error: BaseException) -> str:
    """Return the message about a Parquet file that cannot be read."""
    text = str(error).partition("\n")[0]
    return f"this is not a Parquet file, or it is damaged ({text}); write it again"


def _batches(path: str, dictionaries: list[str], unit: str) -> Iterator[arrow.Table]:
    """Yield tables of rows; INT96 times are in ``unit``."""
    with parquet.ParquetFile(path, read_dictionary=dictionaries, coerce_int96_timestamp_unit=unit) as file:
        for batch in file.iter_batches(_BATCH, use_threads=False):
            yield _flat(arrow.Table.from_batches([batch]))


def _leaves(file: parquet.ParquetFile) -> dict[str, Any]:
    """Return the file's columns, except lists; names are as in the tables of :func:`_flat`."""
    columns = [file.schema.column(place) for place in range(len(file.schema))]
    return {column.path: column for column in columns if not column.max_repetition_level}


def _textless(schema: arrow.Schema, leaves: Mapping[str, Any]) -> dict[int, str]:
    """Return, by column index, the types that Arrow cannot convert to text or converts wrongly."""
    textless: dict[int, str] = {}
    for place, field in enumerate(schema):
        kind, name = field.type, (field.metadata or {}).get(b"ARROW:extension:name", b"").decode()
        if isinstance(kind, arrow.BaseExtensionType):
            kind, name = kind.storage_type, kind.extension_name
        if "binary" in str(kind) and (leaf := leaves.get(field.name)) is not None:
            logical = _INTERVAL if leaf.converted_type == "INTERVAL" else leaf.logical_type.type
            name = name or ("" if logical in ("NONE", "ENUM") else logical)
        if types.is_duration(kind) or (name and "string" not in str(kind)):
            textless[place] = name or str(kind)
    return textless


def _flat(table: arrow.Table) -> arrow.Table:
    while any(types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    return table


def _kind_letter(kind: arrow.DataType) -> str:
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_boolean(kind):
        return "b"
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "n"
    return "t" if types.is_temporal(kind) else " "


def _cells(column: arrow.ChunkedArray) -> Cells:
    if not types.is_dictionary(column.type):
        return _texts(column)
    array = column.combine_chunks()
    used = array.indices.unique()
    texts, faults = _texts(array.dictionary.take(used))
    positions = {index: position for position, index in enumerate(used.to_pylist())}
    of_rows = [positions[index] for index in array.indices.to_pylist()]
    return [texts[position] for position in of_rows], {
        row: faults[position] for row, position in enumerate(of_rows) if position in faults
    }


def _texts(column: Any) -> Cells:
    kind = column.type
    if types.is_floating(kind):
        return _float_cells(column, kind.bit_width)
    zone = ""
    if types.is_timestamp(kind) and kind.tz is not None:
        # Arrow checks the range only of times without a zone, so the zone is removed first.
        column, zone = column.cast(arrow.timestamp(kind.unit)), "Z"
    try:
        texts = column.cast(arrow.string()).to_pylist()
    except (arrow.ArrowException, TypeError, UnicodeDecodeError):
        with suppress(arrow.ArrowException):
            return _decoded(column.cast(arrow.large_binary()).to_pylist())
        return _no_texts(column, str(kind))
    if types.is_decimal(kind):
        return [_without_exponent(text) for text in texts], {}
    if types.is_temporal(kind):
        return _time_cells(texts, zone, is_day=not types.is_time(kind))
    return [text or "" for text in texts], {}


_INTERVAL = "INTERVAL"
_FIXED: dict[str, Callable[[bytes], str]] = {
    "UUID": lambda value: str(uuid.UUID(bytes=value)),
    "arrow.uuid": lambda value: str(uuid.UUID(bytes=value)),
    _INTERVAL: lambda value: _duration(*struct.unpack("<III", value)),
}
"""Types of fixed-length bytes, and the functions that convert them to text."""


def _duration(months: int, days: int, milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    fraction = f".{rest:03}".rstrip("0") if rest else ""
    date = (f"{months}M" if months else "") + (f"{days}D" if days else "")
    return f"P{date}T{seconds}{fraction}S" if milliseconds or not date else f"P{date}"


def _bytes_cells(column: arrow.ChunkedArray, kind: str) -> Cells:
    if kind not in _FIXED:
        return _no_texts(column, kind)
    if isinstance(column.type, arrow.BaseExtensionType):
        column = arrow.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    return [_FIXED[kind](value) if value is not None else "" for value in column.to_pylist()], {}


def _no_texts(column: Any, kind: str) -> Cells:
    reason = f"it holds values of the type {kind}, which cannot be converted; write the column as text"
    has_value = column.is_valid().to_pylist()
    return [""] * len(has_value), {index: reason for index, valid in enumerate(has_value) if valid}


def _decoded(values: list[bytes | None]) -> Cells:
    texts = [""] * len(values)
    faults: dict[int, str] = {}
    for place, value in enumerate(values):
        try:
            texts[place] = (value or b"").decode()
        except UnicodeDecodeError as error:
            shown = error.object[:20]
            faults[place] = f"its bytes, which begin with {shown!r}, are not UTF-8; write the column as text"
    return texts, faults


def _without_exponent(number: str | None) -> str:
    if number is None:
        return ""
    return format(Decimal(number), "f") if "e" in number or "E" in number else number


def _float_cells(column: Any, bits: int) -> Cells:
    """Return the shortest exact texts of numbers; whole numbers that may have lost digits are faults."""
    texts = [_without_exponent(text) for text in column.cast("string").to_pylist()]
    digits = {16: 3, 32: 6, 64: 15}[bits]
    faults: dict[int, str] = {}
    for place, value in enumerate(column.to_pylist()):
        if value is None:
            continue
        if not math.isfinite(value):
            faults[place] = f"{value} is not a number that can be sent; write null for no value"
        elif abs(value) >= 10**digits and value == int(value):
            faults[place] = (
                f"the number {value!r} has more than {digits} digits, the limit of its type; "
                "write it as text, integer or decimal"
            )
        elif bits == 16:  # Arrow writes more digits than a half-precision number has
            shorter = (f"{value:.{count}g}" for count in range(1, 6))
            half = struct.pack("e", value)
            texts[place] = next(
                _without_exponent(text) for text in shorter if struct.pack("e", float(text)) == half
            )
    return texts, faults


def _old_time_cells(seconds: Any, nanoseconds: Any) -> Cells:
    """Return INT96 timestamps as strings.

    Nanoseconds overflow outside the years 1677 to 2262, so only the fractions of seconds are taken from them.
    """
    texts: list[str | None] = seconds.cast("string").to_pylist()
    whole, wrapped = (column.cast("int64").to_pylist() for column in (seconds, nanoseconds))
    for place, text in enumerate(texts):
        if text is not None and "<" not in text:
            texts[place] = f"{text}.{(wrapped[place] - whole[place] * 10**9) % 2**64:09}"
    return _time_cells(texts)


def _time_cells(texts: list[str | None], zone: str = "", *, is_day: bool = True) -> Cells:
    cells: list[str] = []
    faults: dict[int, str] = {}
    for place, text in enumerate(texts):
        if text is None:
            cells.append("")
            continue
        if text[0] == "<" or (is_day and (text[4] != "-" or text < "0001-")):
            value = text.rpartition(": ")[2].rstrip(">")
            span = "in the years 1 to 9999" if is_day else "within a day"
            faults[place] = f"the time {value} is not {span}; correct it in the file, or write null"
        exact = text.rstrip("0").rstrip(".") if "." in text else text
        cells.append(exact.replace(" ", "T") + zone)
    return cells, faults
