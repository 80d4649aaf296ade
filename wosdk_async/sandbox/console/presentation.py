"""Record display in the console: UTC times, reference labels, columns, and referring records."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import Any

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import REQUEST_MARKS, SCALARS, EntitySchema, schemas
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS, relations
from wosdk_async.sandbox.schema.values import zone_of
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.storage.database import column, is_table

_LABELS = ("DisplayAs", "Name", "Number", "Title", "LastName")
_MAX_COLUMNS = 6
_MAX_COUNT = 100  # counting stops here, because nobody needs exact large numbers
_NOT_LISTED = REQUEST_MARKS | {"Id", "ConcurrencyId", "IsRemoved"}  # not useful in a list


def _label_field(schema: EntitySchema) -> str | None:
    """Return the property that holds a record's display name; None if the type has no such property."""
    fields = (schema.field(name) for name in _LABELS)
    return next((field.name for field in fields if field is not None and field.type == "string"), None)


def label_of(schema: EntitySchema, record: Record) -> str:
    """Return the display name of a record; empty if it has none."""
    name = _label_field(schema)
    return str(record.get(name) or "") if name else ""


def label_paths(schema: EntitySchema) -> Iterator[str]:
    """Yield the property paths needed to label a record's references."""
    for field in schema.fields:
        target = schema.target(field)
        if field.type == "ref" and target is not None:
            yield f"{field.name}.{_label_field(target) or 'Id'}"


def opened_paths(schema: EntitySchema) -> list[str]:
    """Return the property paths for a full record: reference names, owned objects and lists."""
    whole = ["*", *label_paths(schema)]
    inner = (field for field in schema.fields if field.is_list or field.of in OWNED_OBJECTS)
    return [*whole, *(f"{field.name}.*" for field in inner if schema.target(field) is not None)]


@cache
def columns(schema: EntitySchema) -> tuple[Field, ...]:
    """Return list columns in order: names, states, references, text, times, then the others."""

    def rank(field: Field) -> int:
        if field.name in _LABELS:
            return 0
        return {"enum": 1, "ref": 2, "string": 3, "datetime-utc": 4, "datetime-local": 4}.get(field.type, 5)

    offered = [field for field in schema.fields if field.name not in _NOT_LISTED]
    known = [
        field
        for field in offered
        if field.type in SCALARS or (field.type == "ref" and schema.target(field) is not None)
    ]
    return tuple(sorted(known, key=rank)[:_MAX_COLUMNS])


def shown_record(context: RequestContext, schema: EntitySchema, data: Record) -> Record:
    """Return a record with each time as ``{"Time": UTC}``, including inside references and lists.

    Not shown; assumed: local times are in the zone of the record or its work order, else the Company's.
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


# --- references between records, including fields that point to a parent -----------------------------------


@attrs.frozen
class Pointer:
    """Property of ``source`` records, such as ``Customer.Id``, that holds the id of a ``target`` record."""

    source: str
    path: str
    target: str
    kind: str | None = None  # property with the target's actor type, if several types are possible
    actor: str | None = None  # actor type of this target

    def key_in(self, record: Record) -> int | None:
        """Return the target id in a stored record; None if it points to nothing or to another type."""
        if self.kind and record.get(self.kind) != self.actor:
            return None
        name, _, inner = self.path.partition(".")
        value = record.get(name)
        key = value.get("Id") if inner and isinstance(value, dict) else value
        return key if isinstance(key, int) and key > 0 else None

    def conditions(self, key: int) -> list[Record]:
        """Return query conditions for the records that point to a target id."""
        found: list[Record] = [{"PropertyName": self.path, "Operator": "Equal", "Values": [key]}]
        if self.kind:
            found.append({"PropertyName": self.kind, "Operator": "Equal", "Values": [self.actor]})
        return found


def pointers_to(entity: str) -> list[Pointer]:
    """Return the pointers from stored records to an entity type."""
    return [each for each in pointers() if each.target == entity and is_table(each.source)]


def referrer_counts(context: RequestContext, entity: str, key: int) -> list[Record]:
    """Return how many records point to a record, by type and property, omitting zeros."""
    counts = [(pointer, _count(context, pointer, key)) for pointer in pointers_to(entity)]
    return [
        {"Type": each.source, "Path": each.path, "Count": min(count, _MAX_COUNT), "More": count > _MAX_COUNT}
        for each, count in counts
        if count
    ]


def _count(context: RequestContext, pointer: Pointer, key: int) -> int:
    condition, values = f"{column(pointer.path, 'integer')} = ?", list[object]([context.company.id, key])
    if pointer.kind:
        condition += f" AND {column(pointer.kind, 'enum')} = ?"
        values.append(pointer.actor)
    rows = f'SELECT 1 FROM "{pointer.source}" WHERE company = ? AND {condition} LIMIT {_MAX_COUNT + 1}'  # noqa: S608 known names
    return context.store.count(f"({rows})", values)


@cache
def pointers() -> tuple[Pointer, ...]:
    """Return the pointers of all entity types, sorted."""
    found: dict[tuple[str, str, str], Pointer] = {}
    parents = (
        Pointer(relation.child.name, relation.key, parent, relation.kind, relation.actor)
        for (parent, _), relation in relations().items()
    )
    for pointer in (*parents, *_references()):
        found.setdefault((pointer.source, pointer.path, pointer.target), pointer)
    return tuple(sorted(found.values(), key=lambda each: (each.source, each.path, each.target)))


def _references() -> Iterator[Pointer]:
    """Yield pointers for references, and for ids named after their target type, such as ``CustomerId``."""
    for schema in schemas().values():
        for field in schema.fields:
            target, name = schema.target(field), field.name.removesuffix("Id")
            if field.type == "ref" and target is not None:
                yield Pointer(schema.name, f"{field.name}.Id", target.name)
            elif field.type == "integer" and name != field.name and name in schemas():
                yield Pointer(schema.name, field.name, name)
