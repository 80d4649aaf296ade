"""Engine on a client of httpx or httpx2: the program's own, one around its transport, or a stock one."""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

import attrs

from wosdk_async.errors import ConfigurationError, WosdkError
from wosdk_async.httpx_family import HttpxClient, HttpxTransport, error_kinds, library_of
from wosdk_async.options import ClientOptions, Limits, Timeouts
from wosdk_async.protocol.wire import InconclusiveResponse, Response
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.http.certificates import TLSContextProvider
from wosdk_async.transport.http.engine import (
    OnSending,
    PoolStatistics,
    Read,
    RequestHeaders,
    SendError,
    StreamedResponse,
    encode_headers,
    whole_response,
)
from wosdk_async.transport.http.httpx.log_filter import filtered_logs
from wosdk_async.transport.http.httpx.responses import (
    body_chunks,
    foreign_response,
    is_of_hook,
    read_response,
    send_error,
    translated_errors,
    was_never_sent,
)
from wosdk_async.transport.http.mock_detection import mocked

if TYPE_CHECKING:
    import httpx

__all__ = ["ClientEngine", "engine_over", "stock_engine"]

_loop_of: WeakKeyDictionary[Any, asyncio.AbstractEventLoop] = WeakKeyDictionary()
"""Event loop of each transport of a program that has a pool. GIL: threads set a key in one step."""


class ClientEngine:
    """Engine on an ``AsyncClient`` of httpx or httpx2, whose pool decides about connections.

    It never follows a redirect: the token belongs to the host that the session names. What a client or a
    transport does with a request cannot be seen, so a request counts as sent from the moment it is handed
    over, unless the library's own errors for "no connection" say that it was not.

    The cookies of the client are sent, and those that responses set are not kept: what a host sets for one
    Company must not reach it with the calls of another.

    Args:
        client: the client that sends.
        limits: only ``connections`` and ``body`` are used; the client has its own for the rest.
        timeouts: instead of the client's own.
        merge_defaults: whether calls get the client's base headers, cookies and parameters.
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
        self.capacity = limits.connections
        self._timeouts = None if timeouts is None else attrs.asdict(timeouts)
        self._merge_defaults = merge_defaults
        self._owns_client = owns_client
        self._busy = 0

    def __repr__(self) -> str:
        return f"<ClientEngine {self._busy} of {self.capacity} busy>"

    def statistics(self) -> PoolStatistics:
        """Return how many requests are under way; the connections are the client's."""
        return PoolStatistics(busy=self._busy)

    async def send(
        self,
        method: str,
        url: str,
        headers: RequestHeaders,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,  # noqa: ARG002 - the client selects the connection
        read: Read = whole_response,
    ) -> Any:
        """Send a request; see :class:`~wosdk_async.transport.http.engine.Engine`."""
        self._require_usable()
        request: httpx.Request | None = None
        verdict: Exception | None = None

        def read_and_note(response: Response) -> Any:
            nonlocal verdict
            try:
                return read(response)
            except (WosdkError, InconclusiveResponse) as error:
                verdict = error
                raise

        self._busy += 1
        try:
            client = _with_own_cookies(self._client)
            request = self._build_request(client, method, url, headers, body)
            on_sending()
            with filtered_logs():
                response = await client.send(request, stream=True, follow_redirects=False)
                return await read_response(response, self._max_body, read_and_note)
        except Exception as cause:
            if cause is verdict:
                raise  # any other error of ours is of a call that a hook made: it says nothing of this one
            foreign = foreign_response(cause, self._library)
            if foreign is None and isinstance(cause, AssertionError):
                raise  # from a mock that did not expect the request: it is for the test
            sent = request is not None and not was_never_sent(cause, request)
            if foreign is None and is_of_hook(cause, self._library):
                error = _hook_error(cause, headers, sent)
            else:
                error = foreign or send_error(url, cause, sent=sent)
        finally:
            self._busy -= 1
            verdict = None  # it holds this frame, and with it the token
        raise error

    @contextlib.asynccontextmanager
    async def stream(self, url: str) -> AsyncIterator[StreamedResponse]:
        """Download a file; see :class:`~wosdk_async.transport.http.engine.StreamingEngine`.

        The author of a document chooses the address, so the client's base headers, cookies, parameters and
        auth are not sent. Its transport, proxies and hooks take part.
        """
        self._require_usable()
        timeouts = self._timeouts or {"connect": self._client.timeout.connect}
        client = _with_own_cookies(self._client)
        with translated_errors(url), filtered_logs(download=True):
            request = self._library.Request(
                "GET",
                url,
                headers=[(b"Accept-Encoding", b"identity")],
                extensions={"timeout": {**timeouts, "read": None}},
            )
            foreign = None
            try:
                response = await client.send(request, stream=True, auth=None, follow_redirects=False)
            except (AssertionError, TypeError) as cause:
                if (foreign := foreign_response(cause, self._library)) is None:
                    raise
            if foreign is not None:  # not raised from the cause: it holds the address
                raise foreign
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
        """Require that the client is open, and that its connections belong to the running loop.

        The pool of httpx would use those of another loop, which fails after the request seems to be sent.
        Transports without a pool, and mocks, are bound to no loop.
        """
        closed: object = self._client.is_closed
        if not isinstance(closed, bool):  # a double of unittest.mock has every attribute
            raise ConfigurationError(
                f"the http_client is a {type(self._client).__name__}, not a client of httpx or httpx2; mock"
                " the network instead: transport=httpx.MockTransport(handler)"
            )
        if closed:
            raise ConfigurationError("the http_client is closed; keep it open for as long as the Client")
        transport = getattr(self._client, "_transport", None)
        if isinstance(transport, self._library.AsyncHTTPTransport) and mocked() is not self._library:
            loop = asyncio.get_running_loop()
            if _loop_of.setdefault(transport, loop) is not loop:
                raise ConfigurationError(
                    "the http_client, or transport, was used in another event loop, and its connections "
                    "belong to that one; nothing was sent. Make one for each loop, or pass neither: a Client "
                    "with connections of its own works in any loop"
                )

    def _build_request(
        self, client: httpx.AsyncClient, method: str, url: str, headers: RequestHeaders, body: bytes | None
    ) -> httpx.Request:
        extensions: dict[str, Any] = {} if self._timeouts is None else {"timeout": self._timeouts}
        raw = encode_headers(headers)
        build = client.build_request if self._merge_defaults else self._library.Request
        request: httpx.Request = build(method, url, headers=raw, content=body, extensions=extensions)
        return request


def _hook_error(cause: Exception, headers: RequestHeaders, sent: bool) -> SendError:
    """Return the error for an exception of an event hook, which is its cause unless that shows the token."""
    text = str(cause)
    error = SendError(
        f"an event hook of the http_client raised {type(cause).__name__}{text and ': '}{text}", sent=sent
    )
    token = dict(headers).get("Authorization", "").partition(" ")[2]  # a log-in has none, but the secret
    shown = repr((text, cause.args, vars(cause)))
    if token and not error_kinds(cause) and Secrets(token).hide(shown, len(shown)) == shown:
        error.__cause__ = cause
    return error


def _with_own_cookies(client: httpx.AsyncClient) -> httpx.AsyncClient:
    """Return ``client`` with a copy of its cookies, for one request."""
    once = copy.copy(client)
    once.cookies = client.cookies
    return once


def engine_over(
    transport: HttpxTransport, *, limits: Limits, timeouts: Timeouts | None = None
) -> ClientEngine:
    """Return an engine that sends over a transport of the program, which it never closes."""
    client = library_of(transport).AsyncClient(transport=transport, trust_env=False)
    return ClientEngine(client, limits=limits, timeouts=timeouts or Timeouts())


async def stock_engine(options: ClientOptions, limits: Limits, library: Any) -> ClientEngine:
    """Return an engine that sends as a plain client of ``library`` does, which is what its mocks expect."""
    context = await TLSContextProvider(options.ssl_context).context()
    client = library.AsyncClient(verify=context, proxy=options.proxy, trust_env=False)
    return ClientEngine(client, limits=limits, timeouts=options.timeouts or Timeouts(), owns_client=True)
