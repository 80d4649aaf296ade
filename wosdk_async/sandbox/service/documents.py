"""Document files, stored as sent and served at addresses that need no token.

facts 3.10: file addresses need no token and do not expire, so each contains an unguessable key. Addresses are
computed when shown, because the port may change with each start.
"""

from __future__ import annotations

import binascii
import hmac
import re

from wosdk_async.sandbox.errors import incorrect_model, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.service.context import Arguments, RequestContext
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.store import Store

_MIME_TYPE = re.compile(r"[\w.+-]{1,64}/[\w.+-]{1,64}", re.ASCII)


def address_of(context: RequestContext, document: Record) -> str:
    """Return a document's file address or link; an empty string if it has neither."""
    if "Blob" not in document:
        return str(document["DocUrl"])
    key = _key(context.company, document["Id"])
    return f"{context.root}files/{context.company.id}/{document['Id']}/{key}"


def download_urls(context: RequestContext, arguments: Arguments) -> Record:
    """Return the addresses of documents. Not shown; assumed: missing documents and addresses are omitted."""
    keys = arguments.get("DocumentIds")
    if not keys:
        raise required("DocumentIds")
    if not isinstance(keys, list) or not all(type(key) is int for key in keys):
        raise incorrect_model("DocumentIds must be a list of integers.")
    documents = [each for key in keys if abs(key) < 2**63 and (each := context.find("Document", key))]
    return {"Results": [_download(context, each) for each in documents if address_of(context, each)]}


def _download(context: RequestContext, document: Record) -> Record:
    blob = context.find("Blob", document["Blob"]["Id"]) if "Blob" in document else None
    name = blob["FileName"] if blob else ""  # not shown; assumed: a link has no name
    return {"DocumentId": document["Id"], "Url": address_of(context, document), "FileName": name}


def decode_file(text: str) -> bytes:
    """Decode a ``Blob.Body``. Raises ValueError if it is not base64."""
    return binascii.a2b_base64(text, strict_mode=True)


def find_file(store: Store, company: int, document: int, key: str) -> tuple[bytes, str] | None:
    """Return the file at an address, with a content type that is safe to send; None if missing."""
    owner = next((known for known in store.companies() if known.id == company), None)
    if owner is None or not hmac.compare_digest(_key(owner, document).encode(), key.encode()):
        return None
    record = store.get(company, "Document", document)
    blob = store.get(company, "Blob", record["Blob"]["Id"]) if record and "Blob" in record else None
    if record is None or blob is None:
        return None
    is_valid = _MIME_TYPE.fullmatch(record["MimeType"])
    return decode_file(blob["Body"]), record["MimeType"] if is_valid else "application/octet-stream"


def _key(company: StoredCompany, document: int) -> str:
    return hmac.digest(company.client_secret.encode(), f"file {document}".encode(), "sha256").hex()[:32]
