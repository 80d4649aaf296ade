"""Input of an import: a file, stdin or a URL."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

import attrs

from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.errors import ImportMapError, JournalError
from wosdk_async.jobs.journal import FolderLock
from wosdk_async.jobs.journal.lock import require_own
from wosdk_async.jobs.sources.formats import open_source
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.sources.spool import MAX_SPOOLED, is_remote, shown_source, spool
from wosdk_async.regular_files import publish, replace_file, sha256_of
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.secret import Secret

_STDIN = "stdin"
_PART = "input.part."  # prefix of folders with a partial copy


@attrs.frozen
class Input:
    """An opened input and its job folder."""

    source: Source
    folder: Path | None
    """The job folder, which holds the copy of stdin or a URL; None for the default folder beside the file."""
    address: str | None = None
    """The URL without credentials; None for files, and for stdin, which is identified by content."""


def open_input(
    name: str,
    folder: Path | None = None,
    *,
    format: str | None = None,
    limit: int = MAX_SPOOLED,
    **options: Any,
) -> Input:
    """Open a file, stdin or a URL.

    Stdin and URLs are first copied into the job folder. A copy's name contains a hash of the content, so that
    new content does not replace the copy of an unfinished job. ``folder`` is the job folder, by default
    ``NAME.job`` in the working directory. ``limit`` is the maximum size of stdin and URLs in bytes. Other
    options are those of :func:`open_source`.

    Raises:
        ImportMapError: the input cannot be read or copied.
        JournalError: the job folder belongs to another user.
    """
    if name in ("/dev/stdin", "/dev/fd/0"):  # no job folder beside a device
        name = "-"
    if not is_remote(name):
        return Input(open_source(name, format=format, **options), folder)
    address = Secret(name)
    shown = name = shown_source(name)  # replaces `name`, because tracebacks may show local variables
    folder = folder or Path(f"{PurePosixPath(shown).name or _STDIN}.job")
    try:
        path = _copy_input(address, folder, format, limit)
    except OSError as error:
        raise ImportMapError(
            f"{error.filename or folder}: {error.strerror or error}", remedies=(Remedy.OTHER_FOLDER,)
        ) from None
    source = open_source(path, format=format, **options)
    return Input(source, folder, None if shown == _STDIN else shown)


def _copy_input(address: Secret, folder: Path, format: str | None, limit: int) -> Path:
    new = not folder.exists()
    folder.mkdir(0o700, parents=True, exist_ok=True)
    try:
        require_own(folder)
        _remove_partial_copies(folder)
        with tempfile.TemporaryDirectory(prefix=_PART, dir=folder) as part, contextlib.ExitStack() as exits:
            exits.callback(FolderLock(Path(part)).release)
            copy = spool(address, Path(part), limit, format=format)
            path = folder / f"input.{sha256_of(copy)[:16]}{''.join(copy.suffixes)}"
            # A file with this name has the same content, so do not replace it; on Windows, it may be open.
            with contextlib.suppress(FileExistsError):
                publish(copy, path)
        return path
    except BaseException:
        if new:
            with contextlib.suppress(OSError):  # another process may have put its copy there
                folder.rmdir()
        raise


def _remove_partial_copies(folder: Path) -> None:
    """Remove partial copies left by killed processes; live processes lock their copies."""
    for part in folder.glob(f"{_PART}*"):
        with contextlib.suppress(JournalError, OSError), contextlib.ExitStack() as exits:
            if not part.is_symlink():
                exits.callback(FolderLock(part).release)
                shutil.rmtree(part)


def keep_copy(copy: Path, base: Path, folder: Path) -> None:
    """Copy the stored input (stdin or a URL) from the first job's folder, ``base``, to this job's ``folder``.

    The first job's folder may be removed before this job finishes. Files named by the user are not copied.
    """
    if folder == base or copy.parent != base.absolute() or not copy.name.startswith("input."):
        return
    own = folder / copy.name
    own.unlink(missing_ok=True)  # a killed process may have left a partial copy
    try:
        os.link(copy, own)
    except OSError:  # the file system has no hard links
        with copy.open("rb") as source, replace_file(own) as target:
            shutil.copyfileobj(source, target)


def require_opened(source: object, import_map: object) -> None:
    """Raise InvalidCallError if a file name was passed instead of an opened file."""
    for argument, opened in ((source, "open_source(...)"), (import_map, "ImportMap.load(...)")):
        if isinstance(argument, (str, bytes, os.PathLike)):
            raise InvalidCallError(
                f"{str(argument)!r} is a file name; pass {opened}, as in "
                'Import(open_source("requests.csv"), ImportMap.load("map.toml"))'
            )
