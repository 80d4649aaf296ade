"""Checks of single values before they are sent, one for each type of the catalogue.

A check returns None, or what is wrong with the value and what to send instead.
"""

from __future__ import annotations

import reprlib
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

from wosdk_async.model import registry
from wosdk_async.model.base import OpenEnum, Record, Ref
from wosdk_async.model.metadata import Wire
from wosdk_async.suggestions import suggestion

__all__ = [
    "Finding",
    "Severity",
    "check_boolean",
    "check_enum",
    "check_integer",
    "check_local",
    "check_number",
    "check_object",
    "check_text",
    "check_utc",
    "kind_of",
    "named_by",
]

Severity = Literal["error", "warning"]
Finding = tuple[str, Severity]

_NAMES = ("number", "name", "username", "display_as")
_INT32, _INT64 = 2**31, 2**63
_DIGITS = 20  # of such a number at most, with its sign


def kind_of(value: Any) -> str:
    """Return the type of a value with its article: ``an int``."""
    name = "None" if value is None else type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIO' else 'a'} {name}"


def check_text(value: Any, meta: Wire) -> Finding | None:
    """Check a text: its type and its length."""
    if not isinstance(value, str):
        remedy = "base64.b64encode(...).decode()" if isinstance(value, bytes | bytearray) else "str(...)"
        return f"is {kind_of(value)}; it takes text, send {remedy}.", "error"
    limit = meta.get("max_length")
    if limit is None or len(value) <= limit:
        return None
    if meta["max_length_source"] == "doc":
        return f"has {len(value)} characters; the service takes {limit}, shorten it.", "error"
    return (
        f"has {len(value)} characters; a third-party client states a limit of {limit}, so it may be cut.",
        "warning",
    )


def check_integer(value: Any, _: Wire) -> Finding | None:
    """Check a whole number, or the text of one."""
    # spec 4.4: the service takes an integer as text as well
    digits = isinstance(value, str) and value.isascii() and value.removeprefix("-").isdecimal()
    if not digits and (isinstance(value, bool) or not isinstance(value, int)):
        return _not_an_integer(value), "error"
    number = int(value) if isinstance(value, int) or len(value) <= _DIGITS else _INT64  # int() has a limit
    if not -_INT64 <= number < _INT64:
        return (
            f"is {reprlib.repr(value)}; it takes a whole number of at most 64 bits, send a smaller one.",
            "error",
        )
    if not -_INT32 <= number < _INT32:  # not shown; assumed: the vendor's schema says int, of 32 bits there
        return f"is {value}; the service's whole numbers have 32 bits, so it may be refused.", "warning"
    return None


def _not_an_integer(value: Any) -> str:
    if isinstance(value, Record | type(Ref(0))):
        id = getattr(value, "id", None)
        return f"is {kind_of(value)}; it takes a whole number, send its id{'' if id is None else f', {id}'}."
    if isinstance(value, bool | float | Decimal):
        return f"is {kind_of(value)}; it takes a whole number, send int(...)."
    shown = f"{reprlib.repr(value)}, a text" if isinstance(value, str) else kind_of(value)
    return f"is {shown}; it takes a whole number."


def check_number(value: Any, _: Wire) -> Finding | None:
    """Check a number: finite, and not a bool."""
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        return f"is {kind_of(value)}; it takes a number, send Decimal(...).", "error"
    if not Decimal(value).is_finite():
        return f"is {value}; JSON has no such number, send a finite one.", "error"
    return None


def check_boolean(value: Any, _: Wire) -> Finding | None:
    """Check a bool."""
    return None if isinstance(value, bool) else (f"is {kind_of(value)}; it takes True or False.", "error")


def check_enum(value: Any, meta: Wire) -> Finding | None:
    """Check an enum value: a documented name or number (facts 9), or a member for any other value."""
    name = meta["of"]
    if isinstance(value, OpenEnum) and type(value).__name__ == name:
        return None
    plain = isinstance(value, str | int) and not isinstance(value, bool | Enum)
    if not plain:
        shown = repr(value) if isinstance(value, Enum) else kind_of(value)
        return f"is {shown}; it takes a member of {name} or its text.", "error"
    enum: type[OpenEnum] = registry.resolve(name)
    if enum(value).is_known:
        return None
    near = suggestion(str(value), map(str, enum))
    return (
        f"is {value!r}; {name} has no such value{near or '.'}"
        f" If the service has it all the same, send {name}({value!r}).",
        "error",
    )


def check_local(value: Any, _: Wire) -> Finding | None:
    """Check a local time, or its ISO 8601 text."""
    fault = _moment(value)
    if fault is None and _read(value).tzinfo is not None:
        return "has a time zone; it takes local time, use .replace(tzinfo=None) on the site's time.", "error"
    return fault


def check_utc(value: Any, _: Wire) -> Finding | None:
    """Check a time with a zone, or its ISO 8601 text."""
    # A text may leave out the zone, as the service does itself (facts 3.5).
    if isinstance(value, datetime) and value.tzinfo is None:
        return "has no time zone; it takes UTC, use .replace(tzinfo=datetime.UTC) or .astimezone().", "error"
    return _moment(value)


def _moment(value: Any) -> Finding | None:
    try:
        _read(value)
    except (TypeError, ValueError):
        return f"is {value!r}; it takes a datetime or its ISO 8601 text.", "error"
    return None


def _read(value: Any) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(value)


def check_object(value: Any, meta: Wire) -> Finding | None:
    """Check a reference or an object: its class or a derived one, a Ref or a dict."""
    of = meta["of"]
    if of is None or isinstance(value, dict):  # None: the catalogue does not know the class
        return None
    fits = any(base.__name__ == of for base in type(value).__mro__)
    if fits or (meta["type"] == "ref" and isinstance(value, type(Ref(0)))):
        return None
    takes = f"is {kind_of(value)}; it takes an object of {of}"
    if meta["type"] != "ref":
        return f"{takes}, send {of}(...).", "error"
    if isinstance(value, Record):  # its id is one of another entity
        return f"{takes}, send {of}.ref(id) with the id of that, not of this.", "error"
    if isinstance(value, str) and not value.isdecimal() and (name := named_by(registry.resolve(of))):
        shown = reprlib.repr(value)
        return f"is {shown}, a text; find the record: await company.resolve({of}, {name}={shown}).", "error"
    plain = isinstance(value, int | str) and str(value).isdecimal()
    return f"{takes}, send {of}.ref({value if plain else 'id'}).", "error"


def named_by(cls: Any) -> str | None:
    """Return the text property by which a person knows the records of a class."""
    return next((name for name in _NAMES if name in cls.__wire__), None)
