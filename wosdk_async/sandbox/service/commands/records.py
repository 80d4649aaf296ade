"""Commands on records of any type: the base operations (facts 5), and the addresses of files (facts 3.10)."""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.errors import Refusal, incorrect_model, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import EntitySchema, find_schema
from wosdk_async.sandbox.schema.values import reference_id
from wosdk_async.sandbox.service.context import Arguments, RequestContext
from wosdk_async.sandbox.service.crud import create_entity, delete_entity, specifier, update_entity
from wosdk_async.sandbox.service.documents import address_of
from wosdk_async.sandbox.service.query.selection import property_paths
from wosdk_async.sandbox.service.write import restore

__all__ = ["create_record", "delete_record", "download_urls", "restore_record", "update_record"]


def create_record(context: RequestContext, arguments: Arguments) -> Record:
    """Create a record, as a POST does."""
    schema, entity = _typed_entity(context, arguments.get("Entity"))
    return create_entity(context, schema, entity)


def update_record(context: RequestContext, arguments: Arguments) -> Record:
    """Update a record, as a PUT does."""
    schema, entity = _typed_entity(context, arguments.get("Entity"))
    chosen = arguments.get("PropertySet")
    paths = property_paths(get_ignore_case(chosen, "Properties") if isinstance(chosen, dict) else None)
    return update_entity(context, schema, entity, list(paths))


def delete_record(context: RequestContext, arguments: Arguments) -> Record:
    """Delete a record, as a DELETE does."""
    schema, key = _specified(context, arguments.get("EntitySpecifier"))
    return delete_entity(context, schema, str(key), missing_ok=False)


def restore_record(context: RequestContext, arguments: Arguments) -> Record:
    """Undo the removal of a record."""
    schema, key = _specified(context, arguments.get("EntitySpecifier"))
    record = context.get(schema.name, key)
    restore(context, schema, record)
    return specifier(schema, record)


def download_urls(context: RequestContext, arguments: Arguments) -> Record:
    """Return the address of each document that has one, in the order of the request.

    A document that does not exist, or has neither file nor link, is left out (not shown; assumed).
    """
    keys = arguments.get("DocumentIds")
    if not keys:
        raise required("DocumentIds")
    if not isinstance(keys, list) or not all(type(key) is int for key in keys):
        raise incorrect_model("DocumentIds must be a list of integers.")
    documents = [each for key in keys if abs(key) < 2**63 and (each := context.find("Document", key))]
    return {"Results": [_download(context, each) for each in documents if address_of(context, each)]}


def _download(context: RequestContext, document: Record) -> Record:
    blob = context.find("Blob", document["Blob"]["Id"]) if "Blob" in document else None
    name = blob["FileName"] if blob else ""  # of a link: not shown; assumed
    return {"DocumentId": document["Id"], "Url": address_of(context, document), "FileName": name}


def _typed_entity(context: RequestContext, entity: Any) -> tuple[EntitySchema, dict[str, Any]]:
    """Return an entity with its type, which its ``EntityType`` names (by REST not shown; assumed)."""
    name = get_ignore_case(entity, "EntityType") if isinstance(entity, dict) else None
    if not isinstance(name, str):
        raise Refusal(400, "ENTITYSPECIFIER_NOT_FOUND", "The entity names no EntityType.")
    return find_schema(name, context.dialect), entity


def _specified(context: RequestContext, sent: Any) -> tuple[EntitySchema, int]:
    name = get_ignore_case(sent, "EntityType") if isinstance(sent, dict) else None
    key = reference_id(sent)
    if not isinstance(name, str) or key is None:
        raise Refusal(400, "ENTITYSPECIFIER_NOT_FOUND", "EntitySpecifier is null or empty.")  # facts 6
    return find_schema(name, context.dialect), key
