"""Interface of an HTTP engine: one request out, one response in, whole or streamed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, aclosing
from typing import Any, Protocol, TypeVar, runtime_checkable
from urllib.parse import urlsplit

import attrs

from wosdk_async.errors import DownloadError
from wosdk_async.protocol.wire import Response
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import Secrets
from wosdk_async.text.secret import Secret
from wosdk_async.transport.http.decompression import (
    TOO_LONG,
    BadContent,
    LoopTurns,
    UnwantedContent,
    decompressor_for,
)

RequestHeaders = tuple[tuple[str, str | Secret], ...]
RequestBody = bytes | Secret | None

FRESH = 3.0
"""Maximum idle time, in seconds, of a connection for a request that must not be sent twice. Common servers
close idle connections after five seconds, and a request sent just before that may arrive too late.
"""

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Redirect statuses. Engines do not follow redirects."""

NO_MEMORY = "not enough memory for the response"
POOL_EXHAUSTED = "the pool of the program's http_client or transport had no free connection"
"""Failure reason, or note on the CancelledError, for a request that waited for a pool connection."""

OnSending = Callable[[], None]
Read = Callable[[Response], Any]


def encode_headers(headers: RequestHeaders) -> list[tuple[bytes, bytes]]:
    """Return header names and values as bytes. Raises ValueError for a non-ASCII name."""
    return [(name.encode("ascii"), value.encode()) for name, value in headers]


def encode_body(body: RequestBody) -> bytes | None:
    """Return the bytes of a body."""
    return body.encode() if isinstance(body, Secret) else body


def origin_of(url: str) -> str:
    """Return the scheme, host and port of ``url``, exactly as written."""
    return "{0.scheme}://{0.netloc}".format(urlsplit(url))


@attrs.define(eq=False, repr=False, weakref_slot=False)
class Request:
    """One request for an engine. Treat it as immutable; freezing the class would be slower.

    Attributes:
        method: GET, POST, PUT or DELETE. HEAD is not supported, because its response has no body.
        url: full URL, percent-encoded.
        headers: headers of the call; the engine adds Host and Content-Length.
        body: body, if any; a Secret for a log-in.
        on_sending: called just before the first byte may be sent, each time the request is sent.
        repeat_safe: whether the request may be sent twice. If not, the engine avoids connections that may be
            stale.
        read: decodes the response or raises an error, which is a WosdkError if the service sent the response.
            It runs before any other request can use the connection.
    """

    method: str
    url: str
    headers: RequestHeaders
    body: RequestBody = None
    on_sending: OnSending = lambda: None
    repeat_safe: bool = False
    read: Read = lambda response: response


E = TypeVar("E", bound=BaseException)


def without_frames(error: E) -> E:
    """Return ``error`` without its traceback and chained errors.

    The frames of our response reader and of HTTP libraries hold secrets in plain text.
    """
    error.__context__ = error.__cause__ = None
    return error.with_traceback(None)


_MAX_REASON = 300  # maximum characters of an engine's failure reason


class SendError(Exception):
    """Failure of a request: no complete response arrived.

    Attributes:
        sent: whether the service may have seen the request.
        timeout: the expired limit of :class:`~wosdk_async.options.Timeouts`, or empty.
        remedy: how to fix the failure, if a retry would fail too; None if the failure may be transient.
        facts: values for the remedy.
        too_long: whether the response exceeds :class:`~wosdk_async.options.Limits`, as it would on a retry.
        host_gone: whether the host refused the connection, was unknown or unreachable, or did not answer.
            The Company may have moved to another host.
        proxy_gone: whether no connection to the proxy could be opened, which says nothing about the host.
    """

    def __init__(
        self,
        why: str,
        *,
        sent: bool,
        timeout: str = "",
        remedy: Remedy | None = None,
        facts: Mapping[str, str] | None = None,
        host_gone: bool = False,
        proxy_gone: bool = False,
    ) -> None:
        super().__init__(why)
        self.sent = sent
        self.timeout = timeout
        self.remedy = remedy
        self.facts = facts or {}
        self.host_gone = host_gone
        self.proxy_gone = proxy_gone
        self.too_long = TOO_LONG in why

    def hide(self, secrets: Secrets) -> None:
        """Remove ``secrets`` that a response repeated, then shorten the text. Engines do not call this."""
        self.args = (secrets.hide(str(self), _MAX_REASON),)


@attrs.frozen
class PoolStatistics:
    """Connections of an engine: ``busy`` (in use or opening) and ``idle``.

    ``waiting`` counts requests without a connection, and ``sockets`` counts all sockets not yet closed.
    """

    busy: int = 0
    idle: int = 0
    waiting: int = 0
    sockets: int = 0


class Engine(Protocol):
    """Pool of connections that sends requests. Settings shared by all requests are fixed at construction."""

    capacity: int
    """Maximum concurrent requests while few Companies call."""
    ceiling: int
    """Maximum concurrent requests when many Companies call; at least ``capacity``, and never exceeded."""

    def send(self, request: Request) -> Coroutine[Any, Any, Any]:
        """Send one request and return the result of ``read``. Redirects are not followed.

        The connection is kept only if ``read`` returns a value or raises a WosdkError. It is closed if
        ``read`` raises any other error, or if bytes follow the response, because nothing received later could
        be trusted.

        Raises:
            SendError: no complete response arrived. The error has no ``__cause__``, because a
                library's exception may hold the request and its token.
        """

    def statistics(self) -> PoolStatistics:
        """Return the connection counts."""

    async def aclose(self) -> None:
        """Close every connection; busy connections close once their responses have been read."""


@attrs.frozen
class StreamedResponse:
    """Response with an unread body. Header names are lower case, and chunks are decompressed.

    Iterating ``chunks`` raises :class:`SendError` if the body is corrupt or incomplete. It raises
    :class:`~wosdk_async.errors.DownloadError` if the body is too large or its content coding was not
    requested.
    """

    status: int
    headers: Mapping[str, str]
    chunks: AsyncGenerator[bytes, None]


async def decompressed(
    chunks: AsyncGenerator[bytes, None], response: Response, origin: str
) -> AsyncGenerator[bytes, None]:
    """Yield the decompressed body of ``response`` as its ``chunks`` arrive; see :class:`StreamedResponse`."""
    why = ""
    async with aclosing(chunks):
        try:
            turns, decompressor = LoopTurns(), decompressor_for(response.headers)
            async for chunk in chunks:
                for piece in (chunk,) if decompressor is None else decompressor.steps(chunk):
                    await turns.step()
                    if piece:
                        yield piece
            if decompressor is not None:
                decompressor.finish()
        except UnwantedContent as bad:
            raise DownloadError(f"the file cannot be read: {bad}", status=response.status) from None
        except BadContent as bad:
            why = str(bad)
        except MemoryError:
            why = NO_MEMORY
        finally:
            chunk = piece = b""  # a chunk may contain a secret, and tracebacks show local variables
    if why:
        raise SendError(f"{origin}: the response cannot be read: {why}", sent=True)


@runtime_checkable
class StreamingEngine(Engine, Protocol):
    """Engine that also downloads files, and adds no header that identifies the caller."""

    def stream(self, url: str, headers: RequestHeaders = ()) -> AbstractAsyncContextManager[StreamedResponse]:
        """GET ``url`` over a connection that is closed on exit, however much of the response was read.

        Redirects are not followed. Entering the context raises SendError if the request fails.
        """


OnResponse = Callable[[Response], None]
"""Function called with each response before ``read`` gets it."""


class WatchedEngine:
    """Base class of engines that observe requests; subclasses implement :meth:`watch`."""

    def __init__(self, engine: StreamingEngine) -> None:
        self.capacity = engine.capacity
        self.ceiling = engine.ceiling
        self._engine = engine

    def watch(self, request: Request) -> AbstractContextManager[OnResponse]:
        """Return a context for the duration of the request; it must not suppress a SendError."""
        raise NotImplementedError

    async def send(self, request: Request) -> Any:
        """Send one request; see :class:`Engine`."""
        with self.watch(request) as on_response:

            def read_watched(response: Response) -> Any:
                on_response(response)
                return request.read(response)

            return await self._engine.send(attrs.evolve(request, read=read_watched))

    def stream(self, url: str, headers: RequestHeaders = ()) -> AbstractAsyncContextManager[StreamedResponse]:
        """Open a download; see :class:`StreamingEngine`."""
        return self._engine.stream(url, headers)

    def statistics(self) -> PoolStatistics:
        """Return the connection counts."""
        return self._engine.statistics()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._engine.aclose()
