"""State of one event loop: connections, limiter and deadlines."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Any, Protocol, Self
from weakref import WeakKeyDictionary

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.options import ClientOptions, Limits, RetryPolicy
from wosdk_async.protocol.responses import RequestIds
from wosdk_async.transport.clock import Deadlines, Scope, TransportClock
from wosdk_async.transport.dispatcher import Dispatcher
from wosdk_async.transport.download import Downloads
from wosdk_async.transport.http.certificates import require_certificates
from wosdk_async.transport.http.engine import Engine, StreamingEngine
from wosdk_async.transport.http.environment import checked_proxy
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.transport.limiter.adaptive import AIMDLimit, GradientLimit
from wosdk_async.transport.limiter.limiter import ConcurrencyLimiter
from wosdk_async.transport.retry import RetryQuota
from wosdk_async.transport.session.credentials import Region
from wosdk_async.transport.session.hosts import HostRules
from wosdk_async.transport.session.login import Login
from wosdk_async.transport.session.manager import SessionManager
from wosdk_async.transport.telemetry.statistics import Counters

__all__ = ["Hold", "LoopState", "TransportSettings", "open_loop_state"]

_DOWNLOADS = 8  # files at once, over connections of their own: long files must not delay calls
_LOGIN_CONNECTIONS = 1024  # each Company renews once at a time; one that hangs must not delay the others
_CLEAN_UP = 1.0  # seconds that calls get to end after the grace of closing is over


class Closable(Protocol):
    """Object with connections to close."""

    async def aclose(self) -> None:
        """Close them."""


@attrs.frozen(kw_only=True)
class TransportSettings:
    """Options of a client, and the parts of its transport that tests replace."""

    options: ClientOptions
    hosts: HostRules = attrs.field()
    clock: TransportClock = TransportClock()
    engine: Callable[[Limits], Engine] | None = None
    """Makes the engines of calls, log-ins and downloads; None for those that the options ask for."""

    @hosts.default
    def _hosts_of_options(self) -> HostRules:
        return HostRules(self.options.host_suffixes, self.options.trusted_hosts or ())

    def __attrs_post_init__(self) -> None:
        """Refuse a proxy that cannot be used."""
        if self.options.proxy is not None:
            checked_proxy(self.options.proxy, "proxy")

    def require_usable(self, region: Region) -> None:
        """Raise ConfigurationError for an address, or certificates, with which no log-in can be sent."""
        urls = [
            self.hosts.endpoint(f"{name} of the region {region.name}", getattr(region, name))
            for name in ("token_url", "locator_url")
        ]
        given, options = self.engine, self.options
        if given or options.http_client or options.transport or options.ssl_context:
            return  # it has certificates of its own
        if any(url.startswith("https:") for url in urls):
            require_certificates()


@attrs.define(eq=False)
class LoopState:
    """Transport within one event loop."""

    dispatcher: Dispatcher
    login: Login
    engines: list[Closable]
    _connections: AsyncGenerator[None, None]
    # All of it is used by the thread of its loop alone. GIL: but any thread may drop a manager last, which
    # takes its key out of _kept, in one step.
    _downloads: Downloads | None = None
    _closing: asyncio.Lock = attrs.field(factory=asyncio.Lock, init=False)
    _kept: WeakKeyDictionary[SessionManager, dict[object, Any]] = attrs.field(
        factory=WeakKeyDictionary, init=False
    )

    @classmethod
    def start(cls, dispatcher: Dispatcher, login: Login, engines: list[Closable]) -> LoopState:
        """Return a state whose connections are closed when the loop ends, if not before.

        ``asyncio.run`` closes the async generators that were started in its loop. One of them closes the
        connections, so a client that was never closed leaves no socket open. ``weakref.finalize`` would run
        too late, when the loop is closed.
        """
        connections = _close_at_end(engines)
        with contextlib.suppress(StopIteration):
            next(connections.__anext__().__await__())  # runs to its yield: nothing before that waits
        return cls(dispatcher, login, engines, connections)

    def downloads(self, settings: TransportSettings) -> Downloads:
        """Return the downloads of this loop, made when they are first used."""
        if self._downloads is None:
            make = settings.engine or partial(engine_for, settings.options)
            engine = make(attrs.evolve(settings.options.limits, connections=_DOWNLOADS))
            if not isinstance(engine, StreamingEngine):
                raise ConfigurationError(
                    f"engine= makes {engine!r}, which cannot download: it has no stream()"
                )
            self.engines.append(engine)
            self._downloads = Downloads(engine, settings.hosts, settings.clock)
        return self._downloads

    def kept_for(self, sessions: SessionManager) -> dict[object, Any]:
        """Return the values that other packages keep for a Company in this loop, each under its own key."""
        return self._kept.setdefault(sessions, {})

    async def aclose(self, grace: float) -> None:
        """Wait ``grace`` seconds for running calls, end the others, close the connections."""
        counters, deadlines = self.dispatcher.counters, self.dispatcher.deadlines
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(grace):
                    await counters.none_left()
            deadlines.expire_all()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_CLEAN_UP):
                    await counters.none_left()
        finally:
            async with self._closing:  # if two tasks close at once, the second finds it done
                await self._connections.aclose()


@attrs.frozen(eq=False)
class Hold:
    """Context of a call that sends several requests: closing the client waits for all of them.

    Its requests are sent while the client is being closed, like those of other running calls.
    """

    state: LoopState
    clock: TransportClock

    def __enter__(self) -> Self:
        self.state.dispatcher.counters.running += 1
        return self

    def __exit__(self, *_: object) -> None:
        self.state.dispatcher.counters.end()

    @property
    def ended(self) -> bool:
        """Whether the client was closed and its grace is over."""
        return self.state.dispatcher.deadlines.ended

    def within(self, seconds: float) -> Scope:
        """Return a scope of ``seconds``, which ends early when the client is closed."""
        return self.state.dispatcher.deadlines.within(seconds)

    async def sleep(self, seconds: float) -> None:
        """Sleep between two requests. Raises TimeoutError when the client is closed meanwhile."""
        if self.ended:
            raise TimeoutError
        try:
            with self.within(seconds + _CLEAN_UP):
                await self.clock.sleep(seconds)
        except TimeoutError:
            if self.ended:
                raise
            # The program blocked the loop for longer than the margin: the time to sleep has passed, too.


async def _close_at_end(engines: list[Closable]) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        await asyncio.gather(*(engine.aclose() for engine in engines))


def open_loop_state(
    settings: TransportSettings, quota: RetryQuota, request_ids: RequestIds | None
) -> LoopState:
    """Return the state of the running loop. Its connections are opened by the first call."""
    options = settings.options
    make = settings.engine or partial(engine_for, settings.options)
    limits = options.limits
    calls = make(limits)
    logins = make(attrs.evolve(limits, connections=_LOGIN_CONNECTIONS))
    clock = settings.clock
    limiter = ConcurrencyLimiter(
        calls.capacity,
        options.in_flight,
        rate=options.rate,
        clock=clock,
        algorithm=GradientLimit if options.adaptive else AIMDLimit,
    )
    dispatcher = Dispatcher(
        engine=calls,
        limiter=limiter,
        clock=clock,
        deadlines=Deadlines(clock, asyncio.get_running_loop()),
        quota=quota,
        counters=Counters(),
        max_queued=options.max_queued,
        on_in_doubt=options.on_in_doubt,
        request_ids=request_ids,
    )
    login = Login(
        engine=logins, clock=clock, deadlines=Deadlines(clock), policy=RetryPolicy(), hosts=settings.hosts
    )
    return LoopState.start(dispatcher, login, [calls, logins])
