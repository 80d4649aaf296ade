"""Small servers on asyncio streams, for campaigns that want to decide every byte."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import urlsplit

__all__ = ["proxy", "read_request", "serving"]

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def serving(handle: Handle, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Serve connections on a port within the block, whose end cancels them. ``handle`` may raise OSError."""
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


async def read_request(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Return head and body of a request. Raises IncompleteReadError at the end."""
    head = await reader.readuntil(b"\r\n\r\n")
    lengths = [int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return head, await reader.readexactly(lengths[0]) if lengths else b""


def proxy(greet: Callable[[int], bytes] = lambda _: b"") -> contextlib.AbstractAsyncContextManager[int]:
    """Serve as a proxy, by CONNECT and by whole addresses, and yield its port.

    Args:
        greet: returns the bytes that the client on a port gets before it has asked for anything.
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
                await asyncio.wait(tasks, timeout=0.1)  # the other direction may have its end to pass on
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    return serving(handle)


async def _reach(host: str | None, port: int | None) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect, however long the host is down: a refusal would leave a request that was sent in doubt."""
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
    """Send on requests to one host, as if they were made to it."""
    while True:
        method, target, rest = head.split(b" ", 2)
        path = target.split(b"/", 3)[3]
        writer.write(b"%b /%b %b%b" % (method, path, rest, body))
        head, body = await read_request(reader)
