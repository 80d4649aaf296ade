"""Files of settings and secrets: read only when they are regular files, and never without an end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

__all__ = ["read_regular", "require_regular"]

_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def read_regular(path: str | Path, longest: int) -> tuple[bytes, int]:
    """Return the content of a file, ``longest`` bytes at the most, and its mode.

    Raises:
        OSError: it cannot be read, or is not a regular file: reading a pipe or a device might not end.
    """
    _require(path, os.stat(path).st_mode)  # before it is opened: opening a device may already do something
    # Between the two another file may have come there. Without O_NONBLOCK, opening a pipe waits for a writer.
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(number, "rb") as file:
        mode = os.fstat(number).st_mode
        _require(path, mode)
        return file.read(longest), mode


def require_regular(path: str | Path) -> None:
    """Raise OSError for what is there and is not a regular file; a link counts as what it leads to."""
    try:
        _require(path, os.stat(path).st_mode)
    except FileNotFoundError:
        return


def _require(path: str | Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "of another kind")
        raise OSError(errno.EINVAL, f"it is {kind}, and not a regular file", str(path))
