"""Journal schema, and a check that a file contains nothing else."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import time

from wosdk_async.text.safe_text import shortened

TABLES = """
CREATE TABLE plan (data TEXT NOT NULL);
CREATE TABLE planned (
    row INTEGER PRIMARY KEY, place INTEGER, line INTEGER NOT NULL, digest INTEGER NOT NULL,
    sent INTEGER NOT NULL, cells_hash BLOB, key TEXT, name TEXT, dismissed INTEGER NOT NULL,
    away INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX planned_place ON planned (place);
CREATE TABLE identity (
    identity BLOB NOT NULL, nth INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (identity, nth)
) WITHOUT ROWID;
CREATE TABLE outcome (
    row INTEGER PRIMARY KEY, run INTEGER NOT NULL, state INTEGER NOT NULL, stamp INTEGER NOT NULL, detail TEXT
);
CREATE TABLE undo (
    row INTEGER PRIMARY KEY, state INTEGER NOT NULL, stamp INTEGER NOT NULL, detail TEXT
);
CREATE TABLE undone_before (id INTEGER PRIMARY KEY);
CREATE TABLE reference (
    reference TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, state INTEGER NOT NULL,
    stamp INTEGER NOT NULL, detail TEXT, PRIMARY KEY (reference, name)
) WITHOUT ROWID;
CREATE TABLE run (
    number INTEGER PRIMARY KEY, started_at REAL NOT NULL, ended_at REAL, exit_status INTEGER,
    details TEXT NOT NULL
);
CREATE TABLE lease (
    epoch INTEGER PRIMARY KEY, run INTEGER NOT NULL, worker TEXT NOT NULL, state INTEGER NOT NULL,
    rows TEXT, rate REAL, in_flight INTEGER NOT NULL, seconds REAL NOT NULL
);
CREATE INDEX lease_open ON lease (epoch) WHERE state = 0;
CREATE TABLE loss (row INTEGER PRIMARY KEY, leases INTEGER NOT NULL);
CREATE TABLE audit (row INTEGER PRIMARY KEY, finding INTEGER NOT NULL, ids TEXT NOT NULL);
CREATE TABLE audit_result (one INTEGER PRIMARY KEY, counts TEXT NOT NULL);
CREATE TABLE change (stamp INTEGER NOT NULL);
INSERT INTO change VALUES (0);
CREATE VIEW rows AS SELECT row, place, line, coalesce(key, name) AS key, run, coalesce(state, 0) AS state,
    json_extract(detail, '$[0]') AS id, json_extract(detail, '$[1]') AS number,
    json_extract(detail, '$[2]') AS reason, json_extract(detail, '$[3]') AS code,
    json_extract(detail, '$[4]') AS request_id, json_extract(detail, '$[6]') AS attempts,
    json_extract(detail, '$[7]') AS version, json_extract(detail, '$[8]') AS seconds
FROM planned LEFT JOIN outcome USING (row);
"""
# Ledger rows keep their numbers. ``place`` and ``digest`` refer to the last run's file. ``sent``,
# ``cells_hash`` and ``key`` are the digest, the hash of all cells (only with a key) and the key with which
# the row was last planned. ``away`` is the run whose file no longer had the row, or 0 if the last file has
# it; rejects files do not count. A row is ``dismissed`` once the user declared it permanently gone. Rows
# without an outcome are PLANNED; ``run`` is the run that sent the row. Details are one JSON list, because
# unpacking ten columns costs more than the write itself. The view is for people.

_SCHEMA = "SELECT name, type, tbl_name, sql FROM sqlite_master"
_MAX_STATEMENT = 5_000  # maximum bytes per statement
_SECONDS = 5.0
_STEPS = 10_000  # SQLite instructions between clock checks
_SHOWN = 100  # maximum characters of a name in messages


@functools.cache
def _own_schema() -> frozenset[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.executescript(TABLES)
        return frozenset(map(_normalized, db.execute(_SCHEMA)))


def _normalized(entry: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(" ".join(each.split()) if isinstance(each, str) else each for each in entry)


def strange_name(db: sqlite3.Connection) -> str | None:
    """Return the name of a schema object that does not belong to a journal; None if there is none.

    Such objects are dangerous: a query of a view may never end, a trigger may write, and a generated column
    or an index may compute for hours. Size and time are limited, because reading the schema also loads
    ``sqlite_stat1``, which may be huge in a foreign file.
    """
    end = time.monotonic() + _SECONDS
    longest = db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_STATEMENT)
    db.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    try:
        strange = (each[0] for each in db.execute(_SCHEMA) if _normalized(each) not in _own_schema())
        return next((shortened(str(name), _SHOWN) for name in strange), None)
    finally:
        db.set_progress_handler(None, 0)
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
