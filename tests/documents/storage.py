"""A storage on a real socket: every byte and every fault of an answer is the test's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

from tests.support.service import Answer, Request, Service
from wosdk_async import CallOptions, Company, RetryPolicy

Act = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[object]]

QUICK = CallOptions(retry=RetryPolicy(attempts=3, wait_initial=0.001))


def answer(body: bytes = b"", status: int = 200, length: str | None = None, **headers: str) -> Act:
    """Return a whole response; ``length`` may be wrong, and ``length="none"`` leaves it out."""

    async def act(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = [f"HTTP/1.1 {status} Status", "Connection: close"]
        lines += [] if length == "none" else [f"Content-Length: {length or len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await writer.drain()

    return act


def files(directory: Path) -> dict[str, bytes]:
    """Return the names in a directory, hidden files too."""
    return {path.name: path.read_bytes() for path in directory.iterdir()}


class Storage:
    """Acts one after the other, the last one again and again; ``gone`` counts connections that ended."""

    def __init__(self, *acts: Act) -> None:
        self.acts = list(acts)
        self.requests: list[str] = []
        self.gone = 0
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self.requests.append((await reader.readuntil(b"\r\n\r\n")).decode())
            await (self.acts.pop(0) if len(self.acts) > 1 else self.acts[0])(reader, writer)
        except ConnectionError:
            pass
        finally:
            self.gone += 1
            writer.close()

    async def all_gone(self) -> None:
        """Wait until the client has closed whatever it opened."""
        async with asyncio.timeout(5):
            while self.gone < len(self.requests):
                await asyncio.sleep(0)


@asynccontextmanager
async def company(
    url: str, file_name: str = "belt.jpg", bearer: str = "token-1", **settings: Any
) -> AsyncIterator[Company]:
    """Yield a Company whose documents are all at ``url``; ``settings`` are for its client."""

    def handler(request: Request) -> Answer:
        if request.method == "GET":
            return Answer(body={"Data": {"StorageTypeId": "Cloud"}})
        results = [
            {"DocumentId": id, "Url": url, "FileName": file_name}
            for id in request.json["Command"]["DocumentIds"]
        ]
        return Answer(body={"CommandResult": {"Results": results}}, headers={"Set-Cookie": "a=b"})

    async with Service(handler) as service:
        service.on_token = lambda _: Answer(body={"access_token": bearer})
        async with service.client(options=QUICK, **settings) as client:
            yield client.company()
