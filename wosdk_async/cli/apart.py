"""Files that a command writes, kept apart from those it needs."""

from __future__ import annotations

import os
from pathlib import Path

from wosdk_async.cli.exits import Unusable

__all__ = ["keep_apart", "require_other_than_store"]


def keep_apart(option: str, written: Path, *needed: Path) -> None:
    """Raise Unusable when ``written`` is one of the files that are ``needed``, under whichever name."""
    for path in needed:
        if _same(written, path):
            raise Unusable(f"{option} would overwrite {path}; name another file")


def require_other_than_store(option: str, written: Path, store: Path) -> None:
    """Raise Unusable when ``written`` is a store, or one of the files that SQLite keeps beside it."""
    real = Path(os.path.realpath(store))
    beside = (real.with_name(f"{real.name}{ending}") for ending in ("", "-wal", "-shm"))
    if any(_same(written, path) for path in beside):
        raise Unusable(f"{option} would overwrite {store}; name another file")


def _same(one: Path, other: Path) -> bool:
    if os.path.realpath(one) == os.path.realpath(other):  # also when they are not there yet
        return True
    return one.exists() and other.exists() and one.samefile(other)
