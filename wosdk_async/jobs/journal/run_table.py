"""SQL statements for runs and undone rows."""

from __future__ import annotations

import getpass
import os
import socket
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from wosdk_async.jobs.journal.entries import JobRun, RowRecord, to_json, usable_number
from wosdk_async.protocol.writes import UNDECIDED, State


def insert_run(db: sqlite3.Connection, started_at: float, details: Mapping[str, Any]) -> int:
    """Add a run with facts about this process, and return the run number."""
    from wosdk_async import __version__

    process = {"version": __version__, "host": socket.gethostname(), "pid": os.getpid(), "user": user_name()}
    added = db.execute(
        "INSERT INTO run (started_at, details) VALUES (?, ?)", (started_at, to_json(process | dict(details)))
    )
    return int(added.lastrowid or 0)


def end_run(
    db: sqlite3.Connection, *, number: int, ended: tuple[float, int], details: Mapping[str, Any]
) -> None:
    """Save a run's end time and exit status, merging the details into those saved at its start."""
    db.execute(
        "UPDATE run SET ended_at = ?, exit_status = ?, details = json_patch(details, ?) WHERE number = ?",
        (*ended, to_json(details), number),
    )


def runs(db: sqlite3.Connection) -> list[JobRun]:
    """Return all runs in order."""
    found = db.execute("SELECT number, started_at, ended_at, exit_status, details FROM run ORDER BY number")
    return [
        JobRun(
            number,
            usable_number(started_at),
            None if ended_at is None else usable_number(ended_at),
            exit_status,
            _object(details),
        )
        for number, started_at, ended_at, exit_status, details in found.fetchall()
    ]


def done_rows(db: sqlite3.Connection) -> dict[int, int]:
    """Count the done rows by the run that sent them."""
    found = db.execute("SELECT run, count(*) FROM outcome WHERE state = ? GROUP BY run", [State.DONE])
    return dict(found.fetchall())


def last_sending_run(db: sqlite3.Connection) -> int | None:
    """Return the number of the last run that sent rows; None if no run did."""
    query = "SELECT max(run) FROM outcome WHERE state IN (?, ?, ?)"
    found = db.execute(query, (State.DONE, *UNDECIDED)).fetchone()[0]
    return None if found is None else int(found)


def run_of_undo_in_doubt(db: sqlite3.Connection) -> int | None:
    """Return the last run with a row whose undo is in flight or in doubt; None if there is no such row."""
    query = "SELECT max(outcome.run) FROM undo JOIN outcome USING (row) WHERE undo.state IN (?, ?)"
    found: tuple[int | None] = db.execute(query, UNDECIDED).fetchone()
    return found[0]


def _object(text: str) -> dict[str, Any]:
    found = orjson.loads(text)
    return found if isinstance(found, dict) else {}


def user_name() -> str:
    """Return the current user's name; empty in a container without user names."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def save_undo(db: sqlite3.Connection, *, record: RowRecord, now: float) -> None:
    """Save a row's undo outcome."""
    detail = to_json((record.id, record.reason, record.request_id))
    values = (record.row, int(record.state), int(now * 1000), detail)
    db.execute("REPLACE INTO undo VALUES (?, ?, ?, ?)", values)


def undos(db: sqlite3.Connection, rows: Iterable[int]) -> dict[int, RowRecord]:
    """Return the undo outcomes of rows, leaving out rows without an undo."""
    found = db.execute(
        "SELECT row, state, detail FROM undo WHERE row IN (SELECT value FROM json_each(?))",
        [orjson.dumps(list(rows)).decode()],
    )
    records = {}
    for row, state, detail in found.fetchall():
        id, reason, request_id = orjson.loads(detail)[:3]  # newer versions may store more
        records[row] = RowRecord(row, State(state), id, reason=reason, request_id=request_id)
    return records


def undo_counts(db: sqlite3.Connection, *, gone: bool = False) -> Counter[State]:
    """Count undos of rows in the file or, with ``gone``, of rows missing from the file, by state."""
    found = db.execute(
        "SELECT state, count(*) FROM undo JOIN planned USING (row) WHERE (place IS NULL) = ? GROUP BY state",
        [gone],
    ).fetchall()
    return Counter({State(state): count for state, count in found})


def shared_ids(db: sqlite3.Connection) -> frozenset[int]:
    """Return the record ids that several rows share, regardless of outcome."""
    found = db.execute(
        "SELECT json_extract(detail, '$[0]') AS id FROM outcome WHERE id IS NOT NULL "
        "GROUP BY id HAVING count(*) > 1"
    )
    return frozenset(id for (id,) in found.fetchall())


def row_with_id(db: sqlite3.Connection, *, id: int) -> int | None:
    """Return the number of a row whose record has this id; None if there is no such row."""
    query = "SELECT row FROM outcome WHERE json_extract(detail, '$[0]') = ? LIMIT 1"
    found = db.execute(query, [id]).fetchone()
    return None if found is None else int(found[0])


def own_undone_ids(db: sqlite3.Connection, *states: State) -> Iterator[int]:
    """Yield the ids of records whose undos in this job have one of the given states.

    By default, these are the records that an undo has, or may have, cancelled or deleted.
    """
    found = db.execute(
        """SELECT coalesce(json_extract(undo.detail, '$[0]'), json_extract(outcome.detail, '$[0]')) AS id
        FROM undo JOIN outcome USING (row)
        WHERE undo.state IN (SELECT value FROM json_each(?)) AND id IS NOT NULL""",
        [to_json(states or (State.DONE, *UNDECIDED))],
    )
    return (id for (id,) in found)


def undone_ids(db: sqlite3.Connection) -> set[int]:
    """Return the ids that :func:`keep_undone` saved, and those of records that this job may have undone."""
    return {*own_undone_ids(db), *(id for (id,) in db.execute("SELECT id FROM undone_before"))}


def keep_undone(db: sqlite3.Connection, *, ids: Iterable[int]) -> None:
    """Save the ids of records that this or another job has undone."""
    db.executemany("INSERT OR IGNORE INTO undone_before VALUES (?)", [(id,) for id in ids])


def undone_before(db: sqlite3.Connection, ids: Iterable[int] | None = None) -> set[int]:
    """Return those of the ``ids`` that :func:`keep_undone` saved; without ``ids``, at most one saved id."""
    if ids is None:
        found = db.execute("SELECT id FROM undone_before LIMIT 1")
    else:
        wanted = orjson.dumps(list(ids)).decode()
        found = db.execute(
            "SELECT id FROM undone_before WHERE id IN (SELECT value FROM json_each(?))", [wanted]
        )
    return {id for (id,) in found.fetchall()}
