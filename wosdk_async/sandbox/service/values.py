"""One value as sent, turned into the value kept: by the kind of its field."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.service.entity_schema import enumeration
from wosdk_async.sandbox.service.query.expressions import pick
from wosdk_async.sandbox.service.times import canonical

__all__ = ["UNREADABLE", "read", "reference_id", "whole"]

UNREADABLE: Final = object()  # the member is left as it was (facts 3.3)
_INT64 = range(-(2**63), 2**63)
_DECIMAL = re.compile(r"-?\d{1,15}(\.\d{1,12})?", re.ASCII)


def read(field: Field, value: object) -> Any:
    """``value`` as the store keeps it, or `UNREADABLE` when it does not fit the field.

    Raises:
        Refusal: a text longer than the vendor documents.
    """
    reader = _READERS.get(field.type)
    return reader(field, value) if reader else UNREADABLE


def reference_id(value: object) -> int | None:
    """The ``Id`` of a reference; None without one. 0 names no row (not shown; assumed)."""
    found = whole(pick(value, "Id")) if isinstance(value, dict) else None
    return found if isinstance(found, int) and found != 0 else None


def _string(field: Field, value: object) -> object:
    if not isinstance(value, str):
        return UNREADABLE
    # Lengths of the vendor's pages are enforced, those of third parties are not (not shown; assumed).
    limit = field.max_length if field.max_length_source == "doc" else None
    if limit is not None and len(value) > limit:
        raise broken_rule(f"{field.name} is longer than {limit} characters.")
    return value


def whole(value: object) -> object:
    """An integer, or a text of one: spec 4.4 sends CustomerId as text. Else `UNREADABLE`."""
    if isinstance(value, str):
        text = value.strip()
        if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20):
            return UNREADABLE
        value = int(text)
    if isinstance(value, bool) or not isinstance(value, int):
        return UNREADABLE
    return value if value in _INT64 else UNREADABLE


def _integer(_field: Field, value: object) -> object:
    return whole(value)


def _number(_field: Field, value: object) -> object:
    """A number, or a text of one, as for integers (not shown; assumed)."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value.strip()):
        return Decimal(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return UNREADABLE
    return value


def _boolean(_field: Field, value: object) -> object:
    """A boolean, or its name as text (not shown; assumed)."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower(), UNREADABLE)
    return value if isinstance(value, bool) else UNREADABLE


def _enum(field: Field, value: object) -> object:
    name = enumeration(field.of or "").name_of(value)
    return UNREADABLE if name is None else name


def _time(field: Field, value: object) -> object:
    text = canonical(value, utc=field.type == "datetime-utc") if isinstance(value, str) else None
    return UNREADABLE if text is None else text


def _money(field: Field, value: object) -> object:
    if not isinstance(value, dict):
        return UNREADABLE
    amount = _number(field, pick(value, "Value"))
    currency = enumeration("CurrencyType").name_of(pick(value, "CurrencyTypeId"))
    return {"CurrencyTypeId": currency or "Unknown", "Value": 0 if amount is UNREADABLE else amount}


def _reference(field: Field, value: object) -> object:
    key = reference_id(value)
    if key is None:
        return UNREADABLE
    if field.of == "Actor" and isinstance(value, dict):
        kind = enumeration("ActorType").name_of(pick(value, "TypeId"))
        return {"Id": key, "TypeId": kind or "Unknown"}  # facts 3.4: actors show TypeId as well
    return {"Id": key}


def _anything(_field: Field, value: object) -> object:
    return value


_READERS: dict[str, Callable[[Field, object], object]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "enum": _enum,
    "datetime-local": _time,
    "datetime-utc": _time,
    "money": _money,
    "ref": _reference,
    "object": _anything,
}
