"""Engine on an httpx or httpx2 client: the program's, or one created for its transport or for a mock."""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import AsyncIterator
from functools import cache
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.options import Limits, Timeouts
from wosdk_async.options.hooks import is_cancelled
from wosdk_async.options.httpx_family import HttpxClient, is_of_family, library_of, mocked
from wosdk_async.transport.http.engine import (
    POOL_EXHAUSTED,
    OnSending,
    PoolStatistics,
    Request,
    RequestHeaders,
    SendError,
    StreamedResponse,
    encode_body,
    encode_headers,
    without_frames,
)
from wosdk_async.transport.http.httpx.log_filter import filtered_logs
from wosdk_async.transport.http.httpx.responses import (
    body_chunks,
    foreign_response_error,
    raised_by_hook,
    read_response,
    send_error,
    translated_errors,
    was_never_sent,
)

if TYPE_CHECKING:
    import httpx

_loop_of: WeakKeyDictionary[Any, asyncio.AbstractEventLoop] = WeakKeyDictionary()
"""Event loops, keyed by transport; only transports with a pool."""  # GIL: threads set a key atomically


class ClientEngine:
    """Engine on an httpx or httpx2 ``AsyncClient``, whose pool manages the connections.

    With ``merge_defaults``, calls send the client's cookies. Cookies from responses are not kept, because one
    Company's cookies must not be sent with another Company's calls.

    Args:
        client: the client that sends.
        limits: only ``connections`` and ``body`` apply; the client's own limits replace the others.
        timeouts: replace the client's own.
        merge_defaults: whether calls include the client's default headers, cookies and parameters.
        owns_client: whether the client is closed with the engine.
    """

    def __init__(
        self,
        client: HttpxClient,
        *,
        limits: Limits,
        timeouts: Timeouts | None = None,
        merge_defaults: bool = False,
        owns_client: bool = False,
    ) -> None:
        self._client = cast("httpx.AsyncClient", client)
        self._library = library_of(client)
        self._max_body = limits.body
        self.capacity = self.ceiling = limits.connections
        self._timeouts = None if timeouts is None else attrs.asdict(timeouts)
        self._merge_defaults = merge_defaults
        self._owns_client = owns_client
        self._busy = 0

    def __repr__(self) -> str:
        return f"<ClientEngine {self._busy} of {self.capacity} busy>"

    def statistics(self) -> PoolStatistics:
        """Return the number of requests in flight; the client does not report its connections."""
        return PoolStatistics(busy=self._busy)

    async def send(self, request: Request) -> Any:
        """Send a request; see :class:`~wosdk_async.transport.http.engine.Engine`."""
        self._require_usable()
        self._busy += 1
        try:
            value, error = await self._exchange(request, _SendState(request.on_sending))
        finally:
            self._busy -= 1
        if error is None:
            return value
        try:
            raise error
        finally:
            del error  # its traceback holds this frame: a reference cycle

    async def _exchange(self, asked: Request, state: _SendState) -> tuple[Any, BaseException | None]:
        """Return the result, or the error without library frames, which hold the request.

        An AssertionError from a mock is raised unchanged, because it is meant for the test.
        """
        request: httpx.Request | None = None
        try:
            client = _with_own_cookies(self._client)
            extensions = {} if self._timeouts is None else {"timeout": self._timeouts}
            build = client.build_request if self._merge_defaults else self._library.Request
            request = build(
                asked.method,
                asked.url,
                headers=encode_headers(asked.headers),
                content=encode_body(asked.body),
                extensions=extensions,
            )
            state.hand_over(client, request)
            with filtered_logs():
                response = await client.send(request, stream=True, follow_redirects=False)
                state.mark_sent()
                return await read_response(response, self._max_body, asked.read)
        except (Exception, asyncio.CancelledError) as cause:
            state.end(request)
            if isinstance(cause, asyncio.CancelledError) and is_cancelled():
                if state.waits_for_pool:
                    cause.add_note(POOL_EXHAUSTED)
                return None, without_frames(cause)
            if (foreign := foreign_response_error(cause, self._library)) is not None:
                return None, foreign
            if isinstance(cause, AssertionError):
                raise
            sent = state.sent and request is not None and not was_never_sent(cause, request)
            if not raised_by_hook(cause, self._library):
                return None, send_error(asked.url, cause, sent=sent)
            # Without a cause: the hook got the request, so frames of its exception may hold the request.
            raised, text = type(cause).__name__, str(cause)
            why = f"an event hook of the http_client raised {raised}{text and ': '}{text}"
            return None, SendError(why, sent=sent)

    @contextlib.asynccontextmanager
    async def stream(self, url: str, headers: RequestHeaders = ()) -> AsyncIterator[StreamedResponse]:
        """Download a file; see :class:`~wosdk_async.transport.http.engine.StreamingEngine`.

        The document's author chooses the address, so the client's default headers, cookies, parameters and
        auth are not sent. The client's transport, proxies and hooks apply.
        """
        self._require_usable()
        timeouts = self._timeouts or {"connect": self._client.timeout.connect}
        client = _with_own_cookies(self._client)
        with translated_errors(url, self._library), filtered_logs(download=True):
            request = self._library.Request(
                "GET",
                url,
                headers=[(b"Accept-Encoding", b"identity"), *encode_headers(headers)],
                extensions={"timeout": {**timeouts, "read": None}},
            )
            response = await client.send(request, stream=True, auth=None, follow_redirects=False)
        try:
            yield StreamedResponse(response.status_code, response.headers, body_chunks(response, url))
        finally:
            with filtered_logs(download=True):
                await response.aclose()

    async def aclose(self) -> None:
        """Close the client if the engine owns it."""
        if self._owns_client:
            await self._client.aclose()

    def _require_usable(self) -> None:
        """Require that the client is open and its connections belong to the running loop.

        The pool of httpx would reuse another loop's connections, and fail only after the request appears to
        have been sent. Transports without a pool, and mocks, are not bound to a loop.
        """
        closed: object = self._client.is_closed
        if not isinstance(closed, bool):  # a unittest.mock object has every attribute
            raise ConfigurationError(
                f"the http_client is a {type(self._client).__name__}, not a client of httpx or httpx2; mock"
                " the network instead: transport=httpx.MockTransport(handler)"
            )
        if closed:
            raise ConfigurationError("the http_client is closed; keep it open until the Client is closed")
        transport = getattr(self._client, "_transport", None)
        if isinstance(transport, self._library.AsyncHTTPTransport) and mocked() is not self._library:
            loop = asyncio.get_running_loop()
            if _loop_of.setdefault(transport, loop) is not loop:
                raise ConfigurationError(
                    "the http_client or transport was used in another event loop, which owns its"
                    " connections; nothing was sent. Create one per loop, or pass neither: a Client's own"
                    " connections work in any loop"
                )


def _with_own_cookies(client: httpx.AsyncClient) -> httpx.AsyncClient:
    copied = copy.copy(client)
    copied.cookies = client.cookies
    return copied


# --- send state of a request, from the library's trace events -------------------------------------

_SAME_REQUEST = {"BasicAuth", "DigestAuth", "NetRCAuth"}
"""``auth`` classes that send the given request object with its trace; others may send a new object."""

_BEFORE = ("connection.", "proxy.", "socks.", "http2.send_connection_init.")
"""Events before the first byte of a request. A CONNECT to a proxy counts as a request, because it emits the
same events.
"""


class _SendState:
    """Progress of sending one request. Without trace events, a request counts as sent once handed over."""

    def __init__(self, on_sending: OnSending) -> None:
        self._on_sending = on_sending
        self._is_traced = False
        self.sent = False
        self.waits_for_pool = False
        """Whether a handed-over request is still waiting for a pool connection."""

    def hand_over(self, client: httpx.AsyncClient, request: httpx.Request) -> None:
        if "trace" not in request.extensions and _shows_events(client, request):
            request.extensions["trace"] = self._note
            self._is_traced = True
            # A request with hooks may be waiting for them instead.
            self.waits_for_pool = not client.event_hooks["request"]
        else:
            self.mark_sent()

    def mark_sent(self) -> None:
        if not self.sent:
            self.sent = True
            self._on_sending()

    def end(self, request: httpx.Request | None) -> None:
        """Record that the request failed. If a hook replaced the trace, the request counts as sent."""
        if self._is_traced and request is not None and request.extensions.get("trace") != self._note:
            self.mark_sent()

    async def _note(self, event: str, _: object) -> None:
        self.waits_for_pool = False
        if not event.startswith(_BEFORE):
            self.mark_sent()


def _shows_events(client: httpx.AsyncClient, request: httpx.Request) -> bool:
    """Return whether only stock library code handles ``request`` between ``client`` and its pool."""
    auth = client.auth
    if auth is not None and not (_is_stock(auth) and type(auth).__name__ in _SAME_REQUEST):
        return False
    find: Any = getattr(client, "_transport_for_url", None)  # a mount may have its own transport
    transport = find(request.url) if find else None
    return mocked() is None and all(map(_is_stock, (client, transport, getattr(transport, "_pool", None))))


def _is_stock(part: object) -> bool:
    """Return whether ``part`` is a stock library object without overridden methods."""
    kind: Any = type(part)
    return is_of_family(kind.__module__) and _attributes(kind).isdisjoint(vars(part))


@cache
def _attributes(kind: Any) -> frozenset[str]:
    return frozenset(dir(kind))
