"""What in a record the catalogue does not know: names of fields, and values of enums.

The service drops an unknown name and reads an unknown enum value as the default, and reports success. Records
keep both, because a newer release of the service may know them; a program that takes records of its own
users may refuse them instead.
"""
# facts 3.3

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import attrs

from wosdk_async.codec.checks import unknown_member
from wosdk_async.model.base import OpenEnum, Record
from wosdk_async.text.safe_text import one_line, shortened
from wosdk_async.text.suggestions import suggestion

__all__ = ["Unknown", "UnknownValue", "unknown_values"]

Unknown = Literal["keep", "refuse"]
"""What is done with names and enum values that the catalogue does not know."""

Place = tuple[str | int, ...]


@attrs.frozen
class UnknownValue:
    """One unknown name or enum value: names of the service and indexes that lead to it, and what to say."""

    place: Place
    message: str

    def __str__(self) -> str:
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.place)
        return f"{''.join(steps).removeprefix('.')} {self.message}"


def unknown_values(value: Any, place: Place = ()) -> Iterator[UnknownValue]:
    """Yield what the catalogue does not know in a record, or in a list of them."""
    if isinstance(value, Record):
        yield from _of_record(value, place)
    elif isinstance(value, OpenEnum) and not value.is_known:
        yield UnknownValue(place, unknown_member(type(value), value._value_))
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from unknown_values(item, (*place, i))


def _of_record(record: Record, place: Place) -> Iterator[UnknownValue]:
    documented = [meta["name"] for meta in record.__wire__.values()]
    for name in record.extra or ():
        near = suggestion(name, documented)
        message = f"is not a field of {type(record).__name__}{near or '.'}"
        yield UnknownValue((*place, one_line(shortened(name, 100))), message)
    for name, meta in record.__wire__.items():
        value = getattr(record, name)
        if value is not None:
            yield from unknown_values(value, (*place, meta["name"]))
