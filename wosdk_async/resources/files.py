"""Local files: reading uploads, writing downloads under safe names, and document types."""

from __future__ import annotations

import asyncio
import io
import math
import os
import re
import stat
from collections.abc import AsyncIterable, Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

from wosdk_async import model  # used as ``model.X``, which loads a class on first use
from wosdk_async.codec.checks import kind_of
from wosdk_async.errors import DownloadError, InvalidCallError
from wosdk_async.model import EntitySpecifier, Record
from wosdk_async.options.checks import check_number
from wosdk_async.protocol.arguments import described
from wosdk_async.query.paths import identifier
from wosdk_async.regular_files import replace_file
from wosdk_async.transport.download import Stream

Content = bytes | bytearray | memoryview
Source = str | os.PathLike[str] | Content | AsyncIterable[Content]
"""Source of an upload: a path, bytes, or an async iterable of bytes."""

_CHUNK = 1024 * 1024  # bytes per read or write of a file
_MAX_NAME = 200  # maximum bytes of a file name; most file systems allow 255
_NOT_IN_NAMES = re.compile(r'[<>:"|?*]')  # special characters in some file systems


def document_id(document: object) -> int:
    """Return the id of a document; refuse other records."""
    if isinstance(document, EntitySpecifier):  # the result of attach()
        is_document = document.entity_type in (None, "Document")
    else:
        is_document = not isinstance(document, Record) or isinstance(document, model.Document)
    if not is_document:
        raise InvalidCallError(
            f"document is {kind_of(document)}; it must be a Document, the result of attach(), or an id; to"
            " find the documents of a record, read its Documents.*"
        )
    return identifier(document, "document")


async def read_source(
    source: Source, check_size: Callable[[int], None], write: Callable[[Content], None]
) -> None:
    """Pass all of ``source`` to ``write``; first check its size, if known. Raises InvalidCallError."""
    if isinstance(source, str | os.PathLike):
        try:
            await _read_file(Path(source), check_size, write)
        except OSError as cause:
            raise InvalidCallError(
                f"{str(source)!r:.200} cannot be read: {cause.strerror or cause}; pass the path of a file, or"
                " its bytes"
            ) from cause
    elif isinstance(source, Content):
        check_size(memoryview(source).nbytes)
        write(source)
    elif isinstance(source, AsyncIterable):
        async for piece in source:
            if not isinstance(piece, Content):
                raise InvalidCallError(f"the stream yielded a {type(piece).__name__}; it must yield bytes")
            write(piece)
            await asyncio.sleep(0)  # for the deadline and other tasks, if the stream itself never waits
    else:
        own = "a path, bytes or an async iterable of bytes"
        if hasattr(source, "read"):
            own = "what 'await .read()' returns" if iscoroutinefunction(source.read) else "its .read()"
        raise InvalidCallError(f"{kind_of(source)} cannot be uploaded; pass {own}")


async def _read_file(path: Path, check_size: Callable[[int], None], write: Callable[[Content], None]) -> None:
    found = await asyncio.to_thread(path.stat)
    if not stat.S_ISREG(found.st_mode):
        raise InvalidCallError(f"{path} is not a regular file; read it yourself and pass an async iterable")
    check_size(found.st_size)
    with path.open("rb") as file:
        while piece := await asyncio.to_thread(file.read, _CHUNK):
            write(piece)


def media_type(file_name: str) -> str:
    """Return the media type for a file name's suffix."""
    import mimetypes  # imported here, because it reads system files

    known, encoding = mimetypes.guess_type(file_name, strict=False)
    return known if known and not encoding else "application/octet-stream"


def safe_name(name: str, otherwise: str) -> str:
    """Return an untrusted path's last part, printable and cut to 200 bytes; ``otherwise`` if it is empty."""
    last = re.split(r"[/\\]", name)[-1]
    shown = "".join(char for char in _NOT_IN_NAMES.sub("_", last) if char.isprintable())
    stem, suffix = os.path.splitext(shown.strip(" ."))
    suffix = suffix if len(suffix.encode()) <= 20 else ""
    kept = stem.encode()[: _MAX_NAME - len(suffix.encode())].decode(errors="ignore")
    return (kept + suffix).strip(" .") or otherwise


def require_size(max_bytes: object) -> None:
    """Raise InvalidCallError unless ``max_bytes`` is a number of bytes."""
    takes = "a number of bytes, 0 or more"
    check_number("max_bytes", max_bytes, takes, high=math.inf, error=InvalidCallError)


def require_text(**given: object) -> None:
    """Raise InvalidCallError unless each argument is a string or None."""
    for name, value in given.items():
        if not isinstance(value, str | None):
            raise InvalidCallError(f"{name} is {described(value)}; it must be text")


def require_progress(progress: object) -> None:
    """Raise InvalidCallError unless ``progress`` is callable or None."""
    if progress is not None and not callable(progress):
        raise InvalidCallError(
            f"progress is {described(progress)}; it must be a function of two arguments: the number of bytes"
            " received, and the total or None"
        )


def require_writable(to: str | os.PathLike[str]) -> Path:
    """Return ``to`` as a path.

    Raises InvalidCallError if it is neither a file nor a directory, or its parent directory does not exist.
    """
    if not isinstance(to, str | os.PathLike):
        raise InvalidCallError(f"to= is {described(to)}; it must be the path of a file or directory")
    path = Path(to)
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except FileNotFoundError:  # also raised for a link whose target does not exist yet
        folder = Path(os.path.realpath(path)).parent
        if str(to).endswith(("/", os.sep)) or not folder.is_dir():
            missing = to if folder.is_dir() else folder
            raise InvalidCallError(f"{str(missing)!r:.200} is not a directory; create it first") from None
        return path
    except (OSError, ValueError) as cause:
        why = getattr(cause, "strerror", None) or cause
        raise InvalidCallError(f"{str(to)!r:.200} cannot be written: {why}; name another file") from None
    if kind not in (stat.S_IFREG, stat.S_IFDIR):
        raise InvalidCallError(
            f"{str(to)!r:.200} exists and is not a regular file; name another file, or omit to= to get"
            f" the bytes"
        )
    return path


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as cause:
        text = f"the file cannot be written to {str(target)!r:.200}: {cause.strerror or cause}"
        raise DownloadError(text) from cause


async def read_into_memory(stream: Stream) -> bytes:
    """Return the content of ``stream``. Raises DownloadError if it does not fit in memory."""
    buffer = io.BytesIO()

    async def take(piece: bytes) -> None:
        try:
            buffer.write(piece)
        except MemoryError:
            raise DownloadError("the file does not fit in memory; write it to disk with to=") from None

    await stream(take)
    return buffer.getvalue()


def file_writer(target: Path, *, named_by_user: bool) -> Callable[[Stream], Awaitable[Path]]:
    """Return a function that writes a complete stream to ``target`` and returns ``target``.

    If ``target`` is a symlink, the link itself is replaced or, with ``named_by_user``, the file that it
    points to.
    """

    async def into_file(stream: Stream) -> Path:
        waiting: list[bytes] = []
        size = 0

        async def write(piece: bytes) -> None:
            nonlocal size
            waiting.append(piece)
            size += len(piece)
            if size >= _CHUNK:
                await flush()

        async def flush() -> None:
            """Write the buffered pieces in a thread, which a cancellation of this task does not stop."""
            nonlocal size
            pieces, size = waiting.copy(), 0
            waiting.clear()
            with _writing(target):
                await asyncio.to_thread(file.writelines, pieces)

        with ExitStack() as exits:
            with _writing(target):
                file = exits.enter_context(replace_file(target, named_by_user=named_by_user, concurrent=True))
            await stream(write)  # outside _writing: an OSError of the stream is not about this file
            await flush()
            with _writing(target):
                file.flush()
                # Flushed in a thread, so that exits.close(), which flushes again and renames, does not block.
                await asyncio.to_thread(os.fsync, file.fileno())
                exits.close()
        return target

    return into_file


# facts 3.10: an id must be sent, and the service stores the type that follows from MimeType
_PICTURE: dict[str, Any] = {"id": 3, "display_as": "Picture"}
_PDF: dict[str, Any] = {"id": 32}

OTHER = _PDF
"""Document type sent for files other than images and PDFs.

Not shown: the type that the service stores for these.
"""

LINK: dict[str, Any] = {"id": 9}
"""Document type sent for a link. Not shown; assumed."""


def stored_type(mime_type: str) -> dict[str, Any] | None:
    """Return the document type that the service derives from a media type; None if unknown.

    For these media types, the service ignores the document type that the client sends.
    """
    media = mime_type.lower()
    return _PICTURE if media.startswith("image/") else _PDF if media == "application/pdf" else None
