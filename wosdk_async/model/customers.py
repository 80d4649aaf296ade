"""Entities: customers.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model._wire import wire
from wosdk_async.model.bases import Entity, MoneyValuesEntity, RemovableEntity, SimpleLookupEntity

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from wosdk_async.model.assets import Location
    from wosdk_async.model.contact_details import Address2, ContactInfo
    from wosdk_async.model.custom_fields import CustomField2
    from wosdk_async.model.enums import ActorType, LeaseContactType, LeasingSpaceStatus, LsNoteAccess
    from wosdk_async.model.people import Actor
    from wosdk_async.model.procedures import ApprovalScope
    from wosdk_async.model.work_zones import WorkZone


@define(kw_only=True, eq=False, repr=False)
class Space(RemovableEntity):
    """Occupancy of a unit by a customer.

    Operations: retrieve, update, delete. Not create. Not known: query. Create by SpaceCreateCommand.

    Sources: spec, wsdl, peer, doc.
    """

    customer_id: int | None = field(default=None, metadata=wire("CustomerId", "integer", required=True))
    """Id of the customer. Required on creation. Sources: spec, wsdl, peer, doc."""
    asset: Location | None = field(default=None, metadata=wire("Asset", "ref", "Location", required=True))
    """Unit asset occupied. The specification calls the type Asset. Required on creation. Sources: spec, wsdl,
    peer, doc.
    """
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start of the lease. ISO 8601 local time, no zone. Class help marks it required, schema lets it be
    empty. Sources: spec, wsdl, peer, doc.
    """
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End of the lease. ISO 8601 local time, no zone. Class help marks it required, schema lets it be empty;
    spec 2.7 says no end date field is shown. Sources: wsdl, peer, doc.
    """
    move_out_date: datetime | None = field(default=None, metadata=wire("MoveOutDate", "datetime-local"))
    """Expected or actual date of moving out. ISO 8601 local time, no zone. Class help marks it required,
    schema lets it be empty; spec 2.7 says no move-out date field is shown. Sources: wsdl, peer, doc.
    """
    work_zone: WorkZone | None = field(
        default=None, metadata=wire("WorkZone", "ref", "WorkZone", required=True)
    )
    """Work zone it belongs to. Required on creation. Sources: spec, wsdl, peer, doc."""
    status_id: LeasingSpaceStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "LeasingSpaceStatus", required=True)
    )
    """Occupancy status. Required on creation. Sources: spec, wsdl, peer, doc."""
    addresses: list[Address2] | None = field(
        default=None, metadata=wire("Addresses", "ref", "Address2", many=True, required=True)
    )
    """Address of the unit asset. Required on creation. Sources: spec, wsdl, peer, doc."""
    instructions: str | None = field(
        default=None, metadata=wire("Instructions", "string", max_length=256, max_length_source="doc")
    )
    """Instruction text shown to users. At most 256 characters. Sources: spec, wsdl, peer, doc."""
    move_in_date: datetime | None = field(default=None, metadata=wire("MoveInDate", "datetime-local"))
    """Date of moving in. ISO 8601 local time, no zone. Sources: wsdl, peer, doc."""


@define(kw_only=True, eq=False, repr=False)
class Customer(RemovableEntity):
    """Organization served.

    Operations: create, retrieve, update, delete, query.

    Sources: spec, wsdl, peer, doc.
    """

    display_as: str | None = field(
        default=None,
        metadata=wire("DisplayAs", "string", max_length=64, max_length_source="doc", required=True),
    )
    """Label shown to users. At most 64 characters. Required on creation. Sources: spec, wsdl, peer, doc."""
    name: str | None = field(
        default=None, metadata=wire("Name", "string", max_length=64, max_length_source="doc", required=True)
    )
    """Name. At most 64 characters. Required on creation. Sources: spec, wsdl, peer, doc."""
    work_zone: WorkZone | None = field(
        default=None, metadata=wire("WorkZone", "ref", "WorkZone", required=True)
    )
    """Work zone it belongs to. Required on creation. Sources: wsdl, peer, doc."""
    dba: str | None = field(
        default=None, metadata=wire("Dba", "string", max_length=64, max_length_source="doc", required=True)
    )
    """Trading name. At most 64 characters. Required on creation. Sources: spec, wsdl, peer, doc."""
    instructions: str | None = field(
        default=None, metadata=wire("Instructions", "string", max_length=3072, max_length_source="doc")
    )
    """Instruction text shown to users. At most 3072 characters. Sources: spec, wsdl, peer, doc."""
    tenant_code: str | None = field(
        default=None,
        metadata=wire("TenantCode", "string", max_length=64, max_length_source="doc", required=True),
    )
    """Unique code, often the outside system key. At most 64 characters. Required on creation. Sources: spec,
    wsdl, peer, doc.
    """
    tax_exempt: bool | None = field(default=None, metadata=wire("TaxExempt", "boolean", required=True))
    """Exempt from sales tax. Required on creation. Sources: spec, wsdl, peer, doc."""
    spaces: list[Space] | None = field(default=None, metadata=wire("Spaces", "ref", "Space", many=True))
    """Spaces the customer occupies. Sources: spec, wsdl, peer."""
    contacts: list[Contact] | None = field(
        default=None, metadata=wire("Contacts", "ref", "Contact", many=True, required=True)
    )
    """People of the customer. Required on creation. Sources: spec, wsdl, peer, doc."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record. Sources: spec, wsdl, peer."""
    notes: list[Note] | None = field(default=None, metadata=wire("Notes", "ref", "Note", many=True))
    """Notes attached to the record. Sources: spec, wsdl, peer."""
    addresses: list[Address2] | None = field(
        default=None, metadata=wire("Addresses", "ref", "Address2", many=True, required=True)
    )
    """Street addresses. Required on creation. Zero or one entry; REST reference names the entry type Address.
    Sources: spec, wsdl, peer, doc.
    """
    contract: Contract | None = field(default=None, metadata=wire("Contract", "ref", "Contract"))
    """Billing contract. Sources: wsdl, peer."""
    groups_bridge: list[LinkCustomerAndGroup] | None = field(
        default=None, metadata=wire("GroupsBridge", "ref", "LinkCustomerAndGroup", many=True, required=True)
    )
    """Links to billing accounts. Required on creation. REST reference names the entry type CustomerAndGroup.
    Sources: spec, wsdl, peer, doc.
    """
    approval_scopes: list[ApprovalScope] | None = field(
        default=None, metadata=wire("ApprovalScopes", "ref", "ApprovalScope", many=True)
    )
    """Approval templates usable by the customer. Sources: spec, wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Contact(RemovableEntity):
    """Person of a customer.

    Operations: create, retrieve, update, delete, query.

    Sources: spec, wsdl, peer, doc.
    """

    display_as: str | None = field(
        default=None,
        metadata=wire("DisplayAs", "string", max_length=256, max_length_source="doc", required=True),
    )
    """Label shown to users. At most 256 characters. Required on creation. Sources: spec, wsdl, peer, doc."""
    first_name: str | None = field(
        default=None, metadata=wire("FirstName", "string", max_length=50, max_length_source="doc")
    )
    """Given name. At most 50 characters. Sources: spec, wsdl, peer, doc."""
    last_name: str | None = field(
        default=None,
        metadata=wire("LastName", "string", max_length=50, max_length_source="doc", required=True),
    )
    """Family name. At most 50 characters. Required on creation. Sources: spec, wsdl, peer, doc."""
    type_id: LeaseContactType | None = field(
        default=None, metadata=wire("TypeId", "enum", "LeaseContactType")
    )
    """Kind of contact. Sources: spec, wsdl, peer."""
    customer_id: int | None = field(default=None, metadata=wire("CustomerId", "integer"))
    """Id of the customer. Sources: spec, wsdl, peer, doc."""
    can_view_any_request: bool | None = field(default=None, metadata=wire("CanViewAnyRequest", "boolean"))
    """May see requests of other people. Default false. Sources: spec, wsdl, peer, doc."""
    can_create_request: bool | None = field(default=None, metadata=wire("CanCreateRequest", "boolean"))
    """May create requests in the portal. Default true. Sources: spec, wsdl, peer, doc."""
    priority_threshold: int | None = field(default=None, metadata=wire("PriorityThreshold", "integer"))
    """Priority limit for notices. Sources: spec, wsdl, peer."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record. Sources: spec, wsdl, peer."""
    contact_addresses: list[ContactInfo] | None = field(
        default=None, metadata=wire("ContactAddresses", "ref", "ContactInfo", many=True)
    )
    """Phones, e-mails and other contact points. Sources: spec, wsdl, peer."""
    groups_bridge: list[LinkContactAndGroup] | None = field(
        default=None, metadata=wire("GroupsBridge", "ref", "LinkContactAndGroup", many=True)
    )
    """Links to billing accounts. Sources: spec, wsdl, peer."""
    username: str | None = field(default=None, metadata=wire("Username", "string"))
    """Login name. Sources: wsdl, peer."""
    number: str | None = field(
        default=None, metadata=wire("Number", "string", max_length=64, max_length_source="doc", required=True)
    )
    """Human-facing number or code. At most 64 characters. Required on creation. Sources: wsdl, peer, doc."""
    must_reset_password: bool | None = field(default=None, metadata=wire("MustResetPassword", "boolean"))
    """Must change the password at login. Sources: spec, wsdl, peer."""
    no_alert_emails: bool | None = field(default=None, metadata=wire("NoAlertEmails", "boolean"))
    """Alert e-mails are off. Sources: spec, wsdl, peer."""
    comment: str | None = field(
        default=None,
        metadata=wire("Comment", "string", max_length=256, max_length_source="doc", required=True),
    )
    """Free-text comment. At most 256 characters. Required on creation. Sources: wsdl, peer, doc."""
    unlimited_request: bool | None = field(default=None, metadata=wire("UnlimitedRequest", "boolean"))
    """No limit on requested amounts. Sources: spec, wsdl, peer."""
    unlimited_authorization: bool | None = field(
        default=None, metadata=wire("UnlimitedAuthorization", "boolean")
    )
    """No limit on authorized amounts. Sources: spec, wsdl, peer."""
    supervisor_id: int | None = field(default=None, metadata=wire("SupervisorId", "integer"))
    """Id of the supervising contact. Sources: spec, wsdl, peer."""
    language_id: int | None = field(default=None, metadata=wire("LanguageId", "integer"))
    """Language preference id. Sources: spec, wsdl, peer."""
    customer_note_access_id: LsNoteAccess | None = field(
        default=None, metadata=wire("CustomerNoteAccessId", "enum", "LsNoteAccess")
    )
    """Access to customer notes. Sources: spec, wsdl, peer."""
    no_pwd_expiration_alert: bool | None = field(
        default=None, metadata=wire("NoPwdExpirationAlert", "boolean")
    )
    """No notice when the password expires. Sources: spec, wsdl, peer."""
    currencies: list[ContactMoneyValues] | None = field(
        default=None, metadata=wire("Currencies", "ref", "ContactMoneyValues", many=True)
    )
    """Per-currency money settings. Sources: spec, wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Note(Entity):
    """Note on a customer or similar record.

    Operations: create, retrieve, update, delete. Not known: query.

    Two classes exist in the public schemas: Note (on customers and similar owners) and WoNote (on work
    orders). The specification fields Body, WorkOrderId and NoteTypeId are those of WoNote. Sources: spec,
    wsdl, peer.
    """

    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer", required=True))
    """Id of the owning object. Required on creation. Server error names it as required. Sources: wsdl, peer.
    """
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. Sources: wsdl, peer."""
    note_type_lookup: CustomerNoteType | None = field(
        default=None, metadata=wire("NoteTypeLookup", "ref", "CustomerNoteType")
    )
    """Note category record. Sources: wsdl, peer."""
    is_resolved: bool | None = field(default=None, metadata=wire("IsResolved", "boolean"))
    """Marked as settled. Sources: wsdl, peer."""
    created_at: datetime | None = field(default=None, metadata=wire("CreatedAt", "datetime-local"))
    """``CreatedAt`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    created_by: Actor | None = field(default=None, metadata=wire("CreatedBy", "ref", "Actor"))
    """Actor who created it. Sources: wsdl, peer."""
    updated_at: datetime | None = field(default=None, metadata=wire("UpdatedAt", "datetime-local"))
    """``UpdatedAt`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    updated_by: Actor | None = field(default=None, metadata=wire("UpdatedBy", "ref", "Actor"))
    """Actor who changed it last. Sources: wsdl, peer."""
    note_text: str | None = field(default=None, metadata=wire("NoteText", "string"))
    """Text of the note. Sources: wsdl, peer."""
    body: str | None = field(default=None, metadata=wire("Body", "string"))
    """Text of the note. In the public schemas this property is on WoNote. Source: spec."""
    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Work order of the note. In the public schemas this property is on WoNote. Source: spec."""
    note_type_id: int | None = field(default=None, metadata=wire("NoteTypeId", "integer"))
    """Kind of note as a number. In the public schemas this property is on WoNote; there it is the enumeration
    WONoteType. Source: spec.
    """


@define(kw_only=True, eq=False, repr=False)
class ContactMoneyValues(MoneyValuesEntity):
    """``ContactMoneyValues`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    authorization_limit: Decimal | None = field(default=None, metadata=wire("AuthorizationLimit", "number"))
    """``AuthorizationLimit`` on the wire. Exact decimal. Sources: wsdl, peer."""
    request_limit: Decimal | None = field(default=None, metadata=wire("RequestLimit", "number"))
    """``RequestLimit`` on the wire. Exact decimal. Sources: wsdl, peer."""
    notification_threshold: Decimal | None = field(
        default=None, metadata=wire("NotificationThreshold", "number")
    )
    """``NotificationThreshold`` on the wire. Exact decimal. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Contract(SimpleLookupEntity):
    """Billing contract.

    Operations: retrieve, query. Not create, update, delete. Read only.

    Sources: wsdl, peer, doc.
    """


@define(kw_only=True, eq=False, repr=False)
class CustomerNoteType(RemovableEntity):
    """``CustomerNoteType`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkContactAndGroup(Entity):
    """``LinkContactAndGroup`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    contact_id: int | None = field(default=None, metadata=wire("ContactId", "integer"))
    """Id of the contact. Sources: wsdl, peer."""
    customer_group_id: int | None = field(default=None, metadata=wire("CustomerGroupId", "integer"))
    """Id of the billing account (customer group). Sources: wsdl, peer."""
    is_billing_contact: bool | None = field(default=None, metadata=wire("IsBillingContact", "boolean"))
    """``IsBillingContact`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkCustomerAndGroup(Entity):
    """``LinkCustomerAndGroup`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    customer_id: int | None = field(default=None, metadata=wire("CustomerId", "integer"))
    """Id of the customer. Sources: wsdl, peer."""
    customer_group_id: int | None = field(default=None, metadata=wire("CustomerGroupId", "integer"))
    """Id of the billing account (customer group). Sources: wsdl, peer."""
    is_billing_account: bool | None = field(default=None, metadata=wire("IsBillingAccount", "boolean"))
    """``IsBillingAccount`` on the wire. Sources: wsdl, peer."""
    is_parent_removed: bool | None = field(default=None, metadata=wire("IsParentRemoved", "boolean"))
    """``IsParentRemoved`` on the wire. Sources: wsdl, peer."""
