"""Checks of references between records, on writes and deletes (spec 2.1 and 3).

Newly referenced records must exist, and referenced records cannot be deleted. Spec 3 shows the first rule for
creating work orders. Not shown; assumed: the first rule for other writes, and the second rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

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
from wosdk_async.sandbox.storage.database import is_table

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

_Target = tuple[str, str, int]  # record member, entity type and id of the referenced record


def check_references(
    context: RequestContext, schema: EntitySchema, record: Record, before: Record | None = None
) -> None:
    """Check that newly referenced records exist and are not removed; ``before`` is the old record.

    Not shown; assumed: a record that must name its owner cannot get another owner.
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
    for entity, name, path in _pointers_to(schema.name):
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
    for name, entity in _pointers(schema):
        value = record.get(name)
        key = value["Id"] if isinstance(value, dict) else value
        if key:
            yield name, entity, key
    for name, kind in KIND_FIELDS.items():
        owner = entity_of_kind().get(record.get(kind, ""))
        if owner is not None and record.get(name):
            yield name, owner, record[name]


@cache
def _pointers(schema: EntitySchema) -> tuple[tuple[str, str], ...]:
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
def _pointers_to(entity: str) -> tuple[tuple[str, str, str], ...]:
    """Return all members that may refer to records of type ``entity``: type, name and JSON path."""
    return tuple(
        (schema.name, name, f"{name}.Id" if schema.by_name[name.lower()].type == "ref" else name)
        for schema in schemas().values()
        if is_table(schema.name)
        for name, target in _pointers(schema)
        if target == entity
    )
