"""Engine on transports of httpx or httpx2, with one connection for each: for proxies and HTTP/2.

A pool of httpx scans all its connections for every request and loses a slot when a request is cancelled
while it connects. So each httpx transport here holds one connection and is closed after any failure or
cancellation: no request waits inside httpx, and httpx cannot lose a slot.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Coroutine
from typing import TYPE_CHECKING, Any

from wosdk_async.errors import RefusedError, WosdkError
from wosdk_async.httpx_family import installed_library
from wosdk_async.options import Limits, Timeouts
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.certificates import TLSContextProvider
from wosdk_async.transport.http.engine import (
    FRESH,
    OnSending,
    PoolStatistics,
    Read,
    RequestHeaders,
    StreamedResponse,
    encode_headers,
    origin_of,
    whole_response,
)
from wosdk_async.transport.http.environment import secrets_of_proxy, shown_proxy
from wosdk_async.transport.http.httpx.log_filter import filtered_logs
from wosdk_async.transport.http.httpx.responses import (
    Route,
    body_chunks,
    is_failure,
    read_response,
    send_error,
    translated_errors,
)
from wosdk_async.transport.limiter.limiter import ConcurrencyLimiter

if TYPE_CHECKING:
    import httpx

__all__ = ["HttpxEngine"]

_SENDING = ("http11.send_request_headers.started", "http2.send_request_headers.started")


class HttpxEngine:
    """Up to ``limits.connections`` requests at once, over connections kept by origin.

    Of the limits it uses ``connections`` and ``body``; waiting for a connection has no timeout of its own.

    Args:
        limits: how many connections, and how large a response may be.
        timeouts: how long each step may take.
        ssl_context: the certificates to trust instead of the system's.
        proxy: the proxy for all requests.
        http2: offer HTTP/2 to hosts with TLS. A connection still carries one request at a time, see above.
        library: the module httpx or httpx2 to send with; None for the installed one.
    """

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        timeouts: Timeouts | None = None,
        ssl_context: ssl.SSLContext | None = None,
        proxy: str | None = None,
        http2: bool = False,
        library: Any = None,
    ) -> None:
        self._library = library or installed_library()
        self._limits = limits or Limits()
        self.capacity = self._limits.connections
        steps = timeouts or Timeouts()
        self._timeout = {"connect": steps.connect, "read": steps.read, "write": steps.write}
        self._limiter = ConcurrencyLimiter(self.capacity)
        self._queue = self._limiter.new_queue()
        protocols = ("http/1.1", "h2") if http2 else ("http/1.1",)
        self._certificates = TLSContextProvider(ssl_context, protocols)
        self._proxy = proxy
        self._route = Route(
            self._certificates.authority_remedy(), shown_proxy(proxy), secrets_of_proxy(proxy)
        )
        self._http2 = http2
        self._idle: dict[str, list[httpx.AsyncHTTPTransport]] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._closed = False

    def __repr__(self) -> str:
        now = self.statistics()
        return f"<HttpxEngine {now.busy} of {self.capacity} busy, {now.idle} idle>"

    def statistics(self) -> PoolStatistics:
        """Return the state of the connections."""
        busy, idle = self._limiter.in_flight, self._idle_count()
        return PoolStatistics(busy, idle, self._limiter.queued, busy + idle)

    async def send(
        self,
        method: str,
        url: str,
        headers: RequestHeaders,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,  # noqa: ARG002 - connections are closed before they become stale
        read: Read = whole_response,
    ) -> Any:
        """Send a request; see :class:`~wosdk_async.transport.http.engine.Engine`."""
        sent = False

        async def trace(event: str, of: dict[str, Any]) -> None:
            nonlocal sent
            if event in _SENDING and of["request"].method != b"CONNECT":  # that one is for the proxy
                sent = True
                on_sending()

        request = self._library.Request(
            method,
            url,
            headers=encode_headers(headers),
            content=body,
            extensions={"trace": trace, "timeout": self._timeout},
        )
        await self._limiter.acquire(self._queue)
        try:
            return await self._exchange(origin_of(url), request, read)
        except Exception as cause:
            if not is_failure(cause):
                raise
            error = send_error(url, cause, sent=sent, route=self._route)
        finally:
            self._limiter.release(self._queue)
        # Not raised from the cause: it holds the request, and with it the token.
        raise error

    @contextlib.asynccontextmanager
    async def stream(self, url: str) -> AsyncIterator[StreamedResponse]:
        """Download a file; see :class:`~wosdk_async.transport.http.engine.StreamingEngine`."""
        timeout = {"timeout": {"connect": self._timeout["connect"]}}
        await self._limiter.acquire(self._queue)
        try:
            transport = await self._take(origin_of(url))
            try:
                with translated_errors(url, self._route), filtered_logs(download=True):
                    headers = [(b"Accept-Encoding", b"identity")]
                    request = self._library.Request("GET", url, headers=headers, extensions=timeout)
                    response = await transport.handle_async_request(request)
                try:
                    yield StreamedResponse(response.status_code, response.headers, body_chunks(response, url))
                finally:
                    with filtered_logs(download=True):  # the task that closes copies this context
                        self._close_later(response.aclose())
            finally:
                self._close_later(transport.aclose())
        finally:
            self._limiter.release(self._queue)

    async def _exchange(self, origin: str, request: httpx.Request, read: Read) -> Any:
        """Send ``request`` over a connection, which is kept only if its response is believed."""
        transport = await self._take(origin)
        believed = False

        def note_surplus_and_read(response: Response) -> Any:
            response.followed = _has_surplus(transport)
            return read(response)

        try:
            with filtered_logs():
                response = await transport.handle_async_request(request)
                value = await read_response(response, self._limits.body, note_surplus_and_read)
            believed = True
            return value
        except WosdkError as error:
            believed = True
            if isinstance(error, RefusedError):  # without TLS a proxy may respond in the service's place
                error.hide(self._route.secrets)
            raise
        finally:
            if believed and not self._closed and _is_silent(transport):
                self._idle.setdefault(origin, []).append(transport)
            else:
                self._close_later(transport.aclose())

    async def _take(self, origin: str) -> httpx.AsyncHTTPTransport:
        """Return an idle connection to ``origin``, the one used last first, or a new one."""
        idle = self._idle.get(origin)
        while idle:
            transport = idle.pop()
            if _is_silent(transport):
                return transport
            self._close_later(transport.aclose())
        if self._limiter.in_flight + self._idle_count() > self.capacity:
            oldest = next(kept for kept in self._idle.values() if kept).pop(0)  # of another origin
            self._close_later(oldest.aclose())
        context = await self._certificates.context()
        return self._new_transport(context)

    def _new_transport(self, context: ssl.SSLContext) -> httpx.AsyncHTTPTransport:
        library, proxy = self._library, None
        if self._proxy is not None:  # one that is reached over TLS is checked as a host is
            over_tls = self._proxy.lower().startswith("https:")
            proxy = library.Proxy(self._proxy, ssl_context=context if over_tls else None)
        made: httpx.AsyncHTTPTransport = library.AsyncHTTPTransport(
            verify=context,
            http2=self._http2,
            proxy=proxy,
            limits=library.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=FRESH),
            trust_env=False,
        )
        return made

    def _idle_count(self) -> int:
        return sum(map(len, self._idle.values()))

    def _close_later(self, closing: Coroutine[Any, Any, None]) -> None:
        """Close in a task of its own: the caller may be cancelled already and must not wait."""
        task = asyncio.get_running_loop().create_task(closing)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def aclose(self) -> None:
        """Close the idle connections; the others close when their responses have been read."""
        self._closed = True
        for kept in self._idle.values():
            for transport in kept:
                self._close_later(transport.aclose())
        self._idle.clear()
        await asyncio.gather(*self._closing, return_exceptions=True)


def _is_silent(transport: httpx.AsyncHTTPTransport) -> bool:
    """Return whether nothing has come on the one connection of ``transport`` since its last response.

    A surplus response would be taken for that of the next request. httpx and httpcore show
    neither h11's buffer nor the stream of an idle connection, hence the private names; a connection in
    which they are not found counts as not silent. HTTP/2 numbers its streams and needs no such check.
    """
    found = _connection(transport)
    if found is None:
        return False
    if hasattr(found, "_h2_state"):
        return True
    return not (_has_surplus(transport) or found._network_stream.get_extra_info("is_readable"))


def _has_surplus(transport: httpx.AsyncHTTPTransport) -> bool:
    """Return whether bytes have been read behind the end of a response."""
    state = getattr(_connection(transport), "_h11_state", None)
    return state is not None and state.trailing_data[0].strip(b"\r\n") != b""


def _connection(transport: httpx.AsyncHTTPTransport) -> Any:
    """Return the one connection of ``transport``; None where it is not found."""
    found: Any = next(iter(transport._pool.connections), None)
    while found is not None and not hasattr(found, "_network_stream"):
        found = getattr(found, "_connection", None)  # a proxy's connection holds that of the request
    return found if hasattr(found, "_h2_state") or hasattr(found, "_h11_state") else None
