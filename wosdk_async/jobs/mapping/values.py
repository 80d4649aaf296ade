"""Parsers for cell text: the map's formats for times and numbers, and default rules for other types.

Formats for strings do not apply to typed cells, such as spreadsheet numbers.
"""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache, partial
from itertools import islice
from typing import Any

import attrs

from wosdk_async.codec.text_values import MAX_NUMBER, exact_number, parse_value, shown_value, time_in_zone
from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.mapping.tables import TextTable, is_unit
from wosdk_async.jobs.sources.rows import CellType, TypedCell
from wosdk_async.model.metadata import Wire

Parser = Callable[[str], Any]
"""Function that parses a string, or raises ValueError. The error message is appended to the field's name."""

_CACHED = 1024  # cached values per field; columns often repeat a few values
_MAX_CACHED = 64  # characters
_SIGN = '; if {0!r} is a currency sign or unit, remove it with strip = ["{0}"] in the map'
_SHOWN = 8  # values listed in a message
_GROUP = 3  # digits between thousands marks
_SPACES = " \u00a0\u2009\u202f"
_DATE = re.compile(
    r"[0-9]{1,2}([./])[0-9]{1,2}\1[0-9]{4}(?:(,?) +[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?(?:( ?)[AP]M)?)?",
    re.IGNORECASE,
)
_DAYS = {".": ("%d.%m.%Y",), "/": ("%d/%m/%Y", "%m/%d/%Y")}
_MARKED = (  # number formats, and the map keys that enable them
    (re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+\.[0-9]+|[+-]?[0-9]{1,3}(,[0-9]{3}){2,}"), 'thousands = ","'),
    (re.compile(r"[+-]?[0-9]{1,3},[0-9]{3}"), 'thousands = "," or decimal = ","'),
    (re.compile(r"[+-]?[0-9]{1,3}(\.?[0-9]{3})*,[0-9]+"), 'decimal = ",", thousands = "."'),
)
_WHOLE: Wire = {"type": "integer"}


def value_parser(meta: Wire, table: TextTable, path: str) -> Parser | None:
    """Return a field's parser; None for a string. Raise ImportMapError for options that its type forbids."""
    kind = meta["type"]
    is_time, is_number = kind.startswith("datetime"), kind in ("number", "integer")
    _require(is_time, table, ("date", "zone", "fold"), f"{path} is not a time field")
    _require(is_number, table, ("decimal", "thousands", "strip"), f"{path} is not a number field")
    _require(kind != "integer", table, ("decimal",), f"{path} takes whole numbers")
    if kind == "datetime-local":
        _require(False, table, ("fold",), f"{path} is local time, which is sent unchanged")
    if is_time and (table.date or table.zone):
        return _cached(TimeFormat(table.date or "iso", table, kind == "datetime-utc"))
    if kind == "number" and table.thousands == (table.decimal or "."):
        raise ImportMapError(
            f'{path}: thousands and decimal are both {table.thousands!r}; set decimal, as in decimal = ","'
        )
    if is_number and (table.decimal or table.thousands or table.strip):
        return _cached(_NumberFormat(table, kind == "integer"))
    if kind not in ("boolean", "enum") and not is_time and not is_number:
        return None
    if kind in ("boolean", "enum") and "{" in table.text:  # from a column, so errors can suggest `values`
        return _cached(partial(_named, meta=meta))
    return _cached(partial(_plain, meta=meta, is_id=path.endswith(".id")))


def word_parser(values: Mapping[str, Any]) -> Parser:
    """Return a case-insensitive parser that maps each word to its value."""
    meanings = {word.strip().casefold(): value for word, value in values.items()}
    known = ", ".join(map(repr, islice(values, _SHOWN))) + (", ..." if len(values) > _SHOWN else "")

    def parse(text: str) -> Any:
        word = text.strip().casefold()
        if word not in meanings:
            raise ValueError(f"takes {known}, not {shown_value(text)}; add this word to 'values' in the map")
        return meanings[word]

    return parse


def _plain(text: str, meta: Wire, is_id: bool = False) -> Any:
    try:
        return parse_value(text, meta, lenient=True)
    except ValueError as error:
        if meta["type"] == "datetime-local" and _has_offset(text):
            raise ValueError(_WITH_OFFSET.format(text)) from None
        if meta["type"].startswith("datetime"):
            if not any(map(str.isdigit, text)):
                raise ValueError(f"{error}; correct the cell") from None
            keys = " or ".join(f'date = "{each}"' for each in _date_formats(text.strip()) or ["..."])
        else:
            keys = next((keys for looks, keys in _MARKED if looks.fullmatch(text.strip())), "")
        if not keys and not is_id and meta["type"] in ("number", "integer") and (unit := _unit_of(text)):
            keys = f'strip = ["{unit}"]'
        start = '; if the column uses this format, set it in the map: { text = "{...}", '
        raise ValueError(f"{error}{start}{keys} }}" if keys else str(error)) from None


def _date_formats(text: str) -> list[str]:
    if (found := _DATE.fullmatch(text)) is None:
        return []
    mark, comma, seconds, blank = found.groups()
    hour, half = ("%H", "") if blank is None else ("%I", f"{blank}%p")
    time = "" if comma is None else f"{comma} {hour}:%M{'' if seconds is None else ':%S'}{half}"
    formats = []
    for day in _DAYS[mark]:
        with suppress(ValueError):
            datetime.strptime(text, f"{day}{time}")
            formats.append(f"{day}{time}")
    return formats


def _named(text: str, meta: Wire) -> Any:
    try:
        return parse_value(text, meta, lenient=True)
    except ValueError as error:
        joint = " Or" if str(error).endswith("?") else "; or"
        raise ValueError(f"{error}{joint} define its meaning with values = {{ ... }} in the map") from None


def _require(fits: bool, table: TextTable, keys: tuple[str, ...], reason: str) -> None:
    for key in () if fits else keys:
        if getattr(table, key) is not None:
            raise ImportMapError(f"{reason}; remove {key!r}")


def _cached(parse: Parser) -> Parser:
    """Return ``parse`` with a cache for short strings. The results must be immutable."""
    cached = lru_cache(_CACHED)(parse)
    return lambda text: cached(text) if len(text) <= _MAX_CACHED else parse(text)


_WITH_OFFSET = (
    "takes the site's local time, but {!r} has a UTC offset; convert it with the site's zone in the map: "
    '{{ text = "{{...}}", zone = "..." }}'
)


def _has_offset(text: str) -> bool:
    try:
        return datetime.fromisoformat(text.strip()).tzinfo is not None
    except ValueError:
        return False


class TimeFormat:
    """Parser for times in the format ``date``, which is a strptime format or ``iso``."""

    def __init__(self, date: str, table: TextTable, utc: bool) -> None:
        self.date, self.fold, self.utc = date, table.fold, utc
        # In a UTC field, the zone of times without an offset; in a local field, the site's zone.
        self.zone = zoneinfo.ZoneInfo(table.zone) if table.zone is not None else None

    def __call__(self, text: str) -> datetime:
        """Return the time in UTC or, in a local field, as a naive datetime."""
        time = self._read(text)
        if self.utc:
            return self._in_utc(time, text)
        if time.tzinfo is None:
            return time
        if self.zone is None:
            raise ValueError(_WITH_OFFSET.format(text))
        return time_in_zone(time, self.zone, text).replace(tzinfo=None)

    def _read(self, text: str) -> datetime:
        try:
            if self.date == "iso":
                return datetime.fromisoformat(text)
            return datetime.strptime(text, self.date)
        except ValueError as error:
            sample = datetime(2026, 3, 31, 16, 5, tzinfo=UTC)
            example = "2026-03-31T16:05" if self.date == "iso" else sample.strftime(self.date)
            no_day = "range" in str(error)
            why = (
                "this day does not exist: correct the cell"
                if no_day
                else "correct the cell, or change 'date' in the map"
            )
            taken = f"takes a time such as {example} (date = {self.date!r})"
            raise ValueError(f"{taken}, not {shown_value(text)}; {why}") from None

    def _in_utc(self, time: datetime, text: str) -> datetime:
        if time.tzinfo is not None or self.zone is None:
            return time_in_zone(time.replace(tzinfo=time.tzinfo or UTC), UTC, text)
        first, second = (time.replace(tzinfo=self.zone, fold=fold) for fold in (0, 1))
        if first.utcoffset() == second.utcoffset():
            return time_in_zone(first, UTC, text)
        if first.astimezone(UTC).astimezone(self.zone).replace(tzinfo=None, fold=0) != time:
            raise ValueError(
                f"takes a time that exists in {self.zone}, not {text!r}, which is skipped by a clock change; "
                "correct the cell"
            )
        if self.fold is None:
            raise ValueError(
                f"is ambiguous: {text!r} occurs twice in {self.zone} because the clocks are set back; "
                'add fold = "first" or fold = "second" to the map'
            )
        return (first if self.fold == "first" else second).astimezone(UTC)


class _NumberFormat:
    """Parser for numbers that a unit in ``strip`` may precede or follow, with or without spaces."""

    def __init__(self, table: TextTable, whole: bool) -> None:
        self.decimal, self.thousands, self.strip = table.decimal or ".", table.thousands, table.strip or ()
        self.whole = whole
        self.has_marks = bool(table.decimal or table.thousands)
        marks = _SPACES if self.thousands == " " else self.thousands
        grouped = rf"[0-9]{{1,3}}(?:[{re.escape(marks)}][0-9]{{3}})+|" if marks else ""
        fraction = "" if whole else rf"(?:{re.escape(self.decimal)}([0-9]+))?"
        units = "|".join(map(re.escape, sorted(map(str.strip, self.strip), key=len, reverse=True)))
        before, after = (rf"(?:(?:{units})\s*)?", rf"(?:\s*(?:{units}))?") if units else ("", "")
        number = rf"([+-]?){before}({grouped}[0-9]+){fraction}{after}"
        self._pattern = re.compile(rf"(?:{before}(?=[+-]))?{number}" if units else number, re.IGNORECASE)

    def __call__(self, text: str) -> Decimal | int:
        if len(text) > MAX_NUMBER:
            raise ValueError(f"takes a {'whole number' if self.whole else 'number'}, not {shown_value(text)}")
        found = self._pattern.fullmatch(text)
        if found is None:
            fraction = "" if self.whole else f"{self.decimal}50"
            unit = _unit_of(text)
            sign = _SIGN.format(unit) if unit and unit not in self.strip else ""
            raise ValueError(
                f"takes a number such as 1{self.thousands or ''}234{fraction}, not {shown_value(text)}{sign}"
            )
        digits = re.sub(r"[^0-9]", "", found[2])
        if not self.has_marks and found[3] is not None and len(found[3]) == _GROUP and len(digits) <= _GROUP:
            raise ValueError(
                f"is ambiguous: {shown_value(text)} may be {digits}{found[3]} or {digits}.{found[3]}; set "
                'thousands = "." or decimal = "." in the map'
            )
        if self.whole:
            return int(parse_value(found[1] + digits, _WHOLE))
        return exact_number(f"{found[1]}{digits}.{found[3] or ''}")


def _unit_of(text: str) -> str | None:
    """Return the short text before or after the digits, if ``strip`` can remove it."""
    found = _UNIT.fullmatch(text.strip()) if len(text) <= _MAX_CACHED else None
    unit = found and (found[1] or found[2])
    return unit if unit and is_unit(unit) else None


_UNIT = re.compile(r'([^0-9+\-\s"\\]{1,8})?\s*[+-]?[0-9](?:[0-9.,\s]*[0-9])?\s*([^0-9\s"\\]{1,8})?')


def _localized_number(number: str, decimal: str) -> str:
    """Replace the decimal point with the map's decimal mark, and expand exponents."""
    return format(exact_number(number), "f").replace(".", decimal)


# --- typed cells ----------------------------------------------------------------------------------


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
        """Return whether a cell is a typed value. Raise ValueError if an edited cell is ambiguous."""
        if cell.type != self.type or cell == cell.was:
            return cell.type == self.type
        readings = [_parsed_or_none(parse, cell.strip()) for parse in (self.parse_typed, self.parse_string)]
        if None not in readings and readings[0] != readings[1]:
            raise ValueError(
                f"is ambiguous: {str(cell)!r} is {readings[0]} as a {cell.type} (the original cell was "
                f"the {cell.type} {cell.was!r}), but {readings[1]} in the map's format; write an unambiguous "
                "value, or correct the original file"
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
        write = partial(_localized_number, decimal=table.decimal or ".")
        return TypedValues(text, own, "number", write)
    if kind.startswith("datetime") and (table.date or table.zone):
        iso = TimeFormat("iso", table, kind == "datetime-utc")
        dated = text if table.date in (None, "iso") else partial(_dated, parse=text, date=table.date)
        return TypedValues(dated, iso, "time", None)
    return None


def _word_or(text: str, words: Parser, own: Parser) -> Any:
    value = _parsed_or_none(words, text)
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


def _parsed_or_none(parse: Parser, text: str) -> Any:
    try:
        return parse(text)
    except ValueError:
        return None
