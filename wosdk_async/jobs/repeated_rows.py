"""Rows of a changed file that the job before has sent: a new job would send them again."""

from __future__ import annotations

import asyncio
from collections.abc import Set

import attrs

from wosdk_async.jobs.journal import State, digest
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.sources.source import Source

__all__ = ["RepeatedRows", "repeated_rows"]

_SENT = (State.DONE, State.FOUND, State.SENDING, State.IN_DOUBT)


@attrs.frozen
class RepeatedRows:
    """How many rows of a file a job of it has sent, before the file changed."""

    with_keys: int = 0
    """Rows whose keys that job has sent: a look-up finds their records."""
    without_keys: int = 0
    """Further rows with the cells of a row that it has sent: no key prevents that they are sent again."""
    unknown: bool = False
    """Whether other rows cannot be told, as the columns have changed and rows have no keys."""


async def repeated_rows(journal: JournalReader, source: Source, keys: RowKeys | None) -> RepeatedRows:
    """Compare a file with a job of it. Rows whose records an undo took back are new.

    Args:
        journal: of the job.
        source: the file as it is now.
        keys: the keys of its rows; None if they and those of the job cannot be compared.
    """
    undone = await journal.undone_ids()
    sent: set[int] = set()
    sent_keys: set[int] = set()
    async for page in journal.pages(*_SENT):
        for row in page:
            if row.id is None or row.id not in undone:
                sent.add(row.digest)
                if keys is not None and row.key is not None:
                    sent_keys.add(digest((row.key,)))
    if not sent:
        return RepeatedRows()
    with_keys, without = await asyncio.to_thread(_counts, source, keys, sent, sent_keys)
    columns = journal.plan.columns
    return RepeatedRows(with_keys, without, keys is None and columns not in ([], list(source.columns)))


def _counts(source: Source, keys: RowKeys | None, sent: Set[int], sent_keys: Set[int]) -> tuple[int, int]:
    with_keys = without = 0
    for row in source:
        key = keys.key_or_none(row) if keys is not None else None
        if key is not None and digest((key,)) in sent_keys:
            with_keys += 1
        elif row.digest in sent:
            without += 1
    return with_keys, without
