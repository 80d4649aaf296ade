"""SQLite file of a store: functions that open, prepare and check it, and copy it as a snapshot."""

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
_CACHE = 64 * 1024  # KiB of the file held in memory, however large it grows


def connect(path: Path) -> sqlite3.Connection:
    """Open a store file, or make one, for use by one thread at a time.

    Only its owner can read a new one: it holds credentials. SQLite gives the files beside it its permissions.
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
        path = Path(os.path.realpath(path))  # the user named it
        with contextlib.suppress(OSError):  # it exists already, or SQLite will say why it cannot be made
            create_file(path, _PRIVATE).close()
        db = connect_database(path, **options)
    db.create_function("regexp", 2, _matches, deterministic=True)
    return db


def prepare(db: sqlite3.Connection, path: Path) -> bool:
    """Make the tables of a file without any, or check that it is a store; return whether it had none.

    Raises StoreError for a file of another program or version, sqlite3.Error for one that cannot be used.
    """
    # Without a table it is nobody's: a start that met a full disk leaves it so.
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
    """Return the remedy for an error of opening a store, for the end of a message."""
    text = str(error)
    if "not a database" in text:
        return "Name a file that the sandbox made, or a new one."
    if "unable to open" in text or "readonly" in text:
        return "Name a file that can be written, in a directory that can."
    if "full" in text or "disk I/O" in text:
        return "Free some space on its disk, or name a file on another one."
    return "Name another file, or close the program that uses this one."


def write_snapshot(db: sqlite3.Connection, target: Path) -> None:
    """Copy the committed data to a file; other processes may use the store during the copy.

    An older store at ``target`` is replaced. Raises StoreError for any other file, or a failed write.
    """
    if target.exists() and not _is_store(target):
        raise StoreError(f"{target} is not a store of the sandbox. Name another file.")
    try:
        with (
            replace_file(target, mode=_PRIVATE) as file,
            contextlib.closing(connect_database(Path(file.name))) as copy,
        ):
            copy.execute("PRAGMA synchronous = OFF")  # a copy that was interrupted is never used
            db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # no -wal file beside the copy
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{target}: {error}. Name a file that can be written.") from error


@contextlib.contextmanager
def snapshot_at(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a snapshot for reading; raises StoreError if it is none, or has another version."""
    try:
        with contextlib.closing(connect_database(path, access="mode=ro")) as copy:
            _check(copy, path)
            yield copy
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}. Name a file that `snapshot` made.") from error


def _is_store(path: Path) -> bool:
    """Return whether a file has the header of a store, without opening it as a database."""
    with path.open("rb") as file:
        head = file.read(72)  # bytes 68 to 71 hold the application id
    return head.startswith(b"SQLite format 3\0") and head[68:72] == APPLICATION_ID.to_bytes(4)


def _check(db: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError unless an open database is a store of this version."""
    if _pragma(db, "application_id") != APPLICATION_ID:
        raise StoreError(f"{path} is a database of another program. Name another file.")
    if _pragma(db, "user_version") != VERSION:
        text = f"{path} was written by another version of the sandbox. Delete it or name another."
        raise StoreError(text)


def _configure(db: sqlite3.Connection) -> None:
    """Let commits survive a killed process without flushing the disk after each commit.

    In WAL mode a commit is in the system's memory when it returns. With NORMAL the disk is flushed at
    checkpoints only: after a power failure the file is intact, but may lack the last commits.
    """
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA temp_store = MEMORY")  # holds the undo data of savepoints
    db.execute(f"PRAGMA cache_size = -{_CACHE}")
    db.execute(
        "PRAGMA wal_autocheckpoint = 4000"
    )  # pages (16 MB): one flush for about a thousand work orders


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def _matches(pattern: str, text: object) -> bool | None:
    """Return whether ``text`` matches as a whole; None for NULL, as LIKE returns."""
    if text is None:
        return None
    return re.fullmatch(pattern, str(text), re.IGNORECASE | re.DOTALL) is not None
