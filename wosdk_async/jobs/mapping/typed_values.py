"""Typed cells, such as spreadsheet numbers, in fields for which the map has a format for strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import attrs

from wosdk_async.codec.text_values import parse_value
from wosdk_async.jobs.mapping.tables import TextTable
from wosdk_async.jobs.mapping.values import Parser, TimeFormat, written_number
from wosdk_async.jobs.sources.rows import CellType, TypedCell
from wosdk_async.model.metadata import Wire


@attrs.frozen
class TypedValues:
    """Parser for a field's typed cells, to which string formats do not apply."""

    parse_string: Parser
    """Parser for strings in the map's format."""
    parse_typed: Parser
    """Parser for the text of a typed value."""
    type: CellType
    """Cell type that the field accepts; other cells are parsed as strings."""
    write: Callable[[str], str] | None
    """Function that converts a value to the map's format; None for times and booleans."""

    def read(self, cell: TypedCell) -> Any:
        """Parse a cell. Raise ValueError if the value is invalid."""
        return self.parse_typed(cell) if self._is_value(cell) else self.parse_string(cell)

    def join(self, pieces: Sequence[str]) -> Any:
        """Parse the concatenation of several cells, some of which are typed."""
        values = [isinstance(each, TypedCell) and self._is_value(each) for each in pieces]
        if self.write is None:  # a time, which is in ISO 8601 if a part of it is typed
            return (self.parse_typed if any(values) else self.parse_string)("".join(pieces).strip())
        write = self.write
        texts = [write(each) if value else each for each, value in zip(pieces, values, strict=True)]
        return self.parse_string("".join(texts).strip())

    def _is_value(self, cell: TypedCell) -> bool:
        """Return whether a cell is a typed value. Raise ValueError if an edited cell may also be a string."""
        if cell.type != self.type or cell == cell.was:
            return cell.type == self.type
        readings = [_reading(parse, cell.strip()) for parse in (self.parse_typed, self.parse_string)]
        if None not in readings and readings[0] != readings[1]:
            raise ValueError(
                f"is ambiguous: {str(cell)!r} is {readings[0]} as a {cell.type} cell, like {cell.was!r} in "
                f"the original file, but {readings[1]} in the map's format. Use another form, "
                "or correct the original file"
            )
        return readings[1] is None and readings[0] is not None


def typed_values(meta: Wire, table: TextTable, text: Parser | None) -> TypedValues | None:
    """Return the parser for a field's typed cells; None to parse them with ``text``, as strings."""
    kind = meta["type"]
    own = partial(parse_value, meta=meta, lenient=True)
    if text is None or (table.values is not None and kind != "boolean"):
        return None
    if table.values is not None:  # typed booleans need not be listed in `values`, but typed numbers must
        return TypedValues(text, partial(_word_or, words=text, own=own), "boolean", None)
    if kind in ("number", "integer") and (table.decimal or table.thousands or table.strip):
        write = partial(written_number, decimal=table.decimal or ".")
        return TypedValues(text, own, "number", write)
    if kind.startswith("datetime") and (table.date or table.zone):
        iso = TimeFormat("iso", table, kind == "datetime-utc")
        dated = text if table.date in (None, "iso") else partial(_dated, parse=text, date=table.date)
        return TypedValues(dated, iso, "time", None)
    return None


def _word_or(text: str, words: Parser, own: Parser) -> Any:
    """Return the meaning of a word; parse any other value with the type's own parser."""
    value = _reading(words, text)
    return own(text) if value is None else value


def _dated(text: str, parse: Parser, date: str) -> Any:
    """Parse a time. Raise ValueError for a number that may have lost leading zeros."""
    time = parse(text)
    if isinstance(text, TypedCell) and datetime.strptime(text, date).strftime(date) != text:
        raise ValueError(
            f"takes a time in the format {date!r}, but {str(text)!r} is a number without its leading zeros; "
            "store the cell as text or as a date"
        )
    return time


def _reading(parse: Parser, text: str) -> Any:
    try:
        return parse(text)
    except ValueError:
        return None
