"""Selection of the engine that sends a request: the native one, unless something requires httpx or httpx2."""

from __future__ import annotations

from collections.abc import Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from wosdk_async.options import ClientOptions, Limits
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
from wosdk_async.transport.http.environment import proxy_rules
from wosdk_async.transport.http.mock_detection import mocked

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from types import ModuleType

    from wosdk_async.transport.http.httpx.client import ClientEngine
    from wosdk_async.transport.http.httpx.engine import HttpxEngine

__all__ = ["EngineSelector", "HttpEngine", "engine_for"]

_MAX_ORIGINS = 4096  # whose engine is remembered


class HttpEngine(Engine, StreamingEngine, Protocol):
    """Engine that sends calls and downloads files."""


def engine_for(options: ClientOptions, limits: Limits | None = None) -> HttpEngine:
    """Return an engine that sends over ``options``, within ``limits`` instead of the options' own."""
    limits = limits or options.limits
    if options.http_client is not None:
        from wosdk_async.transport.http.httpx.client import ClientEngine

        return ClientEngine(
            options.http_client, limits=limits, timeouts=options.timeouts, merge_defaults=True
        )
    if options.transport is not None:
        from wosdk_async.transport.http.httpx.client import engine_over

        return engine_over(options.transport, limits=limits, timeouts=options.timeouts)
    return EngineSelector(options, limits)


class EngineSelector:
    """Engine that passes each request to another one.

    * While a test mocks httpx or httpx2: a stock ``AsyncClient`` of that library, so that the mock responds.
    * If a proxy leads to the host, HTTP/2 is wanted, or httptools is not installed: :class:`HttpxEngine`, on
      httpx if it is installed, else on httpx2.
    * Else the native engine.
    """

    def __init__(self, options: ClientOptions, limits: Limits) -> None:
        self.capacity = limits.connections
        self._options = options
        self._limits = limits
        self._proxies = proxy_rules(options.proxy, options.trust_env)
        self._native = None if options.http2 else _native_engine(options, limits)
        self._always = self._native if self._proxies is None else None
        """The engine of all hosts, None if it depends on the host."""
        self._by_proxy: dict[str | None, HttpxEngine] = {}
        self._by_origin: dict[str, Engine] = {}
        self._mockable: dict[str, ClientEngine] = {}

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
        """Return the coroutine of the selected engine, so that the selection costs no coroutine."""
        if (library := mocked()) is not None:
            return self._send_mocked(library, method, url, headers, body, on_sending, repeat_safe, read)
        engine = self._always or self._engine_for_host(url)
        return engine.send(method, url, headers, body, on_sending, repeat_safe, read)

    async def _send_mocked(self, library: ModuleType, *request: Any) -> Any:
        engine = await self._mockable_engine(library)
        return await engine.send(*request)

    @asynccontextmanager
    async def stream(self, url: str) -> AsyncIterator[StreamedResponse]:
        """Download a file; see :class:`StreamingEngine`."""
        if (library := mocked()) is not None:
            engine: StreamingEngine = await self._mockable_engine(library)
        else:
            engine = self._httpx_engine(self._proxy_for(url))
        async with engine.stream(url) as response:
            yield response

    async def aclose(self) -> None:
        """Close every connection."""
        for engine in self._engines():
            await engine.aclose()

    def _engine_for_host(self, url: str) -> Engine:
        """Return the engine for the host of ``url``, which is decided once."""
        end = url.find("/", 8)
        origin = url if end < 0 else url[:end]
        engine = self._by_origin.get(origin)
        if engine is None:
            if len(self._by_origin) >= _MAX_ORIGINS:
                self._by_origin.clear()
            proxy = self._proxy_for(origin)
            native = self._native if proxy is None else None
            engine = self._by_origin[origin] = native or self._httpx_engine(proxy)
        return engine

    def _proxy_for(self, url: str) -> str | None:
        return None if self._proxies is None else self._proxies.proxy_for(url)

    def _httpx_engine(self, proxy: str | None) -> HttpxEngine:
        """Return the engine on httpx for requests through ``proxy``; None stands for direct ones."""
        engine = self._by_proxy.get(proxy)
        if engine is None:
            from wosdk_async.transport.http.httpx.engine import HttpxEngine

            options = self._options
            engine = self._by_proxy[proxy] = HttpxEngine(
                limits=self._limits,
                timeouts=options.timeouts,
                ssl_context=options.ssl_context,
                proxy=proxy,
                http2=options.http2,
            )
        return engine

    async def _mockable_engine(self, library: ModuleType) -> ClientEngine:
        """Return the engine for while ``library`` is mocked; it also sends what the mock lets pass."""
        engine = self._mockable.get(library.__name__)
        if engine is None:
            from wosdk_async.transport.http.httpx.client import stock_engine

            made = await stock_engine(self._options, self._limits, library)
            engine = self._mockable.setdefault(library.__name__, made)  # another request may have been first
        return engine

    def _engines(self) -> list[Engine]:
        own = [self._native] if self._native else []
        return [*own, *self._by_proxy.values(), *self._mockable.values()]


def _native_engine(options: ClientOptions, limits: Limits) -> Engine | None:
    """Return a native engine, None if httptools cannot be imported."""
    try:
        from wosdk_async.transport.http.native.engine import NativeEngine
    except ImportError:
        return None
    return NativeEngine(limits=limits, timeouts=options.timeouts, ssl_context=options.ssl_context)
