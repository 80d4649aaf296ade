"""What a check holds: rows that were built, the keys that it has seen, the states in an earlier job."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import attrs

from wosdk_async.jobs.check_result import Finding, FindingKind
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.journal.folder import plan_of
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.overview import Overview, jobs_at, overview
from wosdk_async.jobs.rows import Row
from wosdk_async.model import Record

__all__ = ["BuiltRow", "EarlierJob", "SeenKeys"]

_PAGE = 10_000  # rows of a journal that are read at a time


@attrs.frozen
class BuiltRow:
    """A row that could be sent, as far as it shows without its key being looked up."""

    row: Row
    record: Record
    key: str
    missing: list[Any]
    """Records that would be created before it."""

    def finding(self, kind: FindingKind, reason: str = "", ids: Sequence[int] = ()) -> Finding:
        """Return what would become of the row."""
        warnings = tuple(dict.fromkeys(self.row.warnings))
        return Finding(self.row.number, self.row.line, kind, reason, self.key, tuple(ids), warnings)


class SeenKeys:
    """The keys of the rows so far, each with its first row; in a nameless file once they are many."""

    def __init__(self) -> None:
        # SQLite removes a database without a name when it is closed, and when the process is killed.
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("CREATE TABLE seen (key TEXT PRIMARY KEY, row, line) WITHOUT ROWID")
        self._db.execute("BEGIN")

    def first_with(self, key: str, row: int, line: int) -> tuple[int, int]:
        """Return row and line of the first row with a key: this one if there was none."""
        if self._db.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", (key, row, line)).rowcount:
            return row, line
        found: tuple[int, int] = self._db.execute(
            "SELECT row, line FROM seen WHERE key = ?", (key,)
        ).fetchone()
        return found

    def close(self) -> None:
        """Remove the keys."""
        self._db.close()


@attrs.frozen
class EarlierJob:
    """A job of the same Company, operation and file as it stands: one byte for the state of each row."""

    overview: Overview
    is_unchanged: bool
    """Whether the file is as it was when the job began."""
    states: bytes = attrs.field(repr=False)

    @classmethod
    async def find(cls, base: Path, path: Path, company: str, operation: str) -> Self | None:
        """Return the job that an import would go on with, or None.

        Args:
            base: the job folder; those with numbers behind its name are looked at too.
            path: the file.
            company: text that tells the Company from others, as the journal keeps it.
            operation: what is done with each row.

        Raises:
            JournalError: a journal cannot be read.
        """
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        same_content: Path | None = None
        same_place: Path | None = None
        for folder in jobs_at(base):
            plan = plan_of(folder)
            if (plan.company, plan.operation) != (company, operation):
                continue
            if plan.sha256 == sha256:
                same_content = folder
            elif Path(plan.file) == path:
                same_place = folder
        found = same_content or same_place
        if found is None:
            return None
        async with Journal.open(found, snapshot=True) as journal:
            states = await _states(journal) if same_content else b""
            return cls(await overview(journal), same_content is not None, states)

    def state(self, row: int) -> State:
        """Return the state of a row; PLANNED if the job does not have it."""
        return State(self.states[row - 1]) if row <= len(self.states) else State.PLANNED


async def _states(journal: JournalReader) -> bytes:
    states = bytearray()
    for first in range(1, journal.plan.rows + 1, _PAGE):
        states += bytes(state for _, state, _, _ in await journal.page(first, first + _PAGE - 1))
    return bytes(states)
