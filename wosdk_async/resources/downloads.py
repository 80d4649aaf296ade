"""The files of documents, had back."""
# facts 3.10

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload
from urllib.parse import unquote, urlsplit

from wosdk_async import model  # its classes are loaded when they are named
from wosdk_async.errors import DeadlineError, DownloadError, InvalidCallError, UnknownNameError
from wosdk_async.protocol.validation.arguments import described
from wosdk_async.resources.files import PartialFile, id_of, require_place, require_size, safe_name
from wosdk_async.transport.download import Pour, Progress, Wanted
from wosdk_async.transport.session.hosts import is_local
from wosdk_async.verbs import Verbs

if TYPE_CHECKING:
    from wosdk_async.model import Document, GetDocDownloadUrl

__all__ = ["DownloadClient"]

_MAX_BYTES = 64 * 1024 * 1024
_SECONDS = 120.0  # for the address and the file: files are longer than the answers of calls


class DownloadClient(Verbs):
    """Addresses of documents, and what is at them."""

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
        found = await self.run(model.GetDocDownloadUrlCommand(document_ids=ids))
        return {one.document_id: one for one in found.results or () if one.document_id and one.url}

    @overload
    async def download(
        self, document: Document | int, *, progress: Progress | None = None, max_bytes: int = _MAX_BYTES
    ) -> bytes: ...
    @overload
    async def download(
        self,
        document: Document | int,
        to: str | os.PathLike[str],
        *,
        progress: Progress | None = None,
        max_bytes: int = _MAX_BYTES,
    ) -> Path: ...
    async def download(
        self,
        document: Document | int,
        to: str | os.PathLike[str] | None = None,
        *,
        progress: Progress | None = None,
        max_bytes: int = _MAX_BYTES,
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
        seconds = _SECONDS if self._options.deadline is None else self._options.deadline
        id = id_of(document, "document")
        require_size(max_bytes)
        place = None if to is None else require_place(to)
        try:
            async with asyncio.timeout(seconds) as limit:
                address = await self._address(id)
                wanted = Wanted(
                    url=address.url or "",
                    local=is_local(self.host or ""),
                    max_bytes=max_bytes,
                    progress=progress,
                    secrets=self._sessions.secrets,
                )
                return await self._fetch(wanted, None if place is None else _target(place, address, id))
        except DownloadError as error:
            error.add(operation=f"download Document {id}", company=self.name)
            raise
        except TimeoutError:
            if not limit.expired():
                raise
            raise DeadlineError(
                f"the file did not come within {seconds:g} s",
                phase="downloading",
                operation=f"download Document {id}",
                company=self.name,
            ) from None

    async def _address(self, id: int) -> GetDocDownloadUrl:
        """The address by command, or the record's own where there is none or the release has no command."""
        try:
            found = (await self.download_urls([id])).get(id)
        except UnknownNameError:  # the command is in the description of 2023 only (facts 5)
            found = None
        if found is not None:
            return found
        url = (await self.get(model.Document, id, properties=["DocUrl"])).doc_url
        if not url:
            raise DownloadError("the document has no address: neither a file nor a link")
        return model.GetDocDownloadUrl(document_id=id, url=url)

    async def _fetch(self, wanted: Wanted, target: Path | None) -> bytes | Path:
        async def into_memory(pour: Pour) -> bytes:
            buffer = io.BytesIO()

            async def take(piece: bytes) -> None:
                try:
                    buffer.write(piece)
                except MemoryError:
                    raise DownloadError("the file does not fit into memory; fetch it with to=") from None

            await pour(take)
            return buffer.getvalue()

        async def into_file(pour: Pour) -> Path:
            with PartialFile(target or Path()) as file:
                await pour(file.write)
                await file.keep()
            return file.target

        receive: Any = into_memory if target is None else into_file
        done: bytes | Path = await self._transport.downloads().fetch(wanted, receive, self._options.retry)
        return done


def _target(to: Path, address: GetDocDownloadUrl, id: int) -> Path:
    if not to.is_dir():
        return to
    named = address.file_name or unquote(urlsplit(address.url or "").path)
    return require_place(to / f"{id}-{safe_name(named, 'document')}")  # many documents are called image.jpg
