"""Counters of a client, and the snapshot of them that a program gets."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping

import attrs

from wosdk_async.transport.session.manager import SessionManager

__all__ = ["CompanyStats", "Counters", "Stats"]


@attrs.frozen(kw_only=True)
class CompanyStats:
    """One Company: calls ``in_flight`` of at most ``limit`` now, calls ``queued`` for a slot.

    ``session_age`` and ``session_left`` are seconds since its session was opened and until it is not used any
    more, None without one; ``session_number`` counts the sessions it had.
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
    """A client at one moment; what it says of calls is of the running event loop.

    ``outcomes`` counts the calls that ended so far: ``done``, ``cancelled``, or the name of the error.
    ``retry_quota`` is what may still be spent on sending again. ``connections_busy`` and ``connections_idle``
    are those for calls, without log-ins and downloads.
    """

    in_flight: int
    queued: int
    retry_quota: float
    outcomes: Mapping[str, int]
    companies: tuple[CompanyStats, ...]
    connections_busy: int
    connections_idle: int


def of_company(manager: SessionManager, most: int, now: float) -> CompanyStats:
    """The figures of one Company; ``most`` is the limit of one that has not called yet."""
    queue, session = manager.queue, manager.session
    return CompanyStats(
        name=manager.company,
        in_flight=queue.held if queue else 0,
        queued=len(queue.waiting) if queue else 0,
        limit=queue.limit if queue else most,
        session_age=now - session.opened_at if session else None,
        session_left=max(0.0, session.expires_at - now) if session else None,
        session_number=session.generation if session else 0,
    )


class Counters:
    """Counted for every call; ``outcomes`` has ``done``, ``cancelled`` and the names of the errors."""

    def __init__(self) -> None:
        self.under_way = 0
        """How many have come and not gone; each adds itself."""
        self.outcomes: Counter[str] = Counter()
        self.done = 0
        """How many gave a value."""
        self._none_left: asyncio.Event | None = None

    def failed(self, how: str) -> None:
        """A call ended without a value."""
        self.outcomes[how] += 1

    def end(self) -> None:
        """A call has gone."""
        self.under_way -= 1
        if not self.under_way and self._none_left is not None:
            self._none_left.set()

    def totals(self) -> dict[str, int]:
        """Outcomes of the calls that ended."""
        return {"done": self.done, **self.outcomes}

    async def none_left(self) -> None:
        """Wait until no call is under way."""
        while self.under_way:
            self._none_left = self._none_left or asyncio.Event()
            self._none_left.clear()
            await self._none_left.wait()
