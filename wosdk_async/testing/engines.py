"""Test engines: for recording, replay, and an ASGI application in the same event loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

import attrs
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wosdk_async.errors import ConfigurationError
from wosdk_async.options import Limits, Timeouts
from wosdk_async.protocol.wire import Response
from wosdk_async.testing.clock import SkippingClock, Work, work
from wosdk_async.text.secret import Secret
from wosdk_async.transport.clock import Deadlines
from wosdk_async.transport.http.decompression import TOO_LONG, BodyBuffer
from wosdk_async.transport.http.engine import (
    OnResponse,
    PoolStatistics,
    Request,
    RequestBody,
    RequestHeaders,
    SendError,
    StreamedResponse,
    StreamingEngine,
    WatchedEngine,
    encode_body,
    encode_headers,
    origin_of,
)
from wosdk_async.transport.http.native.parser import ResponseHeaders

_log = logging.getLogger("wosdk_async")

_NOT_SENT, _BROKEN, _NO_RESPONSE = "not sent", "broken", "no response"
"""Failures: the request was never sent, the connection broke, the caller cancelled the request."""

_SECOND = 10**9
_TICK = 0.25  # added to timeouts, as checks over sockets do: an equal deadline ends first

_ACCEPT = (("Accept-Encoding", "identity"),)  # for downloads


@attrs.define(eq=False)
class RawExchange:
    """Request as sent, and its response or failure."""

    method: str
    url: str
    headers: RequestHeaders
    body: RequestBody
    response: Response | None = None
    failure: str = _NO_RESPONSE

    def complete(self, response: Response) -> None:
        """Add the response."""
        self.response, self.failure = response, ""

    @property
    def shown_body(self) -> bytes | None:
        """The body; None if secret, as in a token request."""
        return None if isinstance(self.body, Secret) else self.body

    def header(self, name: str) -> str:
        """Return a request header; an empty string if missing."""
        value = next((value for key, value in self.headers if key == name), "")
        return value if isinstance(value, str) else value.reveal()


class RecordingEngine(WatchedEngine):
    """Engine that passes requests to ``engine``, and each new exchange to ``keep``."""

    def __init__(self, engine: StreamingEngine, keep: Callable[[RawExchange], None]) -> None:
        super().__init__(engine)
        self._keep = keep

    @contextlib.contextmanager
    def watch(self, request: Request) -> Iterator[OnResponse]:
        """Record a request with its response or failure."""
        exchange = RawExchange(request.method, request.url, request.headers, request.body)
        self._keep(exchange)
        with _noting_failure(exchange):
            yield exchange.complete

    @contextlib.asynccontextmanager
    async def stream(self, url: str, headers: RequestHeaders = ()) -> AsyncIterator[StreamedResponse]:
        """Open a download, and record the part that is read."""
        exchange = RawExchange("GET", url, _ACCEPT + headers, None)
        self._keep(exchange)
        with _noting_failure(exchange):
            async with (
                super().stream(url, headers) as response,
                contextlib.aclosing(_kept_chunks(response, exchange)) as chunks,
            ):
                # Completed now, because the body of a redirect is not read
                exchange.complete(Response(response.status, response.headers, b""))
                yield StreamedResponse(response.status, response.headers, chunks)


@contextlib.contextmanager
def _noting_failure(exchange: RawExchange) -> Iterator[None]:
    try:
        yield
    except SendError as failure:
        exchange.response, exchange.failure = None, _BROKEN if failure.sent else _NOT_SENT
        raise


async def _kept_chunks(response: StreamedResponse, exchange: RawExchange) -> AsyncGenerator[bytes, None]:
    """Yield a download's chunks; at the end, or if closed, complete the exchange with the data read."""
    kept = BodyBuffer()
    try:
        async for chunk in response.chunks:
            kept.add(chunk)
            try:
                yield chunk
            finally:
                del chunk  # the chunk may contain a secret, which an error's frame would show
    finally:
        exchange.complete(Response(response.status, response.headers, kept.take()))


class _EngineWithoutSockets:
    """Base class of engines that hold no resources and that stream a response as one chunk."""

    async def respond(self, request: Request) -> Response:
        """Return the response to a request."""
        raise NotImplementedError

    async def send(self, request: Request) -> Any:
        """Return the response as decoded by ``request.read``."""
        return request.read(await self.respond(request))

    @contextlib.asynccontextmanager
    async def stream(self, url: str, headers: RequestHeaders = ()) -> AsyncIterator[StreamedResponse]:
        response = await self.respond(Request("GET", url, _ACCEPT + headers))
        async with contextlib.aclosing(_one_chunk(response.body)) as chunks:
            yield StreamedResponse(response.status, response.headers, chunks)

    def statistics(self) -> PoolStatistics:
        return PoolStatistics()

    async def aclose(self) -> None:
        """Do nothing, because the engine holds no resources."""


async def _one_chunk(body: bytes) -> AsyncGenerator[bytes, None]:
    yield body


class ReplayEngine(_EngineWithoutSockets):
    """Engine that responds from a recording and sends nothing.

    ``play`` returns the recorded response or failure. It raises AssertionError if the request was not
    recorded.
    """

    def __init__(
        self, capacity: int, play: Callable[[RawExchange], Response | str], clock: SkippingClock
    ) -> None:
        self.capacity = self.ceiling = capacity
        self._play = play
        self._clock = clock

    async def respond(self, request: Request) -> Response:
        """Return the recorded response."""
        exchange = RawExchange(request.method, request.url, request.headers, request.body)
        own_work = Work()
        with self._clock.doing(own_work):
            await asyncio.sleep(0)  # let other tasks run while a request is pending
            found = self._play(exchange)
            if found == _NOT_SENT:
                raise SendError(f"{request.url}: in the recording, this request was not sent", sent=False)
            request.on_sending()
            if found == _NO_RESPONSE:
                with self._clock.waiting(own_work):
                    await asyncio.get_running_loop().create_future()
            if not isinstance(found, Response):
                raise SendError(f"{request.url}: in the recording, the connection broke", sent=True)
        return found


# --- an ASGI application in the running event loop -----------------------------------------------


@attrs.frozen
class ClockForOtherClients:
    """ASGI middleware for requests from other clients, such as httpx with ``httpx.ASGITransport``.

    These requests count as pending work, so that the clock can jump once all of them are waiting. Such
    clients cannot disconnect during a request, so the application gets a disconnect message as soon as it has
    read the request. Otherwise, faults that wait for a disconnect could wait forever.
    """

    app: ASGIApp
    clock: SkippingClock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to ``app``, and count it as pending work unless its task is already counted."""
        if work.get() is not None:
            await self.app(scope, receive, send)
            return
        is_read = False

        async def receive_once() -> Message:
            nonlocal is_read
            if is_read:
                return {"type": "http.disconnect"}
            message = await receive()
            is_read = not message.get("more_body", False)
            return message

        own_work = Work()
        with self.clock.doing(own_work):
            outer = work.set(own_work)
            try:
                await self.app(scope, receive_once, send)
            finally:
                work.reset(outer)


@attrs.define(eq=False)
class AsgiExchange:
    """Request to the application, and its response.

    As behind a real server, the application continues after the client has disconnected.
    """

    app: ASGIApp
    scope: Scope = attrs.field(repr=False)  # hidden in the repr, because its headers contain the token
    body: bytes = attrs.field(repr=False)
    clock: SkippingClock
    own_work: Work
    broken: str = ""
    _status: int | None = None
    _headers: Any = attrs.field(default=(), repr=False)
    _parts: list[bytes] = attrs.field(factory=list, repr=False)
    _body_read: bool = False
    _complete: bool = False
    since: int = attrs.field(default=attrs.Factory(lambda exchange: exchange.clock(), takes_self=True))
    """Time of the last progress, in nanoseconds."""
    hung_up: asyncio.Event = attrs.field(factory=asyncio.Event)

    async def run(self) -> None:
        """Let the application respond."""
        work.set(self.own_work)
        try:
            await self.app(self.scope, self._receive, self._send)
        except ConnectionError as error:
            self.broken = str(error)

    @property
    def response(self) -> Response | None:
        """The response, once complete."""
        if not self._complete or self._status is None:
            return None
        return Response(
            self._status,
            ResponseHeaders(b"\r\n".join([b"", *map(b": ".join, self._headers)])),
            b"".join(self._parts),
        )

    async def _receive(self) -> Message:
        if not self._body_read:
            self._body_read = True
            return {"type": "http.request", "body": self.body, "more_body": False}
        with self.clock.waiting(self.own_work):
            await self.hung_up.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        self.since = self.clock()
        if message["type"] == "http.response.start":
            self._status, self._headers = message["status"], message.get("headers", ())
        else:
            self._parts.append(message.get("body", b""))
            self._complete = not message.get("more_body", False)


@attrs.define(eq=False)
class InProcessTransport:
    """Connection between a test's clients and its application, open until the test ends."""

    app: ASGIApp
    host: str
    clock: SkippingClock
    _running: dict[asyncio.Task[None], asyncio.AbstractEventLoop] = attrs.field(factory=dict)
    _open: bool = True

    def require(self, url: str) -> None:
        """Raise SendError unless ``url`` is the application's and its test is still running.

        Raises ConfigurationError while a request from another event loop runs: the store has no lock.
        """
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if parts.hostname != self.host:
            raise SendError(f"{origin}: a test can only reach {self.host}", sent=False)
        if not self._open:
            raise SendError(f"{origin}: this Company's test has ended", sent=False)
        own = asyncio.get_running_loop()
        if any(loop is not own for loop in list(self._running.values())):
            raise ConfigurationError(
                "a test's Company serves one event loop at a time; for several threads, use a LocalCompany"
            )

    def start(self, exchange: AsgiExchange) -> asyncio.Task[None]:
        """Start the application side of a request. It continues if the caller is cancelled."""
        loop = asyncio.get_running_loop()
        task = loop.create_task(exchange.run(), name=f"sandbox {exchange.scope['path']}")
        self._running[task] = loop
        task.add_done_callback(self._ended)
        return task

    def close(self) -> None:
        """Refuse new requests and cancel running ones."""
        self._open = False
        for task, loop in list(self._running.items()):
            if not loop.is_closed():
                loop.call_soon_threadsafe(task.cancel)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("the sandbox failed in %s", task.get_name(), exc_info=error)


class AsgiEngine(_EngineWithoutSockets):
    """Engine of one client, with at most ``limits.connections`` pending requests.

    Only ``limits.body`` and, in virtual time, ``timeouts.read`` apply otherwise.
    """

    def __init__(self, transport: InProcessTransport, limits: Limits, timeouts: Timeouts) -> None:
        self.capacity = self.ceiling = limits.connections
        self._transport = transport
        self._max_body = limits.body
        self._read_timeout = timeouts.read
        self._deadlines = Deadlines(transport.clock.client_clock())
        self._busy = 0

    def statistics(self) -> PoolStatistics:
        """Return the number of pending requests."""
        return PoolStatistics(busy=self._busy)

    async def send(self, request: Request) -> Any:
        """Send a request to the application, and return the response as decoded by ``request.read``."""
        response = await self.respond(request)
        if len(response.body) > self._max_body:
            why = f"the response cannot be read: {TOO_LONG} {self._max_body} bytes"
            raise SendError(f"{origin_of(request.url)}: {why}", sent=True)
        return request.read(response)

    async def respond(self, request: Request) -> Response:
        """Send a request to the application, and return the response."""
        self._transport.require(request.url)
        own_work = Work()
        clock = self._transport.clock
        exchange = AsgiExchange(
            self._transport.app,
            scope_of(request.method, request.url, request.headers),
            encode_body(request.body) or b"",
            clock,
            own_work,
        )
        request.on_sending()
        self._busy += 1
        try:
            with clock.doing(own_work):
                await self._wait(exchange, self._transport.start(exchange), origin_of(request.url))
        except (asyncio.CancelledError, SendError):
            exchange.hung_up.set()
            await clock.settle()  # so that the application notices before the caller moves the clock
            raise
        finally:
            self._busy -= 1
        if exchange.response is None:
            raise SendError(f"{request.url}: {exchange.broken or 'the response was cut off'}", sent=True)
        return exchange.response

    async def _wait(self, exchange: AsgiExchange, running: asyncio.Task[None], origin: str) -> None:
        """Wait until the application has responded. Raises SendError if it sends nothing for too long."""
        limit = self._read_timeout
        while not running.done():
            if limit is None:
                await asyncio.wait([running])
                continue
            silent = (exchange.clock() - exchange.since) / _SECOND
            if silent > limit:
                why = f"{origin}: the service sent nothing for {limit:g} s"
                raise SendError(why, sent=True, timeout="read")
            with contextlib.suppress(TimeoutError), self._deadlines.within(limit + _TICK - silent):
                await asyncio.wait([running])


def scope_of(method: str, url: str, headers: RequestHeaders) -> Scope:
    """Return a request's ASGI scope."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    raw = [(name.lower(), value) for name, value in encode_headers(headers)]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": parts.scheme,
        "path": unquote(parts.path),
        "raw_path": parts.path.encode("ascii"),
        "query_string": parts.query.encode("ascii"),
        "root_path": "",
        "headers": [(b"host", parts.netloc.encode("ascii")), *raw],
        "server": (parts.hostname, port),
        "client": ("127.0.0.1", 1),
    }
