"""What is wrong with an object before it is sent.

The service cuts, drops or refuses what does not fit, and a typo is silent data loss there (facts 3.3), so
:func:`problems` looks at an object by the same table the codec works by: the metadata of its fields.
An ``error`` would be refused or lost; a ``warning`` rests on a limit that only a third-party client states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

import attrs

from wosdk_async.model import Record, Ref
from wosdk_async.model._wire import Wire

__all__ = ["Problem", "Severity", "problems"]

Severity = Literal["error", "warning"]
Finding = tuple[str, Severity]


@attrs.frozen
class Problem:
    """One thing that is wrong, where it is and what to do about it."""

    path: str
    """Place of the value as Python spells it: ``work_order.items[0].comment``."""
    message: str
    severity: Severity = "error"

    def __str__(self) -> str:
        return f"{self.path} {self.message}"


def problems(obj: Any) -> list[Problem]:
    """Everything wrong with ``obj`` and the objects in it, in the order of their fields."""
    return list(_record(obj, "")) if isinstance(obj, Record) else []


def _record(record: Record, path: str) -> Iterator[Problem]:
    for name, meta in record.__wire__.items():
        value = getattr(record, name)
        if value is not None:
            yield from _field(value, meta, f"{path}.{name}" if path else name)


def _field(value: Any, meta: Wire, path: str) -> Iterator[Problem]:
    if not meta.get("many"):
        yield from _value(value, meta, path)
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _value(item, meta, f"{path}[{i}]")
    else:
        yield Problem(path, f"is {_kind(value)}; it takes a list, send [value].")


def _value(value: Any, meta: Wire, path: str) -> Iterator[Problem]:
    found = RULES.get(meta["type"], _object)(value, meta)
    if found:
        yield Problem(path, *found)
    elif isinstance(value, Record):
        yield from _record(value, path)


def _kind(value: Any) -> str:
    name = "None" if value is None else type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _text(value: Any, meta: Wire) -> Finding | None:
    if not isinstance(value, str):
        remedy = "base64.b64encode(...).decode()" if isinstance(value, bytes | bytearray) else "str(...)"
        return f"is {_kind(value)}; it takes text, send {remedy}.", "error"
    limit = meta.get("max_length")
    if limit is None or len(value) <= limit:
        return None
    if meta["max_length_source"] == "doc":
        return f"has {len(value)} characters; the service takes {limit}, shorten it.", "error"
    return (
        f"has {len(value)} characters; a third-party client states a limit of {limit}, so it may be cut.",
        "warning",
    )


def _integer(value: Any, _: Wire) -> Finding | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return None
    # spec 4.4: the service takes an integer as text as well
    digits = isinstance(value, str) and value.removeprefix("-").isdecimal()
    return None if digits else (f"is {_kind(value)}; it takes a whole number, send int(...).", "error")


def _number(value: Any, _: Wire) -> Finding | None:
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        return f"is {_kind(value)}; it takes a number, send Decimal(...).", "error"
    if not Decimal(value).is_finite():
        return f"is {value}; JSON has no such number, send a finite one.", "error"
    return None


def _boolean(value: Any, _: Wire) -> Finding | None:
    return None if isinstance(value, bool) else (f"is {_kind(value)}; it takes True or False.", "error")


def _enum(value: Any, meta: Wire) -> Finding | None:
    enum = meta["of"]
    if isinstance(value, Enum) and type(value).__name__ != enum:
        return f"is {value!r}; it takes a member of {enum} or its text.", "error"
    plain = isinstance(value, str | int) and not isinstance(value, bool)
    return None if plain else (f"is {_kind(value)}; it takes a member of {enum} or its text.", "error")


def _local(value: Any, _: Wire) -> Finding | None:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return "has a time zone; it takes local time, use .replace(tzinfo=None) on the site's time.", "error"
    return _moment(value)


def _utc(value: Any, _: Wire) -> Finding | None:
    if isinstance(value, datetime) and value.tzinfo is None:
        return "has no time zone; it takes UTC, use .replace(tzinfo=datetime.UTC) or .astimezone().", "error"
    return _moment(value)


def _moment(value: Any) -> Finding | None:
    if isinstance(value, datetime):
        return None
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return f"is {value!r}; it takes a datetime or its ISO 8601 text.", "error"
    return None


def _object(value: Any, meta: Wire) -> Finding | None:
    """A reference or a value: its class or one derived from it, a Ref, a dict. Without a class, anything."""
    of = meta["of"]
    if of is None or isinstance(value, dict):
        return None
    fits = any(base.__name__ == of for base in type(value).__mro__)
    if fits or (meta["type"] == "ref" and isinstance(value, type(Ref(0)))):
        return None
    remedy = "Ref(id)" if meta["type"] == "ref" else f"{of}(...)"
    return f"is {_kind(value)}; it takes an object of {of}, send {remedy}.", "error"


RULES: dict[str, Callable[[Any, Wire], Finding | None]] = {
    "string": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "enum": _enum,
    "datetime-local": _local,
    "datetime-utc": _utc,
}
"""Type of the catalogue -> what may be wrong with a value; every other type is an object's."""
