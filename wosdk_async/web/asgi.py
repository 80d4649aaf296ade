"""Helpers for ASGI back ends: cancelling abandoned reads, and single-line paths for logs."""

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
    """ASGI middleware that cancels a GET or HEAD handler when the client disconnects.

    ::

        app.add_middleware(CancelAbandonedReads)

    Frameworks let handlers finish even if nobody reads the response. Cancelling removes the call from the
    queue and frees its slot. Other methods continue, because a cancelled change would be in doubt.
    """

    def __init__(self, app: Any) -> None:
        self._app: App = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request to the application."""
        if scope["type"] != "http" or scope["method"] not in _READS:
            await self._app(scope, receive, send)
            return
        inbox: asyncio.Queue[Message] = asyncio.Queue()
        is_complete = False

        async def send_watched(message: Message) -> None:
            nonlocal is_complete
            is_complete = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        async def cancel_on_disconnect() -> None:
            while True:
                message = await receive()
                inbox.put_nowait(message)
                if message["type"] == "http.disconnect":
                    if not is_complete:  # servers also send this after a response
                        work.cancel()
                    return

        work = asyncio.ensure_future(self._app(scope, inbox.get, send_watched))
        watch = asyncio.ensure_future(cancel_on_disconnect())
        try:
            await asyncio.wait([work])
        finally:
            watch.cancel()
            work.cancel()  # only has an effect if the server cancelled this request before the work ended
            await asyncio.wait([work, watch])
        if not work.cancelled():
            work.result()
