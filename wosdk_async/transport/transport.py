"""Transport of one client: the state of each event loop and the session of each Company."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from functools import partial
from typing import Any, TypeVar

from wosdk_async.errors import (
    ConfigurationError,
    DeadlineError,
    InvalidCallError,
    SessionRefusedError,
    WosdkError,
)
from wosdk_async.fork_safety import register_after_fork
from wosdk_async.options import DEFAULT_IN_FLIGHT, CallOptions
from wosdk_async.options.hooks import BeforeSend, ask_before_send
from wosdk_async.protocol.matching import RequestIds
from wosdk_async.protocol.responses import read
from wosdk_async.protocol.wire import Call, InconclusiveResponse
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.download import Downloads
from wosdk_async.transport.http.engine import PoolStatistics
from wosdk_async.transport.limiter import TenantQueue
from wosdk_async.transport.loop_state import Hold, LoopState, TransportSettings, open_loop_state
from wosdk_async.transport.retry import RetryQuota, final_error
from wosdk_async.transport.session.credentials import (
    AccessToken,
    Credentials,
    GrantProvider,
    Region,
    Tenant,
)
from wosdk_async.transport.session.manager import ManagerCache, SessionManager, TokenGrant
from wosdk_async.transport.session.renewal import TimeLeft
from wosdk_async.transport.telemetry.observers import (
    LOG_OBSERVER,
    HookObserver,
    Observer,
    Telemetry,
    active_telemetry,
)
from wosdk_async.transport.telemetry.statistics import CompanyStats, Stats, Trace

_log = logging.getLogger("wosdk_async")

T = TypeVar("T")


class Transport:
    """Transport for calls to many Companies. The first call opens the connections.

    Event loops share the sessions, but each has its own connections, limiter and deadlines. A forked
    child also gets its own, and never touches its parent's sockets.
    """

    def __init__(self, settings: TransportSettings) -> None:
        self._settings = settings
        self.options = options = settings.options
        self.clock = settings.clock
        self._loops: dict[asyncio.AbstractEventLoop, LoopState] = {}
        self._inherited: list[LoopState] = []
        """The parent's states, kept alive in a child so that their sockets are not closed."""
        self._sessions = ManagerCache()
        self._quota = RetryQuota(options.retry_quota)
        self._request_ids = RequestIds() if options.check_request_ids else None
        self.closed = False
        """Whether the transport refuses new calls."""
        self._usable: set[Region] = set()  # GIL: threads add to it atomically
        self._telemetry: Telemetry | None = None
        self._observers: tuple[Observer, ...] = ()
        register_after_fork(self)

    def __repr__(self) -> str:
        state = "closed" if self.closed else "not opened"
        if self._loops and not self.closed:
            # GIL: loops run in other threads and change each number atomically.
            state = " ".join(repr(loop.dispatcher.limiter) for loop in list(self._loops.values()))
        return f"<Transport companies={len(self._sessions)} {state}>"

    def sessions(self, tenant: Tenant) -> SessionManager:
        """Return the session manager of a tenant. Repeated calls return the same manager."""
        # Keyed by the exact name, although the service ignores case (facts 1). Case folding would equate
        # different names ("Straße", "STRASSE"), and the credentials provider must be asked for each name.
        credentials: object = tenant.credentials
        try:
            hash(credentials)
        except TypeError:  # an unhashable provider; the manager keeps it alive, so its id is not reused
            credentials = id(credentials)
        key = (tenant.company, tenant.region, credentials)
        return self._sessions.get(
            key,
            lambda: SessionManager(
                tenant.company, partial(self._log_in, tenant), self.clock, self.options.rate, tenant.origin
            ),
        )

    def require_usable(self, region: Region) -> None:
        """Raise ConfigurationError if the settings prevent log-ins in a region; check each region once."""
        if region not in self._usable:
            self._settings.require_usable(region)
            self._usable.add(region)

    def set_rate(self, sessions: SessionManager, rate: float | None) -> None:
        """Limit a Company to ``rate`` calls per second from now on, in each loop."""
        sessions.rate = rate
        running = asyncio.get_running_loop()
        for loop, state in list(self._loops.items()):
            if loop is running:
                state.dispatcher.apply_rate(sessions)
                continue
            with contextlib.suppress(RuntimeError):  # raised if the loop has been closed in the meantime
                loop.call_soon_threadsafe(state.dispatcher.apply_rate, sessions)

    def send(
        self,
        call: Call[T],
        sessions: SessionManager,
        options: CallOptions,
        trace: Trace | None = None,
    ) -> Coroutine[Any, Any, T]:
        """Send ``call`` and return its result.

        ``trace`` must not be shared with other calls: it records whether this call may have taken effect.
        """
        # Not an async function: tens of thousands of waiting calls each save a coroutine.
        if self.options.read_only:
            _require_read(call, sessions)
        try:
            state = self._loops.get(asyncio.get_running_loop())
        except RuntimeError:
            raise InvalidCallError(
                "no asyncio event loop is running; use asyncio.run(...), or trio_asyncio in trio",
                operation=call.operation,
                company=sessions.company,
            ) from None
        if state is None or self.closed:
            state = self._loop_state()
        if self._observers or self.options.before_send is not None or _log.isEnabledFor(logging.DEBUG):
            return self._send_held(call, sessions, options, trace)
        return state.dispatcher.send(call, sessions, options, trace)

    async def _send_held(
        self, call: Call[T], sessions: SessionManager, options: CallOptions, trace: Trace | None
    ) -> T:
        with self.hold(call, sessions) as hold:
            return await self.send_part(hold, call, options, trace)

    def send_part(
        self, hold: Hold, call: Call[T], options: CallOptions, trace: Trace | None = None
    ) -> Coroutine[Any, Any, T]:
        """Send an attempt or a look-up of the call that ``hold`` counts, and return its result."""
        if self.options.read_only:
            _require_read(call, hold.sessions)
        if self.options.before_send is not None:
            return self._ask_hook(self.options.before_send, hold, call, options, trace)
        return hold.send(call, options, trace)

    async def _ask_hook(
        self, hook: BeforeSend, hold: Hold, call: Call[T], options: CallOptions, trace: Trace | None
    ) -> T:
        """Return the result of the hook's response, or send ``call`` if the hook returns none."""
        started, sessions = self.clock.now(), hold.sessions
        response = await ask_before_send(hook, call, sessions.company)
        if response is not None:
            trace = trace or Trace()
            trace.begin(call.request_id, self.clock.now())
            trace.reply = response
            try:
                return read(call, response, origin=sessions.origin)
            except (InconclusiveResponse, WosdkError) as failure:
                error = final_error(failure, call.repeat_safe)
            error.add(company=sessions.company, operation=call.operation, request_id=call.request_id)
            raise error
        left = options.seconds(call) - (self.clock.now() - started)
        options = options.within(max(left, 0.0))
        return await hold.send(call, options, trace)

    async def connect(
        self, sessions: SessionManager, options: CallOptions, *, retry_refused: bool = True
    ) -> None:
        """Open the session within the deadline of ``options`` (default: 60 s).

        With ``retry_refused``, credentials that were refused a moment ago are tried once more.
        """
        seconds = 60.0 if options.deadline is None else options.deadline
        dispatcher = self._loop_state().dispatcher
        if sessions.current() is not None:
            return
        if retry_refused:
            sessions.hold_off.forget_refusal()
        scope = dispatcher.deadlines.within(seconds)
        dispatcher.counters.running += 1
        try:
            with scope:
                if seconds > 0:
                    await sessions.renew(0, scope.until)
                    return
        except TimeoutError:
            if not scope.expired:  # the program's credentials provider raised this TimeoutError
                raise
        finally:
            dispatcher.counters.end()
        limit = "before the client was closed" if dispatcher.deadlines.ended else f"within {seconds:.4g} s"
        cause = f": {sessions.login_waits_for}" if sessions.login_waits_for else ""
        raise DeadlineError(f"no session {limit}{cause}", phase="session", company=sessions.company)

    def hold(self, call: Call[Any], sessions: SessionManager) -> Hold:
        """Return the context of a call that may send several requests."""
        state, log = self._loop_state(), (LOG_OBSERVER,) if _log.isEnabledFor(logging.DEBUG) else ()
        return Hold(state, self.clock, call, sessions, self._observers + log)

    def downloads(self, sessions: SessionManager) -> Downloads:
        """Return a Company's downloader for the running loop; it uses its own connections."""
        return self._loop_state().downloads(self._settings, sessions)

    def stats(self) -> Stats:
        """Return the current statistics."""
        state = self._loops.get(asyncio.get_running_loop())
        connections = state.dispatcher.engine.statistics() if state else PoolStatistics()
        limit = DEFAULT_IN_FLIGHT if self.options.adaptive else self.options.in_flight
        now = self.clock.now()
        return Stats(
            in_flight=state.dispatcher.limiter.in_flight if state else 0,
            queued=state.dispatcher.limiter.queued if state else 0,
            retry_quota=self._quota.left,
            outcomes=state.dispatcher.counters.totals() if state else {},
            companies=tuple(
                _company_stats(each, state.dispatcher.queue_of(each) if state else None, limit, now)
                for each in self._sessions
            ),
            connections_busy=connections.busy,
            connections_idle=connections.idle,
        )

    async def aclose(self, grace: float = 5.0) -> None:
        """Refuse new calls, give running calls ``grace`` seconds, then close this loop's connections."""
        self.closed = True
        try:
            if (state := self._loops.get(asyncio.get_running_loop())) is not None:
                await state.aclose(grace)
        finally:
            await asyncio.gather(*(manager.aclose() for manager in self._sessions))

    def _loop_state(self) -> LoopState:
        if self.closed:
            raise ConfigurationError(
                "the client is closed; open a new one, or close this one later", client_closed=True
            )
        loop = asyncio.get_running_loop()
        state = self._loops.get(loop)
        if state is None:
            # GIL: loops in other threads also change this dict, so each change is one atomic operation.
            for other in list(self._loops):
                if other.is_closed():
                    self._loops.pop(other, None)
            state = self._loops[loop] = open_loop_state(self._settings, self._quota, self._request_ids)
            self._set_observers()
        return state

    def _set_observers(self) -> None:
        """Set the observers: the program's hook, and OpenTelemetry once it has a provider."""
        # Not run for each call, because OpenTelemetry rereads the environment until a provider is set. Two
        # loops that open at the same time may each create a Telemetry; either works (neither has call state).
        if self.options.telemetry and self._telemetry is None:
            self._telemetry = active_telemetry(traceparent=self.options.traceparent)
        hook = self.options.on_attempt and HookObserver(self.options.on_attempt)
        self._observers = tuple(each for each in (hook, self._telemetry) if each is not None)

    async def _log_in(self, tenant: Tenant, replaced: Secrets, time_left: TimeLeft) -> TokenGrant:
        # _loop_state() refuses while the client closes, but running calls may still need a session.
        login = (self._loops.get(asyncio.get_running_loop()) or self._loop_state()).login
        manager = self.sessions(tenant)
        sent: Credentials | AccessToken | None = None
        try:
            if isinstance(tenant.credentials, GrantProvider):
                return login.accept(tenant.company, await tenant.grant(replaced))
            note = partial(setattr, manager, "login_waits_for")
            manager.hold_off.require_new(pair := await tenant.pair(login.deadlines, note))
            grant = partial(login.grant, tenant.company, tenant.region)
            try:
                return await grant(sent := pair, replaced, note, time_left)
            except SessionRefusedError as error:
                # facts 1: a new token replaces one that expired on its way to the locator. A token that the
                # locator does not know was issued for another Company.
                if error.code == "INCORRECT_TOKEN":
                    raise
                sent = await tenant.pair(login.deadlines, note)
                return await grant(sent, replaced, note, time_left)
        except WosdkError as error:
            error.add(company=tenant.company)
            manager.hold_off.note(error, sent)
            raise

    def forget_records(self) -> None:
        """Discard the values cached for all Companies, but keep the sessions."""
        for sessions in self._sessions:
            sessions.forget_records()

    def forked(self) -> None:
        """Reset all loop state in a forked child without touching the parent's."""
        self._inherited += self._loops.values()
        self._loops = {}
        # A new quota, because a thread of the parent may have held the lock of the old one.
        self._quota = RetryQuota(self.options.retry_quota)
        self._sessions.forked()


def _require_read(call: Call[Any], sessions: SessionManager) -> None:
    if not call.reads:
        raise InvalidCallError(
            "the client is read-only (read_only=True)", operation=call.operation, company=sessions.company
        )


def _company_stats(
    manager: SessionManager, queue: TenantQueue | None, limit: int, now: float
) -> CompanyStats:
    """Return the statistics of one Company; ``queue`` is None before its first call in this loop."""
    session, login_since, error = manager.session, manager.login_since, manager.last_error
    return CompanyStats(
        name=manager.company,
        in_flight=queue.held if queue else 0,
        queued=len(queue.waiting) if queue else 0,
        limit=queue.limit if queue else limit,
        session_age=now - session.opened_at if session else None,
        session_left=max(0.0, session.expires_at - now) if session else None,
        session_number=session.generation if session else 0,
        response_age=None if manager.responded_at is None else now - manager.responded_at,
        login_age=None if login_since is None else now - login_since,
        login_waits_for="" if login_since is None else manager.login_waits_for,
        calls=queue.calls if queue else 0,
        error_age=None if error is None else now - error[0],
        last_error="" if error is None else error[1],
    )
