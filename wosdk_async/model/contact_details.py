"""Entities: contact details.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model._wire import wire
from wosdk_async.model.bases import Entity, LockedEntity

if TYPE_CHECKING:
    from decimal import Decimal

    from wosdk_async.model.enums import ActorType, ContactAddrType, GeoStatus, StreetAddrType


@define(kw_only=True, eq=False, repr=False)
class Address2(LockedEntity):
    """Street address of another record.

    Operations: create, retrieve, update, delete, query. Lives only as part of its owner.

    Sources: spec, wsdl, peer, doc.
    """

    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. Sources: spec, wsdl, peer."""
    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object. Sources: wsdl, peer."""
    type_id: StreetAddrType | None = field(default=None, metadata=wire("TypeId", "enum", "StreetAddrType"))
    """Kind of the record. Sources: spec, wsdl, peer."""
    street: str | None = field(default=None, metadata=wire("Street", "string"))
    """First street line. Sources: spec, wsdl, peer."""
    street2: str | None = field(default=None, metadata=wire("Street2", "string"))
    """Second street line. Sources: spec, wsdl, peer."""
    city: str | None = field(default=None, metadata=wire("City", "string"))
    """City name. Sources: spec, wsdl, peer."""
    state: str | None = field(default=None, metadata=wire("State", "string"))
    """State or region. Sources: spec, wsdl, peer."""
    zip: str | None = field(default=None, metadata=wire("Zip", "string"))
    """Postal code. Sources: spec, wsdl, peer."""
    country: str | None = field(default=None, metadata=wire("Country", "string"))
    """Country. Sources: spec, wsdl, peer."""
    geo_status_id: GeoStatus | None = field(default=None, metadata=wire("GeoStatusId", "enum", "GeoStatus"))
    """``GeoStatusId`` on the wire. Sources: wsdl, peer."""
    latitude: Decimal | None = field(default=None, metadata=wire("Latitude", "number"))
    """Latitude in degrees. Exact decimal. Sources: wsdl, peer."""
    longitude: Decimal | None = field(default=None, metadata=wire("Longitude", "number"))
    """Longitude in degrees. Exact decimal. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Address(Entity):
    """Older street address shape.

    Operations: retrieve. Not create, update, delete. Not known: query. Read only.

    The specification calls the street address shape Address; on the wire it is Address2. The public schemas
    also keep an older read-only Address class with these names plus coordinates. Sources: spec, wsdl, peer,
    doc.
    """

    street: str | None = field(default=None, metadata=wire("Street", "string"))
    """First street line. Sources: spec, wsdl, peer."""
    city: str | None = field(default=None, metadata=wire("City", "string"))
    """City name. Sources: spec, wsdl, peer."""
    state: str | None = field(default=None, metadata=wire("State", "string"))
    """State or region. Sources: spec, wsdl, peer."""
    zip: str | None = field(default=None, metadata=wire("Zip", "string"))
    """Postal code. Sources: spec, wsdl, peer."""
    street2: str | None = field(default=None, metadata=wire("Street2", "string"))
    """Second street line. Sources: spec, wsdl, peer."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. Legacy Address class in the public schemas has an integer here. Sources:
    spec, wsdl, peer.
    """
    type_id: StreetAddrType | None = field(default=None, metadata=wire("TypeId", "enum", "StreetAddrType"))
    """Kind of the record. Legacy Address class in the public schemas has a single character here. Sources:
    spec, wsdl, peer.
    """
    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object. Sources: wsdl, peer."""
    latitude: Decimal | None = field(default=None, metadata=wire("Latitude", "number"))
    """Latitude in degrees. Exact decimal. Sources: wsdl, peer."""
    longitude: Decimal | None = field(default=None, metadata=wire("Longitude", "number"))
    """Longitude in degrees. Exact decimal. Sources: wsdl, peer."""
    country: str | None = field(default=None, metadata=wire("Country", "string"))
    """Country. Sources: spec, wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class ContactAddress(Entity):
    """Older contact point.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    type_id: ContactAddrType | None = field(default=None, metadata=wire("TypeId", "enum", "ContactAddrType"))
    """Kind of the record. Sources: wsdl, peer."""
    address: str | None = field(default=None, metadata=wire("Address", "string"))
    """Phone number, e-mail or other text. Sources: wsdl, peer."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record. Sources: wsdl, peer."""
    is_alert: bool | None = field(default=None, metadata=wire("IsAlert", "boolean"))
    """Receives alerts. Sources: wsdl, peer."""
    is_locked: bool | None = field(default=None, metadata=wire("IsLocked", "boolean"))
    """Locked against changes. Sources: wsdl, peer."""
    is_report: bool | None = field(default=None, metadata=wire("IsReport", "boolean"))
    """Receives reports. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class ContactInfo(LockedEntity):
    """Contact point of a record.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. Sources: wsdl, peer."""
    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object. Sources: wsdl, peer."""
    addr_type_id: ContactAddrType | None = field(
        default=None, metadata=wire("AddrTypeId", "enum", "ContactAddrType", required=True)
    )
    """Kind of contact point. Required on creation. Required per vendor sample. Sources: wsdl, peer."""
    address: str | None = field(default=None, metadata=wire("Address", "string", required=True))
    """Phone number, e-mail or other text. Required on creation. Required per vendor sample. Sources: wsdl,
    peer.
    """
    is_alert: bool | None = field(default=None, metadata=wire("IsAlert", "boolean"))
    """Receives alerts. Sources: wsdl, peer."""
    is_report: bool | None = field(default=None, metadata=wire("IsReport", "boolean"))
    """Receives reports. Sources: wsdl, peer."""
