"""Types for the decision about an import: row standings and actions, facts, and results."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Literal

import attrs

from wosdk_async.text.remedies import Remedy


class Standing(IntEnum):
    """Standing of a file's row in the ledger. SQL statements use the values."""

    NEW = 0
    PLANNED = 1
    SENDING = 2
    """A run was killed while sending the row."""
    IN_DOUBT = 3
    DONE = 4
    DONE_CHANGED = 5
    """Done or found, but the cells (or, for updates, the map) have changed since."""
    REFUSED_HERE = 6
    """Refused before sending, for example because a name has no record."""
    REFUSED = 7
    """Refused by the service, with these cells and this map."""
    REFUSED_CHANGED = 8
    """Refused by the service; the cells or the map have changed since."""
    UNDONE = 9
    REPEATED = 10
    """Another row has the same key."""


class Action(StrEnum):
    """The import's action for a row of the file."""

    SEND = "send"
    LOOK_UP = "look up"
    """Look up the row's record, and send the row if the record is confirmed absent."""
    LEAVE = "leave"
    """Leave the row in doubt, because it cannot be looked up."""
    SKIP = "skip"
    KEEP = "keep"
    """Leave the row refused, and report it again."""
    REFUSE = "refuse"


Why = Literal[
    "rejects",
    "other_company",
    "other_operation",
    "superseded",
    "unfinished",
    "sent_elsewhere",
    "key_changed",
    "columns_changed",
    "edited_or_new",
    "key_disguised",
]

RejectsProblem = Literal[
    "missing_job",
    "mixed_jobs",
    "missing_row",
    "row_twice",
    "unknown_row",
    "other_row",
    "no_ledger",
    "other_job",
    "again",
    "replaced",
    "job_file",
]
"""Problem with a rejects file, such as ``no_ledger`` if its ledger was not found, or ``other_job`` if the
named folder has a different job."""


@attrs.frozen
class RowSample:
    """A row to show in a message."""

    line: int
    name: str
    """The row's key, or the beginning of its cells."""


FIRST = 3  # rows or resembling keys to show
Resembling = tuple[int, tuple[tuple[RowSample, RowSample], ...]]
"""Number of rows that resemble a sent row missing from the file, and the first pairs (row, missing row)."""


@attrs.frozen(kw_only=True)
class Elsewhere:
    """Rows that another job sent, may have sent or is sending. Look-ups cannot find their records."""

    folder: Path
    rows: int
    others: int = 0
    """Number of other jobs that sent some of the rows."""
    lines: tuple[int, ...] = ()
    """Lines of the rows, at most 10,000."""
    takes_file: bool = True
    """Whether the job can import the file: it sent all of these rows, with the file's key or without keys."""
    renamed: bool = False
    """Whether the job's last file no longer exists, so this file may be that file with another name."""
    missing: int = 0
    """If the file or the job has no keys: number of rows that the job may have sent and the file lacks."""
    running: bool = False
    """Whether the other job is running, and may still have to send some of these rows."""
    in_doubt: bool = False
    changed: int = 0
    """Number of these rows whose cells differ from the cells sent with the same keys."""
    resembling: tuple[tuple[RowSample, RowSample], ...] = ()
    """The first few pairs (row, sent row) whose keys resemble each other but are not equal."""


@attrs.frozen(kw_only=True)
class LedgerFacts:
    """Facts about the ledger, and about rows missing from the file."""

    folder: Path
    company: str
    operation: str
    counts: Mapping[Standing, int] = attrs.field(factory=dict)
    """Rows by standing; only PLANNED, SENDING, IN_DOUBT and DONE are used."""
    gone: Mapping[Standing, int] = attrs.field(factory=dict)
    """Rows missing from the file, by standing."""
    gone_unexplained: int = 0
    """Rows in ``gone`` that may be in the Company and were not declared permanently gone."""
    first_gone: RowSample | None = None
    """The first row counted in ``gone_unexplained``."""
    columns: frozenset[str] = frozenset()
    """Non-empty columns of the last file."""
    header: frozenset[str] = attrs.field(default=attrs.Factory(lambda self: self.columns, takes_self=True))
    """All columns of the last file. An empty column that is filled later does not count as new."""
    key: str | None = None
    """The key template; None if rows are identified by their cells."""
    marker: str | None = None

    @property
    def planned(self) -> int:
        """Number of planned rows in the file; planned rows missing from the file cannot be sent."""
        return self.counts.get(Standing.PLANNED, 0) - self.gone.get(Standing.PLANNED, 0)

    @property
    def in_doubt(self) -> int:
        """Number of rows with an unknown outcome."""
        return self.counts.get(Standing.SENDING, 0) + self.counts.get(Standing.IN_DOUBT, 0)

    @property
    def perhaps_created(self) -> int:
        """Number of rows that may be in the Company."""
        return self.counts.get(Standing.DONE, 0) + self.in_doubt

    @property
    def unfinished(self) -> int:
        """Number of rows that this job can still send or look up, so no new job may send them."""
        return self.planned + self.in_doubt


@attrs.frozen(kw_only=True)
class FileFacts:
    """Facts about the file and the command."""

    company: str
    operation: str
    standings: Mapping[Standing, int]
    """Rows of the file by standing; without a ledger, all are NEW or REPEATED."""
    columns: frozenset[str] = frozenset()
    header: frozenset[str] = attrs.field(default=attrs.Factory(lambda self: self.columns, takes_self=True))
    key: str | None = None
    marker: str | None = None
    looks_first: bool = False
    """Whether each row is looked up before it is sent, by its key in the marker."""
    creates: bool = True
    """Whether the operation creates records, which an undo can roll back."""
    updates: bool = False
    back: Mapping[Standing, int] = attrs.field(factory=dict)
    """Rows of the file, by standing, that may be other versions of sent rows that the file lacks."""
    first_new: RowSample | None = None
    disguised: Mapping[Standing, Resembling] = attrs.field(factory=dict)
    """Rows, by standing, whose keys differ only in spreadsheet formatting from the key of a missing sent row.

    The previous file lacked at least one of the two rows.
    """
    rejects: bool = False
    """Whether the file is a rejects file, whose rows name their ledger rows."""
    replaced: Mapping[Standing, int] = attrs.field(factory=dict)
    """For each standing, the line of the first keyless reject that is missing from the original file.

    New rows of the original file have been sent since, and may be corrected versions of these rejects.
    """
    rejects_problem: tuple[RejectsProblem, int] | None = None
    """Problem with the rejects file, and the line where it occurs."""
    superseded_by: Path | None = None
    """The newer ledger that resends all rows."""
    elsewhere: Elsewhere | None = None


@attrs.frozen(kw_only=True)
class Plan:
    """Import plan."""

    actions: Mapping[Standing, Action]
    counts: Mapping[Standing, int]
    """Rows of the file by standing."""
    begins: bool = False
    """Whether the import starts a new ledger."""
    found: int = 0
    """Done rows of the file whose records existed before the import."""
    found_undone: int = 0
    """Undone rows of the file whose records existed before the import; another job undid them."""
    leaves_done: int = 0
    """Done rows of the previous ledger that a new ledger would resend, after a confirmation."""
    resembling: int = 0
    """Rows to resend whose keys resemble the keys of sent rows missing from the file."""
    gone: Mapping[Standing, int]
    """Rows of the ledger missing from the file, by standing. Missing rows in doubt are also looked up."""
    dismisses: bool
    """Whether to declare the missing rows permanently gone."""
    can_look_up: bool
    rejects: bool
    """Whether the file is a rejects file, which lacks most rows of the ledger."""
    newly_refused: int
    """Rows of the ledger that were planned, and are now refused."""

    @property
    def skips_changed(self) -> bool:
        """Whether the import skips rows that have changed since they were sent."""
        return self.actions[Standing.DONE_CHANGED] is Action.SKIP

    def rows(self, *actions: Action) -> int:
        """Count the file's rows with one of these actions."""
        return sum(count for standing, count in self.counts.items() if self.actions[standing] in actions)

    @property
    def doubts(self) -> int:
        """Number of rows to look up, including rows missing from the file."""
        gone = self.gone.get(Standing.SENDING, 0) + self.gone.get(Standing.IN_DOUBT, 0)
        return self.rows(Action.LOOK_UP) + (gone if self.can_look_up else 0)

    @property
    def is_idle(self) -> bool:
        """Whether no row will be sent, looked up, or marked as in doubt or refused."""
        killed = self.counts.get(Standing.SENDING, 0) + self.gone.get(Standing.SENDING, 0)
        return not (self.rows(Action.SEND) or self.doubts or killed or self.newly_refused)


@attrs.frozen(kw_only=True)
class Refusal:
    """Reason for refusing an import: a code, facts, and remedies (best first)."""

    why: Why
    remedies: tuple[Remedy, ...]
    folder: Path | None = None
    others: int = 0
    """Number of other jobs that sent some of the rows, for ``sent_elsewhere``."""
    rows: int = 0
    """Number of affected rows of the file or, for ``unfinished`` and a changed marker, of the ledger."""
    lines: tuple[int, ...] = ()
    """Lines of these rows, at most 10,000, for ``sent_elsewhere``."""
    in_doubt: bool = False
    """For ``sent_elsewhere``, whether some of these rows are in doubt."""
    renamed: bool = False
    """For ``sent_elsewhere``, whether the other job's last file no longer exists."""
    changed: int = 0
    """For ``sent_elsewhere``, number of these rows whose cells differ from those sent with the same keys."""
    gone: int = 0
    """Number of rows that were sent, or may have been sent, and that the file lacks."""
    first_new: RowSample | None = None
    first_gone: RowSample | None = None
    resembling: tuple[tuple[RowSample, RowSample], ...] = ()
    """The first rows to send whose keys resemble sent rows' keys, each with the sent row."""
    columns: tuple[str, ...] = ()
    """Columns that were added or removed."""
    was: str | None = None
    """The ledger's Company, operation, template or marker."""
    now: str | None = None
    problem: RejectsProblem | None = None
    line: int = 0
