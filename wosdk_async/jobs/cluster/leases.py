"""Leases: permissions to send rows, until a time after which a worker certainly no longer sends them.

A row is under at most one lease, and leaves it exactly once: the worker reports the row, the row is lost with
the worker, or its grant is withdrawn before it was sent. So each row gets exactly one outcome. The rules have
no I/O; :func:`end_leases` waits for workers of earlier runs.
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
    "LeaseLostError",
    "Leases",
    "WaitingRows",
    "boottime",
    "end_leases",
    "end_leases_of_same_file",
]

MAX_LOSSES = 4  # leases in which a row may be lost before it is refused; from the second on it is alone
_MAX_CHARACTERS = 4_000_000  # of the rows of a lease, so that its message stays short
_CLOCK = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC_RAW", None))  # macOS has the latter


def boottime() -> float:
    """Return the seconds of a clock that nobody sets and that counts suspended time."""
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)


@attrs.frozen(kw_only=True)
class ClusterOptions:
    """Options of leases; ``deadline`` is that of one row, look-ups included.

    A worker may send the rows of a grant for ``lease`` seconds from its last report before the grant; the
    coordinator waits ``skew`` seconds longer. ``rate`` and ``in_flight`` are those of all workers together.
    The run ends after ``no_progress`` seconds in which no row ended although some were queued.
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
    def expires_after(self) -> float:
        """Seconds after which a lease that begins now has certainly expired, wherever its worker is."""
        # A row starts only if it can end within the lease. But if its worker hangs then, its request may
        # leave at the very end of the lease, and then has until the deadline.
        return self.lease + self.deadline + self.skew


class LeaseLostError(InDoubtError):
    """A row that may have been sent by a worker that was lost."""


class WaitingRows:
    """Queue of rows; those that were lost before come first.

    A row may kill its worker, so one that was lost is granted alone, and refused after :data:`MAX_LOSSES`.
    """

    def __init__(self) -> None:
        self._rows: deque[GrantedRow] = deque()

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, row: GrantedRow) -> None:
        """Queue a row."""
        (self._rows.appendleft if row.losses else self._rows.append)(row)

    def return_row(self, row: GrantedRow) -> None:
        """Queue a row that was not sent, in front."""
        self._rows.appendleft(row)

    def next_batch(self, most: int, *, idle: bool) -> list[GrantedRow]:
        """Remove and return rows for a worker; only an ``idle`` one gets a row that was lost."""
        rows: list[GrantedRow] = []
        characters = 0
        while self._rows and len(rows) < most:
            characters += len(self._rows[0].body)
            if ((rows or not idle) and self._rows[0].losses) or (rows and characters > _MAX_CHARACTERS):
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
    """Lease of one worker until its clock reads ``ends``; ``expires_at`` is by the coordinator's clock.

    ``rows`` are those without a report; ``may_have_arrived`` says that the grant was sent.
    """

    epoch: int
    worker: str
    ends: float
    expires_at: float
    rows: dict[int, GrantedRow]
    may_have_arrived: bool = False

    def grant(self) -> Grant:
        """Return the message that grants it."""
        return Grant(epoch=self.epoch, ends=self.ends, rows=tuple(self.rows.values()))


class Leases:
    """Open leases."""

    def __init__(self, options: ClusterOptions) -> None:
        self._options = options
        self._leases: dict[str, dict[int, Lease]] = {}
        """Worker -> epoch -> lease."""
        self._rows: dict[int, Lease] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, worker: str) -> Mapping[int, Lease]:
        """Return the leases of a worker, by epoch."""
        return self._leases.get(worker, {})

    def lease_of(self, number: int) -> Lease | None:
        """Return the lease that a row is under."""
        return self._rows.get(number)

    def outstanding(self, worker: str) -> int:
        """Return how many rows of a worker have no report."""
        return sum(len(lease.rows) for lease in self.of(worker).values())

    def open(
        self, epoch: int, worker: str, batch: Sequence[GrantedRow], *, clock: float, heard: float
    ) -> Lease:
        """Open a lease; ``clock`` and ``heard`` are the worker's and our time of its last report."""
        rows = {row.row: row for row in batch}
        if len(rows) != len(batch) or self._rows.keys() & rows:
            raise AssertionError(f"a row of grant {epoch} is granted already")
        # The worker counts from when it made the report, we from when it arrived, which was later. So the
        # lease never expires here before it ends there.
        ends, expires_at = clock + self._options.lease, heard + self._options.expires_after
        lease = Lease(epoch, worker, ends, expires_at, rows)
        self._leases.setdefault(worker, {})[epoch] = lease
        self._rows.update(dict.fromkeys(rows, lease))
        return lease

    def pop_row(self, worker: str, epoch: int, number: int) -> tuple[GrantedRow, Lease] | None:
        """Remove and return a row and its lease, which closes with its last row; None if there is none."""
        lease = self.of(worker).get(epoch)
        if lease is None or number not in lease.rows:
            return None
        del self._rows[number]
        row = lease.rows.pop(number)
        if not lease.rows:
            self.remove([lease])
        return row, lease

    def unsent(self) -> list[Lease]:
        """Return the leases whose grants were not sent."""
        return [lease for lease in self._all() if not lease.may_have_arrived]

    def pop_expired(self, now: float) -> list[Lease]:
        """Remove and return the leases that have expired."""
        return self.remove([lease for lease in self._all() if now >= lease.expires_at])

    def _all(self) -> Iterator[Lease]:
        return (lease for of_worker in self._leases.values() for lease in of_worker.values())

    def remove(self, leases: list[Lease]) -> list[Lease]:
        """Remove leases; return those that were open."""
        removed = [lease for lease in leases if self.of(lease.worker).get(lease.epoch) is lease]
        for lease in removed:
            of_worker = self._leases[lease.worker]
            del of_worker[lease.epoch]
            if not of_worker:
                del self._leases[lease.worker]
            for number in lease.rows:
                del self._rows[number]
        return removed


_WAITING = "workers of an earlier run may still send rows: nothing is sent before their leases expire"


async def end_leases(journal: Journal, on_stage: Callable[[str], None] = lambda _: None) -> None:
    """Wait until the leases of earlier runs of this job have expired, and close them.

    The wait counts from now, as no earlier clock is trusted. If it is cancelled, the leases stay open.

    Raises:
        JournalError: the journal cannot be written.
    """
    leases = await journal.open_leases()
    if not leases:
        return
    seconds = max(lease.seconds for lease in leases)
    await say_and_sleep(seconds, lambda remaining: on_stage(f"{_WAITING}, in {remaining:.0f} s"))
    for lease in leases:
        journal.end_grant(lease.epoch)
    await journal.flush()


async def end_leases_of_same_file(journal: Journal, on_stage: Callable[[str], None]) -> None:
    """Wait until the leases of other jobs of the same file have expired, and close them.

    A process that works on such a job may grant or send its next rows at any time, so then this one fails.
    Each process locks its own job before it checks the others, so of two that start at once at least one
    fails.

    Raises:
        JournalError: another process works on such a job.
    """
    for folder in await asyncio.to_thread(_jobs_of_same_file, journal):
        await asyncio.to_thread(require_not_held, folder)
        if await _open_leases(folder):  # checked with no process there that could grant more
            async with Journal.open(folder) as other:
                await end_leases(other, on_stage)


def _jobs_of_same_file(journal: Journal) -> list[Path]:
    found = []
    for folder in jobs_beside(journal.folder):
        with contextlib.suppress(JournalError):  # the file of a damaged job is unknown
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
