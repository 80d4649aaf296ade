"""Rows of a journal, and the records that they refer to: the statements that read and write them."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from wosdk_async.jobs.journal.entries import (
    MAX_NUMBER,
    MAX_REASON,
    REPEATED_KEY,
    PageRow,
    ReferenceRecord,
    RowRecord,
    State,
    StoredRow,
    storable,
    to_json,
    usable_number,
)
from wosdk_async.safe_text import shortened

__all__ = [
    "MOST_AT_ONCE",
    "counts",
    "page",
    "plan_again",
    "references",
    "refused_for_now",
    "rows_in",
    "rows_numbered",
    "rows_with",
    "save_references",
    "save_rows",
]

_STATES = tuple(State)  # by number


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


def rows_numbered(db: sqlite3.Connection, *, numbers: Iterable[int]) -> dict[int, StoredRow]:
    """Return the rows that have these numbers."""
    return {row.row: row for row in _rows_among(db, "planned.row", list(numbers))}


def rows_with(db: sqlite3.Connection, *, keys: Sequence[str]) -> dict[str, StoredRow]:
    """Return the rows that have these keys."""
    return {row.key: row for row in _rows_among(db, "key", list(keys)) if row.key is not None}


def _rows_among(db: sqlite3.Connection, column: str, values: list[Any]) -> list[StoredRow]:
    where = f"{column} IN (SELECT value FROM json_each(?))"  # noqa: S608 - a name of ours
    statement = _ROWS.format(tables="planned LEFT JOIN outcome USING (row)", where=where)
    return _stored(db, statement, orjson.dumps(values).decode(), -1)


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


_REFUSED_FOR_NOW = "outcome WHERE state = ? AND coalesce(json_extract(detail, '$[3]'), '') <> ?"


def refused_for_now(db: sqlite3.Connection) -> int:
    """Return how many refused rows can be planned again: not those whose key an earlier row has."""
    statement = f"SELECT count(*) FROM {_REFUSED_FOR_NOW}"  # noqa: S608
    return int(db.execute(statement, [int(State.REFUSED), REPEATED_KEY]).fetchone()[0])


def plan_again(db: sqlite3.Connection) -> None:
    """Forget the refusals, so that these rows are planned; not of rows whose key an earlier row has."""
    db.execute(f"DELETE FROM {_REFUSED_FOR_NOW}", [int(State.REFUSED), REPEATED_KEY])  # noqa: S608


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
