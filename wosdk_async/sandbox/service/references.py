"""References between records: checks on writes and deletes (spec 2.1, 3), and search for referrers.

Newly referenced records must exist, and referenced records cannot be deleted. Spec 3 shows the first rule for
creating work orders. Not shown; assumed: the first rule for other writes, and the second rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import attrs

from wosdk_async import catalogue
from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import EntitySchema, schemas
from wosdk_async.sandbox.schema.relations import (
    KIND_FIELDS,
    OWNED_OBJECTS,
    Relation,
    entity_of_kind,
    relation_of,
    relations,
)
from wosdk_async.sandbox.service.context import RequestContext, required_record
from wosdk_async.sandbox.storage.database import column, is_table

# Records that must name their owner. A Note without an owner was accepted (facts 3.9). Not shown; assumed:
# other records need no owner, either.
_OWNER_REQUIRED = {"WoNote": "WorkOrderId"}
# Id fields that are not named after the entity type they refer to. Not shown; assumed: the type.
_OTHER_POINTERS = {
    ("AssetTemplate", "RootAssetId"): "Location",
    ("Contact", "SupervisorId"): "Contact",
    ("CustomFieldAutocompleteOption", "DescriptorId"): "CustomFieldDescriptor",
    ("Employee", "LimitAssignmentByPortfolioId"): "Portfolio",
    ("Location", "ParentId"): "Location",
    ("MaterialTransaction", "SourceStockLocationId"): "StockLocation",
    ("MaterialTransactionItem", "SourceStockLocationId"): "StockLocation",
    ("Portfolio", "ParentPortfolioId"): "Portfolio",
    ("ToDoItem", "CompletedEmployeeId"): "Employee",
    ("ToDoItem", "CreatedEmployeeId"): "Employee",
    ("WoQuote", "WoId"): "WorkOrder",
    ("WpTree", "ChildWoId"): "WorkOrder",
}

_MAX_COUNT = 100  # counting stops here, because nobody needs exact large numbers

_Target = tuple[str, str, int]  # record member, entity type and id of the referenced record


def check_references(
    context: RequestContext, schema: EntitySchema, record: Record, before: Record | None = None
) -> None:
    """Check that newly referenced records exist and are not removed; ``before`` is the old record.

    Not shown; assumed: a required owner cannot be changed.
    """
    pointer = _OWNER_REQUIRED.get(schema.name)
    if pointer and not record[pointer]:
        raise required(pointer, schema.name)
    if pointer and before is not None and before[pointer] != record[pointer]:
        raise broken_rule(f"{pointer} of {schema.name} cannot be changed.")
    if before is None and context.unchecked is not None:
        context.unchecked.append((schema, record))
        return
    known = set(_targets(schema, before)) if before else ()
    for target in _targets(schema, record):
        if target not in known:
            name, entity, key = target
            required_record(context, entity, key, f"{name}: {entity}" if name.endswith("Id") else name)


def check_unreferenced(context: RequestContext, schema: EntitySchema, record: Record) -> None:
    """Refuse to delete a record if records that it does not own refer to it. Not shown; assumed."""
    owned = {(relation.child.name, relation.key) for relation in owned_relations(schema)}
    for entity, name, path in _members_naming(schema.name):
        found = None if (entity, name) in owned else context.referrer(entity, path, record["Id"])
        if found is not None and (entity, found["Id"]) != (schema.name, record["Id"]):
            text = f"{schema.name} {record['Id']} is in use: see {name} of {entity} {found['Id']}."
            raise broken_rule(text)


@cache
def owned_relations(schema: EntitySchema) -> tuple[Relation, ...]:
    """Return the relations between records of this type and records that they own."""
    owning = (field for field in schema.fields if field.is_list or field.of in OWNED_OBJECTS)
    return tuple(filter(None, (relation_of(schema.name, field) for field in owning)))


def _targets(schema: EntitySchema, record: Record) -> Iterator[_Target]:
    for name, entity in _naming_members(schema):
        value = record.get(name)
        key = value["Id"] if isinstance(value, dict) else value
        if key:
            yield name, entity, key
    for name, kind in KIND_FIELDS.items():
        owner = entity_of_kind().get(record.get(kind, ""))
        if owner is not None and record.get(name):
            yield name, owner, record[name]


@cache
def _naming_members(schema: EntitySchema) -> tuple[tuple[str, str], ...]:
    found = ((field.name, _target_of(schema, field.name)) for field in schema.fields)
    return tuple((name, target) for name, target in found if target is not None)


def _target_of(schema: EntitySchema, name: str) -> str | None:
    field = schema.by_name[name.lower()]
    target = None
    if field.type == "ref" and field.of not in OWNED_OBJECTS:
        target = field.of
    elif field.type == "integer" and name != "Id" and name.endswith("Id"):
        known = catalogue.load().entity(name.removesuffix("Id"))
        target = _OTHER_POINTERS.get((schema.name, name)) or _owner_by(schema.name, name)
        target = target or (known.name if known else None)
    return target if target in schemas() and is_table(target) else None


@cache
def _owner_by(child: str, key: str) -> str | None:
    """Return the single entity type that owns ``child`` records through the pointer ``key``."""
    found = {
        parent
        for (parent, _), each in relations().items()
        if (each.child.name, each.key, each.kind) == (child, key, None)
    }
    return found.pop() if len(found) == 1 else None


@cache
def _members_naming(entity: str) -> tuple[tuple[str, str, str], ...]:
    """Return all members that may refer to records of type ``entity``: type, name and JSON path."""
    return tuple(
        (schema.name, name, f"{name}.Id" if schema.by_name[name.lower()].type == "ref" else name)
        for schema in schemas().values()
        if is_table(schema.name)
        for name, target in _naming_members(schema)
        if target == entity
    )


# --- who refers to a record, including fields that point to a parent ----------------------------------


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
