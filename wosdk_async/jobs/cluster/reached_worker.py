"""One worker, as its reports show it: what it has confirmed, and how many rows it can use. No I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import attrs

from wosdk_async.jobs.cluster.messages import Grant, Report, RowReport, Share

__all__ = ["ReachedWorker"]

_MEASURED = 0.5  # seconds over which the speed is measured


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
    session: int = 0
    session_refused: int = 0
    epochs: tuple[int, ...] = ()
    """The grants that it has."""
    unconfirmed: dict[int, Grant] = attrs.field(factory=dict)
    """Grants that it may not have got."""
    speed: float = 0.0
    """Results a second, as a moving average; rows that it gives back count, too."""
    _throttled: int = 0
    _unstarted: int = 0
    _counted: int = 0
    _counted_since: float = attrs.field(init=False)

    @_counted_since.default
    def _counts_from_now(self) -> float:
        return self.heard

    def take(self, report: Report, now: float) -> list[RowReport]:
        """Take a report that arrived now, and return its new results.

        It may be an old one that comes late: then everything in it was true, and is smaller than it is now.
        """
        self.heard, self.clock = now, report.clock
        self.session, self.session_refused = report.session, report.session_refused
        self.epochs, self._unstarted = report.epochs, report.unstarted
        results = list(self._new(report))
        for epoch in (*report.epochs, *{result.epoch for result in results}):
            self.unconfirmed.pop(epoch, None)
        self._measure(len(results), now)
        return results

    def forget_grants_except(self, epochs: Collection[int]) -> None:
        """Forget the grants that have ended: they are not repeated, and their rows are not on the way."""
        self.unconfirmed = {epoch: grant for epoch, grant in self.unconfirmed.items() if epoch in epochs}

    def has_throttled(self, report: Report) -> bool:
        """Return whether the service asked it to wait since it was last asked this."""
        before, self._throttled = self._throttled, max(report.throttled, self._throttled)
        return self._throttled > before

    def room(self, share: Share, seconds: float, most: int) -> int:
        """Return how many rows it should get now, so that it has work for some ``seconds``; at most ``most``.

        The fewer rows it has, the fewer are lost with it; so it gets some more only when it has done half.
        """
        ahead = share.in_flight + self.speed * seconds
        if share.rate is not None:
            ahead = min(ahead, max(share.rate * seconds, 1.0))
        wanted = min(int(ahead), most)
        there = self._unstarted + sum(len(grant.rows) for grant in self.unconfirmed.values())
        return wanted - there if there <= wanted // 2 else 0

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
