"""Counters of a client, and the snapshot that a program gets of them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping

import attrs

from wosdk_async.transport.session.manager import SessionManager

__all__ = ["CompanyStats", "Counters", "Stats"]


@attrs.frozen(kw_only=True)
class CompanyStats:
    """Statistics of one Company: calls ``in_flight``, of at most ``limit``, and calls ``queued`` for a slot.

    ``session_age`` and ``session_left`` are the seconds since the session was opened and until it is renewed
    at the latest; None without a session. ``session_number`` counts the sessions that were opened.
    """

    name: str
    in_flight: int
    queued: int
    limit: int
    session_age: float | None
    session_left: float | None
    session_number: int


@attrs.frozen(kw_only=True)
class Stats:
    """Statistics of a client at one moment. Calls and connections are those of the running event loop.

    ``outcomes`` counts the calls that ended: ``done``, ``cancelled``, or the name of the error.
    ``retry_quota`` is the budget left for retries. ``connections_busy`` and ``connections_idle`` are the
    connections for calls, without those for log-ins and downloads.
    """

    in_flight: int
    queued: int
    retry_quota: float
    outcomes: Mapping[str, int]
    companies: tuple[CompanyStats, ...]
    connections_busy: int
    connections_idle: int


def company_stats(manager: SessionManager, initial_limit: int, now: float) -> CompanyStats:
    """Return the statistics of one Company; ``initial_limit`` is that of a Company without calls."""
    queue, session = manager.queue, manager.session
    return CompanyStats(
        name=manager.company,
        in_flight=queue.held if queue else 0,
        queued=len(queue.waiting) if queue else 0,
        limit=queue.limit if queue else initial_limit,
        session_age=now - session.opened_at if session else None,
        session_left=max(0.0, session.expires_at - now) if session else None,
        session_number=session.generation if session else 0,
    )


class Counters:
    """Counters of the calls of one event loop."""

    def __init__(self) -> None:
        self.running = 0
        """Calls that have not ended. Each call adds itself."""
        self.done = 0
        """Calls that returned a result."""
        self.outcomes: Counter[str] = Counter()
        """Other calls that ended, by ``cancelled`` or the name of the error."""
        self._none_left: asyncio.Event | None = None

    def failed(self, outcome: str) -> None:
        """Count a call that ended without a result."""
        self.outcomes[outcome] += 1

    def end(self) -> None:
        """Count a call that ended, however it did."""
        self.running -= 1
        if not self.running and self._none_left is not None:
            self._none_left.set()

    def totals(self) -> dict[str, int]:
        """Return how many calls ended with each outcome."""
        return {"done": self.done, **self.outcomes}

    async def none_left(self) -> None:
        """Wait until no call is running."""
        while self.running:
            self._none_left = self._none_left or asyncio.Event()
            self._none_left.clear()
            await self._none_left.wait()
