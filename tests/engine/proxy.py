"""Proxies on a socket."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import Self

from tests.engine.raw import request
from tests.support.serving import Connections


class Proxy(Connections):
    """Leads everywhere, but looks only at the port and goes to that one on this machine.

    ``heads`` has the heads of its requests; ``connections`` counts those to it.

    Args:
        refusal: the response to each request, if given.
        context: its certificate; with one it speaks TLS.
    """

    def __init__(self, refusal: bytes = b"", context: ssl.SSLContext | None = None) -> None:
        super().__init__()
        self._refusal = refusal
        self._context = context
        self.heads: list[bytes] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=self._context)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(OSError, asyncio.IncompleteReadError):
            whole = await request(reader)
            self.heads.append(whole.partition(b"\r\n\r\n")[0])
            if self._refusal:
                writer.write(self._refusal)
                return
            method, target = whole.split(b" ", 2)[:2]
            port = target.removeprefix(b"http://").partition(b"/")[0].rpartition(b":")[2]
            inner, outer = await asyncio.open_connection("127.0.0.1", int(port))
            with contextlib.closing(outer):
                if method == b"CONNECT":
                    writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                    await asyncio.gather(_pump(reader, outer), _pump(inner, writer))
                    return
                responses = asyncio.create_task(_pump(inner, writer))
                try:
                    await self._forward(whole, reader, outer)
                finally:
                    responses.cancel()

    async def _forward(self, whole: bytes, reader: asyncio.StreamReader, outer: asyncio.StreamWriter) -> None:
        """Pass requests on: only with their path, and without what is for the proxy."""
        while True:
            head, _, body = whole.partition(b"\r\n\r\n")
            first, *lines = head.split(b"\r\n")
            method, target, version = first.split(b" ")
            lines = [line for line in lines if not line.startswith(b"Proxy-")]
            first = b" ".join((method, b"/" + target.split(b"/", 3)[3], version))
            outer.write(b"\r\n".join((first, *lines, b"", body)))
            await outer.drain()
            whole = await request(reader)
            self.heads.append(whole.partition(b"\r\n\r\n")[0])


class SocksProxy(Proxy):
    """The same, over SOCKS 5; ``heads`` has ``user:password@name`` of each connection."""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def sized() -> bytes:
            return await reader.readexactly((await reader.readexactly(1))[0])

        with contextlib.closing(writer), contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readexactly(1)
            await sized()  # ways to log in
            writer.write(b"\x05\x02")  # by name and password
            await reader.readexactly(1)
            login = await sized() + b":" + await sized()
            writer.write(b"\x01\x00")
            assert (await reader.readexactly(4))[3] == 3, "a name"
            self.heads.append(login + b"@" + await sized())
            inner, outer = await asyncio.open_connection(
                "127.0.0.1", int.from_bytes(await reader.readexactly(2))
            )
            with contextlib.closing(outer):
                bound = (b"\x01" + bytes(4), b"\x03\x04acme", b"\x04" + bytes(16))[self.connections % 3]
                writer.write(b"\x05\x00\x00" + bound + bytes(2))
                await asyncio.gather(_pump(reader, outer), _pump(inner, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()
