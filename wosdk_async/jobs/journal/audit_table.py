"""Tables of a journal for its audit, which are made when they are needed.

``audit`` has the rows of which the Company does not have what the journal says; ``audit_result`` has the
counts of the last audit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any, Literal

import attrs
import orjson

from wosdk_async.jobs.journal.entries import State
from wosdk_async.jobs.journal.undo_table import table_exists

__all__ = [
    "FINDINGS",
    "TABLES",
    "AuditResult",
    "AuditRow",
    "AuditState",
    "Finding",
    "audit_facts",
    "audit_page",
    "audit_result",
    "forget_audit",
    "save_audit",
]

Finding = Literal["missing", "twice", "unexpected", "another"]
"""What an audit says of a row: see :class:`AuditResult`."""

AuditState = Literal["none", "due", "impossible", "clean", "not clean"]
"""How it stands with the audit of a job: a job in one process needs ``none``; it is ``impossible`` for rows
that make no records, or whose records cannot be found by a key."""

FINDINGS: tuple[Finding, ...] = ("missing", "twice", "unexpected", "another")
"""All findings; the table has their places in here, so a further one comes last."""


TABLES = (
    "CREATE TABLE IF NOT EXISTS audit (row INTEGER PRIMARY KEY, finding INTEGER NOT NULL, ids TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS audit_result (one INTEGER PRIMARY KEY, counts TEXT NOT NULL)",
)


@attrs.frozen(kw_only=True)
class AuditResult:
    """Records that the Company has for the rows of a job, looked up by their keys.

    Args:
        at: Unix time of the audit.
        once: rows that were carried out, and have one record.
        missing: rows that were carried out, and have no record.
        twice: rows that have several records.
        unexpected: rows that failed or were not sent, and have a record.
        another: rows that were carried out, and whose one record has another id than the journal says.
        undecided: rows in doubt without a record; they are counted among the rows in doubt, too.
        not_made: rows that failed or were not sent, and for which the job made no record. With them the
            counts add up to the rows of the job; an audit of an earlier version does not have them.
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
        """Whether the Company has what the journal says."""
        return not any(getattr(self, name) for name in FINDINGS)

    def __str__(self) -> str:
        """Return the counts for people."""
        names = (*FINDINGS, "undecided", "not_made")
        others = (f"{n} {name.replace('_', ' ')}" for name in names if (n := getattr(self, name)))
        return ", ".join([f"{self.once} once", *others])


@attrs.frozen
class AuditRow:
    """A row of which the Company does not have what the journal says."""

    row: int
    finding: Finding
    ids: tuple[int, ...] = ()
    """Ids of the records with its key."""
    line: int = 0
    key: str | None = None
    state: State = State.PLANNED


def audit_facts(state: AuditState, result: AuditResult | None, why: str | None = None) -> dict[str, Any]:
    """Return the state of an audit, what it found, and ``why`` there can be none, as plain data."""
    reason = {"why": why} if state == "impossible" and why else {}
    return {"state": state, **reason, **(attrs.asdict(result) if result is not None else {})}


def save_audit(db: sqlite3.Connection, *, result: AuditResult, rows: Iterable[AuditRow]) -> None:
    """Save an audit in the place of the one before."""
    db.execute("DROP TABLE IF EXISTS audit")
    for each in TABLES:
        db.execute(each)
    db.execute("REPLACE INTO audit_result VALUES (1, ?)", [orjson.dumps(attrs.asdict(result)).decode()])
    db.executemany(
        "INSERT INTO audit VALUES (?, ?, ?)",
        [(each.row, FINDINGS.index(each.finding), orjson.dumps(each.ids).decode()) for each in rows],
    )


def forget_audit(db: sqlite3.Connection) -> None:
    """Forget the last audit: rows are sent again."""
    db.execute("DROP TABLE IF EXISTS audit")
    db.execute("DROP TABLE IF EXISTS audit_result")


def audit_result(db: sqlite3.Connection) -> AuditResult | None:
    """Return what the last audit found; None when there was none."""
    if not table_exists(db, "audit_result"):
        return None
    counts = orjson.loads(db.execute("SELECT counts FROM audit_result").fetchone()[0])
    known = attrs.fields_dict(AuditResult)
    return AuditResult(**{name: value for name, value in counts.items() if name in known})


def audit_page(db: sqlite3.Connection, *, after: int, limit: int) -> list[AuditRow]:
    """Return the first rows behind ``after`` that the last audit lists."""
    if not table_exists(db, "audit"):
        return []
    found = db.execute(
        "SELECT row, finding, ids, line, key, coalesce(state, 0) FROM audit JOIN planned USING (row) "
        "LEFT JOIN outcome USING (row) WHERE row > ? ORDER BY row LIMIT ?",
        (after, limit),
    )
    return [
        AuditRow(row, FINDINGS[finding], tuple(orjson.loads(ids)), line, key, State(state))
        for row, finding, ids, line, key, state in found.fetchall()
    ]
