"""Engine around the usual one, whose requests are noted for ``-v``: those of log-ins, too."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Protocol
from urllib.parse import urlsplit

import attrs

from wosdk_async.options.hooks import Attempt
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import (
    Request,
    RequestBody,
    RequestHeaders,
    SendError,
    StreamedResponse,
    StreamingEngine,
)
from wosdk_async.transport.http.watched import OnResponse, WatchedEngine

__all__ = ["RequestLog", "ShowingEngine", "ShownRequest"]


@attrs.define(eq=False, repr=False)
class ShownRequest:
    """One request, and its response or failure."""

    method: str
    url: str
    headers: RequestHeaders
    body: RequestBody
    started: float = attrs.field(factory=time.monotonic)
    seconds: float = 0.0
    response: Response | None = None
    failure: str = "no response"
    attempt: Attempt | None = None
    printed: bool = False


class RequestLog(Protocol):
    """Receiver of the requests of an engine."""

    def begin(self, request: ShownRequest) -> None:
        """Note a request that is about to be sent."""

    def responded(self, request: ShownRequest, response: Response) -> None:
        """Note the response to a request."""

    def end(self, request: ShownRequest) -> None:
        """Note that a request has ended."""


class ShowingEngine(WatchedEngine):
    """Engine whose requests are sent by another one, and noted in ``log``."""

    def __init__(self, engine: StreamingEngine, log: RequestLog) -> None:
        super().__init__(engine)
        self._log = log

    @contextmanager
    def watch(self, request: Request) -> Iterator[OnResponse]:
        """Note one request."""
        shown = ShownRequest(request.method, request.url, request.headers, request.body)
        self._log.begin(shown)
        try:
            yield partial(self._log.responded, shown)
        except SendError as failure:
            shown.failure = f"no response ({failure})"
            raise
        finally:
            self._log.end(shown)

    @asynccontextmanager
    async def stream(self, url: str, headers: RequestHeaders = ()) -> AsyncIterator[StreamedResponse]:
        """Download a file. Only its host is shown: the rest of the address may be signed."""
        request = ShownRequest("GET", f"{urlsplit(url).scheme}://{urlsplit(url).hostname}/***", (), None)
        try:
            async with super().stream(url, headers) as response:
                request.failure = str(response.status)
                yield response
        finally:
            self._log.end(request)
