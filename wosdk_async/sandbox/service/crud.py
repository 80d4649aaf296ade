"""Calls below ``/base/``, commands that do the same (facts 5), and responses with created records."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from wosdk_async.sandbox.errors import Refusal, broken_rule, incorrect_model, missing_record
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case, load
from wosdk_async.sandbox.schema.entities import (
    REQUEST_ONLY,
    SCALARS,
    EntitySchema,
    check_supported,
    find_schema,
    schemas,
)
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS
from wosdk_async.sandbox.schema.values import reference_id
from wosdk_async.sandbox.service.context import Arguments, RequestContext
from wosdk_async.sandbox.service.query.operators import condition_sql
from wosdk_async.sandbox.service.query.selection import ON_CREATE_ONLY, Selection, property_paths, selection
from wosdk_async.sandbox.service.update import plan_update, update
from wosdk_async.sandbox.service.write import create, delete, restore
from wosdk_async.sandbox.storage.database import column


def create_response(context: RequestContext, entity: str, record: Record, *lists: str) -> Record:
    """Return a record that a command created, in the dialect's format, including the named ``lists``."""
    schema = schemas(context.dialect)[entity]
    if not context.dialect.opens_created:
        shown = [name for name in ON_CREATE_ONLY if name.lower() in schema.by_name]
        return selection(entity, ("*", *shown), context.dialect).show(context, record)
    data = _show_opened(context, schema, record) | selection(entity, lists).show(context, record)
    for name, target in _references(schema):
        reference = record.get(name)
        if reference is not None:
            found = context.find(target.name, reference["Id"])
            data[name] = _show_opened(context, target, found) if found else reference
    return data


def _show_opened(context: RequestContext, schema: EntitySchema, record: Record) -> Record:
    """Return a record's scalars, including the two flags of spec 2.1, with all lists empty (spec 2.3)."""
    return _scalars(schema).show(context, record) | _empty_lists(schema)


@cache
def _scalars(schema: EntitySchema) -> Selection:
    names = {field.name for field in schema.fields if field.type in SCALARS}
    return selection(schema.name, tuple(sorted(names - REQUEST_ONLY)), schema.dialect)


@cache
def _empty_lists(schema: EntitySchema) -> dict[str, Any]:
    return {field.name: [] for field in schema.fields if field.is_list}


@cache
def _references(schema: EntitySchema) -> tuple[tuple[str, EntitySchema], ...]:
    return tuple(
        (field.name, target)
        for field in schema.fields
        if field.type == "ref" and field.of not in OWNED_OBJECTS and (target := schema.target(field))
    )


# spec 2.8: an asset as returned by retrieve has its Attributes, each with its Descriptor
_SPEC_DEFAULTS = {"Location": ("*", "Attributes.*", "Attributes.Descriptor.*", "Documents.*")}


def retrieve(context: RequestContext, schema: EntitySchema, key: str, properties: str | None) -> Record:
    """Return the response to a read of one entity; ``properties`` are comma-separated property paths."""
    check_supported(schema, "Retrieve")
    paths = property_paths((properties or "").split(","))
    if not properties and context.dialect.entities_envelope:
        paths = _SPEC_DEFAULTS.get(schema.name, paths)
    data = selection(schema.name, paths, schema.dialect).show(context, _find_identified(context, schema, key))
    return {"Data": data} | ({"Entities": [{"Data": data}]} if context.dialect.entities_envelope else {})


def create_entity(context: RequestContext, schema: EntitySchema, entity: object) -> Record:
    """Create an entity and return its specifier as the response (facts 3.3)."""
    members = _require_members(entity)
    if schema.name == "AssetAttribute":
        raise _outside_parent("(new)", _int_or_zero(get_ignore_case(members, "AssetId")))
    check_supported(schema, "Create")
    return specifier(schema, create(context, schema, members))


def update_entity(
    context: RequestContext, schema: EntitySchema, entity: object, properties: object
) -> Record:
    """Update the named properties of an entity (facts 3.6) and return the response."""
    members = _require_members(entity)
    if schema.name != "AssetAttribute":  # refused below, once its parent is known
        check_supported(schema, "Update")  # spec 4.9 rule 1; checked before the record is looked up
    if isinstance(properties, dict):  # not shown; assumed: a PropertySet, as in queries
        properties = get_ignore_case(properties, "Properties")
    if not isinstance(properties, list) or not properties:
        raise _insufficient()
    key = reference_id(members)
    if key is None:
        raise Refusal(400, "IDENTIFIER_NOT_FOUND", "Both inlineId and id are empty.")
    record = context.get(schema.name, key)
    if schema.name == "AssetAttribute":
        raise _outside_parent(key, record["AssetId"])
    update(context, schema, record, members, plan_update(schema, property_paths(properties)))
    return specifier(schema, record, versioned=context.dialect.update_shows_version)


def delete_entity(context: RequestContext, schema: EntitySchema, key: str, *, missing_ok: bool) -> Record:
    """Delete an entity; ``missing_ok`` is the header ``IgnoreMissingEntityOnDelete`` (facts 3.8)."""
    if schema.name == "AssetAttribute":
        record = _find_identified(context, schema, key)
        raise _outside_parent(record["Id"], record["AssetId"])
    check_supported(schema, "Delete")
    try:
        record = _find_identified(context, schema, key)
    except Refusal as refusal:
        if refusal.code != "ERROR_CODE_1019" or (context.dialect.refuses_missing_delete and not missing_ok):
            raise
        return {"EntitySpecifier": {"EntityType": schema.name, "Id": _int_or_zero(key)}}
    delete(context, schema, record)
    return {"EntitySpecifier": {"EntityType": schema.name, "Id": record["Id"]}}


def specifier(schema: EntitySchema, record: Record, *, versioned: bool = True) -> Record:
    """Return a record's type and id, and the ``ConcurrencyId`` of a versioned record (facts 3.3)."""
    named = {"EntityType": schema.name, "Id": record["Id"]}
    lock = {"ConcurrencyId": record["ConcurrencyId"]} if versioned and schema.versioned else {}
    return {"EntitySpecifier": lock | named}


def _find_identified(context: RequestContext, schema: EntitySchema, key: str) -> Record:
    """Return the record for an integer id, or for identifying fields as a JSON object (facts 3.1)."""
    if not key.strip():
        raise Refusal(400, "IDENTIFIER_NOT_FOUND", "Both inlineId and id are empty.")
    identifier = _parse_identifier(key)
    if "Id" in identifier and len(identifier) == 1 and not schema.composite_key:
        return context.get(schema.name, identifier["Id"])
    found = _find_by_fields(context, schema, identifier)
    if found is None:
        raise missing_record(schema.name, key)
    return found


def _parse_identifier(key: str) -> dict[str, Any]:
    try:
        value = load(key)
    except (msgspec.DecodeError, UnicodeDecodeError, ArithmeticError, RecursionError):
        value = None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
        return {"Id": value}
    if isinstance(value, dict) and value:
        return value
    raise Refusal(400, "DATA_PARSING_ERROR", "The identifier is neither an integer nor an entity.")


def _find_by_fields(context: RequestContext, schema: EntitySchema, named: dict[str, Any]) -> Record | None:
    conditions: list[str] = []
    values: list[object] = []
    for name, value in named.items():
        field = schema.field(name)
        if field is None or field.type in ("ref", "list", "object", "money"):
            raise Refusal(400, "DATA_PARSING_ERROR", f"{name} does not identify {schema.name}.")
        predicate, bound = condition_sql(column(field.name, field.type), field, "Equal", [value])
        conditions.append(predicate)
        values += bound
    return context.first(schema.name, " AND ".join(conditions), *values)


def _outside_parent(key: object, parent: object) -> Refusal:
    # spec 4.9 rule 2. Not shown; assumed: the wording
    return broken_rule(f"Change attribute {key} through its parent asset {parent}.")


def _require_members(entity: object) -> dict[str, Any]:
    if entity is None:
        raise _insufficient()
    if not isinstance(entity, dict):
        raise incorrect_model("Entity must be an object.")
    return entity


def _insufficient() -> Refusal:
    # spec 7: the error for an insufficient PUT body
    return Refusal(400, "EMPTY_INPUT_PARAMETER", "Field 'body' is null or empty.")


def _int_or_zero(value: object) -> int:
    return int(value) if isinstance(value, int | str) and str(value).strip().isdecimal() else 0


# --- commands ----------------------------------------------------------------------------------


def create_record(context: RequestContext, arguments: Arguments) -> Record:
    """Create a record, as POST does."""
    schema, entity = _typed_entity(context, arguments.get("Entity"))
    return create_entity(context, schema, entity)


def update_record(context: RequestContext, arguments: Arguments) -> Record:
    """Update a record, as PUT does."""
    schema, entity = _typed_entity(context, arguments.get("Entity"))
    chosen = arguments.get("PropertySet")
    paths = property_paths(get_ignore_case(chosen, "Properties") if isinstance(chosen, dict) else None)
    return update_entity(context, schema, entity, list(paths))


def delete_record(context: RequestContext, arguments: Arguments) -> Record:
    """Delete a record, as DELETE does."""
    schema, key = _parse_specifier(context, arguments.get("EntitySpecifier"))
    return delete_entity(context, schema, str(key), missing_ok=False)


def restore_record(context: RequestContext, arguments: Arguments) -> Record:
    """Restore a removed record."""
    schema, key = _parse_specifier(context, arguments.get("EntitySpecifier"))
    record = context.get(schema.name, key)
    restore(context, schema, record)
    return specifier(schema, record)


def _typed_entity(context: RequestContext, entity: Any) -> tuple[EntitySchema, dict[str, Any]]:
    """Return a sent entity's type and members. Not shown; assumed: its ``EntityType`` names the type."""
    name = get_ignore_case(entity, "EntityType") if isinstance(entity, dict) else None
    if not isinstance(name, str):
        raise Refusal(400, "ENTITYSPECIFIER_NOT_FOUND", "The entity has no EntityType.")
    return find_schema(name, context.dialect), entity


def _parse_specifier(context: RequestContext, sent: Any) -> tuple[EntitySchema, int]:
    name = get_ignore_case(sent, "EntityType") if isinstance(sent, dict) else None
    key = reference_id(sent)
    if not isinstance(name, str) or key is None:
        raise Refusal(400, "ENTITYSPECIFIER_NOT_FOUND", "EntitySpecifier is null or empty.")  # facts 6
    return find_schema(name, context.dialect), key
