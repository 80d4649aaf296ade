"""Transport of one client: the state of each event loop, and the session of each Company."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from functools import partial
from typing import Any, TypeVar

from wosdk_async.errors import ConfigurationError, DeadlineError, InvalidCallError, WosdkError
from wosdk_async.hooks import BeforeSend
from wosdk_async.options import CallOptions, ClientOptions
from wosdk_async.protocol.responses import RequestIds, read
from wosdk_async.protocol.wire import Call, InconclusiveResponse, Response
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.dispatcher import report_in_doubt
from wosdk_async.transport.download import Downloads
from wosdk_async.transport.fork_safety import register_after_fork
from wosdk_async.transport.http.engine import PoolStatistics
from wosdk_async.transport.loop_state import Hold, LoopState, TransportSettings, open_loop_state
from wosdk_async.transport.retry import RetryQuota, give_up
from wosdk_async.transport.session.credentials import GrantProvider, Region, Tenant
from wosdk_async.transport.session.manager import SessionCache, SessionManager, TokenGrant
from wosdk_async.transport.telemetry.observers import LOG_OBSERVER, HookObserver, ObservedCall, Observer
from wosdk_async.transport.telemetry.opentelemetry import Telemetry, active_telemetry
from wosdk_async.transport.telemetry.statistics import Stats, Trace, company_stats

__all__ = ["Transport"]

_log = logging.getLogger("wosdk_async")

T = TypeVar("T")


class Transport:
    """Sender of the calls of many Companies. The first call opens its connections.

    All event loops share the sessions. Each loop has connections, limiter and deadlines of its own, and so
    has a forked child, which never touches the sockets of its parent.
    """

    def __init__(self, settings: TransportSettings) -> None:
        self._settings = settings
        self._options = options = settings.options
        self._loops: dict[asyncio.AbstractEventLoop, LoopState] = {}
        self._inherited: list[LoopState] = []
        self._sessions = SessionCache()
        self._quota = RetryQuota(options.retry_quota)
        self._request_ids = RequestIds() if options.check_request_ids else None
        self._closed = False
        self._usable: set[Region] = set()  # GIL: threads add to it in one step
        self._hook = None if options.on_attempt is None else HookObserver(options.on_attempt)
        self._telemetry: Telemetry | None = None
        self._observers: tuple[Observer, ...] = ()
        register_after_fork(self)

    def __repr__(self) -> str:
        state = "closed" if self._closed else "not opened"
        if self._loops and not self._closed:
            # GIL: the loops run in other threads, which change each number in one step.
            state = " ".join(repr(loop.dispatcher.limiter) for loop in list(self._loops.values()))
        return f"<Transport companies={len(self._sessions)} {state}>"

    @property
    def options(self) -> ClientOptions:
        """Options of the client."""
        return self._options

    @property
    def clock(self) -> TransportClock:
        """Clock of all waits of this transport."""
        return self._settings.clock

    def sessions(self, tenant: Tenant) -> SessionManager:
        """Return the manager of a tenant's session; it is always the same one."""
        # By the exact name: the service ignores case (facts 1), but case folding makes different names equal
        # ("Straße", "STRASSE"), and the provider of credentials must be asked for each name.
        key = (tenant.company, tenant.region, tenant.credentials)
        return self._sessions.get(
            key,
            lambda: SessionManager(
                tenant.company, partial(self._log_in, tenant), self._settings.clock, self._options.rate
            ),
        )

    def require_usable(self, region: Region) -> None:
        """Raise ConfigurationError for a region with which no log-in can be sent; each is checked once."""
        if region not in self._usable:
            self._settings.require_usable(region)
            self._usable.add(region)

    def set_rate(self, sessions: SessionManager, rate: float | None) -> None:
        """Send at most ``rate`` calls of a Company in a second from now on, in each loop."""
        sessions.rate = rate
        running = asyncio.get_running_loop()
        for loop, state in list(self._loops.items()):
            if loop is running:
                state.dispatcher.keep_rate(sessions)
                continue
            with contextlib.suppress(RuntimeError):  # it was closed meanwhile
                loop.call_soon_threadsafe(state.dispatcher.keep_rate, sessions)

    def send(
        self,
        call: Call[T],
        sessions: SessionManager,
        options: CallOptions,
        trace: Trace | None = None,
        hold: Hold | None = None,
        *,
        asked: bool = False,
    ) -> Coroutine[Any, Any, T]:
        """Send ``call`` and return its result; see :class:`~wosdk_async.transport.dispatcher.Dispatcher`.

        Args:
            call: the call.
            sessions: of its Company.
            options: its deadline and retries.
            trace: one of this call alone: it decides whether the call may have taken effect.
            hold: that of the call that this one is a part of.
            asked: whether ``before_send`` has let the call pass already.
        """
        # It returns the coroutine of the dispatcher: tens of thousands of calls may wait, each with one less.
        client = self._options
        if client.read_only and not call.reads:
            raise InvalidCallError(
                "this client only reads (read_only=True)", operation=call.operation, company=sessions.company
            )
        if client.before_send is not None and not asked:
            return self._ask_hook(client.before_send, call, sessions, options, trace, hold)
        loop = self._loops.get(asyncio.get_running_loop())
        if loop is None or self._closed:
            loop = self._loop_state() if hold is None else hold.state
        if not self._observers and not _log.isEnabledFor(logging.DEBUG):
            return loop.dispatcher.send(call, sessions, options, trace)
        observers = (*self._observers, LOG_OBSERVER) if _log.isEnabledFor(logging.DEBUG) else self._observers
        observed = ObservedCall(call, sessions.company, observers)
        return observed.run(partial(loop.dispatcher.send, call, sessions, options, trace, observed))

    async def _ask_hook(
        self,
        hook: BeforeSend,
        call: Call[T],
        sessions: SessionManager,
        options: CallOptions,
        trace: Trace | None,
        hold: Hold | None,
    ) -> T:
        """Return the result from the hook's response; send ``call`` if the hook gives none."""
        started = self.clock.now()
        response = await hook(call, sessions.company)
        if response is not None:
            return _read_hook_response(call, response, sessions.company, trace or Trace(), self.clock)
        left = options.seconds(call) - (self.clock.now() - started)
        options = options.within(max(left, 0.0))
        return await self.send(call, sessions, options, trace, hold, asked=True)

    async def connect(self, sessions: SessionManager, options: CallOptions) -> None:
        """Open the session, within the deadline of a call that is safe to repeat."""
        seconds = 60.0 if options.deadline is None else options.deadline
        hold = self.hold()
        deadlines = hold.state.dispatcher.deadlines
        if sessions.current() is not None:
            return
        scope = deadlines.within(seconds)
        try:
            with hold, scope:
                if seconds > 0:
                    await sessions.renew(after=0)
                    return
        except TimeoutError:
            if not scope.expired:  # that of the program's provider of credentials
                raise
        limit = "before the client was closed" if deadlines.ended else f"within {seconds:g} s"
        cause = f": {sessions.trouble}" if sessions.trouble else ""
        raise DeadlineError(f"no session {limit}{cause}", phase="session", company=sessions.company)

    def hold(self) -> Hold:
        """Return a context that keeps the client open for all requests of one call."""
        return Hold(self._loop_state(), self._settings.clock)

    def report_in_doubt(self, call: Call[Any], sessions: SessionManager) -> None:
        """Log a call that was cancelled while it may have taken effect, and call ``on_in_doubt``."""
        report_in_doubt(self._options.on_in_doubt, call, sessions.company)

    def downloads(self) -> Downloads:
        """Return the downloads of the running loop, which have connections of their own."""
        return self._loop_state().downloads(self._settings)

    def stats(self) -> Stats:
        """Return the statistics of this moment."""
        loop, settings = self._loops.get(asyncio.get_running_loop()), self._settings
        connections = loop.dispatcher.engine.statistics() if loop else PoolStatistics()
        return Stats(
            in_flight=loop.dispatcher.limiter.in_flight if loop else 0,
            queued=loop.dispatcher.limiter.queued if loop else 0,
            retry_quota=self._quota.left,
            outcomes=loop.dispatcher.counters.totals() if loop else {},
            companies=tuple(
                company_stats(
                    manager,
                    loop.dispatcher.queue_of(manager) if loop else None,
                    settings.options.in_flight,
                    settings.clock.now(),
                )
                for manager in self._sessions
            ),
            connections_busy=connections.busy,
            connections_idle=connections.idle,
        )

    async def aclose(self, grace: float = 5.0) -> None:
        """Refuse new calls, give running ones ``grace`` seconds to end, then close everything."""
        self._closed = True
        loop = asyncio.get_running_loop()
        try:
            if (state := self._loops.get(loop)) is not None:
                await state.aclose(grace)
        finally:
            self._loops.pop(loop, None)
            await asyncio.gather(*(manager.aclose() for manager in self._sessions))

    def _loop_state(self) -> LoopState:
        """Return the state of the running loop, opened if need be."""
        if self._closed:
            raise ConfigurationError("the client is closed; open a new one, or leave its block later")
        loop = asyncio.get_running_loop()
        state = self._loops.get(loop)
        if state is None:
            # GIL: loops in other threads do the same, so the dict is changed in place, in one step each time.
            for other in list(self._loops):
                if other.is_closed():
                    self._loops.pop(other, None)
            state = self._loops[loop] = open_loop_state(self._settings, self._quota, self._request_ids)
            self._find_observers()
        return state

    def _find_observers(self) -> None:
        """Set the observers: the hook of the program, and OpenTelemetry if it has a provider by now."""
        # Not asked for each call: OpenTelemetry reads the environment until there is a provider.
        # Two loops that open at once may each make a Telemetry; either does, as it keeps nothing of a call.
        if self._options.telemetry and self._telemetry is None:
            self._telemetry = active_telemetry(traceparent=self._options.traceparent)
        self._observers = tuple(each for each in (self._hook, self._telemetry) if each is not None)

    async def _log_in(self, tenant: Tenant, replaced: Secrets) -> TokenGrant:
        # While the client is being closed, running calls may still need a session.
        login = (self._loops.get(asyncio.get_running_loop()) or self._loop_state()).login
        note = self.sessions(tenant).note_trouble
        try:
            if isinstance(tenant.credentials, GrantProvider):
                return login.accept(tenant.company, await tenant.credentials.grant(tenant.company, replaced))
            return await login.grant(tenant.company, tenant.region, await tenant.pair(), replaced, note)
        except WosdkError as error:
            error.add(company=tenant.company)
            raise

    def forked(self) -> None:
        """Start without loops in a forked child, and keep the inherited ones untouched."""
        self._inherited += self._loops.values()
        self._loops = {}
        self._quota.forked()
        self._sessions.forked()


def _read_hook_response(
    call: Call[T], response: Response, company: str, trace: Trace, clock: TransportClock
) -> T:
    """Return the result of a call from the response that ``before_send`` gave."""
    trace.begin(call.request_id, clock, clock.now())
    trace.reply = response
    details = {"company": company, "operation": call.operation, "request_id": call.request_id}
    try:
        return read(call, response)
    except InconclusiveResponse as failure:
        error = give_up(failure, call.repeat_safe)
    except WosdkError as refusal:
        error = refusal
    error.add(**details)
    raise error
