"""Sessions of a worker: the coordinator pushes them, and is asked for another one when one is used up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from wosdk_async.jobs.cluster.messages import PushedSession
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.session.manager import TokenGrant

__all__ = ["PushedSessions"]


class PushedSessions:
    """Provider of the sessions that the coordinator pushed, each given once.

    The transport asks for a session when it has none, when the service refused the one it has, and before
    that ends. Until a session with a higher number comes, :attr:`refused` says which one is used up.

    Args:
        clock: of the worker; sessions grow older while the machine sleeps.
        waits: called when a session is asked for that is not here.
    """

    def __init__(self, clock: Callable[[], float], waits: Callable[[], None]) -> None:
        self._clock = clock
        self._waits = waits
        self._newest: PushedSession | None = None
        self._ends = 0.0
        self._given = 0
        self._used_up = 0
        self._pushed = asyncio.Event()

    def __repr__(self) -> str:
        return f"<PushedSessions newest #{self.number}, given #{self._given}>"

    @property
    def number(self) -> int:
        """Number of the newest session; 0 for none."""
        return self._newest.number if self._newest is not None else 0

    @property
    def refused(self) -> int:
        """Number of the newest session if it is used up, also when nothing waits for another; else 0."""
        return self.number if self._used_up == self.number else 0

    def push(self, session: PushedSession) -> None:
        """Keep a session, if it is newer than the one before."""
        if session.number > self.number:
            self._newest, self._ends = session, self._clock() + session.expires_in
            self._pushed.set()

    async def grant(self, company: str, replaced: Secrets) -> TokenGrant:
        """Return the newest session that was not given yet; wait for it if there is none."""
        del company, replaced  # of one Company; the transport hides what it was given itself
        while (grant := self._take()) is None:
            self._used_up = self.number
            self._pushed.clear()
            self._waits()
            await self._pushed.wait()
        return grant

    def _take(self) -> TokenGrant | None:
        session = self._newest
        if session is None or session.number == self._given:
            return None
        self._given = session.number
        left = self._ends - self._clock()
        if left <= 0:  # it lay here for too long
            return None
        return TokenGrant(
            token=session.token,
            expires_in=left,
            base_url=session.base_url,
            locator_url=session.base_url,  # a worker asks no locator
        )
