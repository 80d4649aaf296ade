"""Engine around another one, for those who watch requests and responses."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any

import attrs

from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import (
    PoolStatistics,
    Request,
    RequestHeaders,
    StreamedResponse,
    StreamingEngine,
)

__all__ = ["OnResponse", "WatchedEngine"]

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
