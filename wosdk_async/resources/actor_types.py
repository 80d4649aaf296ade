"""The ``ActorTypeId`` by which the service names the entity type of an owner."""

from __future__ import annotations

__all__ = ["ACTOR_TYPES", "CUSTOM_FIELD_TYPES"]

ACTOR_TYPES = {
    "WorkOrder": "WO",  # spec 2.3; facts 9
    "Customer": "CommLease",  # facts 9: seems so
    "Contact": "LeaseUser",  # facts 9
    "Employee": "Employee",  # facts 9
    "Space": "CommLeaseSpace",  # spec 2.10
    "Location": "Asset",  # by its name (assumed)
}
"""Entity type -> type of the owner of a document."""

CUSTOM_FIELD_TYPES = {name: ACTOR_TYPES[name] for name in ("WorkOrder", "Contact", "Customer")}
"""Entity type -> type of the owner of a custom field.

An Employee is not here: its record says whether it is an Employee or a Provider (facts 9). Of the others
the type is not known for custom fields, and the caller gives it.
"""
