"""Session of each Company: token and host in one frozen object, renewed by one caller for all."""

from __future__ import annotations

import asyncio
import copy
import logging
import random
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterator
from typing import Any
from weakref import WeakValueDictionary

import attrs

from wosdk_async.errors import SessionError, WosdkError
from wosdk_async.safe_text import Secrets
from wosdk_async.shared_tasks import mark_retrieved
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.limiter.limiter import TenantQueue

__all__ = ["Session", "SessionCache", "SessionManager", "TokenGrant"]

_log = logging.getLogger("wosdk_async")

_MARGIN = 30.0  # last seconds of a token, in which it is not used: a request takes time to arrive
_EARLY = 0.8  # share of its lifetime after which a token is renewed in the background
_SPREAD = 0.1  # largest random share by which that is earlier: Companies opened together renew apart
_GRANTS = 4  # last grants whose secrets are hidden: a call may renew twice and still get an old response
_HOLD_OFF = 15.0  # seconds before a failed early renewal is tried again


@attrs.frozen(kw_only=True)
class TokenGrant:
    """Result of a log-in: a token with its lifetime in seconds, and the host of the Company."""

    token: str = attrs.field(repr=False)
    headers: tuple[tuple[str, str], ...] = attrs.field(default=(), repr=False)
    """Headers of every call that uses the token."""
    secrets: Secrets = attrs.field(factory=Secrets, repr=False)
    """Secrets of this grant; the manager keeps those of earlier grants, too."""
    expires_in: float
    base_url: str
    locator_url: str
    company_version: str | None = None
    company_id: int | None = None


@attrs.frozen(kw_only=True)
class Session:
    """Token and host of a Company, valid together. Times are those of the transport's clock."""

    grant: TokenGrant
    generation: int
    opened_at: float
    renew_after: float
    expires_at: float

    @classmethod
    def started(cls, grant: TokenGrant, generation: int, now: float, draw: float) -> Session:
        """Return the session that ``grant`` opens at ``now``; ``draw`` from 0 to 1 renews it earlier."""
        # A token that lives for less than a minute is used for half of its life.
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
        """Origin of the Company's host."""
        return self.grant.base_url


class SessionManager:
    """Session of one Company, renewed by one caller for all.

    ``log_in`` returns a new grant. It takes the secrets of earlier sessions, because a response may still
    repeat them. When it raises, every call that waits for the session gets the error.
    """

    def __init__(
        self,
        company: str,
        log_in: Callable[[Secrets], Awaitable[TokenGrant]],
        clock: TransportClock,
        rate: float | None = None,
    ) -> None:
        self.company = company
        # GIL: loops in several threads read and set these, each in one step, and use what they have read.
        self.paths: dict[str, str] = {}
        """Command -> path that this Company accepted, for commands whose path differs between sources."""
        self.queue: TenantQueue | None = None
        """Queue of this Company at the limiter that sent its last call."""
        self.rate = rate
        """Most calls of this Company that a loop sends in a second; None for no limit."""
        self.responded_at: float | None = None
        """Time of the service's last response to a call of this Company."""
        self.remembered: dict[object, Any] = {}
        """Values that other packages keep for this Company while it is in use, each under its own key."""
        self.trouble = ""
        """What the log-in that runs waits for, without secrets; empty when that is not known."""
        self.login_since: float | None = None
        """Time at which the log-in that runs began; None when none runs."""
        self._log_in = log_in
        self._recent_secrets: deque[Secrets] = deque(maxlen=_GRANTS)
        self._lock = threading.Lock()
        self.secrets = Secrets()
        """Secrets of the last few sessions. No error of a call may show them, whichever session it used."""
        self.clock = clock
        self._session: Session | None = None
        self._generation = 0
        self._renewal: asyncio.Task[Session] | None = None
        self._renewals: set[asyncio.Task[Session]] = set()
        """All renewals under way: the newest, and those that other loops started."""
        # GIL: threads add to the set, remove from it and copy it in one step each.
        self._early_renewal_from = 0.0

    def __repr__(self) -> str:
        session = self._session
        state = (
            f"{session.base_url} session #{self._generation}" if session else "logs in with its first call"
        )
        return f"<SessionManager {self.company!r} {state}>"

    @property
    def session(self) -> Session | None:
        """Session opened last, expired or not; None before the first one."""
        return self._session

    @property
    def unused(self) -> bool:
        """Whether it may be dropped: no live session, no renewal, no calls."""
        dead = self._session is None or self.clock.now() >= self._session.expires_at
        return dead and self._renewal is None and (self.queue is None or not self.queue.calls)

    def current(self, now: float | None = None) -> Session | None:
        """Return the session if it is live, else None. Start an early renewal when that is due."""
        session = self._session
        if now is None:
            now = self.clock.now()
        if session is None or now >= session.expires_at:
            return None
        # Loops in two threads may both start one at the same moment: that costs a log-in, and no more.
        if now >= session.renew_after and now >= self._early_renewal_from and self._renewal is None:
            self._start().add_done_callback(self._early_renewal_ended)
        return session

    async def renew(self, after: int) -> Session:
        """Return a live session with a generation above ``after``; renew it if there is none.

        Args:
            after: generation of the session that was refused; 0 if there was none.

        Raises:
            SessionError: the client was closed during the renewal.
            WosdkError: the error of the log-in.
        """
        session = self._session
        if session is not None and session.generation > after and self.current() is not None:
            return session
        renewal = self._renewal
        if renewal is None or renewal.get_loop() is not asyncio.get_running_loop():
            renewal = self._start()  # the renewal of another loop may never end
        try:
            return await asyncio.shield(renewal)  # a cancelled caller must not stop the renewal of the others
        except WosdkError as error:
            raise copy.copy(error) from error  # a copy: each call adds its own details to its error
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if renewal.cancelled() and not (task is not None and task.cancelling()):
                raise SessionError(
                    f"the client was closed while it renewed the session of {self.company!r}"
                ) from None
            raise

    def note_trouble(self, text: str) -> None:
        """Note what the log-in that runs waits for; who gives up meanwhile says so."""
        self.trouble = text

    def forked(self) -> None:
        """Forget the renewal of the parent in a forked child, which never ends there, and what has a lock."""
        self._lock = threading.Lock()
        self.remembered = {}
        self._renewal = None  # the task stays in _renewals: to drop it would log that it was destroyed

    async def aclose(self) -> None:
        """Stop the renewal that runs in this loop, if there is one."""
        loop = asyncio.get_running_loop()
        renewals = list(self._renewals)  # loops in other threads may start one meanwhile
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
        # GIL: of log-ins in two threads the one that began last counts; each field is set in one step.
        self.trouble, self.login_since = "", self.clock.now()
        try:
            grant = await self._log_in(self.secrets)
        finally:
            self.login_since = None
        self.trouble = ""
        now, draw = self.clock.now(), random.random()  # noqa: S311 - not a secret
        with self._lock:  # loops in other threads may renew too: the last session has the highest number
            self._recent_secrets.append(grant.secrets)
            self.secrets = sum(self._recent_secrets, Secrets())
            self._generation += 1
            self._session = session = Session.started(grant, self._generation, now, draw)
        return session

    def _ended(self, task: asyncio.Task[Session]) -> None:
        self._renewals.discard(task)
        if self._renewal is task:
            self._renewal = None
        mark_retrieved(task)

    def _early_renewal_ended(self, task: asyncio.Task[Session]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._early_renewal_from = self.clock.now() + _HOLD_OFF
            kind = type(task.exception()).__name__
            _log.warning(
                "early renewal failed, the old session stays in use: company=%s error=%s", self.company, kind
            )


class SessionCache:
    """Cache of managers by key. A manager stays while its session is live or a program refers to it.

    A web back end may use thousands of Companies in its life. Unused managers are dropped each time the
    number of managers has doubled, so that the cost for each new Company is constant. Threads may share the
    cache.
    """

    MIN_SIZE = 64

    def __init__(self) -> None:
        self._alive: WeakValueDictionary[Hashable, SessionManager] = WeakValueDictionary()
        self._kept: dict[Hashable, SessionManager] = {}
        self._limit = self.MIN_SIZE
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._alive)

    def __iter__(self) -> Iterator[SessionManager]:
        # GIL: valuerefs() copies in one step, values() does not; other threads may add managers meanwhile.
        found = [reference() for reference in self._alive.valuerefs()]
        return iter([manager for manager in found if manager is not None])

    def get(self, key: Hashable, make: Callable[[], SessionManager]) -> SessionManager:
        """Return the manager of ``key``; ``make`` makes it if there is none."""
        with self._lock:
            manager = self._alive.get(key)
            if manager is None:
                manager = self._alive[key] = make()
            if key not in self._kept:
                if len(self._kept) >= self._limit:
                    self._drop_unused()
                self._kept[key] = manager
            return manager

    def forked(self) -> None:
        """Make new locks in a forked child: a thread of the parent may have held the old ones."""
        self._lock = threading.Lock()
        for manager in self:
            manager.forked()

    def _drop_unused(self) -> None:
        self._kept = {key: manager for key, manager in self._kept.items() if not manager.unused}
        self._limit = max(self.MIN_SIZE, 2 * len(self._kept))
