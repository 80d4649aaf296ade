"""Entities: documents.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.bases import Entity, LockedEntity
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime

    from wosdk_async.model.enums import ActorType, DocumentStorageType, PrintoutStatus
    from wosdk_async.model.people import Actor


@define(kw_only=True, eq=False, repr=False)
class Document(LockedEntity):
    """File or link attached to a record.

    Operations: create, retrieve, update, delete, query.
    """

    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    title: str | None = field(default=None, metadata=wire("Title", "string"))
    """Title."""
    doc_type: DocumentType | None = field(
        default=None, metadata=wire("DocType", "ref", "DocumentType", required=True)
    )
    """Document type record. Required on creation. Send {Id}, although the server reportedly derives the
    document type from MimeType.
    """
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. Local time without a zone."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. Local time without a zone. A public client sends a UTC offset."""
    updated_date: datetime | None = field(default=None, metadata=wire("UpdatedDate", "datetime-local"))
    """Time of the last change. Local time without a zone."""
    extension_id: int | None = field(default=None, metadata=wire("ExtensionId", "integer"))
    """File extension id."""
    is_shared: bool | None = field(default=None, metadata=wire("IsShared", "boolean"))
    """Shared flag."""
    is_public: bool | None = field(default=None, metadata=wire("IsPublic", "boolean"))
    """Public flag."""
    storage_type_id: DocumentStorageType | None = field(
        default=None, metadata=wire("StorageTypeId", "enum", "DocumentStorageType", required=True)
    )
    """Where the file is kept. Required on creation."""
    doc_url: str | None = field(default=None, metadata=wire("DocUrl", "string"))
    """Address of the file, or the link. The specification describes this property but does not name it. Holds
    the link if StorageTypeId is URL; in a vendor sample with a link, MimeType is url.
    """
    mime_type: str | None = field(default=None, metadata=wire("MimeType", "string"))
    """Media type of the file. A public client always sends it."""
    updated_by: Actor | None = field(default=None, metadata=wire("UpdatedBy", "ref", "Actor"))
    """Actor who last changed the record."""
    won_id: int | None = field(default=None, metadata=wire("WonId", "integer"))
    """Id in the provider network."""
    won_member_id: int | None = field(default=None, metadata=wire("WonMemberId", "integer"))
    """``WonMemberId`` on the wire."""
    blob: Blob | None = field(default=None, metadata=wire("Blob", "ref", "Blob"))
    """File content on upload."""


@define(kw_only=True, eq=False, repr=False)
class Blob(Entity):
    """Binary content.

    Operations: unknown.

    Key: ActorId, ActorTypeId, TypeId.
    """

    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object."""
    body: str | None = field(default=None, metadata=wire("Body", "string"))
    """File content, base64 text."""
    file_name: str | None = field(default=None, metadata=wire("FileName", "string"))
    """File name."""
    type_id: str | None = field(
        default=None, metadata=wire("TypeId", "string", max_length=1, max_length_source="doc")
    )
    """Kind of the record. At most 1 character. Single character in the SOAP schema."""


@define(kw_only=True, eq=False, repr=False)
class DocumentType(LockedEntity):
    """Kind of document.

    Operations: query. Unknown: create, retrieve, update, delete.
    """

    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""


@define(kw_only=True, eq=False, repr=False)
class PrintoutTemplate(Entity):
    """The service's ``PrintoutTemplate``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record."""
    is_hidden: bool | None = field(default=None, metadata=wire("IsHidden", "boolean"))
    """``IsHidden`` on the wire."""
    status_id: PrintoutStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "PrintoutStatus")
    )
    """Status of the record."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object."""
