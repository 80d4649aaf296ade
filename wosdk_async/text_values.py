"""Texts as values of a field's type: cells of a file, and values typed on a command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from wosdk_async.model import registry
from wosdk_async.model.metadata import Wire
from wosdk_async.suggestions import suggestion

__all__ = ["parse_value"]

_BOOLEANS = {"true": True, "false": False}
_LENIENT_BOOLEANS = _BOOLEANS | {"yes": True, "1": True, "no": False, "0": False}
_INTEGER = re.compile(r"[+-]?[0-9]+")


def parse_value(text: str, meta: Wire, *, lenient: bool = False) -> Any:
    """Return the value that ``text`` stands for in a field.

    Args:
        text: the text as it was given.
        meta: what the catalogue says of the field.
        lenient: accept what people write in spreadsheets: blanks around the value, yes and no, enum
            members in any letter case, UTC times without a zone.

    Raises:
        ValueError: the text is not of the field's type. The message continues a sentence that begins with
            the name of the field: ``takes a whole number, not 'x'``.
    """
    parse = _PARSERS.get(meta["type"])
    if parse is None:
        return text
    return parse(text.strip() if lenient else text, meta, lenient)


def _integer(text: str, _: Wire, __: bool) -> int:
    try:
        if _INTEGER.fullmatch(text):
            return int(text)
    except ValueError:  # Python reads no number of thousands of digits
        pass
    raise ValueError(f"takes a whole number, not {text!r}")


def _number(text: str, _: Wire, __: bool) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if number.is_finite() and text.isascii() and "_" not in text:
        return number
    raise ValueError(f"takes a number such as 12.50, not {text!r}")


def _boolean(text: str, _: Wire, lenient: bool) -> bool:
    value = (_LENIENT_BOOLEANS if lenient else _BOOLEANS).get(text.lower())
    if value is None:
        raise ValueError(f"takes true or false, not {text!r}")
    return value


def _enum(text: str, meta: Wire, lenient: bool) -> Any:
    # The lists are open (facts 9), but the service reads an unknown name as the default (facts 3.3).
    members = {member.name: member for member in registry.resolve(meta["of"])}
    for name, member in members.items():
        if name == text or (lenient and name.casefold() == text.casefold()):
            return member
    hint = suggestion(text, members) or f"; it takes one of {', '.join(members)}"
    raise ValueError(f"does not know {text!r}{hint}")


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"takes a time such as 2026-03-01T08:00, not {text!r}") from None


def _local_time(text: str, _: Wire, __: bool) -> datetime:
    time = _time(text)
    if time.tzinfo is not None:
        raise ValueError(f"is local time of the site; leave the zone of {text!r} out")
    return time


def _utc_time(text: str, _: Wire, lenient: bool) -> datetime:
    time = _time(text)
    if time.tzinfo is not None:
        return time.astimezone(UTC)
    if not lenient:
        raise ValueError(f"is UTC; add Z to {text!r}, or its offset such as +02:00")
    return time.replace(tzinfo=UTC)


_PARSERS: dict[str, Callable[[str, Wire, bool], Any]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "enum": _enum,
    "datetime-local": _local_time,
    "datetime-utc": _utc_time,
}
