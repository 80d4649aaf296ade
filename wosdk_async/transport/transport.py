"""The transport of one client: its connections, its limiter, and the session of each Company."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from functools import partial
from typing import Any, TypeVar

import attrs

from wosdk_async.errors import ConfigurationError, DeadlineError, InvalidCallError, WosdkError
from wosdk_async.protocol.responses import RequestIds, read
from wosdk_async.protocol.wire import Call, Response, Unreadable
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.dispatcher import CallOptions, report_in_doubt
from wosdk_async.transport.download import Downloads
from wosdk_async.transport.fork_safety import register_after_fork
from wosdk_async.transport.http.engine import PoolStatistics
from wosdk_async.transport.loop_state import Hold, LoopState, opened
from wosdk_async.transport.retry import RetryQuota, give_up
from wosdk_async.transport.session.credentials import Tenant
from wosdk_async.transport.session.manager import SessionCache, SessionManager, TokenGrant
from wosdk_async.transport.settings import BeforeSend, TransportSettings
from wosdk_async.transport.telemetry.hooks import LOG, Hook, Observer
from wosdk_async.transport.telemetry.instrumentation import observed
from wosdk_async.transport.telemetry.opentelemetry import Telemetry, telemetry
from wosdk_async.transport.telemetry.stats import Stats, of_company
from wosdk_async.transport.telemetry.trace import Trace

__all__ = ["Transport"]

_log = logging.getLogger("wosdk_async")

T = TypeVar("T")


class Transport:
    """Sends calls for many Companies; opens its connections with the first one.

    Sessions are its own. Connections, limiter and deadlines belong to the event loop that made the call: each
    loop has its own, and so has a forked child, which never touches the sockets of its parent.
    """

    def __init__(self, settings: TransportSettings) -> None:
        self._settings = settings
        self._loops: dict[asyncio.AbstractEventLoop, LoopState] = {}
        self._inherited: list[LoopState] = []
        self._sessions = SessionCache()
        self._quota = RetryQuota(settings.retry_quota)
        self._request_ids = RequestIds() if settings.check_request_ids else None
        self._closed = False
        self._telemetry: Telemetry | None = None
        self._hooked = settings.on_attempt is not None
        register_after_fork(self)

    def __repr__(self) -> str:
        state = "closed" if self._closed else "not opened"
        if self._loops and not self._closed:
            state = " ".join(repr(running.dispatcher.limiter) for running in list(self._loops.values()))
        return f"<Transport companies={len(self._sessions)} {state}>"

    def changed(self, **settings: Any) -> Transport:
        """Another transport, not opened yet, whose settings differ in these."""
        return Transport(attrs.evolve(self._settings, **settings))

    @property
    def clock(self) -> Clock:
        """What the waits of this transport go by."""
        return self._settings.clock

    def sessions(self, tenant: Tenant) -> SessionManager:
        """The one manager of a tenant's session: the cache of hosts and tokens."""
        # By the exact name: the service ignores case (facts 1), but folding takes names for the same that are
        # not ("Straße", "STRASSE"), and a provider of credentials must be asked for each.
        key = (tenant.company, tenant.region, tenant.credentials)
        return self._sessions.get(
            key, lambda: SessionManager(tenant.company, partial(self._log_in, tenant), self._settings.clock)
        )

    def send(
        self,
        call: Call[T],
        sessions: SessionManager,
        options: CallOptions,
        trace: Trace | None = None,
        hold: Hold | None = None,
    ) -> Coroutine[Any, Any, T]:
        """The value of ``call``; see :class:`~wosdk_async.transport.dispatcher.Dispatcher`.

        ``trace`` decides the verdict, so it is one that no other call has. A call that is part of another one
        has its ``hold``. Not a coroutine itself but the dispatcher's: those that wait in tens of thousands
        hold one less.
        """
        settings = self._settings
        if settings.read_only and not call.reads:
            raise InvalidCallError(
                "this client only reads (read_only=True)", operation=call.operation, company=sessions.company
            )
        if settings.before_send is not None:
            return self._asked(settings.before_send, call, sessions, options, trace, hold)
        return self._go(call, sessions, options, trace, hold)

    def _go(
        self,
        call: Call[T],
        sessions: SessionManager,
        options: CallOptions,
        trace: Trace | None,
        hold: Hold | None,
    ) -> Coroutine[Any, Any, T]:
        """Send it, with the observers told of it if there are any."""
        running = self._loops.get(asyncio.get_running_loop())
        if running is None or self._closed:
            running = self._running() if hold is None else hold.running
        telemetry = self._telemetry
        if (
            self._hooked or (telemetry is not None and telemetry.active) or _log.isEnabledFor(logging.DEBUG)
        ) and (observers := self._observers()):
            send = partial(running.watched.send, call, sessions, options)
            return observed(call, sessions.company, observers, send, trace or Trace())
        return running.dispatcher.send(call, sessions, options, trace)

    def _observers(self) -> list[Observer]:
        """Who wants to be told now."""
        hook, telemetry = self._settings.on_attempt, self._telemetry
        found: list[Observer] = [] if hook is None else [Hook(hook)]
        if telemetry is not None and telemetry.active:
            found.append(telemetry)
        if _log.isEnabledFor(logging.DEBUG):
            found.append(LOG)
        return found

    async def _asked(
        self,
        hook: BeforeSend,
        call: Call[T],
        sessions: SessionManager,
        options: CallOptions,
        trace: Trace | None,
        hold: Hold | None,
    ) -> T:
        """The value of ``call`` if the hook lets it go, or from the answer that the hook gave."""
        begun = self.clock.now()
        answer = await hook(call, sessions.company)
        if answer is not None:
            return _taken(call, answer, sessions.company, trace or Trace(), self.clock)
        left = options.seconds(call) - (self.clock.now() - begun)
        options = attrs.evolve(options, deadline=max(left, 0.0))
        return await self._go(call, sessions, options, trace, hold)

    async def connect(self, sessions: SessionManager, options: CallOptions) -> None:
        """Open the session now, within the deadline of a call that is safe to repeat."""
        seconds = 60.0 if options.deadline is None else options.deadline
        hold = self.hold()
        deadlines = hold.running.dispatcher.deadlines
        if sessions.current() is not None:
            return
        scope = deadlines.within(seconds)
        try:
            with hold, scope:
                if seconds > 0:
                    await sessions.renew(after=0)
                    return
        except TimeoutError:
            if not scope.expired:  # the program's own, of what gives the credentials
                raise
        limit = "before the client was closed" if deadlines.ended else f"within {seconds:g} s"
        raise DeadlineError(f"no session {limit}", phase="session", company=sessions.company)

    def hold(self) -> Hold:
        """Return a context that keeps the client open for all requests of one call."""
        return Hold(self._running(), self._settings.clock)

    def report_in_doubt(self, call: Call[Any], sessions: SessionManager) -> None:
        """Tell the client's hook of a call that was given up while nobody knew how it had ended."""
        report_in_doubt(self._settings.on_in_doubt, call, sessions.company)

    def downloads(self) -> Downloads:
        """What fetches files, over connections of its own."""
        return self._running().downloads(self._settings)

    def stats(self) -> Stats:
        """The state in figures."""
        running, settings = self._loops.get(asyncio.get_running_loop()), self._settings
        connections = running.dispatcher.engine.statistics() if running else PoolStatistics()
        return Stats(
            in_flight=running.dispatcher.limiter.in_flight if running else 0,
            queued=running.dispatcher.limiter.queued if running else 0,
            retry_quota=self._quota.left,
            outcomes=running.dispatcher.counters.totals() if running else {},
            companies=tuple(
                of_company(manager, settings.in_flight, settings.clock.now()) for manager in self._sessions
            ),
            connections_busy=connections.busy,
            connections_idle=connections.idle,
        )

    async def aclose(self, grace: float = 5.0) -> None:
        """Refuse new calls, let those under way end within ``grace`` seconds, then end them and all else."""
        self._closed = True
        loop = asyncio.get_running_loop()
        try:
            if (running := self._loops.get(loop)) is not None:
                await running.aclose(grace)
        finally:
            self._loops.pop(loop, None)
            await asyncio.gather(*(manager.aclose() for manager in self._sessions))

    def _running(self) -> LoopState:
        if self._closed:
            raise ConfigurationError("the client is closed; open a new one, or leave its block later")
        loop = asyncio.get_running_loop()
        running = self._loops.get(loop)
        if running is None:
            # Loops in other threads do the same: the dict is changed in place, and by one step each time.
            for other in list(self._loops):
                if other.is_closed():
                    self._loops.pop(other, None)
            running = self._loops[loop] = opened(self._settings, self._quota, self._request_ids)
            if self._settings.telemetry and self._telemetry is None:
                self._telemetry = telemetry(traceparent=self._settings.traceparent)
        return running

    async def _log_in(self, tenant: Tenant, replaced: Secrets) -> TokenGrant:
        # While the client is being closed, calls under way may still need a session.
        login = (self._loops.get(asyncio.get_running_loop()) or self._running()).login
        try:
            return await login.grant(tenant.company, tenant.region, await tenant.pair(), replaced)
        except WosdkError as error:
            error.add(company=tenant.company)
            raise

    def forked(self) -> None:
        """In a child: open anew, and leave what was inherited alone; to close it would speak to its peers."""
        self._inherited += self._loops.values()
        self._loops = {}
        self._sessions.forked()


def _taken(call: Call[T], answer: Response, company: str, trace: Trace, clock: Clock) -> T:
    """The value of a call that a hook answered."""
    trace.begin(call.request_id, clock, clock.now())
    trace.reply = answer
    details = {"company": company, "operation": call.operation, "request_id": call.request_id}
    try:
        return read(call, answer)
    except Unreadable as failure:
        error = give_up(failure, call.repeat_safe)
    except WosdkError as refusal:
        error = refusal
    error.add(**details)
    raise error
