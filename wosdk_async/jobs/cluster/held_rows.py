"""Rows of a worker: those of its leases wait, are sent, and have a result that has to be confirmed. No I/O.

A row is started only if it can end within its lease, and the clock is read again right before the first byte
of each request: a process may be stopped, or its machine may sleep, between any two steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

import attrs

from wosdk_async.jobs.cluster.messages import MAX_RESULTS, NO_SHARE, GrantedRow, Order, Report, RowReport

__all__ = ["NOT_SENT", "HeldRow", "HeldRows", "LeaseEndedError"]

NOT_SENT: Mapping[str, Any] = {"result": "not_sent"}
"""Fields of the report of a row of which nothing was sent."""
_QUEUED = 0.5  # seconds of its rate for which rows may wait that were started
_QUEUED_PART = 0.5  # part of the deadline that a row may wait there at most


class LeaseEndedError(Exception):
    """A request that was not sent, as its lease had ended. No WosdkError: no retry is to follow."""


@attrs.define(eq=False)
class HeldRow:
    """A row under a lease; ``begun`` says whether the first byte of a request may have left."""

    epoch: int
    ends: float
    granted: GrantedRow
    clock: Callable[[], float]
    begun: bool = False

    def begin(self) -> None:
        """Let the first byte of a request leave. Raise LeaseEndedError unless the lease holds now."""
        now = self.clock()
        if not now < self.ends:
            raise LeaseEndedError(f"its lease ended {now - self.ends:.3g} s before")
        self.begun = True


class HeldRows:
    """Rows of the leases of one worker; ``nonce`` was drawn when it was made."""

    def __init__(self, nonce: str, deadline: float, clock: Callable[[], float]) -> None:
        self.nonce, self._deadline, self._clock = nonce, deadline, clock
        self.share = NO_SHARE
        self.results: deque[RowReport] = deque()
        """Results that are not confirmed, in the order of their numbers."""
        self.under_way: dict[int, HeldRow] = {}
        """Rows that were started and have not ended."""
        self._rows: dict[int, HeldRow] = {}
        self._unstarted: deque[HeldRow] = deque()
        self._seen: set[int] = set()
        """Epochs of all grants that came: a repeated one starts nothing."""
        self._kept_share = self._numbered = 0

    def obey(self, order: Order) -> bool:
        """Take the grants, the share and the confirmations of an order, if it is for this worker."""
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
                    self._accept(HeldRow(grant.epoch, grant.ends, row, self._clock))
        if order.stop or order.abort:
            self.give_back()
        return True

    def _accept(self, row: HeldRow) -> None:
        if row.granted.row in self._rows:  # an earlier call for it has not ended
            self._record(row, NOT_SENT)
        else:
            self._rows[row.granted.row] = row
            self._unstarted.append(row)

    def give_back(self) -> None:
        """Report the rows that were not started as not sent."""
        while self._unstarted:
            self.end(self._unstarted.popleft(), NOT_SENT)

    def next_row(self) -> HeldRow | None:
        """Start the next row, and return it; None when no row may start now."""
        while self._unstarted:
            row = self._unstarted[0]
            if self._clock() + self._deadline > row.ends:  # it could not end within its lease
                self.end(self._unstarted.popleft(), NOT_SENT)
            elif not self._has_room():
                return None
            else:
                self.under_way[row.granted.row] = self._unstarted.popleft()
                return row
        return None

    def _has_room(self) -> bool:
        if self.share.rate is not None:
            # More would only wait, run out of time, and leave although it is too late.
            seconds = min(_QUEUED, self._deadline * _QUEUED_PART)
            if self._not_begun() >= max(1, int(self.share.rate * seconds)):
                return False
        return len(self.under_way) < self.share.in_flight

    def _not_begun(self) -> int:
        return sum(not row.begun for row in self.under_way.values())

    def overdue(self) -> list[HeldRow]:
        """Return the started rows whose leases have ended: their calls are to be cancelled."""
        now = self._clock()
        return [row for row in self.under_way.values() if now >= row.ends]

    def end(self, row: HeldRow, fields: Mapping[str, Any]) -> None:
        """Record the result of a row; ``fields`` are those of its report."""
        if fields["result"] == "not_sent" and row.begun:
            fields = {**fields, "result": "in_doubt", "reason": "its call was cancelled after it was sent"}
        del self._rows[row.granted.row]
        self.under_way.pop(row.granted.row, None)
        self._record(row, fields)

    def _record(self, row: HeldRow, fields: Mapping[str, Any]) -> None:
        self._numbered += 1
        result = RowReport(number=self._numbered, epoch=row.epoch, row=row.granted.row, **fields)
        self.results.append(result)

    def report(self, **fields: int) -> Report:
        """Return the report that is due now; ``fields`` are those of the session and of the service."""
        if len(self.under_way) <= self.share.in_flight:  # only then does it keep to a lower share
            self._kept_share = self.share.number
        later = {result.epoch for result in islice(self.results, MAX_RESULTS, None)}
        return Report(
            worker=self.nonce,
            clock=self._clock(),
            results=tuple(islice(self.results, MAX_RESULTS)),
            epochs=tuple(sorted(later.union(row.epoch for row in self._rows.values()))),
            share=self._kept_share,
            unstarted=len(self._unstarted) + self._not_begun(),
            **fields,
        )
