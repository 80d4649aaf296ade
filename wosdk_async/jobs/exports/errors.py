"""Errors of exports: missing packages and unusable output files."""

from __future__ import annotations

import contextlib
import errno
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.errors import JournalError, OutputError
from wosdk_async.jobs.journal import FolderLock
from wosdk_async.jobs.journal.lock import LOCK

_MAX_TRIES = 100  # a try fails if another export ends and removes the folder at that moment


class ExportError(ConfigurationError):
    """Export that cannot be carried out; the message includes the remedy."""

    kind = "export"


def export_package(name: str) -> Any:
    """Import and return a package. If it is missing, raise ExportError with the extra to install."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise ExportError(
            f"exports need the package {package}; run pip install 'wosdk_async[export]'"
        ) from None


@contextlib.contextmanager
def writing_output(path: Path) -> Iterator[None]:
    """Turn operating system errors into OutputError with a remedy."""
    try:
        yield
    except (OSError, JournalError) as error:
        cause = error.__cause__ if isinstance(error, JournalError) else error
        if not isinstance(cause, OSError):
            raise
        why = cause.strerror or str(cause).partition("\n")[0]
        raise OutputError(
            f"{cause.filename or path}: {why}; free disk space, change the permissions or name another "
            "output; then run the same command to resume"
        ) from error


def locked_folder(path: Path, check: Callable[[Path], None]) -> FolderLock:
    """Create a folder if it is missing, then check and lock it. If a new folder is not writable, remove it.

    Raises:
        OutputError: the folder cannot be created or written to.
        JournalError: another process is using the folder.
    """
    with writing_output(path):
        for _ in range(_MAX_TRIES):
            with contextlib.suppress(FileNotFoundError, FileExistsError):
                return _locked(path, check)
        return _locked(path, check)  # last try: its error is raised


def _locked(path: Path, check: Callable[[Path], None]) -> FolderLock:
    is_new = not path.exists()
    path.mkdir(exist_ok=True)
    check(path)
    try:
        lock = FolderLock(path)
    except JournalError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise error.__cause__ from None  # so that locked_folder() tries again
        if is_new and isinstance(error.__cause__, OSError):
            _remove_empty(path)
        raise
    try:
        lock.require_in_place()
    except JournalError as error:  # another process removed the folder or lock at the end of its export
        lock.release()
        raise FileNotFoundError(errno.ENOENT, error.message, str(path)) from error
    return lock


def _remove_empty(folder: Path) -> None:
    """Remove a new folder, unless another process has put its lock there."""
    with contextlib.suppress(OSError):
        if not (folder / LOCK).stat().st_size:
            (folder / LOCK).unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()
