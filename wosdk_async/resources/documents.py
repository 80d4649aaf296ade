"""Documents of a record: files and links attached to it."""
# spec 2.9, facts 3.10

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from wosdk_async import model  # its classes are loaded when they are named
from wosdk_async.errors import InvalidCallError, NotFoundError
from wosdk_async.model import EntitySpecifier, Record
from wosdk_async.protocol.uploads import Upload
from wosdk_async.query.fields import fields
from wosdk_async.resources.downloads import DownloadClient
from wosdk_async.resources.files import Source, id_of, media_type, read_source, require_size
from wosdk_async.transport.session.hosts import require_link

if TYPE_CHECKING:
    from wosdk_async.model import ActorType, DocumentType

__all__ = ["Documents"]

_MAX_BYTES = 20 * 1024 * 1024  # facts 7: taken from the sister product, not confirmed; assumed

# facts 9 for the first four, spec 2.10 for Space; Location by its name (assumed)
_KINDS = {
    "WorkOrder": "WO",
    "Customer": "CommLease",
    "Contact": "LeaseUser",
    "Employee": "Employee",
    "Space": "CommLeaseSpace",
    "Location": "Asset",
}

# facts 3.10: an id must be sent, and the service stores the one that follows from MimeType.
_PICTURE: dict[str, Any] = {"id": 3, "display_as": "Picture"}
_FILE: dict[str, Any] = {"id": 32}  # what a PDF gets; for other files not shown, assumed
_LINK: dict[str, Any] = {"id": 9}  # not shown; assumed


class Documents(DownloadClient):
    """Files and links of work orders and other records."""

    async def attach(
        self,
        owner: Record | int,
        source: Source,
        *,
        file_name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        doc_type: DocumentType | int | str | None = None,
        shared: bool | None = None,
        public: bool | None = None,
        actor_type: ActorType | str | None = None,
        max_bytes: int = _MAX_BYTES,
    ) -> EntitySpecifier:
        """Attach a file to a record and return the new document.

        Args:
            owner: a record; or the id of a work order, of another record with ``actor_type``.
            source: a path, bytes, or an async iterable of bytes. It is read to its end before anything is
                sent, outside of the call's deadline, and held once: as base64, a third longer than it is.
            file_name: needed when ``source`` is no path.
            title: the file's name where it is not given.
            mime_type: guessed from the name where it is not given. The service derives the document's type
                from it.
            doc_type: a DocumentType, its id, or its name in the Company (``"Picture"``: one query more).
            shared, public: ``IsShared`` and ``IsPublic``; not sent where they are not given.
            actor_type: the kind of the owner, where its class does not tell it.
            max_bytes: the longest file that is sent.

        An upload is not recorded in the work order's activity log. Raises InvalidCallError for what cannot
        be sent or read, and InDoubtError when the document may have been created though no answer says so.
        """
        # facts 3.10; spec 4.9 rule 5
        named = file_name or (os.path.basename(source) if isinstance(source, str | os.PathLike) else "")
        if not named.strip():
            raise InvalidCallError("the file has no name; pass file_name=")
        mime_type = mime_type or media_type(named)
        document = model.Document(
            **_placed(owner, actor_type, "Cloud"),  # spec 2.9, 4.9 rule 5: what is shown with a Blob
            title=title or named,
            description=description,
            is_shared=shared,
            is_public=public,
            mime_type=mime_type,
        )
        require_size(max_bytes)
        upload = Upload(named, max_bytes)
        await read_source(source, upload.require_fit, upload.write)
        default = _PICTURE if mime_type.lower().startswith("image/") else _FILE
        document.doc_type = await self._type(doc_type, default)
        return await self._send(upload.call(document))

    async def link(
        self,
        owner: Record | int,
        url: str,
        *,
        title: str,
        description: str | None = None,
        mime_type: str = "url",
        doc_type: DocumentType | int | str | None = None,
        shared: bool | None = None,
        public: bool | None = None,
        actor_type: ActorType | str | None = None,
    ) -> EntitySpecifier:
        """Attach a link to a record and return the new document; nothing is fetched from ``url``.

        Args:
            url: an http or https address of at most 2,048 characters, percent-encoded.
            mime_type: ``"url"`` as in the vendor's own sample.

        The others are those of :meth:`attach`. Raises InvalidCallError and InDoubtError as it does.
        """
        require_link(url)
        return await self.create(
            model.Document(
                **_placed(owner, actor_type, "URL"),  # facts 3.10
                title=title,
                description=description,
                is_shared=shared,
                is_public=public,
                mime_type=mime_type,
                doc_url=url,
                doc_type=await self._type(doc_type, _LINK),
            )
        )

    async def _type(self, chosen: DocumentType | int | str | None, default: dict[str, Any]) -> DocumentType:
        if chosen is None:
            return model.DocumentType(**default)
        if not isinstance(chosen, str):
            return (
                model.DocumentType(id=id_of(chosen, "doc_type")) if not isinstance(chosen, Record) else chosen
            )
        found = self.query(model.DocumentType).where(fields(model.DocumentType).display_as == chosen)
        try:
            row = await found.select("Id", "DisplayAs").one()
        except NotFoundError:
            raise NotFoundError(
                f"the Company has no document type called {chosen!r}", operation="query DocumentType"
            ) from None
        return model.DocumentType(id=row.id, display_as=row.display_as)


def _placed(owner: Record | int, actor_type: ActorType | str | None, storage: str) -> dict[str, Any]:
    """Whose a document is, and where it is kept; an id without a kind is a work order's."""
    kind = actor_type or (_KINDS.get(owner.wire_name) if isinstance(owner, Record) else "WO")
    if kind is None:
        raise InvalidCallError(
            f"which kind of owner a {type(owner).__name__} is, is not known; pass actor_type="
        )
    return {"actor_id": id_of(owner, "owner"), "actor_type_id": kind, "storage_type_id": storage}
