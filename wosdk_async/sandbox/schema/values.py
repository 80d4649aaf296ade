"""Stored forms of field values, and time zone conversion.

Times are stored as ISO 8601 text without a zone, with seven fraction digits or no fraction. Equal times
have equal texts, and texts sort chronologically, so that the store can compare times as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, Final
from zoneinfo import ZoneInfo

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.schema.bodies import get_ignore_case
from wosdk_async.sandbox.schema.entities import MONEY_PARTS, enumeration

UNREADABLE: Final = object()  # marks an invalid value, which leaves the member unchanged (facts 3.3)
_DECIMAL = re.compile(r"-?\d{1,15}(\.\d{1,12})?", re.ASCII)

# facts 3.5: a work order's TimeZone is a number; 4, 20 and 35 fit the Windows list of time zones.
# Not shown; assumed: the service also uses the other numbers of this list.
_ZONES = {
    2: "Pacific/Honolulu",
    3: "America/Anchorage",
    4: "America/Los_Angeles",
    10: "America/Denver",
    15: "America/Phoenix",
    20: "America/Chicago",
    35: "America/New_York",
    50: "America/Halifax",
    85: "Europe/London",
    110: "Europe/Berlin",
}

_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|[+-]\d\d:?\d\d)?",
    re.ASCII,
)
_TICKS = 10_000_000  # per second: a tick is 100 ns, the seventh fraction digit


def read_value(field: Field, value: object) -> Any:
    """Convert a value to its stored form; return `UNREADABLE` if invalid. Refuse strings over the limit."""
    reader = _READERS.get(field.type)
    return reader(field, value) if reader else UNREADABLE


def reference_id(value: object) -> int | None:
    """Return a reference's ``Id``; None if it is missing or invalid. Not shown; assumed: 0 is not an id."""
    found = read_integer(get_ignore_case(value, "Id")) if isinstance(value, dict) else None
    return found if isinstance(found, int) and found != 0 else None


def read_integer(value: object) -> Any:
    """Convert an integer or its text (spec 4.4 sends CustomerId as text); return `UNREADABLE` if invalid."""
    if isinstance(value, str):
        text = value.strip()
        if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20):
            return UNREADABLE
        value = int(text)
    if isinstance(value, bool) or not isinstance(value, int):
        return UNREADABLE
    return value if -(2**63) <= value < 2**63 else UNREADABLE


def read_ids(value: object) -> list[int]:
    """Return a list's integers, dropping other elements."""
    parsed = [read_integer(each) for each in value] if isinstance(value, list) else []
    return [each for each in parsed if each is not UNREADABLE]


def _string(field: Field, value: object) -> object:
    if not isinstance(value, str):
        return UNREADABLE
    # Not shown; assumed: limits from the vendor's pages are enforced, third-party ones are not.
    limit = field.max_length if field.max_length_source == "doc" else None
    if limit is not None and len(value) > limit:
        raise broken_rule(f"{field.name} is longer than {limit} characters.")
    return value


def _number(_field: Field, value: object) -> object:
    """Convert a number. Not shown; assumed: it may be sent as text, as integers may."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value.strip()):
        return Decimal(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return UNREADABLE
    return value


def _boolean(_field: Field, value: object) -> object:
    """Convert a boolean. Not shown; assumed: it may be sent as text."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower(), UNREADABLE)
    return value if isinstance(value, bool) else UNREADABLE


def _enum(field: Field, value: object) -> object:
    name = enumeration(field.of or "").name_of(value)
    return UNREADABLE if name is None else name


def _time(field: Field, value: object) -> object:
    text = _parse_time(value, utc=field.type == "datetime-utc") if isinstance(value, str) else None
    return UNREADABLE if text is None else text


def _money(_field: Field, value: object) -> object:
    if not isinstance(value, dict):
        return UNREADABLE
    return changed_money({"CurrencyTypeId": "Unknown", "Value": 0}, value)


def changed_money(before: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """Return the amount ``before``, updated with the valid members of ``value`` (spec 2.1, facts 3.3)."""
    sent = {part.name: read_value(part, get_ignore_case(value, part.name)) for part in MONEY_PARTS.values()}
    return before | {name: part for name, part in sent.items() if part is not UNREADABLE}


def _reference(field: Field, value: object) -> object:
    key = reference_id(value)
    if key is None:
        return UNREADABLE
    if field.of == "Actor" and isinstance(value, dict):
        kind = enumeration("ActorType").name_of(get_ignore_case(value, "TypeId"))
        return {"Id": key, "TypeId": kind or "Unknown"}  # facts 3.4: actors also show TypeId
    return {"Id": key}


_READERS: dict[str, Callable[[Field, object], object]] = {
    "string": _string,
    "integer": lambda _field, value: read_integer(value),
    "number": _number,
    "boolean": _boolean,
    "enum": _enum,
    "datetime-local": _time,
    "datetime-utc": _time,
    "money": _money,
    "ref": _reference,
    "object": lambda _field, value: value,
}


@cache
def zone_of(number: int) -> tzinfo:
    """Return the zone of a ``TimeZone`` number. Not shown; assumed: UTC if unknown."""
    name = _ZONES.get(number)
    return ZoneInfo(name) if name else UTC


@attrs.frozen
class Moment:
    """Instant in ticks of 100 ns since 1970. A call uses the same instant for all times that it writes."""

    ticks: int

    @classmethod
    def at(cls, nanoseconds: int, step: int = 1) -> Moment:
        """Return the moment ``nanoseconds`` after 1970, rounded down to a multiple of ``step`` ticks."""
        ticks = nanoseconds // 100
        return cls(ticks - ticks % step)

    @property
    def utc(self) -> str:
        """The moment as UTC text."""
        return self.local(UTC)

    def local(self, zone: tzinfo) -> str:
        """Return the moment as local text in a zone."""
        seconds, fraction = divmod(self.ticks, _TICKS)
        whole = _local_second(seconds, zone)
        return f"{whole}.{fraction:07d}" if fraction else whole

    def later(self, minutes: int) -> Moment:
        """Return the minute ``minutes`` later (facts 3.5: no fraction). Not shown; assumed: no seconds."""
        total = self.ticks // _TICKS // 60 + minutes
        return Moment(total * 60 * _TICKS)


@lru_cache(maxsize=64)
def _local_second(seconds: int, zone: tzinfo) -> str:
    # Cached, because writes in the same second need the same few texts.
    return _format_time(datetime.fromtimestamp(seconds, zone), 0)


def _parse_time(text: str, *, utc: bool) -> str | None:
    """Convert a time from a request; None if invalid. Not shown; assumed: offsets only affect UTC fields."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    day, clock, second, fraction, offset = match.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock or '00:00'}:{second or '00'}")
        if utc and offset and offset != "Z":
            ahead = timedelta(hours=int(offset[1:3]), minutes=int(offset[-2:]))
            moment += ahead if offset[0] == "-" else -ahead
    except (ValueError, OverflowError):
        return None
    return _format_time(moment, int((fraction or "0")[:7].ljust(7, "0")))


def is_time(text: str) -> bool:
    """Return whether text is a valid time in a request body."""
    return _parse_time(text, utc=False) is not None


def convert_time(text: str, source: tzinfo, target: tzinfo) -> str | None:
    """Convert a stored time between zones; return None if the year is out of range."""
    try:
        moment = datetime.fromisoformat(text[:19]).replace(tzinfo=source).astimezone(target)
    except OverflowError:
        return None
    return moment.replace(tzinfo=None).isoformat() + text[19:]


def _format_time(moment: datetime, ticks: int) -> str:
    whole = moment.replace(tzinfo=None, microsecond=0).isoformat()
    return f"{whole}.{ticks:07d}" if ticks else whole
