"""Documents of a record: attached files and links, and downloads."""
# spec 2.9, facts 3.10

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload
from urllib.parse import unquote, urlsplit

import attrs

from wosdk_async import model  # used as ``model.X``, which loads a class on first use
from wosdk_async.errors import (
    DeadlineError,
    DownloadError,
    InvalidCallError,
    NameNotFoundError,
    NotFoundError,
    UnknownNameError,
    WosdkError,
)
from wosdk_async.model import EntitySpecifier, Record
from wosdk_async.protocol.arguments import described
from wosdk_async.protocol.records import Upload, create
from wosdk_async.protocol.wire import Call
from wosdk_async.query.fields import fields
from wosdk_async.query.paths import identifier
from wosdk_async.resources.files import (
    LINK,
    OTHER,
    Source,
    document_id,
    file_writer,
    media_type,
    read_into_memory,
    read_source,
    require_progress,
    require_size,
    require_text,
    require_writable,
    safe_name,
    stored_type,
)
from wosdk_async.resources.lookup_tables import text_of
from wosdk_async.resources.resource import ACTOR_TYPES, Resource
from wosdk_async.transport.download import FileDownload, Progress, Stream
from wosdk_async.transport.session.hosts import is_local, require_link

if TYPE_CHECKING:
    from wosdk_async.calls.sender import CallSender
    from wosdk_async.model import ActorType, Document, DocumentType, GetDocDownloadUrl

__all__ = ["Documents"]

_MAX_UPLOAD = 20 * 1024 * 1024  # bytes. Not shown; assumed: the sister product's limit (facts 7)
_MAX_DOWNLOAD = 64 * 1024 * 1024  # bytes of a file, unless the caller passes ``max_bytes``
_FILES = ("Local", "Cloud", "CloudShared", "WonDocument", "WonNote")  # facts 9: all storage types but URL
_DOWNLOAD: Call[object] = Call("download Document", "GET", "", bytes, repeat_safe=True)
_FILE_SECONDS = 120.0  # deadline of an upload or download: long, because files are larger than call responses


class Documents(Resource):
    """Files and links of work orders and other records: ``company.documents``."""

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

        An upload does not appear in the work order's activity log.

        Args:
            owner: a record, the id of a work order or, with ``actor_type``, the id of another record.
            source: a path, bytes, or an async iterable of bytes. It is read completely before anything is
                sent, within the call's deadline, and held in memory as base64 (a third larger).
            file_name: required unless ``source`` is a path.
            title: title of the document (default: the file's name).
            description: description of the document.
            mime_type: media type (default: guessed from the name). The service derives the document's type
                from it: ``Picture`` for an image, PDF for a PDF.
            doc_type: for files other than images and PDFs: a DocumentType, its id, or its name in the
                Company, such as ``"Picture"``. A name costs an extra query. By default, such files get the
                PDF type, because no other type is documented.
            shared: ``IsShared``; not sent by default.
            public: ``IsPublic``; not sent by default.
            actor_type: the kind of the owner, if its class does not determine it.
            max_bytes: maximum size of the file, in bytes.

        Raises:
            InvalidCallError: the file cannot be read or sent.
            NameNotFoundError: the Company has no document type called ``doc_type``.
            InDoubtError: the document may have been created, but no response confirms it.
            DeadlineError: nothing was sent, for example because ``source`` stalls.
        """
        # facts 3.10; spec 4.9 rule 5
        require_text(file_name=file_name, mime_type=mime_type)
        name = file_name or (os.path.basename(source) if isinstance(source, str | os.PathLike) else "")
        if not name.strip():
            raise InvalidCallError("the file has no name; pass file_name=")
        mime_type = mime_type or media_type(name)
        document = model.Document(
            **_owner_fields(owner, actor_type, "Cloud"),  # spec 2.9, 4.9 rule 5: sent together with a Blob
            title=title or name,
            description=description,
            is_shared=shared,
            is_public=public,
            mime_type=mime_type,
        )
        require_size(max_bytes)
        upload = Upload(name, max_bytes)
        sender = await self._read_upload(source, upload)
        document.doc_type = await self._type(doc_type, stored_type(mime_type) or OTHER)
        return await sender.send(upload.into(create(document)))

    async def _read_upload(self, source: Source, upload: Upload) -> CallSender:
        """Read ``source`` into ``upload``; return a sender whose deadline includes the time for reading."""
        options = self._sender.options
        seconds = _FILE_SECONDS if options.deadline is None else options.deadline
        sender = attrs.evolve(self._sender, until=self._sender.transport.clock.now() + seconds)
        try:
            async with asyncio.timeout(seconds) as limit:
                await read_source(source, upload.require_fit, upload.write)
        except TimeoutError:
            if not limit.expired():
                raise
            raise DeadlineError(
                f"not sent: the source was not read within {seconds:.3g} s",
                phase="source",
                operation="create Document",
                company=self._company.name,
            ) from None
        return sender

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

        ``url`` is an http or https address of at most 2,048 characters, percent-encoded. ``mime_type``
        is ``"url"`` by default, as in the vendor's sample. For the other arguments and the errors, see
        :meth:`attach`.
        """
        require_link(url)
        return await self._company.create(
            model.Document(
                **_owner_fields(owner, actor_type, "URL"),  # facts 3.10
                title=title,
                description=description,
                is_shared=shared,
                is_public=public,
                mime_type=mime_type,
                doc_url=url,
                doc_type=await self._type(doc_type, LINK),
            )
        )

    async def download_urls(
        self, documents: Iterable[Document | EntitySpecifier | int]
    ) -> dict[int, GetDocDownloadUrl]:
        """Return the ``url`` and ``file_name`` of many documents, by id, with one call.

        Documents without an address are omitted. The addresses work without a token, so do not log them. The
        address of a link is any that its author has chosen.

        Args:
            documents: records, references, results of :meth:`attach`, or ids.
        """
        # facts 3.10
        if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
            raise InvalidCallError(
                f"documents is {described(documents)}; it must be a list of documents or ids"
            )
        ids = [document_id(document) for document in documents]
        if not ids:
            return {}
        found = await self._company.run(model.GetDocDownloadUrlCommand(document_ids=ids))
        results: object = found.results
        return {
            each.document_id: each
            for each in (results if isinstance(results, list) else ())
            if isinstance(each, model.GetDocDownloadUrl)
            and isinstance(each.document_id, int)
            and text_of(each.url)
        }

    @overload
    async def download(
        self,
        document: Document | EntitySpecifier | int,
        *,
        progress: Progress | None = None,
        max_bytes: int = _MAX_DOWNLOAD,
    ) -> bytes: ...
    @overload
    async def download(
        self,
        document: Document | EntitySpecifier | int,
        to: str | os.PathLike[str],
        *,
        progress: Progress | None = None,
        max_bytes: int = _MAX_DOWNLOAD,
    ) -> Path: ...
    async def download(
        self,
        document: Document | EntitySpecifier | int,
        to: str | os.PathLike[str] | None = None,
        *,
        progress: Progress | None = None,
        max_bytes: int = _MAX_DOWNLOAD,
    ) -> bytes | Path:
        """Return the bytes of a document's file or, with ``to``, the path of the written file.

        A link is refused, because its author may choose any address. The download request carries neither
        token nor Company name. One deadline covers the look-up of the address and the download (default: the
        Company's, or 120 s).

        Args:
            document: a record, a reference, the result of :meth:`attach`, or an id.
            to: the file to write; for a symbolic link, its target. It is replaced only once the download is
                complete. If ``to`` is a directory, the file gets the document's id and the service's name:
                ``70021-belt.jpg``.
            progress: called with the number of bytes received so far and the total (None if the storage does
                not send one). The count restarts if the file is fetched again after a failure.
            max_bytes: maximum size of the file, in bytes.

        Raises:
            DownloadError: the document is a link, or the file cannot be fetched or written.
            NotFoundError: the document does not exist.
            NotSentError, NoAnswerError, DeadlineError: the file did not arrive.
            InvalidCallError: ``to`` is neither a regular file nor a directory, or its parent directory does
                not exist. Nothing was sent.
        """
        require_progress(progress)
        options = self._sender.options
        seconds = _FILE_SECONDS if options.deadline is None else options.deadline
        id = document_id(document)
        require_size(max_bytes)
        path = None if to is None else require_writable(to)
        transport, sessions = self._sender.transport, self._sender.sessions
        with transport.hold(_DOWNLOAD, sessions):
            try:
                async with asyncio.timeout(seconds) as limit:
                    # Not a local variable: only FileDownload hides the address in a traceback's locals.
                    download, receive = self._prepared(await self._address(id), id, path, max_bytes, progress)
                    return await transport.downloads(sessions).fetch(download, receive, options.retry)
            except WosdkError as error:
                error.add(operation=f"download Document {id}", company=self._company.name)
                error.__traceback__ = None  # the frames hold the address, which may be signed
                raise
            except TimeoutError:
                if not limit.expired():
                    raise
                raise DeadlineError(
                    f"the file did not arrive within {seconds:.3g} s",
                    phase="downloading",
                    operation=f"download Document {id}",
                    company=self._company.name,
                ) from None

    def _prepared(
        self, address: GetDocDownloadUrl, id: int, to: Path | None, max_bytes: int, progress: Progress | None
    ) -> tuple[FileDownload, Callable[[Stream], Awaitable[bytes | Path]]]:
        """Return the download from ``address``, and a function to keep it in memory or write it to ``to``."""
        file = FileDownload(
            url=address.url or "",
            local=is_local(self._company.host or ""),
            max_bytes=max_bytes,
            progress=progress,
            secrets=self._sender.sessions.secrets,
        )
        return file, read_into_memory if to is None else _writer(to, address, id)

    async def _address(self, id: int) -> GetDocDownloadUrl:
        storage = (await self._company.get(model.Document, id, properties=["StorageTypeId"])).storage_type_id
        if storage not in _FILES:  # the author of a link may choose any address
            raise DownloadError(
                f"document {id} is not a file: its StorageTypeId is {str(storage)!r:.80}; open its doc_url"
                " with your own HTTP client"
            )
        try:
            found = (await self.download_urls([id])).get(id)
        except UnknownNameError:  # facts 5: only the description of 2023 contains the command
            found = None
        if found is not None:
            return found
        url = text_of((await self._company.get(model.Document, id, properties=["DocUrl"])).doc_url)
        if not url:
            raise DownloadError(f"document {id} has no address")
        return model.GetDocDownloadUrl(document_id=id, url=url)

    async def _type(self, chosen: DocumentType | int | str | None, default: dict[str, Any]) -> DocumentType:
        if chosen is None:
            return model.DocumentType(**default)
        if not isinstance(chosen, str):
            return (
                chosen
                if isinstance(chosen, Record)
                else model.DocumentType(id=identifier(chosen, "doc_type"))
            )
        found = self._company.query(model.DocumentType).where(fields(model.DocumentType).display_as == chosen)
        try:
            record = await found.select("Id", "DisplayAs").one()
        except NotFoundError:
            raise NameNotFoundError(
                f"the Company has no document type called {chosen!r}",
                operation="query DocumentType",
                company=self._company.name,
            ) from None
        return model.DocumentType(id=record.id, display_as=record.display_as)


def _owner_fields(owner: Record | int, actor_type: ActorType | str | None, storage: str) -> dict[str, Any]:
    """Return a document's fields for owner and storage. Without ``actor_type``, an id means a work order."""
    kind = actor_type or (ACTOR_TYPES.get(owner.wire_name) if isinstance(owner, Record) else "WO")
    if kind is None:
        raise InvalidCallError(f"the actor type of a {type(owner).__name__} is unknown; pass actor_type=")
    return {"actor_id": identifier(owner, "owner"), "actor_type_id": kind, "storage_type_id": storage}


def _writer(to: Path, address: GetDocDownloadUrl, id: int) -> Callable[[Stream], Awaitable[Path]]:
    if not to.is_dir():
        return file_writer(to, named_by_user=True)
    name = text_of(address.file_name) or unquote(urlsplit(address.url or "").path)
    target = to / f"{id}-{safe_name(name, 'document')}"  # with the id: many files are called image.jpg
    if not target.is_symlink():  # the file replaces a symlink, so the target need not be writable
        require_writable(target)
    return file_writer(target, named_by_user=False)
