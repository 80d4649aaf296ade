"""GetDocDownloadUrlCommand (facts 3.10)."""

from __future__ import annotations

from wosdk_async.sandbox.errors import incorrect_model, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.service.commands.registry import Arguments, command
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.documents import address_of

__all__ = ["download_urls"]


@command("GetDocDownloadUrlCommand")
def download_urls(context: RequestContext, arguments: Arguments) -> Record:
    """One result for each document that has an address, in the order asked for.

    A document that does not exist, or has neither file nor link, is left out (not shown; assumed).
    """
    keys = arguments.get("DocumentIds")
    if not keys:
        raise required("DocumentIds")
    if not isinstance(keys, list) or not all(type(key) is int for key in keys):
        raise incorrect_model("DocumentIds must be a list of integers.")
    rows = [row for key in keys if abs(key) < 2**63 and (row := context.find("Document", key))]
    return {"Results": [_result(context, row) for row in rows if address_of(context, row)]}


def _result(context: RequestContext, document: Record) -> Record:
    blob = context.find("Blob", document["Blob"]["Id"]) if "Blob" in document else None
    name = blob["FileName"] if blob else ""  # of a link: not shown; assumed
    return {"DocumentId": document["Id"], "Url": address_of(context, document), "FileName": name}
