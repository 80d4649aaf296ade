"""Undo outcomes and progress, and look-ups that ignore undone records.

Cancelled work orders and removed records keep their keys, and queries find them (facts 3.4). Look-ups ignore
such a record only if an undo of this job, or of another job beside it, recorded the record's id.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from pathlib import Path
from typing import Any, Literal

import attrs

from wosdk_async.company import Company
from wosdk_async.jobs.errors import JournalError, RowError
from wosdk_async.jobs.journal import Journal, State, run_table
from wosdk_async.jobs.journal.folder import jobs_in, numbered_jobs, plan_of
from wosdk_async.jobs.ledger.nearby import opened
from wosdk_async.jobs.ledger.terms import Standing
from wosdk_async.jobs.mapping.operations import Found, usable_id
from wosdk_async.jobs.mapping.record_operations import RowOperation
from wosdk_async.model import WOStatus
from wosdk_async.protocol.writes import UNDECIDED
from wosdk_async.text.remedies import Remedy

UNDO = "undo"
"""Value of ``command`` in the run details of an undo."""
OF_RUN = "of_run"
"""Key for the number of the run to undo, in the run details of an undo; the value None means all runs."""

UndoOutcome = Literal[
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
    "used",
    "refused",
    "in_doubt",
]

UNDO_LABELS: dict[UndoOutcome, str] = {
    "undo": "to be undone",
    "undone": "undone",
    "changed": "not undone, changed since the import",
    "gone": "not undone, already cancelled or removed",
    "unsure": "not undone, this job may not have created it: check the record, and cancel it yourself",
    "no_id": "not undone, because the response had no id",
    "shared": "not undone, because several rows have the same id: look up which row created the record",
    "other_key": "not undone, because the record has a different key",
    "unversioned": "not undone, because the record has no version: later changes cannot be detected",
    "unread": "not undone, because the service did not return the record",
    "used": "not undone, used by other records",
    "refused": "refused by the service",
    "in_doubt": "in doubt",
}

_DONE: tuple[UndoOutcome, ...] = ("undo", "undone")
_RETRIED: tuple[UndoOutcome, ...] = ("refused", "in_doubt")


@attrs.frozen
class UndoRow:
    """A row or reference of the job, with its undo outcome."""

    row: int | None
    """Row number; None for a reference."""
    id: int | None
    number: str | None
    """The record's number or name."""
    outcome: UndoOutcome
    reason: str | None = None
    reference: str | None = None
    """Name of the reference in the map; None for a row."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that are not None as plain data."""
        return attrs.asdict(self, filter=lambda _, value: value is not None)


@attrs.define
class UndoSummary:
    """Undo counts by outcome."""

    counts: Counter[UndoOutcome] = attrs.field(factory=Counter)
    not_started: int = 0
    references: Counter[UndoOutcome] = attrs.field(factory=Counter)
    """Counts of references, if the undo includes them."""

    @property
    def complete(self) -> bool:
        """Whether every record of the undo is undone or, in a dry run, would be."""
        left = self.counts + self.references
        return not self.not_started and left.keys() <= {*_DONE}

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        references = {"references": dict(self.references)} if self.references else {}
        return {
            **{outcome: self.counts[outcome] for outcome in UNDO_LABELS},
            "not_started": self.not_started,
            **references,
        }


@attrs.frozen
class UndoState:
    """Undo progress: of the records ``created`` for rows of the file, ``done`` are undone."""

    done: int
    created: int
    left: Mapping[str, Any] | None
    """Records that the last undo left in place, by outcome; None if the undo did not finish."""
    references: int = 0
    """References to delete that are not confirmed as deleted."""
    gone_done: int = 0
    """Undone records of rows that are no longer in the file."""
    gone_left: int = 0
    """Records of such rows that have not been undone."""
    doubted: int = 0
    """Records in ``created`` whose undo is in flight or in doubt."""
    overtaken: bool = False
    """Whether a run has sent rows since the last undo, so that the run to undo must be named."""

    @property
    def complete(self) -> bool:
        """Whether all records created by the job are undone, except references excluded from the undo."""
        return self.done >= self.created and not (self.references or self.gone_left)

    @property
    def is_unfinished(self) -> bool:
        """Whether the last undo was killed or stopped before it reached all its records."""
        return not self.complete and (self.left is None or bool(self.left.get("not_started")))

    @property
    def how_to_resume(self) -> str:
        """Advice for an unfinished undo."""
        return f"undo the job again{', and name the run,' if self.overtaken else ''} to resume"

    @property
    def name(self) -> str:
        """``undone`` or ``undone in part``."""
        return "undone" if self.complete else "undone in part"

    def __str__(self) -> str:
        done, left = self.done + self.gone_done, self.created - self.done + self.gone_left
        texts = [f"{self.name}: {done} of {done + left}"]
        references: Mapping[str, int] = (self.left or {}).get("references", {})
        if left:
            texts.append(f"{left} left{_reasons_of(self.left or {})}")
        if self.references:
            texts.append(f"references: {self.references} left{_reasons_of(references)}")
        if self.is_unfinished:
            texts.append("the undo did not finish")
        if self.is_unfinished or (not self.complete and any(map(references.get, _RETRIED))):
            texts.append(self.how_to_resume)
        return "; ".join(texts)


def _reasons_of(left: Mapping[str, Any]) -> str:
    """Return why records were kept, such as ``" (2 used by other records)"``; empty if it is unknown."""
    labels = {each: text.removeprefix("not undone, ") for each, text in UNDO_LABELS.items()}
    # A label's part after the colon is advice.
    shown = [
        f"{left[each]} {labels[each].partition(':')[0]}"
        for each in UNDO_LABELS
        if each not in _DONE and left.get(each)
    ]
    return f" ({', '.join(shown)})" if shown else ""


async def undo_state(journal: Journal) -> UndoState | None:
    """Return the undo progress; None if no undo has begun."""
    counts, gone = await journal.undo_counts(), await journal.undo_counts(gone=True)
    undos = [run for run in await journal.runs() if run.details.get("command") == UNDO]
    last = undos[-1].details if undos else {}
    references = [each for each in await journal.references() if undos and each.undo is not State.DONE]
    begun = [each for each in references if each.undo is not State.PLANNED]
    has_begun = any(counts[state] or gone[state] for state in (State.DONE, *UNDECIDED))
    if not (has_begun or begun):
        return None
    left = last.get(UNDO)
    if last.get("references"):  # also count references that the undo kept or did not reach
        begun = [each for each in references if each.state in (State.DONE, *UNDECIDED)]
    return UndoState(
        done=counts[State.DONE],
        created=journal.counts()[State.DONE],
        left=left,
        references=len(begun),
        gone_done=gone[State.DONE],
        gone_left=journal.counts(gone=True)[State.DONE] - gone[State.DONE],
        doubted=sum(counts[state] for state in UNDECIDED),
        overtaken=bool(undos) and (await journal.last_sending_run() or 0) > undos[-1].number,
    )


async def run_to_undo(journal: Journal) -> int | None:
    """Return the run that an unfinished undo covers (None: all runs), or else the last run that sent rows.

    Raises:
        JournalError: another run has sent rows since that undo, so it is unknown which run is meant.
    """
    undos = [run for run in await journal.runs() if run.details.get("command") == UNDO]
    sent = await journal.last_sending_run()
    details = undos[-1].details if undos else {}
    run: int | None
    # The end of an undo stores how many records it did not start; a killed undo has no end.
    if OF_RUN in details and details.get(UNDO, {"not_started": 1}).get("not_started"):
        run, begun = details[OF_RUN], undos[-1].number
    elif (run := await journal.read(run_table.run_of_undo_in_doubt)) is not None:
        begun = undos[-1].number if undos else 0
    else:
        return sent
    if sent is not None and sent > begun:
        what = "all runs" if run is None else f"run {run}"
        raise JournalError(
            f"{journal.folder}: the undo of {what} did not finish, and run {sent} has sent rows since",
            remedies=(Remedy.NAME_RUN,),
        )
    return run


def undone_beside(
    base: Path,
    file: Path,
    company: str,
    operation: str,
    *,
    exclude: Path | None = None,
    certain: bool = False,
) -> set[int]:
    """Return the ids of records undone by jobs in the directory of ``base`` or of ``file``.

    Undos in doubt are included unless ``certain``, so a look-up must also check that the record is cancelled
    or removed. Skip the job in ``exclude``, and unreadable jobs; but raise JournalError if a job at ``base``
    is unreadable.
    """
    ids, in_doubt, own = set[int](), set[int](), numbered_jobs(base)
    for folder in dict.fromkeys((*own, *jobs_in(base.parent, file.parent))):
        with contextlib.nullcontext() if folder in own else contextlib.suppress(JournalError):
            plan = plan_of(folder)
            if folder != exclude and (plan.company, plan.operation) == (company, operation):
                with opened(folder) as db:
                    ids |= run_table.undone_ids(db)
                    in_doubt.update(run_table.own_undone_ids(db, *UNDECIDED) if certain else ())
    return ids - in_doubt


def mark_undone(db: sqlite3.Connection, undone: Callable[[], Set[int]], *states: State) -> None:
    """Treat compared rows in these states as undone if a job nearby has undone their records."""
    query = f"""SELECT place, json_extract(detail, '$[0]') FROM temp.matched JOIN outcome USING (row)
        WHERE state IN ({", ".join(map(str, states))})"""
    if found := db.execute(query).fetchall():
        ids = undone()
        rows = [(Standing.UNDONE, place) for place, id in found if id in ids]
        db.executemany("UPDATE temp.matched SET standing = ? WHERE place = ?", rows)


async def keep_undone(journal: Journal) -> None:
    """Save the ids of records undone by neighbouring jobs; close the journal on failure."""
    plan = journal.plan
    if plan.marker is None:
        return
    try:
        folder, file = journal.folder, Path(plan.file)
        about = folder, file, plan.company, plan.operation
        ids = await asyncio.to_thread(undone_beside, *about, exclude=folder)
        if ids:
            await journal.write(partial(run_table.keep_undone, ids=ids))
    except BaseException:
        await journal.close()
        raise


async def find_records(
    operation: RowOperation,
    company: Company,
    journal: Journal,
    path: str,
    keys: Sequence[str],
    *,
    whole: bool = False,
) -> Found:
    """Look up the records with each key, except undone records."""
    found = await operation.find(company, path, keys, whole=whole)
    lists = [records for records in found.values() if not isinstance(records, RowError)]
    ended = [record.id for records in lists for record in records if is_ended(record)]
    ids = [id for id in ended if usable_id(id) is not None]
    undone = await journal.undone_before(ids) if ids else set()
    return without_undone(found, undone)


def without_undone(found: Found, undone: Set[int]) -> Found:
    """Drop undone records that are still cancelled or removed; sort other cancelled or removed ones last."""
    return {
        key: records
        if isinstance(records, RowError)
        else sorted((each for each in records if not (each.id in undone and is_ended(each))), key=is_ended)
        for key, records in found.items()
    }


def is_ended(record: Any) -> bool:
    """Return whether a record is cancelled or removed."""
    return bool(_end_label(record))


def _end_label(record: Any) -> str:
    if getattr(record, "is_removed", False):
        return " (removed)"
    return " (Cancelled)" if getattr(record, "status_id", None) == WOStatus.Cancelled else ""


def shown_records(records: Sequence[Any], limit: int = 3) -> str:
    """Return the first records as text, such as ``WorkOrder 496 (Cancelled), WorkOrder 498``."""
    return ", ".join(f"{each.wire_name} {each.id}{_end_label(each)}" for each in records[:limit])
