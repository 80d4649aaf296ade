"""Leases that runs before left open, of this job or of those beside it: their workers may still send."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path

import attrs

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.job_places import jobs_beside
from wosdk_async.jobs.journal import JobPlan, Journal, OpenLease
from wosdk_async.jobs.journal.folder import ADDRESS, plan_of
from wosdk_async.jobs.journal.lock import require_not_held
from wosdk_async.jobs.waits import stopped_within

__all__ = ["EarlierLeases"]

_WAITING = "workers of an earlier run may still send rows: nothing is sent before their leases have ended"


@attrs.define(eq=False)
class EarlierLeases:
    """Waits until no worker of an earlier run sends anything, counted from now, as no clock is believed."""

    journal: Journal
    on_stage: Callable[[str], None] = lambda _: None
    _stopped: asyncio.Event = attrs.field(factory=asyncio.Event)

    def stop(self) -> None:
        """Wait no longer: the leases stay open, and the next run waits for them."""
        self._stopped.set()

    async def end(self) -> None:
        """End the open leases of this job, unless it is stopped before.

        Raises:
            JournalError: the journal cannot be written.
        """
        leases = await self.journal.open_leases()
        if not leases or await self._over(leases):
            return
        for lease in leases:
            self.journal.end_grant(lease.epoch)
        await self.journal.flush()

    async def end_beside(self) -> None:
        """End the open leases of other jobs of the same file, unless it is stopped before.

        While a process works on such a job nothing is sent, whether it has leases now or not: it may grant
        its next rows, or send them itself. Each process holds the lock of its own job before it looks at the
        others, so of two that begin at once at least one is refused.

        Raises:
            JournalError: another process works on such a job.
        """
        ended: set[tuple[int, str]] = set()
        for folder in await asyncio.to_thread(_jobs_of_same_file, self.journal):
            if self._stopped.is_set():
                break
            await asyncio.to_thread(require_not_held, folder)
            leases = await _open_leases(folder)  # not before: until then it may have granted some
            if not leases:
                continue
            async with Journal.open(folder) as other:
                if await self._over(leases):
                    return
                for each in leases:
                    other.end_grant(each.epoch)
            ended |= {(each.epoch, each.worker) for each in leases}
        # Those that this job took over from such a job are the same.
        for each in await self.journal.open_leases() if ended else ():
            if each.run == 0 and (each.epoch, each.worker) in ended:
                self.journal.end_grant(each.epoch)

    async def _over(self, leases: Iterable[OpenLease]) -> bool:
        """Wait for the longest of some leases; return whether it was stopped before."""

        def say(left: float) -> None:
            self.on_stage(f"{_WAITING}, in {left:.0f} s")

        seconds = max(lease.seconds for lease in leases)
        say(seconds)
        return await stopped_within(self._stopped, seconds, say)


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
