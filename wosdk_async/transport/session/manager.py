"""Token and host of each Company: one frozen pair, swapped together, renewed by one caller for all."""

from __future__ import annotations

import asyncio
import copy
import logging
import random
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextvars import ContextVar
from typing import Any
from weakref import WeakValueDictionary

import attrs

from wosdk_async.errors import SessionError, WosdkError
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.limiter.limiter import TenantQueue

__all__ = ["Session", "SessionCache", "SessionManager", "TokenGrant", "replaced"]

_log = logging.getLogger("wosdk_async")

_MARGIN = 30.0  # seconds before its end at which a token is not used any more: it must survive the way there
_EARLY = 0.8  # share of its life after which a token is renewed aside, less
_SPREAD = 0.1  # up to this share, drawn anew: Companies that were opened together do not renew together
_GRANTS = 4  # whose secrets are still hidden: a call may renew twice, and a response come later
_HOLD_OFF = 15.0  # seconds before a failed early renewal is tried again

replaced: ContextVar[Secrets] = ContextVar("wosdk_async_replaced", default=Secrets())  # noqa: B039 - immutable
"""The secrets of the sessions that the renewal under way follows: a response may repeat them still."""


@attrs.frozen(kw_only=True)
class TokenGrant:
    """What a renewal brings: a token with its life in seconds, and where the Company is."""

    token: str = attrs.field(repr=False)
    headers: tuple[tuple[str, str], ...] = attrs.field(default=(), repr=False)
    """Those of every call that the token is good for."""
    secrets: Secrets = attrs.field(factory=Secrets, repr=False)
    """Those of this grant; a keeper has those of earlier ones as well."""
    expires_in: float
    base_url: str
    locator_url: str
    company_version: str | None = None
    company_id: int | None = None


@attrs.frozen(kw_only=True)
class Session:
    """A Company's token and host, valid together. Times are those of the transport's clock."""

    grant: TokenGrant
    generation: int
    opened_at: float
    renew_after: float
    expires_at: float

    @classmethod
    def started(cls, grant: TokenGrant, generation: int, now: float, draw: float = 0.0) -> Session:
        """The session that ``grant`` opens at ``now``; a short-lived token keeps half of its life.

        ``draw`` in [0, 1) moves the early renewal forward.
        """
        usable = max(grant.expires_in - _MARGIN, grant.expires_in / 2)
        return cls(
            grant=grant,
            generation=generation,
            opened_at=now,
            renew_after=now + usable * (_EARLY - _SPREAD * draw),
            expires_at=now + usable,
        )

    @property
    def base_url(self) -> str:
        return self.grant.base_url


class SessionManager:
    """Holds the session of one Company and renews it, one renewal at a time.

    ``renew`` fetches a new pair; whatever it raises reaches all who wait for it.
    """

    def __init__(self, company: str, renew: Callable[[], Awaitable[TokenGrant]], clock: Clock) -> None:
        self.company = company
        self.paths: dict[str, str] = {}
        """Command -> the path that this Company was seen to know, where sources differ."""
        self.lane: TenantQueue | None = None
        """Its place at the limiter that sent its last call."""
        self.remembered: dict[object, Any] = {}
        """What packages above know of this Company as long as it is in use, each under a key of its own."""
        self._renew = renew
        self._granted: deque[Secrets] = deque(maxlen=_GRANTS)
        self._granting = threading.Lock()
        self.secrets = Secrets()
        """What no error of a call may show: those of the last few sessions, whichever it was sent with."""
        self.clock = clock
        self._session: Session | None = None
        self._generation = 0
        self._renewal: asyncio.Task[Session] | None = None
        self._renewals: set[asyncio.Task[Session]] = set()
        """That one, and those that other loops have begun."""
        self._no_early_before = 0.0

    def __repr__(self) -> str:
        host = self._session.base_url if self._session else "not opened"
        return f"<SessionManager {self.company!r} {host} session #{self._generation}>"

    @property
    def session(self) -> Session | None:
        """The session last opened, whether it still lives or not."""
        return self._session

    @property
    def spent(self) -> bool:
        """Whether nothing is lost by forgetting it: no live session, no renewal, no calls."""
        dead = self._session is None or self.clock.now() >= self._session.expires_at
        return dead and self._renewal is None and (self.lane is None or not self.lane.calls)

    def current(self, now: float | None = None) -> Session | None:
        """The session if it can be used now, without waiting; starts an early renewal when it is due."""
        session = self._session
        if now is None:
            now = self.clock.now()
        if session is None or now >= session.expires_at:
            return None
        if now >= session.renew_after and now >= self._no_early_before and self._renewal is None:
            self._start().add_done_callback(self._log_early)
        return session

    async def newer_than(self, generation: int) -> Session:
        """A session that came after ``generation``, the one that failed (0 for none): renews if need be.

        Raises SessionError, or whatever error stopped the renewal.
        """
        session = self._session
        if session is not None and session.generation > generation and self.current() is not None:
            return session
        renewal = self._renewal
        if renewal is None or renewal.get_loop() is not asyncio.get_running_loop():
            renewal = self._start()  # one that another loop has begun may never end
        try:
            return await asyncio.shield(renewal)  # the renewal outlives any one of those who wait for it
        except WosdkError as error:
            raise copy.copy(error) from error  # each waiter adds its own details
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if renewal.cancelled() and not (task is not None and task.cancelling()):
                raise SessionError(
                    f"the client was closed while the session of {self.company!r} was renewed"
                ) from None
            raise

    async def aclose(self) -> None:
        """Stop a renewal under way in this loop."""
        loop = asyncio.get_running_loop()
        renewals = list(self._renewals)  # other loops, in other threads, may begin one meanwhile
        if ours := [renewal for renewal in renewals if renewal.get_loop() is loop]:
            for renewal in ours:
                renewal.cancel()
            await asyncio.wait(ours)

    def _start(self) -> asyncio.Task[Session]:
        task = asyncio.get_running_loop().create_task(self._run(), name=f"renew session of {self.company}")
        task.add_done_callback(self._ended)
        self._renewal = task
        self._renewals.add(task)
        return task

    async def _run(self) -> Session:
        replaced.set(self.secrets)  # in the context of this task alone
        grant = await self._renew()
        with self._granting:  # loops in other threads may renew at the same time
            self._granted.append(grant.secrets)
            self.secrets = sum(self._granted, Secrets())
        self._generation += 1
        draw = random.random()  # noqa: S311 - not a secret
        self._session = session = Session.started(grant, self._generation, self.clock.now(), draw)
        return session

    def _ended(self, task: asyncio.Task[Session]) -> None:
        self._renewals.discard(task)
        if self._renewal is task:
            self._renewal = None
        if not task.cancelled():
            task.exception()  # read here: nobody may be waiting any more

    def _log_early(self, task: asyncio.Task[Session]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._no_early_before = self.clock.now() + _HOLD_OFF
            kind = type(task.exception()).__name__
            _log.warning(
                "early renewal failed, the old session goes on: company=%s error=%s", self.company, kind
            )


class SessionCache:
    """One keeper for each key, as long as it has a live session or somebody holds it.

    A client of a web back end meets thousands of Companies in its life. What is dead and unused is dropped
    whenever the number has doubled since the last time, so that each new Company pays for two looks at most.
    Event loops in several threads may share it.
    """

    FEWEST = 64

    def __init__(self) -> None:
        self._all: WeakValueDictionary[Hashable, SessionManager] = WeakValueDictionary()
        self._kept: dict[Hashable, SessionManager] = {}
        self._room = self.FEWEST
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[SessionManager]:
        # In one step, unlike values(): other threads may add some meanwhile.
        found = [reference() for reference in self._all.valuerefs()]
        return iter([keeper for keeper in found if keeper is not None])

    def get(self, key: Hashable, make: Callable[[], SessionManager]) -> SessionManager:
        """The keeper of ``key``, made if need be."""
        with self._lock:
            keeper = self._all.get(key)
            if keeper is None:
                keeper = self._all[key] = make()
            if key not in self._kept:
                if len(self._kept) >= self._room:
                    self._drop_spent()
                self._kept[key] = keeper
            return keeper

    def forked(self) -> None:
        """Begin anew in a child: a thread that is not there may have held the lock."""
        self._lock = threading.Lock()

    def _drop_spent(self) -> None:
        self._kept = {key: keeper for key, keeper in self._kept.items() if not keeper.spent}
        self._room = max(self.FEWEST, 2 * len(self._kept))
