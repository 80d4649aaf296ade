"""Tables of grants, and of rows that were lost with their workers; made when they are needed."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import attrs
import orjson

from wosdk_async.jobs.journal.undo_table import table_exists

__all__ = ["GrantRecord", "GrantTotals", "OpenLease", "end_lease", "grant_totals"]
__all__ += ["last_epoch", "losses", "open_leases", "save_grant"]

_OPEN, _ENDED, _LOST = 0, 1, 2  # states of a lease

_TABLES = (
    """CREATE TABLE IF NOT EXISTS lease (
        epoch INTEGER PRIMARY KEY, run INTEGER NOT NULL, worker TEXT NOT NULL, state INTEGER NOT NULL,
        rows TEXT, rate REAL, in_flight INTEGER NOT NULL, seconds REAL NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS lease_open ON lease (epoch) WHERE state = 0",
    "CREATE TABLE IF NOT EXISTS loss (row INTEGER PRIMARY KEY, leases INTEGER NOT NULL)",
)


@attrs.frozen(kw_only=True)
class GrantRecord:
    """A grant, as it is written before it may be sent; epochs rise over all runs of a job.

    ``seconds`` after now nothing is sent under it.
    """

    epoch: int
    worker: str
    rows: tuple[int, ...]
    rate: float | None
    in_flight: int
    seconds: float


@attrs.frozen
class OpenLease:
    """A grant whose end is not known: its worker may still send the rows for ``seconds`` from now."""

    epoch: int
    run: int
    worker: str
    seconds: float


@attrs.frozen(kw_only=True)
class GrantTotals:
    """What a job on many workers did in all its runs; a row that was lost counts once."""

    leases: int = 0
    lost_leases: int = 0
    lost_rows: int = 0


def save_grant(db: sqlite3.Connection, *, grant: GrantRecord, run: int) -> None:
    """Save a grant that is about to leave."""
    for each in _TABLES:
        db.execute(each)
    what = (grant.epoch, run, grant.worker, _OPEN, orjson.dumps(grant.rows).decode())
    how = (grant.rate, grant.in_flight, grant.seconds)
    db.execute("INSERT INTO lease VALUES (?, ?, ?, ?, ?, ?, ?, ?)", what + how)


def end_lease(db: sqlite3.Connection, *, epoch: int, lost: Sequence[int]) -> None:
    """Save that a lease has ended, with the rows that were lost; a second time changes nothing."""
    if not table_exists(db, "lease"):
        return
    state = _LOST if lost else _ENDED
    ended = db.execute(
        "UPDATE lease SET state = ?, rows = NULL WHERE epoch = ? AND state = ?", (state, epoch, _OPEN)
    )
    if ended.rowcount:
        db.executemany(
            "INSERT INTO loss VALUES (?, 1) ON CONFLICT (row) DO UPDATE SET leases = leases + 1",
            [(row,) for row in lost],
        )


def last_epoch(db: sqlite3.Connection) -> int:
    """Return the highest epoch, 0 without grants."""
    return max((epoch for (epoch,) in _found(db, "SELECT max(epoch) FROM lease")), default=0)


def open_leases(db: sqlite3.Connection) -> list[OpenLease]:
    """Return the leases whose end is not known, the oldest first."""
    query = "SELECT epoch, run, worker, seconds FROM lease WHERE state = 0 ORDER BY epoch"
    return [OpenLease(*each) for each in _found(db, query)]


def losses(db: sqlite3.Connection) -> dict[int, int]:
    """Return in how many lost leases each row was, without those that were in none."""
    return dict(_found(db, "SELECT row, leases FROM loss"))


def _found(db: sqlite3.Connection, query: str) -> list[Any]:
    """Return the rows of a query; none before the first grant."""
    return db.execute(query).fetchall() if table_exists(db, "lease") else []


def grant_totals(db: sqlite3.Connection) -> GrantTotals:
    """Return how many leases and lost rows there were."""
    if not table_exists(db, "loss"):  # made with the other
        return GrantTotals()
    leases, lost = db.execute("SELECT count(*), coalesce(sum(state = ?), 0) FROM lease", [_LOST]).fetchone()
    (rows,) = db.execute("SELECT count(*) FROM loss").fetchone()
    return GrantTotals(leases=leases, lost_leases=lost, lost_rows=rows)
