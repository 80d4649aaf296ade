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
from wosdk_async.transport.limits import Limits, Timeouts
from wosdk_async.wire import Reply

__all__ = ["HttpxEngine", "httpx"]

_KEEPALIVE = 4.0  # seconds idle after which a connection is not used again: servers close theirs soon after
_MAX_REASON = 300  # characters of what httpx and the system say of a failure
_SENDING = "http11.send_request_headers.started"


class HttpxEngine:
    """Up to ``limits.connections`` requests at once, over connections kept by origin.

    Of the limits it knows ``connections`` and ``body``; waiting for a connection has no timeout of its own.
    """

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        timeouts: Timeouts | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self.capacity = self._limits.connections
        steps = timeouts or Timeouts()
        self._timeout = {"connect": steps.connect, "read": steps.read, "write": steps.write}
        self._slots = Gate(self.capacity)
        self._lane = self._slots.lane()
        self._ssl = ssl_context
        self._idle: dict[str, list[httpx.AsyncHTTPTransport]] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._closed = False

    def __repr__(self) -> str:
        busy, idle = self.connections()
        return f"<HttpxEngine {busy} of {self.capacity} busy, {idle} idle>"

    def connections(self) -> tuple[int, int]:
        return self._slots.in_flight, sum(map(len, self._idle.values()))

    async def send(
        self,
        method: str,
        url: str,
        headers: list[tuple[str, str]],
        body: bytes | None,
        on_sending: Callable[[], None],
        *,
        repeat_safe: bool = False,  # noqa: ARG002 - none of its connections rests for long
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
            extensions={"trace": trace, "timeout": self._timeout},
        )
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        await self._slots.acquire(self._lane)
        try:
            return await self._exchange(origin, request)
        except (httpx.RequestError, httpx.InvalidURL, OSError) as cause:
            why = _summary(cause)
        finally:
            self._slots.release(self._lane)
        # Not raised from the cause: it holds the request, and with it the token.
        raise SendFailed(f"{origin}: {why}", sent=sent)

    @contextlib.asynccontextmanager
    async def incoming(self, url: str) -> AsyncIterator[Incoming]:
        """GET ``url`` over a connection of its own and read the answer as it comes."""
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        timeout = {"timeout": {"connect": self._timeout["connect"]}}
        await self._slots.acquire(self._lane)
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
            self._slots.release(self._lane)

    async def _exchange(self, origin: str, request: httpx.Request) -> Reply:
        """Send ``request`` over a connection, which is kept only if all went well."""
        transport = await self._take(origin)
        try:
            reply = await _read(transport, request, self._limits.body)
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


async def _read(transport: httpx.AsyncHTTPTransport, request: httpx.Request, limit: int) -> Reply:
    response = await transport.handle_async_request(request)
    try:
        body = bytearray()
        async for chunk in response.aiter_bytes():  # decompressed
            body += chunk
            if len(body) > limit:
                raise httpx.ReadError(f"the answer is longer than {limit} bytes")
    finally:
        await response.aclose()
    return Reply(response.status_code, response.headers, bytes(body))


def _summary(cause: BaseException) -> str:
    """What went wrong, and what was behind it: ``ConnectError: all failed ([Errno 111] refused)``."""
    root = cause
    while found := root.__cause__ or root.__context__:
        root = found
    first, last = (str(each) or type(each).__name__ for each in (cause, root))
    behind = f" ({last})" if last not in first else ""
    return f"{type(cause).__name__}: {first}{behind}"[:_MAX_REASON]


@contextlib.contextmanager
def _translated(origin: str) -> Iterator[None]:
    """Failures of a request that is safe to repeat; what is not a failure of the connection passes."""
    try:
        yield
    except (httpx.RequestError, httpx.InvalidURL, OSError) as cause:
        sent = not isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout)
        failure = SendFailed(f"{origin}: {_summary(cause)}", sent=sent)
        try:
            raise failure from None
        finally:
            failure.__context__ = None  # it holds the address, which may be as good as a token


async def _chunks(response: httpx.Response, origin: str) -> AsyncGenerator[bytes, None]:
    with _translated(origin):
        async for chunk in response.aiter_bytes():  # decompressed
            yield chunk
