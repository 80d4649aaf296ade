"""Backend that runs the project's own sandbox application on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from tests.simulation.client.backend import Backend, company_name, host_name
from tests.simulation.client.messages import Effect, Request, Response
from wosdk_async import Credentials
from wosdk_async.sandbox.clock import Clock
from wosdk_async.sandbox.http.app import create_app
from wosdk_async.sandbox.seed.initial import create_company, open_store
from wosdk_async.sandbox.storage.store import Store
from wosdk_async.testing.engines import scope_of

_START = int(datetime(2026, 1, 5, tzinfo=UTC).timestamp()) * 10**9
_TABLES = {"command": ("WorkOrder", "PoNumber"), "create": ("Contact", "LastName")}


class LoopClock(Clock):
    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._loop_now = now

    def __call__(self) -> int:
        """Return the time in nanoseconds since 1970."""
        return _START + int(self._loop_now() * 10**9)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@cache
def _first_store(companies: int) -> Store:
    store = open_store(":memory:", "none of these")
    for number in range(companies):
        create_company(store, company_name(number), host=host_name(number, 0))
    return store


class SandboxBackend(Backend):
    """Sandbox application with an in-memory store, new for every run."""

    def __init__(self, loop: asyncio.AbstractEventLoop, companies: int, scheme: str = "http") -> None:
        super().__init__()
        self._loop = loop
        self._scheme = scheme
        self._store = Store(":memory:", like=_first_store(companies))
        self._app = create_app(self._store, LoopClock(loop.time))

    def credentials(self, number: int) -> Credentials:
        found = next(each for each in self._store.companies() if each.name == company_name(number))
        return Credentials(found.client_id, found.client_secret)

    def perform(self, request: Request, hidden_for: float, respond: Callable[[Response], None]) -> None:
        del hidden_for  # the sandbox shows effects at once
        self._loop.create_task(self._send(request, respond), name=f"sandbox {request.path}")

    def effects(self, key: str) -> list[Effect]:
        found = []
        for kind, (table, column) in _TABLES.items():
            rows = self._store.select(
                f"SELECT body FROM \"{table}\" WHERE json_extract(body, '$.{column}') = ? ORDER BY id", [key]
            )
            found += [Effect(kind, key, row["Id"], 0.0, 0.0) for row in rows]
        return found

    def close(self) -> None:
        self._store.close()

    async def _send(self, request: Request, respond: Callable[[Response], None]) -> None:
        headers = tuple((name, value) for name, value in request.headers.items() if name != "host")
        scope = scope_of(request.method, f"{self._scheme}://{request.host}{request.path}", headers)
        respond(Response.from_json(*await carry_out(self._app, scope, request.body)))


async def carry_out(app: Any, scope: Any, body: bytes) -> tuple[int, bytes]:
    """Send a request to an ASGI application; return the status and body of the response."""
    parts: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        parts.append(message)

    await app(scope, receive, send)
    return parts[0]["status"], b"".join(part.get("body", b"") for part in parts[1:])
