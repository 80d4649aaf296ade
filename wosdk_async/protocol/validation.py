"""Mistakes in a record or command, found before it is sent.

First come the rules for single values, by their type in the catalogue, then the walk through an object.
"""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

import attrs

from wosdk_async.codec import spellings
from wosdk_async.model import Command, OpenEnum, Record, Ref, registry
from wosdk_async.model.index import NEEDED
from wosdk_async.model.metadata import Wire
from wosdk_async.suggestions import suggestion

__all__ = ["RULES", "Problem", "content_problems", "kind_of", "lacks", "missing", "named_by", "problems"]

Severity = Literal["error", "warning"]
Finding = tuple[str, Severity]

_NAMES = ("number", "name", "username", "display_as")
_INT32, _INT64 = 2**31, 2**63


# --- single values --------------------------------------------------------------------------


def kind_of(value: Any) -> str:
    """Return the type of a value with its article: ``an int``."""
    name = "None" if value is None else type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _text(value: Any, meta: Wire) -> Finding | None:
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


def _integer(value: Any, _: Wire) -> Finding | None:
    # spec 4.4: the service takes an integer as text as well
    digits = isinstance(value, str) and value.isascii() and value.removeprefix("-").isdecimal()
    if not digits and (isinstance(value, bool) or not isinstance(value, int)):
        return _not_an_integer(value), "error"
    number = int(value)
    if not -_INT64 <= number < _INT64:
        return f"is {value}; it takes a whole number of at most 64 bits, send a smaller one.", "error"
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


def _number(value: Any, _: Wire) -> Finding | None:
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        return f"is {kind_of(value)}; it takes a number, send Decimal(...).", "error"
    if not Decimal(value).is_finite():
        return f"is {value}; JSON has no such number, send a finite one.", "error"
    return None


def _boolean(value: Any, _: Wire) -> Finding | None:
    return None if isinstance(value, bool) else (f"is {kind_of(value)}; it takes True or False.", "error")


def _enum(value: Any, meta: Wire) -> Finding | None:
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


def _local(value: Any, _: Wire) -> Finding | None:
    fault = _moment(value)
    if fault is None and _read(value).tzinfo is not None:
        return "has a time zone; it takes local time, use .replace(tzinfo=None) on the site's time.", "error"
    return fault


def _utc(value: Any, _: Wire) -> Finding | None:
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


def _object(value: Any, meta: Wire) -> Finding | None:
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


RULES: dict[str, Callable[[Any, Wire], Finding | None]] = {
    "string": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "enum": _enum,
    "datetime-local": _local,
    "datetime-utc": _utc,
}
"""Check of a value, by the type of the catalogue; every other type is an object's."""


# --- objects --------------------------------------------------------------------------------


@attrs.frozen
class Problem:
    """One mistake: where it is and how to mend it."""

    path: str
    """Path of the value as Python spells it, ``work_order.items[0].comment``; in a dict by wire name."""
    message: str
    severity: Severity = "error"

    def __str__(self) -> str:
        return f"{self.path} {self.message}"


def problems(obj: Any, *, new: bool = False) -> list[Problem]:
    """Return all mistakes in ``obj`` and the objects in it, in the order of their fields.

    With ``new``, also report fields that the service requires to create the record.
    """
    if not isinstance(obj, Record):
        return []
    return [*_record(obj, ""), *(Problem(path, message) for path, message in missing(obj, new=new))]


def content_problems(cls: type[Record], content: Mapping[str, Any]) -> list[Problem]:
    """Return all mistakes in the JSON object of a ``cls``: the service drops names it does not know."""
    # facts 3.3
    return list(_mapping(content, cls, ""))


def _record(record: Record, path: str) -> Iterator[Problem]:
    for name, meta in record.__wire__.items():
        value = getattr(record, name)
        if value is not None:
            yield from _field(value, meta, f"{path}.{name}" if path else name)


def _mapping(content: Mapping[str, Any], cls: type[Record], path: str) -> Iterator[Problem]:
    _, documented = spellings(cls)  # type: ignore[arg-type]  # mypy takes the objects for the class
    table = {meta["name"]: meta for meta in cls.__wire__.values()}
    for name, value in content.items():
        where = f"{path}.{name}" if path else str(name)
        meant = documented.get(str(name).lower())  # facts 3.3: letter case does not matter
        if meant is None:
            near = suggestion(str(name), table)
            yield Problem(where, f"is not a property of {cls.wire_name} and would be dropped{near or '.'}")
        elif value is not None:
            yield from _field(value, table[meant], where)


def _field(value: Any, meta: Wire, path: str) -> Iterator[Problem]:
    if not meta.get("many"):
        yield from _value(value, meta, path)
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _value(item, meta, f"{path}[{i}]")
    else:
        is_one = isinstance(value, str | bytes | Mapping | Record) or not isinstance(value, Iterable)
        remedy = "[value]" if is_one else "list(value)"
        yield Problem(path, f"is {kind_of(value)}; it takes a list, send {remedy}.")


def _value(value: Any, meta: Wire, path: str) -> Iterator[Problem]:
    found = RULES.get(meta["type"], _object)(value, meta)
    if found:
        yield Problem(path, *found)
    elif isinstance(value, Record):
        yield from _record(value, path)
    elif isinstance(value, dict) and meta["of"]:
        yield from _mapping(value, registry.resolve(meta["of"]), path)


_HINTS = {
    "ActionReasonId": "set it to the id of a reason, a record of WoActionReasonLookup",  # facts 4
    "CustomerId": "set it to the id of a customer that exists",  # spec 4.4
    "WorkOrderId": "set it to the id of the work order",
}


def lacks(record: Record, *, new: bool = False) -> bool:
    """Return whether ``record`` leaves out a required field; quick, because each call asks."""
    cls: Any = type(record)  # mypy takes the objects for the class, and those have no hash
    return any(getattr(record, name) is None for name in _required(cls, new))


def missing(record: Record, *, new: bool = False) -> Iterator[tuple[str, str]]:
    """Yield each required field of ``record`` that has no value: its name and the remedy.

    Commands have required fields, and entities when they are ``new``.
    """
    cls: Any = type(record)
    for name, remedy in _required(cls, new).items():
        if getattr(record, name) is None and record.__wire__[name]["name"] not in (record.extra or ()):
            yield name, f"is missing; {remedy}."


@functools.cache
def _required(cls: type[Any], new: bool) -> Mapping[str, str]:
    """Return the remedy for each required field, by its Python name."""
    if not issubclass(cls, Command):
        return NEEDED.get(cls.wire_name, {}) if new else {}
    return {
        name: _HINTS.get(meta["name"], f"{cls.wire_name} cannot be run without it")
        for name, meta in cls.__wire__.items()
        if meta.get("required")
    }
