"""Journals for tests: their plans, and ledgers that have rows already."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.journal import JobPlan, Journal
from wosdk_async.jobs.journal.store import JOURNAL


def a_plan(**changes: Any) -> JobPlan:
    known: dict[str, Any] = {
        "job": "abcd2345",
        "file": "/data/requests.csv",
        "size": 100,
        "sha256": "ab",
        "company": "acme",
        "operation": "WoCreateCommand",
        "map_sha256": "cd",
        "created_at": "2026-11-22T12:00:00+00:00",
    }
    return JobPlan(**known | changes)


def insert_rows(db: sqlite3.Connection, rows: int) -> None:
    """Give an empty ledger rows 1 to ``rows``, each with a key of its own, in the order of the file."""
    db.execute(
        """INSERT INTO planned (row, place, line, digest, sent, key, name, dismissed)
        WITH RECURSIVE numbers (row) AS (SELECT 1 UNION ALL SELECT row + 1 FROM numbers LIMIT ?)
        SELECT row, row, row + 1, row * 7919, row * 7919, 'K-' || row, NULL, 0 FROM numbers""",
        [rows],
    )


def a_journal(folder: Path, rows: int, plan: JobPlan | None = None, **options: Any) -> Journal:
    """Make a journal with so many rows; ``options`` are those of :meth:`Journal.create`."""
    journal = Journal.create(folder, attrs.evolve(plan or a_plan(), rows=rows), **options)
    with contextlib.closing(sqlite3.connect(folder / JOURNAL, isolation_level=None)) as db:
        insert_rows(db, rows)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # into the file itself, which tests damage
    return journal
