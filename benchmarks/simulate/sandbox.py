"""The project's own sandbox as the backend: the application itself, on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from benchmarks.simulate.backend import Answer, Backend, Request, Row, company_name, host_name
from wosdk_async import Credentials
from wosdk_async.sandbox.clock import Clock
from wosdk_async.sandbox.http.app import create_app
from wosdk_async.sandbox.seed.initial import create_company, open_store
from wosdk_async.sandbox.storage.store import Store
from wosdk_async.testing.engine import scope_of

__all__ = ["SandboxBackend"]

_START = int(datetime(2026, 1, 5, tzinfo=UTC).timestamp()) * 10**9
_TABLES = {"command": ("WorkOrder", "PoNumber"), "create": ("Contact", "LastName")}


class _LoopClock(Clock):
    """The time of the loop."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._loop_now = now

    def __call__(self) -> int:
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
    """A store in memory, new for every run, behind the sandbox's application."""

    def __init__(self, loop: asyncio.AbstractEventLoop, companies: int) -> None:
        super().__init__()
        self._loop = loop
        self._store = Store(":memory:", like=_first_store(companies))
        self._app = create_app(self._store, _LoopClock(loop.time))

    def credentials(self, number: int) -> Credentials:
        found = next(each for each in self._store.companies() if each.name == company_name(number))
        return Credentials(found.client_id, found.client_secret)

    def perform(self, request: Request, unseen: float, done: Callable[[Answer], None]) -> None:
        del unseen  # it shows at once what was done
        self._loop.create_task(self._ask(request, done), name=f"sandbox {request.path}")

    def rows(self, key: str) -> list[Row]:
        found = []
        for kind, (table, column) in _TABLES.items():
            rows = self._store.select(
                f"SELECT body FROM \"{table}\" WHERE json_extract(body, '$.{column}') = ? ORDER BY id", [key]
            )
            found += [Row(kind, key, row["Id"], 0.0, 0.0) for row in rows]
        return found

    def close(self) -> None:
        self._store.close()

    async def _ask(self, request: Request, done: Callable[[Answer], None]) -> None:
        headers = tuple((name, value) for name, value in request.headers.items() if name != "host")
        scope = scope_of(request.method, f"http://{request.host}{request.path}", headers)
        parts: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": request.body, "more_body": False}

        async def send(message: Any) -> None:
            parts.append(message)

        await self._app(scope, receive, send)
        body = b"".join(part.get("body", b"") for part in parts[1:])
        done(Answer.read(parts[0]["status"], body))
