"""What the Company of a test was asked, with secrets left out."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

import attrs

from wosdk_async.sandbox.faults.exchange import App, Message, Receive, Scope, Send

__all__ = ["RecordedRequest", "RequestRecorder"]

_MOST = 10_000  # requests kept


@attrs.frozen
class RecordedRequest:
    """A request as it came, and the status of its answer: None where there was none.

    ``query`` is the text behind the question mark. ``headers`` have lower-case names, and no
    ``authorization``; ``body`` is empty where credentials are sent.
    """

    method: str
    path: str
    query: str
    headers: dict[str, str] = attrs.field(repr=False)
    body: bytes = attrs.field(repr=False)
    status: int | None

    @property
    def json(self) -> Any:
        """What the body says. Raises ValueError when it is no JSON."""
        return json.loads(self.body)


@attrs.define(eq=False)
class RequestRecorder:
    """An application that notes what passes through it to another one."""

    app: App
    requests: deque[RecordedRequest] = attrs.field(factory=lambda: deque(maxlen=_MOST))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        parts: list[bytes] = []
        status: list[int] = []

        async def hear() -> Message:
            message = await receive()
            parts.append(message.get("body", b""))
            return message

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                status.append(message["status"])
            await send(message)

        try:
            await self.app(scope, hear, tell)
        except ConnectionError:
            status.clear()
            raise
        finally:
            if scope["type"] == "http":
                self.requests.append(_seen(scope, b"".join(parts), status))


def _seen(scope: Scope, body: bytes, status: list[int]) -> RecordedRequest:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    headers.pop("authorization", None)
    secret = scope["path"].lower().startswith("/oauth/")
    return RecordedRequest(
        scope["method"],
        scope["path"],
        scope["query_string"].decode("latin-1"),
        headers,
        b"" if secret else body,
        status[0] if status else None,
    )
