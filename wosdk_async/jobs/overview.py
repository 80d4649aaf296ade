"""Jobs at a glance: where they are, how far they are, and what giving the command again would do."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import JobPlan, JobRun, Journal, State
from wosdk_async.jobs.journal.lock import holder_of, is_held
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.journal.store import JOURNAL
from wosdk_async.jobs.undo_fates import UndoState, undo_state

__all__ = [
    "COUNTED",
    "Overview",
    "folder_of",
    "jobs_at",
    "jobs_below",
    "jobs_of",
    "jobs_of_rejects",
    "jobs_within",
    "overview",
    "stop_of",
]

COUNTED: dict[str, tuple[State, ...]] = {
    "done": (State.DONE,),
    "found": (State.FOUND,),
    "failed": (State.REFUSED,),
    "in_doubt": (State.IN_DOUBT, State.SENDING),
    "not_started": (State.PLANNED,),
}
"""What is counted of a job, and the states that belong to it."""

_MOST_JOBS = 100


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
    begun: bool = True
    """Whether a process has worked on it, and may have sent something."""

    @property
    def state(self) -> str:
        """``running``, ``undone``, ``undone in part``, ``finished``, ``not begun`` or ``unfinished``."""
        if self.running is not None:
            return "running"
        if self.undone is not None:
            return self.undone.name
        if not self.left:
            return "finished"
        return "unfinished" if self.begun else "not begun"

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
        """Return the counts, by the names of :data:`COUNTED`.

        While a process works on the job, the rows that it is sending are counted as ``sending``.
        """
        found = {name: sum(self.counts[state] for state in states) for name, states in COUNTED.items()}
        found["sending"] = self.counts[State.SENDING] if self.running is not None else 0
        found["in_doubt"] -= found["sending"]
        return found

    def resume_would(self) -> list[str]:
        """Return what giving the same command again would do, in a few sentences."""
        figures, marker = self.figures(), self.plan.marker
        if self.running is not None:
            return ["be refused while another process works on the job"]
        if self.undone is not None:
            return ["send nothing: the job was undone; --again imports the file again, as a new job"]
        texts = []
        if figures["in_doubt"] and marker:
            texts.append(
                f"look up {_rows(figures['in_doubt'])} in doubt by {marker} first; those that are certainly "
                "not there are sent again"
            )
        elif self.counts[State.SENDING]:
            texts.append(f"leave {_rows(self.counts[State.SENDING])} in doubt for good: there is no marker")
        if figures["not_started"]:
            texts.append(f"send {_rows(figures['not_started'])}")
        if not texts:
            texts.append("send nothing: the job is finished")
        if figures["failed"]:
            again = jobs_within(self.folder)
            unless = (
                "which were imported by a job of their own" if again else "unless --retry refused is added"
            )
            texts.append(f"leave {_rows(figures['failed'])} that failed, {unless}")
        if figures["in_doubt"] and not marker:
            texts.append("leave what is in doubt: wosdk jobs settle JOB --row N says what became of a row")
        return texts

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
            "rejects_of": str(self.parent) if self.parent else None,
        }


async def overview(journal: JournalReader) -> Overview:
    """Return the overview of a job."""
    counts = journal.counts()
    untouched = counts[State.PLANNED] + counts[State.REFUSED] == journal.plan.rows
    return Overview(
        folder=journal.folder,
        plan=journal.plan,
        counts=counts,
        undone=await undo_state(journal),
        running=_running(journal),
        begun=not untouched or bool(await journal.runs()),
    )


def stop_of(run: JobRun) -> str | None:
    """Return why a run stopped before its end, with the signal that its exit status tells; or None."""
    stopped = run.details.get("stopped")
    signal = {130: "Ctrl-C", 143: "SIGTERM"}.get(run.exit_status or 0)
    return f"{stopped} ({signal})" if stopped and signal else stopped


def _running(journal: JournalReader) -> str | None:
    if isinstance(journal, Journal) and journal.is_writable:
        return None
    return (holder_of(journal.folder) or "another process") if is_held(journal.folder) else None


def jobs_below(directory: Path) -> Iterator[Path]:
    """Yield the folders of jobs in a directory and below it, hidden directories left out.

    The folder of a job may have those of further jobs in it: of its rejects, which were corrected there.
    """
    for root, folders, files in os.walk(directory):
        if JOURNAL in files:
            yield Path(root)
        folders[:] = sorted(each for each in folders if not each.startswith("."))


def jobs_within(folder: Path) -> list[Path]:
    """Return the folders of the jobs whose rows are a file of the job in ``folder``, such as its rejects."""
    return sorted(each.parent for each in folder.glob(f"*/{JOURNAL}"))


def jobs_of_rejects(folder: Path) -> list[Path]:
    """Return the folders of the jobs of the rejects of a job, of those of their rejects, and so on.

    Those of one level come after those of the level above; of a folder full of links only the first 100.
    """
    found = [folder]
    for each in found:
        found += jobs_within(each)
        if len(found) > _MOST_JOBS:
            break
    return found[1 : _MOST_JOBS + 1]


def jobs_of(file: Path) -> list[Path]:
    """Return the folders of the jobs that stand beside a file, the oldest first."""
    return jobs_at(file.with_name(f"{file.name}.job"))


def jobs_at(base: Path) -> list[Path]:
    """Return the folders of jobs called ``base``, ``base-2`` and so on, the oldest first."""
    found = [base, *base.parent.glob(f"{_literal(base.name)}-*")]
    return sorted(
        (each for each in found if (each / JOURNAL).is_file()), key=lambda each: (len(each.name), each)
    )


def folder_of(job: Path) -> Path:
    """Return the folder of a job, given that folder, its journal, or the file of its rows.

    Raises:
        JournalError: there is no job, or the file has several.
    """
    if job.is_dir():
        return job
    if job.name == JOURNAL:
        return job.parent
    found = jobs_of(job)
    if len(found) > 1:
        names = ", ".join(str(each) for each in found)
        raise JournalError(f"{job} has several jobs; name the folder of one: {names}")
    if not found:
        raise JournalError(f"{job}: there is no such job; name the folder of a job, or the file of its rows")
    return found[0]


def _literal(name: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number} rows"
