"""Ledgers as the judge reads them, directly from their tables."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.journal import State
from wosdk_async.jobs.journal.folder import numbered_jobs

_ROWS = """SELECT planned.row, place, coalesce(outcome.state, 0), json_extract(outcome.detail, '$[0]'),
    undo.state, coalesce(json_extract(outcome.detail, '$[2]'), ''),
    coalesce(json_extract(outcome.detail, '$[3]'), ''), coalesce(planned.name, planned.key, ''),
    coalesce(json_extract(outcome.detail, '$[9]'), '')
FROM planned LEFT JOIN outcome ON outcome.row = planned.row LEFT JOIN undo ON undo.row = planned.row
ORDER BY planned.row"""


@attrs.frozen
class LedgerRow:
    row: int
    place: int | None
    state: State
    id: int | None
    undo: State | None
    reason: str
    code: str
    name: str
    """Key of the row, or the start of its cells."""
    proof: str

    @property
    def undone(self) -> bool:
        return self.undo is State.DONE


def ledger_rows(folder: Path) -> list[LedgerRow]:
    with _opened(folder) as db:
        return [
            LedgerRow(row, place, State(state), id, None if undo is None else State(undo), *texts)
            for row, place, state, id, undo, *texts in db.execute(_ROWS)
        ]


def plan_in(folder: Path) -> dict[str, Any]:
    with _opened(folder) as db:
        found: dict[str, Any] = json.loads(db.execute("SELECT data FROM plan").fetchone()[0])
        return found


def ledgers_of(base: Path) -> list[Path]:
    """Return the folders of a file's ledgers, oldest first.

    A ledger that begins again counts only if it has rows: if its process was killed before that, the old
    ledger is used.
    """
    return [each for each in numbered_jobs(base) if plan_in(each)["after"] is None or ledger_rows(each)]


def _opened(folder: Path) -> contextlib.closing[sqlite3.Connection]:
    return contextlib.closing(sqlite3.connect(folder / "journal.db"))
