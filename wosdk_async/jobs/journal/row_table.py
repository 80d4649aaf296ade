"""SQL statements for a journal's rows and references."""

from __future__ import annotations

import functools
import operator
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import attrs
import msgspec
import orjson

from wosdk_async.jobs.journal.entries import (
    REPEATED_KEY,
    PageRow,
    ReferenceRecord,
    RowRecord,
    StoredRow,
    storable,
    to_json,
    usable_number,
)
from wosdk_async.protocol.writes import State

_STATES = tuple(State)  # by number

# SQLite releases the GIL in every step, and getting it back from a busy event loop takes milliseconds. Rows
# are therefore saved in one statement, and a page is read as one JSON string.
MAX_AT_ONCE = 100  # rows of up to nine variables each, as older SQLite allows 999 in a statement


def save_rows(db: sqlite3.Connection, rows: Sequence[int | RowRecord], stamp: int, run: int) -> None:
    """Save outcomes, and mark rows given by number as SENDING in a run."""
    values: list[object] = [run, stamp]
    for each in rows:
        if isinstance(each, int):
            values += (each, 1, None)
        else:
            values += (each.row, int(each.state), to_json(_detail_values(each)))
    if rows:
        db.execute(_save_rows_statement(len(rows)), values)


@functools.cache
def _save_rows_statement(rows: int) -> str:
    # A row belongs to the run that sent it, even if a later run determines the outcome.
    values = ", ".join(f"(?{at}, ?1, ?{at + 1}, ?2, ?{at + 2})" for at in range(3, 3 * rows + 3, 3))
    return f"""INSERT INTO outcome (row, run, state, stamp, detail) VALUES {values}
        ON CONFLICT (row) DO UPDATE SET run = iif(excluded.state = 1, excluded.run, run),
        state = excluded.state, stamp = excluded.stamp, detail = excluded.detail"""


_FIELDS = msgspec.structs.fields(RowRecord)[2:]  # row and state have columns of their own
_DETAILS = tuple(field.name for field in _FIELDS)
_UNKNOWN = tuple(field.default for field in _FIELDS)
"""Defaults for rows without an outcome, and for fields missing from older journals."""
_WARNINGS = _DETAILS.index("warnings")
_NUMBERS = tuple(at for at, field in enumerate(_FIELDS) if field.type is float)

_detail_values = operator.attrgetter(*_DETAILS)


def _complete(details: list[Any] | None) -> Sequence[Any]:
    if not details:
        return _UNKNOWN
    if len(details) != len(_UNKNOWN):  # written by an older or newer version
        details = [*details, *_UNKNOWN[len(details) :]][: len(_UNKNOWN)]
    details[_WARNINGS] = tuple(details[_WARNINGS] or ())
    for at in _NUMBERS:
        details[at] = usable_number(details[at])
    return details


_PAGE = """SELECT json_group_array(json_array(place, row, state, digest, tried, key)) FROM (
    SELECT place, row, coalesce(state, 0) AS state, digest, state IS NOT NULL AS tried, key
    FROM planned LEFT JOIN outcome USING (row) WHERE place BETWEEN ? AND ? ORDER BY place)"""


def page(db: sqlite3.Connection, first: int, last: int) -> list[PageRow]:
    """Return the rows from place ``first`` to ``last`` of the file."""
    rows: list[PageRow] = orjson.loads(db.execute(_PAGE, (first, last)).fetchone()[0])
    return rows


_ALL = "planned LEFT JOIN outcome USING (row)"
_MAP = "SELECT json_extract(details, '$.map') FROM run"
_ROWS = f"""SELECT json_group_array(
    json_array(row, state, json(detail), line, digest, key, place, changed)) FROM (
    SELECT row, coalesce(state, 0) AS state, detail, line, digest, key, place, sent <> digest
        OR state IN ({State.SENDING}, {State.IN_DOUBT})
        AND ({_MAP} WHERE number = run) <> ({_MAP} ORDER BY number DESC LIMIT 1) AS changed
    FROM {{tables}} WHERE {{where}} LIMIT ?)"""


def rows_in(
    db: sqlite3.Connection, *states: State, after: int = 0, limit: int = 1000, run: int | None = None
) -> list[StoredRow]:
    """Return the first rows after row ``after``, in the given states and ``run`` (default: any).

    The result includes rows missing from the file.
    """
    # Rows without an outcome are PLANNED; other states need no outer join.
    planned = not states or State.PLANNED in states
    tables = _ALL if planned else "outcome JOIN planned USING (row)"
    where = f"{'planned' if planned else 'outcome'}.row > ? AND {_among(states)}"
    sent = "" if run is None else f" AND run = {int(run)}"
    return _stored(db, f"{where}{sent} ORDER BY row", after, limit, tables=tables)


def file_rows(db: sqlite3.Connection, *states: State, after: int = 0, limit: int = 1000) -> list[StoredRow]:
    """Return the file's first rows in the given states after place ``after``."""
    return _stored(db, f"place > ? AND {_among(states)} ORDER BY place", after, limit)


def gone_rows(db: sqlite3.Connection, *states: State, limit: int = 1000) -> list[StoredRow]:
    """Return the first rows in the given states that are missing from the file."""
    return _stored(db, f"place IS NULL AND {_among(states)} ORDER BY row", limit)


def _among(states: Sequence[State]) -> str:
    return f"coalesce(state, 0) IN ({', '.join(map(str, states or State))})"


def rows_numbered(db: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, StoredRow]:
    """Return the rows with these numbers."""
    where = "planned.row IN (SELECT value FROM json_each(?))"
    return {row.row: row for row in _stored(db, where, orjson.dumps(list(numbers)).decode(), -1)}


def _stored(db: sqlite3.Connection, where: str, *values: object, tables: str = _ALL) -> list[StoredRow]:
    found = orjson.loads(db.execute(_ROWS.format(tables=tables, where=where), values).fetchone()[0])
    return [
        StoredRow(*[row, _STATES[state], *_complete(detail), *facts, changed == 1])  # faster than keywords
        for row, state, detail, *facts, changed in found
    ]


def named_keys(
    db: sqlite3.Connection, numbers: Sequence[int], identity_of: Callable[[str], bytes]
) -> dict[int, str]:
    """Return a dict from row number to name for the rows whose name is a key, even a repeated one."""
    named = "SELECT row, name FROM planned WHERE name IS NOT NULL AND row IN (SELECT value FROM json_each(?))"
    identified = """SELECT 1 FROM identity WHERE identity = ?1 AND (row = ?2 OR EXISTS (
        SELECT 1 FROM outcome WHERE row = ?2 AND json_extract(detail, '$[3]') = ?3))"""
    return {
        row: name
        for row, name in db.execute(named, [orjson.dumps(numbers).decode()]).fetchall()
        if db.execute(identified, (identity_of(name), row, REPEATED_KEY)).fetchone() is not None
    }


def names_of(db: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, str]:
    """Return the keys of rows or, without a key, their first cells."""
    query = "SELECT row, coalesce(key, name) FROM planned WHERE row IN (SELECT value FROM json_each(?))"
    return {row: name for row, name in db.execute(query, [orjson.dumps(numbers).decode()]) if name}


def plan_as_in_file(db: sqlite3.Connection, *, rows: Sequence[int]) -> None:
    """Store the rows' current cells as the cells to send, so that the rows no longer count as changed."""
    db.execute(
        "UPDATE planned SET sent = digest WHERE sent <> digest AND row IN (SELECT value FROM json_each(?))",
        [orjson.dumps(rows).decode()],
    )


def mark_as_sent(db: sqlite3.Connection, *, row: int, run: int) -> None:
    """Mark a row as sent by a run, with the run's map and the row's current cells."""
    plan_as_in_file(db, rows=[row])
    db.execute("UPDATE outcome SET run = ? WHERE row = ?", [run, row])


def count_changed(db: sqlite3.Connection) -> tuple[int, int | None]:
    """Count the file's done rows with changed cells, except undone rows, and return the line of the first."""
    found = db.execute(
        """SELECT count(*), min(line) FROM planned JOIN outcome USING (row) LEFT JOIN undo USING (row)
        WHERE place IS NOT NULL AND sent <> digest AND outcome.state IN (?, ?) AND undo.state IS NOT ?""",
        [State.DONE, State.FOUND, State.DONE],
    )
    count, line = found.fetchone()
    return count, line


def count_found_ended(db: sqlite3.Connection) -> tuple[int, int | None]:
    """Count the file's FOUND rows with a cancelled or removed record; also return the line of the first."""
    found = db.execute(
        """SELECT count(*), min(line) FROM outcome JOIN planned USING (row)
        WHERE place IS NOT NULL AND state = ? AND json_extract(detail, ?) IS NOT NULL""",
        [State.FOUND, f"$[{_DETAILS.index('reason')}]"],
    )
    count, line = found.fetchone()
    return count, line


def counts(db: sqlite3.Connection, *, gone: bool = False) -> dict[State, int]:
    """Count the rows in the file or, with ``gone``, the rows missing from the file, by state."""
    where = "place IS NULL" if gone else "place IS NOT NULL"
    found = db.execute(f"SELECT coalesce(state, 0) AS state, count(*) FROM {_ALL} WHERE {where} GROUP BY 1")
    return dict.fromkeys(State, 0) | {_STATES[state]: count for state, count in found}


def count_unsent_elsewhere(db: sqlite3.Connection) -> tuple[int, int]:
    """Count unsent rows missing from the last file.

    Return two counts: rows in the original file of the rejects, and rows found only in earlier files.
    """
    found = db.execute(
        f"""SELECT coalesce(sum(away = 0), 0), coalesce(sum(away > 0), 0) FROM {_ALL}
        WHERE place IS NULL AND coalesce(state, 0) = {State.PLANNED}"""
    )
    original, earlier = found.fetchone()
    return original, earlier


def save_reference(db: sqlite3.Connection, *, record: ReferenceRecord) -> None:
    """Save a reference with its outcome and undo state."""
    names = (storable(text) for text in (record.reference, record.name, record.key))
    db.execute(
        "REPLACE INTO reference VALUES (?, ?, ?, ?, (SELECT stamp FROM change), ?)",
        (*names, record.state, to_json(attrs.astuple(record)[4:])),
    )


_OF_REFERENCES = len(attrs.fields(ReferenceRecord)) - 4  # newer versions may store more


def references(db: sqlite3.Connection) -> list[ReferenceRecord]:
    """Return all references that a run began to create, oldest change first."""
    found = db.execute(
        "SELECT reference, name, key, state, detail FROM reference ORDER BY stamp, reference, name"
    )
    return [
        ReferenceRecord(reference, name, key, _STATES[state], *orjson.loads(detail or "[]")[:_OF_REFERENCES])
        for reference, name, key, state, detail in found.fetchall()
    ]
