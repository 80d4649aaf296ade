"""Values of custom fields: what a program has, and the text that the service keeps.

The service keeps every value as text and no source shows how it writes the types, so all forms but those of
texts are assumed: ISO 8601 for dates and times, ``true`` and ``false``, plain digits.
"""
# spec 2.3

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any

from wosdk_async.errors import InvalidCallError

__all__ = ["FieldValue", "read_value", "write_value"]

FieldValue = str | int | Decimal | bool | date | time
"""What a custom field holds, by the type of its descriptor; money is a Decimal."""

_TRUTH = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_value(kind: str, text: str) -> FieldValue:
    """The value that ``text`` means for a descriptor of this CfType; ``text`` itself when it means none."""
    try:
        return _READERS[kind](text.strip()) if kind in _READERS else text
    except (ValueError, KeyError, InvalidOperation):  # a reader that is strict would hide the other fields
        return text


def write_value(label: str, kind: str, value: object) -> str:
    """The text of ``value`` for a descriptor of this CfType. Raises InvalidCallError with the remedy."""
    accepts, remedy = _ACCEPTS.get(kind, (_is_text, "text, send str(...)"))
    if not accepts(value):
        raise InvalidCallError(f"custom field {label!r} is {value!r}; a field of type {kind} takes {remedy}")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date | time):
        return value.isoformat()
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_whole(value) or (isinstance(value, Decimal) and value.is_finite())


def _is_date(value: object) -> bool:
    return isinstance(value, date) and not isinstance(value, datetime)


def _is_time(value: object) -> bool:
    return isinstance(value, time) and value.tzinfo is None


def _date(text: str) -> date:
    return datetime.fromisoformat(text).date()


_NUMBER = "a number, send Decimal('1.50')"
_ACCEPTS: dict[str, tuple[Callable[[object], bool], str]] = {
    "Integer": (_is_whole, "a whole number, send int(...)"),
    "Decimal": (_is_number, _NUMBER),
    "Money": (_is_number, _NUMBER),
    "Date": (_is_date, "a date, send datetime.date(2024, 5, 14)"),
    "Time": (_is_time, "a time without a zone, send datetime.time(8, 30)"),
    "Boolean": (lambda value: isinstance(value, bool), "True or False"),
}
_READERS: dict[str, Callable[[str], Any]] = {
    "Integer": int,
    "Decimal": Decimal,
    "Money": Decimal,
    "Date": _date,
    "Time": time.fromisoformat,
    "Boolean": lambda text: _TRUTH[text.lower()],
}
"""CfType -> how its text is read; texts of other types are given as they are."""
