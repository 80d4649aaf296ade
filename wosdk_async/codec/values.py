"""Conversion of dates, numbers and enum values to and from their wire form."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from wosdk_async.codec.text_values import time_in_zone

_parse = datetime.fromisoformat
_DIGITS = re.compile(r"-?[0-9]{1,19}")


def read_local(value: Any) -> Any:
    """Read a local time. The service sends no zone; any zone is dropped (not shown; assumed).

    The seventh fractional digit (facts 3.5) is lost, because Python stores microseconds.
    """
    try:
        moment = _parse(value)
    except (TypeError, ValueError):
        return value
    return moment if moment.tzinfo is None else moment.replace(tzinfo=None)


def read_zoned(value: Any) -> Any:
    """Read a local time given by the caller; keep any zone, so that the checks before a call refuse it."""
    try:
        return _parse(value)
    except (TypeError, ValueError):
        return value


def read_utc(value: Any) -> Any:
    """Read a UTC time, with or without its ``Z`` (facts 3.5); convert a time with an offset."""
    try:
        moment = _parse(value)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
        return datetime.combine(moment, moment.time(), UTC)  # four times as fast as replace()
    except (TypeError, ValueError, OverflowError):
        return value


def read_digits(value: Any) -> Any:
    """Convert a string of digits to an integer; return other values unchanged."""
    # spec 4.4: the service accepts both
    return int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else value


def read_number(value: Any) -> Any:
    """Read an exact number from a JSON number or a string."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return value
    text = value if isinstance(value, str) else repr(value)  # the float's shortest text is what was sent
    try:
        number = Decimal(text)
    except ArithmeticError:
        return value
    # Decimal also accepts digits of other scripts, underscores and NaN: such values are returned unchanged.
    return number if number.is_finite() and text.isascii() and "_" not in text else value


class EnumReader(dict[str, Any]):
    """Enum members by wire text; the enum is loaded when the first value is read."""

    def __init__(self, load: Callable[[], Any]) -> None:
        super().__init__()
        self._load = load
        self._enum: Any = None

    def __missing__(self, value: str) -> Any:
        return self.odd(value)

    def odd(self, value: Any) -> Any:
        """Read a value, even if no loaded member has its text; return None or an unreadable value as is."""
        if value is None or not isinstance(value, str | int) or isinstance(value, bool):
            return value
        # GIL: another thread may fill this dict at the same time; missing values are read by the enum.
        if self._enum is None:
            self._enum = self._load()
            self.update((str(member), member) for member in self._enum)
        return self._enum(value)


def write_text(value: Any, where: str) -> Any:
    """Write a text field; refuse bytes, because the service takes base64 text (facts 3.10)."""
    if isinstance(value, bytes | bytearray | memoryview):
        raise ValueError(f"{where} is {type(value).__name__}; send base64.b64encode(...).decode() or text.")
    return value


def write_number(value: Any, where: str) -> Any:
    """Write a decimal field; a float is written with the digits of its ``repr``."""
    if isinstance(value, float):
        value = Decimal(repr(float(value)))
    if isinstance(value, Decimal) and not value.is_finite():
        raise ValueError(f"{where} is {value}, which JSON does not support: send a finite number.")
    return value


def write_local(value: Any, where: str) -> Any:
    """Write a local time; refuse a zone, which the service would ignore."""
    if isinstance(value, datetime):
        if value.tzinfo is not None:
            raise ValueError(
                f"{where} is local time without a zone, but {value!r} has one;"
                " convert it to the time zone of the site and use .replace(tzinfo=None)."
            )
        return value.isoformat()
    return _not_a_date(value, where)


def write_utc(value: Any, where: str) -> Any:
    """Write a UTC time; refuse one without a zone, because the intended zone is unknown."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(
                f"{where} is UTC, but {value!r} has no zone;"
                " use .replace(tzinfo=datetime.UTC), or .astimezone() if it is this computer's time."
            )
        try:
            return time_in_zone(value, UTC, str(value)).replace(tzinfo=None).isoformat() + "Z"
        except ValueError as error:
            raise ValueError(f"{where} {error}.") from None
    return _not_a_date(value, where)


def _not_a_date(value: Any, where: str) -> Any:
    if isinstance(value, date):
        raise ValueError(f"{where} takes a datetime, but {value!r} has no time; use datetime.combine(...).")
    return value


def write_enum(value: Any) -> Any:
    """Write an enum field: a member, a string or a number."""
    return value._value_ if isinstance(value, Enum) else value


def show_number(value: Any, plain: Callable[[Any], Any]) -> Any:
    """Convert a decimal field's non-Decimal value to JSON; a float gets the digits of its ``repr``."""
    number = read_number(value) if isinstance(value, float) else value
    return number if isinstance(number, Decimal) else plain(number)


def show_utc(value: Any, plain: Callable[[Any], Any]) -> Any:
    """Convert a UTC field's value to JSON; convert a time in another zone to UTC."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        return plain(value)
    try:
        return value.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"
    except OverflowError:  # the same time in UTC is before the year 1 or after 9999
        return value.isoformat()
