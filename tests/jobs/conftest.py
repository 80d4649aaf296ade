"""A local Company on a socket in the test's own loop, with everything that was asked of it in sight."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import json
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from tests.jobs.maps import HEADER, known_map
from wosdk_async import Client, Company
from wosdk_async.jobs import CsvFile, Import, Summary
from wosdk_async.jobs.sources.json_lines import JsonLines
from wosdk_async.options.hooks import DryRun
from wosdk_async.sandbox import create_app, open_store

Scope = dict[str, Any]
Table = Sequence[Sequence[str]]


class Watched:
    """The sandbox's application; ``asked`` has every path.

    Creations wait while ``held`` is set; while ``broken``, or ``broken_times``, their answer tells nothing;
    while ``busy`` they are to wait. Paths that end with ``hidden`` find nothing; of those that end with
    ``failing``, the requests with a number in ``failing_numbers``, from 1, are refused. ``altered`` changes
    what creations answer. A body with the text ``refused`` is refused. Requests for which ``silent`` returns
    True, given method and path, get no response; ``silenced`` is set by the first. Paths that end with
    ``unconditional`` ignore the conditions of a query by Equal and In. The next ``unheard`` creations are
    carried out ``times`` times, and their answer tells nothing.
    """

    def __init__(self, app: Any) -> None:
        self._app = app
        self.asked: list[str] = []
        self.held: asyncio.Event | None = None
        self.arrived = asyncio.Event()
        self.broken, self.broken_times = False, 0
        self.busy = False
        self.hidden, self.hidden_times = "\0", 1_000_000
        self.failing, self.failing_numbers = "\0", range(1, 1_000_000)
        self.unconditional = "\0"
        self.unheard, self.times = 0, 1
        self.creation = "WoCreateCommand"
        self.bodies: list[str] = []
        self.altered: Callable[[Any], None] | None = None
        self.refused: str | None = None
        self.silent: Callable[[str], bool] = lambda _: False
        self.silenced = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        self.asked.append(f"{scope['method']} {scope['path']}")
        if self.silent(self.asked[-1]):
            self.silenced.set()
            while (await receive())["type"] != "http.disconnect":
                pass
            return

        async def listening() -> Any:
            message = await receive()
            self.bodies.append(message.get("body", b"").decode())
            return message

        if self.refused is not None:
            message = await receive()
            if self.refused in message["body"].decode():
                await _refuse(send, "no such number")
                return
            receive = _first(message, receive)
        if scope["path"].endswith(self.unconditional):
            message = await receive()
            content = json.loads(message["body"])
            criteria = content["QueryExpression"]["Criteria"]
            criteria["Conditions"] = [
                each for each in criteria["Conditions"] if each["Operator"] not in ("Equal", "In")
            ]
            receive = _first({**message, "body": json.dumps(content).encode()}, receive)
        if scope["path"].endswith(self.failing) and self.count(self.failing) in self.failing_numbers:
            await listening()
            await _refuse(send, "no queries today")
            return
        creates = scope["path"].endswith(self.creation)
        if creates and self.held is not None:
            self.arrived.set()
            await self.held.wait()
        if creates and (self.broken or self.broken_times > 0):
            self.broken_times -= 1
            await listening()
            await _bad_gateway(send)
            return
        if creates and self.unheard:
            self.unheard -= 1
            message = await listening()
            for _ in range(self.times):
                await self._app(scope, _first(message, receive), _to_nobody)
            await _bad_gateway(send)
            return
        if creates and self.busy:
            await listening()
            await send({"type": "http.response.start", "status": 429, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        if scope["path"].endswith(self.hidden) and self.hidden_times > 0:
            self.hidden_times -= 1
            await listening()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b'{"Entities": []}'})
            return
        await self._app(scope, listening, self._altering(send) if creates and self.altered else send)

    @property
    def changes(self) -> list[str]:
        """Requests that may change something: all but queries and those of a log-in."""
        reads = ("/query/", "OAuth/token", "/GetCompanyWsdkUrlCommand")
        return [asked for asked in self.asked if not any(part in asked for part in reads)]

    def _altering(self, send: Any) -> Any:
        """Return a ``send`` that lets ``altered`` change the JSON of a response."""
        parts: list[Any] = []

        async def sent(message: Any) -> None:
            parts.append(message)
            if message["type"] != "http.response.body" or message.get("more_body"):
                return
            content = json.loads(b"".join(part.get("body", b"") for part in parts))
            self.altered(content)
            headers = [pair for pair in parts[0]["headers"] if pair[0].lower() != b"content-length"]
            await send({**parts[0], "headers": headers})
            await send({"type": "http.response.body", "body": json.dumps(content).encode()})

        return sent

    def count(self, ending: str) -> int:
        """How many requests had a path that ends so."""
        return sum(path.endswith(ending) for path in self.asked)


def _first(message: Any, receive: Any) -> Any:
    """Return a ``receive`` that gives a message that was received already, then all others."""
    messages = [message]

    async def receiving() -> Any:
        return messages.pop() if messages else await receive()

    return receiving


async def _refuse(send: Any, message: str) -> None:
    body = {"ErrorMessage": message, "ErrorCode": "BUSINESS_LOGIC_ERROR"}
    await send({"type": "http.response.start", "status": 400, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})


async def _bad_gateway(send: Any) -> None:
    await send({"type": "http.response.start", "status": 502, "headers": []})
    await send({"type": "http.response.body", "body": b"<html>Bad Gateway</html>"})


async def _to_nobody(_: Any) -> None:
    """Lose a message."""


class Local:
    """A Company, the server behind it, short ways to what it holds, and imports of files in a folder."""

    def __init__(self, company: Company, server: Watched, variables: dict[str, str], folder: Path) -> None:
        self.company = company
        self.server = server
        self.variables = variables
        self.folder = folder
        self.opened = contextlib.AsyncExitStack()
        self._dry: tuple[Company, DryRun] | None = None

    async def dry(self) -> tuple[Company, DryRun]:
        """Return a Company whose client keeps what would be sent, and the hook that does so."""
        if self._dry is None:
            hook = DryRun()
            client = await self.opened.enter_async_context(Client.from_env(self.variables, before_send=hook))
            self._dry = client.company(), hook
            await self._dry[0].connect()
        return self._dry

    def write(self, rows: Table, header: Sequence[str] = HEADER) -> Path:
        """Write a CSV file of a header and rows."""
        path = self.folder / "rows.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
        return path

    def job(self, source: Path | Table, text: str, **options: Any) -> Import:
        """Make an import of a file, or of rows that are written to one, and the text of a map."""
        path = self.folder / "map.toml"
        path.write_text(text, encoding="utf-8")
        file = source if isinstance(source, Path) else self.write(source)
        kind = JsonLines if file.suffix == ".jsonl" else CsvFile
        return Import(kind(file), known_map(path), **options)

    async def run(self, source: Path | Table, text: str, **options: Any) -> Summary:
        """Carry out such an import."""
        return await self.job(source, text, **options).run(self.company)

    async def rows(self, entity: str, *properties: str, **equal: str) -> list[dict[str, Any]]:
        """All rows of an entity with these properties, by id."""
        conditions = [
            {"PropertyName": name, "Operator": "Equal", "Values": [value]} for name, value in equal.items()
        ]
        return await self.company.query(
            entity,
            {
                "PropertySet": {"Properties": ["Id", *properties]},
                "Criteria": {"Conditions": conditions},
                "Orders": [{"PropertyName": "Id", "OrderType": "Ascending"}],
            },
        )


@contextlib.asynccontextmanager
async def serving(store: Path, dialect: str) -> AsyncIterator[Local]:
    """A sandbox over ``store`` and a client that is connected to it."""
    with contextlib.closing(open_store(store)) as opened:
        (tenant,) = opened.companies()
        watched = Watched(create_app(opened, dialect=dialect))
        async with _listening(watched) as root:
            variables = {
                "WOSDK_TOKEN_URL": f"{root}/OAuth/token",
                "WOSDK_LOCATOR_URL": root,
                "WOSDK_COMPANY": tenant.name,
                "WOSDK_CLIENT_ID": tenant.client_id,
                "WOSDK_CLIENT_SECRET": tenant.client_secret,
            }
            async with Client.from_env(variables) as client:
                local = Local(client.company(), watched, variables, store.parent)
                async with local.opened:
                    yield local
            if watched.held is not None:
                watched.held.set()


@contextlib.asynccontextmanager
async def _listening(app: Any) -> AsyncIterator[str]:
    """Serve an application by uvicorn's protocol alone: its server looks for an end only every 100 ms."""
    config = uvicorn.Config(app, lifespan="off", log_level="error")
    config.load()
    state = ServerState()

    def connected() -> asyncio.Protocol:
        return config.http_protocol_class(config=config, server_state=state, app_state={})

    server = await asyncio.get_running_loop().create_server(connected, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        async with asyncio.timeout(5):
            await asyncio.gather(*state.tasks, return_exceptions=True)
        for connection in list(state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)


@pytest.fixture
async def local(tmp_path: Path, seeded_store: Path, dialect: str) -> AsyncIterator[Local]:
    """A fresh local Company, whose responses are never late."""
    shutil.copy(seeded_store, tmp_path / "store.db")
    async with serving(tmp_path / "store.db", dialect) as found:
        found.company = found.company.with_options(settle=0)
        yield found
