"""Interface of an HTTP engine: one request out, one response in, whole or streamed.

``selection.py`` decides which engine sends a request: the one in ``native/``, or one of those in ``httpx/``.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, runtime_checkable
from urllib.parse import urlsplit

import attrs

from wosdk_async.protocol.wire import Response
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.http.decompression import TOO_LONG

__all__ = [
    "FRESH",
    "Engine",
    "OnSending",
    "PoolStatistics",
    "Read",
    "RequestHeaders",
    "ResponseHeaders",
    "SendError",
    "StreamedResponse",
    "StreamingEngine",
    "encode_headers",
    "origin_of",
    "whole_response",
]

RequestHeaders = tuple[tuple[str, str], ...]

FRESH = 3.0
"""Seconds that a connection may have been idle before a request that must not be sent twice. Common servers
close theirs after five, and a request that leaves just before may come too late."""

OnSending = Callable[[], None]
"""Called just before the first byte of a request may leave."""

Read = Callable[[Response], Any]
"""Decodes the response of a call, or raises: a WosdkError when the response is the service's."""


def encode_headers(headers: RequestHeaders) -> list[tuple[bytes, bytes]]:
    """Return names and values as bytes. Raises ValueError for a name that is not ASCII."""
    return [(name.encode("ascii"), value.encode("utf-8")) for name, value in headers]


def origin_of(url: str) -> str:
    """Return scheme, host and port of ``url``, as it writes them."""
    return "{0.scheme}://{0.netloc}".format(urlsplit(url))


def whole_response(response: Response) -> Response:
    """Return ``response`` itself: for requests whose every response is believed."""
    return response


_MAX_REASON = 300  # characters of the reason that an engine gives for a failure


class SendError(Exception):
    """Failure of a request: no complete response came.

    Attributes:
        sent: whether the service may have seen the request.
        timeout: which of :class:`~wosdk_async.options.Timeouts` ran out; empty if none did.
        remedy: what to do about a failure that the next attempt would meet again; empty if it may pass.
        too_long: whether the response is longer than :class:`~wosdk_async.options.Limits` allow. It would be
            as long again.
    """

    def __init__(self, why: str, *, sent: bool, timeout: str = "", remedy: str = "") -> None:
        super().__init__(why)
        self.sent = sent
        self.timeout = timeout
        self.remedy = remedy
        self.too_long = TOO_LONG in why

    def hide(self, secrets: Secrets) -> None:
        """Remove ``secrets`` that a response repeated, then shorten the text; engines do neither."""
        self.args = (secrets.hide(str(self), _MAX_REASON),)


@attrs.frozen
class PoolStatistics:
    """Connections of an engine: ``busy`` ones are in use or being opened.

    ``waiting`` requests have no connection yet. ``sockets`` counts the open sockets, also those that are just
    being closed.
    """

    busy: int = 0
    idle: int = 0
    waiting: int = 0
    sockets: int = 0


class Engine(Protocol):
    """Pool of connections that sends requests.

    All engines share the signature of :meth:`send` word for word; their other settings (timeouts, limits,
    certificates) belong to the engine, because they are the same for every request of a client.
    """

    capacity: int
    """How many requests may be under way at once; callers keep below it."""

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
        """Send one request and return what ``read`` makes of its whole response. Redirects are not followed.

        The connection is kept for other requests only when ``read`` returns or raises a WosdkError. It is
        closed when ``read`` raises anything else, as it does for a response that is not the service's, and
        when bytes follow the response: later bytes on that connection cannot be believed.

        Args:
            method: GET, POST, PUT or DELETE. A HEAD is not supported: its response has no body.
            url: the whole address, percent-encoded.
            headers: those of the call; Host and Content-Length are added.
            body: None sends no body.
            on_sending: is called just before the first byte may leave, once for each time it is sent.
            repeat_safe: whether the request may be sent twice. If not, it takes a connection that is unlikely
                to be stale.
            read: decodes the response. It runs while no other request can get the connection.

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

    Iterating ``chunks`` raises :class:`SendError` when the connection ends before the response does, and
    :class:`~wosdk_async.errors.DownloadError` for a content coding that is not accepted.
    """

    status: int
    headers: Mapping[str, str]
    chunks: AsyncGenerator[bytes, None]


@runtime_checkable
class StreamingEngine(Protocol):
    """Engine that downloads files. It sends no header that identifies the caller."""

    def stream(self, url: str) -> AbstractAsyncContextManager[StreamedResponse]:
        """GET ``url`` over a connection that is closed on leaving, however much of the response was read.

        Redirects are not followed. Entering raises SendError.
        """

    async def aclose(self) -> None:
        """Close every connection."""


class ResponseHeaders(Mapping[str, str]):
    """Headers of a response, decoded when one is first looked up.

    Names are lower case; the values of a name that was sent more than once are joined by commas.
    """

    __slots__ = ("_decoded", "_raw")

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self._raw = raw
        self._decoded: dict[str, str] | None = None

    @property
    def raw(self) -> Iterable[tuple[bytes, bytes]]:
        """Names and values as they were sent, in their order."""
        return self._raw

    def _all(self) -> dict[str, str]:
        if self._decoded is None:
            found: dict[str, str] = {}
            for raw_name, raw_value in self.raw:
                name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
                found[name] = f"{found[name]}, {value}" if name in found else value
            self._decoded = found
        return self._decoded

    def __getitem__(self, name: str) -> str:
        return self._all()[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"ResponseHeaders({self._all()!r})"
