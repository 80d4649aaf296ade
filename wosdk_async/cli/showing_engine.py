"""Engine around the usual one, whose requests are noted for ``-v``: those of log-ins, too."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import attrs

from wosdk_async.hooks import Attempt
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import (
    Engine,
    OnSending,
    PoolStatistics,
    Read,
    RequestHeaders,
    SendError,
    StreamedResponse,
    StreamingEngine,
    whole_response,
)

if TYPE_CHECKING:
    from wosdk_async.cli.verbose import RequestPrinter

__all__ = ["ShowingEngine", "ShownRequest"]


@attrs.define(eq=False, repr=False)
class ShownRequest:
    """One request, and what became of it."""

    method: str
    url: str
    headers: RequestHeaders
    body: bytes | None
    started: float = attrs.field(factory=time.monotonic)
    seconds: float = 0.0
    response: Response | None = None
    failure: str = "no response"
    attempt: Attempt | None = None
    printed: bool = False

    @property
    def is_login(self) -> bool:
        """Whether it asks for a token."""
        return bool(self.body and self.body.startswith(b"grant_type="))


class ShowingEngine:
    """Engine whose requests are sent by another one, and printed."""

    def __init__(self, engine: Engine, printer: RequestPrinter) -> None:
        self._engine = engine
        self._printer = printer
        self.capacity = engine.capacity

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
        request = ShownRequest(method, url, headers, body)
        self._printer.begin(request)

        def read_noted(response: Response) -> Any:
            self._printer.responded(request, response)
            return read(response)

        try:
            return await self._engine.send(method, url, headers, body, on_sending, repeat_safe, read_noted)
        except SendError as failure:
            request.failure = f"no response ({failure})"
            raise
        finally:
            self._printer.end(request)

    @asynccontextmanager
    async def stream(self, url: str) -> AsyncIterator[StreamedResponse]:
        """Download a file. Only its host is shown: the rest of the address may be signed."""
        request = ShownRequest("GET", f"{urlsplit(url).scheme}://{urlsplit(url).hostname}/***", (), None)
        if not isinstance(self._engine, StreamingEngine):
            raise TypeError(f"{self._engine!r} cannot download: it has no stream()")
        try:
            async with self._engine.stream(url) as response:
                request.failure = str(response.status)
                yield response
        finally:
            self._printer.end(request)

    def statistics(self) -> PoolStatistics:
        """Return the state of the connections."""
        return self._engine.statistics()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._engine.aclose()
