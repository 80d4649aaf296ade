"""Validation of records and commands before they are sent.

``codec/checks.py`` checks single values; this module walks objects and checks for required fields.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from wosdk_async.codec import spellings
from wosdk_async.codec.checks import Severity, json_kind_of, kind_of
from wosdk_async.codec.field_types import type_of
from wosdk_async.model import Command, Record, registry
from wosdk_async.model.index import COMPUTED, NEEDED
from wosdk_async.model.metadata import Wire
from wosdk_async.text.suggestions import suggestion

__all__ = [
    "Problem",
    "computed_names",
    "content_problems",
    "drops",
    "errors_in_json",
    "foreign",
    "is_own",
    "lacks",
    "missing",
    "problems",
    "wire_path",
]


@attrs.frozen
class Problem:
    """One mistake: its place and its remedy."""

    path: str
    """Path, such as ``work_order.items[0].comment``, with Python names in records and wire names in dicts."""
    message: str
    severity: Severity = "error"
    in_json: str = ""
    """Message for a user who sent JSON; empty if it is the same as ``message``."""

    def __str__(self) -> str:
        return f"{self.path} {self.message}"


def problems(obj: Any, *, new: bool = False) -> list[Problem]:
    """Return all mistakes in ``obj`` and its nested objects, in field order.

    With ``new``, also report missing fields that the service requires to create the record.
    """
    if not isinstance(obj, Record):
        return []
    absent = (Problem(path, message) for path, message in missing(obj, new=new))
    return [*_record(obj, ""), *_dropped(obj, type(obj), new), *absent]


def errors_in_json(record: Record, *, new: bool = False) -> list[str]:
    """Return the errors in a record for a user who sent JSON; their paths contain wire names."""
    return [
        f"{wire_path(type(record), each.path)} {each.in_json or each.message}"
        for each in problems(record, new=new)
        if each.severity == "error"
    ]


def content_problems(cls: type[Record], content: Mapping[str, Any], new: bool = False) -> list[Problem]:
    """Return all mistakes in a JSON object of ``cls``, including unknown names, which the service drops."""
    # facts 3.3
    return [*_mapping(content, cls, ""), *_dropped(content, cls, new)]


def _dropped(content: Any, cls: Any, new: bool, path: str = "") -> Iterator[Problem]:
    """Yield a problem for each value of a create that the service drops and replaces.

    ``content`` is a record or JSON object of ``cls``, either a command or a ``new`` record.
    """
    if cls.wire_name == "WoCreateCommand":
        name, order = _member(content, cls, "work_order")
        yield from _dropped(order, registry.resolve("WorkOrder"), True, f"{name}.")
    for field, remedy in _computed(cls).items() if new else ():
        name, value = _member(content, cls, field)
        if value is not None and value != _AS_GIVEN.get(field):
            message = f"is set by the service for new records, and would be dropped; {remedy}."
            yield Problem(f"{path}{name}", message)


_AS_GIVEN = {"status_id": "New", "induction_and_safety_status_id": "NotRequired", "flag_id": 0}
"""Computed field -> value that a create may send, because the service assigns the same one (spec 3)."""


def _member(content: Any, cls: type[Record], field: str) -> tuple[str, Any]:
    """Return a field's name and its value in ``content``; the value is None if ``content`` has none."""
    if isinstance(content, Record):
        return field, getattr(content, field, None)
    wire = cls.__wire__[field]["name"]
    given = content.items() if isinstance(content, Mapping) else ()
    # facts 3.3: names are case-insensitive
    return next(((name, value) for name, value in given if str(name).lower() == wire.lower()), (wire, None))


def drops(record: Record | type[Record], content: Mapping[str, Any], new: bool) -> bool:
    """Return whether ``_dropped`` might find anything in ``record``, whose JSON object is ``content``."""
    if record.wire_name == "WoCreateCommand":
        content, name = content["WorkOrder"], "WorkOrder"
    elif new:
        name = record.wire_name
    else:
        return False
    return not computed_names(name).isdisjoint(content)


@functools.cache
def computed_names(name: str) -> frozenset[str]:
    """Return the wire names of fields that the service assigns in new records of this class."""
    cls = registry.resolve(name)
    return frozenset(cls.__wire__[field]["name"] for field in _computed(cls))


@functools.cache
def _computed(cls: type[Any]) -> Mapping[str, str]:
    tables = [COMPUTED.get(getattr(base, "wire_name", ""), {}) for base in reversed(cls.__mro__)]
    return {field: remedy for table in tables for field, remedy in table.items()}


def foreign(value: Any, origin: str | None, path: str) -> Iterator[Problem]:
    """Yield a problem for each record in ``value`` from a Company other than ``origin``.

    The ids of such a record and its references identify other records at ``origin``. If ``origin`` is None,
    yield nothing.
    """
    if isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from foreign(item, origin, f"{path}[{i}]")
    elif isinstance(value, Record) and origin is not None:
        if not is_own(value, origin):
            yield Problem(
                path,
                f"was read from {value.origin}; its id identifies another record at {origin}: read it there,"
                f" or pass {type(value).__name__}.ref(id) if the id is correct.",
                in_json="belongs to another Company.",
            )
            return
        for name in value.__wire__:
            yield from foreign(getattr(value, name), origin, f"{path}.{name}" if path else name)


def is_own(record: Record, origin: str | None) -> bool:
    """Return whether a record was created locally or read from ``origin``, and so may be sent there."""
    if record.origin is None or origin is None:
        return True
    return record.origin.casefold() == origin.casefold()  # facts 1: the service ignores case


def wire_path(cls: type[Record], path: str) -> str:
    """Translate a path of Python names, such as ``items[0].task``, to wire names."""
    owner: Any = cls
    names = []
    for step in path.split("."):
        name, bracket, index = step.partition("[")
        meta = None if owner is None else owner.__wire__.get(name)
        names.append(f"{meta['name'] if meta else name}{bracket}{index}")
        owner = registry.resolve(meta["of"]) if meta and meta["of"] and meta["type"] != "enum" else None
    return ".".join(names)


def _record(record: Record, path: str) -> Iterator[Problem]:
    for name, meta in record.__wire__.items():
        value = getattr(record, name)
        if value is not None:
            yield from _field(value, meta, f"{path}.{name}" if path else name)


def _mapping(content: Mapping[str, Any], cls: type[Record], path: str) -> Iterator[Problem]:
    _, documented = spellings(cls)  # type: ignore[arg-type]  # as in codec/dicts.py
    table = {meta["name"]: meta for meta in cls.__wire__.values()}
    for name, value in content.items():
        where = f"{path}.{name}" if path else str(name)
        meant = documented.get(str(name).lower())  # facts 3.3: names are case-insensitive
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
        in_json = f"is {json_kind_of(value)}; it must be a list."
        yield Problem(path, f"is {kind_of(value)}; it must be a list: send {remedy}.", in_json=in_json)


def _value(value: Any, meta: Wire, path: str) -> Iterator[Problem]:
    found = type_of(meta).check(value, meta)
    if found:
        yield Problem(path, *found)
    elif isinstance(value, Record):
        yield from _record(value, path)
    elif isinstance(value, dict) and meta["of"]:
        yield from _mapping(value, registry.resolve(meta["of"]), path)


_HINTS = {
    "ActionReasonId": "set it to the id of a reason, a record of WoActionReasonLookup",  # facts 4
    "CustomerId": "set it to the id of an existing customer",  # spec 4.4
    "WorkOrderId": "set it to the id of the work order",
}


def lacks(record: Record, *, new: bool = False) -> bool:
    """Return whether ``record`` lacks a required field; every create runs this check, so it must be fast."""
    cls: Any = type(record)  # mypy: records are unhashable, but their class is not
    return any(getattr(record, name) is None for name in _required(cls, new))


def missing(record: Record, *, new: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the name and remedy of each required field that is missing in ``record``.

    Only commands and ``new`` entities have required fields.
    """
    cls: Any = type(record)
    for name, remedy in _required(cls, new).items():
        if getattr(record, name) is None and record.__wire__[name]["name"] not in (record.extra or ()):
            yield name, f"is missing; {remedy}."


@functools.cache
def _required(cls: type[Any], new: bool) -> Mapping[str, str]:
    """Return the remedy for each required field, by the field's Python name."""
    if not issubclass(cls, Command):
        return NEEDED.get(cls.wire_name, {}) if new else {}
    return {
        name: _HINTS.get(meta["name"], f"{cls.wire_name} cannot be run without it")
        for name, meta in cls.__wire__.items()
        if meta.get("required")
    }
