"""Whether an earlier job goes on: with the same file, with a file that has changed, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.journal import JobPlan, Journal, State, plan_of
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.options import ImportOptions

__all__ = [
    "NO_KEYS",
    "GoesOn",
    "goes_on",
    "is_finished",
    "is_untouched",
    "left_behind",
    "resumed_folder",
    "tells_rows_by_keys",
    "why_not",
]

_SHOWN = 10  # keys in a warning


NO_KEYS = (
    "--continue identifies rows by their keys, and the rows of this job have none of their own; map a column "
    "to the marker, or begin a new job with --again"
)
"""Why a job without keys does not go on with a file that has changed."""

GoesOn = Literal["with the same file", "with a new file", "not"]


async def goes_on(
    journal: Journal, path: Path, sha256: str, marker: str | None, options: ImportOptions
) -> GoesOn:
    """Return whether a job that was found goes on, or a new one begins."""
    plan = journal.plan
    retried = options.retry_refused and journal.counts()[State.REFUSED] > 0
    finished = is_finished(journal) and not retried
    if plan.sha256 == sha256:
        if not finished and plan.marker != marker:
            if await is_untouched(journal):
                return "not"
            _require_same_marker(plan, marker, journal.folder)
        return "with the same file"
    if finished or await is_untouched(journal):
        return "not"
    if not options.carry_over:
        raise ImportMapError(why_not(journal.plan, journal.folder, path, retried=is_finished(journal)))
    _require_same_marker(plan, marker, journal.folder)
    return "with a new file"


def why_not(plan: JobPlan, folder: Path, path: Path, *, retried: bool = False) -> str:
    """Return why a job does not go on with a file that has changed, and what to add to the command.

    Args:
        plan: the plan of the job.
        folder: its folder.
        path: the file.
        retried: whether it is finished, and only the rows that failed are to be sent again.
    """
    left = "--retry refused alone sends rows of the unchanged file" if retried else "which is not finished"
    return (
        f"{path} has changed since the job in {folder} began ({plan.created_at}), {left}: add --continue to "
        "go on with the new file, where rows are identified by their keys, or --again to begin a new job, "
        "which sends all rows of the new file"
    )


def is_finished(journal: Journal) -> bool:
    """Return whether nothing is left to do; with a marker rows in doubt can still be settled."""
    counts = journal.counts()
    left = counts[State.PLANNED] + counts[State.SENDING]
    return not left and not (journal.plan.marker and counts[State.IN_DOUBT])


async def is_untouched(journal: Journal) -> bool:
    """Return whether no run of the job has begun, as when the user said no: nothing was ever sent."""
    counts = journal.counts()
    return counts[State.PLANNED] + counts[State.REFUSED] == journal.plan.rows and not await journal.runs()


async def tells_rows_by_keys(journal: JournalReader) -> bool:
    """Return whether the rows have keys of their own, by which ``--continue`` knows them in another file."""
    keys = [row.key for row in await journal.rows_in(limit=_SHOWN) if row.key is not None]
    return journal.plan.marker is not None and not any(key.startswith(journal.plan.job) for key in keys)


def _require_same_marker(plan: JobPlan, marker: str | None, folder: Path) -> None:
    if plan.marker != marker:
        began = f"--marker {plan.marker}" if plan.marker else "no marker"
        raise ImportMapError(
            f"the job in {folder} began with {began}; give the same to go on. --again --abandon begins a new "
            "job, which sends all rows once more"
        )


def resumed_folder(folder: Path, path: Path, sha256: str, identity: str, operation: str) -> Path:
    """Return the folder of the job that goes on. Raise ImportMapError when the arguments mean another."""
    plan = plan_of(folder)
    if plan.sha256 != sha256:
        raise ImportMapError(why_not(plan, folder, path))
    for what, began, given in (("Company", plan.company, identity), ("operation", plan.operation, operation)):
        if began != given:
            raise ImportMapError(
                f"the job in {folder} is of {what} {began!r}, not of {given!r}; name that one"
            )
    return folder


async def left_behind(earlier: Journal, renewed: Journal) -> list[str]:
    """Return a warning for the rows in doubt that the new file does not have any more."""
    lines = []
    async for page in earlier.pages(State.SENDING, State.IN_DOUBT):
        kept = await renewed.rows_with([row.key for row in page if row.key])
        lines += [f"{row.key!r} (line {row.line})" for row in page if row.key not in kept]
    if not lines:
        return []
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    shown = ", ".join(lines[:_SHOWN]) + more
    return [
        f"in doubt in {earlier.folder}, and not in the new file: {shown}; wosdk jobs settle "
        f"{earlier.folder} looks them up"
    ]
