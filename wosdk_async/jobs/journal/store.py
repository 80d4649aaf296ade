"""A journal's SQLite file: creation, opening, checks, and errors with remedies."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import attrs
import orjson

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal.entries import FORMAT, JobPlan, to_json
from wosdk_async.jobs.journal.lock import LOCK, job_in, last_stamp
from wosdk_async.jobs.journal.schema import TABLES, strange_name
from wosdk_async.regular_files import connect_database, create_file
from wosdk_async.text.remedies import Remedy

JOURNAL = "journal.db"
_PART = f"{JOURNAL}.part"
START_FILES = (LOCK, _PART, "input.")
"""Prefixes of the files that remain if an import is killed at its start."""
_IMMUTABLE = "mode=ro&immutable=1"
_APPLICATION_ID = 0x574F4A4C  # "WOJL" in ASCII; SQLite stores it in the file header
_CACHE = 8 * 1024  # KiB of page cache


def database_files(path: Path) -> list[Path]:
    """Return a database file and the files that SQLite creates beside it."""
    return [path, *(path.with_name(f"{path.name}-{end}") for end in ("wal", "shm", "journal"))]


def connect(
    folder: Path, *, read_only: bool = False, snapshot: bool = False, durable: bool = True
) -> sqlite3.Connection:
    """Open a job folder's journal.

    A ``snapshot`` is for a short read, and creates no files unless a process is working on the job. A
    ``durable`` journal flushes each commit to disk.

    Raises:
        JournalError: the journal is missing, damaged, of a newer version or not writable.
    """
    path = folder / JOURNAL
    if not path.is_file():
        why = f"this is not a job folder, because it has no {JOURNAL}; name another folder"
        if _start_was_killed(folder):
            why = "this job has not sent anything; if the import was killed, run the same command again"
        raise JournalError(f"{folder}: {why}")
    was_closed = not _size(database_files(path)[1])
    with explained(path), contextlib.ExitStack() as exits:
        db = _connect_to_read(path, snapshot=snapshot) if read_only else _open(path)
        exits.callback(db.close)  # otherwise Python 3.13 warns about an unclosed connection
        _check(db, path)
        if (job := job_in(folder)) is not None and job != read_plan(db, path).job:
            raise JournalError(
                f"{path}: this journal belongs to a different job. Restore the folder's own journal, "
                "which records what was sent"
            )
        if not read_only:
            if not was_closed and (found := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise JournalError(_damaged(path, str(found)))
            require_wal(db, folder)
            db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
            db.execute("PRAGMA fullfsync = ON")  # macOS: also flush the disk's cache
            db.execute("PRAGMA checkpoint_fullfsync = ON")
            db.execute("BEGIN IMMEDIATE")  # fail now if the file is not writable
            db.execute("COMMIT")
        db.execute(f"PRAGMA cache_size = -{_CACHE}")
        exits.pop_all()
    return db


def connect_to_snapshot(folder: Path) -> sqlite3.Connection:
    """Open a journal for a short read. Raises JournalError also if its last commits are missing."""
    stamp = last_stamp(folder)  # read first, because a process may be writing
    with contextlib.ExitStack() as exits:
        db = exits.enter_context(contextlib.closing(connect(folder, read_only=True, snapshot=True)))
        newest_stamp(db, folder / JOURNAL, stamp)
        exits.pop_all()
    return db


def _start_was_killed(folder: Path) -> bool:
    with explained(folder):
        names = [each.name for each in folder.iterdir()] if folder.is_dir() else []
    return _PART in names and all(name.startswith(START_FILES) for name in names)


def create_database(folder: Path, plan: JobPlan) -> Path:
    """Create a new ledger's database under a temporary name; raise JournalError if it cannot be written."""
    part = folder / _PART
    try:
        with explained(folder / JOURNAL):
            _remove(part)
            create_file(part).close()
            with contextlib.closing(_open(part)) as db:
                db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {FORMAT}")
                db.executescript(TABLES)
                db.execute("INSERT INTO plan VALUES (?)", [to_json(attrs.asdict(plan))])
                require_wal(db, folder)
    except BaseException:
        with contextlib.suppress(OSError):
            _remove(part)
        raise
    return part


def _remove(part: Path) -> None:
    for each in database_files(part):
        each.unlink(missing_ok=True)


def _open(path: Path, access: str = "mode=rw") -> sqlite3.Connection:
    return connect_database(path, access=access, isolation_level=None, check_same_thread=False, timeout=5)


def _connect_to_read(path: Path, *, snapshot: bool) -> sqlite3.Connection:
    if snapshot and not database_files(path)[1].exists():  # no WAL, so no process is writing
        return _open(path, _IMMUTABLE)
    db = _open(path, "mode=ro")
    try:
        db.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError:
        db.close()
        if _size(database_files(path)[1]):
            raise
        # SQLite cannot read from a read-only folder unless the file is declared immutable.
        return _open(path, _IMMUTABLE)
    return db


def _check(db: sqlite3.Connection, path: Path) -> None:
    db.execute("PRAGMA trusted_schema = OFF")
    if _pragma(db, "application_id") != _APPLICATION_ID:
        raise JournalError(
            f"{path}: this is not a job's journal. If a job was here, restore the folder from a backup, "
            "because a new job would resend all rows. If there was no job here, name another folder"
        )
    version = _pragma(db, "user_version")
    if version > FORMAT:
        raise JournalError(
            f"{path}: written by a newer wosdk_async (format {version}; this version supports {FORMAT}); "
            "run pip install -U wosdk_async"
        )
    if version < FORMAT:
        raise JournalError(
            f"{path}: written by wosdk_async 0.2 or earlier (format {version}). Finish the job with that "
            "version first, because a new ledger would not know which rows were sent. Then move its folder "
            "away"
        )
    if strange := strange_name(db):
        raise JournalError(_damaged(path, f"{strange!r} does not belong to a journal"))


def require_wal(db: sqlite3.Connection, folder: Path) -> None:
    """Enable write-ahead logging, so that readers never wait for the writer and a commit takes one flush.

    Raise JournalError if the file system does not support write-ahead logging.
    """
    mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise JournalError(
            f"{folder}: the file system does not support journals (no shared memory; is it a network disk?)",
            remedies=(Remedy.LOCAL_DISK,),
        )


def read_plan(db: sqlite3.Connection, path: Path) -> JobPlan:
    """Return a journal's plan; raise JournalError if the journal cannot be read."""
    with explained(path):
        stored = db.execute("SELECT data FROM plan").fetchone()
    names = {field.name for field in attrs.fields(JobPlan)}  # a later minor version may have added others
    try:
        return JobPlan(**{name: value for name, value in orjson.loads(stored[0]).items() if name in names})
    except (AttributeError, TypeError, ValueError) as error:
        raise JournalError(_damaged(path, str(error))) from None


def save_plan(db: sqlite3.Connection, *, plan: JobPlan) -> None:
    """Save a job's plan, including the last run's file."""
    db.execute("UPDATE plan SET data = ?", [to_json(attrs.asdict(plan))])


def newest_stamp(db: sqlite3.Connection, path: Path, promised: int) -> int:
    """Return the last commit's stamp; 0 in a new journal.

    Raises:
        JournalError: commits are missing: the stamp is older than ``promised`` (the lock's stamp).
    """
    with explained(path):
        stamps = db.execute("SELECT stamp FROM change UNION SELECT max(stamp) FROM outcome").fetchall()
    stamp = max(int(each or 0) for (each,) in stamps)
    if stamp < promised:
        raise JournalError(
            f"{path}: the last commits are missing. Was {JOURNAL}-wal deleted, or not copied with the "
            f"folder? Restore {JOURNAL}-wal: without it, sent rows look unsent"
        )
    return stamp


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Convert SQLite and OS errors into JournalErrors with remedies."""
    try:
        yield
    except sqlite3.Error as error:
        raise _journal_error(path, error) from error
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror or error}", remedies=(Remedy.PERMISSIONS,)) from error


_FAULTS = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space, then run the same command again",
    sqlite3.SQLITE_IOERR: "disk I/O error; fix the disk, then run the same command again",
    sqlite3.SQLITE_READONLY: "not writable",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_BUSY: "locked by another program; close that program, then run the same command again",
    sqlite3.SQLITE_LOCKED: "locked by another program; close that program, then run the same command again",
}


def _journal_error(path: Path, error: sqlite3.Error) -> JournalError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return JournalError(_damaged(path, str(error)))
    remedies = (Remedy.PERMISSIONS,) if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN) else ()
    why = _FAULTS.get(code, "the journal is unusable")
    return JournalError(f"{path}: {why} ({error})", remedies=remedies)


def _damaged(path: Path, why: str) -> str:
    return (
        f"{path}: the journal is damaged ({why}); restore the folder from a backup. Before you start a new "
        "job, find out from results.csv and the Company what this job created"
    )


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
