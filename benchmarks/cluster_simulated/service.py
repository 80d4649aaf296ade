"""The service of a simulated job, with faults by the seed; and the engine by which machines reach it."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import attrs

from benchmarks.cluster_simulated.machines import Machine
from benchmarks.cluster_simulated.plan import Plan
from benchmarks.cluster_simulated.watch import Watch
from benchmarks.jobs_service import FaultyService
from wosdk_async.protocol.wire import Response
from wosdk_async.testing.engine import scope_of
from wosdk_async.transport.http.engine import (
    OnSending,
    PoolStatistics,
    Read,
    RequestHeaders,
    SendError,
    whole_response,
)

__all__ = ["Engine", "Service"]

_CREATE = "/cmd/WoCreateCommand"
_LOG_INS = ("/OAuth/token", "/GetCompanyWsdkUrlCommand")
_LATEST = 0.85  # part of the settle time within which everything that was sent takes effect
_SLOW = 0.1  # of all requests wait for a connection
_FAULTS = ("lost", "cut", "late", "slow", "slow", "busy")


class Service:
    """The sandbox, which carries out what has arrived, whatever became of the sender."""

    def __init__(self, plan: Plan, loop: asyncio.AbstractEventLoop, rng: random.Random) -> None:
        self._sandbox = FaultyService(loop)
        self._plan, self._loop, self._rng = plan, loop, rng
        self._tokens: set[bytes] = set()
        self._revoked: set[bytes] = set()
        self.faultless = False
        self.store, self.credentials = self._sandbox.store, self._sandbox.credentials
        self.ids = self._sandbox.ids
        self.running: set[asyncio.Task[Any]] = set()

    def revoke(self) -> None:
        """Accept none of the tokens that are in use any more."""
        self._revoked |= self._tokens

    def send(self, scope: Any, body: bytes) -> asyncio.Task[Response]:
        """Carry a request out; the task belongs to no machine."""
        return self._start(self._respond(scope, body))

    def _start(self, coroutine: Any) -> asyncio.Task[Any]:
        task = self._loop.create_task(coroutine, context=Machine.nowhere())
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        return task

    async def _respond(self, scope: Any, body: bytes) -> Response:
        await asyncio.sleep(self._rng.uniform(0.001, 0.02))
        log_in, create = scope["path"].endswith(_LOG_INS), scope["path"].endswith(_CREATE)
        scope = scope if log_in else self._with_token(scope)
        fault = "" if log_in or self.faultless else self._fault(create)
        latest = _LATEST * self._plan.settle
        if fault == "busy":
            return Response(429, {"retry-after": f"{self._rng.uniform(0.0, 1.0):.2f}"}, b"busy")
        if fault == "lost":
            raise SendError("reset", sent=True)
        if fault == "late":
            self._loop.call_later(self._rng.uniform(0.0, latest), self._carry_out_late, scope, body)
            raise SendError("reset", sent=True)
        if fault == "slow":
            await asyncio.sleep(self._rng.uniform(0.0, latest))
        response = await self._sandbox.carry_out(scope, body)
        await asyncio.sleep(self._rng.uniform(0.001, self._plan.pace))
        if fault == "cut":
            raise SendError("reset", sent=True)
        return response

    def _carry_out_late(self, scope: Any, body: bytes) -> None:
        self._start(self._sandbox.carry_out(scope, body))

    def _fault(self, create: bool) -> str:
        if self._rng.random() >= (self._plan.creates if create else self._plan.service):
            return ""
        return self._rng.choice(_FAULTS if create else ("cut", "busy"))

    def _with_token(self, scope: Any) -> Any:
        """Return the request; with a token that nobody knows if it has a revoked one."""
        headers = dict(scope["headers"])
        token = headers.get(b"authorization", b"")
        self._tokens.add(token)
        if token not in self._revoked:
            return scope
        return {**scope, "headers": [*(headers | {b"authorization": b"Bearer revoked"}).items()]}


@attrs.define(eq=False)
class Engine:
    """Engine of one machine."""

    machine: Machine
    service: Service
    watch: Watch
    rng: random.Random
    capacity: int = 100

    async def send(
        self,
        method: str,
        url: str,
        headers: RequestHeaders,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,  # noqa: ARG002 - the interface of an engine
        read: Read = whole_response,
    ) -> Any:
        """Send a request, as long as the machine lives."""
        scope = scope_of(method, url, headers)
        self.watch.let_through(self.machine, scope["path"])
        slow = self.rng.random() < _SLOW  # to connect
        await asyncio.sleep(self.rng.uniform(0.0, 0.4 if slow else 0.01))
        self.watch.about_to_send(self.machine, scope["path"], body or b"")
        self.machine.require_alive()
        on_sending()
        call = self.watch.sent(self.machine, scope["path"], body or b"")
        sending = self.service.send(scope, body or b"")
        sending.add_done_callback(lambda _: call.over(), context=Machine.nowhere())
        try:
            response = await asyncio.shield(sending)
        finally:
            self.watch.ended(call)
        return read(response)

    def statistics(self) -> PoolStatistics:
        """Return nothing of interest."""
        return PoolStatistics()

    async def aclose(self) -> None:
        """Do nothing."""
