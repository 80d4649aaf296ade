"""Checks of values before they are sent, one per catalogue type.

A check returns None, or the fault and its remedy. The text for the calling program uses Python terms. The
text for a user who sent JSON to that program uses JSON terms.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from enum import Enum
from inspect import iscoroutine
from itertools import islice
from typing import Any, Literal, NamedTuple

from wosdk_async.model import registry
from wosdk_async.model.base import OpenEnum, Record, Ref
from wosdk_async.model.metadata import OWNED, Wire
from wosdk_async.text.suggestions import suggestion

Severity = Literal["error", "warning"]


class Finding(NamedTuple):
    """Fault found in a value."""

    message: str
    severity: Severity = "error"
    in_json: str = ""
    """Message for a user who sent JSON; if empty, ``message`` is shown."""


_SHOWN = 8  # maximum enum members named in a message
_NAMES = ("number", "name", "username", "display_as")
_INT32, _INT64 = 2**31, 2**63
_DIGITS = 20  # maximum characters of a 64-bit integer, including its sign


def kind_of(value: Any) -> str:
    """Return the type of a value with an article: ``an int``, ``an HTTPTransport``."""
    if iscoroutine(value):
        return "a coroutine (await it)"
    name = "None" if value is None else type(value).__name__
    # An abbreviation is read letter by letter: it takes "an" if its first letter's name begins with a vowel.
    vowels = "AEFHILMNORSX" if name[:2].isupper() else "aeiouAEIO"
    return f"{'an' if name[0] in vowels else 'a'} {name}"


def json_kind_of(value: Any) -> str:
    """Return the JSON kind of a value: ``a number``."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float | Decimal):
        return "a number"
    if isinstance(value, list | tuple):
        return "a list"
    return "an object" if isinstance(value, Mapping | Record | type(Ref(0))) else "a string"


def _misfit(value: Any, takes: str, in_json: str) -> Finding:
    """Return the finding for a value of the wrong type; ``takes`` and ``in_json`` name the expected type."""
    return Finding(f"is {kind_of(value)}; it must be {takes}.", in_json=_misfit_in_json(value, in_json))


def _misfit_in_json(value: Any, takes: str) -> str:
    return f"is {json_kind_of(value)}; it must be {takes}."


def check_text(value: Any, meta: Wire) -> Finding | None:
    """Check a string's type and length."""
    if isinstance(value, int | Decimal) and not isinstance(value, bool | Enum) and not meta.get("secret"):
        return _misfit(value, f"text: send {str(value)!r}", "a string")
    if not isinstance(value, str):
        remedy = "base64.b64encode(...).decode()" if isinstance(value, bytes | bytearray) else "str(...)"
        return _misfit(value, f"text: send {remedy}", "a string")
    limit = meta.get("max_length")  # compile_fast_writer (compiler.py) makes the same check
    if limit is None or len(value) <= limit:
        return None
    if meta["max_length_source"] == "doc":
        return Finding(f"has {len(value)} characters; the service accepts {limit}: shorten it.")
    return Finding(
        f"has {len(value)} characters, but a third-party client allows only {limit}; the service may "
        "truncate the text.",
        "warning",
    )


def check_integer(value: Any, _: Wire) -> Finding | None:
    """Check an integer or a string of digits."""
    # spec 4.4: the service also takes an integer as text
    is_digits = isinstance(value, str) and value.isascii() and value.removeprefix("-").isdecimal()
    if not is_digits and (isinstance(value, bool) or not isinstance(value, int)):
        return Finding(_not_an_integer(value), in_json=_misfit_in_json(value, "a whole number, such as 5"))
    # Longer text is out of range; int() raises an error for very long text.
    number = int(value) if isinstance(value, int) or len(value) <= _DIGITS else _INT64
    if not -_INT64 <= number < _INT64:
        shown = reprlib.repr(value)
        return Finding(f"is {shown}; it must be a whole number of at most 64 bits: send a smaller one.")
    if not -_INT32 <= number < _INT32:  # not shown; assumed: the vendor's schema says int, which has 32 bits
        return Finding(f"is {value}; the service uses 32-bit integers and may refuse this one.", "warning")
    return None


def _not_an_integer(value: Any) -> str:
    if isinstance(value, Record | type(Ref(0))):
        id = getattr(value, "id", None)
        return (
            f"is {kind_of(value)}; it must be a whole number: send its id{'' if id is None else f', {id}'}."
        )
    if isinstance(value, bool | float | Decimal):
        return f"is {kind_of(value)}; it must be a whole number: send int(...)."
    shown = f"{reprlib.repr(value)}, a string" if isinstance(value, str) else kind_of(value)
    return f"is {shown}; it must be a whole number."


def check_number(value: Any, _: Wire) -> Finding | None:
    """Check a number, which must be finite and not a bool."""
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        return _misfit(value, "a number: send Decimal(...)", "a number, such as 12.50")
    if not Decimal(value).is_finite():
        return Finding(f"is {value}, which JSON does not support: send a finite number.")
    return None


def check_boolean(value: Any, _: Wire) -> Finding | None:
    """Check a bool."""
    return None if isinstance(value, bool) else _misfit(value, "True or False", "true or false")


def check_enum(value: Any, meta: Wire) -> Finding | None:
    """Check an enum value: a documented name or number (facts 9), or any member."""
    name = meta["of"]
    if isinstance(value, OpenEnum) and type(value).__name__ == name:
        return None
    is_plain = isinstance(value, str | int) and not isinstance(value, bool | Enum)
    if not is_plain:
        shown = repr(value) if isinstance(value, Enum) else kind_of(value)
        takes = f"is {shown}; it must be a member of {name} or its text."
        return Finding(takes, in_json=_misfit_in_json(value, _one_of(registry.resolve(name))))
    enum: type[OpenEnum] = registry.resolve(name)
    if enum(value).is_known:
        return None
    near = suggestion(str(value), map(str, enum))
    no_such = f"is {value!r}; {name} has no such value{near or '.'}"
    return Finding(
        f"{no_such} If the service supports it, send {name}({value!r}).",
        in_json=unknown_member(enum, value),
    )


def unknown_member(enum: type[OpenEnum], value: Any) -> str:
    """Return the message for a value that is not in the enum."""
    shown = reprlib.repr(value)
    near = suggestion(str(value), map(str, enum))
    if near:
        return f"is {shown}; {enum.__name__} has no such value{near}"
    return f"is {shown}; it must be {_one_of(enum)}."


def _one_of(enum: type[OpenEnum]) -> str:
    members = list(map(str, enum))
    more = f" and {len(members) - _SHOWN} more" if len(members) > _SHOWN else ""
    return f"one of {', '.join(islice(members, _SHOWN))}{more}"


def check_local(value: Any, _: Wire) -> Finding | None:
    """Check a local time or its ISO 8601 text."""
    fault = _moment(value, _LOCAL)
    if fault is None and _read(value).tzinfo is not None:
        return Finding(
            "has a time zone; it must be local time: convert it to the site's zone, "
            "then use .replace(tzinfo=None).",
            in_json=f"has a time zone; it must be {_LOCAL}.",
        )
    return fault


def check_utc(value: Any, _: Wire) -> Finding | None:
    """Check a time with a zone or its ISO 8601 text."""
    # Text may omit the zone, as the service itself does (facts 3.5).
    if isinstance(value, datetime) and value.tzinfo is None:
        return Finding(
            "has no time zone; it must be UTC: use .replace(tzinfo=datetime.UTC) or .astimezone()."
        )
    return _moment(value, "a time such as 2026-11-23T14:30:00Z")


_LOCAL = "the site's local time without a zone, such as 2026-11-23T14:30:00"


def _moment(value: Any, in_json: str) -> Finding | None:
    try:
        _read(value)
    except (TypeError, ValueError):
        message = f"is {value!r}; it must be a datetime or its ISO 8601 text."
        shown = reprlib.repr(value) if isinstance(value, str) else json_kind_of(value)
        return Finding(message, in_json=f"is {shown}; it must be {in_json}.")
    return None


def _read(value: Any) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(value)


def check_object(value: Any, meta: Wire) -> Finding | None:
    """Check a reference or object: an instance of its class, or a dict; a reference may also be a Ref."""
    of = meta["of"]
    if of is None or isinstance(value, dict):  # ``of`` is None if the catalogue lacks the class
        return None
    fits = any(base.__name__ == of for base in type(value).__mro__)
    if fits or (meta["type"] == "ref" and isinstance(value, type(Ref(0)))):
        return None
    if isinstance(value, list | tuple):
        return _misfit(value, f"one {of}: make a record or command for each", f"one {of}")
    if meta["type"] != "ref" or of in OWNED:  # facts 3.9: such a record lives only inside its owner
        return _misfit(value, f"an object of type {of}: send {of}(...)", f"an object of type {of}")
    example = value if _is_id(value) else 5
    return Finding(
        _not_a_reference(value, of, in_list=bool(meta.get("many"))),
        in_json=_misfit_in_json(value, f'an object of type {of}, such as {{"Id": {example}}}'),
    )


def _not_a_reference(value: Any, of: str, *, in_list: bool) -> str:
    takes = f"is {kind_of(value)}; it must be an object of type {of}"
    if isinstance(value, Record) and in_list:  # list elements are usually new records, without an id
        return f"{takes}: send {of}(...), or {of}.ref(id) for one that exists."
    if isinstance(value, Record):  # a record of another entity: its id must not be sent
        return f"{takes}: send {of}.ref(id) with the id of the {of}."
    if isinstance(value, str) and not value.isdecimal() and (name := named_by(registry.resolve(of))):
        shown = reprlib.repr(value)
        return f"is {shown}, a string; find the record: await company.resolve({of}, {name}={shown})."
    return f"{takes}: send {of}.ref({value if _is_id(value) else 'id'})."


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str) and str(value).isdecimal()


def named_by(cls: Any) -> str | None:
    """Return the text property that people use to identify records of the class."""
    return next((name for name in _NAMES if name in cls.__wire__), None)
