"""Which records refer to which: by references, and by the fields in which a record names its parent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

import attrs

from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import relations
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.storage.tables import column, is_table

__all__ = ["Pointer", "pointers_from", "pointers_to", "referring"]

_COUNTED = 100  # more are not counted: a number that nobody reads


@attrs.frozen
class Pointer:
    """Property of ``source`` that holds the id of a ``target`` record.

    Args:
        path: such as ``Customer.Id`` or ``WorkOrderId``.
        kind: property that names the kind of target, where there are several kinds.
        actor: its value for this target.
    """

    source: str
    path: str
    target: str
    kind: str | None = None
    actor: str | None = None

    def key_in(self, record: Record) -> int | None:
        """Return the id that a stored record holds, or None if it leads to another kind or nowhere."""
        if self.kind and record.get(self.kind) != self.actor:
            return None
        name, _, inner = self.path.partition(".")
        value = record.get(name)
        key = value.get("Id") if inner and isinstance(value, dict) else value
        return key if isinstance(key, int) and key > 0 else None

    def conditions(self, key: int) -> list[Record]:
        """Return the query conditions for the records that point at the target with this id."""
        found: list[Record] = [{"PropertyName": self.path, "Operator": "Equal", "Values": [key]}]
        if self.kind:
            found.append({"PropertyName": self.kind, "Operator": "Equal", "Values": [self.actor]})
        return found


def pointers_from(entity: str) -> list[Pointer]:
    """Return the pointers of an entity type."""
    return [each for each in _pointers() if each.source == entity]


def pointers_to(entity: str) -> list[Pointer]:
    """Return the pointers of stored records that lead to an entity type."""
    return [each for each in _pointers() if each.target == entity and is_table(each.source)]


def referring(context: RequestContext, entity: str, key: int) -> list[Record]:
    """Return how many records point at a record, by type and property; only those that have any."""
    found = []
    for pointer in pointers_to(entity):
        count = _count(context, pointer, key)
        if count:
            more = count > _COUNTED
            found.append(
                {"Type": pointer.source, "Path": pointer.path} | {"Count": min(count, _COUNTED), "More": more}
            )
    return found


def _count(context: RequestContext, pointer: Pointer, key: int) -> int:
    condition, values = f"{column(pointer.path, 'integer')} = ?", [context.company.id, key]
    bound: list[object] = [*values]
    if pointer.kind:
        condition += f" AND {column(pointer.kind, 'enum')} = ?"
        bound.append(pointer.actor)
    text = (
        f'SELECT CAST(count(*) AS TEXT) FROM (SELECT 1 FROM "{pointer.source}" '  # noqa: S608 names of the catalogue
        f"WHERE company = ? AND {condition} LIMIT {_COUNTED + 1})"
    )
    return int(json.loads(str(context.store.select(text, bound)[0])))


@cache
def _pointers() -> tuple[Pointer, ...]:
    found: dict[tuple[str, str, str], Pointer] = {}
    for pointer in (*_references(), *_parents(), *_ids()):
        found.setdefault((pointer.source, pointer.path, pointer.target), pointer)
    return tuple(sorted(found.values(), key=lambda each: (each.source, each.path, each.target)))


def _references() -> Iterator[Pointer]:
    for schema in schemas().values():
        for field in schema.fields:
            target = schema.target(field)
            if field.type == "ref" and target is not None:
                yield Pointer(schema.name, f"{field.name}.Id", target.name)


def _parents() -> Iterator[Pointer]:
    for (parent, _), relation in relations().items():
        yield Pointer(relation.child.name, relation.key, parent, relation.kind, relation.actor)


def _ids() -> Iterator[Pointer]:
    """Yield properties such as ``CustomerId``, which are named after the type that they point at."""
    for schema in schemas().values():
        for field in schema.fields:
            name = field.name.removesuffix("Id")
            if field.type == "integer" and name != field.name and name in schemas():
                yield Pointer(schema.name, field.name, name)
