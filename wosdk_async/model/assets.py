"""Entities: assets.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model._wire import wire
from wosdk_async.model.bases import Entity, LockedEntity, RemovableEntity

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
    IncludeNonControllableExpenses and CriticalFacilities are in the specification only. Sources: spec, wsdl,
    peer.
    """

    name: str | None = field(
        default=None, metadata=wire("Name", "string", max_length=64, max_length_source="peer", required=True)
    )
    """Asset name. At most 64 characters (a third-party client's limit, not the vendor's). Required on
    creation. Sources: spec, wsdl, peer.
    """
    address: Address2 | None = field(default=None, metadata=wire("Address", "ref", "Address2"))
    """Street address. Sources: wsdl, peer."""
    model_id: int | None = field(default=None, metadata=wire("ModelId", "integer", required=True))
    """Id of the asset model. Required on creation. Sources: spec, wsdl, peer."""
    orphan: bool | None = field(default=None, metadata=wire("Orphan", "boolean"))
    """``Orphan`` on the wire. Sources: spec, wsdl, peer."""
    type_id: AssetType | None = field(default=None, metadata=wire("TypeId", "enum", "AssetType"))
    """Asset category. Sources: spec, wsdl, peer."""
    parent_id: int | None = field(default=None, metadata=wire("ParentId", "integer"))
    """Id of the parent asset. Sources: spec, wsdl, peer."""
    root_id: int | None = field(default=None, metadata=wire("RootId", "integer"))
    """Id of the top asset of the tree. Sources: spec, wsdl, peer."""
    is_template: bool | None = field(default=None, metadata=wire("IsTemplate", "boolean"))
    """Belongs to a template, not the live inventory. Sources: spec, wsdl, peer."""
    info: AssetInfo | None = field(default=None, metadata=wire("Info", "ref", "AssetInfo"))
    """Serial number and tag details. Sources: wsdl, peer."""
    documents: list[Document] | None = field(
        default=None, metadata=wire("Documents", "ref", "Document", many=True)
    )
    """Attached documents. Sources: spec, wsdl, peer."""
    is_offline: bool | None = field(default=None, metadata=wire("IsOffline", "boolean"))
    """True when taken out of service. Sources: spec, wsdl, peer."""
    is_locked: bool | None = field(default=None, metadata=wire("IsLocked", "boolean"))
    """Locked against changes. Sources: spec, wsdl, peer."""
    attributes: list[AssetAttribute] | None = field(
        default=None, metadata=wire("Attributes", "ref", "AssetAttribute", many=True)
    )
    """Attribute values of the asset. Sources: spec, wsdl, peer."""
    is_restricted: bool | None = field(default=None, metadata=wire("IsRestricted", "boolean"))
    """``IsRestricted`` on the wire. Specification only; not in the public schemas. Source: spec."""
    is_direct_parts: bool | None = field(default=None, metadata=wire("IsDirectParts", "boolean"))
    """``IsDirectParts`` on the wire. Specification only; not in the public schemas. Source: spec."""
    include_non_controllable_expenses: bool | None = field(
        default=None, metadata=wire("IncludeNonControllableExpenses", "boolean")
    )
    """``IncludeNonControllableExpenses`` on the wire. Specification only; not in the public schemas. Source:
    spec.
    """
    critical_facilities: str | None = field(default=None, metadata=wire("CriticalFacilities", "string"))
    """Critical-facility setting, or inherited. Specification only; not in the public schemas. Source: spec.
    """


@define(kw_only=True, eq=False, repr=False)
class AssetTree(Entity):
    """Ancestor and descendant pairs of assets.

    Operations: retrieve, query. Not create, update, delete. Read only.

    Key: ParentId, ChildId. Named in the specification, which gives no fields. Sources: spec, wsdl, peer.
    """

    parent_id: int | None = field(default=None, metadata=wire("ParentId", "integer"))
    """Id of an ancestor asset. Sources: wsdl, peer."""
    child_id: int | None = field(default=None, metadata=wire("ChildId", "integer"))
    """Id of a descendant asset. Sources: wsdl, peer."""
    child: Location | None = field(default=None, metadata=wire("Child", "ref", "Location"))
    """Descendant asset. Sources: wsdl, peer."""
    distance: int | None = field(default=None, metadata=wire("Distance", "integer"))
    """Levels between ancestor and descendant. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class AssetInfo(Entity):
    """Extra details of an equipment asset.

    Operations: create, retrieve, update, delete. Not query. Class help: full access; specification: a query
    was reported to fail.

    The specification 2.11: fields not shown and a query was reported to fail. Sources: spec, wsdl, peer, doc.
    """

    asset_id: int | None = field(default=None, metadata=wire("AssetId", "integer"))
    """Id of the asset. Sources: wsdl, peer."""
    community_id: int | None = field(default=None, metadata=wire("CommunityId", "integer"))
    """``CommunityId`` on the wire. Sources: wsdl, peer."""
    serial_number: str | None = field(default=None, metadata=wire("SerialNumber", "string"))
    """Serial number. Sources: wsdl, peer."""
    tag_id: str | None = field(default=None, metadata=wire("TagId", "string"))
    """Asset tag. Sources: wsdl, peer."""
    check_phone: str | None = field(default=None, metadata=wire("CheckPhone", "string"))
    """``CheckPhone`` on the wire. Sources: wsdl, peer."""
    asset_system: AssetSystem | None = field(default=None, metadata=wire("AssetSystem", "ref", "AssetSystem"))
    """Named system the asset is part of. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class AssetAttribute(LockedEntity):
    """One attribute value of an asset.

    Operations: query. Not create, update, delete. Not known: retrieve. Specification: change it through its
    parent asset.

    Sources: spec, wsdl, peer.
    """

    id: int | None = field(default=None, metadata=wire("Id", "integer"))
    """Record identifier. Vendor sample: 0 or absent adds a new attribute. Sources: spec, wsdl, peer."""
    perform_deletion: bool | None = field(default=None, metadata=wire("PerformDeletion", "boolean"))
    """Set true on a nested record to delete it on update. Vendor sample: removes the attribute when set in
    Location.Attributes with its Id. Sources: spec, wsdl, peer.
    """
    descriptor: AttributeDescriptor | None = field(
        default=None, metadata=wire("Descriptor", "ref", "AttributeDescriptor")
    )
    """Attribute definition. Sources: spec, wsdl, peer."""
    asset_id: int | None = field(default=None, metadata=wire("AssetId", "integer"))
    """Id of the asset. Sources: spec, wsdl, peer."""
    top_asset_id: int | None = field(default=None, metadata=wire("TopAssetId", "integer"))
    """Id of the top asset. Sources: spec, wsdl, peer."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: spec, wsdl, peer."""
    value: str | None = field(default=None, metadata=wire("Value", "string"))
    """Attribute value as text. Sources: spec, wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class AssetSystem(Entity):
    """``AssetSystem`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text. Sources: wsdl, peer."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class AssetTemplate(LockedEntity):
    """``AssetTemplate`` of the service.

    Operations: query. Not known: create, retrieve, update, delete.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    root_asset_id: int | None = field(default=None, metadata=wire("RootAssetId", "integer"))
    """``RootAssetId`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class AttributeDescriptor(RemovableEntity):
    """Definition of an asset attribute.

    Operations: retrieve, query. Not known: create, update, delete.

    Sources: spec, wsdl, peer.
    """

    type: CfType | None = field(default=None, metadata=wire("Type", "enum", "CfType"))
    """Data type of the attribute. Sources: spec, wsdl, peer."""
    name: str | None = field(default=None, metadata=wire("Name", "string"))
    """Name. Sources: spec, wsdl, peer."""
    is_history: bool | None = field(default=None, metadata=wire("IsHistory", "boolean"))
    """Value history is kept. Sources: spec, wsdl, peer."""
    display_in_work_order: bool | None = field(default=None, metadata=wire("DisplayInWorkOrder", "boolean"))
    """Shown on work orders. Sources: spec, wsdl, peer."""
    options: list[AttributeOption] | None = field(
        default=None, metadata=wire("Options", "ref", "AttributeOption", many=True)
    )
    """Allowed choices. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class AttributeOption(LockedEntity):
    """``AttributeOption`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    parent_id: int | None = field(default=None, metadata=wire("ParentId", "integer"))
    """Id of the parent record. Sources: wsdl, peer."""
    idx: int | None = field(default=None, metadata=wire("Idx", "integer"))
    """Order position. Sources: wsdl, peer."""
    value: str | None = field(default=None, metadata=wire("Value", "string"))
    """Stored value. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkModelAndAttribute(Entity):
    """``LinkModelAndAttribute`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    model_id: int | None = field(default=None, metadata=wire("ModelId", "integer"))
    """Id of the asset model. Sources: wsdl, peer."""
    attribute_descriptor_id: int | None = field(
        default=None, metadata=wire("AttributeDescriptorId", "integer")
    )
    """``AttributeDescriptorId`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Model(RemovableEntity):
    """Kind of asset.

    Operations: retrieve, query. Not known: create, update, delete.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text. Sources: wsdl, peer."""
    asset_category_id: AssetType | None = field(
        default=None, metadata=wire("AssetCategoryId", "enum", "AssetType")
    )
    """``AssetCategoryId`` on the wire. Sources: wsdl, peer."""
    public: bool | None = field(default=None, metadata=wire("Public", "boolean"))
    """``Public`` on the wire. Sources: wsdl, peer."""
    sub_component_idx: str | None = field(
        default=None, metadata=wire("SubComponentIdx", "string", max_length=1, max_length_source="doc")
    )
    """``SubComponentIdx`` on the wire. At most 1 characters. Single character in the SOAP schema. Sources:
    wsdl, peer.
    """
    gl_account: str | None = field(default=None, metadata=wire("GlAccount", "string"))
    """General ledger account. Sources: wsdl, peer."""
    instructions: str | None = field(default=None, metadata=wire("Instructions", "string"))
    """Instruction text shown to users. Sources: wsdl, peer."""
    tasks: list[Task] | None = field(default=None, metadata=wire("Tasks", "ref", "Task", many=True))
    """``Tasks`` on the wire. Sources: wsdl, peer."""
    attribute_descriptors: list[LinkModelAndAttribute] | None = field(
        default=None, metadata=wire("AttributeDescriptors", "ref", "LinkModelAndAttribute", many=True)
    )
    """``AttributeDescriptors`` on the wire. Sources: wsdl, peer."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code. Sources: wsdl, peer."""
    allow_anonymous_requests: bool | None = field(
        default=None, metadata=wire("AllowAnonymousRequests", "boolean")
    )
    """``AllowAnonymousRequests`` on the wire. Sources: wsdl, peer."""
    charge_code: ChargeCodeLookup | None = field(
        default=None, metadata=wire("ChargeCode", "ref", "ChargeCodeLookup")
    )
    """Charge-back code. Sources: wsdl, peer."""
