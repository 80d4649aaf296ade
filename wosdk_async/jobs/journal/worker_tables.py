"""SQL statements for jobs with workers: grants, lost rows, and the audit."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import attrs
import orjson

from wosdk_async.protocol.writes import State

Finding = Literal["missing", "twice", "unexpected", "another"]
"""Audit finding for a row; see :class:`AuditResult`."""

AuditState = Literal["none", "due", "impossible", "clean", "not clean"]
"""A job's audit state: ``none`` without workers; ``impossible`` if rows create no records, or create records
that cannot be found by a key."""

FINDINGS: tuple[Finding, ...] = ("missing", "twice", "unexpected", "another")
"""All findings. The journal stores indexes into this tuple, so only append to it."""


@attrs.frozen(kw_only=True)
class AuditResult:
    """Row counts by audit finding. The counts add up to the number of rows in the last file.

    Args:
        at: Unix time of the audit.
        once: done rows with one record, and found rows with at least one.
        missing: done or found rows without a record.
        twice: rows with several records.
        unexpected: rows that have a record, although they failed or were not sent.
        another: done rows whose record has a different id from the journal's.
        undecided: rows in doubt without a record.
        not_made: rows that failed or were not sent, and have no record; earlier records do not count.
    """

    at: float = 0.0
    once: int = 0
    missing: int = 0
    twice: int = 0
    unexpected: int = 0
    another: int = 0
    undecided: int = 0
    not_made: int = 0

    @property
    def clean(self) -> bool:
        """Whether the Company matches the journal."""
        return not any(getattr(self, name) for name in FINDINGS)

    def __str__(self) -> str:
        names = (*FINDINGS, "undecided", "not_made")
        others = (f"{n} {name.replace('_', ' ')}" for name in names if (n := getattr(self, name)))
        return ", ".join([f"{self.once} once", *others])


@attrs.frozen
class AuditRow:
    """Row for which the Company does not match the journal."""

    row: int
    finding: Finding
    ids: tuple[int, ...] = ()
    """Ids of the records with the row's key."""
    line: int = 0
    key: str | None = None
    state: State = State.PLANNED


def audit_facts(state: AuditState, result: AuditResult | None, why: str | None = None) -> dict[str, Any]:
    """Return an audit's state and result as plain data, with the reason ``why`` if no audit is possible."""
    reason = {"why": why} if state == "impossible" and why else {}
    return {"state": state, **reason, **(attrs.asdict(result) if result is not None else {})}


def save_audit(db: sqlite3.Connection, *, result: AuditResult, rows: Iterable[AuditRow]) -> None:
    """Save an audit, replacing the previous one."""
    forget_audit(db)
    db.execute("INSERT INTO audit_result VALUES (1, ?)", [orjson.dumps(attrs.asdict(result)).decode()])
    db.executemany(
        "INSERT INTO audit VALUES (?, ?, ?)",
        [(each.row, FINDINGS.index(each.finding), orjson.dumps(each.ids).decode()) for each in rows],
    )


def forget_audit(db: sqlite3.Connection) -> None:
    """Delete the last audit. Called before more rows are sent."""
    db.execute("DELETE FROM audit")
    db.execute("DELETE FROM audit_result")


def audit_result(db: sqlite3.Connection) -> AuditResult | None:
    """Return the last audit's result; None without an audit."""
    found = db.execute("SELECT counts FROM audit_result").fetchone()
    return None if found is None else AuditResult(**orjson.loads(found[0]))


def audit_page(db: sqlite3.Connection, after: int = 0, limit: int = 1000) -> list[AuditRow]:
    """Return the first rows after row ``after`` in the last audit's list."""
    found = db.execute(
        "SELECT row, finding, ids, line, key, coalesce(state, 0) FROM audit JOIN planned USING (row) "
        "LEFT JOIN outcome USING (row) WHERE row > ? ORDER BY row LIMIT ?",
        (after, limit),
    )
    return [
        AuditRow(row, FINDINGS[finding], tuple(orjson.loads(ids)), line, key, State(state))
        for row, finding, ids, line, key, state in found.fetchall()
    ]


_OPEN, _ENDED, _LOST = 0, 1, 2  # states of a lease


@attrs.frozen(kw_only=True)
class GrantRecord:
    """A grant of rows, written before it is sent to a worker. Epochs increase over all runs of a job.

    ``seconds`` is the length of the lease, after which the worker sends nothing more.
    """

    epoch: int
    worker: str
    rows: tuple[int, ...]
    rate: float | None
    in_flight: int
    seconds: float


@attrs.frozen(kw_only=True)
class GrantTotals:
    """Grant totals over all runs of a job with workers; a row counts once, even if lost several times."""

    leases: int = 0
    lost_leases: int = 0
    lost_rows: int = 0


def save_grant(db: sqlite3.Connection, *, grant: GrantRecord, run: int) -> None:
    """Save a grant before it is sent to a worker."""
    lease = (grant.epoch, run, grant.worker, _OPEN, orjson.dumps(grant.rows).decode())
    limits = (grant.rate, grant.in_flight, grant.seconds)
    db.execute("INSERT INTO lease VALUES (?, ?, ?, ?, ?, ?, ?, ?)", lease + limits)


def end_lease(db: sqlite3.Connection, *, epoch: int, lost: Sequence[int]) -> None:
    """Record a lease's end and its lost rows; idempotent."""
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
    """Return the highest epoch; 0 without grants."""
    return int(db.execute("SELECT coalesce(max(epoch), 0) FROM lease").fetchone()[0])


def open_leases(db: sqlite3.Connection) -> dict[int, float]:
    """Return the epoch and the length in seconds of each lease without a known end."""
    return dict(db.execute("SELECT epoch, seconds FROM lease WHERE state = 0 ORDER BY epoch").fetchall())


def losses(db: sqlite3.Connection) -> dict[int, int]:
    """Return the number of lost leases of each row, omitting zeros."""
    return dict(db.execute("SELECT row, leases FROM loss").fetchall())


def grant_totals(db: sqlite3.Connection) -> GrantTotals:
    """Count leases and lost rows."""
    leases, lost = db.execute("SELECT count(*), coalesce(sum(state = ?), 0) FROM lease", [_LOST]).fetchone()
    (rows,) = db.execute("SELECT count(*) FROM loss").fetchone()
    return GrantTotals(leases=leases, lost_leases=lost, lost_rows=rows)
