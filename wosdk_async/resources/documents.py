"""Documents of a record: files and links attached to it, and downloads of their files."""
# spec 2.9, facts 3.10

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload
from urllib.parse import unquote, urlsplit

from wosdk_async import model  # its classes are loaded when they are named
from wosdk_async.errors import DeadlineError, DownloadError, InvalidCallError, NotFoundError, UnknownNameError
from wosdk_async.model import EntitySpecifier, Record
from wosdk_async.protocol import calls
from wosdk_async.protocol.arguments import described
from wosdk_async.protocol.content import Upload
from wosdk_async.query.fields import fields
from wosdk_async.resources.files import (
    PartialFile,
    Source,
    id_of,
    media_type,
    read_source,
    require_place,
    require_size,
    safe_name,
)
from wosdk_async.resources.verbs import Verbs
from wosdk_async.sender import CallSender
from wosdk_async.transport.download import FileDownload, Progress, Stream
from wosdk_async.transport.session.hosts import is_local, require_link

if TYPE_CHECKING:
    from wosdk_async.model import ActorType, Document, DocumentType, GetDocDownloadUrl

__all__ = ["Documents"]

_MAX_UPLOAD = 20 * 1024 * 1024  # bytes; facts 7: taken from the sister product, not confirmed; assumed
_MAX_DOWNLOAD = 64 * 1024 * 1024  # bytes
_DOWNLOAD_SECONDS = 120.0  # for the address and the file: files are longer than the responses of calls

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


class Documents:
    """Files and links of work orders and other records: ``company.documents``."""

    def __init__(self, company: Verbs, sender: CallSender) -> None:
        self._company = company
        self._sender = sender

    # --- attach -------------------------------------------------------------------------------

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
        max_bytes: int = _MAX_UPLOAD,
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
        return await self._sender.send(upload.into(calls.create(document)))

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
        return await self._company.create(
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

    # --- download -----------------------------------------------------------------------------

    async def download_urls(self, documents: Iterable[Document | int]) -> dict[int, GetDocDownloadUrl]:
        """Where the files of many documents are, with one call: id -> ``url`` and ``file_name``.

        Args:
            documents: records, references or ids; a document that has no address is not in the answer.

        An address opens without a token for whoever has it: do not log it.
        """
        # facts 3.10
        if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
            raise InvalidCallError(
                f"documents is {described(documents)}; it takes a list of documents or ids"
            )
        ids = [id_of(document, "document") for document in documents]
        if not ids:
            return {}
        found = await self._company.run(model.GetDocDownloadUrlCommand(document_ids=ids))
        return {one.document_id: one for one in found.results or () if one.document_id and one.url}

    @overload
    async def download(
        self, document: Document | int, *, progress: Progress | None = None, max_bytes: int = _MAX_DOWNLOAD
    ) -> bytes: ...
    @overload
    async def download(
        self,
        document: Document | int,
        to: str | os.PathLike[str],
        *,
        progress: Progress | None = None,
        max_bytes: int = _MAX_DOWNLOAD,
    ) -> Path: ...
    async def download(
        self,
        document: Document | int,
        to: str | os.PathLike[str] | None = None,
        *,
        progress: Progress | None = None,
        max_bytes: int = _MAX_DOWNLOAD,
    ) -> bytes | Path:
        """The file of a document: its bytes, or with ``to`` the path it was written to.

        Args:
            document: a record, a reference or an id.
            to: the file to write, which is replaced only by a complete one, and the one behind a link; or a
                directory, where the file gets the document's id and the service's name for it:
                ``70021-belt.jpg``.
            progress: called with the bytes had so far and their whole number, None where the storage does
                not tell it; begins again when the file is fetched again after a failure.
            max_bytes: the longest file that is taken.

        The address gets neither token nor Company name. One deadline holds for address and file, 120 s where
        the Company has none of its own. Raises DownloadError for a file that cannot be had or written,
        NotFoundError for a document that is not there, and NotSentError, NoAnswerError or DeadlineError for
        one that did not come. Raises InvalidCallError, before anything is sent, for a ``to`` that is no
        regular file or whose directory is not there.
        """
        seconds = (
            _DOWNLOAD_SECONDS if self._sender.options.deadline is None else self._sender.options.deadline
        )
        id = id_of(document, "document")
        require_size(max_bytes)
        place = None if to is None else require_place(to)
        try:
            async with asyncio.timeout(seconds) as limit:
                address = await self._address(id)
                download = FileDownload(
                    url=address.url or "",
                    local=is_local(self._company.host or ""),
                    max_bytes=max_bytes,
                    progress=progress,
                    secrets=self._sender.sessions.secrets,
                )
                return await self._fetch(download, None if place is None else _target(place, address, id))
        except DownloadError as error:
            error.add(operation=f"download Document {id}", company=self._company.name)
            raise
        except TimeoutError:
            if not limit.expired():
                raise
            raise DeadlineError(
                f"the file did not come within {seconds:g} s",
                phase="downloading",
                operation=f"download Document {id}",
                company=self._company.name,
            ) from None

    async def _address(self, id: int) -> GetDocDownloadUrl:
        """The address by command, or the record's own where there is none or the release has no command."""
        try:
            found = (await self.download_urls([id])).get(id)
        except UnknownNameError:  # the command is in the description of 2023 only (facts 5)
            found = None
        if found is not None:
            return found
        url = (await self._company.get(model.Document, id, properties=["DocUrl"])).doc_url
        if not url:
            raise DownloadError("the document has no address: neither a file nor a link")
        return model.GetDocDownloadUrl(document_id=id, url=url)

    async def _fetch(self, download: FileDownload, target: Path | None) -> bytes | Path:
        async def into_memory(stream: Stream) -> bytes:
            buffer = io.BytesIO()

            async def take(piece: bytes) -> None:
                try:
                    buffer.write(piece)
                except MemoryError:
                    raise DownloadError("the file does not fit into memory; fetch it with to=") from None

            await stream(take)
            return buffer.getvalue()

        async def into_file(stream: Stream) -> Path:
            with PartialFile(target or Path()) as file:
                await stream(file.write)
                await file.keep()
            return file.target

        receive: Any = into_memory if target is None else into_file
        done: bytes | Path = await self._sender.transport.downloads().fetch(
            download, receive, self._sender.options.retry
        )
        return done

    # --- parts --------------------------------------------------------------------------------

    async def _type(self, chosen: DocumentType | int | str | None, default: dict[str, Any]) -> DocumentType:
        if chosen is None:
            return model.DocumentType(**default)
        if not isinstance(chosen, str):
            return (
                model.DocumentType(id=id_of(chosen, "doc_type")) if not isinstance(chosen, Record) else chosen
            )
        found = self._company.query(model.DocumentType).where(fields(model.DocumentType).display_as == chosen)
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


def _target(to: Path, address: GetDocDownloadUrl, id: int) -> Path:
    if not to.is_dir():
        return to
    named = address.file_name or unquote(urlsplit(address.url or "").path)
    return require_place(to / f"{id}-{safe_name(named, 'document')}")  # many documents are called image.jpg
