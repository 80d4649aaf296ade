"""Tables of a journal for undos.

``undo`` has the rows whose records an undo began to cancel or delete, with the outcome of each;
``undone_before`` has the ids of records that undos of earlier ledgers took back, or of this one before a row
was sent again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import orjson

from wosdk_async.jobs.journal.entries import RowRecord, State, to_json

__all__ = [
    "keep_undone",
    "save_undos",
    "shared_ids",
    "table_exists",
    "undo_counts",
    "undone_before",
    "undone_ids",
    "undone_rows",
    "undos",
]


def save_undos(db: sqlite3.Connection, *, records: Iterable[RowRecord], now: float) -> None:
    """Save what became of records that the undo takes back."""
    db.executemany(
        "REPLACE INTO undo VALUES (?, ?, ?, ?)",
        [
            (each.row, int(each.state), int(now * 1000), to_json((each.id, each.reason, each.request_id)))
            for each in records
        ],
    )


def undos(db: sqlite3.Connection, *, rows: Iterable[int]) -> dict[int, RowRecord]:
    """Return what the undo did with some rows, without those it never began."""
    found = db.execute(
        "SELECT row, state, detail FROM undo WHERE row IN (SELECT value FROM json_each(?))",
        [orjson.dumps(list(rows)).decode()],
    )
    records = {}
    for row, state, detail in found.fetchall():
        id, reason, request_id = orjson.loads(detail)
        records[row] = RowRecord(row, State(state), id, reason=reason, request_id=request_id)
    return records


def undo_counts(db: sqlite3.Connection) -> dict[State, int]:
    """Return how many rows of the undo have each state, without states that no row has."""
    found = db.execute("SELECT state, count(*) FROM undo GROUP BY state").fetchall()
    return {State(state): count for state, count in found}


def shared_ids(db: sqlite3.Connection) -> frozenset[int]:
    """Return the ids that several rows have, whatever became of them."""
    found = db.execute(
        "SELECT json_extract(detail, '$[0]') AS id FROM outcome WHERE id IS NOT NULL "
        "GROUP BY id HAVING count(*) > 1"
    )
    return frozenset(id for (id,) in found.fetchall())


def undone_rows(db: sqlite3.Connection) -> int:
    """Return how many rows of the file of the last run the undo took back."""
    found = db.execute(
        "SELECT count(*) FROM undo JOIN planned USING (row) WHERE undo.state = ? AND place IS NOT NULL",
        [int(State.DONE)],
    )
    return int(found.fetchone()[0])


def undone_ids(db: sqlite3.Connection) -> set[int]:
    """Return the ids of records that the undo took back, and of those that were taken back before the job."""
    found = db.execute(
        "SELECT json_extract(detail, '$[0]') FROM undo WHERE state = ? UNION SELECT id FROM undone_before",
        [int(State.DONE)],
    )
    return {id for (id,) in found.fetchall()}


def keep_undone(db: sqlite3.Connection, *, ids: Iterable[int]) -> None:
    """Save ids of records that undos of earlier jobs took back."""
    db.executemany("INSERT OR IGNORE INTO undone_before VALUES (?)", [(id,) for id in ids])


def undone_before(db: sqlite3.Connection, *, ids: Iterable[int] | None = None) -> set[int]:
    """Return which of ``ids`` are of records that were taken back before the job; None asks for any one."""
    if ids is None:
        found = db.execute("SELECT id FROM undone_before LIMIT 1")
    else:
        wanted = orjson.dumps(list(ids)).decode()
        found = db.execute(
            "SELECT id FROM undone_before WHERE id IN (SELECT value FROM json_each(?))", [wanted]
        )
    return {id for (id,) in found.fetchall()}


def table_exists(db: sqlite3.Connection, table: str) -> bool:
    """Return whether a table is there."""
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [table]).fetchone())
