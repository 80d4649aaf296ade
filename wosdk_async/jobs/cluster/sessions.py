"""Sessions for workers: the coordinator opens them, so that no worker has an id or a secret."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from wosdk_async.errors import SessionError, WosdkError
from wosdk_async.jobs.cluster.messages import PushedSession
from wosdk_async.transport.session.manager import Session, SessionManager

__all__ = ["ManagedSessions", "SessionPusher", "SessionSource"]

_ATTEMPTS = 3  # to renew a session, before the run ends
_BETWEEN = 5.0  # seconds between them
_MOST, _WITHIN = 10, 30.0  # renewals in so many seconds: a broken worker may ask for one all the time
_FRUITLESS = 5  # renewals one after another without a row that was carried out, before the run ends


class SessionSource(Protocol):
    """What opens and renews the session of a Company."""

    def current(self) -> PushedSession | None:
        """Return the session that is live; None before the first one, and when it has expired."""

    async def renew(self, after: int) -> PushedSession:
        """Return a live session with a number above ``after``; open it if there is none.

        Raises:
            WosdkError: the error of the log-in.
        """


class ManagedSessions:
    """The session of a client's Company, as workers get it."""

    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager

    def current(self) -> PushedSession | None:
        """Return the live session; a renewal that is due begins in the background."""
        session = self._manager.current()
        return self._pushed(session) if session is not None else None

    async def renew(self, after: int) -> PushedSession:
        """Return a live session with a number above ``after``."""
        return self._pushed(await self._manager.renew(after))

    def _pushed(self, session: Session) -> PushedSession:
        return PushedSession(
            number=session.generation,
            token=session.grant.token,
            base_url=session.base_url,
            expires_in=session.expires_at - self._manager.clock.now(),
        )


class SessionPusher:
    """Says which session a worker is sent, and renews one that was refused: once for all workers."""

    def __init__(self, source: SessionSource, failed: Callable[[WosdkError], None]) -> None:
        self._source = source
        self._failed = failed
        self._renewal: asyncio.Task[None] | None = None
        self._times: deque[float] = deque(maxlen=_MOST)
        """Readings of the loop's clock when the last renewals began."""
        self._fruitless = 0

    @property
    def renews(self) -> bool:
        """Whether a session is being opened or renewed; if that fails, the run ends with its error."""
        return self._renewal is not None and not self._renewal.done()

    def worked(self) -> None:
        """Note that a row was carried out, so the service takes the session."""
        self._fruitless = 0

    def session_for(self, used: int, refused: int) -> PushedSession | None:
        """Return the session that a worker gets, None when it has the newest or there is none yet.

        Args:
            used: number of the session that it uses.
            refused: number of the session that the service refused.
        """
        session = self._source.current()
        if session is None or session.number == refused:
            self._renew(0 if session is None else refused)
            return None
        return session if session.number != used else None

    async def aclose(self) -> None:
        """End a renewal."""
        if self._renewal is not None:
            self._renewal.cancel()
            await asyncio.gather(self._renewal, return_exceptions=True)

    def _renew(self, after: int) -> None:
        loop = asyncio.get_running_loop()
        if self.renews:
            return
        if len(self._times) == _MOST and loop.time() < self._times[0] + _WITHIN:
            return  # it is asked again with every order
        self._times.append(loop.time())
        self._fruitless += 1
        if self._fruitless > _FRUITLESS:  # the log-in works, and the service refuses what it gives
            text = f"the service refused {_FRUITLESS} sessions one after another"
            self._failed(SessionError(text))
        else:
            self._renewal = loop.create_task(self._renewed(after))

    async def _renewed(self, after: int) -> None:
        for left in reversed(range(_ATTEMPTS)):
            try:
                await self._source.renew(after)
                return
            except WosdkError as error:
                if not left:
                    self._failed(error)
            await asyncio.sleep(_BETWEEN)
