"""Engine selection: the built-in engine, unless the program passes its own or a test mocks httpx."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.options import ClientOptions, Limits, Timeouts
from wosdk_async.options.httpx_family import library_of, mocked
from wosdk_async.transport.http.certificates import TLSContextProvider
from wosdk_async.transport.http.engine import (
    Engine,
    PoolStatistics,
    Request,
    RequestHeaders,
    StreamedResponse,
    StreamingEngine,
)
from wosdk_async.transport.http.environment import proxy_rules
from wosdk_async.transport.http.native.engine import NativeEngine
from wosdk_async.transport.http.native.resolver import FILES_EACH, max_look_ups, usable_files

if TYPE_CHECKING:
    from wosdk_async.transport.http.httpx.client import ClientEngine

_RESERVED = 64 + 32 + 64  # files for log-ins, for downloads, and for the program itself
_LEAST = 16  # minimum connections, even if the file limit is so low that opening them fails


def engine_for(
    options: ClientOptions, limits: Limits | None = None, ceiling: int | None = None
) -> StreamingEngine:
    """Return an engine with these ``options``; ``limits``, if given, replaces their limits.

    ``ceiling`` limits a native engine's connections in a burst (default: ``limits.connections``).
    """
    limits = limits or options.limits
    client = options.http_client
    if client is None and options.transport is None:
        return MockableEngine(options, limits, ceiling)
    from wosdk_async.transport.http.httpx.client import ClientEngine

    if client is not None:
        return ClientEngine(client, limits=limits, timeouts=options.timeouts, merge_defaults=True)
    client = library_of(options.transport).AsyncClient(transport=options.transport, trust_env=False)
    return ClientEngine(client, limits=limits, timeouts=options.timeouts or Timeouts())


def connection_ceiling(connections: int) -> int:
    """Return the maximum number of connections of an event loop in a burst.

    The client gets ``connections`` if the open-file limit (``ulimit -n``) allows that many. A burst
    may use half of that limit; the rest is for the program and other clients and loops.
    """
    available = max(_LEAST, usable_files() - _RESERVED - FILES_EACH * max_look_ups())
    return max(min(connections * 3 // 2, available), available // 2)


class MockableEngine:
    """The built-in engine, or a stock ``AsyncClient`` while a test mocks httpx or httpx2."""

    def __init__(self, options: ClientOptions, limits: Limits, ceiling: int | None = None) -> None:
        self._options = options
        self._limits = limits
        self._native = NativeEngine(
            limits=limits,
            timeouts=options.timeouts,
            ssl_context=options.ssl_context,
            proxies=proxy_rules(options.proxy, options.trust_env),
            ceiling=ceiling,
        )
        self.capacity, self.ceiling = self._native.capacity, self._native.ceiling
        self._mockable: dict[str, ClientEngine] = {}

    def __repr__(self) -> str:
        return f"<MockableEngine {', '.join(map(repr, self._engines()))}>"

    def statistics(self) -> PoolStatistics:
        """Return the connection counts, summed over all engines in use."""
        each = [attrs.astuple(engine.statistics()) for engine in self._engines()]
        return PoolStatistics(*map(sum, zip(*each, strict=True)))

    def send(self, request: Request) -> Coroutine[Any, Any, Any]:
        """Return the selected engine's coroutine; wrapping it in another one would cost time."""
        # Most programs never import httpx or httpx2, so nothing can be mocked. Looking up each name of
        # FAMILY takes half as long as isdisjoint().
        loaded = sys.modules
        if "httpx" in loaded or "httpx2" in loaded or "httpcore" in loaded or "httpcore2" in loaded:
            library = mocked()
            if library is not None:
                return self._send_mocked(library, request)
        return self._native.send(request)

    async def _send_mocked(self, library: ModuleType, request: Request) -> Any:
        return await (await self._mockable_engine(library)).send(request)

    @asynccontextmanager
    async def stream(self, url: str, headers: RequestHeaders = ()) -> AsyncIterator[StreamedResponse]:
        """Download a file; see :class:`StreamingEngine`."""
        library = mocked()
        engine: StreamingEngine = self._native if library is None else await self._mockable_engine(library)
        async with engine.stream(url, headers) as response:
            yield response

    async def aclose(self) -> None:
        """Close every connection."""
        for engine in self._engines():
            await engine.aclose()

    async def _mockable_engine(self, library: ModuleType) -> ClientEngine:
        """Return an engine whose plain ``library`` client sends the requests that the mocks let through."""
        name, options = library.__name__, self._options
        if name not in self._mockable:
            from wosdk_async.transport.http.httpx.client import ClientEngine

            context = await TLSContextProvider(options.ssl_context).context()
            proxy, why = options.proxy and options.proxy.reveal(), ""
            try:
                client = library.AsyncClient(verify=context, proxy=proxy, trust_env=False)
            except (ImportError, ValueError) as error:  # the library does not support the proxy's scheme
                why = f"proxy= cannot be used while {name} is mocked: {error}"
            del proxy  # it may contain a password, and tracebacks show local variables
            if why:
                raise ConfigurationError(why)
            timeouts = options.timeouts or Timeouts()
            engine = ClientEngine(client, limits=self._limits, timeouts=timeouts, owns_client=True)
            self._mockable.setdefault(name, engine)  # another request may have created an engine first
        return self._mockable[name]

    def _engines(self) -> list[Engine]:
        return [self._native, *self._mockable.values()]
