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

__all__ = [
    "FRESH",
    "NO_MEMORY",
    "POOL_EXHAUSTED",
    "REDIRECTS",
    "Engine",
    "OnResponse",
    "OnSending",
    "PoolStatistics",
    "Read",
    "Request",
    "RequestBody",
    "RequestHeaders",
    "SendError",
    "StreamedResponse",
    "StreamingEngine",
    "WatchedEngine",
    "decompressed",
    "encode_body",
    "encode_headers",
    "origin_of",
    "without_frames",
]

RequestHeaders = tuple[tuple[str, str | Secret], ...]
RequestBody = bytes | Secret | None

FRESH = 3.0
"""Seconds that a connection may have been idle before a request that must not be sent twice. Common servers
close theirs after five, and a request that leaves just before may come too late."""

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Statuses that lead to another address. Engines do not follow them."""

NO_MEMORY = "out of memory for the response"
POOL_EXHAUSTED = "no connection in the pool of the program's http_client or transport was free"
"""Reason of a failure, and the note on a CancelledError of a request that waited for such a connection."""

OnSending = Callable[[], None]
Read = Callable[[Response], Any]


def encode_headers(headers: RequestHeaders) -> list[tuple[bytes, bytes]]:
    """Return names and values as bytes. Raises ValueError for a name that is not ASCII."""
    return [(name.encode("ascii"), value.encode()) for name, value in headers]


def encode_body(body: RequestBody) -> bytes | None:
    """Return the bytes of a body."""
    return body.encode() if isinstance(body, Secret) else body


def origin_of(url: str) -> str:
    """Return scheme, host and port of ``url``, as it writes them."""
    return "{0.scheme}://{0.netloc}".format(urlsplit(url))


@attrs.define(eq=False, repr=False, weakref_slot=False)
class Request:
    """One request, as an engine gets it. Nothing changes it; it is not frozen, as that takes longer.

    Attributes:
        method: GET, POST, PUT or DELETE. A HEAD is not supported: its response has no body.
        url: the whole address, percent-encoded.
        headers: those of the call; Host and Content-Length are added.
        body: that of a log-in is a Secret. None sends none.
        on_sending: is called just before the first byte may leave, once for each time it is sent.
        repeat_safe: whether the request may be sent twice. If not, it takes a connection that is unlikely to
            be stale.
        read: decodes the response, or raises: a WosdkError when the response is the service's. It runs while
            no other request can get the connection.
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
    """Return ``error`` without the frames that it came through, and without the errors before it.

    Frames that read a response, or belong to a library that sends, hold secrets as plain text.
    """
    error.__context__ = error.__cause__ = None
    return error.with_traceback(None)


_MAX_REASON = 300  # characters of the reason that an engine gives for a failure


class SendError(Exception):
    """Failure of a request: no complete response came.

    Attributes:
        sent: whether the service may have seen the request.
        timeout: which of :class:`~wosdk_async.options.Timeouts` ran out; empty if none did.
        remedy: what to do about a failure that the next attempt would meet again; None if it may pass.
        facts: what the remedy names.
        too_long: whether the response is longer than :class:`~wosdk_async.options.Limits` allow. It would be
            as long again.
        host_gone: whether no connection to the host could be opened: refused, unreachable, unknown or silent.
            The Company may have moved to another host.
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
    ) -> None:
        super().__init__(why)
        self.sent = sent
        self.timeout = timeout
        self.remedy = remedy
        self.facts = facts or {}
        self.host_gone = host_gone
        self.too_long = TOO_LONG in why

    def hide(self, secrets: Secrets) -> None:
        """Remove ``secrets`` that a response repeated, then shorten the text; engines do neither."""
        self.args = (secrets.hide(str(self), _MAX_REASON),)


@attrs.frozen
class PoolStatistics:
    """Connections of an engine: ``busy`` ones are in use or being opened, ``waiting`` requests have none yet.

    ``sockets`` counts the open sockets, also those that are just being closed.
    """

    busy: int = 0
    idle: int = 0
    waiting: int = 0
    sockets: int = 0


class Engine(Protocol):
    """Pool of connections that sends requests. What is the same for all of them is set when it is made."""

    capacity: int
    """Maximum concurrent requests; callers keep below it."""
    ceiling: int
    """Maximum concurrent requests when many Companies call; at least ``capacity``."""

    def send(self, request: Request) -> Coroutine[Any, Any, Any]:
        """Send one request and return what ``read`` makes of its whole response. Redirects are not followed.

        The connection is kept for other requests only when ``read`` returns or raises a WosdkError. It is
        closed when ``read`` raises anything else, as it does for a response that is not the service's, and
        when bytes follow the response: later bytes on that connection cannot be believed.

        Raises:
            SendError: no complete response came. It has no cause: the exception of a library may hold the
                request, and with it the token.
        """

    def statistics(self) -> PoolStatistics:
        """Return the state of the connections."""

    async def aclose(self) -> None:
        """Close every connection; one that is in use closes when its response has been read."""


@attrs.frozen
class StreamedResponse:
    """Response whose body has not been read: header names are lower case, chunks are decompressed.

    Iterating ``chunks`` raises :class:`SendError` when the body is broken or incomplete, and
    :class:`~wosdk_async.errors.DownloadError` when its content coding is not accepted or it grows too much.
    """

    status: int
    headers: Mapping[str, str]
    chunks: AsyncGenerator[bytes, None]


async def decompressed(
    chunks: AsyncGenerator[bytes, None], response: Response, origin: str
) -> AsyncGenerator[bytes, None]:
    """Yield the body of ``response``, decompressed, as its ``chunks`` come; see :class:`StreamedResponse`."""
    why = ""
    async with aclosing(chunks):
        try:
            turns, decompressor = LoopTurns(), decompressor_for(response.headers)
            async for chunk in chunks:
                for piece in (chunk,) if decompressor is None else decompressor.steps(chunk):
                    await turns.step()
                    if piece:
                        yield piece
                chunk = piece = b""  # a traceback shows the variables of this function; so below
            if decompressor is not None:
                decompressor.finish()
        except UnwantedContent as bad:
            raise DownloadError(f"the file cannot be read: {bad}", status=response.status) from None
        except BadContent as bad:
            why = str(bad)
        except MemoryError:
            why = NO_MEMORY
    if why:
        chunk = b""
        raise SendError(f"{origin}: the response cannot be read: {why}", sent=True)


@runtime_checkable
class StreamingEngine(Engine, Protocol):
    """Engine that also downloads files, and adds no header that identifies the caller."""

    def stream(self, url: str, headers: RequestHeaders = ()) -> AbstractAsyncContextManager[StreamedResponse]:
        """GET ``url`` over a connection that is closed on leaving, however much of the response was read.

        Redirects are not followed. Entering raises SendError.
        """


OnResponse = Callable[[Response], None]
"""Called with the response of a request, before it is read."""


class WatchedEngine:
    """Base of engines that send through ``engine`` and watch; a subclass says how, in :meth:`watch`."""

    def __init__(self, engine: StreamingEngine) -> None:
        self.capacity = engine.capacity
        self.ceiling = engine.ceiling
        self._engine = engine

    def watch(self, request: Request) -> AbstractContextManager[OnResponse]:
        """Return a context that lasts as long as the request; a SendError passes through it."""
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
        """Return the state of the connections."""
        return self._engine.statistics()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._engine.aclose()
