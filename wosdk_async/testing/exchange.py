"""One request to an application in this process, and its answer."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import unquote, urlsplit

import attrs

from wosdk_async.protocol.wire import Response
from wosdk_async.sandbox.faults.exchange import App, Message, Scope
from wosdk_async.testing.clock import SkippingClock, Work, work
from wosdk_async.transport.http.engine import RequestHeaders, ResponseHeaders

__all__ = ["RespxExchange", "scope_of"]


def scope_of(method: str, url: str, headers: RequestHeaders) -> Scope:
    """The ASGI scope of a request."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    raw = [(name.lower().encode("ascii"), value.encode("utf-8")) for name, value in headers]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": parts.scheme,
        "path": unquote(parts.path),
        "raw_path": parts.path.encode("ascii"),
        "query_string": parts.query.encode("ascii"),
        "root_path": "",
        "headers": [(b"host", parts.netloc.encode("ascii")), *raw],
        "server": (parts.hostname, port),
        "client": ("127.0.0.1", 1),
    }


@attrs.define(eq=False)
class RespxExchange:
    """The application's side runs on when the client has hung up, as it does behind a real server."""

    app: App
    scope: Scope
    body: bytes
    clock: SkippingClock
    own: Work
    broken: str = ""
    """How the application broke the connection, if it did."""
    _status: int | None = None
    _headers: Any = ()
    _parts: list[bytes] = attrs.field(factory=list)
    _taken: bool = False
    _whole: bool = False
    _gone: asyncio.Event = attrs.field(factory=asyncio.Event)

    async def run(self) -> None:
        """Let the application answer."""
        work.set(self.own)
        try:
            await self.app(self.scope, self._receive, self._send)
        except ConnectionError as error:
            self.broken = str(error)

    def hang_up(self) -> None:
        """The client is gone."""
        self._gone.set()

    @property
    def reply(self) -> Response | None:
        """The answer, if all of it was given."""
        if not self._whole or self._status is None:
            return None
        return Response(self._status, ResponseHeaders(self._headers), b"".join(self._parts))

    async def _receive(self) -> Message:
        if not self._taken:
            self._taken = True
            return {"type": "http.request", "body": self.body, "more_body": False}
        with self.clock.waiting(self.own):
            await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status, self._headers = message["status"], message.get("headers", ())
        else:
            self._parts.append(message.get("body", b""))
            self._whole = not message.get("more_body", False)
