"""The journal of a new job: its tables, and the rows of the input as they are planned."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

import attrs

from wosdk_async.jobs.journal.entries import (
    FORMAT,
    REPEATED_KEY,
    JobPlan,
    RowEntry,
    State,
    storable,
    to_json,
)
from wosdk_async.jobs.journal.grant_table import carry_leases_over
from wosdk_async.jobs.journal.schema import KEY_INDEX, TABLES
from wosdk_async.jobs.journal.store import (
    APPLICATION_ID,
    CACHE,
    JOURNAL,
    explained,
    leftovers,
    open_database,
    require_wal,
)
from wosdk_async.regular_files import create_file

__all__ = ["create_journal", "repeated_key"]

_CHUNK = 5000  # rows


def create_journal(
    folder: Path, entries: Iterable[RowEntry], plan: Callable[[int], JobPlan], earlier: Path | None = None
) -> Path:
    """Make the complete journal of a new job under another name.

    Args:
        folder: the folder of the job, locked by the caller.
        entries: the rows of the input.
        plan: called with the number of rows when all were read; returns the plan.
        earlier: the journal of a job that goes on here.

    Returns:
        The file; give it its name with :func:`publish`.

    Raises:
        JournalError: the file cannot be written.
    """
    part = folder / f"{JOURNAL}.part"
    try:
        with explained(folder / JOURNAL):
            _remove(part)
            create_file(part).close()
            with contextlib.closing(open_database(part)) as db:
                _make_tables(db)
                if earlier is not None:
                    db.execute("ATTACH ? AS earlier", [f"{earlier.absolute().as_uri()}?mode=ro"])
                db.execute("BEGIN")
                _insert(db, entries)
                _make_keys_unique(db)
                if earlier is not None:
                    _carry_over(db)
                rows = int(db.execute("SELECT count(*) FROM planned").fetchone()[0])
                db.execute("INSERT INTO plan VALUES (?)", [to_json(plan(rows).as_dict())])
                db.execute("COMMIT")
                require_wal(db, folder)
    except BaseException:
        with contextlib.suppress(OSError):
            _remove(part)
        raise
    return part


def _remove(part: Path) -> None:
    for each in leftovers(part):
        each.unlink(missing_ok=True)


def _make_tables(db: sqlite3.Connection) -> None:
    # Nobody reads the file before it is complete and renamed, so one flush at the end is enough.
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA journal_mode = MEMORY")
    db.execute(f"PRAGMA cache_size = -{CACHE}")
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {FORMAT}")
    db.executescript(TABLES)


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


def _refuse(db: sqlite3.Connection, reasons: Iterable[tuple[int, str]], code: str | None = None) -> None:
    values = ((row, int(State.REFUSED), to_json((None, None, reason, code))) for row, reason in reasons)
    db.executemany("REPLACE INTO outcome VALUES (?, ?, 0, ?)", values)


def _carry_over(db: sqlite3.Connection) -> None:
    """Take over what became of rows with the same keys in the earlier journal, unless they were refused."""
    db.execute(
        """REPLACE INTO main.outcome
        SELECT planned.row, outcome.state, outcome.stamp, outcome.detail FROM main.planned AS planned
        JOIN earlier.planned AS before USING (key) JOIN earlier.outcome AS outcome ON outcome.row = before.row
        WHERE outcome.state IN (?, ?, ?, ?)""",
        [int(state) for state in (State.SENDING, State.DONE, State.IN_DOUBT, State.FOUND)],
    )
    db.execute("INSERT INTO main.reference SELECT * FROM earlier.reference")
    carry_leases_over(db)


def _make_keys_unique(db: sqlite3.Connection) -> None:
    """Refuse rows whose key an earlier row has already, and make the index that holds it so."""
    try:
        db.execute(KEY_INDEX)
    except sqlite3.IntegrityError:
        _refuse_repeated_keys(db)
        db.execute(KEY_INDEX)


def _refuse_repeated_keys(db: sqlite3.Connection) -> None:
    db.execute("CREATE TEMP TABLE repeated (key TEXT PRIMARY KEY, first INTEGER) WITHOUT ROWID")
    db.execute("""INSERT INTO repeated SELECT key, min(row) FROM planned
        WHERE key IS NOT NULL GROUP BY key HAVING count(*) > 1""")
    found = db.execute("""
        SELECT planned.row, planned.key, first, earlier.line, planned.digest = earlier.digest
        FROM planned JOIN repeated USING (key) JOIN planned AS earlier ON earlier.row = first
        WHERE planned.row > first""")
    while chunk := found.fetchmany(_CHUNK):
        reasons = ((row, repeated_key(*found)) for row, *found in chunk)
        _refuse(db, reasons, REPEATED_KEY)
    db.execute("""UPDATE planned SET key = NULL WHERE row IN (
        SELECT row FROM planned JOIN repeated USING (key) WHERE row > first)""")
    db.execute("DROP TABLE repeated")


_SHOWN = 100  # characters of a key
_REPEATED = "the key {!r} is that of row {} (line {}) already; keys must be unique"
_TWICE = (
    "the key {!r} is that of row {} (line {}) already, and all cells are equal: the row is there twice, so "
    "delete this one"
)


def repeated_key(key: str, first: int, line: int, same: bool) -> str:
    """Return why a row with a key of an earlier row is refused.

    Args:
        key: the key.
        first: the number of the earlier row.
        line: the line of the earlier row.
        same: whether all cells of both rows are equal.
    """
    return (_TWICE if same else _REPEATED).format(key[:_SHOWN], first, line)
