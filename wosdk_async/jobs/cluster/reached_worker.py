"""One worker, as its reports show it: what it has confirmed, and how many rows it can use. No I/O."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

import attrs

from wosdk_async.jobs.cluster.messages import Grant, Report, RowReport, Share

__all__ = ["ReachedWorker"]

_MEASURED = 0.5  # seconds over which the speed is measured
_MOST_ROWS_BACK = 20  # rows given back though there was time for them, less rows ended: then it rests
_REST = 5.0  # seconds after a grant in which a worker that gives back its rows gets no other
_MOST_GRANTS = 3  # on their way at a time, so that an order is not longer than a message can be


@attrs.define(eq=False)
class ReachedWorker:
    """A worker that responds.

    Args:
        nonce: drawn by the worker when it was made.
        name: of its link, for people.
        heard: the reading of the coordinator's clock when its last report arrived.
    """

    nonce: str
    name: str
    heard: float
    clock: float = 0.0
    """The reading of its own clock in that report."""
    received: int = 0
    """Number of its last result that arrived."""
    told: int = 0
    """Number of the last result that it knows to have arrived."""
    draining: bool = False
    """Whether it takes no further rows."""
    session: int = 0
    session_refused: int = 0
    epochs: tuple[int, ...] = ()
    """The grants that it has."""
    unconfirmed: dict[int, Grant] = attrs.field(factory=dict)
    """Grants that it may not have got."""
    speed: float = 0.0
    """Results a second, as a moving average; rows that it gives back count, too."""
    rests_until: float = -math.inf
    """The reading of the coordinator's clock until which it gets nothing."""
    _given_back: int = 0
    _throttled: int = 0
    _unstarted: int = 0
    _counted: int = 0
    _counted_since: float = attrs.field(init=False)

    @_counted_since.default
    def _counts_from_now(self) -> float:
        return self.heard

    def receive(self, report: Report, now: float) -> list[RowReport]:
        """Receive a report that arrived now, and return its new results.

        An old one that comes late does no harm. It was true when it was made, and all its numbers are lower
        than those of now: so the lease that is counted from it is shorter, and a share, a session or a result
        that it does not know yet is in the next report.
        """
        self.heard, self.clock = now, report.clock
        self.session, self.session_refused = report.session, report.session_refused
        self.epochs, self._unstarted, self.draining = report.epochs, report.unstarted, report.draining
        results = list(self._new(report))
        for epoch in (*report.epochs, *{result.epoch for result in results}):
            self.unconfirmed.pop(epoch, None)
        self._measure(len(results), now)
        return results

    def forget_grants_except(self, epochs: Collection[int]) -> None:
        """Forget the grants that have ended: they are not repeated, and their rows are not on the way."""
        self.unconfirmed = {epoch: grant for epoch, grant in self.unconfirmed.items() if epoch in epochs}

    def note_throttled(self, report: Report) -> bool:
        """Note how often the service asked it to wait; return whether it did so since the last report."""
        before, self._throttled = self._throttled, max(report.throttled, self._throttled)
        return self._throttled > before

    @property
    def gives_back(self) -> bool:
        """Whether it gives back most of what it gets though it had time for it: it is broken, or lies."""
        return self._given_back >= _MOST_ROWS_BACK

    def count_ends(self, ended: int, given_back: int) -> bool:
        """Count rows that it ended, and that it gave back though there was time for them.

        Return whether it gives back its rows now, and did not before.
        """
        before = self.gives_back
        self._given_back = min(max(self._given_back + given_back - ended, 0), 2 * _MOST_ROWS_BACK)
        return self.gives_back and not before

    def granted(self, grant: Grant) -> None:
        """Note a grant that is sent with the next order."""
        self.unconfirmed[grant.epoch] = grant
        if self.gives_back:
            self.rests_until = self.heard + _REST

    def room(self, share: Share, outstanding: int, seconds: float, most: int) -> int:
        """Return how many rows it should get now; 0 or less for none.

        The fewer rows it has, the fewer are lost with it; so it gets some more only when it has done half.
        It says how many it has not started; but whatever it says, it gets no more rows than its calls and
        the work ahead of them.

        Args:
            share: its share.
            outstanding: rows of which it has reported nothing, by the book.
            seconds: of work that it should have.
            most: most rows of one grant.
        """
        if self.heard < self.rests_until or len(self.unconfirmed) >= _MOST_GRANTS:
            return 0
        ahead = share.in_flight + self.speed * seconds
        if share.rate is not None:
            ahead = min(ahead, max(share.rate * seconds, 1.0))
        wanted = min(int(ahead), most)
        there = self._unstarted + sum(len(grant.rows) for grant in self.unconfirmed.values())
        if there > wanted // 2:
            return 0
        return min(wanted - there, share.in_flight + wanted - outstanding)

    def _new(self, report: Report) -> Iterator[RowReport]:
        """Yield the results that follow the last one without a gap, and count them as received."""
        for result in report.results:
            if result.number == self.received + 1:
                self.received += 1
                yield result

    def _measure(self, results: int, now: float) -> None:
        self._counted += results
        if (seconds := now - self._counted_since) >= _MEASURED:
            self.speed = (self.speed + self._counted / seconds) / 2
            self._counted, self._counted_since = 0, now
