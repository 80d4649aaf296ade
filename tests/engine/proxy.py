"""Proxies on a socket."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Self
from urllib.parse import urlsplit


class Proxy:
    """Leads everywhere, but looks only at the port and goes to that one on this machine.

    ``heads`` has the heads of its requests; ``refusal``, if given, is the response to each of them.
    """

    def __init__(self, refusal: bytes = b"") -> None:
        self._refusal = refusal
        self._tasks: set[asyncio.Task[None]] = set()
        self.heads: list[bytes] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            self.heads.append(head)
            if self._refusal:
                writer.write(self._refusal)
                return
            method, target = head.decode("latin-1").split(" ", 2)[:2]
            url = urlsplit(target if "://" in target else f"//{target}")
            inner, outer = await asyncio.open_connection("127.0.0.1", url.port)
            with contextlib.closing(outer):
                if method == "CONNECT":
                    writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                else:
                    outer.write(head.replace(target.encode(), url.path.encode(), 1))
                await asyncio.gather(_pump(reader, outer), _pump(inner, writer))


class SocksProxy(Proxy):
    """The same, over SOCKS 5; ``heads`` has the names and passwords that it was given."""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def sized() -> bytes:
            return await reader.readexactly((await reader.readexactly(1))[0])

        with contextlib.closing(writer), contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readexactly(1)
            await sized()  # ways to log in
            writer.write(b"\x05\x02")  # by name and password
            await reader.readexactly(1)
            self.heads.append(await sized() + b":" + await sized())
            writer.write(b"\x01\x00")
            kind = (await reader.readexactly(4))[3]
            await (reader.readexactly(4) if kind == 1 else sized())  # the address, or the name
            inner, outer = await asyncio.open_connection(
                "127.0.0.1", int.from_bytes(await reader.readexactly(2))
            )
            with contextlib.closing(outer):
                writer.write(b"\x05\x00\x00\x01" + bytes(6))
                await asyncio.gather(_pump(reader, outer), _pump(inner, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()
