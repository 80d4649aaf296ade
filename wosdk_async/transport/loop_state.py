"""What belongs to one event loop: connections, limiter and deadlines."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from functools import partial
from typing import Protocol, Self

import attrs

from wosdk_async.protocol.responses import RequestIds
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.deadline import Deadlines
from wosdk_async.transport.dispatcher import Dispatcher
from wosdk_async.transport.download import Downloads
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.transport.limiter.adaptive import AIMDLimit, GradientLimit
from wosdk_async.transport.limiter.limiter import ConcurrencyLimiter
from wosdk_async.transport.retry import RetryPolicy, RetryQuota
from wosdk_async.transport.session.login import Login
from wosdk_async.transport.settings import TransportSettings
from wosdk_async.transport.telemetry.instrumentation import ObservedEngine
from wosdk_async.transport.telemetry.stats import Counters

__all__ = ["Hold", "LoopState", "opened"]

_DOWNLOADS = 8  # files fetched at once: aside, so that long files never hold calls up
_LOGIN_CONNECTIONS = 1024  # each Company renews once at a time, and one that hangs must not hold up others
_LEAVING = 1.0  # seconds that calls whose time was ended get to clean up


class Closing(Protocol):
    """What has connections to close."""

    async def aclose(self) -> None: ...


@attrs.define(eq=False)
class LoopState:
    """The transport within one event loop."""

    dispatcher: Dispatcher
    login: Login
    engines: list[Closing]
    _connections: AsyncGenerator[None, None]
    _downloads: Downloads | None = None
    _watched: Dispatcher | None = None
    _closing: asyncio.Lock = attrs.field(factory=asyncio.Lock, init=False)

    @classmethod
    def started(cls, dispatcher: Dispatcher, login: Login, engines: list[Closing]) -> LoopState:
        """What is made here closes its connections with the loop at the latest.

        ``asyncio.run`` ends the async generators that were begun in its loop, so one of them stands for
        the connections: a client that nobody closed leaves no socket open.
        """
        connections = _closing(engines)
        with contextlib.suppress(StopIteration):
            next(connections.__anext__().__await__())  # to its yield: nothing before it waits
        return cls(dispatcher, login, engines, connections)

    @property
    def watched(self) -> Dispatcher:
        """The dispatcher for calls that observers are told of."""
        if self._watched is None:
            self._watched = attrs.evolve(self.dispatcher, engine=ObservedEngine(self.dispatcher.engine))
        return self._watched

    def downloads(self, settings: TransportSettings) -> Downloads:
        """What fetches files; made when it is asked for."""
        if self._downloads is None:
            make = settings.files or partial(engine_for, settings.network)
            engine = make(attrs.evolve(settings.network.limits, connections=_DOWNLOADS))
            self.engines.append(engine)
            self._downloads = Downloads(engine, settings.hosts, settings.clock)
        return self._downloads

    async def aclose(self, grace: float) -> None:
        """Let calls under way end within ``grace`` seconds, end the others, close the connections."""
        calls, deadlines = self.dispatcher.counters, self.dispatcher.deadlines
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(grace):
                    await calls.none_left()
            deadlines.expire_all()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LEAVING):
                    await calls.none_left()
        finally:
            async with self._closing:  # two may close at once; who comes second finds it done
                await self._connections.aclose()


@attrs.frozen(eq=False)
class Hold:
    """A call of the program that sends several requests: closing the client waits for the whole of it.

    Its requests go out while the client is being closed, as those of other calls that are under way do.
    """

    running: LoopState
    clock: Clock

    def __enter__(self) -> Self:
        self.running.dispatcher.counters.under_way += 1
        return self

    def __exit__(self, *_: object) -> None:
        self.running.dispatcher.counters.end()

    @property
    def ended(self) -> bool:
        """Whether the client was closed and its grace is over."""
        return self.running.dispatcher.deadlines.ended

    async def sleep(self, seconds: float) -> None:
        """Sleep between two requests. Raises TimeoutError when the client is closed meanwhile."""
        if self.ended:
            raise TimeoutError
        try:
            with self.running.dispatcher.deadlines.within(seconds + _LEAVING):
                await self.clock.sleep(seconds)
        except TimeoutError:
            if self.ended:
                raise
            # The program held up the loop for longer than the margin; the time to sleep has passed, too.


async def _closing(engines: list[Closing]) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        await asyncio.gather(*(engine.aclose() for engine in engines))


def opened(settings: TransportSettings, quota: RetryQuota, request_ids: RequestIds | None) -> LoopState:
    """A transport for the running loop; its connections open with the first call."""
    make = settings.engine or partial(engine_for, settings.network)
    limits = settings.network.limits
    calls = make(limits)
    logins = make(attrs.evolve(limits, connections=_LOGIN_CONNECTIONS))
    clock = settings.clock
    limiter = ConcurrencyLimiter(
        calls.capacity,
        settings.in_flight,
        rate=settings.rate,
        clock=clock,
        algorithm=GradientLimit if settings.adaptive else AIMDLimit,
    )
    dispatcher = Dispatcher(
        engine=calls,
        limiter=limiter,
        clock=clock,
        deadlines=Deadlines(clock, asyncio.get_running_loop()),
        quota=quota,
        counters=Counters(),
        max_queued=settings.max_queued,
        on_in_doubt=settings.on_in_doubt,
        request_ids=request_ids,
    )
    login = Login(
        engine=logins, clock=clock, deadlines=Deadlines(clock), policy=RetryPolicy(), hosts=settings.hosts
    )
    return LoopState.started(dispatcher, login, [calls, logins])
