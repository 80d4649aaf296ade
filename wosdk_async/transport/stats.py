"""The state of a client in figures, to look at or to export."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from wosdk_async.transport.session import SessionKeeper

__all__ = ["CompanyStats", "Stats"]


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


def of_company(keeper: SessionKeeper, most: int, now: float) -> CompanyStats:
    """The figures of one Company; ``most`` is the limit of one that has not called yet."""
    lane, session = keeper.lane, keeper.session
    return CompanyStats(
        name=keeper.company,
        in_flight=lane.held if lane else 0,
        queued=len(lane.queue) if lane else 0,
        limit=lane.limit if lane else most,
        session_age=now - session.opened_at if session else None,
        session_left=max(0.0, session.expires_at - now) if session else None,
        session_number=session.generation if session else 0,
    )
