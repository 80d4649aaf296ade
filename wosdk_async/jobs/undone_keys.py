"""Keys of undone records: a later job of the same file may use them again.

A cancelled work order and a removed record keep their keys, and queries find them (facts 3.4). A job knows by
their ids which of them an undo of a job beside it cancelled or deleted; all others count as there.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path
from typing import Any

from wosdk_async.company import Company
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.journal.folder import jobs_at
from wosdk_async.jobs.row_operation import Found, RowOperation, usable_id
from wosdk_async.model import WOStatus

__all__ = ["find_rows", "is_ended", "keep_undone", "undone_beside", "without_undone"]


async def undone_beside(base: Path, company: str, operation: str, *, besides: Path | None = None) -> set[int]:
    """Return the ids of the records that ledgers undid, and of those that these ledgers knew of.

    Args:
        base: the folder of the first job; the others stand beside it.
        company: identity of the Company of the jobs.
        operation: what they did with each row.
        besides: the folder of a job that does not count.
    """
    found: set[int] = set()
    for folder in jobs_at(base):
        async with Journal.open(folder, snapshot=True) as journal:
            plan = journal.plan
            if folder != besides and (plan.company, plan.operation) == (company, operation):
                found |= await journal.undone_ids()
    return found


async def keep_undone(journal: Journal, base: Path) -> None:
    """Write into the journal of a job which records undos of the jobs beside it cancelled or deleted.

    The journal is closed when that fails.
    """
    plan = journal.plan
    if plan.marker is None:
        return
    try:
        ids = await undone_beside(base, plan.company, plan.operation, besides=journal.folder)
        if ids:
            await journal.keep_undone(ids)
    except BaseException:
        await journal.close()
        raise


async def find_rows(
    operation: RowOperation,
    company: Company,
    journal: Journal,
    path: str,
    keys: Sequence[str],
    *,
    whole: bool = False,
) -> Found:
    """Return the records that have each key, without those that were undone before this job."""
    found = await operation.find(company, path, keys, whole=whole)
    lists = [records for records in found.values() if not isinstance(records, RowError)]
    ended = [record.id for records in lists for record in records if is_ended(record)]
    ids = [id for id in ended if usable_id(id) is not None]
    undone = await journal.undone_before(ids) if ids else set()
    return without_undone(found, undone) if undone else found


def without_undone(found: Found, undone: Set[int]) -> Found:
    """Return the records that have each key, without those that are undone, unless restored since."""
    return {
        key: records
        if isinstance(records, RowError)
        else [each for each in records if not (each.id in undone and is_ended(each))]
        for key, records in found.items()
    }


def is_ended(record: Any) -> bool:
    """Return whether a record is cancelled or removed."""
    cancelled = getattr(record, "status_id", None) == WOStatus.Cancelled
    return cancelled or bool(getattr(record, "is_removed", False))
