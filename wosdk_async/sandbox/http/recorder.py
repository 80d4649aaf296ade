"""Requests received by a sandbox, without secrets."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

import attrs
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MAX_REQUESTS = 10_000  # maximum requests stored
_MAX_BYTES = 64 * 1024 * 1024  # maximum size of their bodies together


@attrs.frozen
class RecordedRequest:
    """A request, and the response status.

    Attributes:
        method: HTTP method, such as ``POST``.
        path: path without query.
        query: query string.
        headers: headers by lower-case name, without ``authorization``.
        body: request body; empty if it contains credentials.
        status: response status; None without a response.
    """

    method: str
    path: str
    query: str
    headers: dict[str, str] = attrs.field(repr=False)
    body: bytes = attrs.field(repr=False)
    status: int | None

    @property
    def company(self) -> str | None:
        """The Company that the request is for; None for a log-in."""
        return self.headers.get("companyname")

    @property
    def json(self) -> Any:
        """The decoded body; None if empty. Raises ValueError if not JSON."""
        return json.loads(self.body) if self.body else None


@attrs.define(eq=False)
class RequestRecorder:
    """ASGI middleware that records the requests to ``app``."""

    app: ASGIApp
    _requests: deque[RecordedRequest] = attrs.field(factory=lambda: deque(maxlen=_MAX_REQUESTS))
    _bytes: int = 0

    @property
    def requests(self) -> tuple[RecordedRequest, ...]:
        """The last requests, oldest first."""
        return tuple(self._requests)  # GIL: the server's thread may add a request, but not during the copy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Record a request and response status while passing the request to ``app``."""
        parts: list[bytes] = []
        status: list[int] = []
        recorded = scope["type"] != "http"

        def record() -> None:
            nonlocal recorded
            if not recorded:
                recorded = True
                self._add(_recorded(scope, b"".join(parts), status))

        async def record_and_receive() -> Message:
            message = await receive()
            parts.append(message.get("body", b""))
            return message

        async def record_and_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                status.append(message["status"])
            elif message["type"] == "http.response.body" and not message.get("more_body"):
                record()  # before the client has the response, and may look for its request here
            await send(message)

        try:
            await self.app(scope, record_and_receive, record_and_send)
        except ConnectionError:
            status.clear()
            raise
        finally:
            record()

    def _add(self, request: RecordedRequest) -> None:
        if len(self._requests) == _MAX_REQUESTS:
            self._bytes -= len(self._requests[0].body)
        self._requests.append(request)
        self._bytes += len(request.body)
        while self._bytes > _MAX_BYTES:
            self._bytes -= len(self._requests.popleft().body)


def _recorded(scope: Scope, body: bytes, status: list[int]) -> RecordedRequest:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    headers.pop("authorization", None)
    has_secret = scope["path"].lower().startswith("/oauth/")
    return RecordedRequest(
        scope["method"],
        scope["path"],
        scope["query_string"].decode("latin-1"),
        headers,
        b"" if has_secret else body,
        status[0] if status else None,
    )
