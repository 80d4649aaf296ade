"""Tables of a journal for a job on many workers, which are made when they are needed.

``lease`` has the grants, ``loss`` the rows that were lost with their workers, and ``fact`` the late reports
(those that came too late to count); ``fact_count`` says how many there were.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import Any

import attrs
import orjson

from wosdk_async.jobs.cluster.ledger import GrantRecord, Loss
from wosdk_async.jobs.cluster.messages import RowReport, from_bytes, to_bytes
from wosdk_async.jobs.journal.entries import MAX_NUMBER, MAX_REASON, storable
from wosdk_async.jobs.journal.undo_table import table_exists
from wosdk_async.safe_text import shortened

__all__ = [
    "GrantTotals",
    "LateReport",
    "OpenLease",
    "carry_leases_over",
    "end_lease",
    "grant_totals",
    "last_epoch",
    "late_reports",
    "losses",
    "open_leases",
    "save_grant",
    "save_late_report",
]

MOST_LATE_REPORTS = 100_000  # late reports that are kept; further ones are only counted
_OPEN, _ENDED, _LOST = 0, 1, 2  # states of a lease

_TABLES = (
    """CREATE TABLE IF NOT EXISTS lease (
        epoch INTEGER PRIMARY KEY, run INTEGER NOT NULL, worker TEXT NOT NULL, state INTEGER NOT NULL,
        count INTEGER NOT NULL, rows TEXT, rate REAL, in_flight INTEGER NOT NULL, granted_at REAL NOT NULL,
        seconds REAL NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS lease_open ON lease (epoch) WHERE state = 0",
    """CREATE TABLE IF NOT EXISTS loss (
        row INTEGER PRIMARY KEY, leases INTEGER NOT NULL, alone INTEGER NOT NULL
    )""",
    """CREATE TABLE IF NOT EXISTS fact (
        epoch INTEGER, worker TEXT, number INTEGER, stamp INTEGER NOT NULL, report TEXT NOT NULL,
        PRIMARY KEY (epoch, worker, number)
    ) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS fact_count (one INTEGER PRIMARY KEY, count INTEGER NOT NULL)",
)


@attrs.frozen
class OpenLease:
    """A grant whose end is not known: its worker may still send the rows."""

    epoch: int
    run: int
    worker: str
    rows: tuple[int, ...]
    seconds: float
    """Seconds from now after which surely nothing of it is sent any more."""


@attrs.frozen
class LateReport:
    """A report that came too late to count, and when by Unix time."""

    epoch: int
    worker: str
    report: RowReport
    at: float


@attrs.frozen(kw_only=True)
class GrantTotals:
    """What a job on many workers did in all its runs; all 0 for a job in one process."""

    leases: int = 0
    lost_leases: int = 0
    lost_rows: int = 0
    """Rows that were lost with a worker at least once; ``GrantCounts`` of a run counts each loss."""
    late_reports: int = 0


# --- written --------------------------------------------------------------------------------------


def _make_tables(db: sqlite3.Connection) -> None:
    for each in _TABLES:
        db.execute(each)


def save_grant(db: sqlite3.Connection, *, grant: GrantRecord) -> None:
    """Save a grant that is about to leave."""
    _make_tables(db)
    rows = orjson.dumps(grant.rows).decode()
    what = (grant.epoch, grant.run, grant.worker, _OPEN, len(grant.rows), rows)
    how = (grant.rate, grant.in_flight, grant.granted_at, grant.seconds)
    db.execute("REPLACE INTO lease VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", what + how)


def end_lease(db: sqlite3.Connection, *, epoch: int, lost: Sequence[int], alone: bool) -> None:
    """Save that a lease has ended, with the rows that were lost; a second time changes nothing."""
    if not table_exists(db, "lease"):
        return
    state = _LOST if lost else _ENDED
    ended = db.execute(
        "UPDATE lease SET state = ?, rows = NULL WHERE epoch = ? AND state = ?", (state, epoch, _OPEN)
    )
    if ended.rowcount:
        db.executemany(
            "INSERT INTO loss VALUES (?, 1, ?) "
            "ON CONFLICT (row) DO UPDATE SET leases = leases + 1, alone = max(alone, excluded.alone)",
            [(row, alone) for row in lost],
        )


def save_late_report(
    db: sqlite3.Connection, *, epoch: int, worker: str, report: RowReport, now: float
) -> None:
    """Save a late report; one that is there already changes nothing."""
    _make_tables(db)
    count = _late_count(db)
    if count < MOST_LATE_REPORTS:
        text = to_bytes(_bounded(report)).decode()
        key = (epoch, storable(worker), report.number)
        added = db.execute("INSERT OR IGNORE INTO fact VALUES (?, ?, ?, ?, ?)", (*key, int(now * 1000), text))
        if not added.rowcount:
            return
    db.execute("REPLACE INTO fact_count VALUES (1, ?)", [count + 1])


_LONGEST = dict.fromkeys(("entity", "record", "error", "code", "request_id"), MAX_NUMBER)
_LONGEST["reason"] = MAX_REASON


def _bounded(report: RowReport) -> RowReport:
    """Return a report whose texts are short: a worker may send any."""
    changes: dict[str, Any] = {
        name: shortened(storable(text), longest)
        for name, longest in _LONGEST.items()
        if (text := getattr(report, name))
    }
    return attrs.evolve(report, **changes)


def carry_leases_over(db: sqlite3.Connection) -> None:
    """Take over the open leases of the journal ``earlier``: their workers may still send rows.

    Without the rows, which have other numbers here, and with the highest epoch of all.
    """
    if not db.execute("SELECT 1 FROM earlier.sqlite_master WHERE name = 'lease'").fetchone():
        return
    _make_tables(db)
    db.execute(
        "INSERT INTO main.lease SELECT epoch, 0, worker, state, count, '[]', rate, in_flight, granted_at, "
        "seconds FROM earlier.lease WHERE state = ? OR epoch = (SELECT max(epoch) FROM earlier.lease)",
        [_OPEN],
    )


# --- read -----------------------------------------------------------------------------------------


def last_epoch(db: sqlite3.Connection) -> int:
    """Return the highest epoch, 0 without grants."""
    if not table_exists(db, "lease"):
        return 0
    return int(db.execute("SELECT coalesce(max(epoch), 0) FROM lease").fetchone()[0])


def open_leases(db: sqlite3.Connection) -> list[OpenLease]:
    """Return the leases whose end is not known, the oldest first."""
    if not table_exists(db, "lease"):
        return []
    found = db.execute("SELECT epoch, run, worker, rows, seconds FROM lease WHERE state = 0 ORDER BY epoch")
    return [
        OpenLease(epoch, run, worker, tuple(orjson.loads(rows)), seconds)
        for epoch, run, worker, rows, seconds in found.fetchall()
    ]


def losses(db: sqlite3.Connection, *, rows: Collection[int]) -> dict[int, Loss]:
    """Return what was lost before of these rows, without those that never were."""
    if not table_exists(db, "loss"):
        return {}
    found = db.execute(
        "SELECT row, leases, alone FROM loss WHERE row IN (SELECT value FROM json_each(?))",
        [orjson.dumps(list(rows)).decode()],
    )
    return {row: Loss(leases, bool(alone)) for row, leases, alone in found.fetchall()}


def late_reports(db: sqlite3.Connection, *, limit: int) -> list[LateReport]:
    """Return the first late reports, by their epochs."""
    if not table_exists(db, "fact"):
        return []
    found = db.execute("SELECT epoch, worker, report, stamp FROM fact LIMIT ?", [limit])
    return [
        LateReport(epoch, worker, from_bytes(report.encode(), RowReport), stamp / 1000)
        for epoch, worker, report, stamp in found.fetchall()
    ]


def grant_totals(db: sqlite3.Connection) -> GrantTotals:
    """Return how many leases and late reports there were."""
    if not table_exists(db, "fact_count"):  # made with all others
        return GrantTotals()
    leases, lost = db.execute("SELECT count(*), coalesce(sum(state = ?), 0) FROM lease", [_LOST]).fetchone()
    (rows,) = db.execute("SELECT count(*) FROM loss").fetchone()
    return GrantTotals(leases=leases, lost_leases=lost, lost_rows=rows, late_reports=_late_count(db))


def _late_count(db: sqlite3.Connection) -> int:
    found = db.execute("SELECT count FROM fact_count").fetchone()
    return int(found[0]) if found else 0
