"""Session of each Company: token and host in one frozen object, renewed once for all callers."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterator
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import attrs

from wosdk_async.errors import SessionError
from wosdk_async.text.safe_text import Secrets
from wosdk_async.text.secret import Secret, as_secret, without_login
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.limiter import TenantQueue
from wosdk_async.transport.session.renewal import HoldOff, Renewal, TimeLeft

_log = logging.getLogger("wosdk_async")

_MARGIN = 30.0  # a token is not used in its last seconds, because requests take time to arrive
_EARLY = 0.8  # a token is renewed in the background after this part of its usable lifetime
# Up to this part of the lifetime, chosen at random, is subtracted, so that Companies do not renew together.
_SPREAD = 0.1
_GRANTS = 4  # number of latest grants whose secrets are hidden: old responses may arrive after renewals
_EARLY_INTERVAL = 15.0  # seconds after which a failed early renewal is retried
_SEARCH_INTERVAL = 5.0  # seconds between discoveries while the Company's host is unreachable
_CLEAN_UP = 1.0  # maximum wait in seconds for a cancelled log-in: a provider may ignore the cancellation


@attrs.frozen(kw_only=True)
class TokenGrant:
    """Result of a log-in: a token with its lifetime in seconds, and the Company's host."""

    token: Secret = attrs.field(converter=as_secret, repr=False)
    headers: tuple[tuple[str, str | Secret], ...] = attrs.field(default=(), repr=False)
    """Headers of every call that uses the token."""
    secrets: Secrets = attrs.field(factory=Secrets, repr=False)
    """Secrets of this grant; the manager also keeps those of earlier grants."""
    expires_in: float
    base_url: str = attrs.field(converter=without_login)
    locator_url: str
    company_version: str | None = None
    company_id: int | None = None


@attrs.frozen(kw_only=True)
class Session:
    """Token and host of a Company, valid together. Times are from the transport's clock."""

    grant: TokenGrant
    generation: int
    opened_at: float
    renew_after: float
    expires_at: float


class SessionManager:
    """Session of one Company, renewed once for all callers.

    ``log_in`` returns a new grant. Its first argument holds the secrets of earlier sessions, which a response
    may still repeat. Its second argument returns the time left for further attempts. Every waiting call
    raises the error of ``log_in``.
    """

    def __init__(
        self,
        company: str,
        log_in: Callable[[Secrets, TimeLeft], Awaitable[TokenGrant]],
        clock: TransportClock,
        rate: float | None = None,
        origin: str | None = None,
    ) -> None:
        self.company = company
        self.origin = origin
        # GIL: loops in several threads read and set the attributes down to ``last_error`` atomically, and use
        # the values that they have read.
        self.paths: dict[str, str] = {}
        """Paths that this Company accepts, keyed by command; only for commands with alternative paths."""
        self.queue: TenantQueue | None = None
        """This Company's queue in the limiter that its last call used."""
        self.rate = rate
        """Maximum calls per second for this Company in one loop; None for no limit."""
        self.responded_at: float | None = None
        """Time of the service's last response, other than a 5xx, to a call of this Company."""
        self.last_error: tuple[float, str] | None = None
        """Time and class of the last error that ended a call of this Company."""
        self.places = Places(clock)
        """Values that higher layers keep for this Company while it is in use, in all loops."""
        self.login_waits_for = ""
        """Why the current log-in is waiting; contains no secrets. Timeout errors mention this reason."""
        self._log_in = log_in
        self._recent_secrets: deque[Secrets] = deque(maxlen=_GRANTS)
        self._lock = threading.Lock()
        self.secrets = Secrets()
        """Secrets of the last few sessions, which are hidden in every error."""
        self.clock = clock
        self.hold_off = HoldOff(clock)
        self.session: Session | None = None
        """Latest session, even if expired; None before the first."""
        self._renewals: set[Renewal[Session]] = set()
        """Renewals in progress, at most one of each loop."""
        self._abandoned: set[Renewal[Session]] = set()
        """Renewals of parent processes, kept because asyncio would log that a freed task was pending."""
        # GIL: threads add to the set, remove from it and copy it atomically.
        self._login_since = self._early_renewal_from = 0.0
        self._search_from = 0.0

    def __repr__(self) -> str:
        state = "logs in on its first call"
        if session := self.session:
            state = f"{session.grant.base_url} session #{session.generation}"
        return f"<SessionManager {self.company!r} {state}>"

    @property
    def login_since(self) -> float | None:
        """Start time of the latest log-in; None once the log-in and any hold-off after it are over."""
        running = bool(self._renewals) or self.hold_off.active
        return self._login_since if running else None

    @property
    def unused(self) -> bool:
        """Whether the manager may be dropped: no live session, no renewal, no calls."""
        dead = self.session is None or self.clock.now() >= self.session.expires_at
        return dead and not self._renewals and (self.queue is None or not self.queue.calls)

    def current(self, now: float | None = None) -> Session | None:
        """Return the live session, or None if there is none. Start an early renewal when due."""
        session = self.session
        if now is None:
            now = self.clock.now()
        if session is None or now >= session.expires_at:
            return None
        # Loops in two threads may each start a renewal at the same moment, which only costs another log-in.
        early = now >= session.renew_after and now >= self._early_renewal_from
        if early and not (self._renewals or self.hold_off.active):
            self._start().task.add_done_callback(self._early_renewal_ended)
        return session

    async def renew(self, after: int, until: float | None = None) -> Session:
        """Return a live session with a generation above ``after``, and renew the session if needed.

        ``after`` is the refused generation, or 0. The log-in is retried until the caller's deadline ``until``
        (default: 10 s after the log-in started). Raises the log-in's error, or SessionError if the client
        closes in the meantime or the service asks for a longer wait.
        """
        while True:
            session = self.session
            if session is not None and session.generation > after and self.current() is not None:
                return session
            if self.hold_off.active:
                await self.hold_off.wait(until)
                continue
            # Of this loop, because a loop cannot await another's task.
            renewal = next((each for each in list(self._renewals) if each.usable), None) or self._start()
            try:
                return await renewal.result(until)
            except SessionError:
                if not self.hold_off.active:
                    raise

    async def look_for_host(self, gone: Session, until: float) -> Session:
        """Look for a new host, because calls to the host of ``gone`` fail; return the newest session.

        The locator is queried at most once every 5 s. Raises the log-in's error.
        """
        # Loops in two threads may each search at the same moment, which only costs another log-in.
        if self.session is gone and not self._renewals:
            if (now := self.clock.now()) < self._search_from:
                return gone
            self._search_from = now + _SEARCH_INTERVAL
        return await self.renew(gone.generation, until)

    def forked(self) -> None:
        """Discard the parent's renewal in a forked child, where it would never end, and replace the locks."""
        self._lock = threading.Lock()
        self.forget_records()
        self._abandoned |= self._renewals
        self._renewals = set()

    def forget_records(self) -> None:
        """Discard what higher layers keep for this Company, such as cached names."""
        self.places = Places(self.clock)

    async def aclose(self) -> None:
        """Cancel the renewals that are running in this loop."""
        loop = asyncio.get_running_loop()
        # The set is copied, because other loops may start a renewal.
        tasks = [renewal.task for renewal in list(self._renewals)]
        if ours := [task for task in tasks if task.get_loop() is loop]:
            for task in ours:
                task.cancel()
            await asyncio.wait(ours, timeout=_CLEAN_UP)

    def _start(self) -> Renewal[Session]:
        renewal = Renewal(self._run, self.company, self.clock)
        renewal.task.add_done_callback(lambda _: self._renewals.discard(renewal))
        self._renewals.add(renewal)
        return renewal

    async def _run(self, time_left: TimeLeft) -> Session:
        # GIL: each field is set atomically. If two threads log in, the later log-in counts.
        self.login_waits_for, self._login_since = "", self.clock.now()
        grant = await self._log_in(self.secrets, time_left)
        self.login_waits_for = ""
        now, draw = self.clock.now(), random.random()  # noqa: S311 - not a secret
        # A token with a lifetime of less than a minute is used for half of it.
        usable = max(grant.expires_in - _MARGIN, grant.expires_in / 2)
        with self._lock:  # loops in other threads may also renew, and each session gets a higher generation
            self._recent_secrets.append(grant.secrets)
            self.secrets = sum(self._recent_secrets, Secrets())
            self.session = session = Session(
                grant=grant,
                generation=self.session.generation + 1 if self.session else 1,
                opened_at=now,
                renew_after=now + usable * (_EARLY - _SPREAD * draw),
                expires_at=now + usable,
            )
        return session

    def _early_renewal_ended(self, task: asyncio.Task[Session]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._early_renewal_from = self.clock.now() + _EARLY_INTERVAL
            kind = type(task.exception()).__name__
            _log.warning(
                "early renewal failed; the old session remains in use: company=%s error=%s",
                self.company,
                kind,
            )


class ManagerCache:
    """Thread-safe cache of managers, each kept while its session is live or the program holds it.

    Unused managers are dropped each time the cache has doubled in size. A web back end may use thousands of
    Companies, so adding a manager must have constant amortized cost.
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
        # GIL: valuerefs() copies atomically, values() does not; other threads may add managers.
        return iter([found for each in self._alive.valuerefs() if (found := each()) is not None])

    def get(self, key: Hashable, make: Callable[[], SessionManager]) -> SessionManager:
        """Return the manager for ``key``; create it with ``make`` if missing."""
        with self._lock:
            manager = self._alive.get(key)
            if manager is None:
                manager = self._alive[key] = make()
            if key not in self._kept:
                if len(self._kept) >= self._limit:
                    self._kept = {each: kept for each, kept in self._kept.items() if not kept.unused}
                    self._limit = max(self.MIN_SIZE, 2 * len(self._kept))
                self._kept[key] = manager
            return manager

    def forked(self) -> None:
        """Create new locks in a forked child, because a thread of the parent may have held the old ones."""
        self._lock = threading.Lock()
        for manager in self:
            manager.forked()


# --- values that higher layers keep -------------------------------------------------------------

T = TypeVar("T")


class Place(Generic[T]):
    """Key of a value, owned by the module that uses the value; ``make`` creates the value on first use."""

    def __init__(self, make: Callable[[TransportClock], T]) -> None:
        self.make = make


class Places:
    """Values that higher layers keep, by key."""

    def __init__(self, clock: TransportClock) -> None:
        self._clock = clock
        self._values: dict[Place[Any], Any] = {}

    def __getitem__(self, place: Place[T]) -> T:
        if (value := self._values.get(place)) is None:
            # GIL: loops in several threads share the values. If two create one at the same time, both use the
            # first.
            value = self._values.setdefault(place, place.make(self._clock))
        found: T = value
        return found
