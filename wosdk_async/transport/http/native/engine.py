"""HTTP/1.1 engine of our own: encodes a request, sends it, and lets the caller read the response.

A request goes down these files::

    engine.py      a request to bytes, a response to the caller
    request.py     bytes of a request, its head remembered
    pool.py        which connection takes it; the queue of those that wait
    connect.py     new connections: resolve the host, race its addresses
    connection.py  one socket: one request out, one response in
    tls.py         what stands between a connection and its socket for https; tls_sessions.py
    batching.py    sockets written and read in batches
    parser.py      bytes to a response, with llhttp

It takes a tenth of httpx's CPU time: one future for each request, no locks, one buffer for all that is
received and one timer for all timeouts. HTTP/2 and proxies are left to httpx.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable
from typing import Any

from wosdk_async.errors import WosdkError
from wosdk_async.options import Limits, Timeouts
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.fork_safety import register_after_fork
from wosdk_async.transport.http.certificates import TLSContextProvider
from wosdk_async.transport.http.decompression import BadContent, decompress
from wosdk_async.transport.http.engine import (
    OnSending,
    PoolStatistics,
    Read,
    RequestHeaders,
    SendError,
    whole_response,
)
from wosdk_async.transport.http.native.connect import connect
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.pool import Pool
from wosdk_async.transport.http.native.request import EncodedRequest, Origin

__all__ = ["NativeEngine"]

_of_the_parent: list[Pool] = []
"""Pools that a fork copied: kept, so that nothing in this process ever closes the parent's sockets."""


class NativeEngine:
    """Up to ``limits.connections`` requests at once over HTTP/1.1, on whatever event loop it is used.

    Args:
        limits: how many connections, for how long, and how large a response may be.
        timeouts: how long each step may take.
        ssl_context: the certificates to trust instead of the system's.
        now: a clock in seconds, like :func:`time.monotonic`.
    """

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        timeouts: Timeouts | None = None,
        ssl_context: ssl.SSLContext | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits or Limits()
        self._timeouts = timeouts or Timeouts()
        self.capacity = self._limits.connections
        self._ssl_context = ssl_context
        self._now = now
        self._pool: Pool | None = None
        self._closed = False
        register_after_fork(self)

    def __repr__(self) -> str:
        now = self.statistics()
        return f"<NativeEngine {now.busy} of {self.capacity} busy, {now.idle} idle>"

    def statistics(self) -> PoolStatistics:
        """Return the state of the connections on the event loop that used the engine last."""
        return PoolStatistics() if self._pool is None else self._pool.statistics()

    async def send(
        self,
        method: str,
        url: str,
        headers: RequestHeaders,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,
        read: Read = whole_response,
    ) -> Any:
        """Send a request; see :class:`~wosdk_async.transport.http.engine.Engine`."""
        pool = self._pool
        # A transport has an engine for each loop. Other programs may use one engine in one loop after the
        # other, but not in two threads at once: the loop of another thread is running, too.
        # Not get_running_loop(), which asks the kernel for the process before Python 3.12: 0.1 us.
        if pool is None or not pool.loop.is_running():
            pool = self._move_to_running_loop()
        origin, request = _encode(pool, method, url, headers, body)
        again = False
        while True:
            connection = None if again else pool.take(origin, repeat_safe)
            if connection is None:
                connection = await self._new_connection(pool, origin)
            waiter: asyncio.Future[Response] = pool.loop.create_future()
            try:
                connection.start(request, on_sending, repeat_safe, waiter)
                pool.writer.submit(connection, pool.size == 1)
                response = await waiter
                break
            except SendError as failure:
                if failure.timeout or not connection.stale:
                    raise
                if (
                    failure.sent
                ):  # once more over a new connection: the service closes idle ones when it likes
                    if again or not repeat_safe:
                        raise
                    again = True
            except BaseException:
                connection.cancel(waiter)
                raise
        # No other request gets the connection before this response is believed.
        try:
            if type(response) is not Response:
                response = await self._decompress(origin, response)
            value = read(response)
        except WosdkError:
            connection.finish(True)
            raise
        except BaseException:
            connection.finish(False)
            raise
        connection.finish(True)
        return value

    async def _new_connection(self, pool: Pool, origin: Origin) -> Connection:
        """Return a connection that was just opened, or that another request has just left."""
        while True:
            connection = await pool.wait(origin)
            if connection is None:
                return await connect(pool, origin)
            if connection.live:
                return connection

    async def _decompress(self, origin: Origin, compressed: Response) -> Response:
        """Return the response with its body as it was before it was compressed. Raises SendError."""
        try:
            body = await decompress(compressed.body, compressed.headers, self._limits.body)
        except BadContent as bad:
            raise SendError(f"{origin.text}: the response cannot be read: {bad}", sent=True) from None
        return Response(compressed.status, compressed.headers, body, compressed.followed)

    async def aclose(self) -> None:
        """Close what is idle; a connection in use closes when its response has been read."""
        self._closed = True
        pool = self._pool
        if pool is None:
            return
        if pool.loop is asyncio.get_running_loop():
            await pool.aclose()
        else:
            self._move_to_running_loop()

    def _move_to_running_loop(self) -> Pool:
        """Make a pool for the running loop: sockets belong to the loop that opened them."""
        loop, old = asyncio.get_running_loop(), self._pool
        tls = TLSContextProvider(self._ssl_context)
        pool = self._pool = Pool(loop, self._limits, self._timeouts, tls, self._now)
        if old is not None and not old.loop.is_closed():
            old.loop.call_soon_threadsafe(old.close)
        if self._closed:
            pool.close()
        return pool

    def forked(self) -> None:
        """Leave the sockets to the parent process: to close them here would write to their peers."""
        if self._pool is not None:
            self._pool.abandon()
            _of_the_parent.append(self._pool)
            self._pool = None


def _encode(
    pool: Pool, method: str, url: str, headers: RequestHeaders, body: bytes | None
) -> tuple[Origin, EncodedRequest]:
    """Return the bytes of a request and where they go. Raises SendError for what cannot be sent."""
    try:
        origin, target = pool.targets.get(url) or pool.locate(url)
        return origin, origin.encode(method, target, headers, body)
    except ValueError as wrong:
        why = str(wrong)
    raise SendError(why, sent=False)  # not from the ValueError: it may hold a header
