"""Jobs at a glance: where they are, how far they are, and what giving the command again would do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.audit import audit_state_of
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.job_places import jobs_within, later_jobs
from wosdk_async.jobs.journal import AuditResult, JobPlan, JobRun, Journal, State
from wosdk_async.jobs.journal.audit_table import AuditState
from wosdk_async.jobs.journal.lock import holder_of, is_held
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.journal.store import JOURNAL
from wosdk_async.jobs.run_records import as_last_given
from wosdk_async.jobs.undo_fates import UndoState, undo_state

__all__ = [
    "COUNTED",
    "UNDER_WAY",
    "Overview",
    "continued_by",
    "overview",
    "stop_of",
]

COUNTED: dict[str, tuple[State, ...]] = {
    "done": (State.DONE,),
    "found": (State.FOUND,),
    "failed": (State.REFUSED,),
    "in_doubt": (State.IN_DOUBT,),
    "sending": (State.SENDING,),
    "not_started": (State.PLANNED,),
}
"""What is counted of a job, and the states that belong to it."""

UNDER_WAY = "under way when the run ended"
"""Words for rows that are SENDING in a job that nobody works on: nobody has looked for them yet."""


@attrs.frozen(kw_only=True)
class Overview:
    """A job as it stands, also while another process works on it."""

    folder: Path
    plan: JobPlan
    counts: Mapping[State, int]
    undone: UndoState | None
    """How far an undo took it back; None without one."""
    running: str | None
    """Who works on it now; None when nobody does."""
    given: JobPlan
    """The plan with the options of the last run that began, which ``wosdk jobs resume`` gives again."""
    begun: bool = True
    """Whether a process has worked on it, and may have sent something."""
    audit: AuditState = "none"
    """How it stands with the audit of a job on many workers."""
    audit_found: AuditResult | None = None
    """What the last audit found."""
    continued_by: Path | None = None
    """The folder of the job of a changed file that took its rows over."""

    @property
    def state(self) -> str:
        """One of the states of a job, in a word or two; docs/jobs.md says what each means."""
        if self.running is not None:
            return "running"
        if self.undone is not None:
            return self.undone.name
        if self.continued_by is not None:
            return "continued"
        if not self.left and not self.audit_left:
            return "finished"
        return "unfinished" if self.begun else "not begun"

    @property
    def audit_left(self) -> bool:
        """Whether giving the command again looks up the keys of all rows."""
        return self.audit in ("due", "not clean") and self.undone is None

    @property
    def parent(self) -> Path | None:
        """The folder of the job whose files, such as its rejects, are the rows of this one."""
        above = self.folder.absolute().parent
        return self.folder.parent if (above / JOURNAL).is_file() else None

    @property
    def left(self) -> int:
        """The rows that are still to be sent or settled; without a marker nothing can be settled."""
        doubts = self.counts[State.IN_DOUBT] if self.plan.marker else 0
        return self.counts[State.PLANNED] + self.counts[State.SENDING] + doubts

    def figures(self) -> dict[str, int]:
        """Return the counts, by the names of :data:`COUNTED`."""
        return {name: sum(self.counts[state] for state in states) for name, states in COUNTED.items()}

    def ended(self) -> dict[str, int]:
        """Return the counts of the rows that a further run has nothing to do with."""
        found = {name: count for name, count in self.figures().items() if name in ("done", "found", "failed")}
        return found if self.plan.marker else {**found, "in_doubt": self.counts[State.IN_DOUBT]}

    def resume_would(self, *, retry: bool = False) -> list[str]:
        """Return what giving the same command again would do, in a few sentences.

        Args:
            retry: whether ``--retry refused`` is given.
        """
        figures, marker = self.figures(), self.plan.marker
        if self.running is not None:
            return ["be refused while another process works on the job"]
        if self.undone is not None:
            return ["send nothing: the job was undone; --again imports the file again, as a new job"]
        if self.state == "continued":
            return [f"go on with the job in {self.continued_by}, which took the rows over by their keys"]
        texts = []
        doubts, under_way = figures["in_doubt"], figures["sending"]
        if (doubts or under_way) and marker:
            which = [f"{_rows(doubts)} in doubt"] if doubts else []
            which += [f"{_rows(under_way)} {UNDER_WAY}"] if under_way else []
            texts.append(
                f"look up {' and '.join(which)}, by {marker}, first; those that are certainly not there are "
                "sent again"
            )
        elif under_way:
            texts.append(f"leave {_rows(under_way)} in doubt for good, {UNDER_WAY}: there is no marker")
        if figures["not_started"]:
            texts.append(f"send {_rows(figures['not_started'])}")
        if retry and figures["failed"]:
            texts.append(f"try {_rows(figures['failed'])} again that failed")
        if self.audit_left:
            texts.append("look up the keys of all rows: the audit " + self._audit_text)
        if not texts:
            texts.append("send nothing: the job is finished")
        if figures["failed"] and not retry:
            again = jobs_within(self.folder)
            unless = (
                "which were imported by a job of their own" if again else "unless --retry refused is added"
            )
            texts.append(f"leave {_rows(figures['failed'])} that failed, {unless}")
        if (doubts or under_way) and not marker:
            texts.append("leave what is in doubt: wosdk jobs settle JOB --row N says what became of a row")
        return texts

    @property
    def _audit_text(self) -> str:
        return "is due" if self.audit_found is None else f"found {self.audit_found}"

    def as_dict(self) -> dict[str, Any]:
        """Return the overview as plain data, one line of ``wosdk jobs list``."""
        return {
            "state": self.state,
            "rows": self.plan.rows,
            **self.figures(),
            "undone": self.undone.done if self.undone is not None else 0,
            "undo": str(self.undone) if self.undone is not None else None,
            "operation": self.plan.operation,
            "company": self.plan.company,
            "begun": self.plan.created_at,
            "folder": str(self.folder),
            "continued_by": str(self.continued_by) if self.continued_by else None,
            "rejects_of": str(self.parent) if self.parent else None,
        }


async def overview(journal: JournalReader) -> Overview:
    """Return the overview of a job."""
    counts = journal.counts()
    untouched = counts[State.PLANNED] + counts[State.REFUSED] == journal.plan.rows
    runs = await journal.runs()
    seen = Overview(
        folder=journal.folder,
        plan=journal.plan,
        counts=counts,
        undone=await undo_state(journal),
        audit=await audit_state_of(journal),
        audit_found=await journal.audit(),
        running=_running(journal),
        given=as_last_given(journal.plan, runs),
        begun=not untouched or bool(runs),
    )
    if seen.state != "unfinished" and not (seen.state == "finished" and counts[State.REFUSED]):
        return seen
    return attrs.evolve(seen, continued_by=await continued_by(journal))


async def continued_by(journal: JournalReader) -> Path | None:
    """Return the folder of the next job of the same path, if ``--continue`` began it."""
    plan = journal.plan
    for folder in later_jobs(journal.folder):
        try:
            async with Journal.open(folder, snapshot=True) as later:
                other, runs = later.plan, await later.runs()
        except JournalError:  # who lists it says so
            continue
        if (other.company, other.operation, other.file) == (plan.company, plan.operation, plan.file):
            options = runs[0].details.get("options") if runs else None
            return folder if other.sha256 != plan.sha256 and "carry_over" in (options or ()) else None
    return None


def stop_of(run: JobRun) -> str | None:
    """Return why a run stopped before its end, with the signal that its exit status tells; or None."""
    stopped = run.details.get("stopped")
    signal = {130: "Ctrl-C", 143: "SIGTERM"}.get(run.exit_status or 0)
    return f"{stopped} ({signal})" if stopped and signal else stopped


def _running(journal: JournalReader) -> str | None:
    if isinstance(journal, Journal) and journal.is_writable:
        return None
    return (holder_of(journal.folder) or "another process") if is_held(journal.folder) else None


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number} rows"
