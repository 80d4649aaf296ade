"""The least that a hand-written asyncio client can do: what we are measured against from below.

One host, answers with Content-Length or chunks, one time limit for an answer; no retries, no errors to speak
of. It does what every client has to: status and headers are kept, a timer is armed for each request. It shows
what the loop, the parser and the JSON cost; a program should not use it.
"""

from __future__ import annotations

import asyncio
from collections import deque

import httptools

__all__ = ["Answer", "Pool"]

Answer = tuple[int, list[tuple[bytes, bytes]], bytes]
"""Status, headers, body."""


class _Connection(asyncio.BufferedProtocol):
    shared = memoryview(bytearray(65536))

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._answered: asyncio.Future[Answer] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.WriteTransport = transport  # type: ignore[assignment]

    def ask(self, request: bytes, answered: asyncio.Future[Answer]) -> None:
        self._answered = answered
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: list[bytes] = []
        self._parser = httptools.HttpResponseParser(self)
        self.transport.write(request)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio's name
        return self.shared

    def buffer_updated(self, nbytes: int) -> None:
        self._parser.feed_data(self.shared[:nbytes])

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name, value))

    def on_body(self, part: bytes) -> None:
        self._body.append(part)

    def on_message_complete(self) -> None:
        parts = self._body
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        answered, self._answered = self._answered, None
        self._pool.give_back(self)
        if answered is not None and not answered.done():
            answered.set_result((self._parser.get_status_code(), self._headers, body))


class Pool:
    """Connections to one host: the one used last first, waiters in their order."""

    def __init__(self, port: int, size: int) -> None:
        self._port, self._free = port, size
        self._idle: list[_Connection] = []
        self._waiting: deque[asyncio.Future[_Connection]] = deque()
        self._all: list[_Connection] = []

    async def post(self, head: bytes, body: bytes, seconds: float) -> Answer:
        """The answer, within so many seconds; ``head`` ends before Content-Length."""
        connection = self._idle.pop() if self._idle else await self._another()
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Answer] = loop.create_future()
        connection.ask(b"%sContent-Length: %d\r\n\r\n%s" % (head, len(body), body), answered)
        timer = loop.call_later(seconds, _expire, answered)
        try:
            return await answered
        finally:
            timer.cancel()

    async def _another(self) -> _Connection:
        loop = asyncio.get_running_loop()
        if not self._free:
            turn: asyncio.Future[_Connection] = loop.create_future()
            self._waiting.append(turn)
            return await turn
        self._free -= 1
        _, made = await loop.create_connection(lambda: _Connection(self), "127.0.0.1", self._port)
        self._all.append(made)
        return made

    def give_back(self, connection: _Connection) -> None:
        if self._waiting:
            self._waiting.popleft().set_result(connection)
        else:
            self._idle.append(connection)

    def close(self) -> None:
        for connection in self._all:
            connection.transport.abort()


def _expire(answered: asyncio.Future[Answer]) -> None:
    if not answered.done():
        answered.set_exception(TimeoutError("no answer"))
