"""Sandbox for imports that are killed. It stays alive, loses requests and breaks connections."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Coroutine
from functools import cache
from typing import Any

import attrs
import orjson

from tests.simulation.client.sandbox import LoopClock, carry_out
from tests.simulation.killed_process import Process
from wosdk_async import CallOptions, Client, Credentials, Region
from wosdk_async.protocol.wire import Response
from wosdk_async.sandbox.http.app import create_app
from wosdk_async.sandbox.seed.initial import open_store
from wosdk_async.sandbox.storage.store import Store
from wosdk_async.testing.engines import scope_of
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.http.engine import (
    PoolStatistics,
    Request,
    SendError,
    encode_body,
)

CUSTOMER = "K customer 0"
_FAULTS = {"K3": "lost", "K6": "late", "K8": "cut", CUSTOMER: "cut"}
"""Fault of the first create with each key; each leaves the client in doubt.

"lost": the request is not carried out. "late": it is carried out after the connection was lost. "cut":
before.
"""
LATE = 3.0
"""Seconds after which a late request arrives."""
_CREATES = ("/cmd/WoCreateCommand", "/base/Customer")
_DEADLINE, _SETTLE = 8.0, 20.0  # so that a row whose request was lost is in doubt for the import, too
_HOST = "sandbox.sim"
_ROOT = f"https://{_HOST}"


@cache
def _first_store() -> Store:
    return open_store(":memory:")


class FaultyService:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.store = Store(":memory:", like=_first_store())
        self._loop = loop
        self._app = create_app(self.store, LoopClock(loop.time))
        self._faults = dict(_FAULTS)
        self._running: set[asyncio.Task[Any]] = set()

    @property
    def credentials(self) -> Credentials:
        (company,) = self.store.companies()
        return Credentials(company.client_id, company.client_secret)

    def send(self, process: Process, scope: Any, body: bytes) -> asyncio.Task[Response]:
        """Carry out a request, even if the process that sent it is killed meanwhile."""
        return self._keep(self._respond(process, scope, body))

    def _keep(self, work: Coroutine[Any, Any, Response]) -> asyncio.Task[Response]:
        task = self._loop.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def _respond(self, process: Process, scope: Any, body: bytes) -> Response:
        await asyncio.sleep(0.01)
        if not self._may_fail(scope):
            response = await self.carry_out(scope, body)
            await asyncio.sleep(0.01)
            return response
        process.creates += 1
        fault = self._fault(body)
        process.pass_point(f"arrived {scope['path']} {fault}")
        self._arrived(scope, body)
        if fault == "late":
            self._loop.call_later(LATE, lambda: self._keep(self._perform(scope, body)))
        if fault in ("lost", "late"):
            raise SendError("reset", sent=True)
        response = await self._perform(scope, body)
        process.pass_point(f"carried out {scope['path']} {fault}")
        await asyncio.sleep(0.01)
        if fault == "cut":
            raise SendError("reset", sent=True)
        return response

    def _may_fail(self, scope: Any) -> bool:
        return bool(scope["path"].endswith(_CREATES))

    def _arrived(self, scope: Any, body: bytes) -> None:
        """Hook for a subclass: a request has arrived, and may be carried out now, later or never."""

    async def _perform(self, scope: Any, body: bytes) -> Response:
        return await self.carry_out(scope, body)

    def _fault(self, body: bytes) -> str:
        content = orjson.loads(body)
        key = (
            content["Command"]["WorkOrder"]["PoNumber"] if "Command" in content else content["Entity"]["Name"]
        )
        return self._faults.pop(key, "")

    async def carry_out(self, scope: Any, body: bytes) -> Response:
        status, content = await carry_out(self._app, scope, body)
        return Response(status, {"content-type": "application/json"}, content)

    def ids(self, table: str, column: str) -> dict[str, list[int]]:
        """Return the ids of a table's records by the text in ``column``."""
        found = defaultdict(list)
        for row in self.store.select(f'SELECT body FROM "{table}" ORDER BY id', []):
            if row.get(column):
                found[row[column]].append(row["Id"])
        return found


@attrs.define(eq=False)
class ProcessEngine:
    process: Process
    service: FaultyService
    capacity: int = 100
    ceiling: int = 100

    async def send(self, request: Request) -> Any:
        """Send a request. Raise the process's error if it was killed."""
        self.process.require_alive()
        scope = scope_of(request.method, request.url, request.headers)
        self.process.pass_point(f"before {scope['path']}")
        self.process.require_alive()
        request.on_sending()
        response = await asyncio.shield(
            self.service.send(self.process, scope, encode_body(request.body) or b"")
        )
        self.process.require_alive()
        return request.read(response)

    def statistics(self) -> PoolStatistics:
        return PoolStatistics()

    async def aclose(self) -> None:
        """Do nothing."""


def client_of(process: Process, service: FaultyService) -> Client:
    return Client(
        region=Region("simulated", locator_url=_ROOT, token_url=f"{_ROOT}/OAuth/token"),
        credentials=service.credentials,
        company="AcmeFacilities",
        trusted_hosts=(_HOST,),
        options=CallOptions(deadline=_DEADLINE, settle=_SETTLE),
        clock=TransportClock(now=asyncio.get_running_loop().time),
        telemetry=False,
        engine=lambda _: ProcessEngine(process, service),
    )
