"""Which engine sends: the native one, unless something asks for httpx."""

from __future__ import annotations

from collections.abc import Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from wosdk_async.options import Limits
from wosdk_async.transport.http.engine import (
    Engine,
    OnSending,
    PoolStatistics,
    Read,
    RequestHeaders,
    StreamedResponse,
    StreamingEngine,
    whole_response,
)
from wosdk_async.transport.http.httpx.mock_detection import mocked
from wosdk_async.transport.http.proxies import proxies_of
from wosdk_async.transport.network import Network

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from wosdk_async.transport.http.httpx.client import ClientEngine
    from wosdk_async.transport.http.httpx.engine import HttpxEngine

__all__ = ["HttpEngine", "engine_for"]

_REMEMBERED = 4096  # addresses of hosts whose way is known


class HttpEngine(Engine, StreamingEngine, Protocol):
    """Sends calls and fetches files."""


def engine_for(network: Network, limits: Limits | None = None) -> HttpEngine:
    """What sends over ``network``, within ``limits`` instead of the network's own."""
    limits = limits or network.limits
    if network.http_client is not None:
        from wosdk_async.transport.http.httpx.client import ClientEngine

        return ClientEngine(network.http_client, limits=limits, timeouts=network.timeouts, dressed=True)
    if network.transport is not None:
        from wosdk_async.transport.http.httpx.client import around

        return around(network.transport, limits=limits, timeouts=network.timeouts)
    return EngineSelector(network, limits)


class EngineSelector:
    """Decides for each request.

    * httpx is mocked just now: a stock ``httpx.AsyncClient``, so that the mock answers.
    * A proxy leads to the host, HTTP/2 is wanted, or httptools is not there: :class:`HttpxEngine`.
    * Else the native engine.
    """

    def __init__(self, network: Network, limits: Limits) -> None:
        self.capacity = limits.connections
        self._network = network
        self._limits = limits
        self._proxies = proxies_of(network.proxy, network.trust_env)
        self._by_proxy: dict[str | None, HttpxEngine] = {}
        self._ways: dict[str, Engine] = {}
        self._stock: ClientEngine | None = None
        self._plain: Engine | None = None if network.http2 else _native(network, limits)
        self._always = self._plain if self._proxies is None else None

    def __repr__(self) -> str:
        return f"<EngineSelector {', '.join(map(repr, self._engines())) or 'not used'}>"

    def statistics(self) -> PoolStatistics:
        """Return the sums over the engines that were used."""
        each = [attrs.astuple(engine.statistics()) for engine in self._engines()]
        return PoolStatistics(*map(sum, zip(*each, strict=True)))

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
        """See :class:`Engine`. Gives the chosen engine's own coroutine: the choice costs no frame."""
        if mocked():
            return self._send_mocked(method, url, headers, body, on_sending, repeat_safe, read)
        engine = self._always or self._way(url)
        return engine.send(method, url, headers, body, on_sending, repeat_safe, read)

    async def _send_mocked(self, *request: Any) -> Any:
        engine = await self._mockable()
        return await engine.send(*request)

    @asynccontextmanager
    async def stream(self, url: str) -> AsyncIterator[StreamedResponse]:
        """See :class:`StreamingEngine`."""
        engine: StreamingEngine = await self._mockable() if mocked() else self._through(self._proxy(url))
        async with engine.stream(url) as answer:
            yield answer

    async def aclose(self) -> None:
        """Close every connection."""
        for engine in self._engines():
            await engine.aclose()

    def _way(self, url: str) -> Engine:
        """The engine for the host of ``url``, found once."""
        end = url.find("/", 8)
        origin = url if end < 0 else url[:end]
        engine = self._ways.get(origin)
        if engine is None:
            if len(self._ways) >= _REMEMBERED:
                self._ways.clear()
            proxy = self._proxy(origin)
            plain = self._plain if proxy is None else None
            engine = self._ways[origin] = plain or self._through(proxy)
        return engine

    def _proxy(self, url: str) -> str | None:
        return None if self._proxies is None else self._proxies.of(url)

    def _through(self, proxy: str | None) -> HttpxEngine:
        """The engine on httpx for all that goes through ``proxy``, or directly."""
        engine = self._by_proxy.get(proxy)
        if engine is None:
            from wosdk_async.transport.http.httpx.engine import HttpxEngine

            network = self._network
            engine = self._by_proxy[proxy] = HttpxEngine(
                limits=self._limits,
                timeouts=network.timeouts,
                ssl_context=network.ssl_context,
                proxy=proxy,
                http2=network.http2,
            )
        return engine

    async def _mockable(self) -> ClientEngine:
        """The engine for as long as httpx is mocked; what the mock lets pass goes its way from there."""
        if self._stock is None:
            from wosdk_async.transport.http.httpx.client import stock

            self._stock = await stock(self._network, self._limits)
        return self._stock

    def _engines(self) -> list[Engine]:
        return [engine for engine in (self._plain, *self._by_proxy.values(), self._stock) if engine]


def _native(network: Network, limits: Limits) -> Engine | None:
    """The native engine, where httptools can be imported."""
    try:
        from wosdk_async.transport.http.native import NativeEngine
    except ImportError:
        return None
    return NativeEngine(limits=limits, timeouts=network.timeouts, ssl_context=network.ssl_context)
