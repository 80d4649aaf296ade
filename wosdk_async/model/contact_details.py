"""Entities: contact details.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.bases import Entity, LockedEntity
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from decimal import Decimal

    from wosdk_async.model.enums import ActorType, ContactAddrType, GeoStatus, StreetAddrType


@define(kw_only=True, eq=False, repr=False)
class Address2(LockedEntity):
    """Street address of another record.

    Operations: retrieve, query. Not supported: create, update, delete. Part of its owner; written by updating
    the owner.
    """

    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object."""
    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object."""
    type_id: StreetAddrType | None = field(default=None, metadata=wire("TypeId", "enum", "StreetAddrType"))
    """Kind of the record."""
    street: str | None = field(default=None, metadata=wire("Street", "string"))
    """First street line."""
    street2: str | None = field(default=None, metadata=wire("Street2", "string"))
    """Second street line."""
    city: str | None = field(default=None, metadata=wire("City", "string"))
    """City name."""
    state: str | None = field(default=None, metadata=wire("State", "string"))
    """State or region."""
    zip: str | None = field(default=None, metadata=wire("Zip", "string"))
    """Postal code."""
    country: str | None = field(default=None, metadata=wire("Country", "string"))
    """Country."""
    geo_status_id: GeoStatus | None = field(default=None, metadata=wire("GeoStatusId", "enum", "GeoStatus"))
    """``GeoStatusId`` on the wire."""
    latitude: Decimal | None = field(default=None, metadata=wire("Latitude", "number"))
    """Latitude in degrees. Exact decimal."""
    longitude: Decimal | None = field(default=None, metadata=wire("Longitude", "number"))
    """Longitude in degrees. Exact decimal."""


@define(kw_only=True, eq=False, repr=False)
class Address(Entity):
    """Older street address shape.

    Operations: retrieve. Not supported: create, update, delete. Unknown: query. Read only.

    The specification calls the street address shape Address; on the wire it is Address2. The public schemas
    also keep an older read-only Address class with these names plus coordinates.
    """

    street: str | None = field(default=None, metadata=wire("Street", "string"))
    """First street line."""
    city: str | None = field(default=None, metadata=wire("City", "string"))
    """City name."""
    state: str | None = field(default=None, metadata=wire("State", "string"))
    """State or region."""
    zip: str | None = field(default=None, metadata=wire("Zip", "string"))
    """Postal code."""
    street2: str | None = field(default=None, metadata=wire("Street2", "string"))
    """Second street line."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. The legacy Address class in the public schemas has an integer here."""
    type_id: StreetAddrType | None = field(default=None, metadata=wire("TypeId", "enum", "StreetAddrType"))
    """Kind of the record. The legacy Address class in the public schemas has a single character here."""
    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object."""
    latitude: Decimal | None = field(default=None, metadata=wire("Latitude", "number"))
    """Latitude in degrees. Exact decimal."""
    longitude: Decimal | None = field(default=None, metadata=wire("Longitude", "number"))
    """Longitude in degrees. Exact decimal."""
    country: str | None = field(default=None, metadata=wire("Country", "string"))
    """Country."""


@define(kw_only=True, eq=False, repr=False)
class ContactAddress(Entity):
    """Older contact point.

    Operations: unknown.
    """

    type_id: ContactAddrType | None = field(default=None, metadata=wire("TypeId", "enum", "ContactAddrType"))
    """Kind of the record."""
    address: str | None = field(default=None, metadata=wire("Address", "string"))
    """Phone number, e-mail or other text."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record."""
    is_alert: bool | None = field(default=None, metadata=wire("IsAlert", "boolean"))
    """Receives alerts."""
    is_locked: bool | None = field(default=None, metadata=wire("IsLocked", "boolean"))
    """Locked against changes."""
    is_report: bool | None = field(default=None, metadata=wire("IsReport", "boolean"))
    """Receives reports."""


@define(kw_only=True, eq=False, repr=False)
class ContactInfo(LockedEntity):
    """Contact point of a record.

    Operations: unknown.
    """

    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object."""
    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object."""
    addr_type_id: ContactAddrType | None = field(
        default=None, metadata=wire("AddrTypeId", "enum", "ContactAddrType", required=True)
    )
    """Kind of contact point. Required on creation. The requirement is from a vendor sample."""
    address: str | None = field(default=None, metadata=wire("Address", "string", required=True))
    """Phone number, e-mail or other text. Required on creation. The requirement is from a vendor sample."""
    is_alert: bool | None = field(default=None, metadata=wire("IsAlert", "boolean"))
    """Receives alerts."""
    is_report: bool | None = field(default=None, metadata=wire("IsReport", "boolean"))
    """Receives reports."""
