"""Rows as a check builds them: with their keys, and why they would be refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import attrs

from wosdk_async.jobs.building import RowBuilder
from wosdk_async.jobs.check_result import Finding, FindingKind
from wosdk_async.jobs.errors import (
    AmbiguousNameError,
    MissingRecordError,
    RowError,
    reason_of,
    require_sendable,
)
from wosdk_async.jobs.journal.creation import repeated_key
from wosdk_async.jobs.needed_fields import lacking
from wosdk_async.jobs.replaced_fields import ReplacedFields
from wosdk_async.jobs.rows import Row
from wosdk_async.model import Record

__all__ = ["BuiltRow", "CheckedRows", "SeenKeys", "kind_of"]


@attrs.frozen
class BuiltRow:
    """A row that could be sent, as far as it shows without its key being looked up."""

    row: Row
    record: Record
    key: str
    missing: list[Any]
    """Records that would be created before it."""
    lacks: tuple[str, ...] = ()
    """Fields without a value that the service requires, each with what to do."""
    caution: str | None = None
    """What would surprise people about the record, although the service takes it."""
    again: bool = False
    """Whether the row failed in the job before."""

    def finding(self, kind: FindingKind, reason: str = "", ids: Sequence[int] = ()) -> Finding:
        """Return what would become of the row."""
        warnings = tuple(dict.fromkeys(self.row.warnings))
        again = self.again and kind == "would_send"
        place = self.row.number, self.row.line
        return Finding(
            *place,
            kind,
            reason,
            self.key,
            tuple(ids),
            warnings,
            lacks=self.lacks,
            caution=self.caution,
            again=again,
        )


class SeenKeys:
    """The keys of the rows so far, each with its first row; in a nameless file once they are many."""

    def __init__(self) -> None:
        # SQLite removes a database without a name when it is closed, and when the process is killed.
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("CREATE TABLE seen (key TEXT PRIMARY KEY, row, line, digest) WITHOUT ROWID")
        self._db.execute("BEGIN")

    def first_with(self, key: str, row: Row) -> tuple[int, int, int]:
        """Return row, line and digest of the first row with a key: of this one if there was none."""
        own = row.number, row.line, row.digest
        if self._db.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?)", (key, *own)).rowcount:
            return own
        found: tuple[int, int, int] = self._db.execute(
            "SELECT row, line, digest FROM seen WHERE key = ?", (key,)
        ).fetchone()
        return found

    def close(self) -> None:
        """Remove the keys."""
        self._db.close()


@attrs.frozen
class CheckedRows:
    """Rows of a check, built as an import builds them."""

    builder: RowBuilder
    seen: SeenKeys
    replaced: ReplacedFields

    def build(self, row: Row) -> BuiltRow | Finding:
        """Return what a row becomes, its key and what is created before it; or why it is refused."""
        keys, key = self.builder.keys, ""
        try:
            if keys is not None and row.fault is None:
                key = keys.key(row)
                if keys.are_own:
                    self._require_first(row, key)
            record, missing = self.builder.build(row)
            require_sendable(record, new=self.builder.import_map.action.new)
            if keys is not None:
                keys.put(record, key)
            lacks = tuple(lacking(record, self.builder.import_map))
            return BuiltRow(row, record, key, missing, lacks, self.replaced.in_row(row.cells))
        except Exception as error:  # of one row: the import refuses it, too
            faults = tuple((kind_of(each), each.message) for each in getattr(error, "faults", ()))
            return Finding(row.number, row.line, kind_of(error), reason_of(error), key, faults=faults)

    def _require_first(self, row: Row, key: str) -> None:
        """Raise RowError when an earlier row has the key, a bad one too."""
        number, line, digest = self.seen.first_with(key, row)
        if number != row.number:
            raise RowError(repeated_key(key, number, line, digest == row.digest))


def kind_of(error: Exception) -> FindingKind:
    """Return what an error of a row says of it."""
    if isinstance(error, AmbiguousNameError):
        return "ambiguous"
    return "missing" if isinstance(error, MissingRecordError) else "refused"
