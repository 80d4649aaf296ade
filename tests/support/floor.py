"""Minimal hand-written asyncio client: the lower bound of a client's cost.

One host, responses with Content-Length or chunks, one time limit per response; no retries, hardly any errors.
It does only what every client must do: it stores status and headers, and starts a timer for each request. It
shows the cost of the loop, the parser and the JSON; do not use it in a program.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import deque

import httptools

Response = tuple[int, list[tuple[bytes, bytes]], bytes]
"""Status, headers, body."""


class _Connection(asyncio.BufferedProtocol):
    shared = memoryview(bytearray(65536))

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._waiter: asyncio.Future[Response] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.WriteTransport = transport  # type: ignore[assignment]

    async def secure(self) -> None:
        """Do nothing without TLS."""

    def send(self, request: bytes, waiter: asyncio.Future[Response]) -> None:
        self._waiter = waiter
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: list[bytes] = []
        self._parser = httptools.HttpResponseParser(self)
        self.transport.write(request)

    def get_buffer(self, sizehint: int) -> memoryview:
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
        waiter, self._waiter = self._waiter, None
        self._pool.give_back(self)
        if waiter is not None and not waiter.done():
            waiter.set_result((self._parser.get_status_code(), self._headers, body))


class _TLSConnection(_Connection):
    """TLS by in-memory OpenSSL: asyncio's own costs a quarter more."""

    def __init__(self, pool: Pool, context: ssl.SSLContext) -> None:
        super().__init__(pool)
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname="127.0.0.1")
        self._secured: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def secure(self) -> None:
        self._shake()
        await self._secured

    def _shake(self) -> None:
        try:
            self._tls.do_handshake()
            self._secured.set_result(None)
        except ssl.SSLWantReadError:
            pass
        if out := self._outgoing.read():
            self.transport.write(out)

    def send(self, request: bytes, waiter: asyncio.Future[Response]) -> None:
        self._tls.write(request)
        super().send(self._outgoing.read(), waiter)

    def buffer_updated(self, nbytes: int) -> None:
        self._incoming.write(self.shared[:nbytes])
        if not self._secured.done():
            self._shake()
        try:
            while True:
                self._parser.feed_data(self._tls.read(65536))
        except (ssl.SSLWantReadError, AttributeError):  # without a parser, only session tickets arrive
            pass


class Pool:
    """Connections to one host, most recently used first; requests wait in order."""

    def __init__(self, port: int, size: int, context: ssl.SSLContext | None = None) -> None:
        self._port, self._free, self._context = port, size, context
        self._idle: list[_Connection] = []
        self._waiting: deque[asyncio.Future[_Connection]] = deque()
        self._all: list[_Connection] = []

    async def post(self, head: bytes, body: bytes, seconds: float) -> Response:
        """Return the response within ``seconds``; ``head`` ends before Content-Length."""
        connection = self._idle.pop() if self._idle else await self._new_connection()
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[Response] = loop.create_future()
        connection.send(b"%sContent-Length: %d\r\n\r\n%s" % (head, len(body), body), waiter)
        timer = loop.call_later(seconds, _expire, waiter)
        try:
            return await waiter
        finally:
            timer.cancel()

    async def _new_connection(self) -> _Connection:
        loop = asyncio.get_running_loop()
        if not self._free:
            turn: asyncio.Future[_Connection] = loop.create_future()
            self._waiting.append(turn)
            return await turn
        self._free -= 1
        context = self._context
        made = _Connection(self) if context is None else _TLSConnection(self, context)
        await loop.create_connection(lambda: made, "127.0.0.1", self._port)
        await made.secure()
        self._all.append(made)
        return made

    def give_back(self, connection: _Connection) -> None:
        """Give a connection to the longest-waiting request, or keep it idle."""
        if self._waiting:
            self._waiting.popleft().set_result(connection)
        else:
            self._idle.append(connection)

    def close(self) -> None:
        for connection in self._all:
            connection.transport.abort()


def _expire(waiter: asyncio.Future[Response]) -> None:
    if not waiter.done():
        waiter.set_exception(TimeoutError("no response"))
