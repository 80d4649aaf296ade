"""The base operations as commands (facts 5): Create, Update, Delete and Restore."""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.http.context import Desk
from wosdk_async.sandbox.http.errors import Refusal
from wosdk_async.sandbox.service.commands.registry import Arguments, command
from wosdk_async.sandbox.service.crud import create_entity, delete_entity, specifier, update_entity
from wosdk_async.sandbox.service.entity_schema import Shape, shape_of
from wosdk_async.sandbox.service.query.expressions import Row, pick
from wosdk_async.sandbox.service.query.selection import paths_of
from wosdk_async.sandbox.service.values import reference_id
from wosdk_async.sandbox.service.write import restore

__all__ = ["create_command", "delete_command", "restore_command", "update_command"]


@command("CreateCommand")
def create_command(desk: Desk, arguments: Arguments) -> Row:
    shape, entity = _typed(desk, arguments.get("Entity"))
    return create_entity(desk, shape, entity)


@command("UpdateCommand")
def update_command(desk: Desk, arguments: Arguments) -> Row:
    shape, entity = _typed(desk, arguments.get("Entity"))
    chosen = arguments.get("PropertySet")
    paths = paths_of(pick(chosen, "Properties") if isinstance(chosen, dict) else None)
    return update_entity(desk, shape, entity, list(paths))


@command("DeleteCommand")
def delete_command(desk: Desk, arguments: Arguments) -> Row:
    shape, key = _specified(desk, arguments.get("EntitySpecifier"))
    return delete_entity(desk, shape, str(key), missing_ok=False)


@command("RestoreCommand")
def restore_command(desk: Desk, arguments: Arguments) -> Row:
    shape, key = _specified(desk, arguments.get("EntitySpecifier"))
    row = desk.row(shape.name, key)
    restore(desk, shape, row)
    return specifier(shape, row)


def _typed(desk: Desk, entity: Any) -> tuple[Shape, dict[str, Any]]:
    """The entity and its type, named by a member ``EntityType`` (how REST names it is not shown; assumed)."""
    name = pick(entity, "EntityType") if isinstance(entity, dict) else None
    if not isinstance(name, str):
        raise Refusal(400, "ENTITYSPECIFIER_NOT_FOUND", "The entity names no EntityType.")
    return shape_of(name, desk.dialect), entity


def _specified(desk: Desk, specifier: Any) -> tuple[Shape, int]:
    name = pick(specifier, "EntityType") if isinstance(specifier, dict) else None
    key = reference_id(specifier)
    if not isinstance(name, str) or key is None:
        raise Refusal(400, "ENTITYSPECIFIER_NOT_FOUND", "EntitySpecifier is null or empty.")  # facts 6
    return shape_of(name, desk.dialect), key
