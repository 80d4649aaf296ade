"""Clock controlled by the test, and an in-process engine: nothing here waits in real time."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import json
from collections.abc import Awaitable, Callable
from typing import Any

import attrs

from wosdk_async import CallOptions, Company, Credentials, Region
from wosdk_async.calls.sender import CallSender
from wosdk_async.options import ClientOptions, Limits
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.http.engine import (
    PoolStatistics,
    Request,
    encode_body,
    encode_headers,
)
from wosdk_async.transport.loop_state import TransportSettings
from wosdk_async.transport.session.credentials import Tenant
from wosdk_async.transport.transport import Transport

TURNS = 20  # turns of the loop, in which everything that is ready has run


async def settle() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)


async def _run_ready() -> None:
    """Do what ``settle`` does, and return as soon as nothing is ready: on virtual time nothing else comes."""
    loop = asyncio.get_running_loop()
    for _ in range(TURNS):
        await asyncio.sleep(0)
        if not getattr(loop, "_ready", True):  # uvloop does not show it
            return


@attrs.define(eq=False)
class _Timer:
    callback: Callable[[], None] | None

    def cancel(self) -> None:
        self.callback = None


class Time:
    """Virtual seconds, advanced by the test."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self._timers: list[tuple[float, int, _Timer]] = []
        self._number = itertools.count()

    def clock(self) -> TransportClock:
        return TransportClock(lambda: self.seconds, self.sleep, self.call_later)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> _Timer:
        timer = _Timer(callback)
        heapq.heappush(self._timers, (self.seconds + seconds, next(self._number), timer))
        return timer

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            return await asyncio.sleep(0)
        over = asyncio.get_running_loop().create_future()
        timer = self.call_later(seconds, lambda: None if over.done() else over.set_result(None))
        try:
            return await over
        finally:
            timer.cancel()

    async def run_until(self, end: float) -> None:
        """Advance time, running everything that comes due in order."""
        await _run_ready()
        while self._timers and self._timers[0][0] <= end:
            due, _, timer = heapq.heappop(self._timers)
            if timer.callback is not None:
                self.seconds = max(self.seconds, due)
                timer.callback()
            if not self._timers or self._timers[0][0] > due:
                await _run_ready()
        self.seconds = end

    async def stall(self, seconds: float) -> None:
        """Advance time as if the program had blocked the loop: due callbacks run late, all at once."""
        self.seconds += seconds
        while self._timers and self._timers[0][0] <= self.seconds:
            _, _, timer = heapq.heappop(self._timers)
            if timer.callback is not None:
                timer.callback()
        await _run_ready()

    async def pass_by(self, seconds: float) -> None:
        await self.run_until(self.seconds + seconds)

    async def finish(self, *tasks: asyncio.Task[Any], within: float = 3600.0) -> None:
        end = self.seconds + within
        await _run_ready()
        while not all(task.done() for task in tasks):
            assert self._timers, "nothing is due any more, and a task is not done"
            assert self.seconds < end, "a task took too long"
            await self.run_until(self._timers[0][0])


Handler = Callable[[str, str, dict[str, str], bytes | None], Awaitable[Response]]


class ScriptedEngine:
    """Engine that passes requests to ``handler(method, url, headers, body)``, ``capacity`` at a time."""

    def __init__(self, capacity: int, handler: Handler) -> None:
        self.capacity = self.ceiling = capacity
        self.handler = handler
        self.free = asyncio.Semaphore(capacity)
        self.under_way = 0
        self.closed = False

    async def send(self, request: Request) -> Any:
        async with self.free:
            self.under_way += 1
            try:
                request.on_sending()
                plain = {name.decode(): value.decode() for name, value in encode_headers(request.headers)}
                return request.read(
                    await self.handler(request.method, request.url, plain, encode_body(request.body))
                )
            finally:
                self.under_way -= 1

    def statistics(self) -> PoolStatistics:
        return PoolStatistics(busy=self.under_way)

    async def aclose(self) -> None:
        self.closed = True


def reply(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(status, headers or {}, body if isinstance(body, bytes) else json.dumps(body).encode())


REGION = Region("test", locator_url="https://locator.corrigo.com", token_url="https://token.corrigo.com/t")


PAIR = Credentials("id", "secret")


class World:
    """Transport with its own clock: log-ins succeed at once, calls go to ``handler``."""

    def __init__(self, handler: Handler, **settings: Any) -> None:
        self.time = Time()
        self.handler = handler
        self.engines: list[ScriptedEngine] = []
        self.tokens = 0
        self.on_token: Handler = self._token
        self.on_discovery: Handler = self._discovery
        options = ClientOptions(**{"limits": Limits(connections=1000), **settings})
        self.transport = Transport(
            TransportSettings(options=options, clock=self.time.clock(), engine=self._engine)
        )

    def tenant(self, name: str = "Acme", region: Region = REGION, credentials: Any = PAIR) -> Tenant:
        return Tenant(name, region, credentials)

    def company(
        self,
        name: str = "Acme",
        region: Region = REGION,
        credentials: Any = PAIR,
        **options: Any,
    ) -> Company:
        chosen = CallOptions(**options)
        tenant = self.tenant(name, region, credentials)
        return Company(CallSender(transport=self.transport, tenant=tenant, options=chosen))

    def _engine(self, limits: Limits) -> ScriptedEngine:
        self.engines.append(ScriptedEngine(limits.connections, self._handle))
        return self.engines[-1]

    async def _handle(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        if url.endswith("/t"):
            return await self.on_token(method, url, headers, body)
        if url.endswith("/GetCompanyWsdkUrlCommand"):
            return await self.on_discovery(method, url, headers, body)
        return await self.handler(method, url, headers, body)

    async def _token(self, *_: Any) -> Response:
        self.tokens += 1
        return reply({"access_token": f"token-{self.tokens}", "expires_in": 1200})

    async def _discovery(self, *_: Any) -> Response:
        return reply({"CommandResult": {"Url": "https://host.corrigo.com/"}})
