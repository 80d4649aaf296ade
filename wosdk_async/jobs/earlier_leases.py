"""Leases that runs before left open, of this job or of those beside it: their workers may still send."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.job_places import jobs_beside
from wosdk_async.jobs.journal import JobPlan, Journal, OpenLease
from wosdk_async.jobs.journal.folder import ADDRESS, plan_of
from wosdk_async.jobs.journal.lock import require_not_held
from wosdk_async.jobs.stop import say_and_sleep

__all__ = ["end_leases", "end_leases_beside"]

_WAITING = "workers of an earlier run may still send rows: nothing is sent before their leases have ended"


async def end_leases(journal: Journal, on_stage: Callable[[str], None] = lambda _: None) -> None:
    """Wait until no worker of an earlier run of this job sends anything, and end its leases.

    The time counts from now, as no clock is believed. When the wait is cancelled, the leases stay open.

    Raises:
        JournalError: the journal cannot be written.
    """
    leases = await journal.open_leases()
    if not leases:
        return
    await _over(leases, on_stage)
    for lease in leases:
        journal.end_grant(lease.epoch)
    await journal.flush()


async def end_leases_beside(journal: Journal, on_stage: Callable[[str], None]) -> None:
    """Wait for the workers of other jobs of the same file, and end their leases.

    While a process works on such a job nothing is sent, whether it has leases now or not: it may grant
    its next rows, or send them itself. Each process holds the lock of its own job before it looks at the
    others, so of two that begin at once at least one is refused.

    Raises:
        JournalError: another process works on such a job.
    """
    for folder in await asyncio.to_thread(_jobs_of_same_file, journal):
        await asyncio.to_thread(require_not_held, folder)
        leases = await _open_leases(folder)  # not before: until then it may have granted some
        if not leases:
            continue
        async with Journal.open(folder) as other:
            await _over(leases, on_stage)
            for each in leases:
                other.end_grant(each.epoch)


async def _over(leases: Iterable[OpenLease], on_stage: Callable[[str], None]) -> None:
    seconds = max(lease.seconds for lease in leases)
    await say_and_sleep(seconds, lambda left: on_stage(f"{_WAITING}, in {left:.0f} s"))


def _jobs_of_same_file(journal: Journal) -> list[Path]:
    found = []
    for folder in jobs_beside(journal.folder):
        with contextlib.suppress(JournalError):  # of a damaged one nobody can tell
            if _is_of_same_file(plan_of(folder), journal.plan):
                found.append(folder)
    return found


def _is_of_same_file(one: JobPlan, other: JobPlan) -> bool:
    if (one.company, one.operation) != (other.company, other.operation):
        return False
    address = one.options.get(ADDRESS)
    same_place = one.file == other.file or (address is not None and address == other.options.get(ADDRESS))
    return same_place or one.sha256 == other.sha256


async def _open_leases(folder: Path) -> list[OpenLease]:
    with contextlib.suppress(JournalError):
        async with Journal.open(folder, snapshot=True) as journal:
            return await journal.open_leases()
    return []
