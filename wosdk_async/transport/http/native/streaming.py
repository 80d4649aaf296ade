"""Download over a dedicated connection, read no faster than its consumer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator

from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import NO_MEMORY, SendError, StreamedResponse, decompressed
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.parser import HEAD, BadResponse, ResponseParser
from wosdk_async.transport.http.native.pool import Pool
from wosdk_async.transport.http.native.request import Origin, PreparedRequest

_AHEAD = 256 * 1024  # reading pauses while this many bytes are waiting for the consumer


class _StreamParser(ResponseParser):
    """Parser that hands body pieces to its connection, without a size limit."""

    def take(self) -> bytes:
        """Return and clear the received pieces."""
        piece = b"".join(self._chunks)
        self._chunks.clear()
        return piece

    @property
    def head(self) -> Response | None:
        """Final status and headers once complete; interim responses are skipped."""
        if self._stage == HEAD or self._status < 200:
            return None
        return Response(self._status, self._headers, b"")

    def _keep_chunks(self, received: int) -> None:
        if self._chunks:
            self._overhead = 0
        else:
            # The base class limits the bytes outside the body. Here each piece of the body resets the count.
            super()._keep_chunks(received)

    def _make_response(self) -> Response:
        # Called once the response is complete, so take() returns the last pieces of the body.
        return Response(self._status, self._headers, self.take())


class StreamConnection(Connection):
    """Connection for a single download."""

    read_in_batches = False
    parser_type = _StreamParser

    _parser: _StreamParser

    def __init__(self, pool: Pool, origin: Origin) -> None:
        super().__init__(pool, origin)
        self._pieces: deque[bytes] = deque()
        """Received pieces that have not been consumed."""
        self._size = 0
        """Size of the unconsumed pieces."""
        self._ended = False
        """Whether the body is complete."""
        self._failure: SendError | None = None
        self._held = True  # always: the connection is never idle, even while no task waits for data

    async def request(self, prepared: PreparedRequest) -> StreamedResponse:
        """Send a request and return the response, whose chunks arrive later. Raises SendError."""
        head: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self.start(prepared, head)
        self._pool.writer.submit(self, alone=True)
        response = await head
        return StreamedResponse(
            response.status, response.headers, decompressed(self._body(), response, self.origin.text)
        )

    def discard(self) -> None:
        """Close, and discard received data, because tracebacks may show variables."""
        self._pieces.clear()
        self.abort()

    @property
    def busy(self) -> bool:
        """Whether in use: true until closed."""
        return self.live

    def received(self, data: bytes) -> None:
        """Parse received bytes. A complete head ends :meth:`request`; the body follows in pieces."""
        if self._prepared is not None or self._ended:
            super().received(data)  # closes, because these bytes precede the request or follow its response
            return
        try:
            response = self._parser.feed(data)
        except (BadResponse, MemoryError) as bad:
            self._fail(f"the response cannot be read: {str(bad) or NO_MEMORY}")
            return
        self.since = self._pool.now()
        if response is None:
            self._pass_on(self._parser.take(), False)
        else:
            self._complete(response)

    def eof_received(self) -> None:
        """Complete a body that ends with the connection; fail any other response."""
        if not self._ended:
            self._end_response()

    def _complete(self, response: Response) -> None:
        self._pass_on(response.body, True)

    def _pass_on(self, piece: bytes, done: bool) -> None:
        """Buffer received data for the consumer, and wake it."""
        if piece:
            self._pieces.append(piece)
            self._size += len(piece)
        self._ended = done
        waiter, head = self._waiter, self._parser.head
        if waiter is not None and head is not None:
            self._drop_request()
            if not waiter.done():
                waiter.set_result(head)
        if not done and self._size > _AHEAD:
            self._transport.pause_reading()

    def _fail(self, why: str | Exception, *, timeout: str = "") -> None:
        if self._waiter is None and self._failure is None:
            self._failure = SendError(f"{self.origin.text}: {why}", sent=True, timeout=timeout)
        super()._fail(why, timeout=timeout)

    async def _body(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it arrives. Raises SendError if the body is truncated."""
        while True:
            while self._pieces:
                self._size -= len(self._pieces[0])
                yield self._pieces.popleft()  # without a local variable, which a traceback would show
            if self._ended:
                return
            if self._failure is not None:
                raise self._failure
            self._transport.resume_reading()
            self.since = self._pool.now()
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
