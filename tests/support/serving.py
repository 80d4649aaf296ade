"""Small servers on asyncio streams, for campaigns that control every byte."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import urlsplit

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def serving(handle: Handle, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Serve connections on a port until the block ends. ``handle`` may raise OSError."""
    tasks: set[asyncio.Task[None]] = set()

    async def run(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await handle(reader, writer)

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(run(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls, backlog=1024)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Connections:
    """Server on a socket that serves each connection in a task; ``connections`` counts them."""

    _server: asyncio.Server

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self.connections = 0

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for _turn in range(3):  # turns until a newly accepted connection has its task
            await asyncio.sleep(0)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError


async def read_request(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Read a request and return its head and body. Raises IncompleteReadError at end of file."""
    head = await reader.readuntil(b"\r\n\r\n")
    lengths = [int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return head, await reader.readexactly(lengths[0]) if lengths else b""


def proxy(greet: Callable[[int], bytes] = lambda _: b"") -> contextlib.AbstractAsyncContextManager[int]:
    """Serve as a proxy, for CONNECT and full URLs, and yield its port.

    Args:
        greet: returns the bytes sent to the client on a port before any request.
    """

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if greeting := greet(writer.get_extra_info("peername")[1]):
            writer.write(greeting)
        head, body = await read_request(reader)
        method, target, _ = head.split(b" ", 2)
        url = urlsplit(target.decode() if b"://" in target else f"//{target.decode()}")
        near, far = await _reach(url.hostname, url.port)
        with contextlib.closing(far):
            if method == b"CONNECT":
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                asking = _pump(reader, far)
            else:
                asking = _forward(reader, far, head, body)
            tasks = [asyncio.ensure_future(each) for each in (asking, _pump(near, writer))]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                # The other direction may still have an end of file to forward
                await asyncio.wait(tasks, timeout=0.1)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    return serving(handle)


async def _reach(host: str | None, port: int | None) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect, and retry while the host is down: a refusal would leave a sent request in doubt."""
    while True:
        with contextlib.suppress(ConnectionRefusedError):
            return await asyncio.open_connection(host, port)
        await asyncio.sleep(0.05)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.write_eof()


async def _forward(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes, body: bytes
) -> None:
    """Forward requests to one host unchanged."""
    while True:
        method, target, rest = head.split(b" ", 2)
        path = target.split(b"/", 3)[3]
        writer.write(b"%b /%b %b%b" % (method, path, rest, body))
        head, body = await read_request(reader)
