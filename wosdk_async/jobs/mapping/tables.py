"""The tables of a map file, and the check that each has the keys and types it should."""

from __future__ import annotations

import json
import re
import warnings
import zoneinfo
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NewType, TypeVar, get_args, get_origin

import attrs
import cattrs
from attrs.validators import optional
from cattrs.gen import make_dict_structure_fn, override

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.regular_files import parse_toml
from wosdk_async.text.suggestions import suggestion

__all__ = ["Fields", "MapTables", "ReferenceTable", "TextTable", "checked_table", "read_tables"]

T = TypeVar("T")

Fields = NewType("Fields", dict[str, Any])
"""A table whose keys are fields of the model."""


@attrs.frozen
class MapTables:
    """A whole map file."""

    operation: str | None = None
    """The operation on each row, such as ``create Customer``; None runs WoCreateCommand."""
    command: Any = None
    """The fields of the command."""
    entity: Any = None
    """The fields of the record, where the operation is on an entity."""
    marker: str | None = None
    """The field that carries the key of each row."""
    key: str | None = None
    """The template of a key that no field carries, such as ``{number}``."""
    header_row: int | None = None
    """The line of the header."""
    fill_down: Any = None
    """Columns in which an empty cell has the value of the cell above."""
    skip_when: Any = None
    """Conditions that skip rows."""
    reference: Fields = attrs.field(factory=lambda: Fields({}))
    """A :class:`ReferenceTable` for each name."""


@attrs.frozen(kw_only=True)
class ReferenceTable:
    """One ``[reference.<name>]``."""

    entity: str
    by: str | None = None
    from_: str | None = None
    truncate: bool = False
    where: Fields = attrs.field(factory=lambda: Fields({}))
    if_missing: Literal["fail", "create"] = "fail"
    create: Fields | None = None
    ambiguous: Literal["fail", "first"] = "fail"

    def __attrs_post_init__(self) -> None:
        if (self.by is None) != (self.from_ is None):
            raise ValueError(
                "needs both by (the field to compare) and from (the text to look for), or neither"
            )
        if self.if_missing == "create" and self.by is None:
            raise ValueError("creates only records with names; add by and from")
        if self.ambiguous == "first" and self.by is None:
            raise ValueError("takes the first record anyway; delete ambiguous, which is for names")
        if self.if_missing == "fail" and self.create is not None:
            raise ValueError('never uses create; set if_missing = "create", or delete its table create')


def _check_date(_: object, __: object, date: object) -> None:
    """Raise ValueError unless ``date`` is a format that reads back what it writes."""
    if not isinstance(date, str):
        raise ValueError(
            f'takes one format such as "%d.%m.%Y" or "iso", not {date!r}; correct the cells in another one'
        )
    if date == "iso":
        return
    sample = datetime(2025, 12, 31, 16, 5, 6, tzinfo=UTC)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python 3.13 warns of a format without a year, which is refused
            read = datetime.strptime(sample.strftime(date), date)
    except (ValueError, re.error):
        raise ValueError(f'takes a date such as "%d.%m.%Y" or "iso", not {date!r}') from None
    if read.date() != sample.date():
        raise ValueError(f"takes a date with day, month and year (%d %m %Y), not {date!r}")
    if read.hour not in (0, sample.hour):
        raise ValueError(f"takes a date in which %I has %p beside it, or with %H instead, not {date!r}")


def _check_zone(_: object, __: object, zone: str) -> None:
    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        hint = suggestion(zone, zoneinfo.available_timezones()) or "; name one such as Europe/Berlin"
        raise ValueError(
            f"takes a zone of the IANA database, not {zone!r}{hint} (a system without zones needs the "
            "Python package tzdata)"
        ) from None


def _check_marks(table: TextTable, _: object, mark: str) -> None:
    if len(mark) != 1 or mark.isalnum() or mark in '+-"':
        raise ValueError(f'takes one mark such as "," or "." for decimal and thousands, not {mark!r}')
    if table.decimal == table.thousands:
        raise ValueError(f"takes two marks for decimal and thousands, not twice {mark!r}")


def _check_units(_: object, __: object, units: object) -> None:
    if not isinstance(units, list) or not all(isinstance(each, str) and is_unit(each) for each in units):
        raise ValueError(
            "takes signs and units without digits, and without signs and marks of numbers, as in "
            f'["€", "EUR", "kg"], not {units!r}'
        )


def is_unit(text: str) -> bool:
    """Return whether ``strip`` can remove a text: it has no digit, and no sign or mark of a number."""
    return _UNIT.fullmatch(text) is not None


_UNIT = re.compile(r"(?=.*\S)[^0-9+\-\u2010-\u2015\u2212.,()]+", re.DOTALL)


@attrs.frozen(kw_only=True)
class TextTable:
    """A text with options: ``{ text = "{column}", truncate = true }``."""

    text: str
    truncate: bool = False
    empty: Literal["skip", "clear"] = "skip"
    """What empty cells do: nothing is sent, or an empty text."""
    values: Fields | None = None
    """What each word of the file means; cells with another one fail their rows."""
    date: Any = attrs.field(default=None, validator=optional(_check_date))
    """How times are written: a format of strptime, or ``iso``."""
    zone: str | None = attrs.field(default=None, validator=optional(_check_zone))
    fold: Literal["first", "second"] | None = None
    """Which of the two times is meant when clocks show an hour twice."""
    decimal: str | None = attrs.field(default=None, validator=optional(_check_marks))
    thousands: str | None = attrs.field(default=None, validator=optional(_check_marks))
    strip: Any = attrs.field(default=None, validator=optional(_check_units))
    """Currency signs and units allowed before or after a number, such as ``["€", "EUR"]``."""


_MAX_BYTES = 1 << 20  # bytes of a map


def read_tables(path: Path) -> MapTables:
    """Return the tables of a map file. Raise ImportMapError when it is not TOML or not a map."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise ImportMapError(f"is longer than {_MAX_BYTES:,} bytes, so it is not a map; name a TOML file")
        content = parse_toml(data.decode("utf-8-sig"))
    except OSError as error:
        raise ImportMapError(f"{error.strerror or error}; name a map as in docs/import.md") from None
    except UnicodeDecodeError as error:
        raise ImportMapError(
            f"the byte at offset {error.start} is not UTF-8; save the file as UTF-8"
        ) from None
    except ValueError as error:  # a TOMLDecodeError, or a number of thousands of digits
        raise ImportMapError(f"this is not TOML: {error}") from None
    return checked_table(MapTables, content, "")


def checked_table(kind: type[T], table: object, place: str) -> T:
    """Return a table as a ``kind``. Raise ImportMapError that names the key, its value and the remedy."""
    if not isinstance(table, Mapping):
        raise ImportMapError(f"{place} takes a table, not {table!r}")
    try:
        return _CONVERTER.structure(table, kind)
    except cattrs.BaseValidationError as error:
        raise ImportMapError("; ".join(_messages(error, place))) from None


def _messages(error: cattrs.BaseValidationError, place: str) -> Iterator[str]:
    """Yield the messages, each after its key; cattrs writes the key behind."""
    for text in cattrs.transform_error(error, place, _message):
        message, _, key = text.rpartition(" @ ")
        yield f"{key.removeprefix('.').replace('.from_', '.from') or 'the map'} {message}"


_EXAMPLES = {
    "entity": 'entity = "Customer"',
    "text": 'text = "{column}"',
}


def _message(error: BaseException, _: type | None) -> str:
    """Return the message of a cattrs error, to append to its key."""
    if isinstance(error, cattrs.ForbiddenExtraKeysError):
        keys = [field.name.strip("_") for field in attrs.fields(error.cl)]
        name = min(error.extra_fields)
        return f"does not take {name!r}{suggestion(name, keys) or '.'} Its keys are {', '.join(keys)}"
    if isinstance(error, KeyError):
        return f"is missing; write {_EXAMPLES[error.args[0]]}"
    return str(error)


def _only(accepts: Callable[[object], bool], wanted: str) -> Callable[[Any, Any], Any]:
    """Return a cattrs hook that passes accepted values through and refuses others."""

    def hook(value: Any, _: Any) -> Any:
        if not accepts(value):
            raise ValueError(f"{wanted}, not {value!r}")
        return value

    return hook


def _has_words(kind: Any) -> bool:
    origin: Any = get_origin(kind)
    return origin is Literal


def _one_of(value: object, kind: Any) -> object:
    words = get_args(kind)
    if value not in words:
        raise ValueError(f"is {' or '.join(map(json.dumps, words))}, not {value!r}")
    return value


def _converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True)
    hooks = {
        str: _only(lambda value: isinstance(value, str), "takes a text"),
        int: _only(lambda value: type(value) is int, "takes a whole number"),
        bool: _only(lambda value: isinstance(value, bool), "takes true or false"),
        Fields: _only(lambda value: isinstance(value, Mapping), "takes a table"),
    }
    for kind, hook in hooks.items():
        converter.register_structure_hook(kind, hook)
    converter.register_structure_hook_func(_has_words, _one_of)
    converter.register_structure_hook(
        ReferenceTable,
        make_dict_structure_fn(ReferenceTable, converter, from_=override(rename="from")),
    )
    return converter


_CONVERTER = _converter()
