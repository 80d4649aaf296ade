"""Typed cells in fields whose texts have a format, which does not apply to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import attrs

from wosdk_async.codec.text_values import parse_value
from wosdk_async.jobs.mapping.tables import TextTable
from wosdk_async.jobs.mapping.values import Parser, TimeFormat, written_number, zone_of
from wosdk_async.jobs.sources.rows import CellType, TypedCell
from wosdk_async.model.metadata import Wire

__all__ = ["TypedValues", "typed_values"]


@attrs.frozen
class TypedValues:
    """Reader of the typed cells of a field, such as the numbers of a sheet."""

    text: Parser
    """Reads texts, in the format of the map."""
    own: Parser
    """Reads the text of a value."""
    type: CellType
    """The values that the field takes; others are read as texts."""
    write: Callable[[str], str] | None
    """Returns the text of a value in the format of the map; None where a part of a text has no format."""

    def read(self, cell: TypedCell) -> Any:
        """Return the value of a cell. Raise ValueError if the field does not take it."""
        return self.own(cell) if self._is_value(cell) else self.text(cell)

    def join(self, pieces: Sequence[str]) -> Any:
        """Return the value of a text that combines several cells, some of which are values."""
        values = [isinstance(each, TypedCell) and self._is_value(each) for each in pieces]
        if self.write is None:  # times: together with a value the whole text is one in ISO 8601
            return (self.own if any(values) else self.text)("".join(pieces).strip())
        write = self.write
        texts = [write(each) if value else each for each, value in zip(pieces, values, strict=True)]
        return self.text("".join(texts).strip())

    def _is_value(self, cell: TypedCell) -> bool:
        """Return whether a cell has its own value and is not a text in the format of the map.

        Raises:
            ValueError: the cell of a rejected row was changed, and can be read in both ways.
        """
        if cell.type != self.type or not cell.edited:
            return cell.type == self.type
        readings = [_reading(parse, cell.strip()) for parse in (self.own, self.text)]
        if None not in readings and readings[0] != readings[1]:
            raise ValueError(
                f"can be read in two ways, so {str(cell)!r} is ambiguous: as a {cell.type} "
                f"of the first file, which had {cell.was!r} here, it is {readings[0]}, in the format of the "
                f"map {readings[1]}. Write it so that it fits only one, or correct it in the first file"
            )
        return readings[1] is None and readings[0] is not None


def typed_values(meta: Wire, table: TextTable, text: Parser | None) -> TypedValues | None:
    """Return the reader of typed cells of a field; None if they are read as texts.

    Args:
        meta: the metadata of the field.
        table: the table of the map with the formats.
        text: parser of texts of the field.
    """
    kind = meta["type"]
    own = partial(parse_value, meta=meta, lenient=True)
    if text is None:
        return None
    if table.values is not None:  # a number must be one of the words, as a text must
        return (
            TypedValues(text, partial(_word_or, words=text, own=own), "boolean", None)
            if kind == "boolean"
            else None
        )
    if kind in ("number", "integer") and (table.decimal or table.thousands or table.strip):
        write = partial(written_number, decimal=table.decimal or ".")
        return TypedValues(text, own, "number", write)
    if kind.startswith("datetime") and (table.date or table.zone):
        iso = TimeFormat("iso", zone_of(table), table.fold, kind == "datetime-utc")
        dated = text if table.date in (None, "iso") else partial(_dated, parse=text, date=table.date)
        return TypedValues(dated, iso, "time", None)
    return None


def _word_or(text: str, words: Parser, own: Parser) -> Any:
    """Return the meaning of a word, or else the value itself."""
    value = _reading(words, text)
    return own(text) if value is None else value


def _dated(text: str, parse: Parser, date: str) -> Any:
    """Return the time of a text, or of a number such as 20261209, which has lost its leading zeros."""
    time = parse(text)
    if isinstance(text, TypedCell) and datetime.strptime(text, date).strftime(date) != text:
        raise ValueError(
            f"takes a time in the format {date!r}, but {str(text)!r} is a number without leading zeros; "
            "store it as text or as a date"
        )
    return time


def _reading(parse: Parser, text: str) -> Any:
    try:
        return parse(text)
    except ValueError:
        return None
