"""An engine without a socket: requests go straight to an ASGI application in the running loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import attrs

from wosdk_async.sandbox.faults.exchange import App
from wosdk_async.testing.clock import SkippingClock, Work
from wosdk_async.testing.exchange import RespxExchange, scope_of
from wosdk_async.transport.http.engine import (
    OnSending,
    PoolStatistics,
    Read,
    RequestHeaders,
    SendError,
    StreamedResponse,
    whole_response,
)

__all__ = ["AsgiEngine", "InProcessTransport"]

_log = logging.getLogger("wosdk_async")


@attrs.define(eq=False)
class InProcessTransport:
    """The way from the clients of a test to its application: what is under way, and whether it is open."""

    app: App
    host: str
    clock: SkippingClock
    _running: dict[asyncio.Task[None], asyncio.AbstractEventLoop] = attrs.field(factory=dict)
    _open: bool = True

    def require(self, url: str) -> None:
        """Raises SendError unless ``url`` leads to the application, and that is still there."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if parts.hostname != self.host:
            raise SendError(f"{origin}: nothing is there in a test but {self.host}", sent=False)
        if not self._open:
            raise SendError(f"{origin}: the test that this Company belongs to is over", sent=False)

    def start(self, exchange: RespxExchange) -> asyncio.Task[None]:
        """Let the application answer, also to nobody: who asked may be cancelled meanwhile."""
        loop = asyncio.get_running_loop()
        task = loop.create_task(exchange.run(), name=f"sandbox {exchange.scope['path']}")
        self._running[task] = loop
        task.add_done_callback(self._ended)
        return task

    def close(self) -> None:
        """Take no more requests, and end those under way."""
        self._open = False
        for task, loop in list(self._running.items()):
            if not loop.is_closed():
                loop.call_soon_threadsafe(task.cancel)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("the sandbox failed in %s", task.get_name(), exc_info=error)


@attrs.define(eq=False)
class AsgiEngine:
    """Requests over a line; ``capacity`` is what its client may have under way at once."""

    line: InProcessTransport
    capacity: int
    _busy: int = 0

    def statistics(self) -> PoolStatistics:
        return PoolStatistics(busy=self._busy)

    async def send(
        self,
        method: str,
        url: str,
        headers: RequestHeaders,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,  # noqa: ARG002 - no connection that could be stale
        read: Read = whole_response,
    ) -> Any:
        self.line.require(url)
        own = Work()
        clock = self.line.clock
        exchange = RespxExchange(self.line.app, scope_of(method, url, headers), body or b"", clock, own)
        on_sending()
        self._busy += 1
        try:
            with clock.doing(own):
                await asyncio.wait([self.line.start(exchange)])
        except asyncio.CancelledError:
            exchange.hang_up()
            raise
        finally:
            self._busy -= 1
        if exchange.reply is None:
            raise SendError(f"{url}: {exchange.broken or 'the answer broke off'}", sent=True)
        return read(exchange.reply)

    @contextlib.asynccontextmanager
    async def stream(self, url: str) -> AsyncIterator[StreamedResponse]:
        """The answer to a GET; it has come whole."""
        reply = await self.send("GET", url, (("Accept-Encoding", "identity"),), None, lambda: None)
        async with contextlib.aclosing(_whole(reply.body)) as chunks:
            yield StreamedResponse(reply.status, reply.headers, chunks)

    async def aclose(self) -> None:
        """There is nothing to close: a client that is left open leaves nothing behind."""


async def _whole(body: bytes) -> AsyncGenerator[bytes, None]:
    yield body
