"""What an import sends: one pure function of the ledger, the file and the options.

The ledger knows each row by its identity. The same command sends what the ledger does not know to be done.
Imports, checks and the command line ask :func:`decide`; ``docs/import.md`` shows its tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Literal

import attrs

from wosdk_async.jobs.options import ImportOptions
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
    "action_of",
    "actions_of",
    "decide",
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
    """By standing, the first key that the last file lacked, and the gone one that differs from it only by
    what a spreadsheet does to a cell."""
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


def decide(ledger: LedgerFacts | None, file: FileFacts, options: ImportOptions) -> Plan | Refusal:
    """Decide what an import does, or why it does nothing.

    Args:
        ledger: the ledger of the folder; None if none has begun.
        file: the file, compared with the ledger.
        options: the options of the import; only those about known and unknown rows count.
    """
    if file.rejects_problem is not None:
        problem, line = file.rejects_problem
        return Refusal(why="rejects", remedies=(Remedy.EXPORT_REJECTS,), problem=problem, line=line)
    if file.rejects and options.again:
        return Refusal(why="rejects", remedies=(Remedy.SAME_COMMAND,), problem="again")
    if ledger is None:
        return _first_run(file, options)
    if (refusal := _other_ledger(ledger, file)) is not None:
        return refusal
    if file.superseded_by is not None:
        return Refusal(why="superseded", remedies=(Remedy.THAT_FOLDER,), folder=file.superseded_by)
    if options.again:
        return _begin_again(ledger, file)
    plan = _plan(ledger, file, options)
    return _unknown_rows(ledger, file, options, plan.actions) or plan


def action_of(standing: Standing, options: ImportOptions, *, can_look_up: bool, updates: bool) -> Action:
    """Decide what happens to a row.

    Args:
        standing: its standing in the ledger.
        options: the options of the import; only those about known and unknown rows count.
        can_look_up: whether a row in doubt can be looked up, by its marker or by the record that it changes.
        updates: whether the operation updates existing records, which is idempotent. Not for rejects: what
            was done meanwhile is newer.
    """
    match standing:
        case Standing.SENDING | Standing.IN_DOUBT:
            return Action.LOOK_UP if can_look_up else Action.LEAVE
        case Standing.DONE:
            return Action.SKIP
        case Standing.DONE_CHANGED:
            return Action.SEND if updates else Action.SKIP
        case Standing.REFUSED:
            return Action.SEND if options.retry_refused else Action.KEEP
        case Standing.UNDONE:
            return Action.SEND if options.retry_undone else Action.SKIP
        case Standing.REPEATED:
            return Action.REFUSE
        case Standing.NEW | Standing.PLANNED | Standing.REFUSED_HERE | Standing.REFUSED_CHANGED:
            return Action.SEND


def actions_of(file: FileFacts, options: ImportOptions) -> Mapping[Standing, Action]:
    """Decide what happens to the rows of a file, by their standing."""
    can_look_up, updates = file.marker is not None, file.updates and not file.rejects
    return {each: action_of(each, options, can_look_up=can_look_up, updates=updates) for each in Standing}


def _first_run(file: FileFacts, options: ImportOptions) -> Plan | Refusal:
    if file.rejects:
        return Refusal(why="rejects", remedies=(Remedy.KNOWN_FOLDER,), problem="no_ledger")
    if file.elsewhere is not None and not options.again:
        folder, rows = file.elsewhere
        remedies = (Remedy.THAT_FOLDER, Remedy.SEND_AGAIN)
        return Refusal(why="sent_elsewhere", remedies=remedies, folder=folder, rows=rows)
    return attrs.evolve(_plan(None, file, ImportOptions()), begins=True)


def _other_ledger(ledger: LedgerFacts, file: FileFacts) -> Refusal | None:
    folder, remedies = ledger.folder, (Remedy.OTHER_FOLDER,)
    if ledger.company != file.company:
        was, now = ledger.company, file.company
        return Refusal(why="other_company", remedies=remedies, folder=folder, was=was, now=now)
    if ledger.operation != file.operation:
        was, now = ledger.operation, file.operation
        return Refusal(why="other_operation", remedies=remedies, folder=folder, was=was, now=now)
    return None


def _unfinished(ledger: LedgerFacts) -> int:
    """Count the rows that this job can still send or look up, and that no new job may send."""
    remaining = (Standing.PLANNED, Standing.SENDING, Standing.IN_DOUBT)
    # No command sends planned rows that the file lacks.
    return sum(ledger.counts.get(each, 0) for each in remaining) - ledger.gone.get(Standing.PLANNED, 0)


def _again(ledger: LedgerFacts) -> tuple[Remedy, ...]:
    """Return the way to a new job: send again or, with unfinished rows, settle those in doubt."""
    if not _unfinished(ledger):
        return (Remedy.SEND_AGAIN,)
    in_doubt = ledger.counts.get(Standing.SENDING, 0) + ledger.counts.get(Standing.IN_DOUBT, 0)
    return (Remedy.SETTLE,) if in_doubt else ()


def _begin_again(ledger: LedgerFacts, file: FileFacts) -> Plan | Refusal:
    if unfinished := _unfinished(ledger):
        remedies = (Remedy.SAME_COMMAND, Remedy.SETTLE)
        return Refusal(why="unfinished", remedies=remedies, folder=ledger.folder, rows=unfinished)
    rows = sum(file.standings.values())
    repeated = file.standings.get(Standing.REPEATED, 0)
    standings = {Standing.NEW: rows - repeated, Standing.REPEATED: repeated}
    plan = _plan(None, attrs.evolve(file, standings=standings), ImportOptions())
    return attrs.evolve(plan, begins=True, leaves_done=ledger.counts.get(Standing.DONE, 0))


def _unknown_rows(
    ledger: LedgerFacts, file: FileFacts, options: ImportOptions, actions: Mapping[Standing, Action]
) -> Refusal | None:
    """Return why rows that the last file lacked cannot be sent as rows of their own; None if they can."""
    gone = ledger.gone_unexplained
    marked = ledger.counts.get(Standing.SENDING, 0) + ledger.counts.get(Standing.IN_DOUBT, 0)
    if ledger.key != file.key and gone and not file.rejects:
        return _key_changed(ledger, ledger.key, file.key)
    if ledger.marker != file.marker and marked:  # they carry their keys in the previous field
        return _key_changed(ledger, ledger.marker, file.marker)
    # A row that is back may be an earlier text of one that was sent.
    back = sum(count for each, count in file.back.items() if actions[each] is Action.SEND)
    new = file.standings.get(Standing.NEW, 0) + back
    disguised = [pair for each, pair in file.disguised.items() if actions[each] is Action.SEND]
    if not (new and gone):
        return None
    about = Refusal(
        why="edited_or_new",
        remedies=(Remedy.KEY, Remedy.NEW_ROWS),
        folder=ledger.folder,
        rows=new,
        gone=gone,
        first_new=file.first_new,
        first_gone=ledger.first_gone,
    )
    if file.key is None and not file.rejects:
        if columns := tuple(sorted((file.columns - ledger.header) | (ledger.columns - file.header))):
            return attrs.evolve(
                about, why="columns_changed", remedies=(Remedy.KEY, *_again(ledger)), columns=columns
            )
        return None if options.new_rows else about
    if not disguised or options.new_rows:
        return None
    first_new, first_gone = disguised[0]
    remedies = (Remedy.NEW_ROWS,)
    return attrs.evolve(
        about, why="key_disguised", remedies=remedies, first_new=first_new, first_gone=first_gone
    )


def _key_changed(ledger: LedgerFacts, was: str | None, now: str | None) -> Refusal:
    remedies = (Remedy.SAME_MAP, *_again(ledger))
    return Refusal(
        why="key_changed",
        remedies=remedies,
        folder=ledger.folder,
        gone=ledger.gone_unexplained,
        first_gone=ledger.first_gone,
        was=was,
        now=now,
    )


def _plan(ledger: LedgerFacts | None, file: FileFacts, options: ImportOptions) -> Plan:
    planned = 0
    if ledger is not None:
        planned = ledger.counts.get(Standing.PLANNED, 0) - ledger.gone.get(Standing.PLANNED, 0)
    return Plan(
        actions=actions_of(file, options),
        counts=file.standings,
        gone=ledger.gone if ledger is not None else {},
        rejects=file.rejects,
        dismisses=options.new_rows and not file.rejects,
        can_look_up=file.marker is not None,
        still_planned=max(planned - file.standings.get(Standing.PLANNED, 0), 0),
    )
