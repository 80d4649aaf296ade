"""SQLite file of a store: open, prepare, check, and copy as a snapshot."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wosdk_async.regular_files import connect_database, create_file, replace_file
from wosdk_async.sandbox.errors import StoreError
from wosdk_async.sandbox.storage.tables import APPLICATION_ID, VERSION, create_statements

__all__ = ["connect", "prepare", "remedy", "snapshot_at", "write_snapshot"]

_PRIVATE = 0o600
_CACHE = 64 * 1024  # KiB of page cache, regardless of file size


def connect(path: Path) -> sqlite3.Connection:
    """Open or create a store file, for use by one thread at a time.

    New files are owner-only, because they contain credentials. SQLite gives files beside it the same
    permissions.
    """
    options: dict[str, Any] = {
        "isolation_level": None,
        "check_same_thread": False,
        "cached_statements": 1024,
        "timeout": 5,
    }
    if str(path) == ":memory:":
        db: sqlite3.Connection = sqlite3.connect(":memory:", **options)
    else:
        path = Path(os.path.realpath(path))  # the user named the path
        with contextlib.suppress(OSError):  # the file exists, or SQLite will report why it cannot be created
            create_file(path, _PRIVATE).close()
        db = connect_database(path, **options)
    db.create_function("regexp", 2, _matches, deterministic=True)
    return db


def prepare(db: sqlite3.Connection, path: Path) -> bool:
    """Create the tables in an empty file, or check that it is a store; return whether it was empty.

    Raises StoreError for files of other programs or versions, sqlite3.Error for unusable files.
    """
    # A file without tables has no owner: a start on a full disk leaves one behind.
    fresh = _pragma(db, "application_id") == 0 and not db.execute("SELECT 1 FROM sqlite_master").fetchone()
    if not fresh:
        _check(db, path)
    _configure(db)
    db.execute("BEGIN IMMEDIATE")  # fails at once if the file cannot be written
    for statement in create_statements() if fresh else ():
        db.execute(statement)
    db.execute("COMMIT")
    return fresh


def remedy(error: sqlite3.Error | OSError) -> str:
    """Return the remedy for an error in opening a store, as the end of a message."""
    text = str(error)
    if "not a database" in text:
        return "Name a sandbox store, or a new file."
    if "unable to open" in text or "readonly" in text:
        return "Name a writable file in a writable directory."
    if "full" in text or "disk I/O" in text:
        return "Free some disk space, or name a file on another disk."
    return "Name another file, or close the program that uses this file."


def write_snapshot(db: sqlite3.Connection, target: Path) -> None:
    """Copy the committed data to a file; other processes may use the store during the copy.

    Replaces an older store at ``target``. Raises StoreError for any other existing file, or a failed write.
    """
    if target.exists() and not _is_store(target):
        raise StoreError(f"{target} is not a sandbox store. Name another file.")
    try:
        with (
            replace_file(target, mode=_PRIVATE) as file,
            contextlib.closing(connect_database(Path(file.name))) as copy,
        ):
            copy.execute("PRAGMA synchronous = OFF")  # interrupted copies are never used
            db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # no -wal file beside the copy
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{target}: {error}. Name a writable file.") from error


@contextlib.contextmanager
def snapshot_at(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a snapshot for reading. Raises StoreError if it is invalid or has another version."""
    try:
        with contextlib.closing(connect_database(path, access="mode=ro")) as copy:
            _check(copy, path)
            yield copy
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}. Name a file made by `snapshot`.") from error


def _is_store(path: Path) -> bool:
    """Return whether a file has a store header, without opening it as a database."""
    with path.open("rb") as file:
        head = file.read(72)  # bytes 68 to 71 are the application id
    return head.startswith(b"SQLite format 3\0") and head[68:72] == APPLICATION_ID.to_bytes(4)


def _check(db: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError unless an open database is a store of this version."""
    if _pragma(db, "application_id") != APPLICATION_ID:
        raise StoreError(f"{path} is another program's database. Name another file.")
    if _pragma(db, "user_version") != VERSION:
        text = f"{path} was written by another version of the sandbox. Delete the file or name another."
        raise StoreError(text)


def _configure(db: sqlite3.Connection) -> None:
    """Make commits survive a killed process without flushing the disk after each.

    In WAL mode a commit is in the system's memory when it returns. With NORMAL, the disk is only flushed at
    checkpoints: after a power failure the file is intact, but the last commits may be missing.
    """
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA temp_store = MEMORY")  # for the undo data of savepoints
    db.execute(f"PRAGMA cache_size = -{_CACHE}")
    db.execute(
        "PRAGMA wal_autocheckpoint = 4000"
    )  # pages (16 MB): one flush for about a thousand work orders


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def _matches(pattern: str, text: object) -> bool | None:
    """Return whether the whole ``text`` matches; None for NULL, like LIKE."""
    if text is None:
        return None
    return re.fullmatch(pattern, str(text), re.IGNORECASE | re.DOTALL) is not None
