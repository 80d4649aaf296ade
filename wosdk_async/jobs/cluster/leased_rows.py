"""Rows leased to a worker, kept until the coordinator confirms their results. No I/O.

A row starts only if it can end within its lease. The clock is checked again right before the first byte of
each request, because the process or the machine may be suspended at any time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

import attrs

from wosdk_async.jobs.cluster.messages import MAX_RESULTS, NO_SHARE, GrantedRow, Order, Report, RowReport

NOT_SENT: Mapping[str, Any] = {"result": "not_sent"}
"""Result of a row for which no request takes effect, so that it can be granted again."""
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
    """Whether a request may have been sent, and may have taken effect."""

    def begin(self) -> None:
        """Allow the first byte of a request. Raises LeaseEndedError if the lease has expired."""
        now = self.clock()
        if not now < self.ends:
            raise LeaseEndedError(f"the lease expired {now - self.ends:.3g} s ago")
        self.begun = True


class LeasedRows:
    """Rows of one worker, identified by ``nonce``."""

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
