"""Whether the owner that a row names is there: a note, document or custom field of nobody is refused."""

from __future__ import annotations

from functools import cache

from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import EntitySchema
from wosdk_async.sandbox.schema.relations import Relation, relations
from wosdk_async.sandbox.service.context import RequestContext

__all__ = ["check_owner"]

# Rows that make no sense alone. Any other may leave its owner out: a Note without one was
# accepted (facts 3.9), for the rest it is not shown; assumed.
_NEVER_ALONE = {"WoNote": "WorkOrderId"}
_PARENTS = {"Location": {"ParentId": "Location"}}  # a tree without holes (not shown; assumed)


def check_owner(
    context: RequestContext, shape: EntitySchema, row: Record, before: Record | None = None
) -> None:
    """See that the row's owner exists.

    Args:
        before: what the row was before it was changed; None for a new one.

    Raises:
        Refusal: it names one that does not exist, or leaves one it belongs to for good (not shown; assumed).
    """
    needed = _NEVER_ALONE.get(shape.name)
    if needed and not row[needed]:
        raise required(needed, shape.name)
    if needed and before is not None and before[needed] != row[needed]:
        raise broken_rule(f"{needed} of {shape.name} cannot be changed.")
    for name, target in _PARENTS.get(shape.name, {}).items():
        if (
            row[name]
            and (before is None or before[name] != row[name])
            and context.find(target, row[name]) is None
        ):
            raise broken_rule(f"{name}: {target} with id {row[name]} is not found.")
    for parent, owned in _owners(shape.name):
        key = row.get(owned.key)
        fits = owned.kind is None or row.get(owned.kind) == owned.actor
        if key and fits and context.find(parent, key) is None:
            raise broken_rule(f"{parent} with id {key} is not found.")


@cache
def _owners(name: str) -> tuple[tuple[str, Relation], ...]:
    """Entity types that may own such a row: where the pointer alone tells which one it is."""
    found = {
        (parent, owned.key): owned for (parent, _), owned in relations().items() if owned.child.name == name
    }
    keys = [owned.key for owned in found.values() if owned.kind is None]
    return tuple(
        (parent, owned)
        for (parent, _), owned in found.items()
        if owned.kind is not None or keys.count(owned.key) == 1
    )
