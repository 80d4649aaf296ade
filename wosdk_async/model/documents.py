"""Entities: documents.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model._wire import wire
from wosdk_async.model.bases import Entity, LockedEntity

if TYPE_CHECKING:
    from datetime import datetime

    from wosdk_async.model.enums import ActorType, DocumentStorageType, PrintoutStatus
    from wosdk_async.model.people import Actor


@define(kw_only=True, eq=False, repr=False)
class Document(LockedEntity):
    """File or link attached to a record.

    Operations: create, retrieve, update, delete, query.

    Sources: spec, wsdl, peer.
    """

    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object. Sources: spec, wsdl, peer."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. Sources: spec, wsdl, peer."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text. Sources: wsdl, peer."""
    title: str | None = field(default=None, metadata=wire("Title", "string"))
    """Title. Sources: spec, wsdl, peer."""
    doc_type: DocumentType | None = field(
        default=None, metadata=wire("DocType", "ref", "DocumentType", required=True)
    )
    """Document type record. Required on creation. Send {Id}; the server is reported to derive it from
    MimeType. Sources: spec, wsdl, peer.
    """
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. ISO 8601 local time, no zone. Peer client sends an offset. Sources: wsdl, peer."""
    updated_date: datetime | None = field(default=None, metadata=wire("UpdatedDate", "datetime-local"))
    """Time of the last change. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    extension_id: int | None = field(default=None, metadata=wire("ExtensionId", "integer"))
    """File extension id. Sources: wsdl, peer."""
    is_shared: bool | None = field(default=None, metadata=wire("IsShared", "boolean"))
    """Shared flag. Sources: spec, wsdl, peer."""
    is_public: bool | None = field(default=None, metadata=wire("IsPublic", "boolean"))
    """Public flag. Sources: spec, wsdl, peer."""
    storage_type_id: DocumentStorageType | None = field(
        default=None, metadata=wire("StorageTypeId", "enum", "DocumentStorageType", required=True)
    )
    """Where the file is kept. Required on creation. Sources: spec, wsdl, peer."""
    doc_url: str | None = field(default=None, metadata=wire("DocUrl", "string"))
    """Address of the file, or the link. Spec 2.9 mentions such a property without naming it; with
    StorageTypeId URL it holds the link (vendor sample: MimeType url). Sources: wsdl, peer, spec.
    """
    mime_type: str | None = field(default=None, metadata=wire("MimeType", "string"))
    """Media type of the file. Peer client always sends it. Sources: wsdl, peer."""
    updated_by: Actor | None = field(default=None, metadata=wire("UpdatedBy", "ref", "Actor"))
    """Actor who changed it last. Sources: wsdl, peer."""
    won_id: int | None = field(default=None, metadata=wire("WonId", "integer"))
    """Id in the provider network. Sources: wsdl, peer."""
    won_member_id: int | None = field(default=None, metadata=wire("WonMemberId", "integer"))
    """``WonMemberId`` on the wire. Sources: wsdl, peer."""
    blob: Blob | None = field(default=None, metadata=wire("Blob", "ref", "Blob"))
    """File content on upload. Sources: spec, wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Blob(Entity):
    """Binary content.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Key: ActorId, ActorTypeId, TypeId. Sources: spec, wsdl, peer.
    """

    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object. Sources: wsdl, peer."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. Sources: wsdl, peer."""
    body: str | None = field(default=None, metadata=wire("Body", "string"))
    """File content, base64 text. Sources: spec, wsdl, peer."""
    file_name: str | None = field(default=None, metadata=wire("FileName", "string"))
    """File name. Sources: spec, wsdl, peer."""
    type_id: str | None = field(
        default=None, metadata=wire("TypeId", "string", max_length=1, max_length_source="doc")
    )
    """Kind of the record. At most 1 characters. Single character in the SOAP schema. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class DocumentType(LockedEntity):
    """Kind of document.

    Operations: query. Not known: create, retrieve, update, delete.

    Sources: spec, wsdl, peer.
    """

    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text. Sources: wsdl, peer."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: spec, wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class PrintoutTemplate(Entity):
    """``PrintoutTemplate`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record. Sources: wsdl, peer."""
    is_hidden: bool | None = field(default=None, metadata=wire("IsHidden", "boolean"))
    """``IsHidden`` on the wire. Sources: wsdl, peer."""
    status_id: PrintoutStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "PrintoutStatus")
    )
    """Status of the record. Sources: wsdl, peer."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. Sources: wsdl, peer."""
