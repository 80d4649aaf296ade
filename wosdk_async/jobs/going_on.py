"""How far a job is, whether another one took its rows over, and why it does not go on with a changed file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.overview import continued_by

__all__ = ["is_finished", "is_untouched", "left_behind", "newest_of", "tells_rows_by_keys", "why_not"]

_SHOWN = 10  # keys in a warning


async def newest_of(folder: Path) -> Path:
    """Return the folder of the job that took over the rows of the one in ``folder``, or else that one."""
    while True:
        async with Journal.open(folder, snapshot=True) as journal:
            later = await continued_by(journal)
        if later is None:
            return folder
        folder = later


async def why_not(journal: JournalReader, path: Path) -> str:
    """Return why a job does not go on with a file that has changed, and what to add to the command.

    Args:
        journal: of the job.
        path: the file.
    """
    plan = journal.plan
    if is_finished(journal):
        left, anew = "--retry refused alone sends rows of the unchanged file", "--again"
    else:
        left, anew = "which is not finished", "--again --abandon"
    go_on = (
        "add --continue to go on with the new file, where rows are identified by their keys,"
        if await tells_rows_by_keys(journal)
        else "put the file back as it was to go on, as the rows of the job have no keys that identify them;"
    )
    return (
        f"{path} has changed since the job in {journal.folder} began ({plan.created_at}), {left}: {go_on} or "
        f"add {anew} to begin a new job, which sends all rows of the new file"
    )


def is_finished(journal: JournalReader) -> bool:
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


async def left_behind(earlier: Journal, renewed: Journal) -> Sequence[str]:
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
