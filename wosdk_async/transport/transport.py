"""The transport of one client: its connections, its gate, and the session of each Company."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import attrs

from wosdk_async.errors import ConfigurationError, DeadlineError, InvalidCallError, WosdkError
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.credentials import CredentialProvider, Credentials
from wosdk_async.transport.dispatch import CallOptions, Dispatcher
from wosdk_async.transport.download import Downloads
from wosdk_async.transport.engine import Engine
from wosdk_async.transport.gate import Gate
from wosdk_async.transport.hosts import HostRules
from wosdk_async.transport.login import Login
from wosdk_async.transport.region import Region
from wosdk_async.transport.retry import RetryPolicy
from wosdk_async.transport.session import Grant, SessionKeeper
from wosdk_async.transport.trace import Trace
from wosdk_async.wire import Call, Reply, read

__all__ = ["BeforeSend", "Tenant", "Transport", "TransportSettings"]

T = TypeVar("T")

BeforeSend = Callable[[Call[Any], str], Awaitable[Reply | None]]
"""Asked once for each call, with the Company's name, before anything of it is sent. What it raises stops the
call; a Reply is taken for the service's answer; None lets it go.
"""

_DOWNLOADS = 8  # files fetched at once: aside, so that long files never hold calls up
_LOGIN_CONNECTIONS = 8  # renewals have their own, so that a full gate never holds one up


@attrs.frozen(kw_only=True)
class TransportSettings:
    """Bounds of one client: ``connections`` of all its Companies, ``in_flight`` calls of each."""

    hosts: HostRules
    connections: int
    in_flight: int
    read_only: bool = False
    before_send: BeforeSend | None = None
    clock: Clock = Clock()


@attrs.frozen
class Tenant:
    """Whom to log in as, and where: credentials and region belong to a Company."""

    company: str
    region: Region
    credentials: Credentials | CredentialProvider

    async def pair(self) -> Credentials:
        """The credentials as they are now. Raises ConfigurationError when the provider gives none."""
        if isinstance(self.credentials, Credentials):
            return self.credentials
        pair = await self.credentials(self.company)
        if not isinstance(pair, Credentials):
            raise ConfigurationError(
                f"the credentials of {self.company!r} are a {type(pair).__name__}, not Credentials"
            )
        return pair


class Transport:
    """Sends calls for many Companies; opens its connections with the first one."""

    def __init__(self, settings: TransportSettings) -> None:
        self._settings = settings
        self._engines: list[Engine] = []
        self._dispatcher: Dispatcher | None = None
        self._login: Login | None = None
        self._downloads: Downloads | None = None
        self._keepers: dict[tuple[str, Region, object], SessionKeeper] = {}
        self._closed = False

    def __repr__(self) -> str:
        state = "closed" if self._closed else "not opened"
        if self._dispatcher is not None and not self._closed:
            state = repr(self._dispatcher.gate)
        return f"<Transport companies={len(self._keepers)} {state}>"

    @property
    def clock(self) -> Clock:
        """What the waits of this transport go by."""
        return self._settings.clock

    def sessions(self, tenant: Tenant) -> SessionKeeper:
        """The one keeper of a tenant's session: the cache of hosts and tokens."""
        key = (tenant.company.casefold(), tenant.region, tenant.credentials)  # facts 1: case does not matter
        if key not in self._keepers:
            self._keepers[key] = SessionKeeper(
                tenant.company, lambda: self._log_in(tenant), self._settings.clock
            )
        return self._keepers[key]

    async def send(
        self, call: Call[T], sessions: SessionKeeper, options: CallOptions, trace: Trace | None = None
    ) -> T:
        """The value of ``call``; see :class:`~wosdk_async.transport.dispatch.Dispatcher`."""
        settings = self._settings
        if settings.read_only and not call.reads:
            raise InvalidCallError(
                "this client only reads (read_only=True)", operation=call.operation, company=sessions.company
            )
        if settings.before_send is not None:
            answer = await settings.before_send(call, sessions.company)
            if answer is not None:
                return read(call, answer)
        return await self._opened()[0].send(call, sessions, options, trace)

    async def connect(self, sessions: SessionKeeper, options: CallOptions) -> None:
        """Open the session now, within the deadline of a call that is safe to repeat."""
        seconds = options.deadline or 60.0
        self._opened()
        try:
            async with asyncio.timeout(seconds):
                if sessions.current() is None:
                    await sessions.newer_than(0)
        except TimeoutError:
            raise DeadlineError(
                f"no session within {seconds:g} s", phase="opening the session", company=sessions.company
            ) from None

    def downloads(self) -> Downloads:
        """What fetches files, over connections of its own."""
        self._opened()
        if self._downloads is None:
            from wosdk_async.transport.engine.httpx_engine import HttpxEngine

            engine = HttpxEngine(connections=_DOWNLOADS)
            self._engines.append(engine)
            self._downloads = Downloads(engine, self._settings.hosts, self._settings.clock)
        return self._downloads

    async def aclose(self) -> None:
        """Stop renewals and close the connections; calls under way fail."""
        self._closed = True
        await asyncio.gather(*(keeper.aclose() for keeper in self._keepers.values()))
        await asyncio.gather(*(engine.aclose() for engine in self._engines))

    def _opened(self) -> tuple[Dispatcher, Login]:
        if self._closed:
            raise ConfigurationError("the client is closed; open a new one, or leave its block later")
        if self._dispatcher is None or self._login is None:
            self._dispatcher, self._login = self._open()
        return self._dispatcher, self._login

    def _open(self) -> tuple[Dispatcher, Login]:
        from wosdk_async.transport.engine.httpx_engine import HttpxEngine  # httpx takes 60 ms to import

        settings = self._settings
        calls = HttpxEngine(connections=settings.connections)
        logins = HttpxEngine(connections=_LOGIN_CONNECTIONS)
        self._engines = [calls, logins]
        gate = Gate(calls.capacity, settings.in_flight)
        login = Login(engine=logins, clock=settings.clock, policy=RetryPolicy(), hosts=settings.hosts)
        return Dispatcher(calls, gate, settings.clock), login

    async def _log_in(self, tenant: Tenant) -> Grant:
        _, login = self._opened()
        try:
            return await login.grant(tenant.company, tenant.region, await tenant.pair())
        except WosdkError as error:
            error.add(company=tenant.company)
            raise
