"""Files of documents: kept as they were sent, and had back by an address that needs no token.

facts 3.10: the address of a file opens without a token and does not expire, so it holds a key that
cannot be guessed. It is worked out when it is shown, since the port may change with every start.
"""

from __future__ import annotations

import binascii
import hmac
import re
from collections.abc import Iterable

import attrs

from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.expressions import Row
from wosdk_async.sandbox.storage.ids import ID
from wosdk_async.sandbox.storage.store import Company, Store

__all__ = ["PATH", "StoredFile", "address_of", "content_of", "find_file"]

PATH = f"/files/{{company:{ID}}}/{{document:{ID}}}/{{key}}"

_MIME_TYPE = re.compile(r"[\w.+-]{1,64}/[\w.+-]{1,64}", re.ASCII)


@attrs.frozen
class StoredFile:
    """A file as it is handed out; ``mime_type`` is safe as a header."""

    content: bytes = attrs.field(repr=False)
    mime_type: str


def address_of(context: RequestContext, document: Row) -> str:
    """Where the file of a document is, or its link; empty for one that has neither."""
    if "Blob" not in document:
        return str(document["DocUrl"])
    key = _key(context.company, document["Id"])
    return f"{context.root}files/{context.company.id}/{document['Id']}/{key}"


def content_of(text: str) -> bytes:
    """The bytes of a ``Blob.Body``. Raises ValueError for what is no base64."""
    return binascii.a2b_base64(text, strict_mode=True)


def find_file(
    store: Store, companies: Iterable[Company], company: int, document: int, key: str
) -> StoredFile | None:
    """The file at an address, if the address is right and the document still has it."""
    owner = next((known for known in companies if known.id == company), None)
    if owner is None or not hmac.compare_digest(_key(owner, document).encode(), key.encode()):
        return None
    row = store.get(company, "Document", document)
    blob = store.get(company, "Blob", row["Blob"]["Id"]) if row and "Blob" in row else None
    if row is None or blob is None:
        return None
    known = _MIME_TYPE.fullmatch(row["MimeType"])
    return StoredFile(content_of(blob["Body"]), row["MimeType"] if known else "application/octet-stream")


def _key(company: Company, document: int) -> str:
    return hmac.digest(company.client_secret.encode(), f"file {document}".encode(), "sha256").hex()[:32]
