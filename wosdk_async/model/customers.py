"""Entities: customers.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.bases import Entity, MoneyValuesEntity, RemovableEntity, SimpleLookupEntity
from wosdk_async.model.metadata import wire

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

    Operations: retrieve, update, delete. Not supported: create. Unknown: query. Create with
    SpaceCreateCommand.
    """

    customer_id: int | None = field(default=None, metadata=wire("CustomerId", "integer", required=True))
    """Id of the customer. Required on creation."""
    asset: Location | None = field(default=None, metadata=wire("Asset", "ref", "Location", required=True))
    """Unit asset that the customer occupies. The specification calls the type Asset. Required on creation."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start of the lease. Local time without a zone. Required according to the class help, nullable in the
    schema.
    """
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End of the lease. Local time without a zone. Required according to the class help, nullable in the
    schema; the specification shows no end date field.
    """
    move_out_date: datetime | None = field(default=None, metadata=wire("MoveOutDate", "datetime-local"))
    """Expected or actual move-out date. Local time without a zone. Required according to the class help,
    nullable in the schema; the specification shows no move-out date field.
    """
    work_zone: WorkZone | None = field(
        default=None, metadata=wire("WorkZone", "ref", "WorkZone", required=True)
    )
    """Work zone of the record. Required on creation."""
    status_id: LeasingSpaceStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "LeasingSpaceStatus", required=True)
    )
    """Occupancy status. Required on creation."""
    addresses: list[Address2] | None = field(
        default=None, metadata=wire("Addresses", "ref", "Address2", many=True, required=True)
    )
    """Address of the unit asset. Required on creation."""
    instructions: str | None = field(
        default=None, metadata=wire("Instructions", "string", max_length=256, max_length_source="doc")
    )
    """Instruction text shown to users. At most 256 characters."""
    move_in_date: datetime | None = field(default=None, metadata=wire("MoveInDate", "datetime-local"))
    """Move-in date. Local time without a zone."""


@define(kw_only=True, eq=False, repr=False)
class Customer(RemovableEntity):
    """Organization served.

    Operations: create, retrieve, update, delete, query.
    """

    display_as: str | None = field(
        default=None,
        metadata=wire("DisplayAs", "string", max_length=64, max_length_source="doc", required=True),
    )
    """Label shown to users. At most 64 characters. Required on creation."""
    name: str | None = field(
        default=None, metadata=wire("Name", "string", max_length=64, max_length_source="doc", required=True)
    )
    """Name. At most 64 characters. Required on creation."""
    work_zone: WorkZone | None = field(
        default=None, metadata=wire("WorkZone", "ref", "WorkZone", required=True)
    )
    """Work zone of the record. Required on creation."""
    dba: str | None = field(
        default=None, metadata=wire("Dba", "string", max_length=64, max_length_source="doc", required=True)
    )
    """Trading name. At most 64 characters. Required on creation."""
    instructions: str | None = field(
        default=None, metadata=wire("Instructions", "string", max_length=3072, max_length_source="doc")
    )
    """Instruction text shown to users. At most 3072 characters."""
    tenant_code: str | None = field(
        default=None,
        metadata=wire("TenantCode", "string", max_length=64, max_length_source="doc", required=True),
    )
    """Unique code, often the key in an external system. At most 64 characters. Required on creation."""
    tax_exempt: bool | None = field(default=None, metadata=wire("TaxExempt", "boolean", required=True))
    """Exempt from sales tax. Required on creation."""
    spaces: list[Space] | None = field(default=None, metadata=wire("Spaces", "ref", "Space", many=True))
    """Spaces the customer occupies."""
    contacts: list[Contact] | None = field(
        default=None, metadata=wire("Contacts", "ref", "Contact", many=True, required=True)
    )
    """Contact persons of the customer. Required on creation."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record."""
    notes: list[Note] | None = field(default=None, metadata=wire("Notes", "ref", "Note", many=True))
    """Notes attached to the record."""
    addresses: list[Address2] | None = field(
        default=None, metadata=wire("Addresses", "ref", "Address2", many=True, required=True)
    )
    """Street addresses. Required on creation. Zero or one entry; the REST reference names the entry type
    Address.
    """
    contract: Contract | None = field(default=None, metadata=wire("Contract", "ref", "Contract"))
    """Billing contract."""
    groups_bridge: list[LinkCustomerAndGroup] | None = field(
        default=None, metadata=wire("GroupsBridge", "ref", "LinkCustomerAndGroup", many=True, required=True)
    )
    """Links to billing accounts. Required on creation. The REST reference names the entry type
    CustomerAndGroup.
    """
    approval_scopes: list[ApprovalScope] | None = field(
        default=None, metadata=wire("ApprovalScopes", "ref", "ApprovalScope", many=True)
    )
    """Approval templates usable by the customer."""


@define(kw_only=True, eq=False, repr=False)
class Contact(RemovableEntity):
    """Contact person of a customer.

    Operations: create, retrieve, update, delete, query.
    """

    display_as: str | None = field(
        default=None,
        metadata=wire("DisplayAs", "string", max_length=256, max_length_source="doc", required=True),
    )
    """Label shown to users. At most 256 characters. Required on creation."""
    first_name: str | None = field(
        default=None, metadata=wire("FirstName", "string", max_length=50, max_length_source="doc")
    )
    """Given name. At most 50 characters."""
    last_name: str | None = field(
        default=None,
        metadata=wire("LastName", "string", max_length=50, max_length_source="doc", required=True),
    )
    """Family name. At most 50 characters. Required on creation."""
    type_id: LeaseContactType | None = field(
        default=None, metadata=wire("TypeId", "enum", "LeaseContactType")
    )
    """Kind of contact."""
    customer_id: int | None = field(default=None, metadata=wire("CustomerId", "integer"))
    """Id of the customer."""
    can_view_any_request: bool | None = field(default=None, metadata=wire("CanViewAnyRequest", "boolean"))
    """May see requests of other people. Default false."""
    can_create_request: bool | None = field(default=None, metadata=wire("CanCreateRequest", "boolean"))
    """May create requests in the portal. Default true."""
    priority_threshold: int | None = field(default=None, metadata=wire("PriorityThreshold", "integer"))
    """Priority limit for notices."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record."""
    contact_addresses: list[ContactInfo] | None = field(
        default=None, metadata=wire("ContactAddresses", "ref", "ContactInfo", many=True)
    )
    """Phones, e-mails and other contact points."""
    groups_bridge: list[LinkContactAndGroup] | None = field(
        default=None, metadata=wire("GroupsBridge", "ref", "LinkContactAndGroup", many=True)
    )
    """Links to billing accounts."""
    username: str | None = field(default=None, metadata=wire("Username", "string"))
    """Login name."""
    number: str | None = field(
        default=None, metadata=wire("Number", "string", max_length=64, max_length_source="doc", required=True)
    )
    """Human-facing number or code. At most 64 characters. Required on creation."""
    must_reset_password: bool | None = field(default=None, metadata=wire("MustResetPassword", "boolean"))
    """Must change the password at login."""
    no_alert_emails: bool | None = field(default=None, metadata=wire("NoAlertEmails", "boolean"))
    """Alert e-mails are off."""
    comment: str | None = field(
        default=None,
        metadata=wire("Comment", "string", max_length=256, max_length_source="doc", required=True),
    )
    """Free-text comment. At most 256 characters. Required on creation."""
    unlimited_request: bool | None = field(default=None, metadata=wire("UnlimitedRequest", "boolean"))
    """No limit on requested amounts."""
    unlimited_authorization: bool | None = field(
        default=None, metadata=wire("UnlimitedAuthorization", "boolean")
    )
    """No limit on authorized amounts."""
    supervisor_id: int | None = field(default=None, metadata=wire("SupervisorId", "integer"))
    """Id of the supervising contact."""
    language_id: int | None = field(default=None, metadata=wire("LanguageId", "integer"))
    """Language preference id."""
    customer_note_access_id: LsNoteAccess | None = field(
        default=None, metadata=wire("CustomerNoteAccessId", "enum", "LsNoteAccess")
    )
    """Access to customer notes."""
    no_pwd_expiration_alert: bool | None = field(
        default=None, metadata=wire("NoPwdExpirationAlert", "boolean")
    )
    """No notice when the password expires."""
    currencies: list[ContactMoneyValues] | None = field(
        default=None, metadata=wire("Currencies", "ref", "ContactMoneyValues", many=True)
    )
    """Per-currency money settings."""


@define(kw_only=True, eq=False, repr=False)
class Note(Entity):
    """Note on a customer or similar record.

    Operations: create, retrieve, update, delete. Unknown: query.

    Two classes exist in the public schemas: Note (on customers and similar owners) and WoNote (on work
    orders). The specification fields Body, WorkOrderId and NoteTypeId are those of WoNote.
    """

    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer", required=True))
    """Id of the owning object. Required on creation. An error message of the service states that this field
    is required.
    """
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object."""
    note_type_lookup: CustomerNoteType | None = field(
        default=None, metadata=wire("NoteTypeLookup", "ref", "CustomerNoteType")
    )
    """Note category record."""
    is_resolved: bool | None = field(default=None, metadata=wire("IsResolved", "boolean"))
    """Marked as settled."""
    created_at: datetime | None = field(default=None, metadata=wire("CreatedAt", "datetime-local"))
    """``CreatedAt`` on the wire. Local time without a zone."""
    created_by: Actor | None = field(default=None, metadata=wire("CreatedBy", "ref", "Actor"))
    """Actor who created it."""
    updated_at: datetime | None = field(default=None, metadata=wire("UpdatedAt", "datetime-local"))
    """``UpdatedAt`` on the wire. Local time without a zone."""
    updated_by: Actor | None = field(default=None, metadata=wire("UpdatedBy", "ref", "Actor"))
    """Actor who last changed the record."""
    note_text: str | None = field(default=None, metadata=wire("NoteText", "string"))
    """Text of the note."""
    body: str | None = field(default=None, metadata=wire("Body", "string"))
    """Text of the note. In the public schemas this property is on WoNote."""
    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Work order of the note. In the public schemas this property is on WoNote."""
    note_type_id: int | None = field(default=None, metadata=wire("NoteTypeId", "integer"))
    """Kind of note as a number. In the public schemas this property is on WoNote; there it is the enumeration
    WONoteType.
    """


@define(kw_only=True, eq=False, repr=False)
class ContactMoneyValues(MoneyValuesEntity):
    """The service's ``ContactMoneyValues``.

    Operations: unknown.
    """

    authorization_limit: Decimal | None = field(default=None, metadata=wire("AuthorizationLimit", "number"))
    """``AuthorizationLimit`` on the wire. Exact decimal."""
    request_limit: Decimal | None = field(default=None, metadata=wire("RequestLimit", "number"))
    """``RequestLimit`` on the wire. Exact decimal."""
    notification_threshold: Decimal | None = field(
        default=None, metadata=wire("NotificationThreshold", "number")
    )
    """``NotificationThreshold`` on the wire. Exact decimal."""


@define(kw_only=True, eq=False, repr=False)
class Contract(SimpleLookupEntity):
    """Billing contract.

    Operations: retrieve, query. Not supported: create, update, delete. Read only.
    """


@define(kw_only=True, eq=False, repr=False)
class CustomerNoteType(RemovableEntity):
    """The service's ``CustomerNoteType``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""


@define(kw_only=True, eq=False, repr=False)
class LinkContactAndGroup(Entity):
    """The service's ``LinkContactAndGroup``.

    Operations: unknown.
    """

    contact_id: int | None = field(default=None, metadata=wire("ContactId", "integer"))
    """Id of the contact."""
    customer_group_id: int | None = field(default=None, metadata=wire("CustomerGroupId", "integer"))
    """Id of the billing account (customer group)."""
    is_billing_contact: bool | None = field(default=None, metadata=wire("IsBillingContact", "boolean"))
    """``IsBillingContact`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class LinkCustomerAndGroup(Entity):
    """The service's ``LinkCustomerAndGroup``.

    Operations: unknown.
    """

    customer_id: int | None = field(default=None, metadata=wire("CustomerId", "integer"))
    """Id of the customer."""
    customer_group_id: int | None = field(default=None, metadata=wire("CustomerGroupId", "integer"))
    """Id of the billing account (customer group)."""
    is_billing_account: bool | None = field(default=None, metadata=wire("IsBillingAccount", "boolean"))
    """``IsBillingAccount`` on the wire."""
    is_parent_removed: bool | None = field(default=None, metadata=wire("IsParentRemoved", "boolean"))
    """``IsParentRemoved`` on the wire."""
