"""From a text, or a value of TOML, to the value of a field."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from wosdk_async.jobs.errors import nearest
from wosdk_async.model import registry
from wosdk_async.model.metadata import Wire
from wosdk_async.model.open_enum import OpenEnum

__all__ = ["OBJECTS", "constant", "converter"]

OBJECTS = ("ref", "object", "money")
"""The types whose value has fields of its own."""

_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def converter(meta: Wire) -> Callable[[str], Any]:
    """The function that reads a text for a field; it raises ValueError that says what is wrong."""
    if meta["type"] == "enum":
        return functools.partial(_enum, registry.resolve(meta["of"]))
    return _READERS.get(meta["type"], str)


def constant(meta: Wire, value: object) -> Any:
    """A value of TOML other than a text, for a field. Raises ValueError when the type is wrong."""
    kind = meta["type"]
    if isinstance(value, bool):
        if kind == "boolean":
            return value
    elif isinstance(value, int) and kind in ("integer", "number"):
        return value if kind == "integer" else Decimal(value)
    elif isinstance(value, float) and kind == "number":
        return Decimal(repr(value))
    elif isinstance(value, date) and kind.startswith("datetime"):
        return _READERS[kind](value.isoformat())
    raise ValueError(f"takes {_WANTED.get(kind, 'a text')}, not {_shown(value)}")


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _enum(members: type[OpenEnum], text: str) -> OpenEnum:
    # The lists are open (facts 9), but the service reads a wrong name as the default, in silence (facts 3.3).
    known = {member.name.casefold(): member for member in members}
    found = known.get(text.strip().casefold())
    if found is None:
        names = ", ".join(member.name for member in members)
        hint = nearest(text, [member.name for member in members]) or f"; it takes one of {names}"
        raise ValueError(f"does not know {text!r}{hint}")
    return found


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"takes a whole number, not {text!r}") from None


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise ValueError(f"takes a number such as 12.50, not {text!r}")
    return number


def _boolean(text: str) -> bool:
    try:
        return _TRUTHS[text.strip().casefold()]
    except KeyError:
        raise ValueError(f"takes true or false, not {text!r}") from None


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"takes a time such as 2026-03-31 14:30, not {text!r}") from None


def _local(text: str) -> datetime:
    moment = _moment(text)
    if moment.tzinfo is not None:
        raise ValueError(f"takes the site's local time without a zone, not {text!r}")
    return moment


def _utc(text: str) -> datetime:
    moment = _moment(text)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


_READERS: dict[str, Callable[[str], Any]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "datetime-local": _local,
    "datetime-utc": _utc,
}
_WANTED = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "enum": "a name as text",
    "datetime-local": "a time",
    "datetime-utc": "a time",
}
