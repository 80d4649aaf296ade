"""Statements of a journal: its rows, references, runs and samples, read and written."""

from __future__ import annotations

import functools
import getpass
import os
import socket
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import orjson

from wosdk_async.jobs.journal.entries import (
    MAX_NUMBER,
    MAX_REASON,
    REPEATED_KEY,
    JobRun,
    PageRow,
    ReferenceRecord,
    RowRecord,
    Sample,
    State,
    StoredRow,
    storable,
    to_json,
    usable_number,
)
from wosdk_async.safe_text import shortened

__all__ = [
    "MOST_AT_ONCE",
    "add_sample",
    "counts",
    "end_run",
    "insert_run",
    "page",
    "plan_again",
    "references",
    "rows_in",
    "rows_with",
    "runs",
    "samples",
    "save_references",
    "save_rows",
]

_STATES = tuple(State)  # by number
_MOST_SAMPLES = 2000


# --- rows ---------------------------------------------------------------------------------------


# One statement for many rows, and one JSON text for a page of them: Python gives up its lock in each step of
# a statement, and beside a busy event loop it takes milliseconds to get it back.
MOST_AT_ONCE = 100  # rows; four variables each, and SQLite may take no more than 999


def save_rows(db: sqlite3.Connection, rows: Sequence[int | RowRecord], stamp: int) -> None:
    """Save outcomes, and numbers of rows that are about to be sent, in one step."""
    values: list[object] = []
    for each in rows:
        if isinstance(each, int):
            values += (each, 1, stamp, None)
        else:
            values += (each.row, int(each.state), stamp, _details(each))
    if rows:
        db.execute(_save_rows_statement(len(rows)), values)


@functools.cache
def _save_rows_statement(rows: int) -> str:
    values = ", ".join(["(?, ?, ?, ?)"] * rows)
    return f"REPLACE INTO outcome VALUES {values}"  # noqa: S608 - numbers of variables


def _details(record: RowRecord) -> str:
    return to_json(
        (
            record.id,
            _bounded(record.number, MAX_NUMBER),
            _bounded(record.reason, MAX_REASON),
            _bounded(record.code, MAX_NUMBER),
            _bounded(record.request_id, MAX_NUMBER),
            record.warnings and [shortened(each, MAX_REASON) for each in record.warnings],
            record.attempts,
            record.version,
            record.seconds,
            record.proof,
        )
    )


def _bounded(text: str | None, longest: int) -> str | None:
    return shortened(text, longest) if text else text


_UNKNOWN = (None, None, None, None, None, (), 0, None, 0.0, None)
"""Details of a row of which nothing is known, in the order of the fields of RowRecord."""


def _detailed(details: Sequence[Any] | None) -> Sequence[Any]:
    if not details:
        return _UNKNOWN
    known = [*details, *_UNKNOWN[len(details) :]]
    known[_WARNINGS] = tuple(known[_WARNINGS] or ())
    known[_SECONDS] = usable_number(known[_SECONDS])
    return known


_WARNINGS, _SECONDS = 5, 8


_PAGE = """SELECT json_group_array(json_array(row, state, digest, key)) FROM (
    SELECT row, coalesce(state, 0) AS state, digest, key FROM planned LEFT JOIN outcome USING (row)
    WHERE row BETWEEN ? AND ? ORDER BY row)"""


def page(db: sqlite3.Connection, *, first: int, last: int) -> list[PageRow]:
    """Return row, state, digest and key of the rows ``first`` to ``last``."""
    found = orjson.loads(db.execute(_PAGE, (first, last)).fetchone()[0])
    return [(row, _STATES[state], digest, key) for row, state, digest, key in found]


_ROWS = """SELECT json_group_array(json_array(row, state, json(detail), line, digest, key, stamp)) FROM (
    SELECT row, coalesce(state, 0) AS state, detail, line, digest, key, coalesce(stamp, 0) AS stamp
    FROM {tables} WHERE {where} ORDER BY row LIMIT ?)"""


def rows_in(db: sqlite3.Connection, *, states: Sequence[State], after: int, limit: int) -> list[StoredRow]:
    """Return the first rows behind ``after`` that have one of the states; without states, any."""
    wanted = ", ".join(str(int(state)) for state in states or State)
    # Rows without an outcome are planned; for other states those that have one are read only.
    planned = not states or State.PLANNED in states
    tables = "planned LEFT JOIN outcome USING (row)" if planned else "outcome JOIN planned USING (row)"
    where = f"{'planned' if planned else 'outcome'}.row > ? AND coalesce(state, 0) IN ({wanted})"
    return _stored(db, _ROWS.format(tables=tables, where=where), after, limit)


def rows_with(db: sqlite3.Connection, *, keys: Sequence[str]) -> dict[str, StoredRow]:
    """Return the rows that have these keys."""
    statement = _ROWS.format(
        tables="planned LEFT JOIN outcome USING (row)", where="key IN (SELECT value FROM json_each(?))"
    )
    found = _stored(db, statement, orjson.dumps(list(keys)).decode(), -1)
    return {row.key: row for row in found if row.key is not None}


def _stored(db: sqlite3.Connection, statement: str, *values: object) -> list[StoredRow]:
    found = orjson.loads(db.execute(statement, values).fetchone()[0])
    return [_row(*each) for each in found]


def _row(row: int, state: int, detail: Any, line: int, digest: int, key: str | None, stamp: int) -> StoredRow:
    fields: Any = (row, _STATES[state], *_detailed(detail), line, digest, key, stamp / 1000)
    return StoredRow(*fields)  # by place: by name it takes twice as long


def counts(db: sqlite3.Connection) -> dict[State, int]:
    """Return how many rows have each state."""
    sums = ", ".join(f"coalesce(sum(state = {int(state)}), 0)" for state in State)
    rows = db.execute("SELECT count(*) FROM planned").fetchone()[0]
    outcomes, *by_state = db.execute(f"SELECT count(*), {sums} FROM outcome").fetchone()  # noqa: S608
    by_state[State.PLANNED] += rows - outcomes
    return dict(zip(State, by_state, strict=True))


def plan_again(db: sqlite3.Connection) -> None:
    """Forget the refusals, so that these rows are planned; not of rows whose key an earlier row has."""
    db.execute(
        "DELETE FROM outcome WHERE state = ? AND coalesce(json_extract(detail, '$[3]'), '') <> ?",
        [int(State.REFUSED), REPEATED_KEY],
    )


# --- references -----------------------------------------------------------------------------------


def save_references(db: sqlite3.Connection, records: Iterable[ReferenceRecord], stamp: int) -> None:
    """Save records of references."""
    db.executemany(
        "REPLACE INTO reference VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                *(storable(text) for text in (each.reference, each.name, each.key)),
                int(each.state),
                stamp,
                to_json((each.id, _bounded(each.reason, MAX_REASON), each.request_id)),
            )
            for each in records
        ],
    )


def references(db: sqlite3.Connection) -> list[ReferenceRecord]:
    """Return the records of all references that were begun."""
    found = db.execute(
        "SELECT reference, name, key, state, detail FROM reference ORDER BY stamp, reference, name"
    )
    return [
        ReferenceRecord(reference, name, key, _STATES[state], *orjson.loads(detail or "[]"))
        for reference, name, key, state, detail in found.fetchall()
    ]


# --- runs -----------------------------------------------------------------------------------------


def insert_run(db: sqlite3.Connection, started_at: float, details: Mapping[str, Any]) -> int:
    """Add a run with what is known of this process; return its number."""
    from wosdk_async import __version__

    known = {"version": __version__, "host": socket.gethostname(), "pid": os.getpid(), "user": _user()}
    added = db.execute(
        "INSERT INTO run (started_at, details) VALUES (?, ?)", (started_at, to_json(known | dict(details)))
    )
    return int(added.lastrowid or 0)


def end_run(
    db: sqlite3.Connection, number: int, ended_at: float, exit_status: int, details: Mapping[str, Any]
) -> None:
    """Write how a run ended; its details are joined with those of its start."""
    db.execute(
        "UPDATE run SET ended_at = ?, exit_status = ?, details = json_patch(details, ?) WHERE number = ?",
        (ended_at, exit_status, to_json(details), number),
    )


def runs(db: sqlite3.Connection) -> list[JobRun]:
    """Return all runs, in their order."""
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


def _object(text: str) -> dict[str, Any]:
    found = orjson.loads(text)
    return found if isinstance(found, dict) else {}


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container without a name for its user
        return ""


# --- samples --------------------------------------------------------------------------------------


def add_sample(db: sqlite3.Connection, *, sample: Sample) -> None:
    """Add the figures of an interval; double all intervals when there are too many."""
    number, width = db.execute("SELECT count(*), coalesce(max(width), 1) FROM sample").fetchone()
    if number >= _MOST_SAMPLES:
        width *= 2
        db.execute("CREATE TEMP TABLE narrow AS SELECT * FROM sample")
        db.execute("DELETE FROM sample")
        db.execute(_SAVE_SAMPLES.format(source="temp.narrow"), {"width": width})
        db.execute("DROP TABLE temp.narrow")
    sample = _sample(*map(usable_number, attrs.astuple(sample)))
    names = ("second", "calls", "p50", "p95", "waits", "retries")
    one = f"(SELECT {', '.join(f':{name} AS {name}' for name in names)})"
    db.execute(_SAVE_SAMPLES.format(source=one), attrs.asdict(sample) | {"width": width})


# The median of two intervals is taken as their mean by calls, and the 95th percentile as the higher one.
_SAVE_SAMPLES = """INSERT INTO sample (second, width, calls, p50, p95, waits, retries)
SELECT second / :width * :width AS start, :width, sum(calls),
    coalesce(sum(p50 * calls) / sum(calls), 0), max(p95), sum(waits), sum(retries)
FROM {source} GROUP BY start
ON CONFLICT (second) DO UPDATE SET
    p50 = coalesce((p50 * calls + excluded.p50 * excluded.calls) / (calls + excluded.calls), 0),
    p95 = max(p95, excluded.p95), calls = calls + excluded.calls,
    waits = waits + excluded.waits, retries = retries + excluded.retries"""


def _sample(
    second: float, calls: float, p50: float, p95: float, waits: float, retries: float, width: float
) -> Sample:
    whole = (int(waits), int(retries), max(int(width), 1))
    return Sample(int(second), int(calls), float(p50), float(p95), *whole)


def samples(db: sqlite3.Connection) -> list[Sample]:
    """Return all figures, in the order of time."""
    return [
        _sample(*map(usable_number, values))
        for values in db.execute(
            "SELECT second, calls, p50, p95, waits, retries, width FROM sample ORDER BY second"
        ).fetchall()
    ]
