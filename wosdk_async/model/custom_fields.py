"""Entities: custom fields.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.bases import Entity, LockedEntity, RemovableEntity
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from wosdk_async.model.enums import ActorType, CfSharingMode, CfType, CurrencyType


@define(kw_only=True, eq=False, repr=False)
class CustomField(Entity):
    """Older custom field value.

    Operations: unknown.

    The specification names the entity type CustomField; in the public schemas, this is an older class, and
    WorkOrder.CustomFields holds CustomField2.
    """

    descriptor: CustomFieldDescriptor | None = field(
        default=None, metadata=wire("Descriptor", "ref", "CustomFieldDescriptor")
    )
    """Definition of the value."""
    object_id: int | None = field(default=None, metadata=wire("ObjectId", "integer"))
    """Id of the object it refers to."""
    value: str | None = field(default=None, metadata=wire("Value", "string"))
    """Stored value."""
    object_type_id: ActorType | None = field(default=None, metadata=wire("ObjectTypeId", "enum", "ActorType"))
    """Kind of the object it refers to. In the public schemas this property is on CustomField2."""


@define(kw_only=True, eq=False, repr=False)
class CustomField2(Entity):
    """Custom field value.

    Operations: create, retrieve, update, delete, query.
    """

    descriptor: CustomFieldDescriptor | None = field(
        default=None, metadata=wire("Descriptor", "ref", "CustomFieldDescriptor")
    )
    """Definition of the value."""
    object_id: int | None = field(default=None, metadata=wire("ObjectId", "integer"))
    """Id of the object it refers to."""
    object_type_id: ActorType | None = field(default=None, metadata=wire("ObjectTypeId", "enum", "ActorType"))
    """Kind of the object it refers to."""
    value: str | None = field(default=None, metadata=wire("Value", "string"))
    """Value as text; link fields hold an HTML anchor."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""


@define(kw_only=True, eq=False, repr=False)
class CustomFieldAutocompleteOption(LockedEntity):
    """The service's ``CustomFieldAutocompleteOption``.

    Operations: unknown.
    """

    descriptor_id: int | None = field(default=None, metadata=wire("DescriptorId", "integer"))
    """``DescriptorId`` on the wire."""
    value: str | None = field(default=None, metadata=wire("Value", "string"))
    """Stored value."""


@define(kw_only=True, eq=False, repr=False)
class CustomFieldDescriptor(RemovableEntity):
    """Definition of a custom field.

    Operations: query. Unknown: create, retrieve, update, delete.
    """

    actor_type_id: ActorType | None = field(
        default=None, metadata=wire("ActorTypeId", "enum", "ActorType", required=True)
    )
    """Kind of object that carries the field. Required on creation."""
    length: int | None = field(default=None, metadata=wire("Length", "integer"))
    """Longest text allowed."""
    type: CfType | None = field(default=None, metadata=wire("Type", "enum", "CfType", required=True))
    """Data type of the field. Required on creation."""
    shared_with_provider: CfSharingMode | None = field(
        default=None, metadata=wire("SharedWithProvider", "enum", "CfSharingMode")
    )
    """``SharedWithProvider`` on the wire."""
    shared_by_requestor: CfSharingMode | None = field(
        default=None, metadata=wire("SharedByRequestor", "enum", "CfSharingMode")
    )
    """``SharedByRequestor`` on the wire."""
    cpn_requestor_id: int | None = field(default=None, metadata=wire("CpnRequestorId", "integer"))
    """``CpnRequestorId`` on the wire."""
    name: str | None = field(
        default=None, metadata=wire("Name", "string", max_length=64, max_length_source="doc", required=True)
    )
    """Name. At most 64 characters. Required on creation."""
    options: list[CustomFieldOption] | None = field(
        default=None, metadata=wire("Options", "ref", "CustomFieldOption", many=True)
    )
    """Allowed choices."""


@define(kw_only=True, eq=False, repr=False)
class CustomFieldOption(LockedEntity):
    """The service's ``CustomFieldOption``.

    Operations: unknown.
    """

    parent_id: int | None = field(default=None, metadata=wire("ParentId", "integer"))
    """Id of the parent record."""
    idx: int | None = field(default=None, metadata=wire("Idx", "integer"))
    """Order position."""
    value: str | None = field(default=None, metadata=wire("Value", "string"))
    """Stored value."""
