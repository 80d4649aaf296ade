"""Built-in HTTP/1.1 engine: requests with whole responses, and downloads that are read piece by piece.

docs/engine.md traces a request through these files.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any

from wosdk_async.errors import WosdkError
from wosdk_async.fork_safety import register_after_fork
from wosdk_async.options import Limits, Timeouts
from wosdk_async.protocol.wire import InconclusiveResponse, Response
from wosdk_async.transport.http.certificates import TLSContextProvider
from wosdk_async.transport.http.decompression import BadContent, decompress
from wosdk_async.transport.http.engine import (
    NO_MEMORY,
    PoolStatistics,
    Request,
    RequestHeaders,
    SendError,
    StreamedResponse,
    decompressed,
    without_frames,
)
from wosdk_async.transport.http.environment import ProxyRules
from wosdk_async.transport.http.native.connect import connect
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.parser import HEAD, BadResponse, ResponseParser
from wosdk_async.transport.http.native.pool import Pool
from wosdk_async.transport.http.native.request import Origin, PreparedRequest

_MAX_OPENED = 2  # maximum further connections that a request opens after a failure

_of_the_parent: list[Pool] = []
"""Pools copied by a fork, kept so that this process never closes the parent's sockets."""


class NativeEngine:
    """HTTP/1.1 engine for up to ``ceiling`` concurrent requests on any event loop.

    Args:
        limits: number and lifetime of connections, and response size.
        ceiling: maximum connections when many Companies call (default: ``limits.connections``).
        timeouts: time limit of each step.
        ssl_context: certificates to trust instead of the system's.
        now: clock in seconds, such as :func:`time.monotonic`.
        proxies: proxy rules; None connects directly to all hosts.
    """

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        ceiling: int | None = None,
        timeouts: Timeouts | None = None,
        ssl_context: ssl.SSLContext | None = None,
        now: Callable[[], float] = time.monotonic,
        proxies: ProxyRules | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._timeouts = timeouts or Timeouts()
        self.ceiling = self._limits.connections if ceiling is None else ceiling
        # A third of the ceiling is reserved for the first calls of each Company.
        reserved = 0 if ceiling is None else self.ceiling // 3
        self.capacity = min(self._limits.connections, self.ceiling - reserved)
        self._ssl_context = ssl_context
        self._now = now
        self._proxies = proxies
        self._pool: Pool | None = None
        self._closed = False
        register_after_fork(self)

    def __repr__(self) -> str:
        now = self.statistics()
        return f"<NativeEngine {now.busy} of {self.capacity} busy, {now.idle} idle>"

    def statistics(self) -> PoolStatistics:
        """Return the connection counts on the event loop that last used the engine."""
        return PoolStatistics() if self._pool is None else self._pool.statistics()

    async def send(self, request: Request) -> Any:
        """Send a request; see :class:`~wosdk_async.transport.http.engine.Engine`."""
        pool, origin, prepared = self._prepare(request)
        opened = 0  # failed connections, except idle ones that failed before the request was sent
        while True:
            connection = None if opened else pool.take(origin, request.repeat_safe)
            if connection is None:
                connection = await pool.wait(origin)
                if connection is None:
                    connection = Connection(pool, origin)
                    await connect(pool, connection)
                if not connection.live:  # the service closed it, or sent bytes before any request
                    if opened == _MAX_OPENED:
                        raise _closed_at_once_error(origin)
                    opened += 1
                    continue
            waiter: asyncio.Future[Response] = pool.loop.create_future()
            try:
                connection.start(prepared, waiter)
                pool.writer.submit(connection, pool.size == 1)
                response = await waiter
                break
            except SendError as failure:
                # Services close idle connections, so a repeat-safe request that was sent on one is retried
                # once, on a new connection.
                is_final = failure.sent and (opened or not (request.repeat_safe and connection.stale))
                if is_final or failure.timeout or opened == _MAX_OPENED:
                    raise
                opened += failure.sent or not connection.reused
            except BaseException:
                connection.cancel(waiter)
                raise
        # No other request gets the connection until this response is accepted.
        try:
            if response.status == 407:
                _require_forwarded(origin)
            if type(response) is not Response:
                response = await self._decompress(origin, response)
            value = request.read(response)
        except BaseException as error:
            del response, waiter  # a log-in response contains the token, and other responses may repeat it
            connection.finish(isinstance(error, WosdkError))
            if isinstance(error, WosdkError | InconclusiveResponse):
                without_frames(error)
                if origin.proxy:
                    # Without a tunnel, the proxy may respond instead of the service, and repeat its password.
                    error.hide(origin.proxy.secrets)
            raise
        connection.finish(True)
        return value

    def _prepare(self, request: Request) -> tuple[Pool, Origin, PreparedRequest]:
        """Return the pool of the running loop, and the origin and encoded form of ``request``.

        Raises SendError for a request that cannot be sent, or ConfigurationError for an unusable proxy.
        """
        pool = self._pool
        # Cheaper than get_running_loop(), which makes a system call (getpid) before Python 3.12.
        if pool is None or not pool.loop.is_running():
            pool = self._move_to_running_loop()
        try:
            origin, target = pool.targets.get(request.url) or pool.locate(request.url)
            return pool, origin, (request, target, origin.head(request.headers))
        except WosdkError:  # an unusable proxy raises ConfigurationError, which is also a ValueError
            raise
        except ValueError as wrong:
            why = str(wrong)
        raise SendError(why, sent=False)  # raised outside the handler: the ValueError may hold a header

    @contextlib.asynccontextmanager
    async def stream(self, url: str, headers: RequestHeaders = ()) -> AsyncIterator[StreamedResponse]:
        """Download a file; see :class:`~wosdk_async.transport.http.engine.StreamingEngine`."""
        request = Request("GET", url, (("Accept-Encoding", "identity"), *headers), repeat_safe=True)
        pool, origin, prepared = self._prepare(request)
        while (idle := await pool.wait(origin)) is not None:
            idle.close()  # not used, because a stream has its own connection
        connection = _StreamConnection(pool, origin)
        await connect(pool, connection)
        if not connection.live:
            raise _closed_at_once_error(origin)
        try:
            response = await connection.request(prepared)
            if response.status == 407:
                _require_forwarded(origin)
            yield response
        finally:
            connection.discard()

    async def _decompress(self, origin: Origin, compressed: Response) -> Response:
        """Return the response with its body decompressed. Raises SendError."""
        try:
            body = await decompress(compressed.body, compressed.headers, self._limits.body)
            return Response(compressed.status, compressed.headers, body, compressed.followed)
        except BadContent as bad:
            why = str(bad)
        del compressed
        raise SendError(f"{origin.text}: the response cannot be read: {why}", sent=True)

    async def aclose(self) -> None:
        """Close idle connections; busy ones close once their responses have been read."""
        self._closed = True
        pool = self._pool
        if pool is None:
            return
        if pool.loop is asyncio.get_running_loop():
            await pool.aclose()
        else:
            self._move_to_running_loop()

    def _move_to_running_loop(self) -> Pool:
        """Create a pool for the running loop, because sockets belong to the loop that opened them.

        A transport has one engine per loop. Other programs may use an engine in successive loops, but not in
        two threads at once.
        """
        loop, old = asyncio.get_running_loop(), self._pool
        tls = TLSContextProvider(self._ssl_context)
        pool = self._pool = Pool(
            loop, self._limits, self._timeouts, tls, self._now, self._proxies, self.ceiling
        )
        if old is not None and not old.loop.is_closed():
            old.loop.call_soon_threadsafe(old.close)
        if self._closed:
            pool.close()
        return pool

    def forked(self) -> None:
        """Leave the sockets to the parent process: closing them here would write to the peers."""
        if self._pool is not None:
            self._pool.abandon()
            _of_the_parent.append(self._pool)
            self._pool = None


def _closed_at_once_error(origin: Origin) -> SendError:
    return SendError(
        f"{origin.text}: the service closed the connection, or sent data, before any request", sent=False
    )


def _require_forwarded(origin: Origin) -> None:
    """Raise SendError for a 407 from a proxy, which did not forward the request (RFC 9110)."""
    if origin.forwarded and (proxy := origin.proxy):
        why = f"{origin.text}: the proxy {proxy.shown} refuses the request: 407"
        raise SendError(why, sent=False, remedy=proxy.login_remedy)


# --- downloads over dedicated connections ---------------------------------------------------------

_AHEAD = 256 * 1024  # reading pauses while this many bytes are waiting for the consumer


class _StreamParser(ResponseParser):
    """Parser that hands body pieces to its connection, without a size limit."""

    def take(self) -> bytes:
        piece = b"".join(self._chunks)
        self._chunks.clear()
        return piece

    @property
    def head(self) -> Response | None:
        """Status and headers of the final response; None until they are complete."""
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


class _StreamConnection(Connection):
    read_in_batches = False
    parser_type = _StreamParser

    _parser: _StreamParser

    def __init__(self, pool: Pool, origin: Origin) -> None:
        super().__init__(pool, origin)
        self._pieces: deque[bytes] = deque()
        """Received pieces that have not been consumed."""
        self._size = 0
        """Size of the unconsumed pieces in bytes."""
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
        """Close, and discard received data, which a traceback could show."""
        self._pieces.clear()
        self.abort()

    @property
    def busy(self) -> bool:
        return self.live

    def received(self, data: bytes) -> None:
        """Parse received bytes. Once the head is complete, :meth:`request` returns; the body follows."""
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
