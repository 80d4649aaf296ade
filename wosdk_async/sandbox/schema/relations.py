"""Relations: which records belong to a parent, by the field of the child that points at it.

The pointer is the first of these fields that the child has: ``{Parent}Id``, the parent's other name in
``_OTHER_NAMES``, then ``ParentId``, ``ActorId`` or ``ObjectId`` (with the parent's kind beside it). Elements
of a list without such a field are kept inside the parent.
"""

from __future__ import annotations

from functools import cache

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.schema.entities import EntitySchema, schemas

__all__ = [
    "KIND_FIELDS",
    "OWNED_OBJECTS",
    "SAME_ID",
    "Relation",
    "actor_types",
    "list_of",
    "relation_of",
    "relations",
]

_OTHER_NAMES = {
    "WorkOrder": ("WoId",),
    "WorkOrderCost": ("WoId",),
    "Employee": ("UserId", "ProviderId"),
    "Location": ("AssetId",),
    "BillingAccount": ("CustomerGroupId",),
    "MaterialTransaction": ("TransactionId",),
}
_ANY_PARENT = ("ParentId", "ActorId", "ObjectId")
KIND_FIELDS = {"ParentId": "ParentTypeId", "ActorId": "ActorTypeId", "ObjectId": "ObjectTypeId"}
_NOT_POINTERS = {"PaymentItem"}  # its ObjectId names what is paid for, not the payment

# The actor type of an owner: facts 9 for WO, LeaseUser, Employee and CommLease, spec 2.10 for
# CommLeaseSpace; the others by name (assumed).
_ACTOR_KINDS = {
    "WorkOrder": "WO",
    "Customer": "CommLease",
    "Contact": "LeaseUser",
    "Location": "Asset",
    "Space": "CommLeaseSpace",
    "WorkZone": "Property",
    "BillingAccount": "LeaseGroup",
    "Organization": "Org",
    "StockLocation": "MhLocation",
    "Product": "MhProduct",
    "WoEstimate": "Estimate",
    "WoQuote": "Quote",
}

# Single references whose record belongs to the parent: a default read leaves them out (facts 3.4).
OWNED_OBJECTS = frozenset({"Address2", "AssetInfo", "WoQuote", "WoEstimate", "WoNote", "ContactInfo", "Blob"})

# Owned records whose Id is the parent's own (facts 5, Shape of a result).
SAME_ID = frozenset({("WorkOrder", "WorkOrderCost"), ("WorkOrder", "LastAction")})


@attrs.frozen
class Relation:
    """Field ``key`` by which records of ``child`` point at their parent.

    Args:
        kind: the field that holds the parent's actor type, if there is one.
        actor: the parent's actor type.
    """

    child: EntitySchema
    key: str
    kind: str | None = None
    actor: str | None = None

    def fields(self, parent_id: int) -> dict[str, object]:
        """Return the members that make a child belong to the parent with this id."""
        named: dict[str, object] = {self.key: parent_id}
        return named | {self.kind: self.actor} if self.kind else named


@cache
def relation_of(parent: str, field: Field) -> Relation | None:
    """Return the relation behind a list or object of ``parent``; None if the parent keeps it inside."""
    child = schemas().get(field.of or "")
    if child is None or child.name in _NOT_POINTERS:
        return None
    candidates = (f"{parent}Id", *_OTHER_NAMES.get(parent, ()), *_ANY_PARENT)
    key = next((name for name in candidates if name.lower() in child.by_name), None)
    if key is None:
        return None
    kind = KIND_FIELDS.get(key, "")
    if kind.lower() not in child.by_name:
        return Relation(child, key)
    return Relation(child, key, kind, _ACTOR_KINDS.get(parent, parent))


@cache
def actor_types() -> dict[str, str]:
    """Return the entity type that each kind of actor stands for; some kinds stand for none."""
    return {_ACTOR_KINDS.get(name, name): name for name in schemas()}


def list_of(child: str, key: str) -> Relation:
    """Return the relation of the records of ``child`` whose field ``key`` points at their parent."""
    return Relation(schemas()[child], key)


def relations() -> dict[tuple[str, str], Relation]:
    """Return the relation of every list, by parent and field name."""
    found = {
        (schema.name, field.name): relation_of(schema.name, field)
        for schema in schemas().values()
        for field in schema.fields
        if field.is_list
    }
    return {key: value for key, value in found.items() if value is not None}
