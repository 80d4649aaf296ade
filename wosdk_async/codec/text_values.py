"""Parsing of file cells and command-line values into the types of fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from decimal import Decimal, InvalidOperation
from typing import Any

from wosdk_async.model import registry
from wosdk_async.model.metadata import Wire
from wosdk_async.text.safe_text import shortened
from wosdk_async.text.suggestions import suggestion

MAX_NUMBER = 1000
"""Maximum length of a number, in characters."""
# Maximum digits before the decimal point, and after it. spec 2.1 sets no bound; a .NET decimal has 29 digits.
_MAX_DIGITS = 100
_SHOWN = 100  # maximum characters of a value in a message

_BOOLEANS = {"true": True, "false": False}
_LENIENT_BOOLEANS = _BOOLEANS | {"yes": True, "1": True, "no": False, "0": False}
_INTEGER = re.compile(r"[+-]?[0-9]+")


def parse_value(text: str, meta: Wire, *, lenient: bool = False) -> Any:
    """Parse ``text`` into the type of a field.

    Args:
        text: the original text.
        meta: the field's metadata.
        lenient: accept what people write in spreadsheets: whitespace around the value, booleans as yes, no,
            1 or 0, enum members in any case, UTC times without a zone.

    Raises:
        ValueError: the text does not match the field's type. The message continues a sentence that begins
            with the field's name: ``takes a whole number, not 'x'``.
    """
    parse = _PARSERS.get(meta["type"])
    if parse is None:
        return text
    return parse(text.strip() if lenient else text, meta, lenient)


def shown_value(text: str) -> str:
    """Quote and shorten a text for a message."""
    return repr(shortened(text, _SHOWN))


def exact_number(text: str) -> Decimal:
    """Return the number in ``text``.

    Raises:
        ValueError: the text is not a finite number, or has more than 100 digits before or after the decimal
            point. For the form of the message, see :func:`parse_value`.
    """
    number = Decimal("NaN")
    if text.isascii() and "_" not in text and len(text) <= MAX_NUMBER:
        with suppress(InvalidOperation):
            number = Decimal(text)
    if not number.is_finite():
        raise ValueError(f"takes a number such as 12.50, not {shown_value(text)}")
    if number.adjusted() >= _MAX_DIGITS or number.as_tuple().exponent < -_MAX_DIGITS:  # type: ignore[operator]
        raise ValueError(
            f"takes a number with at most {_MAX_DIGITS} digits on each side of the decimal point, not"
            f" {shown_value(text)}; correct it"
        )
    return number


def time_in_zone(time: datetime, zone: tzinfo, text: str) -> datetime:
    """Convert ``time``, parsed from ``text`` with a zone, to another zone.

    Raises:
        ValueError: the converted year is out of range.
    """
    try:
        return time.astimezone(zone)
    except OverflowError:
        raise ValueError(
            f"takes a time in the years 1 to 9999, not {shown_value(text)}; correct it"
        ) from None


def _integer(text: str, _: Wire, __: bool) -> int:
    if len(text) <= MAX_NUMBER and _INTEGER.fullmatch(text):
        number = int(text)
        if -(1 << 63) <= number < 1 << 63:
            return number
        raise ValueError(f"takes a whole number of at most 64 bits, not {shown_value(text)}; correct it")
    raise ValueError(f"takes a whole number, not {shown_value(text)}")


def _boolean(text: str, _: Wire, lenient: bool) -> bool:
    value = (_LENIENT_BOOLEANS if lenient else _BOOLEANS).get(text.lower())
    if value is None:
        raise ValueError(f"takes true or false, not {shown_value(text)}")
    return value


def _enum(text: str, meta: Wire, lenient: bool) -> Any:
    # Refuse unknown names, although enums may have other members (facts 9): the service turns a name that it
    # does not know into the default (facts 3.3).
    members = {member.name: member for member in registry.resolve(meta["of"])}
    for name, member in members.items():
        if name == text or (lenient and name.casefold() == text.casefold()):
            return member
    hint = suggestion(text, members) or f"; use one of {', '.join(members)}"
    raise ValueError(f"has no value {shown_value(text)}{hint}")


def _time(text: str, zone: str = "") -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"takes a time such as 2026-03-01T08:00{zone}, not {shown_value(text)}") from None


def _local_time(text: str, _: Wire, __: bool) -> datetime:
    time = _time(text)
    if time.tzinfo is not None:
        raise ValueError(f"is the site's local time; remove the zone from {shown_value(text)}")
    return time


def _utc_time(text: str, _: Wire, lenient: bool) -> datetime:
    time = _time(text, "Z")
    if time.tzinfo is not None:
        return time_in_zone(time, UTC, text)
    if not lenient:
        raise ValueError(f"is UTC; add Z or an offset such as +02:00 to {shown_value(text)}")
    return time.replace(tzinfo=UTC)


_PARSERS: dict[str, Callable[[str, Wire, bool], Any]] = {
    "integer": _integer,
    "number": lambda text, _, __: exact_number(text),
    "boolean": _boolean,
    "enum": _enum,
    "datetime-local": _local_time,
    "datetime-utc": _utc_time,
}
