"""Rows of a changed file that a finished job of it has created: a new job would create them again."""

from __future__ import annotations

import asyncio
from pathlib import Path

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.going_on import tells_rows_by_keys
from wosdk_async.jobs.journal import State
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.sources.source import Source
from wosdk_async.model import WoCreateCommand

__all__ = ["require_no_repeats"]


async def require_no_repeats(
    journal: JournalReader, source: Source, marker: str | None, options: ImportOptions
) -> list[str]:
    """Return a warning for rows that a finished job of the file, before it changed, has created.

    Rows are the same if their cells are. Those that an undo took back do not count.

    Args:
        journal: of the finished job.
        source: the file as it is now.
        marker: the field that carries the key of each row; keys that are there are not created again.
        options: of the import; rows that it skips need no warning.

    Raises:
        ImportMapError: there are such rows, and no key prevents that they are created again.
    """
    if not _creates(journal.plan.operation):
        return []
    undone = await journal.undone_ids()
    created = {
        row.digest
        async for page in journal.pages(State.DONE, State.IN_DOUBT)
        for row in page
        if row.id is None or row.id not in undone
    }
    repeated = await asyncio.to_thread(_count, source, created) if created else 0
    if not repeated:
        return []
    rows = f"{repeated} of the rows of {source.path}"
    if marker is not None and marker == journal.plan.marker and await tells_rows_by_keys(journal):
        return [] if options.if_exists == "skip" else [_warning(rows, journal.folder)]
    raise ImportMapError(
        f"{rows} were sent by the job in {journal.folder}, before the file changed, and no key prevents that "
        "they are created again: import the new rows from a file of their own, or add --again to send all "
        "rows once more"
    )


def _warning(rows: str, folder: Path) -> str:
    return (
        f"{rows} were created by the job in {folder}, before the file changed, and fail as they are there "
        "already: --if-exists skip leaves them out, --continue --retry refused goes on with that job"
    )


def _creates(operation: str) -> bool:
    return operation == WoCreateCommand.wire_name or operation.startswith("create ")


def _count(source: Source, digests: set[int]) -> int:
    return sum(row.digest in digests for row in source)
