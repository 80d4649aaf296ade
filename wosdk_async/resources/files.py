"""Files on this machine: read for an upload, written by a download, and what they may be called."""

from __future__ import annotations

import asyncio
import math
import os
import re
import secrets
import stat
from collections.abc import AsyncIterable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from wosdk_async.errors import DownloadError, InvalidCallError
from wosdk_async.option_checks import check_number
from wosdk_async.protocol.arguments import described

__all__ = [
    "Content",
    "PartialFile",
    "Source",
    "id_of",
    "media_type",
    "read_source",
    "require_place",
    "require_size",
    "safe_name",
]

Content = bytes | bytearray | memoryview
Source = str | os.PathLike[str] | Content | AsyncIterable[Content]
"""Where an upload comes from: a path, the bytes themselves, or an async iterable of them."""

_STEP = 1024 * 1024  # bytes read from a file, or written to it, at once
_LONGEST_NAME = 200  # bytes; file systems take 255
_NOT_IN_NAMES = re.compile(r'[<>:"|?*]')  # some file systems give them a meaning


def id_of(record: object, what: str) -> int:
    """The id of a record, of a reference, or the id itself. Raises InvalidCallError when there is none."""
    id = getattr(record, "id", record)
    if not isinstance(id, int) or isinstance(id, bool):
        raise InvalidCallError(f"{what}: {record!r:.80} has no id; pass a record that was read, or an id")
    return id


async def read_source(source: Source, fits: Callable[[int], None], write: Callable[[Content], None]) -> None:
    """Hand all of ``source`` to ``write``; ``fits`` is told the size first, where it is known.

    Raises InvalidCallError for a file that cannot be read, and for what is no source.
    """
    if isinstance(source, str | os.PathLike):
        try:
            await _read_file(Path(source), fits, write)
        except OSError as cause:
            raise InvalidCallError(
                f"{str(source)!r:.200} cannot be read: {cause.strerror or cause}; pass the path of a file, or"
                " its bytes"
            ) from cause
    elif isinstance(source, Content):
        fits(memoryview(source).nbytes)
        write(source)
    elif isinstance(source, AsyncIterable):
        async for piece in source:
            if not isinstance(piece, Content):
                raise InvalidCallError(f"the stream gave a {type(piece).__name__}; it has to give bytes")
            write(piece)
    else:
        raise InvalidCallError(
            f"a {type(source).__name__} cannot be uploaded; pass a path, bytes or an async iterable of bytes"
        )


async def _read_file(path: Path, fits: Callable[[int], None], write: Callable[[Content], None]) -> None:
    found = await asyncio.to_thread(path.stat)
    if not stat.S_ISREG(found.st_mode):
        raise InvalidCallError(f"{path} is no regular file; read it yourself and pass an async iterable")
    fits(found.st_size)
    with path.open("rb") as file:
        while piece := await asyncio.to_thread(file.read, _STEP):
            write(piece)


def media_type(file_name: str) -> str:
    """The media type that the end of a file name stands for."""
    import mimetypes  # reads the machine's own lists, once

    known, encoding = mimetypes.guess_type(file_name, strict=False)
    return known if known and not encoding else "application/octet-stream"


def safe_name(name: str, otherwise: str) -> str:
    """``name``, which somebody else chose, as the name of a file in a directory of ours.

    Only what follows the last slash of either kind is used, without control characters and within 200 bytes;
    ``otherwise`` when nothing is left.
    """
    last = re.split(r"[/\\]", name)[-1]
    shown = "".join(char for char in _NOT_IN_NAMES.sub("_", last) if char.isprintable())
    stem, suffix = os.path.splitext(shown.strip(" ."))
    suffix = suffix if len(suffix.encode()) <= 20 else ""
    kept = stem.encode()[: _LONGEST_NAME - len(suffix.encode())].decode(errors="ignore")
    return (kept + suffix).strip(" .") or otherwise


def require_size(max_bytes: object) -> None:
    """Raise InvalidCallError for what is no number of bytes."""
    takes = "a number of bytes, 0 or more"
    check_number("max_bytes", max_bytes, takes, high=math.inf, error=InvalidCallError)


def require_place(to: str | os.PathLike[str]) -> Path:
    """The directory or file that ``to`` names. Raises InvalidCallError for what cannot become a file."""
    if not isinstance(to, str | os.PathLike):
        raise InvalidCallError(f"to is {described(to)}; it takes the path of a file or of a directory")
    path = Path(to)
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except FileNotFoundError:  # also of a link to what is not there yet
        folder = Path(os.path.realpath(path)).parent
        if str(to).endswith(("/", os.sep)) or not folder.is_dir():
            missing = to if folder.is_dir() else folder
            raise InvalidCallError(f"{str(missing)!r:.200} is no directory; make it first") from None
        return path
    except (OSError, ValueError) as cause:
        why = getattr(cause, "strerror", None) or cause
        raise InvalidCallError(f"{str(to)!r:.200} cannot be written: {why}; name another file") from None
    if kind not in (stat.S_IFREG, stat.S_IFDIR):
        raise InvalidCallError(
            f"{str(to)!r:.200} is there and no regular file; name another, or take the bytes: leave to out"
        )
    return path


class PartialFile:
    """A file beside ``target`` that takes its place when it is complete, and else leaves nothing.

    A link stays: what it leads to is replaced. Raises DownloadError for what cannot be written.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self._place = Path(os.path.realpath(target))
        self._path = self._place.with_name(f".{secrets.token_hex(8)}.part")
        self._file: BinaryIO
        self._waiting: list[bytes] = []
        self._size = 0

    def __enter__(self) -> Self:
        with self._writing():
            self._file = self._path.open("xb")
        return self

    async def write(self, piece: bytes) -> None:
        self._waiting.append(piece)
        self._size += len(piece)
        if self._size >= _STEP:
            await self._flush()

    async def keep(self) -> None:
        await self._flush()
        with self._writing():
            await asyncio.to_thread(self._file.close)
            self._path.replace(self._place)

    async def _flush(self) -> None:
        """Write off the loop; closing waits for a write that a cancelled caller has left under way."""
        pieces, self._waiting, self._size = self._waiting, [], 0
        with self._writing():
            await asyncio.to_thread(self._file.writelines, pieces)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as cause:  # of this file: what it is fetched with has errors of its own
            text = f"the file cannot be written to {str(self.target)!r:.200}: {cause.strerror or cause}"
            raise DownloadError(text) from cause

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # it fails again to write what is left in its buffer
            self._file.close()
        self._path.unlink(missing_ok=True)
