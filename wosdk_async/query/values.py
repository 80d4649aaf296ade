"""Values of conditions as the text that is sent, by the kind of the property (facts 4: texts only)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

from wosdk_async.codec.values import write_local, write_utc
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import OpenEnum, Record, Ref, registry
from wosdk_async.model.metadata import Wire
from wosdk_async.protocol.validation import RULES
from wosdk_async.query.paths import ResolvedPath

__all__ = ["identifier", "text"]


def text(value: Any, place: ResolvedPath) -> str:
    """The text of ``value`` for the property at ``place``. Raises InvalidCallError with the remedy."""
    where = f"{place.entity}.{place.path}"
    if value is None:
        raise InvalidCallError(f"{where} is compared with None; use .is_null() or .not_null()")
    if place.meta is None:
        return _by_python_type(value, where)
    kind = place.meta["type"]
    found = RULES[kind](value, {**place.meta, "max_length": None})
    if found and found[1] == "error":
        raise InvalidCallError(f"{where} {found[0]}")
    return _WRITERS[kind](value, place.meta, where)


def _string(value: Any, _: Wire, __: str) -> str:
    return str.__str__(value)


def _integer(value: Any, _: Wire, __: str) -> str:
    return str(int(value))


def _number(value: Any, _: Wire, __: str) -> str:
    """Exact and without an exponent; a float by its shortest digits."""
    return format(Decimal(repr(value) if isinstance(value, float) else value), "f")


def _boolean(value: Any, _: Wire, __: str) -> str:
    return "true" if value else "false"


def _enum(value: Any, meta: Wire, _: str) -> str:
    """Names, never numbers (facts 9)."""
    enum: type[OpenEnum] = registry.resolve(meta["of"])
    return str(enum(value))


def _moment(write: Callable[[Any, str], Any]) -> Callable[[Any, Wire, str], str]:
    def written(value: Any, _: Wire, where: str) -> str:
        return str(write(value, where))

    return written


_WRITERS: dict[str, Callable[[Any, Wire, str], str]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "enum": _enum,
    "datetime-local": _moment(write_local),
    "datetime-utc": _moment(write_utc),
}


def _by_python_type(value: Any, where: str) -> str:
    """The text of a value whose property is not known."""
    if isinstance(value, bool):
        return _boolean(value, {}, where)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int | float | Decimal) and Decimal(value).is_finite():
        return _number(value, {}, where)
    if isinstance(value, datetime):
        return str((write_utc if value.tzinfo else write_local)(value, where))
    if isinstance(value, Record | type(Ref(0))):
        return identifier(value, where)
    raise InvalidCallError(f"{where} is compared with {value!r}; it takes text, a number, a time or a Ref")


def identifier(value: Any, where: str, of: str | None = None) -> str:
    """The id that a reference is compared by: of a number, a Ref or a record."""
    fits = of is None or any(base.__name__ == of for base in type(value).__mro__)
    is_record = isinstance(value, Record) and fits
    found = getattr(value, "id", None) if is_record or isinstance(value, type(Ref(0))) else value
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    shown = f"a {type(value).__name__} without an id" if is_record else repr(value)
    raise InvalidCallError(f"{where} is {shown}; it takes Ref(id), a record with its id, or an id")
