"""How the console shows records: times in UTC, a label for each reference, the most telling columns."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import Any

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import REQUEST_MARKS, SCALARS, EntitySchema, schemas
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS
from wosdk_async.sandbox.schema.values import zone_of
from wosdk_async.sandbox.service.context import RequestContext

__all__ = ["columns", "label_field", "label_of", "label_paths", "opened_paths", "shown_record"]

_LABELS = ("DisplayAs", "Name", "Number", "Title", "LastName")
_MAX_COLUMNS = 6
_UNTOLD = REQUEST_MARKS | {"Id", "ConcurrencyId", "IsRemoved"}  # of little use in a list


def label_field(schema: EntitySchema) -> str | None:
    """Return the property that names a record to people, or None if it has only its Id."""
    fields = (schema.field(name) for name in _LABELS)
    return next((field.name for field in fields if field is not None and field.type == "string"), None)


def label_of(schema: EntitySchema, record: Record) -> str:
    """Return the display name of a record."""
    name = label_field(schema)
    return str(record.get(name) or "") if name else ""


def label_paths(schema: EntitySchema) -> Iterator[str]:
    """Yield the property paths that a read needs to name the records it refers to."""
    for field in schema.fields:
        target = schema.target(field)
        if field.type == "ref" and target is not None:
            yield f"{field.name}.{label_field(target) or 'Id'}"


def opened_paths(schema: EntitySchema) -> list[str]:
    """Return the property paths of a whole record, with names of references, own objects and lists."""
    whole = ["*", *label_paths(schema)]
    inner = (field for field in schema.fields if field.is_list or field.of in OWNED_OBJECTS)
    return [*whole, *(f"{field.name}.*" for field in inner if schema.target(field) is not None)]


@cache
def columns(schema: EntitySchema) -> tuple[Field, ...]:
    """Return the properties that a list shows: names, states, references, texts, times, then the others."""

    def rank(field: Field) -> int:
        if field.name in _LABELS:
            return 0
        return {"enum": 1, "ref": 2, "string": 3, "datetime-utc": 4, "datetime-local": 4}.get(field.type, 5)

    offered = [field for field in schema.fields if field.name not in _UNTOLD]
    known = [
        field
        for field in offered
        if field.type in SCALARS or (field.type == "ref" and schema.target(field) is not None)
    ]
    return tuple(sorted(known, key=rank)[:_MAX_COLUMNS])


def shown_record(context: RequestContext, schema: EntitySchema, data: Record) -> Record:
    """Return a record with each time as ``{"Time": UTC}``, also inside references and lists.

    A local time is in the zone of its record or its work order, else of the Company (not shown; assumed).
    """
    order = (
        context.find("WorkOrder", data["WorkOrderId"]) if isinstance(data.get("WorkOrderId"), int) else None
    )
    number = data.get("TimeZone") or (order or {}).get("TimeZone")
    zone = zone_of(number) if isinstance(number, int) and number else context.zone
    return {name: _shown(context, schema.field(name), value, zone) for name, value in data.items()}


def _shown(context: RequestContext, field: Field | None, value: Any, zone: tzinfo) -> Any:
    if field is None:
        return value
    if field.type in ("datetime-local", "datetime-utc"):
        return _time(value, zone if field.type == "datetime-local" else UTC)
    target = schemas().get(field.of or "")
    if target is None:
        return value
    if isinstance(value, list):
        return [shown_record(context, target, each) if isinstance(each, dict) else each for each in value]
    return shown_record(context, target, value) if isinstance(value, dict) else value


def _time(text: Any, zone: tzinfo) -> Any:
    try:
        moment = datetime.fromisoformat(str(text)[:19]).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return text
    return {"Time": moment.replace(tzinfo=None).isoformat() + "Z"}
