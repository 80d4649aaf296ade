"""Rows of a file that earlier jobs of it have sent, and that a further job would send again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import attrs

from wosdk_async.jobs.journal import State, digest
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.sources.source import Source

__all__ = ["Repeated", "SentRows", "compared", "sent_rows"]

_SENT = (State.DONE, State.FOUND, State.SENDING, State.IN_DOUBT)


@attrs.define(eq=False)
class SentRows:
    """The rows that a job has sent, as hashes: of their cells, and of their keys."""

    folder: Path
    finished: bool
    """Whether none of them is under way or in doubt, and none is left."""
    cells: set[int] = attrs.field(factory=set)
    keys: dict[int, int] = attrs.field(factory=dict)
    """The hash of the cells by that of the key."""


@attrs.define(eq=False)
class Repeated:
    """How many rows of a file a job has sent. A row that several jobs have sent counts for the first."""

    sent: SentRows
    rows: int = 0
    """Rows of the file."""
    with_keys: int = 0
    """Rows with a key that the job has sent."""
    changed: int = 0
    """Those of them that have other cells now."""
    without_keys: int = 0
    """Further rows with the cells of a row that it has sent: no key prevents that they are sent again."""
    gone: int = 0
    """Keys that the job has sent, and that no row of the file has."""


async def sent_rows(journal: JournalReader) -> SentRows:
    """Return the rows that a job has sent, without those whose records an undo took back."""
    counts, undone = journal.counts(), await journal.undone_ids()
    left = (State.PLANNED, State.SENDING, State.IN_DOUBT)
    sent = SentRows(journal.folder, not any(counts[state] for state in left))
    async for page in journal.pages(*_SENT):
        for row in page:
            if row.id is None or row.id not in undone:
                sent.cells.add(row.digest)
                if row.key is not None:
                    sent.keys[digest((row.key,))] = row.digest
    return sent


async def compared(source: Source, keys: RowKeys | None, sent: Sequence[SentRows]) -> list[Repeated]:
    """Compare a file with the rows that jobs have sent.

    Args:
        source: the file as it is now.
        keys: the keys of its rows; None if they and those of the jobs cannot be compared.
        sent: what each job has sent.

    Returns:
        What each of the jobs has sent of the file, in the order of ``sent``.
    """
    return await asyncio.to_thread(_compared, source, keys, [Repeated(each) for each in sent])


def _compared(source: Source, keys: RowKeys | None, jobs: list[Repeated]) -> list[Repeated]:
    seen: set[int] = set()
    rows = 0
    for row in source if any(job.sent.cells for job in jobs) else ():
        rows += 1
        key = keys.key_or_none(row) if keys is not None else None
        hashed = None if key is None else digest((key,))
        if hashed is not None:
            seen.add(hashed)
        for job in jobs:
            if hashed in job.sent.keys:
                job.with_keys += 1
                job.changed += job.sent.keys[hashed] != row.digest
                break
            if row.digest in job.sent.cells:
                job.without_keys += 1
                break
    for job in jobs:
        job.rows = rows
        job.gone = len(job.sent.keys.keys() - seen)
    return jobs
