"""The engine over an ``httpx.AsyncClient``: the user's own, one around the user's transport, or a stock one
that is mocked.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import AsyncIterator
from typing import Any

import attrs

from wosdk_async.errors import ConfigurationError, WosdkError
from wosdk_async.options import Limits, Timeouts
from wosdk_async.protocol.wire import InconclusiveResponse
from wosdk_async.transport.http.engine import (
    OnSending,
    PoolStatistics,
    Read,
    RequestHeaders,
    StreamedResponse,
    whole_response,
)
from wosdk_async.transport.http.httpx.library import httpx
from wosdk_async.transport.http.httpx.responses import NEVER_SENT, failure, pieces, translated, whole
from wosdk_async.transport.http.log_filter import filtered_logs
from wosdk_async.transport.http.tls import TLSContextProvider
from wosdk_async.transport.network import Network

__all__ = ["ClientEngine"]


class ClientEngine:
    """Requests by a client whose pool decides over connections.

    It never follows a redirect: the token belongs to the host that the session names. What a client or a
    transport does with a request cannot be seen, so a request counts as sent from the moment it is handed
    over, unless httpx's own errors for "no connection" say that it was not.

    The cookies of the client go along, and those that responses set are not kept: what a host sets for one
    Company must not reach it with the calls of another.

    Args:
        client: what sends.
        limits: of which ``connections`` and ``body`` hold; the others are the client's affair.
        timeouts: instead of the client's own.
        dressed: whether calls get the client's base headers, cookies and parameters.
        closing: whether the client is closed with the engine.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        *,
        limits: Limits,
        timeouts: Timeouts | None = None,
        dressed: bool = False,
        closing: bool = False,
    ) -> None:
        self._client = client
        self._body = limits.body
        self.capacity = limits.connections
        self._steps = None if timeouts is None else attrs.asdict(timeouts)
        self._dressed = dressed
        self._closing = closing
        self._busy = 0

    def __repr__(self) -> str:
        return f"<ClientEngine {self._busy} of {self.capacity} busy>"

    def statistics(self) -> PoolStatistics:
        return PoolStatistics(busy=self._busy)

    async def send(
        self,
        method: str,
        url: str,
        headers: RequestHeaders,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,  # noqa: ARG002 - which connection is taken is the client's affair
        read: Read = whole_response,
    ) -> Any:
        if self._client.is_closed:
            raise ConfigurationError("the http_client is closed; keep it open for as long as the Client")
        sent = False
        self._busy += 1
        try:
            client = _without_memory(self._client)
            request = self._request(client, method, url, headers, body)
            sent = True
            on_sending()
            with filtered_logs():
                response = await client.send(request, stream=True, follow_redirects=False)
                return await whole(response, self._body, read)
        except (WosdkError, InconclusiveResponse):  # of what was read
            raise
        except AssertionError:  # a mock's word on what it did not expect: for the test, not for the caller
            raise
        except Exception as cause:
            error = failure(url, cause, sent=sent and not isinstance(cause, NEVER_SENT))
        finally:
            self._busy -= 1
        raise error

    @contextlib.asynccontextmanager
    async def stream(self, url: str) -> AsyncIterator[StreamedResponse]:
        """GET ``url`` and read the answer as it comes.

        Whoever may write a document chooses the address, so the client's base headers, cookies, parameters
        and auth do not go along. Its transport, proxies and hooks take part.
        """
        steps = self._steps or {"connect": self._client.timeout.connect}
        client = _without_memory(self._client)
        with translated(url), filtered_logs(download=True):
            request = httpx.Request(
                "GET",
                url,
                headers=[(b"Accept-Encoding", b"identity")],
                extensions={"timeout": {**steps, "read": None}},
            )
            response = await client.send(request, stream=True, auth=None, follow_redirects=False)
        try:
            yield StreamedResponse(response.status_code, response.headers, pieces(response, url))
        finally:
            with filtered_logs(download=True):
                await response.aclose()

    async def aclose(self) -> None:
        """Close the client if it is ours; the user's own is the user's to close."""
        if self._closing:
            await self._client.aclose()

    def _request(
        self, client: httpx.AsyncClient, method: str, url: str, headers: RequestHeaders, body: bytes | None
    ) -> httpx.Request:
        extensions: dict[str, Any] = {} if self._steps is None else {"timeout": self._steps}
        raw = [(name.encode("ascii"), value.encode("utf-8")) for name, value in headers]
        build = client.build_request if self._dressed else httpx.Request
        return build(method, url, headers=raw, content=body, extensions=extensions)


def _without_memory(client: httpx.AsyncClient) -> httpx.AsyncClient:
    """Return ``client`` as it is now, with a copy of its cookies that is thrown away after one request."""
    once = copy.copy(client)
    once.cookies = client.cookies
    return once


def around(
    transport: httpx.AsyncBaseTransport, *, limits: Limits, timeouts: Timeouts | None = None
) -> ClientEngine:
    """An engine that sends by a transport of the user's, and nothing else: no cookies are kept."""
    client = httpx.AsyncClient(transport=transport, trust_env=False)  # never closed, as that would close it
    return ClientEngine(client, limits=limits, timeouts=timeouts or Timeouts())


async def stock(network: Network, limits: Limits) -> ClientEngine:
    """An engine that sends as httpx does when nobody asks for more: what mocks are made for."""
    context = await TLSContextProvider(network.ssl_context).context()
    client = httpx.AsyncClient(verify=context, proxy=network.proxy, trust_env=False)
    return ClientEngine(client, limits=limits, timeouts=network.timeouts or Timeouts(), closing=True)
