"""The engine: a request to bytes, an answer to a Response."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable, Coroutine
from typing import Any

from wosdk_async.errors import WosdkError
from wosdk_async.options import Limits, Timeouts
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.fork_safety import register_after_fork
from wosdk_async.transport.http.bodies import BadContent, decompress
from wosdk_async.transport.http.engine import (
    OnSending,
    PoolStatistics,
    Read,
    RequestHeaders,
    SendError,
    whole_response,
)
from wosdk_async.transport.http.native.connect import dial
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.pool import Pool
from wosdk_async.transport.http.native.request import (
    Origin,
    PreparedRequest,
    origin_of,
    request_bytes,
    split_url,
)
from wosdk_async.transport.http.tls import TLSContextProvider

__all__ = ["NativeEngine"]

_REMEMBERED = 1024  # addresses of one pool that need not be read again

_of_the_parent: list[Pool] = []
"""Pools that a fork brought along: kept, so that nothing in this process ever closes the parent's sockets."""


class NativeEngine:
    """Up to ``limits.connections`` requests at once over HTTP/1.1, on whatever event loop it is used.

    Args:
        limits: how many connections, for how long, and how much of an answer.
        timeouts: how long each step may take.
        ssl_context: the certificates to trust instead of the system's.
        now: seconds, as :func:`time.monotonic` counts them.
    """

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        timeouts: Timeouts | None = None,
        ssl_context: ssl.SSLContext | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits or Limits()
        self.timeouts = timeouts or Timeouts()
        self.capacity = self.limits.connections
        self._ssl_context = ssl_context
        self._now = now
        self._pool: Pool | None = None
        self._closed = False
        register_after_fork(self)

    def __repr__(self) -> str:
        now = self.statistics()
        return f"<NativeEngine {now.busy} of {self.capacity} busy, {now.idle} idle>"

    def statistics(self) -> PoolStatistics:
        """Return the state of the pool of the event loop that used the engine last."""
        return PoolStatistics() if self._pool is None else self._pool.statistics()

    def send(
        self,
        method: str,
        url: str,
        headers: RequestHeaders,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,
        read: Read = whole_response,
    ) -> Coroutine[Any, Any, Any]:
        """See :class:`~wosdk_async.transport.http.engine.Engine`."""
        pool = self._pool
        # A transport has an engine for each loop; other programs may use one engine in one loop after the
        # other. Not get_running_loop(), which asks the kernel for the process before Python 3.12: 0.7 us.
        if pool is None or not pool.loop.is_running():
            pool = self._moved()
        try:
            origin, target = pool.places.get(url) or self._place(pool, url)
            request = request_bytes(method, target, origin.head(headers), body)
        except ValueError as wrong:
            why = str(wrong)
        else:
            bare = method == "HEAD"
            asked = PreparedRequest(request, on_sending, self.timeouts, repeat_safe, bare, False)
            return self._exchange(pool, origin, asked, read)
        raise SendError(why, sent=False)  # not from the ValueError: it may hold a header

    def _place(self, pool: Pool, url: str) -> tuple[Origin, bytes]:
        """Where ``url`` leads, remembered. Raises ValueError."""
        places = pool.places
        if len(places) >= _REMEMBERED:
            places.clear()
        text, target = split_url(url)
        place = places[url] = self.origin(text), target.encode("ascii")
        return place

    def origin(self, text: str) -> Origin:
        """The origin called ``text`` (``https://host:port``). Raises ValueError."""
        origins = self._here().origins
        origin = origins.get(text)
        if origin is None:
            origin = origins[text] = origin_of(text)
        return origin

    def exchange(
        self, origin: Origin, asked: PreparedRequest, read: Read = whole_response
    ) -> Coroutine[Any, Any, Any]:
        """Send a request and return what ``read`` makes of its response. Raises SendError.

        What is safe to repeat is sent once more, over a new connection, when one that had been idle turns
        out to be dead: the service closes those when it likes.
        """
        return self._exchange(self._here(), origin, asked, read)

    async def _exchange(self, pool: Pool, origin: Origin, asked: PreparedRequest, read: Read) -> Any:
        again = False
        while True:
            connection = None if again else pool.take(origin, asked.repeat_safe)
            if connection is None:
                connection = await self._connection(pool, origin, asked.timeouts)
            waiter: asyncio.Future[Any] = pool.loop.create_future()
            try:
                connection.take(asked, waiter)
                pool.outbox.post(connection, pool.size == 1)
                reply = await waiter
                break
            except SendError as failure:
                if failure.timeout or not connection.stale:
                    raise
                if failure.sent:
                    if again or not asked.repeat_safe:
                        raise
                    again = True
            except BaseException:
                connection.cut(waiter)
                raise
        # No other request gets the connection before this response is believed.
        try:
            if type(reply) is not Response and not asked.raw:
                reply = await self._plain(origin, reply)
            value = read(reply)
        except WosdkError:
            connection.free(believed=True)
            raise
        except BaseException:
            connection.free(believed=False)
            raise
        connection.free(True)
        return value

    async def _plain(self, origin: Origin, coded: Response) -> Response:
        """Return the reply as it was before it was compressed. Raises SendError."""
        try:
            body = await decompress(coded.body, coded.headers, self.limits.body)
        except BadContent as bad:
            raise SendError(f"{origin.text}: the answer cannot be read: {bad}", sent=True) from None
        return Response(coded.status, coded.headers, body, coded.followed)

    async def aclose(self) -> None:
        """Close what is idle; what is in use closes when its answer has been read."""
        self._closed = True
        pool = self._pool
        if pool is not None and pool is self._here():
            await pool.aclose()

    async def _connection(self, pool: Pool, origin: Origin, timeouts: Timeouts) -> Connection:
        while True:
            connection = await pool.wait(origin, limit=timeouts.pool)
            if connection is None:
                return await dial(pool, origin, timeouts.connect)
            if connection.usable:
                return connection
            connection.abort()

    def _here(self) -> Pool:
        """The pool of the running loop."""
        pool = self._pool
        if pool is None or pool.loop is not asyncio.get_running_loop():
            pool = self._moved()
        return pool

    def _moved(self) -> Pool:
        """Start afresh: sockets belong to the loop that opened them."""
        loop, old = asyncio.get_running_loop(), self._pool
        pool = self._pool = Pool(loop, self.limits, TLSContextProvider(self._ssl_context), self._now)
        if old is not None and not old.loop.is_closed():
            old.loop.call_soon_threadsafe(old.close)
        if self._closed:
            pool.close()
        return pool

    def forked(self) -> None:
        """In a child: leave the sockets of the parent alone; to close them would speak to their peers."""
        if self._pool is not None:
            self._pool.outbox.inherited = self._pool.receiver.inherited = True
            _of_the_parent.append(self._pool)
            self._pool = None
