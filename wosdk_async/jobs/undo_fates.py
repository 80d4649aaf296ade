"""Fates of the records of an undone job, and how far a job was undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

import attrs

from wosdk_async.jobs.journal import State
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.protocol.writes import UNDECIDED

__all__ = ["FATES", "UNDO", "Fate", "UndoRow", "UndoState", "UndoSummary", "undo_state"]

UNDO = "undo"
"""Command of the runs of a journal that are those of an undo."""

Fate = Literal[
    "undo",
    "undone",
    "changed",
    "gone",
    "unsure",
    "no_id",
    "shared",
    "other_key",
    "unversioned",
    "unread",
    "refused",
    "in_doubt",
]

FATES: dict[Fate, str] = {
    "undo": "to be undone",
    "undone": "undone",
    "changed": "left, changed since",
    "gone": "left, cancelled or removed already",
    "unsure": "left, not seen to be created by this job",
    "no_id": "cannot be undone: the response named no id",
    "shared": "left, with an id of several rows: look which record is whose",
    "other_key": "left, without the key of the row in the record with this id",
    "unversioned": "left, without a version: nobody can tell of a change",
    "unread": "left, not shown by the service",
    "refused": "refused by the service",
    "in_doubt": "in doubt",
}
"""What an undo does with a record, or did, each with words for people."""

_INCOMPLETE: tuple[Fate, ...] = ("no_id", "shared", "other_key", "unread", "refused", "in_doubt")


@attrs.frozen
class UndoRow:
    """One row of the job, and what the undo does with its record, or did."""

    row: int
    id: int | None
    number: str | None
    fate: Fate
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, without what is not known."""
        return attrs.asdict(self, filter=lambda _, value: value is not None)


@attrs.define
class UndoSummary:
    """The counts of an undo, by fate, and the rows of which people want to know."""

    counts: Counter[Fate] = attrs.field(factory=Counter)
    not_started: int = 0

    @property
    def complete(self) -> bool:
        """Whether nothing that was to be undone remains, and nothing that a person has to look at."""
        left = sum(self.counts[fate] for fate in _INCOMPLETE)
        return not (left + self.not_started)

    def as_dict(self) -> dict[str, int]:
        """Return the counts as plain data."""
        return {**{fate: self.counts[fate] for fate in FATES}, "not_started": self.not_started}


_SHORT: dict[Fate, str] = {
    "changed": "changed since",
    "gone": "cancelled or removed already",
    "unsure": "not seen to be created",
    "no_id": "without an id",
    "shared": "with an id of several rows",
    "other_key": "with another key",
    "unversioned": "without a version",
    "unread": "not readable",
    "refused": "refused",
    "in_doubt": "in doubt",
}


@attrs.frozen
class UndoState:
    """How far the rows of a file were undone: ``done`` of the ``created`` records."""

    done: int
    created: int
    left: Mapping[str, int] | None
    """Records that the last undo left, by fate; None when it did not end."""

    @property
    def complete(self) -> bool:
        """Whether no record that the job created remains."""
        return self.done >= self.created

    @property
    def name(self) -> str:
        """``undone`` or ``undone in part``."""
        return "undone" if self.complete else "undone in part"

    def __str__(self) -> str:
        text = f"{self.name}: {self.done} of {self.created}"
        if self.complete:
            return text
        text += f"; {self.created - self.done} left"
        if self.left is None:
            return f"{text}; the undo did not end: the same command resumes it"
        reasons = [(count, _SHORT.get(fate)) for fate, count in self.left.items()]  # type: ignore[call-overload]
        shown = ", ".join(f"{count} {reason}" for count, reason in reasons if count and reason)
        return f"{text} ({shown})" if shown else text


async def undo_state(journal: JournalReader) -> UndoState | None:
    """Return how far the rows of the file were undone; None when none was, and none may have been."""
    counts, done = await journal.undo_counts(), await journal.undone_rows()
    if not done and not any(counts.get(state) for state in UNDECIDED):
        return None
    undos = [run for run in await journal.runs() if run.details.get("command") == UNDO]
    left = undos[-1].details.get(UNDO) if undos else None
    return UndoState(done, journal.counts()[State.DONE], left)
