"""Runs of a journal, and figures of their calls: the statements that read and write them."""

from __future__ import annotations

import getpass
import os
import socket
import sqlite3
from collections.abc import Mapping
from typing import Any

import attrs
import orjson

from wosdk_async.jobs.journal.entries import (
    JobRun,
    Sample,
    State,
    to_json,
    usable_number,
)
from wosdk_async.protocol.writes import UNDECIDED

__all__ = ["add_sample", "end_run", "insert_run", "last_with_rows", "runs", "samples"]

_MOST_SAMPLES = 2000

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


def last_with_rows(db: sqlite3.Connection) -> int | None:
    """Return the number of the last run that carried rows out; None when none did."""
    wanted = [int(each) for each in (State.DONE, *UNDECIDED)]
    found = db.execute("SELECT max(run) FROM outcome WHERE state IN (?, ?, ?)", wanted).fetchone()[0]
    return None if found is None else int(found)


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
