"""Leases, which permit a worker to send rows for a limited time.

A worker never sends a row after its lease has expired. A row is under at most one lease. It leaves the
lease in one of three ways: the worker reports the row, the row is lost with the worker, or the grant is
withdrawn unsent. So each row gets exactly one outcome. The coordinator keeps its leases in :class:`Leases`,
and each worker keeps its rows in :class:`LeasedRows`. Only :func:`end_leases` does I/O.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import attrs

from wosdk_async.errors import ConfigurationError, InDoubtError
from wosdk_async.jobs.cluster.messages import MAX_RESULTS, NO_SHARE, GrantedRow, Order, Report, RowReport
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.stop import say_and_sleep

MAX_LOSSES = 4  # times a row may be lost before it is refused; after the first loss it is leased alone
_MAX_CHARACTERS = 4_000_000  # characters of rows in a lease, to keep orders short
# macOS has no CLOCK_BOOTTIME.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC_RAW", None))


def boottime() -> float:
    """Return the time in seconds on a monotonic clock that keeps running while the machine is suspended."""
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)


@attrs.frozen(kw_only=True)
class ClusterOptions:
    """Lease options. ``deadline`` is the time limit for one row, including look-ups.

    A worker may send a grant's rows for ``lease`` seconds, counted from its last report before the grant; the
    coordinator allows ``deadline + skew`` seconds more. ``rate`` and ``in_flight`` are totals for all
    workers. The run ends if rows are queued but none gets an outcome for ``no_progress`` seconds; a long
    deadline or a low rate extends this time.
    """

    lease: float = 30.0
    deadline: float = 20.0
    skew: float = 1.0
    rows_per_grant: int = 500
    rate: float | None = None
    in_flight: int = 32
    no_progress: float = 60.0

    def __attrs_post_init__(self) -> None:
        if self.deadline >= self.lease:
            raise ConfigurationError(
                f"the lease ({self.lease} s) must be longer than the deadline ({self.deadline} s), because a "
                "row can take until its deadline; use a longer lease"
            )

    @property
    def expires_after(self) -> float:
        """Seconds after which a lease opened now has certainly expired."""
        # A row only starts if it can end within the lease. But a worker that hangs may send the row's request
        # at the very end of the lease, and that request may last as long as the deadline.
        return self.lease + self.deadline + self.skew


class LeaseLostError(InDoubtError):
    """Error for a row that a lost worker may have sent."""


class WaitingRows(deque[GrantedRow]):
    """Queue of rows. Previously lost rows come first.

    A row may crash its worker, so a lost row is granted alone and refused after :data:`MAX_LOSSES` losses.
    """

    def put(self, row: GrantedRow) -> None:
        """Queue a row."""
        (self.appendleft if row.losses else self.append)(row)

    def next_batch(self, most: int, *, idle: bool) -> list[GrantedRow]:
        """Remove and return rows for a worker. Only an ``idle`` worker gets a previously lost row."""
        rows: list[GrantedRow] = []
        characters = 0
        while self and len(rows) < most:
            characters += len(self[0].body)
            if ((rows or not idle) and self[0].losses) or (rows and characters > _MAX_CHARACTERS):
                break
            rows.append(self.popleft())
            if rows[-1].losses:
                break
        return rows


@attrs.define(eq=False)
class Lease:
    """Lease that ends when its worker's clock reads ``ends``; ``expires_at`` is on the coordinator's clock.

    ``rows`` are the unreported rows; ``may_have_arrived`` is true once the grant has been sent.
    """

    epoch: int
    worker: str
    ends: float
    expires_at: float
    rows: dict[int, GrantedRow]
    may_have_arrived: bool = False


class Leases:
    """Open leases."""

    def __init__(self, options: ClusterOptions) -> None:
        self._options = options
        self._leases = defaultdict[str, dict[int, Lease]](dict)
        """Leases by worker and epoch."""
        self.rows: dict[int, Lease] = {}
        """Each row's lease."""

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, worker: str) -> Mapping[int, Lease]:
        """Return a worker's leases by epoch."""
        return self._leases[worker]

    def outstanding(self, worker: str) -> int:
        """Return how many of a worker's rows are unreported."""
        return sum(len(lease.rows) for lease in self.of(worker).values())

    def open(
        self, epoch: int, worker: str, batch: Sequence[GrantedRow], *, clock: float, heard: float
    ) -> Lease:
        """Open a lease.

        ``clock`` is the worker's time when it made its last report; ``heard`` is ours when it arrived.
        """
        rows = {row.row: row for row in batch}
        if len(rows) != len(batch) or self.rows.keys() & rows:
            raise AssertionError(f"a row of lease {epoch} is already leased")
        # The worker counts from the creation of its report, the coordinator from its later arrival. So the
        # coordinator never treats a lease as expired while the worker may still use it.
        ends, expires_at = clock + self._options.lease, heard + self._options.expires_after
        lease = Lease(epoch, worker, ends, expires_at, rows)
        self._leases[worker][epoch] = lease
        self.rows.update(dict.fromkeys(rows, lease))
        return lease

    def pop_row(self, worker: str, epoch: int, number: int) -> tuple[GrantedRow, Lease] | None:
        """Remove and return a row and its lease; None if the row is not leased.

        A lease closes with its last row.
        """
        lease = self.of(worker).get(epoch)
        if lease is None or number not in lease.rows:
            return None
        del self.rows[number]
        row = lease.rows.pop(number)
        if not lease.rows:
            self.remove([lease])
        return row, lease

    def unsent(self) -> list[Lease]:
        """Return leases whose grants were not sent."""
        return [lease for lease in self._all() if not lease.may_have_arrived]

    def pop_expired(self, now: float) -> list[Lease]:
        """Remove and return expired leases."""
        return self.remove([lease for lease in self._all() if now >= lease.expires_at])

    def _all(self) -> Iterator[Lease]:
        return (lease for of_worker in self._leases.values() for lease in of_worker.values())

    def remove(self, leases: list[Lease]) -> list[Lease]:
        """Remove leases; return those that were open."""
        removed = [lease for lease in leases if self.of(lease.worker).get(lease.epoch) is lease]
        for lease in removed:
            del self._leases[lease.worker][lease.epoch]
            for number in lease.rows:
                del self.rows[number]
        return removed


async def end_leases(journal: Journal, on_stage: Callable[[str], None]) -> None:
    """Wait until the leases of this job's earlier runs have expired, and close these leases.

    The wait starts now, because earlier clock readings are not trusted. A cancelled wait closes no lease.

    Raises:
        JournalError: the journal is not writable.
    """
    leases = await journal.open_leases()
    if not leases:
        return
    text = "workers of an earlier run may still send rows; waiting for their leases to expire"
    await say_and_sleep(max(leases.values()), lambda remaining: on_stage(f"{text} ({remaining:.0f} s)"))
    for epoch in leases:
        journal.end_grant(epoch)
    await journal.flush()


# --- a worker's rows, kept until the coordinator confirms their results ----------------------------

NOT_SENT: Mapping[str, Any] = {"result": "not_sent"}
"""Result of a row for which no request takes effect, so the row can be granted again."""
_MAX_QUEUED = 0.5  # seconds that started rows may wait for the rate limit
_QUEUED_PART = 0.5  # the limit as a part of the deadline; the smaller of the two limits applies


class LeaseEndedError(Exception):
    """Request not sent because its lease had expired. Not a WosdkError, so the request is never retried."""


@attrs.define(eq=False)
class LeasedRow:
    """Row whose lease ends when ``clock`` reads ``ends``."""

    epoch: int
    ends: float
    granted: GrantedRow
    clock: Callable[[], float]
    begun: bool = False
    """Whether a request may have been sent, and so may have taken effect."""

    def begin(self) -> None:
        """Allow the first byte of a request. Raises LeaseEndedError if the lease has expired."""
        now = self.clock()
        if not now < self.ends:
            raise LeaseEndedError(f"the lease expired {now - self.ends:.3g} s ago")
        self.begun = True


class LeasedRows:
    """Rows of one worker, identified by ``nonce``.

    A row starts only if it can end within its lease. The process or machine may be suspended at any time, so
    the clock is checked again right before the first byte of each request.
    """

    def __init__(self, nonce: str, deadline: float, clock: Callable[[], float]) -> None:
        self.nonce, self._deadline, self._clock = nonce, deadline, clock
        self.share = NO_SHARE
        self.results: deque[RowReport] = deque()
        """Unconfirmed results, in number order."""
        self.started: dict[int, LeasedRow] = {}
        """Rows that were started and have no result yet."""
        self._open: dict[int, LeasedRow] = {}
        """All rows without a result."""
        self._unstarted: deque[LeasedRow] = deque()
        self._seen: set[int] = set()
        """Epochs of all grants received, to ignore repeated grants."""
        self._obeyed_share = self._last_number = 0

    def obey(self, order: Order) -> bool:
        """Apply an order's grants, share and confirmations. Return False for an order to another worker."""
        if order.worker != self.nonce:
            return False
        while self.results and self.results[0].number <= order.received:
            self.results.popleft()
        if order.share.number > self.share.number:
            self.share = order.share
        for grant in order.grants:
            if grant.epoch not in self._seen:
                self._seen.add(grant.epoch)
                for row in grant.rows:
                    self._accept(LeasedRow(grant.epoch, grant.ends, row, self._clock))
        if order.stop or order.abort:
            self.return_unstarted()
        return True

    def _accept(self, row: LeasedRow) -> None:
        if row.granted.row in self._open:  # no result under an earlier grant yet
            self._record(row, NOT_SENT)
        else:
            self._open[row.granted.row] = row
            self._unstarted.append(row)

    def return_unstarted(self) -> None:
        """Report unstarted rows as not sent."""
        while self._unstarted:
            self.end(self._unstarted.popleft(), NOT_SENT)

    def next_row(self) -> LeasedRow | None:
        """Start and return the next row; None if no row may start now."""
        while self._unstarted:
            row = self._unstarted[0]
            if self._clock() + self._deadline > row.ends:  # the row might not end within its lease
                self.end(self._unstarted.popleft(), NOT_SENT)
            elif not self._has_room():
                return None
            else:
                self.started[row.granted.row] = self._unstarted.popleft()
                return row
        return None

    def _has_room(self) -> bool:
        if self.share.rate is not None:
            # More rows would only wait and miss their deadlines.
            seconds = min(_MAX_QUEUED, self._deadline * _QUEUED_PART)
            if self._not_begun() >= max(1, int(self.share.rate * seconds)):
                return False
        return len(self.started) < self.share.in_flight

    def _not_begun(self) -> int:
        return sum(not row.begun for row in self.started.values())

    def overdue(self) -> list[LeasedRow]:
        """Return the started rows whose leases have expired; the caller must cancel their calls."""
        now = self._clock()
        return [row for row in self.started.values() if now >= row.ends]

    def end(self, row: LeasedRow, fields: Mapping[str, Any]) -> None:
        """Record a row's result from the fields of its :class:`RowReport`.

        The result ``not_sent`` is recorded as ``in_doubt`` while the row's ``begun`` is true.
        """
        if fields["result"] == "not_sent" and row.begun:
            fields = {
                **fields,
                "result": "in_doubt",
                "reason": "the call was cancelled after the request was sent",
            }
        del self._open[row.granted.row]
        self.started.pop(row.granted.row, None)
        self._record(row, fields)

    def _record(self, row: LeasedRow, fields: Mapping[str, Any]) -> None:
        self._last_number += 1
        self.results.append(
            RowReport(number=self._last_number, epoch=row.epoch, row=row.granted.row, **fields)
        )

    def report(self, **fields: int) -> Report:
        """Return the next report; ``fields`` are the report's ``session`` and ``session_refused``."""
        # After a share has shrunk, the worker complies with it only once enough calls have ended.
        if len(self.started) <= self.share.in_flight:
            self._obeyed_share = self.share.number
        of_later_results = {result.epoch for result in islice(self.results, MAX_RESULTS, None)}
        return Report(
            worker=self.nonce,
            clock=self._clock(),
            results=tuple(islice(self.results, MAX_RESULTS)),
            epochs=tuple(sorted(of_later_results.union(row.epoch for row in self._open.values()))),
            share=self._obeyed_share,
            unstarted=len(self._unstarted) + self._not_begun(),
            **fields,
        )
