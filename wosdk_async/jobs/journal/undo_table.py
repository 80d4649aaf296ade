"""Tables of a journal for undos, which are added when they are needed.

``undo`` says which records an undo of the job began to take back, and what became of each; ``undone_before``
has the ids of records that undos of earlier jobs took back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import orjson

from wosdk_async.jobs.journal.entries import RowRecord, State, to_json

__all__ = [
    "TABLES",
    "keep_undone",
    "save_undos",
    "shared_ids",
    "table_exists",
    "undo_counts",
    "undo_page",
    "undone_before",
    "undone_ids",
]

TABLES = (
    """CREATE TABLE IF NOT EXISTS undo (
        row INTEGER PRIMARY KEY, state INTEGER NOT NULL, stamp INTEGER NOT NULL, detail TEXT
    )""",
    "CREATE TABLE IF NOT EXISTS undone_before (id INTEGER PRIMARY KEY)",
)


def save_undos(db: sqlite3.Connection, *, records: Iterable[RowRecord], now: float) -> None:
    """Save what became of records that the undo takes back."""
    db.execute(TABLES[0])
    db.executemany(
        "REPLACE INTO undo VALUES (?, ?, ?, ?)",
        [
            (each.row, int(each.state), int(now * 1000), to_json((each.id, each.reason, each.request_id)))
            for each in records
        ],
    )


def undo_page(db: sqlite3.Connection, *, first: int, last: int) -> dict[int, RowRecord]:
    """Return what the undo did with the rows ``first`` to ``last``, without those it never began."""
    if not table_exists(db):
        return {}
    found = db.execute("SELECT row, state, detail FROM undo WHERE row BETWEEN ? AND ?", (first, last))
    records = {}
    for row, state, detail in found.fetchall():
        id, reason, request_id = orjson.loads(detail)
        records[row] = RowRecord(row, State(state), id, reason=reason, request_id=request_id)
    return records


def undo_counts(db: sqlite3.Connection) -> dict[State, int]:
    """Return how many rows of the undo have each state, without states that no row has."""
    if not table_exists(db):
        return {}
    found = db.execute("SELECT state, count(*) FROM undo GROUP BY state").fetchall()
    return {State(state): count for state, count in found}


def shared_ids(db: sqlite3.Connection) -> frozenset[int]:
    """Return the ids that several rows have, whatever became of them."""
    found = db.execute(
        "SELECT json_extract(detail, '$[0]') AS id FROM outcome WHERE id IS NOT NULL "
        "GROUP BY id HAVING count(*) > 1"
    )
    return frozenset(id for (id,) in found.fetchall())


def undone_ids(db: sqlite3.Connection) -> set[int]:
    """Return the ids of records that the undo took back, and of those that were taken back before the job."""
    ids: set[int] = set()
    if table_exists(db):
        found = db.execute("SELECT json_extract(detail, '$[0]') FROM undo WHERE state = ?", [int(State.DONE)])
        ids |= {id for (id,) in found.fetchall()}
    if table_exists(db, "undone_before"):
        ids |= {id for (id,) in db.execute("SELECT id FROM undone_before").fetchall()}
    return ids


def keep_undone(db: sqlite3.Connection, *, ids: Iterable[int]) -> None:
    """Save ids of records that undos of earlier jobs took back."""
    db.execute(TABLES[1])
    db.executemany("INSERT OR IGNORE INTO undone_before VALUES (?)", [(id,) for id in ids])


def undone_before(db: sqlite3.Connection, *, ids: Iterable[int] | None = None) -> set[int]:
    """Return which of ``ids`` are of records that were taken back before the job; None asks for any one."""
    if not table_exists(db, "undone_before"):
        return set()
    if ids is None:
        found = db.execute("SELECT id FROM undone_before LIMIT 1")
    else:
        wanted = orjson.dumps(list(ids)).decode()
        found = db.execute(
            "SELECT id FROM undone_before WHERE id IN (SELECT value FROM json_each(?))", [wanted]
        )
    return {id for (id,) in found.fetchall()}


def table_exists(db: sqlite3.Connection, table: str = "undo") -> bool:
    """Return whether a table is there."""
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [table]).fetchone())
