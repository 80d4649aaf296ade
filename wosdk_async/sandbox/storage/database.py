"""The SQLite file behind a store: opened, made, and told from files of other programs."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from pathlib import Path

from wosdk_async.sandbox.errors import StoreError
from wosdk_async.sandbox.storage.tables import APPLICATION_ID, VERSION, statements

__all__ = ["check", "connect", "is_store", "make_private", "prepare", "remedy"]

_PAGES = 64 * 1024  # KiB of the file held in memory, however large it grows


def connect(path: Path) -> sqlite3.Connection:
    """One connection, used by one thread at a time: the server's."""
    make_private(path)
    db = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=1024, timeout=5
    )
    db.create_function("regexp", 2, _matches, deterministic=True)
    return db


def make_private(path: Path) -> None:
    """Make an empty file that only its owner can read, unless there is one: a store holds credentials.

    SQLite gives the files beside a database the rights of the database.
    """
    if str(path) == ":memory:":
        return
    with contextlib.suppress(OSError):  # there, or not to be made: SQLite says what is wrong
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def prepare(db: sqlite3.Connection, path: Path) -> bool:
    """Make the tables of an empty file; whether it was empty.

    Raises:
        StoreError: the file is another program's, or of another version.
        sqlite3.Error: it cannot be read or written.
    """
    fresh = _pragma(db, "application_id") == 0 and _pragma(db, "page_count") == 0
    if not fresh:
        check(db, path)
    _settle(db)
    db.execute("BEGIN IMMEDIATE")  # refused at once when the file cannot be written
    for statement in statements() if fresh else ():
        db.execute(statement)
    db.execute("COMMIT")
    return fresh


def is_store(path: Path) -> bool:
    """Whether a file starts as a store of the sandbox does; it is not opened as a database."""
    with path.open("rb") as file:
        head = file.read(72)
    return head.startswith(b"SQLite format 3\0") and head[68:72] == APPLICATION_ID.to_bytes(4)


def remedy(error: sqlite3.Error) -> str:
    text = str(error)
    if "not a database" in text:
        return "Name a file that the sandbox made, or a new one."
    if "unable to open" in text or "readonly" in text:
        return "Name a file that can be written, in a directory that can."
    return "Name another file, or close the program that uses this one."


def check(db: sqlite3.Connection, path: Path) -> None:
    """Raises StoreError when an open database is no store, or one of another version."""
    if _pragma(db, "application_id") != APPLICATION_ID:
        raise StoreError(f"{path} is a database of another program. Name another file.")
    if _pragma(db, "user_version") != VERSION:
        text = f"{path} was written by another version of the sandbox. Delete it or name another."
        raise StoreError(text)


def _settle(db: sqlite3.Connection) -> None:
    """What was committed outlives a killed process, and costs no flush of the disk.

    In WAL mode a commit is in the system's memory when it returns. With NORMAL the disk is flushed at
    checkpoints only: a machine that loses power keeps a sound file, without its last commits.
    """
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA temp_store = MEMORY")  # the undo of savepoints
    db.execute(f"PRAGMA cache_size = -{_PAGES}")
    db.execute("PRAGMA wal_autocheckpoint = 4000")  # pages, 16 MB: a flush each thousand orders or so


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def _matches(pattern: str, text: object) -> bool | None:
    """Whether the text matches; null when there is no text, as LIKE has it."""
    if text is None:
        return None
    return re.fullmatch(pattern, str(text), re.IGNORECASE | re.DOTALL) is not None
