"""Recording engines: one sends and records requests, the other replays responses."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from typing import Any

import attrs

from wosdk_async.protocol.wire import Response
from wosdk_async.testing.clock import SkippingClock, Work
from wosdk_async.text.secret import Secret
from wosdk_async.transport.http.decompression import BodyBuffer
from wosdk_async.transport.http.engine import (
    OnResponse,
    OnSending,
    PoolStatistics,
    Request,
    RequestBody,
    RequestHeaders,
    SendError,
    StreamedResponse,
    StreamingEngine,
    WatchedEngine,
)

_NOT_SENT, _BROKEN, _NO_RESPONSE = "not sent", "broken", "no response"
"""Failures: the request was never sent, the connection broke, the caller cancelled the request."""

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
        """The body; None for a log-in."""
        return None if isinstance(self.body, Secret) else self.body

    def header(self, name: str) -> str:
        """Return a request header, or an empty string."""
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
        try:
            yield exchange.complete
        except SendError as failure:
            exchange.failure = _BROKEN if failure.sent else _NOT_SENT
            raise

    @contextlib.asynccontextmanager
    async def stream(self, url: str, headers: RequestHeaders = ()) -> AsyncIterator[StreamedResponse]:
        """Open a download, and record the part that is read."""
        exchange = RawExchange("GET", url, _ACCEPT + headers, None)
        self._keep(exchange)
        async with (
            super().stream(url, headers) as response,
            contextlib.aclosing(_kept_chunks(response, exchange)) as chunks,
        ):
            yield StreamedResponse(response.status, response.headers, chunks)


async def _kept_chunks(response: StreamedResponse, exchange: RawExchange) -> AsyncGenerator[bytes, None]:
    """Yield a download's chunks, then complete the exchange with the data read."""
    kept = BodyBuffer()
    try:
        async for chunk in response.chunks:
            kept.add(chunk)
            try:
                yield chunk
            finally:
                del chunk  # the chunk may contain a secret, which an error's frame would show
    except SendError:
        exchange.failure = _BROKEN
        raise
    exchange.complete(Response(response.status, response.headers, kept.take()))


class ReplayEngine:
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

    async def send(self, request: Request) -> Any:
        """Return the recorded response as decoded by ``request.read``."""
        exchange = RawExchange(request.method, request.url, request.headers, request.body)
        return request.read(await self._response(exchange, request.on_sending))

    @contextlib.asynccontextmanager
    async def stream(self, url: str, headers: RequestHeaders = ()) -> AsyncIterator[StreamedResponse]:
        """Open a recorded download."""
        response = await self._response(RawExchange("GET", url, _ACCEPT + headers, None), lambda: None)
        async with contextlib.aclosing(one_chunk(response.body)) as chunks:
            yield StreamedResponse(response.status, response.headers, chunks)

    async def _response(self, request: RawExchange, on_sending: OnSending) -> Response:
        own_work = Work()
        with self._clock.doing(own_work):
            await asyncio.sleep(0)  # let other tasks run while a request is pending
            found = self._play(request)
            if found == _NOT_SENT:
                raise SendError(f"{request.url}: the recorded request was not sent", sent=False)
            on_sending()
            if found == _NO_RESPONSE:
                with self._clock.waiting(own_work):
                    await asyncio.get_running_loop().create_future()
            if not isinstance(found, Response):
                raise SendError(f"{request.url}: the recorded connection broke", sent=True)
            return found

    def statistics(self) -> PoolStatistics:
        """Return zeros, because there are no connections."""
        return PoolStatistics()

    async def aclose(self) -> None:
        """Do nothing, because no socket is open."""


async def one_chunk(body: bytes) -> AsyncGenerator[bytes, None]:
    """Yield a body in one chunk."""
    yield body
