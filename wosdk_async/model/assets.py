"""Entities: assets.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.bases import Entity, LockedEntity, RemovableEntity
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from wosdk_async.model.contact_details import Address2
    from wosdk_async.model.costs import ChargeCodeLookup
    from wosdk_async.model.documents import Document
    from wosdk_async.model.enums import AssetType, CfType, CurrencyType
    from wosdk_async.model.work_orders import Task


@define(kw_only=True, eq=False, repr=False)
class Location(Entity):
    """Any node of the asset tree.

    Operations: create, retrieve, update, delete, query.

    The specification calls the returned object Asset. IsRestricted, IsDirectParts,
    IncludeNonControllableExpenses and CriticalFacilities are in the specification only.
    """

    name: str | None = field(
        default=None, metadata=wire("Name", "string", max_length=64, max_length_source="peer", required=True)
    )
    """Asset name. At most 64 characters (a third-party client's limit, not the vendor's). Required on
    creation.
    """
    address: Address2 | None = field(default=None, metadata=wire("Address", "ref", "Address2"))
    """Street address."""
    model_id: int | None = field(default=None, metadata=wire("ModelId", "integer", required=True))
    """Id of the asset model. Required on creation."""
    orphan: bool | None = field(default=None, metadata=wire("Orphan", "boolean"))
    """``Orphan`` on the wire."""
    type_id: AssetType | None = field(default=None, metadata=wire("TypeId", "enum", "AssetType"))
    """Asset category."""
    parent_id: int | None = field(default=None, metadata=wire("ParentId", "integer"))
    """Id of the parent asset."""
    root_id: int | None = field(default=None, metadata=wire("RootId", "integer"))
    """Id of the top asset of the tree."""
    is_template: bool | None = field(default=None, metadata=wire("IsTemplate", "boolean"))
    """Belongs to a template, not the live inventory."""
    info: AssetInfo | None = field(default=None, metadata=wire("Info", "ref", "AssetInfo"))
    """Serial number and tag details."""
    documents: list[Document] | None = field(
        default=None, metadata=wire("Documents", "ref", "Document", many=True)
    )
    """Attached documents."""
    is_offline: bool | None = field(default=None, metadata=wire("IsOffline", "boolean"))
    """True when taken out of service."""
    is_locked: bool | None = field(default=None, metadata=wire("IsLocked", "boolean"))
    """Locked against changes."""
    attributes: list[AssetAttribute] | None = field(
        default=None, metadata=wire("Attributes", "ref", "AssetAttribute", many=True)
    )
    """Attribute values of the asset."""
    is_restricted: bool | None = field(default=None, metadata=wire("IsRestricted", "boolean"))
    """``IsRestricted`` on the wire. Specification only; not in the public schemas."""
    is_direct_parts: bool | None = field(default=None, metadata=wire("IsDirectParts", "boolean"))
    """``IsDirectParts`` on the wire. Specification only; not in the public schemas."""
    include_non_controllable_expenses: bool | None = field(
        default=None, metadata=wire("IncludeNonControllableExpenses", "boolean")
    )
    """``IncludeNonControllableExpenses`` on the wire. Specification only; not in the public schemas."""
    critical_facilities: str | None = field(default=None, metadata=wire("CriticalFacilities", "string"))
    """Critical-facility setting, such as Inherit. Specification only; not in the public schemas."""


@define(kw_only=True, eq=False, repr=False)
class AssetTree(Entity):
    """Ancestor and descendant pairs of assets.

    Operations: retrieve, query. Not supported: create, update, delete. Read only.

    Key: ParentId, ChildId. Named in the specification, which gives no fields.
    """

    parent_id: int | None = field(default=None, metadata=wire("ParentId", "integer"))
    """Id of an ancestor asset."""
    child_id: int | None = field(default=None, metadata=wire("ChildId", "integer"))
    """Id of a descendant asset."""
    child: Location | None = field(default=None, metadata=wire("Child", "ref", "Location"))
    """Descendant asset."""
    distance: int | None = field(default=None, metadata=wire("Distance", "integer"))
    """Levels between ancestor and descendant."""


@define(kw_only=True, eq=False, repr=False)
class AssetInfo(Entity):
    """Extra details of an equipment asset.

    Operations: create, retrieve, update, delete. Not supported: query. The class help lists full access; the
    specification reports that a query failed.

    Specification 2.11 shows no fields, and reports that a query failed.
    """

    asset_id: int | None = field(default=None, metadata=wire("AssetId", "integer"))
    """Id of the asset."""
    community_id: int | None = field(default=None, metadata=wire("CommunityId", "integer"))
    """``CommunityId`` on the wire."""
    serial_number: str | None = field(default=None, metadata=wire("SerialNumber", "string"))
    """Serial number."""
    tag_id: str | None = field(default=None, metadata=wire("TagId", "string"))
    """Asset tag."""
    check_phone: str | None = field(default=None, metadata=wire("CheckPhone", "string"))
    """``CheckPhone`` on the wire."""
    asset_system: AssetSystem | None = field(default=None, metadata=wire("AssetSystem", "ref", "AssetSystem"))
    """Named system the asset is part of."""


@define(kw_only=True, eq=False, repr=False)
class AssetAttribute(LockedEntity):
    """One attribute value of an asset.

    Operations: query. Not supported: create, update, delete. Unknown: retrieve. Specification: change it
    through its parent asset.
    """

    id: int | None = field(default=None, metadata=wire("Id", "integer"))
    """Record identifier. Vendor sample: 0 or absent adds a new attribute."""
    perform_deletion: bool | None = field(default=None, metadata=wire("PerformDeletion", "boolean"))
    """Set to true on a nested record to delete it on update. Vendor sample: in Location.Attributes, true
    removes the attribute with this Id.
    """
    descriptor: AttributeDescriptor | None = field(
        default=None, metadata=wire("Descriptor", "ref", "AttributeDescriptor")
    )
    """Attribute definition."""
    asset_id: int | None = field(default=None, metadata=wire("AssetId", "integer"))
    """Id of the asset."""
    top_asset_id: int | None = field(default=None, metadata=wire("TopAssetId", "integer"))
    """Id of the top asset."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    value: str | None = field(default=None, metadata=wire("Value", "string"))
    """Attribute value as text."""


@define(kw_only=True, eq=False, repr=False)
class AssetSystem(Entity):
    """The service's ``AssetSystem``.

    Operations: unknown.
    """

    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""


@define(kw_only=True, eq=False, repr=False)
class AssetTemplate(LockedEntity):
    """The service's ``AssetTemplate``.

    Operations: query. Unknown: create, retrieve, update, delete.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    root_asset_id: int | None = field(default=None, metadata=wire("RootAssetId", "integer"))
    """``RootAssetId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class AttributeDescriptor(RemovableEntity):
    """Definition of an asset attribute.

    Operations: retrieve, query. Unknown: create, update, delete.
    """

    type: CfType | None = field(default=None, metadata=wire("Type", "enum", "CfType"))
    """Data type of the attribute."""
    name: str | None = field(default=None, metadata=wire("Name", "string"))
    """Name."""
    is_history: bool | None = field(default=None, metadata=wire("IsHistory", "boolean"))
    """Value history is kept."""
    display_in_work_order: bool | None = field(default=None, metadata=wire("DisplayInWorkOrder", "boolean"))
    """Shown on work orders."""
    options: list[AttributeOption] | None = field(
        default=None, metadata=wire("Options", "ref", "AttributeOption", many=True)
    )
    """Allowed choices."""


@define(kw_only=True, eq=False, repr=False)
class AttributeOption(LockedEntity):
    """The service's ``AttributeOption``.

    Operations: unknown.
    """

    parent_id: int | None = field(default=None, metadata=wire("ParentId", "integer"))
    """Id of the parent record."""
    idx: int | None = field(default=None, metadata=wire("Idx", "integer"))
    """Order position."""
    value: str | None = field(default=None, metadata=wire("Value", "string"))
    """Stored value."""


@define(kw_only=True, eq=False, repr=False)
class LinkModelAndAttribute(Entity):
    """The service's ``LinkModelAndAttribute``.

    Operations: unknown.
    """

    model_id: int | None = field(default=None, metadata=wire("ModelId", "integer"))
    """Id of the asset model."""
    attribute_descriptor_id: int | None = field(
        default=None, metadata=wire("AttributeDescriptorId", "integer")
    )
    """``AttributeDescriptorId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class Model(RemovableEntity):
    """Kind of asset.

    Operations: retrieve, query. Unknown: create, update, delete.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    asset_category_id: AssetType | None = field(
        default=None, metadata=wire("AssetCategoryId", "enum", "AssetType")
    )
    """``AssetCategoryId`` on the wire."""
    public: bool | None = field(default=None, metadata=wire("Public", "boolean"))
    """``Public`` on the wire."""
    sub_component_idx: str | None = field(
        default=None, metadata=wire("SubComponentIdx", "string", max_length=1, max_length_source="doc")
    )
    """``SubComponentIdx`` on the wire. At most 1 character. Single character in the SOAP schema."""
    gl_account: str | None = field(default=None, metadata=wire("GlAccount", "string"))
    """General ledger account."""
    instructions: str | None = field(default=None, metadata=wire("Instructions", "string"))
    """Instruction text shown to users."""
    tasks: list[Task] | None = field(default=None, metadata=wire("Tasks", "ref", "Task", many=True))
    """``Tasks`` on the wire."""
    attribute_descriptors: list[LinkModelAndAttribute] | None = field(
        default=None, metadata=wire("AttributeDescriptors", "ref", "LinkModelAndAttribute", many=True)
    )
    """``AttributeDescriptors`` on the wire."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code."""
    allow_anonymous_requests: bool | None = field(
        default=None, metadata=wire("AllowAnonymousRequests", "boolean")
    )
    """``AllowAnonymousRequests`` on the wire."""
    charge_code: ChargeCodeLookup | None = field(
        default=None, metadata=wire("ChargeCode", "ref", "ChargeCodeLookup")
    )
    """Charge-back code."""
