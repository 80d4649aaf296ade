"""Files that a command writes: they can be written, and are kept apart from those it needs."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from wosdk_async.cli.exit_codes import CliError

__all__ = ["keep_apart", "require_other_than_store", "require_stdout", "require_writable"]


def keep_apart(option: str, written: Path, *needed: Path) -> None:
    """Raise CliError when ``written`` is one of the files that are ``needed``, under whichever name."""
    for path in needed:
        if _same(written, path):
            raise CliError(f"{option} would overwrite {path}; name another file")


def require_other_than_store(option: str, written: Path, store: Path) -> None:
    """Raise CliError when ``written`` is a store, or one of the files that SQLite keeps beside it."""
    real = Path(os.path.realpath(store))
    beside = (real.with_name(f"{real.name}{ending}") for ending in ("", "-wal", "-shm"))
    if any(_same(written, path) for path in beside):
        raise CliError(f"{option} would overwrite {store}; name another file")


def require_writable(path: Path) -> None:
    """Raise CliError for a file that nobody can write: before anything is sent, for then it is too late."""
    try:
        try:
            path.stat()
            place = path
        except FileNotFoundError:  # to be made; also where a link leads
            place = Path(os.path.realpath(path)).parent
            place.stat()
        if not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, ValueError) as error:
        raise CliError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def require_stdout(remedy: str = "") -> None:
    """Raise CliError when stdout is closed: the result would be lost."""
    if not sys.stdout.writable():
        raise CliError(f"stdout is closed, and the result would be lost; open it{remedy}")


def _same(one: Path, other: Path) -> bool:
    if os.path.realpath(one) == os.path.realpath(other):  # also when they are not there yet
        return True
    return one.exists() and other.exists() and one.samefile(other)
