"""The engine on httpx: one connection for each httpx transport.

A pool of httpx scans all its connections for every request and loses a slot when a request is
cancelled while it connects. So each httpx transport here holds one connection and is thrown away
after any failure or cancellation: nothing queues inside httpx and nothing can leak from it.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx

from wosdk_async.transport.engine import SendFailed
from wosdk_async.transport.engine.streaming import Incoming
from wosdk_async.transport.gate import Gate
from wosdk_async.wire import Reply

__all__ = ["HttpxEngine"]

_CONNECT_TIMEOUT = 10.0  # seconds
_KEEPALIVE = 4.0  # seconds idle after which a connection is not used again: servers close theirs soon after
_MAX_BODY = 64 * 1024 * 1024  # bytes after decompression
_SENDING = "http11.send_request_headers.started"


class HttpxEngine:
    """Up to ``connections`` requests at once, over connections kept by origin."""

    def __init__(self, *, connections: int = 20, ssl_context: ssl.SSLContext | None = None) -> None:
        self.capacity = connections
        self._slots = Gate(connections)
        self._ssl = ssl_context
        self._idle: dict[str, list[httpx.AsyncHTTPTransport]] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._closed = False

    def __repr__(self) -> str:
        idle = sum(len(transports) for transports in self._idle.values())
        return f"<HttpxEngine {self._slots.in_flight} of {self.capacity} busy, {idle} idle>"

    async def send(
        self,
        method: str,
        url: str,
        headers: list[tuple[str, str]],
        body: bytes | None,
        on_sending: Callable[[], None],
    ) -> Reply:
        sent = False

        async def trace(event: str, _: dict[str, Any]) -> None:
            nonlocal sent
            if event == _SENDING:
                sent = True
                on_sending()

        request = httpx.Request(
            method,
            url,
            headers=[(name.encode("ascii"), value.encode("utf-8")) for name, value in headers],
            content=body,
            extensions={"trace": trace, "timeout": {"connect": _CONNECT_TIMEOUT}},
        )
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        await self._slots.acquire(self)
        try:
            return await self._exchange(origin, request)
        except (httpx.RequestError, httpx.InvalidURL, OSError) as cause:
            raise SendFailed(f"{origin}: {str(cause) or type(cause).__name__}", sent=sent) from cause
        finally:
            self._slots.release(self)

    @contextlib.asynccontextmanager
    async def incoming(self, url: str) -> AsyncIterator[Incoming]:
        """GET ``url`` over a connection of its own and read the answer as it comes."""
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        timeout = {"timeout": {"connect": _CONNECT_TIMEOUT}}
        await self._slots.acquire(self)
        try:
            transport = await self._take(origin)
            try:
                with _translated(origin):
                    headers = [(b"Accept-Encoding", b"identity")]
                    request = httpx.Request("GET", url, headers=headers, extensions=timeout)
                    response = await transport.handle_async_request(request)
                try:
                    yield Incoming(response.status_code, response.headers, _chunks(response, origin))
                finally:
                    self._aside(response.aclose())
            finally:
                self._discard(transport)
        finally:
            self._slots.release(self)

    async def _exchange(self, origin: str, request: httpx.Request) -> Reply:
        """Send ``request`` over a connection, which is kept only if all went well."""
        transport = await self._take(origin)
        try:
            reply = await _read(transport, request)
        except BaseException:
            self._discard(transport)
            raise
        if self._closed:
            self._discard(transport)
        else:
            self._idle.setdefault(origin, []).append(transport)
        return reply

    async def _take(self, origin: str) -> httpx.AsyncHTTPTransport:
        """An idle connection to ``origin``, the one used last first, or a new one."""
        if idle := self._idle.get(origin):
            return idle.pop()
        if self._slots.in_flight + sum(map(len, self._idle.values())) > self.capacity:
            self._discard(next(kept for kept in self._idle.values() if kept).pop(0))  # of another origin
        if self._ssl is None:
            self._ssl = await asyncio.to_thread(httpx.create_ssl_context)  # 30 ms: not on the loop
        limits = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=_KEEPALIVE)
        return httpx.AsyncHTTPTransport(verify=self._ssl, limits=limits, trust_env=False)

    def _discard(self, transport: httpx.AsyncHTTPTransport) -> None:
        self._aside(transport.aclose())

    def _aside(self, closing: Coroutine[Any, Any, None]) -> None:
        """Close aside: the caller may be cancelled already and must not wait."""
        task = asyncio.get_running_loop().create_task(closing)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def aclose(self) -> None:
        """Close the idle connections; the others close when their answers have been read."""
        self._closed = True
        for kept in self._idle.values():
            for transport in kept:
                self._discard(transport)
        self._idle.clear()
        await asyncio.gather(*self._closing, return_exceptions=True)


async def _read(transport: httpx.AsyncHTTPTransport, request: httpx.Request) -> Reply:
    response = await transport.handle_async_request(request)
    try:
        body = bytearray()
        async for chunk in response.aiter_bytes():  # decompressed
            body += chunk
            if len(body) > _MAX_BODY:
                raise httpx.ReadError(f"the answer is longer than {_MAX_BODY} bytes")
    finally:
        await response.aclose()
    return Reply(response.status_code, response.headers, bytes(body))


@contextlib.contextmanager
def _translated(origin: str) -> Iterator[None]:
    """Failures of a request that is safe to repeat; what is not a failure of the connection passes."""
    try:
        yield
    except (httpx.RequestError, httpx.InvalidURL, OSError) as cause:
        sent = not isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout)
        raise SendFailed(f"{origin}: {str(cause) or type(cause).__name__}", sent=sent) from cause


async def _chunks(response: httpx.Response, origin: str) -> AsyncGenerator[bytes, None]:
    with _translated(origin):
        async for chunk in response.aiter_bytes():  # decompressed
            yield chunk
