"""Leases: which worker may send which rows, and from when on it certainly sends them no more.

A row is under one lease at most. That ends in one of three ways, and once only: the worker reports the row,
the row is lost with the worker, or its grant is withdrawn before it was sent. So each row gets exactly one
outcome. The rules have no I/O; :func:`end_leases` waits for workers of earlier runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from wosdk_async.errors import ConfigurationError, InDoubtError
from wosdk_async.jobs.cluster.messages import Grant, GrantedRow
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import JobPlan, Journal, OpenLease
from wosdk_async.jobs.journal.folder import ADDRESS, jobs_beside, plan_of
from wosdk_async.jobs.journal.lock import require_not_held
from wosdk_async.jobs.stop import say_and_sleep

__all__ = [
    "MAX_LOSSES",
    "ClusterOptions",
    "Lease",
    "LeaseBook",
    "LeaseLostError",
    "WaitingRows",
    "boottime",
    "end_leases",
    "end_leases_beside",
]

MAX_LOSSES = 4  # leases in which a row may be lost, all but the first one alone, before it is refused
_CHARACTERS = 4_000_000  # of the rows of a lease, so that its message stays short


_CLOCK = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC_RAW", None))  # macOS has the latter


def boottime() -> float:
    """Return seconds of a clock that nobody sets and that runs while the machine sleeps."""
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)


@attrs.frozen(kw_only=True)
class ClusterOptions:
    """How rows are granted to workers; ``deadline`` is the longest time of one row, look-ups included.

    A worker may send the rows of a grant for ``lease`` seconds from its last report before; a lost lease
    is waited for ``skew`` seconds more. ``rate`` and ``in_flight`` are those of all workers. The run ends if
    no row ends for ``no_progress`` seconds although some wait.
    """

    lease: float = 30.0
    deadline: float = 20.0
    skew: float = 1.0
    rows_per_grant: int = 500
    rate: float | None = None
    in_flight: int = 32
    no_progress: float = 60.0

    def __attrs_post_init__(self) -> None:
        """Refuse a lease in which no row could start."""
        if self.deadline >= self.lease:
            raise ConfigurationError(
                f"deadline is {self.deadline} s and lease {self.lease} s: no row could start, as a row may "
                "take as long as the deadline; make the lease longer"
            )

    @property
    def over_after(self) -> float:
        """Seconds after which nothing is sent under a lease that begins now, wherever its worker is."""
        # A row starts only if it can end within the lease. But when its worker hangs meanwhile, its
        # request may leave at the very end of the lease; from then on it has until the deadline.
        return self.lease + self.deadline + self.skew


class LeaseLostError(InDoubtError):
    """A row that may have been sent by a worker that was lost."""


class WaitingRows:
    """Rows that wait for a worker, in their order; those that were lost before come first.

    A row may kill its worker. So one that was lost is granted again alone; after :data:`MAX_LOSSES` it is
    refused.
    """

    def __init__(self) -> None:
        self._rows: deque[GrantedRow] = deque()

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, row: GrantedRow) -> None:
        """Let a row wait."""
        (self._rows.appendleft if row.losses else self._rows.append)(row)

    def put_back(self, row: GrantedRow) -> None:
        """Let a row wait again that was not sent: before the others."""
        self._rows.appendleft(row)

    def next_batch(self, most: int, *, idle: bool) -> list[GrantedRow]:
        """Return rows for a worker; while one comes next that was lost, only an ``idle`` one gets it."""
        rows: list[GrantedRow] = []
        characters = 0
        while self._rows and len(rows) < most:
            characters += len(self._rows[0].body)
            if ((rows or not idle) and self._rows[0].losses) or (rows and characters > _CHARACTERS):
                break
            rows.append(self._rows.popleft())
            if rows[-1].losses:
                break
        return rows

    def clear(self) -> list[GrantedRow]:
        """Remove and return all rows."""
        rows, self._rows = list(self._rows), deque()
        return rows


@attrs.define(eq=False)
class Lease:
    """Rows that one worker may send until its clock reads ``ends``; ``over_at`` is by the coordinator's.

    ``rows`` are those of which nothing is reported; ``may_have_arrived`` says that the grant was sent.
    """

    epoch: int
    worker: str
    ends: float
    over_at: float
    rows: dict[int, GrantedRow]
    may_have_arrived: bool = False

    def grant(self) -> Grant:
        """Return the message that grants it; made before anything is reported."""
        return Grant(epoch=self.epoch, ends=self.ends, rows=tuple(self.rows.values()))


class LeaseBook:
    """All leases that have not ended."""

    def __init__(self, options: ClusterOptions) -> None:
        self._options = options
        self._leases: dict[str, dict[int, Lease]] = {}
        """Worker -> epoch -> lease."""
        self._rows: dict[int, Lease] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, worker: str) -> Mapping[int, Lease]:
        """Return the leases of a worker, by their epochs."""
        return self._leases.get(worker, {})

    def lease_of(self, number: int) -> Lease | None:
        """Return the lease that a row is under."""
        return self._rows.get(number)

    def outstanding(self, worker: str) -> int:
        """Return how many rows a worker has of which it has reported nothing."""
        return sum(len(lease.rows) for lease in self.of(worker).values())

    def open(
        self, epoch: int, worker: str, batch: Sequence[GrantedRow], *, clock: float, heard: float
    ) -> Lease:
        """Open a lease for rows under no other one, from the readings of both clocks at the last report."""
        rows = {row.row: row for row in batch}
        if len(rows) != len(batch) or self._rows.keys() & rows:
            raise AssertionError(f"a row of grant {epoch} is granted already")
        # Both clocks count from the same report: the worker's from when it was made, ours from when it came,
        # which was later. So the lease never ends here before it ends at the worker.
        ends, over_at = clock + self._options.lease, heard + self._options.over_after
        lease = Lease(epoch, worker, ends, over_at, rows)
        self._leases.setdefault(worker, {})[epoch] = lease
        self._rows.update(dict.fromkeys(rows, lease))
        return lease

    def pop_row(self, worker: str, epoch: int, number: int) -> tuple[GrantedRow, Lease] | None:
        """Remove and return a row with its lease, which ends with its last row; None if it is not in it."""
        lease = self.of(worker).get(epoch)
        if lease is None or number not in lease.rows:
            return None
        del self._rows[number]
        row = lease.rows.pop(number)
        if not lease.rows:
            self.remove([lease])
        return row, lease

    def unsent(self) -> list[Lease]:
        """Return the leases whose grants did not leave."""
        return [lease for lease in self._all() if not lease.may_have_arrived]

    def pop_over(self, now: float) -> list[Lease]:
        """Remove and return the leases under which nothing is sent any more."""
        return self.remove([lease for lease in self._all() if now >= lease.over_at])

    def _all(self) -> Iterator[Lease]:
        return (lease for of_worker in self._leases.values() for lease in of_worker.values())

    def remove(self, leases: list[Lease]) -> list[Lease]:
        """Remove leases, and return those of them that had not ended."""
        removed = [lease for lease in leases if self.of(lease.worker).get(lease.epoch) is lease]
        for lease in removed:
            of_worker = self._leases[lease.worker]
            del of_worker[lease.epoch]
            if not of_worker:
                del self._leases[lease.worker]
            for number in lease.rows:
                del self._rows[number]
        return removed


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
    seconds = max(lease.seconds for lease in leases)
    await say_and_sleep(seconds, lambda left: on_stage(f"{_WAITING}, in {left:.0f} s"))
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
        if await _open_leases(folder):  # not before: until then it may have granted some
            async with Journal.open(folder) as other:
                await end_leases(other, on_stage)


def _jobs_of_same_file(journal: Journal) -> list[Path]:
    found = []
    for folder in jobs_beside(journal.folder):
        with contextlib.suppress(JournalError):  # that of a damaged one is unknown
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
