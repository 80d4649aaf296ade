"""Base calls on entities: create, retrieve, update, delete, and what a create responds."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from wosdk_async.sandbox.errors import Refusal, broken_rule, incorrect_model, missing_record
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case, load
from wosdk_async.sandbox.schema.entities import REQUEST_ONLY, SCALARS, EntitySchema, check_supported, schemas
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS
from wosdk_async.sandbox.schema.values import reference_id
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.operators import condition_sql
from wosdk_async.sandbox.service.query.selection import Selection, default_read, property_paths, selection
from wosdk_async.sandbox.service.update import plan, update
from wosdk_async.sandbox.service.write import create, delete
from wosdk_async.sandbox.storage.tables import column

__all__ = [
    "create_entity",
    "create_response",
    "delete_entity",
    "locate",
    "retrieve",
    "specifier",
    "update_entity",
]


def create_response(context: RequestContext, entity: str, row: Record) -> Record:
    """A row that was just made, in the form of the dialect."""
    return (
        _expanded(context, entity, row)
        if context.dialect.opens_created
        else default_read(context, entity, row)
    )


def _expanded(context: RequestContext, entity: str, row: Record) -> Record:
    """``row`` with its references opened one level deep; lists are empty as in spec 2.3."""
    data = _opened(context, schemas(context.dialect)[entity], row)
    for name, target in _references(schemas(context.dialect)[entity]):
        cut = row.get(name)
        if cut is not None:
            found = context.find(target.name, cut["Id"])
            data[name] = _opened(context, target, found) if found else cut
    return data


def _opened(context: RequestContext, shape: EntitySchema, row: Record) -> Record:
    """Scalars, empty lists and the two flags of spec 2.1."""
    return _scalars(shape).show(context, row) | _empty(shape)


@cache
def _scalars(shape: EntitySchema) -> Selection:
    names = {field.name for field in shape.fields if field.type in SCALARS}
    return selection(shape.name, tuple(sorted(names - REQUEST_ONLY)), shape.dialect)


@cache
def _empty(shape: EntitySchema) -> dict[str, Any]:
    return {field.name: [] for field in shape.fields if field.is_list}


@cache
def _references(shape: EntitySchema) -> tuple[tuple[str, EntitySchema], ...]:
    return tuple(
        (field.name, target)
        for field in shape.fields
        if field.type == "ref" and field.of not in OWNED_OBJECTS and (target := shape.target(field))
    )


def retrieve(context: RequestContext, shape: EntitySchema, key: str, properties: str | None) -> Record:
    """The reply to a read of one entity.

    Args:
        key: an integer, or the identifying fields as a JSON object (facts 3.1).
        properties: property paths joined by commas; none means the default read.
    """
    check_supported(shape, "Retrieve")
    chosen = selection(shape.name, property_paths((properties or "").split(",")), shape.dialect)
    data = chosen.show(context, locate(context, shape, key))
    return {"Data": data} | ({"Entities": [{"Data": data}]} if context.dialect.entities_envelope else {})


def create_entity(context: RequestContext, shape: EntitySchema, entity: object) -> Record:
    """The reply to a create: only the specifier comes back (facts 3.3)."""
    members = _members(entity)
    if shape.name == "AssetAttribute":
        raise _outside_parent("new", _whole(get_ignore_case(members, "AssetId")))
    check_supported(shape, "Create")
    return specifier(shape, create(context, shape, members))


def update_entity(context: RequestContext, shape: EntitySchema, entity: object, properties: object) -> Record:
    """The reply to an update by the grammar of facts 3.6."""
    members = _members(entity)
    if shape.name != "AssetAttribute":  # its refusal names the parent, which is in the row
        check_supported(shape, "Update")  # spec 4.9 rule 1, whatever row is named
    if isinstance(properties, dict):  # a PropertySet, as queries have it (not shown here; assumed)
        properties = get_ignore_case(properties, "Properties")
    if not isinstance(properties, list) or not properties:
        raise _insufficient()
    key = reference_id(members)
    if key is None:
        raise Refusal(400, "IDENTIFIER_NOT_FOUND", "Both inlineId and id are empty.")
    row = context.get(shape.name, key)
    if shape.name == "AssetAttribute":
        raise _outside_parent(key, row["AssetId"])
    update(context, shape, row, members, plan(shape, property_paths(properties)))
    return specifier(shape, row, versioned=context.dialect.update_shows_version)


def delete_entity(context: RequestContext, shape: EntitySchema, key: str, *, missing_ok: bool) -> Record:
    """The reply to a delete.

    Args:
        missing_ok: the header ``IgnoreMissingEntityOnDelete`` (facts 3.8).
    """
    if shape.name == "AssetAttribute":
        row = locate(context, shape, key)
        raise _outside_parent(row["Id"], row["AssetId"])
    check_supported(shape, "Delete")
    try:
        row = locate(context, shape, key)
    except Refusal as refusal:
        if refusal.code != "ERROR_CODE_1019" or (context.dialect.refuses_missing_delete and not missing_ok):
            raise
        return {"EntitySpecifier": {"EntityType": shape.name, "Id": _whole(key)}}
    delete(context, shape, row)
    return {"EntitySpecifier": {"EntityType": shape.name, "Id": row["Id"]}}


def specifier(shape: EntitySchema, row: Record, *, versioned: bool = True) -> Record:
    """``ConcurrencyId`` only for entities with a lock (facts 3.3)."""
    named = {"EntityType": shape.name, "Id": row["Id"]}
    lock = {"ConcurrencyId": row["ConcurrencyId"]} if versioned and shape.locked else {}
    return {"EntitySpecifier": lock | named}


def locate(context: RequestContext, shape: EntitySchema, key: str) -> Record:
    """The row that a path or query identifier names.

    Raises:
        Refusal: ``IDENTIFIER_NOT_FOUND``, ``DATA_PARSING_ERROR`` (facts 3.1) or ``ERROR_CODE_1019``.
    """
    if not key.strip():
        raise Refusal(400, "IDENTIFIER_NOT_FOUND", "Both inlineId and id are empty.")
    named = _identifier(key)
    if "Id" in named and len(named) == 1 and not shape.composite_key:
        return context.get(shape.name, named["Id"])
    found = _by_fields(context, shape, named)
    if found is None:
        raise missing_record(shape.name, key)
    return found


def _identifier(key: str) -> dict[str, Any]:
    try:
        value = load(key)
    except (msgspec.DecodeError, UnicodeDecodeError, ArithmeticError, RecursionError):
        value = None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
        return {"Id": value}
    if isinstance(value, dict) and value:
        return value
    raise Refusal(400, "DATA_PARSING_ERROR", "The identifier is neither an integer nor an entity.")


def _by_fields(context: RequestContext, shape: EntitySchema, named: dict[str, Any]) -> Record | None:
    conditions = ["company = ?"]
    values: list[object] = [context.company.id]
    for name, value in named.items():
        field = shape.field(name)
        if field is None or field.type in ("ref", "list", "object", "money"):
            raise Refusal(400, "DATA_PARSING_ERROR", f"{name} does not identify {shape.name}.")
        predicate, bound = condition_sql(column(field.name, field.type), field, "Equal", [value])
        conditions.append(predicate)
        values += bound
    text = f'SELECT body FROM "{shape.name}" WHERE {" AND ".join(conditions)} ORDER BY id LIMIT 1'  # noqa: S608
    return next(iter(context.store.select(text, values)), None)


def _outside_parent(key: object, parent: object) -> Refusal:
    # spec 4.9 rule 2; the wording is not shown
    return broken_rule(f"Change attribute {key} through its parent asset {parent}.")


def _members(entity: object) -> dict[str, Any]:
    if entity is None:
        raise _insufficient()
    if not isinstance(entity, dict):
        raise incorrect_model("Entity must be an object.")
    return entity


def _insufficient() -> Refusal:
    # spec 7: an insufficient PUT body was answered so
    return Refusal(400, "EMPTY_INPUT_PARAMETER", "Field 'body' is null or empty.")


def _whole(value: object) -> int:
    return int(value) if isinstance(value, int | str) and str(value).strip().isdecimal() else 0
