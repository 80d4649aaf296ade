"""Answers made from the catalogue: every field has a value of its type."""

from __future__ import annotations

from typing import Any

from wosdk_async.catalogue import Command, Entity, Field, load

__all__ = ["record", "result"]

_MONEY = {"CurrencyTypeId": 840, "Value": 100.0}
_VALUES: dict[str, Any] = {
    "integer": 1,
    "number": 1.5,
    "boolean": False,
    "datetime-local": "2025-03-03T09:00:00",
    "datetime-utc": "2025-03-03T15:00:00Z",
    "money": _MONEY,
    "ref": {"Id": 1},
}


def record(entity: Entity, id: int = 1) -> dict[str, Any]:
    """A record as a default read shows it: scalars, references cut to ``Id``, no lists."""
    # facts 3.4
    return {field.name: _value(field) for field in entity.fields if not field.is_list} | {"Id": id}


def result(command: Command) -> dict[str, Any]:
    """The result of a command that was done: what it refers to is opened once, lists have one element."""
    fields = (field for field in command.response if field.of != "ErrorInfo")  # only of commands that failed
    return {field.name: [_opened(field)] if field.is_list else _opened(field) for field in fields}


def _opened(field: Field) -> Any:
    entity = load().entities.get(field.of or "")
    return record(entity) if field.kind in ("ref", "object") and entity is not None else _value(field)


def _value(field: Field) -> Any:
    if field.kind == "string":
        return field.name[: field.max_length]
    if field.kind == "enum":
        enum = load().enums.get(field.of or "")
        return enum.values[0].name if enum and enum.values else field.name
    return _VALUES.get(field.kind, {})
