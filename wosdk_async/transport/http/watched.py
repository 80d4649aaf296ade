"""Engine around another one, for those who watch requests and responses."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any

import attrs

from wosdk_async.protocol.wire import Response
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

__all__ = ["OnResponse", "SentRequest", "WatchedEngine"]

OnResponse = Callable[[Response], None]
"""Called with the response of a request, before it is read."""


@attrs.frozen(repr=False)
class SentRequest:
    """A request as an engine gets it. It holds the token, or the secret of a log-in."""

    method: str
    url: str
    headers: RequestHeaders
    body: bytes | None


class WatchedEngine:
    """Base of engines that send through ``engine`` and watch; a subclass says how, in :meth:`watch`."""

    def __init__(self, engine: Engine) -> None:
        self.capacity = engine.capacity
        self._engine = engine

    def watch(self, request: SentRequest) -> AbstractContextManager[OnResponse]:
        """Return a context that lasts as long as the request; a SendError passes through it."""
        raise NotImplementedError

    async def send(
        self,
        method: str,
        url: str,
        headers: RequestHeaders,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,
        read: Read = whole_response,
    ) -> Any:
        """Send one request; see :class:`Engine`."""
        with self.watch(SentRequest(method, url, headers, body)) as on_response:

            def read_watched(response: Response) -> Any:
                on_response(response)
                return read(response)

            return await self._engine.send(method, url, headers, body, on_sending, repeat_safe, read_watched)

    def stream(self, url: str) -> AbstractAsyncContextManager[StreamedResponse]:
        """Open a download; see :class:`StreamingEngine`."""
        if not isinstance(self._engine, StreamingEngine):
            raise TypeError(f"{self._engine!r} cannot download: it has no stream()")
        return self._engine.stream(url)

    def statistics(self) -> PoolStatistics:
        """Return the state of the connections."""
        return self._engine.statistics()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._engine.aclose()
