"""Terms of the decision: standings and actions of rows, the facts it depends on, and its result."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Literal

import attrs

from wosdk_async.text.remedies import Remedy

__all__ = [
    "Action",
    "FileFacts",
    "LedgerFacts",
    "Plan",
    "Refusal",
    "RejectsProblem",
    "RowSample",
    "Standing",
    "Why",
]


class Standing(IntEnum):
    """Standing of a row of the file in the ledger. SQL statements use the numbers."""

    NEW = 0
    PLANNED = 1
    SENDING = 2
    """A run was killed while it sent the row."""
    IN_DOUBT = 3
    DONE = 4
    DONE_CHANGED = 5
    """Done or found, and the cells changed since; for an update also the map."""
    REFUSED_HERE = 6
    """Refused before it was sent, such as for a name without a record."""
    REFUSED = 7
    """Refused by the service, with these cells and this map."""
    REFUSED_CHANGED = 8
    """Refused by the service, with other cells or another map."""
    UNDONE = 9
    REPEATED = 10
    """An earlier row of the file has its key."""


class Action(StrEnum):
    """What the import does with a row of the file."""

    SEND = "send"
    LOOK_UP = "look up"
    """Look up whether the row was carried out, and send it if its record is confirmed absent."""
    LEAVE = "leave"
    """Leave the row in doubt, because it cannot be looked up."""
    SKIP = "skip"
    KEEP = "keep"
    """Keep the row refused, and list it again."""
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
"""Codes of a refusal."""

RejectsProblem = Literal[
    "missing_job", "mixed_jobs", "missing_row", "row_twice", "unknown_row", "no_ledger", "again", "job_file"
]
"""Fault of a file of rejects; ``no_ledger``: its ledger was not found."""


@attrs.frozen
class RowSample:
    """Row to show in a message."""

    line: int
    name: str
    """Its key, or the beginning of its cells."""


@attrs.frozen(kw_only=True)
class LedgerFacts:
    """Facts about the ledger, and about its rows that the file lacks."""

    folder: Path
    company: str
    operation: str
    counts: Mapping[Standing, int] = attrs.field(factory=dict)
    """All its rows by standing: PLANNED, SENDING, IN_DOUBT and DONE."""
    gone: Mapping[Standing, int] = attrs.field(factory=dict)
    """Its rows that the file lacks, by standing."""
    gone_unexplained: int = 0
    """Rows of ``gone`` that may be in the Company and were not declared permanently gone."""
    first_gone: RowSample | None = None
    """The first unexplained row."""
    columns: frozenset[str] = frozenset()
    """Columns of the last file with content."""
    header: frozenset[str] = attrs.field(default=attrs.Factory(lambda self: self.columns, takes_self=True))
    """All columns of the last file: one that was empty there is not new when it has content now."""
    key: str | None = None
    """The template of the keys; None if rows are identified by their cells."""
    marker: str | None = None

    @property
    def planned(self) -> int:
        """Number of planned rows that the file has; no command sends the others."""
        return self.counts.get(Standing.PLANNED, 0) - self.gone.get(Standing.PLANNED, 0)

    @property
    def in_doubt(self) -> int:
        """Number of rows with unknown outcome."""
        return self.counts.get(Standing.SENDING, 0) + self.counts.get(Standing.IN_DOUBT, 0)

    @property
    def unfinished(self) -> int:
        """Number of rows that this job can still send or look up, and that no new job may send."""
        return self.planned + self.in_doubt


@attrs.frozen(kw_only=True)
class FileFacts:
    """Facts about the file and the command."""

    company: str
    operation: str
    standings: Mapping[Standing, int]
    """Rows of the file by standing; all are NEW or REPEATED without a ledger."""
    columns: frozenset[str] = frozenset()
    """Columns with content."""
    header: frozenset[str] = attrs.field(default=attrs.Factory(lambda self: self.columns, takes_self=True))
    """All columns."""
    key: str | None = None
    marker: str | None = None
    updates: bool = False
    back: Mapping[Standing, int] = attrs.field(factory=dict)
    """Rows that the last file lacked and an earlier one had, by standing."""
    first_new: RowSample | None = None
    disguised: Mapping[Standing, tuple[RowSample, RowSample]] = attrs.field(factory=dict)
    """By standing, the first key that differs from a gone one in the Company only by what a spreadsheet does
    to a cell, and that one. The last file lacked one of the two."""
    rejects: bool = False
    """Whether the file is one of rejects: each row names its row of the ledger."""
    rejects_problem: tuple[RejectsProblem, int] | None = None
    """Fault of the rejects, and its line."""
    superseded_by: Path | None = None
    """The newer ledger that sends all rows again."""
    elsewhere: tuple[Path, int] | None = None
    """Another ledger in the directory and the number of rows that it sent, for a first run that creates
    without a key."""


@attrs.frozen(kw_only=True)
class Plan:
    """Plan of an import."""

    actions: Mapping[Standing, Action]
    counts: Mapping[Standing, int]
    """Rows of the file by standing."""
    begins: bool = False
    """Whether a new ledger begins."""
    leaves_done: int = 0
    """Done rows of the previous ledger, which a new one sends again: ask first."""
    gone: Mapping[Standing, int]
    """Rows of the ledger that the file lacks, by standing. Those in doubt are looked up, too."""
    dismisses: bool
    """Whether the gone rows are permanently gone."""
    can_look_up: bool
    rejects: bool
    """Whether the file is one of rejects, which lacks most rows of the ledger."""
    still_planned: int
    """Planned rows of the ledger that are refused now, as earlier rows have their keys."""

    @property
    def skips_changed(self) -> bool:
        """Whether rows that changed after they were sent are skipped."""
        return self.actions[Standing.DONE_CHANGED] is Action.SKIP

    def rows(self, *actions: Action) -> int:
        """Count the rows of the file that get one of these actions."""
        return sum(count for standing, count in self.counts.items() if self.actions[standing] in actions)

    @property
    def doubts(self) -> int:
        """Number of rows that are looked up, including gone ones."""
        gone = self.gone.get(Standing.SENDING, 0) + self.gone.get(Standing.IN_DOUBT, 0)
        return self.rows(Action.LOOK_UP) + (gone if self.can_look_up else 0)

    @property
    def is_idle(self) -> bool:
        """Whether no row is sent, looked up, or marked as in doubt or refused."""
        killed = self.counts.get(Standing.SENDING, 0) + self.gone.get(Standing.SENDING, 0)
        return not (self.rows(Action.SEND) or self.doubts or killed or self.still_planned)


@attrs.frozen(kw_only=True)
class Refusal:
    """Reason why nothing is sent: a code, its facts, and remedies, the best first."""

    why: Why
    remedies: tuple[Remedy, ...]
    folder: Path | None = None
    """The ledger in question."""
    rows: int = 0
    """Number of rows concerned, of the file, or of the ledger for ``unfinished``."""
    gone: int = 0
    first_new: RowSample | None = None
    first_gone: RowSample | None = None
    columns: tuple[str, ...] = ()
    """Columns that were added or removed."""
    was: str | None = None
    """Company, operation, template or marker of the ledger."""
    now: str | None = None
    problem: RejectsProblem | None = None
    line: int = 0
