"""Help for web back ends on ASGI: cancel reads that nobody waits for, and log paths on one line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from wosdk_async.text.safe_text import one_line

__all__ = ["CancelAbandonedReads", "one_line"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Receive, Send], Awaitable[None]]

_READS = ("GET", "HEAD")


class CancelAbandonedReads:
    """ASGI middleware that cancels the handler of a GET when its client has gone.

    ::

        app.add_middleware(CancelAbandonedReads)

    Frameworks let a handler run to its end although nobody reads the response. Cancelled, its call leaves the
    queue, and its slot is free for others. Other methods run on: a cancelled create would be in doubt.
    """

    def __init__(self, app: Any) -> None:
        self._app: App = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request to the application."""
        if scope["type"] != "http" or scope["method"] not in _READS:
            await self._app(scope, receive, send)
            return
        request = _Read(receive, send)
        work = asyncio.ensure_future(self._app(scope, request.inbox.get, request.send))
        watch = asyncio.ensure_future(request.cancel_when_gone(work))
        try:
            await asyncio.wait([work])
        finally:
            watch.cancel()
            work.cancel()  # the server cancels this request; it does nothing to work that is done
            await asyncio.wait([work, watch])
        if not work.cancelled():
            work.result()


class _Read:
    """One request that may be cancelled until its response is complete."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self.inbox: asyncio.Queue[Message] = asyncio.Queue()
        self._receive = receive
        self._send = send
        self._complete = False

    async def send(self, message: Message) -> None:
        """Pass a message of the response to the server."""
        self._complete = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)

    async def cancel_when_gone(self, work: asyncio.Future[None]) -> None:
        """Pass what the client sends to the application, and cancel ``work`` when the client goes."""
        while True:
            message = await self._receive()
            self.inbox.put_nowait(message)
            if message["type"] == "http.disconnect":
                if not self._complete:  # servers send it after a response, too
                    work.cancel()
                return
