"""``openssl s_server``: it sends what Python's ssl cannot, new keys and renegotiations."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Self

from tests.engine.raw import Script

_MAX_PRINTED = 1 << 26  # bytes that it prints between two things that are waited for


class OpenSSL:
    """Server for one connection after the other, run by lines on its stdin.

    Args:
        certificate: file with key and certificate.
        version: option that names the version of TLS.
        options: further options.
    """

    def __init__(self, certificate: Path, version: str, *options: str) -> None:
        command = f"stdbuf -oL openssl s_server -accept 127.0.0.1:0 -cert {certificate} {version}"
        self._command = [*command.split(), *options]

    async def __aenter__(self) -> Self:
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe, limit=_MAX_PRINTED
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        await self.printed("ACCEPT 127.0.0.1:")
        self.port = int(await self._stdout.readline())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._process.kill()
        await self._process.communicate()

    async def printed(self, text: str) -> None:
        """Wait until it has printed ``text``, what it received or what it did."""
        await self._stdout.readuntil(text.encode())

    def send(self, data: bytes) -> None:
        """Send bytes to the client."""
        self._stdin.write(data)

    async def renegotiate(self) -> None:
        """Ask for a new handshake of TLS 1.2."""
        self._stdin.write(b"r\n")

    async def change_keys(self) -> None:
        """Send a KeyUpdate of TLS 1.3 that asks for one; it waits, as one read of stdin is one command."""
        self._stdin.write(b"K\n")
        await self.printed("SSL_do_handshake -> 1")


def passing_on(
    port: int,
    piece: Callable[[], int] = lambda: 4096,
    may_read: asyncio.Event | None = None,
    first: bytes = b"",
) -> Script:
    """Pass bytes on in both directions, in pieces of other sizes than they came in.

    Args:
        port: where they go.
        piece: the size of the next piece.
        may_read: set while bytes of the client are read; always without it.
        first: bytes of the client that were read before.
    """

    async def pump(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, go: asyncio.Event | None
    ) -> None:
        with contextlib.closing(writer):
            while data := await reader.read(piece()):
                if go is not None:
                    await go.wait()
                writer.write(data)
                await writer.drain()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        far_writer.write(first)
        await asyncio.gather(pump(reader, far_writer, may_read), pump(far_reader, writer, None))

    return script
