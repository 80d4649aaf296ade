"""What other users of this machine can do to a file. Root is no other user."""

from __future__ import annotations

import logging
import os
import shlex
import stat
from pathlib import Path

__all__ = ["PRIVATE", "SETTINGS", "access_of_others", "warn_of_others"]

_log = logging.getLogger("wosdk_async")

PRIVATE, SETTINGS = 0o077, 0o022
"""Permissions that other users must not have: any, and to write."""
_warned: set[str] = set()  # two threads may both warn of a file


def access_of_others(
    path: str | Path, found: os.stat_result, denied: int, *, folders: bool = True
) -> str | None:
    """Return how other users have access to a file, with the remedy; None if they have none.

    Windows is not checked.

    Args:
        path: the file, or a folder.
        found: what is there.
        denied: PRIVATE or SETTINGS. Who reads the files of root is for root to say.
        folders: whether others must not be able to replace the file either. Folders that hold it and a link
            to it count; only its owner can replace files of a sticky one.
    """
    if os.name != "posix":
        return None
    above = {os.path.dirname(os.path.abspath(path)), os.path.dirname(os.path.realpath(path))}
    for each, seen in ((path, found), *((each, os.stat(each)) for each in sorted(above) if folders)):
        mode, quoted = stat.S_IMODE(seen.st_mode), shlex.quote(str(each))
        if seen.st_uid not in (0, os.geteuid()):
            return f"{each} belongs to another user; chown {os.geteuid()} {quoted}"
        if each is path and denied == PRIVATE and mode & denied and seen.st_uid == os.geteuid():
            private = "700" if stat.S_ISDIR(seen.st_mode) else "600"
            return f"others can read or change {each} ({mode:o}); chmod {private} {quoted}"
        if mode & SETTINGS and (each is path or not mode & stat.S_ISVTX):
            return f"{each} is writable; chmod go-w {quoted}"
    return None


def warn_of_others(what: str, path: str | Path, found: os.stat_result, denied: int) -> None:
    """Warn once of a file of settings or a secret to which other users have access."""
    if str(path) not in _warned and (why := access_of_others(path, found, denied)):
        _warned.add(str(path))
        _log.warning("%s %s is open to other users: %s", what, path, why)
