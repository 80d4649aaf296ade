"""SQLite file of a store: opening, tables, indexes, checks and snapshots.

There is one table per entity type, with records as JSON text. For a property, queries and indexes use the
same SQL expression, built by `column`. Each index ends with the id, so records with equal values are sorted
by id. References to parents are indexed from the start. `Indexes` creates other indexes only for properties
that queries use, because each index slows down writes.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from wosdk_async.regular_files import connect_database, create_file, replace_file
from wosdk_async.sandbox.errors import StoreError
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import relations

_PRIVATE = 0o600
_CACHE = 64 * 1024  # KiB of page cache, regardless of file size


def connect(path: Path) -> sqlite3.Connection:
    """Open or create a store file, for use by one thread at a time.

    New files are owner-only, because they contain credentials. SQLite gives its journal files the same
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
        path = Path(os.path.realpath(path))  # the user named the path, so symbolic links in it are followed
        with contextlib.suppress(OSError):  # the file exists, or SQLite will report why it cannot be created
            create_file(path, _PRIVATE).close()
        db = connect_database(path, **options)
    db.create_function("regexp", 2, _matches, deterministic=True)
    return db


def prepare(db: sqlite3.Connection, path: Path) -> None:
    """Create the tables if the file is empty. Raises StoreError, sqlite3.Error."""
    if not _is_empty(db):
        _check(db, path, "store", "Create it again in a new file")
    elif str(path) == ":memory:":
        db.deserialize(empty_store())
    _configure(db)
    db.execute("BEGIN IMMEDIATE")  # fails at once if the file cannot be written, waits for other processes
    for statement in create_statements() if _is_empty(db) else ():
        db.execute(statement)
    db.execute("COMMIT")


@cache
def empty_store() -> bytes:
    """Return an empty store. Copying it takes a tenth of the time needed to create its tables."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        for statement in create_statements():
            db.execute(statement)
        db.commit()
        return db.serialize()


def _is_empty(db: sqlite3.Connection) -> bool:
    """Return whether a file is an empty database. A start that fails on a full disk leaves one behind."""
    return _pragma(db, "application_id") == 0 and not db.execute("SELECT 1 FROM sqlite_master").fetchone()


def remedy(error: sqlite3.Error | OSError) -> str:
    """Return the remedy for an error on opening a store, as the end of a message."""
    text = str(error)
    if "not a database" in text:
        return "Choose a sandbox store, or a new file."
    if "unable to open" in text or "readonly" in text:
        return "Choose a writable file in a writable directory."
    if "full" in text or "disk I/O" in text:
        return "Free some disk space, or choose a file on another disk."
    return "Choose another file, or close the program that uses this file."


def write_snapshot(db: sqlite3.Connection, target: Path) -> None:
    """Copy the committed data to a new file or over an existing store. Raises StoreError."""
    if target.exists() and not _is_store(target):
        raise StoreError(f"{target} is not a sandbox store. Choose another file.")
    try:
        with (
            replace_file(target, mode=_PRIVATE) as file,
            contextlib.closing(connect_database(Path(file.name))) as copy,
        ):
            copy.execute("PRAGMA synchronous = OFF")  # not flushed, because an interrupted copy is never used
            db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # no -wal file beside the copy
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{target}: {error}. Choose a writable file.") from error


@contextlib.contextmanager
def snapshot_at(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a snapshot for reading. Raises StoreError if it is invalid or has another version."""
    try:
        with contextlib.closing(connect_database(path, access="mode=ro")) as copy:
            _check(copy, path, "snapshot", "Take it again")
            yield copy
    except sqlite3.Error as error:
        raise StoreError(
            f"{path} cannot be restored: {error}. Choose a file created by `snapshot`."
        ) from error


def _is_store(path: Path) -> bool:
    """Return whether a file has a store header, without opening it as a database."""
    with path.open("rb") as file:
        head = file.read(72)  # bytes 68 to 71 are the application id
    return head.startswith(b"SQLite format 3\0") and head[68:72] == APPLICATION_ID.to_bytes(4)


def _check(db: sqlite3.Connection, path: Path, kind: str, remedy: str) -> None:
    if _pragma(db, "application_id") != APPLICATION_ID:
        raise StoreError(f"{path} is another program's database, not a sandbox {kind}. Choose another file.")
    if (found := _pragma(db, "user_version")) != VERSION:
        raise StoreError(
            f"{path} is a {kind} in format {found}; this version of wosdk_async reads format {VERSION}."
            f" {remedy}, or install the version that wrote it."
        )


_BUSY_SECONDS = 5.0


def _configure(db: sqlite3.Connection) -> None:
    """Make commits survive a killed process without flushing the disk after each commit.

    In WAL mode, the operating system has the data when a commit returns. With ``synchronous = NORMAL``, only
    checkpoints flush the disk. So a power failure leaves an intact file, but may lose some commits.
    """
    end = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:  # SQLite itself does not wait here for another process
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA temp_store = MEMORY")  # keeps the undo data of savepoints in memory
    db.execute(f"PRAGMA cache_size = -{_CACHE}")
    # 4000 pages are 16 MB: the disk is flushed once per about a thousand work orders.
    db.execute("PRAGMA wal_autocheckpoint = 4000")


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def _matches(pattern: str, text: object) -> bool | None:
    """Return whether the pattern matches the whole ``text``; None for NULL, as with SQL's ``LIKE``."""
    if text is None:
        return None
    return re.fullmatch(pattern, str(text), re.IGNORECASE | re.DOTALL) is not None


# --- tables and indexes ---------------------------------------------------------------------------

APPLICATION_ID = 0x776F7364  # "wosd": identifies a store among SQLite files
VERSION = 3
_INDEXED_FROM = 500  # rows: scanning smaller tables is fast enough
_MAX_INDEXES = 24  # per table: each slows down writes

_COMPANY = """
CREATE TABLE company (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL COLLATE NOCASE UNIQUE,
    client_id TEXT NOT NULL UNIQUE,
    client_secret TEXT NOT NULL,
    host TEXT NOT NULL,
    live INTEGER NOT NULL,
    seeded INTEGER NOT NULL,
    verification INTEGER NOT NULL
) STRICT"""

_COUNTER = """
CREATE TABLE counter (
    company INTEGER NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (company, name)
) STRICT, WITHOUT ROWID"""

# AssetTree pairs each location with itself, at Distance 0, and with each of its ancestors; Id repeats
# ParentId (facts 3.4). The limit of Distance ends cycles.
_ASSET_TREE = """
CREATE VIEW "AssetTree" AS
WITH RECURSIVE pair(company, parent, child, distance) AS (
    SELECT company, id, id, 0 FROM "Location"
    UNION ALL
    SELECT pair.company, CAST(json_extract("Location".body, '$.ParentId') AS INTEGER), child, distance + 1
    FROM pair JOIN "Location" ON "Location".company = pair.company AND "Location".id = pair.parent
    WHERE json_extract("Location".body, '$.ParentId') > 0 AND distance < 32
)
SELECT company, parent * 4294967296 + child AS id, json_object('ParentId', parent, 'ChildId', child,
    'Child', json_object('Id', child), 'Distance', distance, 'Id', parent) AS body FROM pair"""

# Actors are employees, contacts and the service account itself (facts 1).
_ACTOR = """
CREATE VIEW "Actor" AS
SELECT company, id, json_object('TypeId', json_extract(body, '$.ActorTypeId'),
    'DisplayAs', json_extract(body, '$.DisplayAs'), 'Id', id) AS body FROM "Employee"
UNION ALL
SELECT company, id, json_object('TypeId', 'LeaseUser',
    'DisplayAs', json_extract(body, '$.DisplayAs'), 'Id', id) FROM "Contact"
UNION ALL
SELECT id, id, json_object('TypeId', 'CorrigoNet', 'DisplayAs', 'Web services', 'Id', id) FROM company"""

_RELOAD_STATISTICS = "ANALYZE sqlite_master"  # makes the planner reload its statistics
REPEATED_IDS = frozenset({"AssetTree"})  # entity types in which several records have the same Id
_VIEWS = {"AssetTree": _ASSET_TREE, "Actor": _ACTOR}


def column(path: str, kind: str, alias: str = "") -> str:
    """Return the SQL for a record's property, by JSON path and catalogue type.

    ``alias`` is the table alias with a dot. Not shown; assumed: strings compare case-insensitively and
    without trailing spaces, as in the service's database.
    """
    value = f"json_extract({alias}body, '$.{path}')"
    return f"rtrim({value}) COLLATE NOCASE" if kind == "string" else value


def is_table(entity: str) -> bool:
    """Return whether the entity type's records are stored, not computed."""
    return entity not in _VIEWS


def create_statements() -> Iterator[str]:
    """Yield the statements that turn an empty file into a store."""
    yield _COMPANY
    yield _COUNTER
    yield "ANALYZE"  # creates sqlite_stat1, the planner's statistics
    for schema in schemas().values():
        if is_table(schema.name):
            yield (
                f'CREATE TABLE "{schema.name}" (company INTEGER NOT NULL, id INTEGER NOT NULL, '
                "body TEXT NOT NULL, PRIMARY KEY (company, id)) STRICT"
            )
            yield _statistics(schema.name, f"sqlite_autoindex_{schema.name}_1", "1000000 1000000 1")
    yield from _VIEWS.values()
    for name, path in sorted({(each.child.name, each.key) for each in relations().values()}):
        yield from _index_statements(name, path, "integer")
    yield f"PRAGMA application_id = {APPLICATION_ID}"
    yield f"PRAGMA user_version = {VERSION}"
    yield _RELOAD_STATISTICS


class Indexes:
    """Indexes of one store file, created when a query first uses a property of a large table."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._known: set[tuple[str, str]] = set()
        self.reload()

    def __len__(self) -> int:
        return len(self._known)

    def reload(self) -> None:
        """Reload the list of indexes."""
        rows = self._db.execute("SELECT tbl_name, name FROM sqlite_master WHERE type = 'index'")
        self._known = {(table, name.removeprefix(f"{table}.")) for table, name in rows}

    def ensure(self, entity: str, path: str, kind: str) -> None:
        """Create an index on a property that a query filters or sorts by, if worthwhile."""
        if (entity, path) in self._known or not is_table(entity):
            return
        # Use the highest rowid as the number of rows, because SQLite finds it without reading the table.
        rows = self._db.execute(f'SELECT max(rowid) FROM "{entity}"').fetchone()[0] or 0  # noqa: S608 a known name
        if rows < _INDEXED_FROM or sum(table == entity for table, _ in self._known) >= _MAX_INDEXES:
            return
        try:
            for statement in (*_index_statements(entity, path, kind), _RELOAD_STATISTICS):
                self._db.execute(statement)
        except sqlite3.OperationalError:
            return  # another process is writing: this query runs without the index
        self._known.add((entity, path))


def _index_statements(entity: str, path: str, kind: str) -> Iterator[str]:
    name = f"{entity}.{path}"
    yield f'CREATE INDEX "{name}" ON "{entity}" (company, {column(path, kind)}, id)'
    yield _statistics(entity, name, "1000000 1000000 10 1")


def _statistics(entity: str, name: str, numbers: str) -> str:
    """Return a statement that makes the planner expect a single Company and few rows per value."""
    return f"INSERT INTO sqlite_stat1 VALUES ('{entity}', '{name}', '{numbers}')"  # noqa: S608 known names
