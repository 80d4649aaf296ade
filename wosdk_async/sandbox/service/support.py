"""Which base operations an entity type takes (spec 4.9 rule 1, facts 3.9)."""

from __future__ import annotations

from wosdk_async.sandbox.errors import custom_command, unsupported
from wosdk_async.sandbox.service.entity_schema import EntitySchema

__all__ = ["check_supported", "is_read_only"]

# Operations that a command of the entity replaces (facts 3.9; Space by spec 4.4, its code assumed).
_CUSTOM_COMMANDS = {
    ("Create", "WorkZone"): "WorkZone/Create",
    # facts 5: the short form was answered COMMAND_NOT_FOUND; the full name is in the schema
    ("Delete", "WorkZone"): "WorkZoneDeleteCommand",
    ("Delete", "Portfolio"): "Portfolio/Delete",
    ("Create", "Space"): "Space/Create",
}
_THROUGH_PARENT = frozenset({"AssetAttribute"})  # spec 4.9 rule 2: changed in the list of its asset


def check_supported(shape: EntitySchema, operation: str) -> None:
    """See that the entity type takes an operation; unknown support counts as supported.

    Raises:
        Refusal: ``ERROR_CODE_1000``, or ``CUSTOM_COMMAND_ERROR`` with the command's path.
    """
    path = _CUSTOM_COMMANDS.get((operation, shape.name))
    if path is not None:
        raise custom_command(shape.name, path)
    if shape.operations.get(operation.lower()) is False:
        raise unsupported(operation, shape.name)


def is_read_only(shape: EntitySchema) -> bool:
    """Return whether no base operation writes records of this type, not even through their owner."""
    # facts 3.9: the read-only types; that a PUT of their owner does not write them either is assumed
    writes = (shape.operations.get(name) for name in ("create", "update", "delete"))
    return shape.name not in _THROUGH_PARENT and all(allowed is False for allowed in writes)
