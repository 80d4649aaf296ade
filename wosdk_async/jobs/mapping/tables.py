"""Tables of a map file, and checks of their keys and types."""

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
from wosdk_async.model import Record
from wosdk_async.model.metadata import Wire
from wosdk_async.regular_files import parse_toml
from wosdk_async.text.suggestions import suggestion

T = TypeVar("T")

_MAX_BYTES = 1 << 20  # of a map file
_MAX_DATE = 100  # characters of a time format, because strptime takes quadratic time

KINDS = {
    "boolean": "true or false",
    "datetime-local": "a time",
    "datetime-utc": "a time",
    "enum": "an enum",
    "integer": "a whole number",
    "money": "an amount",
    "number": "a number",
    "object": "an object",
    "ref": "a record",
}
"""Catalogue types, for messages."""

Fields = NewType("Fields", dict[str, Any])
"""TOML table with arbitrary keys, such as field names."""


@attrs.frozen
class MapTables:
    """Top level of a map file."""

    operation: str | None = None
    """Operation on each row, such as ``create Customer``; None runs ``WoCreateCommand``."""
    command: Any = None
    """Fields of the command."""
    entity: Any = None
    """Fields of the record, for an operation on an entity."""
    marker: str | None = None
    """Field that carries each row's key."""
    key: str | None = None
    """Template of the row key if no marker field carries the key, such as ``{number}``."""
    header_row: int | None = None
    """Line number of the header."""
    fill_down: Any = None
    """Columns in which empty cells repeat the value above."""
    skip_when: Any = None
    """Conditions for skipping rows."""
    reference: Fields = attrs.field(factory=lambda: Fields({}))
    """Reference tables by name, in the form of :class:`ReferenceTable`."""


@attrs.frozen(kw_only=True)
class ReferenceTable:
    """``[reference.<name>]`` table."""

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
                "needs both 'by' (the field to compare) and 'from' (the name to look up), or neither"
            )
        if self.if_missing == "create" and self.by is None:
            raise ValueError("can only create records that have a name; add 'by' and 'from'")
        if self.ambiguous == "first" and self.by is None:
            raise ValueError("always takes the first record, because it has no 'by'; remove 'ambiguous'")
        if self.if_missing == "fail" and self.create is not None:
            raise ValueError("never uses 'create'; set if_missing to 'create', or remove the create table")


def _check_date(_: object, __: object, date: object) -> None:
    """Raise ValueError unless the ``date`` format round-trips."""
    if not isinstance(date, str):
        raise ValueError(
            f'takes a single format such as "%d.%m.%Y" or "iso", not {date!r}; correct cells in other formats'
        )
    if date == "iso":
        return
    if len(date) > _MAX_DATE:
        raise ValueError(f"takes a format of at most {_MAX_DATE} characters, not {len(date):,}")
    sample = datetime(2025, 12, 31, 16, 5, 6, tzinfo=UTC)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python 3.13 warns about formats without a year
            read = datetime.strptime(sample.strftime(date), date)
    except (ValueError, re.error):
        raise ValueError(f'takes a format such as "%d.%m.%Y" or "iso", not {date!r}') from None
    if read.date() != sample.date():
        raise ValueError(f"takes a format with day, month and year (%d %m %Y), not {date!r}")
    if read.hour not in (0, sample.hour):
        raise ValueError(f"takes a format with %p if it has %I, not {date!r}; add %p, or use %H")


def _check_zone(_: object, __: object, zone: str) -> None:
    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        hint = suggestion(zone, zoneinfo.available_timezones()) or "; use a name such as Europe/Berlin"
        raise ValueError(
            f"takes an IANA time zone, not {zone!r}{hint} (if your system has no zone database, install the "
            "Python package tzdata)"
        ) from None


def _check_marks(table: TextTable, _: object, mark: str) -> None:
    if len(mark) != 1 or mark.isalnum() or mark in '+-"':
        raise ValueError(f'takes a single character such as "," or ".", not {mark!r}')
    if table.decimal == table.thousands:
        raise ValueError(f"takes different marks for decimal and thousands, not {mark!r} for both")


def _check_units(_: object, __: object, units: object) -> None:
    if not isinstance(units, list) or not all(isinstance(each, str) and is_unit(each) for each in units):
        raise ValueError(
            f'takes currency signs and units, as in ["€", "EUR", "kg"], not {units!r}; they cannot contain '
            "digits, points, commas, parentheses, plus signs or minus signs"
        )


def is_unit(text: str) -> bool:
    """Return whether a text has no digits, plus or minus signs, points, commas or parentheses."""
    return _UNIT.fullmatch(text) is not None


_UNIT = re.compile(r"(?=.*\S)[^0-9+\-\u2010-\u2015\u2212.,()]+", re.DOTALL)


@attrs.frozen(kw_only=True)
class TextTable:
    """Template with options: ``{ text = "{column}", truncate = true }``."""

    text: str
    truncate: bool = False
    empty: Literal["skip", "clear"] = "skip"
    """Whether empty cells omit the field or clear it."""
    values: Fields | None = None
    """Meaning of each word in the column; rows with other words fail."""
    date: Any = attrs.field(default=None, validator=optional(_check_date))
    """Time format: a strptime format, or ``iso``."""
    zone: str | None = attrs.field(default=None, validator=optional(_check_zone))
    fold: Literal["first", "second"] | None = None
    """Which time to choose when an hour occurs twice because clocks are set back."""
    decimal: str | None = attrs.field(default=None, validator=optional(_check_marks))
    thousands: str | None = attrs.field(default=None, validator=optional(_check_marks))
    strip: Any = attrs.field(default=None, validator=optional(_check_units))
    """Currency signs and units allowed before or after a number, such as ``["€", "EUR"]``."""


def read_tables(path: Path) -> MapTables:
    """Read a map file's tables. Raise ImportMapError if the file is not a TOML map."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise ImportMapError(f"{error.strerror or error}; name a map file (see docs/import.md)") from None
    if len(data) > _MAX_BYTES:
        raise ImportMapError(f"the file has more than {_MAX_BYTES:,} bytes; name a map file")
    try:
        content = parse_toml(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ImportMapError(
            f"the byte at offset {error.start} is not UTF-8; save the file as UTF-8"
        ) from None
    except ValueError as error:  # a TOMLDecodeError, or an integer with thousands of digits
        raise ImportMapError(f"not valid TOML: {error}") from None
    return checked_table(MapTables, content, "")


def field_spelled(kind: type[Record], key: str, path: str) -> tuple[str, Wire]:
    """Return the Python name and metadata of a field, found by its Python or wire name.

    Raise ImportMapError if there is no such field.
    """
    wires = {meta["name"].casefold(): name for name, meta in kind.__wire__.items()}
    name = key if key in kind.__wire__ else wires.get(key.casefold())
    if name is None:
        hint = suggestion(key, kind.__wire__) or f"; its fields are {', '.join(kind.__wire__)}"
        raise ImportMapError(f"{path}: {kind.__name__} has no field {key!r}{hint}")
    return name, kind.__wire__[name]


def checked_table(kind: type[T], table: object, place: str) -> T:
    """Convert a TOML table to ``kind``. Raise ImportMapError, naming the key, if the table is invalid."""
    if not isinstance(table, Mapping):
        raise ImportMapError(f"{place} takes a table, not {table!r}")
    try:
        return _CONVERTER.structure(table, kind)
    except cattrs.BaseValidationError as error:
        raise ImportMapError("; ".join(_messages(error, place))) from None


def _messages(error: cattrs.BaseValidationError, place: str) -> Iterator[str]:
    """Yield the messages with their keys moved to the front."""
    for text in cattrs.transform_error(error, place, _message):
        message, _, key = text.rpartition(" @ ")
        yield f"{key.removeprefix('.').replace('.from_', '.from') or 'the map'} {message}"


_EXAMPLES = {"entity": 'entity = "Customer"', "text": 'text = "{column}"'}


def _message(error: BaseException, _: type | None) -> str:
    """Format a cattrs error as a message to append to its key."""
    if isinstance(error, cattrs.ForbiddenExtraKeysError):
        keys = [field.name.strip("_") for field in attrs.fields(error.cl)]
        name = min(error.extra_fields)
        fields = "; write fields in [command], or, for an operation on an entity, in [entity]."
        hint = suggestion(name, keys) or (fields if error.cl is MapTables else ".")
        return f"has an unknown key {name!r}{hint} Its keys are {', '.join(keys)}"
    if isinstance(error, KeyError):
        return f"is missing; add {_EXAMPLES[error.args[0]]}"
    return str(error)


def _type_hook(accepts: Callable[[object], bool], wanted: str) -> Callable[[Any, Any], Any]:
    def hook(value: Any, _: Any) -> Any:
        if not accepts(value):
            raise ValueError(f"{wanted}, not {value!r}")
        return value

    return hook


def _is_literal(kind: Any) -> bool:
    origin: Any = get_origin(kind)
    return origin is Literal


def _one_of(value: object, kind: Any) -> object:
    words = get_args(kind)
    if value not in words:
        raise ValueError(f"takes {' or '.join(map(json.dumps, words))}, not {value!r}")
    return value


_CONVERTER = cattrs.Converter(forbid_extra_keys=True)
for _kind, _hook in {
    str: _type_hook(lambda value: isinstance(value, str), "takes a string"),
    int: _type_hook(lambda value: type(value) is int, "takes a whole number"),
    bool: _type_hook(lambda value: isinstance(value, bool), "takes true or false"),
    Fields: _type_hook(lambda value: isinstance(value, Mapping), "takes a table"),
}.items():
    _CONVERTER.register_structure_hook(_kind, _hook)
_CONVERTER.register_structure_hook_func(_is_literal, _one_of)
_CONVERTER.register_structure_hook(
    ReferenceTable, make_dict_structure_fn(ReferenceTable, _CONVERTER, from_=override(rename="from"))
)
