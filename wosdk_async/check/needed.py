"""What may not be left out: fields without which the service is known to refuse a command or a record."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from wosdk_async.model import Command, Record
from wosdk_async.model._index import NEEDED

__all__ = ["lacks", "missing"]

_HINTS = {
    "ActionReasonId": "set it to the id of a reason, a row of WoActionReasonLookup",  # facts 4
    "CustomerId": "set it to the id of a customer that exists",  # spec 4.4
    "WorkOrderId": "set it to the id of the work order",
}


def lacks(record: Record, *, new: bool = False) -> bool:
    """Whether ``record`` leaves out what it may not; quick, because it is asked before every call."""
    cls: Any = type(record)  # mypy takes the objects for the class, and those have no hash
    return any(getattr(record, name) is None for name in _needs(cls, new))


def missing(record: Record, *, new: bool = False) -> Iterator[tuple[str, str]]:
    """Each field of ``record`` that has no value and needs one: its name, and what to do.

    Commands have such fields, and entities when they are ``new``.
    """
    cls: Any = type(record)
    for name, remedy in _needs(cls, new).items():
        if getattr(record, name) is None and record.__wire__[name]["name"] not in (record.extra or ()):
            yield name, f"is missing; {remedy}."


@functools.cache
def _needs(cls: type[Any], new: bool) -> Mapping[str, str]:
    """Python name of what may not be left out -> the remedy."""
    if not issubclass(cls, Command):
        return NEEDED.get(cls.wire_name, {}) if new else {}
    return {
        name: _HINTS.get(meta["name"], f"{cls.wire_name} cannot be run without it")
        for name, meta in cls.__wire__.items()
        if meta.get("required")
    }
