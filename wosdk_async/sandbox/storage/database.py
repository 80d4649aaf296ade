"""SQLite file of a store: functions that open, prepare and check it, and copy it as a snapshot."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from wosdk_async.sandbox.errors import StoreError
from wosdk_async.sandbox.storage.tables import APPLICATION_ID, VERSION, create_statements

__all__ = ["connect", "make_private", "prepare", "remedy", "snapshot_at", "write_snapshot"]

_CACHE = 64 * 1024  # KiB of the file held in memory, however large it grows


def connect(path: Path) -> sqlite3.Connection:
    """Open a store file; the connection is used by one thread at a time."""
    make_private(path)
    db = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=1024, timeout=5
    )
    db.create_function("regexp", 2, _matches, deterministic=True)
    return db


def make_private(path: Path) -> None:
    """Make an empty file that only its owner can read, unless it exists: a store holds credentials.

    SQLite gives the files beside a database the permissions of the database.
    """
    if str(path) == ":memory:":
        return
    with contextlib.suppress(OSError):  # it exists already, or SQLite will say why it cannot be made
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def prepare(db: sqlite3.Connection, path: Path) -> bool:
    """Make the tables of an empty file, or check that the file is a store.

    Returns:
        Whether the file was empty.

    Raises:
        StoreError: the file belongs to another program, or to another version of the sandbox.
        sqlite3.Error: the file cannot be read or written.
    """
    fresh = _pragma(db, "application_id") == 0 and _pragma(db, "page_count") == 0
    if not fresh:
        _check(db, path)
    _configure(db)
    db.execute("BEGIN IMMEDIATE")  # fails at once if the file cannot be written
    for statement in create_statements() if fresh else ():
        db.execute(statement)
    db.execute("COMMIT")
    return fresh


def remedy(error: sqlite3.Error) -> str:
    """Return the remedy for an error of SQLite, for the end of a message."""
    text = str(error)
    if "not a database" in text:
        return "Name a file that the sandbox made, or a new one."
    if "unable to open" in text or "readonly" in text:
        return "Name a file that can be written, in a directory that can."
    return "Name another file, or close the program that uses this one."


def write_snapshot(db: sqlite3.Connection, target: Path) -> None:
    """Copy the committed data to a file; other processes may go on reading and writing.

    An older store at ``target`` is replaced; any other file is refused.

    Raises:
        StoreError: the file exists and is not a store, or cannot be written.
    """
    if target.exists() and not _is_store(target):
        raise StoreError(f"{target} is not a store of the sandbox. Name another file.")
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        make_private(part)
        with contextlib.closing(sqlite3.connect(part)) as copy:
            copy.execute("PRAGMA synchronous = OFF")  # a copy that was interrupted is never used
            db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # no -wal file beside the copy
        part.replace(target)
    except (sqlite3.Error, OSError) as error:
        part.unlink(missing_ok=True)
        raise StoreError(f"{target}: {error}. Name a file that can be written.") from error


@contextlib.contextmanager
def snapshot_at(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a snapshot for reading.

    Raises:
        StoreError: the file is not a snapshot, or one of another version.
    """
    try:
        with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as copy:
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
    """Check that an open database is a store of this version, or raise StoreError."""
    if _pragma(db, "application_id") != APPLICATION_ID:
        raise StoreError(f"{path} is a database of another program. Name another file.")
    if _pragma(db, "user_version") != VERSION:
        text = f"{path} was written by another version of the sandbox. Delete it or name another."
        raise StoreError(text)


def _configure(db: sqlite3.Connection) -> None:
    """Make a commit survive a kill of the process, without a flush of the disk for each.

    In WAL mode a commit is in the system's memory when it returns. With NORMAL the disk is flushed at
    checkpoints only: after a loss of power the file is intact, but may lack the last commits.
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
