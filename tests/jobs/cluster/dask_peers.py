"""What a connection to a Dask cluster may lead to: servers that are none, and a line that breaks."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

__all__ = ["Relay", "Stranger"]


class Stranger:
    """A server that says one thing to everybody, and then nothing.

    Args:
        says: what it says.
        close: whether it closes the connection then.
        port: where it listens; 0 for a free one.
    """

    def __init__(self, says: bytes, *, close: bool = False, port: int = 0) -> None:
        self._says, self._close = says, close
        self._listener = socket.create_server(("127.0.0.1", port))
        self.place = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()  # it may be about to keep a connection
        for each in self._open:
            each.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with contextlib.suppress(OSError):
                connection.sendall(self._says)
            if self._close:
                connection.close()
            else:
                self._open.append(connection)


class Relay:
    """A line to a scheduler that can break: everything that is connected is cut, and may connect again."""

    def __init__(self, address: str) -> None:
        where = urlsplit(address)
        self._target = (where.hostname, where.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    def __enter__(self) -> Self:
        self._starting = asyncio.ensure_future(asyncio.start_server(self._relay, sock=self._listener))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._starting.result().close()
        self._cut()

    async def cut(self) -> None:
        """Cut all connections."""
        self._cut()
        await asyncio.sleep(0)

    def _cut(self) -> None:
        while self._writers:
            self._writers.pop().transport.abort()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there = await asyncio.open_connection(*self._target)
        self._writers |= {writer, there}
        await asyncio.gather(self._pump(reader, there), self._pump(there_reader, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        writer.transport.abort()
