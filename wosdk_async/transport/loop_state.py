"""State of one event loop: connections, limiter and deadlines."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from typing import Any, Self, TypeVar
from weakref import WeakKeyDictionary

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.options import CallOptions, ClientOptions, Limits, RetryPolicy, Timeouts
from wosdk_async.protocol.matching import RequestIds
from wosdk_async.protocol.wire import Call
from wosdk_async.transport.clock import Deadlines, Scope, TransportClock
from wosdk_async.transport.dispatcher import Dispatcher
from wosdk_async.transport.download import Downloads
from wosdk_async.transport.http.certificates import require_certificates
from wosdk_async.transport.http.engine import Engine, StreamingEngine
from wosdk_async.transport.http.environment import parse_proxy
from wosdk_async.transport.http.selection import connection_ceiling, engine_for
from wosdk_async.transport.limiter import AIMDLimit, ConcurrencyLimiter, ThroughputLimit
from wosdk_async.transport.retry import RetryQuota, UnreachableHosts
from wosdk_async.transport.session.credentials import Region
from wosdk_async.transport.session.hosts import HostRules
from wosdk_async.transport.session.login import Login
from wosdk_async.transport.session.login_responses import LOCATOR, TOKEN
from wosdk_async.transport.session.manager import Places, SessionManager
from wosdk_async.transport.telemetry.observers import ObservedCall, Observer
from wosdk_async.transport.telemetry.statistics import Counters, Trace

T = TypeVar("T")

_DOWNLOADS = 8  # concurrent downloads; on their own connections, so that long ones do not delay calls
_MAX_DOWNLOADS = 32  # maximum concurrent downloads while the storage of some Companies hangs
_LOGIN_CONNECTIONS = 64  # for log-ins of all Companies; LoginSlots distributes them
_LOGIN_CONNECT = 5.0  # maximum seconds to connect for a log-in
# Seconds: so short that each log-in request opens a new connection. A log-in response names no Company or
# request, so on a shared connection it could be taken for the response to another request.
_LOGIN_LIFETIME = 1e-6
_LOGIN_WAIT = 4.0  # maximum seconds between log-in attempts; a deadline of 12 s then survives a 3 s outage
_CLEAN_UP = 1.0  # seconds in which cancelled calls may clean up after the grace period


@attrs.frozen(kw_only=True, repr=False)  # a traceback may show an incomplete object
class TransportSettings:
    """Options of a client, and the transport parts that tests replace."""

    options: ClientOptions
    hosts: HostRules = attrs.Factory(
        lambda self: HostRules(self.options.host_suffixes, self.options.trusted_hosts or ()), takes_self=True
    )
    clock: TransportClock = TransportClock()
    engine: Callable[[Limits], Engine] | None = None
    """Engine factory for calls, log-ins and downloads; if None, ``options`` select the engines."""

    def __attrs_post_init__(self) -> None:
        if self.options.proxy is not None:
            parse_proxy(self.options.proxy, "proxy")

    @property
    def uses_own_pool(self) -> bool:
        """Whether requests use the program's own httpx client or transport."""
        options = self.options
        return not (self.engine or (options.http_client is None and options.transport is None))

    def make_engine(self, limits: Limits, ceiling: int | None = None) -> Engine:
        """Return an engine with ``limits``; the built-in engine may briefly have ``ceiling`` connections."""
        return self.engine(limits) if self.engine else engine_for(self.options, limits, ceiling)

    def require_usable(self, region: Region) -> None:
        """Raise ConfigurationError if the addresses or CA certificates rule out a log-in."""
        urls = [address.url(region, self.hosts) for address in (TOKEN, LOCATOR)]
        if self.engine or self.uses_own_pool or self.options.ssl_context:
            return  # the program's engine, pool or context has its own certificates
        if any(url.startswith("https:") for url in urls):
            require_certificates()


@attrs.define(eq=False)
class LoopState:
    """Transport state within one event loop."""

    dispatcher: Dispatcher
    login: Login
    engines: list[Engine | StreamingEngine]
    # Only the loop's own thread uses these attributes. GIL: any thread may drop the last reference to a
    # manager, which removes its key from both dicts atomically.
    _downloading: tuple[StreamingEngine, ConcurrencyLimiter] | None = None
    _downloads: WeakKeyDictionary[SessionManager, Downloads] = attrs.field(
        factory=WeakKeyDictionary, init=False
    )
    _places: WeakKeyDictionary[SessionManager, Places] = attrs.field(factory=WeakKeyDictionary, init=False)
    shared: Places = attrs.field(init=False)
    """Values that higher layers keep for all Companies in this loop."""
    _closing: asyncio.Lock = attrs.field(factory=asyncio.Lock, init=False)
    _connections: AsyncGenerator[None, None] = attrs.field(init=False)
    """Generator that closes the engines. ``asyncio.run`` closes generators started in its loop, so a client
    that was never closed leaves no socket open. ``weakref.finalize`` would run too late.
    """

    @shared.default
    def _make_shared(self) -> Places:
        return Places(self.dispatcher.clock)

    @_connections.default
    def _start_connections(self) -> AsyncGenerator[None, None]:
        connections = _close_at_end(self.engines)
        with contextlib.suppress(StopIteration):
            # One step is enough: the generator does not wait before its yield.
            next(connections.__anext__().__await__())
        return connections

    def downloads(self, settings: TransportSettings, sessions: SessionManager) -> Downloads:
        """Return the downloads of a Company in this loop; the engine is created on first use."""
        if (found := self._downloads.get(sessions)) is not None:
            return found
        if self._downloading is None:
            engine = settings.make_engine(attrs.evolve(settings.options.limits, connections=_MAX_DOWNLOADS))
            if not isinstance(engine, StreamingEngine):
                raise ConfigurationError(
                    f"engine= returned {engine!r}, which cannot download: it has no stream()"
                )
            self.engines.append(engine)
            self._downloading = engine, ConcurrencyLimiter(_DOWNLOADS, ceiling=engine.capacity)
        engine, limiter = self._downloading
        created = Downloads(engine, limiter.new_queue(), settings.hosts, settings.clock)
        return self._downloads.setdefault(sessions, created)

    def places(self, sessions: SessionManager) -> Places:
        """Return the state that higher layers keep for a Company in this loop."""
        return self._places.get(sessions) or self._places.setdefault(sessions, Places(sessions.clock))

    async def aclose(self, grace: float) -> None:
        """Wait ``grace`` seconds for running calls, cancel the rest, and close the connections."""
        counters, deadlines = self.dispatcher.counters, self.dispatcher.deadlines
        try:
            for seconds in (grace, _CLEAN_UP):
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await counters.wait_until_idle()
                deadlines.expire_all()
        finally:
            async with self._closing:  # if two tasks close at once, the second waits, and has nothing to do
                await self._connections.aclose()


@attrs.define(eq=False)
class Hold:
    """Context of a call that may send several requests: counts and observes the call as one.

    Closing the client waits for the call. Its requests are still sent while the client is closing, like those
    of other running calls.
    """

    state: LoopState
    clock: TransportClock
    call: Call[Any]
    sessions: SessionManager
    observers: Iterable[Observer]
    observed: ObservedCall | None = attrs.field(default=None, init=False)

    def __enter__(self) -> Self:
        self.state.dispatcher.counters.running += 1
        if self.observers:
            self.observed = ObservedCall(self.call, self.sessions.company, self.observers)
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        dispatcher = self.state.dispatcher
        dispatcher.count(error, self.sessions)
        dispatcher.counters.end()
        if self.observed is not None:
            self.observed.end(error)

    def send(self, call: Call[T], options: CallOptions, trace: Trace | None) -> Coroutine[Any, Any, T]:
        """Send a request of the call: an attempt or a look-up."""
        observed = self.observed and self.observed.part(call)
        return self.state.dispatcher.send(call, self.sessions, options, trace, observed, counted=False)

    @property
    def ended(self) -> bool:
        """Whether the client has closed and its grace period is over."""
        return self.state.dispatcher.deadlines.ended

    def within(self, seconds: float) -> Scope:
        """Return a scope of ``seconds``, which ends early when the client closes."""
        return self.state.dispatcher.deadlines.within(seconds)

    async def sleep(self, seconds: float) -> None:
        """Sleep between two requests. Raises TimeoutError if the client closes during the sleep."""
        if self.ended:
            raise TimeoutError
        try:
            with self.within(seconds + _CLEAN_UP):
                await self.clock.sleep(seconds)
        except TimeoutError:
            if self.ended:
                raise
            # The program blocked the loop past the end of the scope, so the time of the sleep is also over.


async def _close_at_end(engines: list[Engine | StreamingEngine]) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        await asyncio.gather(*(engine.aclose() for engine in engines))


def open_loop_state(
    settings: TransportSettings, quota: RetryQuota, request_ids: RequestIds | None
) -> LoopState:
    """Return a new state for the running loop. Connections are opened by the first requests."""
    options, clock, limits = settings.options, settings.clock, settings.options.limits
    calls = settings.make_engine(limits, connection_ceiling(limits.connections))
    connections, steps = _LOGIN_CONNECTIONS, options.timeouts
    if own_pool := settings.uses_own_pool:
        connections = min(limits.connections, connections)
    else:  # a short connect timeout, so that its own error is reported before the log-in attempt times out
        steps = steps or Timeouts()
        steps = attrs.evolve(steps, connect=min(steps.connect or _LOGIN_CONNECT, _LOGIN_CONNECT))
    login_settings = attrs.evolve(settings, options=attrs.evolve(options, timeouts=steps))
    login_limits = attrs.evolve(limits, connections=connections, lifetime=_LOGIN_LIFETIME)
    logins = login_settings.make_engine(login_limits)
    limiter = ConcurrencyLimiter(
        calls.capacity,
        options.in_flight,
        ceiling=calls.ceiling,
        clock=clock,
        algorithm=ThroughputLimit if options.adaptive else AIMDLimit,
    )
    unreachable = UnreachableHosts(clock)
    dispatcher = Dispatcher(
        engine=calls,
        limiter=limiter,
        clock=clock,
        deadlines=Deadlines(clock, asyncio.get_running_loop()),
        quota=quota,
        counters=Counters(),
        unreachable=unreachable,
        max_queued=options.max_queued,
        on_in_doubt=options.on_in_doubt,
        request_ids=request_ids,
    )
    policy = RetryPolicy(wait_max=_LOGIN_WAIT, max_retry_after=0)  # session/renewal.py handles Retry-After
    login = Login(
        engine=logins,
        clock=clock,
        policy=policy,
        hosts=settings.hosts,
        preemptive=not own_pool,
        unreachable=unreachable,
    )
    return LoopState(dispatcher, login, [calls, logins])
