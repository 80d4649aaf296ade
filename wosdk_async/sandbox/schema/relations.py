"""Relations between parent and child records, by the child's pointer field.

The pointer is the first of these fields that the child has: ``{Parent}Id``, the names in
``_OTHER_NAMES``, ``ParentId``, ``ActorId``, ``ObjectId``. For the last three, another field may give the
parent's kind. List elements without a pointer are stored inside the parent.
"""

from __future__ import annotations

from functools import cache

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.schema.entities import EntitySchema, schemas

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
_WITHOUT_POINTER = {"PaymentItem"}  # its ObjectId names the paid object, not the payment

# Entity type -> its actor type: facts 9 for WO, LeaseUser, Employee and CommLease, spec 2.10 for
# CommLeaseSpace. Not shown; assumed: the others, by name.
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

# Entity types of single owned records, which default reads omit (facts 3.4).
OWNED_OBJECTS = frozenset({"Address2", "AssetInfo", "WoQuote", "WoEstimate", "WoNote", "ContactInfo", "Blob"})

# (entity type, reference to a record with the same Id) (facts 5, Shape of a result).
SAME_ID = frozenset({("WorkOrder", "WorkOrderCost"), ("WorkOrder", "LastAction")})


@attrs.frozen
class Relation:
    """Fields by which ``child`` records point to their parent."""

    child: EntitySchema
    key: str  # field for the parent's id
    kind: str | None = None  # field for the parent's actor type
    actor: str | None = None  # value of that field

    def fields(self, parent_id: int) -> dict[str, object]:
        """Return the members that assign a child to the parent with the id ``parent_id``."""
        named: dict[str, object] = {self.key: parent_id}
        return named | {self.kind: self.actor} if self.kind else named


@cache
def relation_of(parent: str, field: Field) -> Relation | None:
    """Return the relation for a list or object field; None if its records are stored inside ``parent``."""
    child = schemas().get(field.of or "")
    if child is None or child.name in _WITHOUT_POINTER:
        return None
    candidates = (f"{parent}Id", *_OTHER_NAMES.get(parent, ()), *_ANY_PARENT)
    key = next((name for name in candidates if name.lower() in child.by_name), None)
    if key is None:
        return None
    kind = KIND_FIELDS.get(key)
    if kind is None or kind.lower() not in child.by_name:
        return Relation(child, key)
    return Relation(child, key, kind, _ACTOR_KINDS.get(parent, parent))


@cache
def entity_of_kind() -> dict[str, str]:
    """Return the entity type of each actor kind; some kinds have none."""
    return {_ACTOR_KINDS.get(name, name): name for name in schemas()}


def relations() -> dict[tuple[str, str], Relation]:
    """Return the relation of each list, by parent and field name."""
    found = {
        (schema.name, field.name): relation_of(schema.name, field)
        for schema in schemas().values()
        for field in schema.fields
        if field.is_list
    }
    return {key: value for key, value in found.items() if value is not None}
