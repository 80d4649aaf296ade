"""Copies of a whole store, and the ways back: to a copy, or to what the Companies started with."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from wosdk_async.sandbox.errors import StoreError
from wosdk_async.sandbox.seed.seed import plant
from wosdk_async.sandbox.storage.database import check, is_store, make_private
from wosdk_async.sandbox.storage.store import Store

__all__ = ["reset", "take_snapshot"]


def take_snapshot(store: Store, to: str | Path) -> None:
    """Copy a store into a file, as it is at one moment; others may go on reading and writing.

    Args:
        to: the file; an older copy is replaced, any other file is not.

    Raises:
        StoreError: the file is there and no store, or cannot be written.
    """
    target = Path(to)
    if target.exists() and not is_store(target):
        raise StoreError(f"{target} is no store of the sandbox. Name another file.")
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        make_private(part)
        with contextlib.closing(sqlite3.connect(part)) as copy:
            copy.execute("PRAGMA synchronous = OFF")  # a copy that was interrupted is never used
            store.copy_to(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, with none beside it
        part.replace(target)
    except (sqlite3.Error, OSError) as error:
        part.unlink(missing_ok=True)
        raise StoreError(f"{target}: {error}. Name a file that can be written.") from error


def reset(store: Store, to: str | Path | None = None) -> None:
    """Bring a store back to a snapshot, or all its Companies to the rows they started with.

    Tokens stay good: credentials belong to the Companies, which keep them.

    Args:
        to: the snapshot's file; None for the start.

    Raises:
        StoreError: the file is no snapshot, or of another version.
    """
    if to is None:
        with store.transaction():
            for company in store.companies():
                store.clear(company.id)
                plant(store, company)
        return
    source = Path(to)
    try:
        with contextlib.closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as copy:
            check(copy, source)
            store.copy_from(copy)
    except sqlite3.Error as error:
        raise StoreError(f"{source}: {error}. Name a file that `snapshot` made.") from error
