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
from wosdk_async.jobs.sources.formats import open_source
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.sources.spool import MAX_SPOOLED, is_remote, shown_source, spool
from wosdk_async.regular_files import publish, replace_file, sha256_of
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.secret import Secret

__all__ = ["Input", "keep_copy", "open_input", "require_opened"]

_STDIN = "stdin"
_PART = "input.part."  # and letters: the folder of a copy that is not whole


@attrs.frozen
class Input:
    """Rows of an input, and the folder of its job."""

    source: Source
    folder: Path | None
    """The job folder with the copy of stdin or a URL; None for a file, whose job folder is beside it."""
    address: str | None = None
    """The copied URL without credentials; None for stdin, which is identified by its content."""


def open_input(
    name: str,
    folder: Path | None = None,
    *,
    format: str | None = None,
    limit: int = MAX_SPOOLED,
    **options: Any,
) -> Input:
    """Return the rows of a file, stdin or a URL.

    Stdin and URLs are copied into the job folder first, named after their content, so that a job that is not
    finished keeps its copy.

    Args:
        name: the path of a file, ``-``, or a URL.
        folder: the job folder; None means ``NAME.job``, for stdin and URLs in the working directory.
        format: the format regardless of the suffix, such as ``csv``.
        limit: the largest size in bytes of stdin and URLs.
        options: those of :func:`open_source`.

    Raises:
        ImportMapError: the input cannot be used; the message names the place and the remedy.
    """
    if not is_remote(name):
        return Input(open_source(name, format=format, **options), folder)
    address = Secret(name)
    shown = name = shown_source(name)  # a traceback shows the variables of this function
    folder = folder or Path(f"{PurePosixPath(shown).name or _STDIN}.job")
    try:
        path = _copied(address, folder, format, limit)
    except OSError as error:
        raise ImportMapError(
            f"{error.filename or folder}: {error.strerror or error}", remedies=(Remedy.OTHER_FOLDER,)
        ) from None
    source = open_source(path, format=format, **options)
    return Input(source, folder, None if shown == _STDIN else shown)


def _copied(address: Secret, folder: Path, format: str | None, limit: int) -> Path:
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return _copy_into(folder, address, format, limit)
    except BaseException:
        if new:
            with contextlib.suppress(OSError):  # another process has put its copy there
                folder.rmdir()
        raise


def _copy_into(folder: Path, address: Secret, format: str | None, limit: int) -> Path:
    _remove_partial_copies(folder)
    with tempfile.TemporaryDirectory(prefix=_PART, dir=folder) as part:
        lock = FolderLock(Path(part))
        try:
            copy = spool(address, Path(part), limit, format=format)
            path = folder / f"input.{sha256_of(copy)[:16]}{''.join(copy.suffixes)}"
            with contextlib.suppress(FileExistsError):  # Windows replaces no file that is open
                publish(copy, path)
        finally:
            lock.release()
    return path


def _remove_partial_copies(folder: Path) -> None:
    """Remove the partial copies of killed processes; a process that still copies holds its lock."""
    for part in folder.glob(f"{_PART}*"):
        with contextlib.suppress(JournalError, OSError):
            if not part.is_symlink():
                lock = FolderLock(part)
                try:
                    shutil.rmtree(part)
                finally:
                    lock.release()


def keep_copy(copy: Path, base: Path, folder: Path) -> None:
    """Give a job its own copy of stdin or a URL, which was put into ``base``, the folder of the first job.

    That folder may be removed while this job is not finished. Files that the user named are not copied.
    """
    if folder == base or copy.parent != base.absolute() or not copy.name.startswith("input."):
        return
    own = folder / copy.name
    own.unlink(missing_ok=True)  # of a start that was killed
    try:
        os.link(copy, own)
    except OSError:  # not on this file system
        with copy.open("rb") as source, replace_file(own) as target:
            shutil.copyfileobj(source, target)


def require_opened(source: object, import_map: object) -> None:
    """Raise InvalidCallError for a file name in place of an opened file."""
    for argument, opened in ((source, "open_source(...)"), (import_map, "ImportMap.load(...)")):
        if isinstance(argument, (str, bytes, os.PathLike)):
            raise InvalidCallError(
                f"{str(argument)!r} is the name of a file; pass {opened}, as in "
                'Import(open_source("requests.csv"), ImportMap.load("map.toml"))'
            )
