"""Files and folders that belong to the user who runs this server, and that nobody else can read."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from wosdk_async.errors import ConfigurationError
from wosdk_async.other_users import PRIVATE, access_of_others
from wosdk_async.regular_files import create_file

__all__ = ["private_file", "private_folder"]


def private_folder(path: Path, *, parents: bool = False) -> None:
    """Make a folder that only its owner can read, or check the one that is there.

    Raises:
        ConfigurationError: it is a link, belongs to another user, or others can read it.
        OSError: it cannot be made.
    """
    path.mkdir(mode=0o700, parents=parents, exist_ok=True)
    _require_private(path, os.lstat(path), "folder")


def private_file(path: Path) -> None:
    """Make an empty file that only its owner can read, or check the one that is there.

    Raises:
        ConfigurationError: it is a link, no regular file, belongs to another user, or others can read it.
        OSError: it cannot be made.
    """
    with suppress(FileExistsError):
        create_file(path, 0o600).close()
    _require_private(path, os.lstat(path), "file")


def _require_private(path: Path, found: os.stat_result, kind: str) -> None:
    if not (stat.S_ISDIR if kind == "folder" else stat.S_ISREG)(found.st_mode):
        what = "a link" if stat.S_ISLNK(found.st_mode) else f"not a {kind}"
        raise ConfigurationError(f"{path} is {what}; remove it, or name another folder with --state")
    if why := access_of_others(path, found, PRIVATE, folders=False):
        raise ConfigurationError(f"{why}, or name another folder with --state")
