"""Other jobs of the same file: another process, or workers that it left, may still send their rows."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

import attrs

from wosdk_async.jobs.earlier_leases import EarlierLeases
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.job_places import jobs_beside
from wosdk_async.jobs.journal import JobPlan, Journal, OpenLease
from wosdk_async.jobs.journal.folder import ADDRESS, plan_of
from wosdk_async.jobs.journal.lock import require_not_held

__all__ = ["LeasesBeside"]


@attrs.define(eq=False)
class LeasesBeside:
    """Waits until surely nobody sends a row of another job of the same file.

    While a process works on such a job nothing is sent, whether it has leases now or not: it may grant its
    next rows, or send them itself. Each process holds the lock of its own job before it looks at the others,
    so of two that begin at once at least one is refused.

    A job that begins with ``again`` or ``carry_over`` sends rows that an earlier one may still send. What its
    workers left goes into the journal of that job, as when it goes on itself.
    """

    journal: Journal
    on_stage: Callable[[str], None]
    warnings: list[str] = attrs.field(factory=list)
    """What the user should know."""
    _waiting: EarlierLeases | None = None
    _stopped: bool = False

    def stop(self) -> None:
        """Wait no longer: the leases stay open, and the next run waits for them."""
        self._stopped = True
        if self._waiting is not None:
            self._waiting.stop()

    async def end(self) -> None:
        """End the open leases of these jobs, unless it is stopped before.

        Raises:
            JournalError: another process works on such a job.
        """
        ended: set[tuple[int, str]] = set()
        for folder in await asyncio.to_thread(self._folders):
            if self._stopped:
                break
            await asyncio.to_thread(require_not_held, folder)
            leases = await _open_leases(folder)  # not before: until then it may have granted some
            if not leases:
                continue
            async with Journal.open(folder) as other:
                self._waiting = EarlierLeases.of_job(other, self.on_stage)
                await self._waiting.end()
                self.warnings += self._waiting.warnings
                left = await other.open_leases()
            ended |= {(each.epoch, each.worker) for each in set(leases) - set(left)}
        # Those that this job took over from such a job are the same.
        for each in await self.journal.open_leases() if ended else ():
            if each.run == 0 and (each.epoch, each.worker) in ended:
                self.journal.end_grant(each.epoch)

    def _folders(self) -> list[Path]:
        found = []
        for folder in jobs_beside(self.journal.folder):
            with contextlib.suppress(JournalError):  # of a damaged one nobody can tell
                if _is_of_same_file(plan_of(folder), self.journal.plan):
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
