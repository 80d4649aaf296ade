"""SQLite file of a journal: its tables, how it is made and opened, and what its errors mean."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import attrs
import orjson

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal.entries import FORMAT, Plan, RowEntry, State, storable, to_json

__all__ = ["JOURNAL", "connect", "create_file", "explained", "newest_stamp", "read_plan", "sync_folder"]

JOURNAL = "journal.db"
_APPLICATION_ID = 0x574F4A4C  # "WOJL", in the header of the file
_CACHE = 16 * 1024  # KiB of the file held in memory, however large it grows
_CHUNK = 5000  # rows

_TABLES = """
CREATE TABLE plan (data TEXT NOT NULL);
CREATE TABLE planned (row INTEGER PRIMARY KEY, line INTEGER NOT NULL, digest INTEGER NOT NULL, key TEXT);
CREATE TABLE outcome (row INTEGER PRIMARY KEY, state INTEGER NOT NULL, stamp INTEGER NOT NULL, detail TEXT);
CREATE TABLE reference (
    reference TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, state INTEGER NOT NULL,
    stamp INTEGER NOT NULL, detail TEXT, PRIMARY KEY (reference, name)
) WITHOUT ROWID;
CREATE TABLE run (
    number INTEGER PRIMARY KEY, started_at REAL NOT NULL, ended_at REAL, exit_status INTEGER,
    details TEXT NOT NULL
);
CREATE TABLE sample (
    second INTEGER PRIMARY KEY, width INTEGER NOT NULL, calls INTEGER NOT NULL,
    p50 REAL NOT NULL, p95 REAL NOT NULL, waits INTEGER NOT NULL, retries INTEGER NOT NULL
);
CREATE VIEW rows AS SELECT row, line, key, coalesce(state, 0) AS state,
    json_extract(detail, '$[0]') AS id, json_extract(detail, '$[1]') AS number,
    json_extract(detail, '$[2]') AS reason, json_extract(detail, '$[3]') AS code,
    json_extract(detail, '$[4]') AS request_id, json_extract(detail, '$[6]') AS attempts,
    json_extract(detail, '$[7]') AS version, json_extract(detail, '$[8]') AS seconds
FROM planned LEFT JOIN outcome USING (row);
"""
# Planned rows never change, so that their pages stay full. A row without an outcome is PLANNED. What became
# of rows is appended nearly in their order; its details are one JSON list, because unpacking ten columns of
# each row costs more than the write itself. The view is for people.


def create_file(folder: Path, entries: Iterable[RowEntry], plan: Callable[[int], Plan]) -> Path:
    """Make the complete journal of a new job under another name.

    Args:
        folder: the folder of the job, locked by the caller.
        entries: the rows of the input.
        plan: called with the number of rows when all were read; returns the plan.

    Returns:
        The file, on the disk; give it its name with :func:`Path.replace`.

    Raises:
        JournalError: the file cannot be written.
    """
    part = folder / f"{JOURNAL}.part"
    for each in leftovers(part):
        each.unlink(missing_ok=True)
    with explained(part), contextlib.closing(sqlite3.connect(part, isolation_level=None)) as db:
        # Nobody reads the file before it is complete and renamed, so one flush at the end is enough.
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA journal_mode = MEMORY")
        db.execute(f"PRAGMA cache_size = -{_CACHE}")
        db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {FORMAT}")
        db.executescript(_TABLES)
        db.execute("BEGIN")
        _insert(db, entries)
        _make_keys_unique(db)
        rows = int(db.execute("SELECT count(*) FROM planned").fetchone()[0])
        db.execute("INSERT INTO plan VALUES (?)", [to_json(plan(rows).as_dict())])
        db.execute("COMMIT")
        _require_wal(db, folder)
    with part.open("rb") as file:
        os.fsync(file.fileno())
    return part


def sync_folder(folder: Path) -> None:
    """Flush the names of the files in a folder to the disk, where the system can."""
    if os.name == "nt":
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def leftovers(path: Path) -> list[Path]:
    """Return a database file and the files that SQLite puts beside it."""
    return [path, *(path.with_name(f"{path.name}-{end}") for end in ("wal", "shm", "journal"))]


def _insert(db: sqlite3.Connection, entries: Iterable[RowEntry]) -> None:
    rows = iter(entries)
    while chunk := list(islice(rows, _CHUNK)):
        if not _is_storable("".join([each.key for each in chunk if each.key is not None])):
            chunk = [_with_storable_key(each) for each in chunk]
        values = [(each.row, each.line, each.digest, each.key) for each in chunk]
        db.executemany("INSERT INTO planned VALUES (?, ?, ?, ?)", values)
        _refuse(db, ((each.row, each.fault) for each in chunk if each.fault is not None))


def _with_storable_key(entry: RowEntry) -> RowEntry:
    if entry.key is None or _is_storable(entry.key):
        return entry
    fault = f"the key {storable(entry.key)[:_SHOWN]!r} has half of a surrogate pair, which cannot be sent"
    return attrs.evolve(entry, key=None, fault=entry.fault or fault)


def _is_storable(text: str) -> bool:
    return storable(text) == text


def _refuse(db: sqlite3.Connection, reasons: Iterable[tuple[int, str]]) -> None:
    values = ((row, State.REFUSED, to_json((None, None, reason))) for row, reason in reasons)
    db.executemany("REPLACE INTO outcome VALUES (?, ?, 0, ?)", values)


def _make_keys_unique(db: sqlite3.Connection) -> None:
    """Refuse rows whose key an earlier row has already, and make the index that holds it so."""
    index = "CREATE UNIQUE INDEX planned_key ON planned (key) WHERE key IS NOT NULL"
    try:
        db.execute(index)
    except sqlite3.IntegrityError:
        _refuse_repeated_keys(db)
        db.execute(index)


def _refuse_repeated_keys(db: sqlite3.Connection) -> None:
    db.execute("CREATE TEMP TABLE repeated (key TEXT PRIMARY KEY, first INTEGER) WITHOUT ROWID")
    db.execute("""INSERT INTO repeated SELECT key, min(row) FROM planned
        WHERE key IS NOT NULL GROUP BY key HAVING count(*) > 1""")
    found = db.execute("""SELECT planned.row, planned.key, first, earlier.line
        FROM planned JOIN repeated USING (key) JOIN planned AS earlier ON earlier.row = first
        WHERE planned.row > first""")
    while chunk := found.fetchmany(_CHUNK):
        _refuse(db, ((row, _REPEATED.format(key[:_SHOWN], first, line)) for row, key, first, line in chunk))
    db.execute("""UPDATE planned SET key = NULL WHERE row IN (
        SELECT row FROM planned JOIN repeated USING (key) WHERE row > first)""")
    db.execute("DROP TABLE repeated")


_SHOWN = 100  # characters of a key
_REPEATED = "the key {!r} is that of row {} (line {}) already; keys must be unique"


def connect(folder: Path, *, read_only: bool = False, durable: bool = True) -> sqlite3.Connection:
    """Open the journal of a job folder.

    Raises:
        JournalError: there is none, it is damaged, of a newer version, or cannot be written.
    """
    path = folder / JOURNAL
    if not path.is_file():
        raise JournalError(
            f"{folder}: there is no {JOURNAL}, so this is not the folder of a job; name another"
        )
    was_closed = not _size(leftovers(path)[1])
    with explained(path):
        db = _connect_to_read(path) if read_only else _open(path)
        try:
            _check(db, path)
            if not read_only:
                if not was_closed and (found := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                    raise JournalError(_damaged(path, str(found)))
                _require_wal(db, folder)
                db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
                db.execute("PRAGMA fullfsync = ON")  # macOS: flush the disk's own memory too
                db.execute("PRAGMA checkpoint_fullfsync = ON")
                db.execute("BEGIN IMMEDIATE")  # fails at once if the file cannot be written
                db.execute("COMMIT")
            db.execute(f"PRAGMA cache_size = -{_CACHE}")
        except BaseException:
            db.close()  # Python 3.13 warns of a connection left open
            raise
    return db


def _open(address: str | Path, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(address, isolation_level=None, check_same_thread=False, timeout=5, uri=uri)


def _connect_to_read(path: Path) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode=ro"
    db = _open(address, uri=True)
    try:
        db.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError:
        db.close()
        if _size(leftovers(path)[1]):
            raise
        # In a folder that cannot be written SQLite refuses even to read, unless nobody writes the file.
        return _open(f"{address}&immutable=1", uri=True)
    return db


def _check(db: sqlite3.Connection, path: Path) -> None:
    if _pragma(db, "application_id") != _APPLICATION_ID:
        raise JournalError(f"{path}: is not the journal of a job; name another folder")
    version = _pragma(db, "user_version")
    if version > FORMAT:
        raise JournalError(
            f"{path}: was written by a newer wosdk_async (format {version}, this one knows {FORMAT}); "
            "update this one: pip install -U wosdk_async"
        )


def _require_wal(db: sqlite3.Connection, folder: Path) -> None:
    mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise JournalError(
            f"{folder}: its file system cannot keep a journal (no shared memory; a network disk?); "
            "place the job on a local disk with --job DIR"
        )


def read_plan(db: sqlite3.Connection, path: Path) -> Plan:
    """Return the plan of a journal.

    Raises:
        JournalError: it cannot be read.
    """
    with explained(path):
        found = db.execute("SELECT data FROM plan").fetchone()
    try:
        return Plan.from_dict(orjson.loads(found[0]))
    except (TypeError, ValueError) as error:
        raise JournalError(_damaged(path, str(error))) from None


def newest_stamp(db: sqlite3.Connection, path: Path, promised: int) -> int:
    """Return the stamp of the last commit, 0 in a new journal.

    Raises:
        JournalError: it is older than the one that was ``promised``.
    """
    with explained(path):
        newest = "SELECT coalesce(max(stamp), 0) FROM "
        stamp = max(int(db.execute(newest + table).fetchone()[0]) for table in ("outcome", "reference"))
    if stamp < promised:
        raise JournalError(
            f"{path}: its last commits are missing. Was {JOURNAL}-wal deleted, or left behind when the "
            "folder was copied? Bring it back: without it rows that were sent look as if they were not"
        )
    return stamp


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the system into JournalError with the remedy."""
    try:
        yield
    except sqlite3.Error as error:
        raise journal_error(path, error) from error
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror or error}; {_WRITABLE}") from error


_WRITABLE = "change the permissions, or place the job elsewhere with --job DIR"
_REMEDIES = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space and give the same command again",
    sqlite3.SQLITE_IOERR: "the disk cannot be read or written; mend it, then give the same command again",
    sqlite3.SQLITE_READONLY: f"cannot be written; {_WRITABLE}",
    sqlite3.SQLITE_CANTOPEN: f"cannot be opened; {_WRITABLE}",
    sqlite3.SQLITE_BUSY: "another program has it open; close that, then give the same command again",
    sqlite3.SQLITE_LOCKED: "another program has it open; close that, then give the same command again",
}


def journal_error(path: Path, error: sqlite3.Error) -> JournalError:
    """Return the JournalError for an error of SQLite."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return JournalError(_damaged(path, str(error)))
    return JournalError(f"{path}: {_REMEDIES.get(code, 'the journal cannot be used')} ({error})")


def _damaged(path: Path, why: str) -> str:
    return (
        f"{path}: the journal is damaged ({why}); restore the folder from a backup. A new job would not "
        "know what this one created: look in the Company and in results.csv first"
    )


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
