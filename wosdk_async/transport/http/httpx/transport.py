"""The native engine as a transport of httpx."""

from __future__ import annotations

import ssl
from typing import cast

from wosdk_async.transport.http.engine import SendFailed
from wosdk_async.transport.http.headers import Headers
from wosdk_async.transport.http.httpx.library import httpx
from wosdk_async.transport.http.native import NativeEngine
from wosdk_async.transport.http.native.request import PreparedRequest, encoded_head, request_bytes
from wosdk_async.transport.limits import Limits, Timeouts, as_limits

__all__ = ["NativeTransport"]

_FRAMING = (b"content-length", b"transfer-encoding")
_SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")  # RFC 9110 9.2.1
_TIMEOUTS: dict[str, type[httpx.TimeoutException]] = {
    "connect": httpx.ConnectTimeout,
    "read": httpx.ReadTimeout,
    "write": httpx.WriteTimeout,
    "pool": httpx.PoolTimeout,
}


class NativeTransport(httpx.AsyncBaseTransport):
    """For an ``httpx.AsyncClient`` that is to be fast: ``AsyncClient(transport=NativeTransport())``.

    Bodies are sent and read whole. HTTP/1.1 only; no proxies, no uploads without a length.

    Args:
        limits: ours or ``httpx.Limits``.
        ssl_context: the certificates to trust instead of the system's.
    """

    def __init__(
        self, *, limits: Limits | httpx.Limits | None = None, ssl_context: ssl.SSLContext | None = None
    ) -> None:
        self._engine = NativeEngine(limits=as_limits(limits or Limits()), ssl_context=ssl_context)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send ``request`` and read its whole answer. Raises the errors of httpx."""
        method, url, body = request.method, request.url, await request.aread()
        try:
            origin = self._engine.origin(f"{url.scheme}://{url.netloc.decode('ascii')}")
            head = encoded_head(
                (name, value) for name, value in request.headers.raw if name.lower() not in _FRAMING
            )
            limits = {name: request.extensions.get("timeout", {}).get(name) for name in _TIMEOUTS}
            answer = await self._engine.exchange(
                origin,
                PreparedRequest(
                    request_bytes(method, url.raw_path, head, body or None),
                    on_sending=lambda: None,
                    timeouts=Timeouts(**limits),
                    repeat_safe=method in _SAFE,
                    bare=method == "HEAD",
                    raw=True,
                ),
            )
        except ValueError as cause:
            raise httpx.LocalProtocolError(str(cause), request=request) from cause
        except SendFailed as cause:
            raise _error(cause)(str(cause), request=request) from cause
        return httpx.Response(
            answer.status,
            headers=list(cast(Headers, answer.headers).raw),
            stream=httpx.ByteStream(answer.body),
            request=request,
        )

    async def aclose(self) -> None:
        """Close the idle connections; the others close when their answers have been read."""
        await self._engine.aclose()


def _error(failure: SendFailed) -> type[httpx.TransportError]:
    return _TIMEOUTS.get(failure.timeout) or (httpx.ReadError if failure.sent else httpx.ConnectError)
