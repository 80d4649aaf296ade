"""Files and folders that belong to the user who runs this server, and that nobody else can read."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from wosdk_async.errors import ConfigurationError

__all__ = ["private_file", "private_folder"]

_OTHERS = 0o077


def private_folder(path: Path, *, parents: bool = False) -> None:
    """Make a folder that only its owner can read, or check the one that is there.

    Raises:
        ConfigurationError: it is a link, belongs to another user, or others can read it.
        OSError: it cannot be made.
    """
    path.mkdir(mode=0o700, parents=parents, exist_ok=True)
    _require_private(path, os.lstat(path), "folder", "700")


def private_file(path: Path) -> None:
    """Make an empty file that only its owner can read, or check the one that is there.

    Raises:
        ConfigurationError: it is a link, no regular file, belongs to another user, or others can read it.
        OSError: it cannot be made.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    _require_private(path, os.lstat(path), "file", "600")


def _require_private(path: Path, found: os.stat_result, kind: str, mode: str) -> None:
    if not (stat.S_ISDIR if kind == "folder" else stat.S_ISREG)(found.st_mode):
        what = "a link" if stat.S_ISLNK(found.st_mode) else f"not a {kind}"
        raise ConfigurationError(f"{path} is {what}; remove it, or name another folder with --state")
    if os.name != "posix":
        return
    if found.st_uid != os.geteuid():
        raise ConfigurationError(f"{path} belongs to another user; name another folder with --state")
    if (others := stat.S_IMODE(found.st_mode)) & _OTHERS:
        raise ConfigurationError(f"others can read {path} ({others:o}); run: chmod {mode} {path}")
