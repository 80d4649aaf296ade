"""The base operations as commands (facts 5): Create, Update, Delete and Restore."""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import EntitySchema, find_schema
from wosdk_async.sandbox.schema.values import reference_id
from wosdk_async.sandbox.service.commands.registry import Arguments, command
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.crud import create_entity, delete_entity, specifier, update_entity
from wosdk_async.sandbox.service.query.selection import property_paths
from wosdk_async.sandbox.service.write import restore

__all__ = ["create_command", "delete_command", "restore_command", "update_command"]


@command("CreateCommand")
def create_command(context: RequestContext, arguments: Arguments) -> Record:
    shape, entity = _typed(context, arguments.get("Entity"))
    return create_entity(context, shape, entity)


@command("UpdateCommand")
def update_command(context: RequestContext, arguments: Arguments) -> Record:
    shape, entity = _typed(context, arguments.get("Entity"))
    chosen = arguments.get("PropertySet")
    paths = property_paths(get_ignore_case(chosen, "Properties") if isinstance(chosen, dict) else None)
    return update_entity(context, shape, entity, list(paths))


@command("DeleteCommand")
def delete_command(context: RequestContext, arguments: Arguments) -> Record:
    shape, key = _specified(context, arguments.get("EntitySpecifier"))
    return delete_entity(context, shape, str(key), missing_ok=False)


@command("RestoreCommand")
def restore_command(context: RequestContext, arguments: Arguments) -> Record:
    shape, key = _specified(context, arguments.get("EntitySpecifier"))
    row = context.get(shape.name, key)
    restore(context, shape, row)
    return specifier(shape, row)


def _typed(context: RequestContext, entity: Any) -> tuple[EntitySchema, dict[str, Any]]:
    """The entity and its type, named by a member ``EntityType`` (how REST names it is not shown; assumed)."""
    name = get_ignore_case(entity, "EntityType") if isinstance(entity, dict) else None
    if not isinstance(name, str):
        raise Refusal(400, "ENTITYSPECIFIER_NOT_FOUND", "The entity names no EntityType.")
    return find_schema(name, context.dialect), entity


def _specified(context: RequestContext, specifier: Any) -> tuple[EntitySchema, int]:
    name = get_ignore_case(specifier, "EntityType") if isinstance(specifier, dict) else None
    key = reference_id(specifier)
    if not isinstance(name, str) or key is None:
        raise Refusal(400, "ENTITYSPECIFIER_NOT_FOUND", "EntitySpecifier is null or empty.")  # facts 6
    return find_schema(name, context.dialect), key
