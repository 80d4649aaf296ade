"""Table of field types: how values of each type are read, written and checked."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import attrs
import msgspec

from wosdk_async.codec.checks import (
    Finding,
    check_boolean,
    check_enum,
    check_integer,
    check_local,
    check_number,
    check_object,
    check_text,
    check_utc,
)
from wosdk_async.codec.values import (
    read_digits,
    read_local,
    read_number,
    read_utc,
    read_zoned,
    show_number,
    show_utc,
    write_enum,
    write_local,
    write_number,
    write_text,
    write_utc,
)
from wosdk_async.model.base import Record, Ref
from wosdk_async.model.metadata import Wire


@attrs.frozen
class FieldType:
    """Conversion and check of one type's values. In expressions, ``v`` is the value."""

    check: Callable[[Any, Wire], Finding | None]
    """Returns the fault in a value to be sent; None if the value is valid."""
    read: str = "v"
    """Expression that converts the service's non-null value to the stored value."""
    take: str = ""
    """Like ``read``, for a value from the program's user; if empty, ``read`` is used."""
    quick: str = ""
    """Like ``read``, but faster; raises one of the ``NOT_QUICK`` errors for values of undocumented types."""
    write: str = "v"
    """Expression that converts a stored value other than None to the value to send."""
    fits: str = "False"
    """Condition that ``v`` passes ``check`` (except for its length) and can be converted by ``plain``."""
    plain: str = "v"
    """Like ``write``, for a value that meets ``fits``."""
    show: str = "writers[v.__class__](v)"
    """Expression that converts a stored value other than None to JSON, for ``to_dict``."""


FIELD_TYPES = {
    "string": FieldType(
        check=check_text,
        write="v if v.__class__ is str else write_text(v, {where!r})",
        fits="v.__class__ is str",
        show="v if v.__class__ is str else plain(v)",
    ),
    "integer": FieldType(
        check=check_integer,
        take="v if v.__class__ is int else read_digits(v)",
        fits="v.__class__ is int and v.bit_length() < 32",
        show="v if v.__class__ is int else plain(v)",
    ),
    "boolean": FieldType(
        check=check_boolean, fits="v.__class__ is bool", show="v if v.__class__ is bool else plain(v)"
    ),
    "number": FieldType(
        check=check_number,
        read="v if v.__class__ is Decimal else read_number(v)",
        write="write_number(v, {where!r})",
        fits="v.__class__ is Decimal and v.is_finite()",
        show="v if v.__class__ is Decimal else show_number(v, plain)",
    ),
    "datetime-local": FieldType(
        check=check_local,
        read="read_local(v)",
        take="read_zoned(v)",
        quick="t if (t := parse(v)).tzinfo is None else read_local(v)",
        write="write_local(v, {where!r})",
        fits="v.__class__ is datetime and v.tzinfo is None",
        plain="v.isoformat()",
        show="iso(v) if v.__class__ is datetime and v.tzinfo is None else plain(v)",
    ),
    "datetime-utc": FieldType(
        check=check_utc,
        read="read_utc(v)",
        # Most times lack the Z (facts 3.5). Appending it is 20 times as fast as setting the zone afterwards.
        quick="t if (t := parse(v if v[-1] == 'Z' else v + 'Z')).tzinfo is UTC else read_utc(v)",
        write="write_utc(v, {where!r})",
        fits="v.__class__ is datetime and v.tzinfo is UTC",
        plain="v.replace(tzinfo=None).isoformat() + 'Z'",
        show="iso(v) if v.__class__ is datetime and v.tzinfo is UTC else show_utc(v, plain)",
    ),
    "enum": FieldType(
        check=check_enum,
        read="{of}[v] if v.__class__ is str else {of}.odd(v)",
        write="write_enum(v)",
        fits="v.__class__ is {of}",
        plain="v._value_",
        show="v._value_ if v.__class__ is {of} else plain(v)",
    ),
}
"""Field types by catalogue type. All other types use :data:`OBJECT`."""

OBJECT = FieldType(
    check=check_object,
    read="{of}(v, None) if v.__class__ is dict else v",
    write="unstructure(v)",
    fits="v.__class__ is {of}",
    plain="write_{of}(v, origin)",
)
"""Type of nested objects and references."""

NAMES = {
    "Decimal": Decimal,
    "NOT_QUICK": (LookupError, TypeError, ValueError),
    "Ref": type(Ref(0)),
    "UTC": UTC,
    "datetime": datetime,
    "iso": msgspec.to_builtins,  # ISO 8601 with Z for UTC, in a fifth of the time of isoformat
    "parse": datetime.fromisoformat,
    "read_digits": read_digits,
    "read_local": read_local,
    "read_number": read_number,
    "read_utc": read_utc,
    "read_zoned": read_zoned,
    "show_number": show_number,
    "show_utc": show_utc,
    "write_enum": write_enum,
    "write_local": write_local,
    "write_number": write_number,
    "write_text": write_text,
    "write_utc": write_utc,
}
"""Functions and classes used in the expressions, by name."""


def type_of(meta: Wire) -> FieldType:
    """Return a field's :class:`FieldType`."""
    return FIELD_TYPES.get(meta["type"], OBJECT)


def new_of(cls: type[Record]) -> Callable[[], Record]:
    """Return the function that creates an empty object of ``cls``."""
    # A program's subclass may add fields: only its __init__ knows their defaults.
    has_only_wire_fields = {field.name for field in attrs.fields(cls)} == {"extra", "origin", *cls.__wire__}
    return functools.partial(object.__new__ if has_only_wire_fields else type.__call__, cls)
