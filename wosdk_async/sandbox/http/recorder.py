"""Requests received by a sandbox, without secrets."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any, Never, overload

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
        status: response status; None until a response starts.
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


@attrs.frozen(eq=False)
class RecordedRequests(Sequence[RecordedRequest]):
    """All requests so far, oldest first.

    Dropped requests still count and keep their positions. Accessing a dropped request raises RuntimeError,
    because a test that misses requests could pass by mistake.

    Attributes:
        stored: the most recent requests, at most 10,000, with at most 64 MiB of bodies in total.
    """

    stored: tuple[RecordedRequest, ...] = ()
    _dropped: int = 0

    def __len__(self) -> int:
        return self._dropped + len(self.stored)

    @overload
    def __getitem__(self, index: int) -> RecordedRequest: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RecordedRequest, ...]: ...
    def __getitem__(self, index: int | slice) -> RecordedRequest | tuple[RecordedRequest, ...]:
        found = range(len(self))[index]
        places = found if isinstance(found, range) else (found,)
        if places and min(places[0], places[-1]) < self._dropped:
            self._refuse()
        picked = tuple(self.stored[place - self._dropped] for place in places)
        return picked if isinstance(found, range) else picked[0]

    def __iter__(self) -> Iterator[RecordedRequest]:
        if self._dropped:
            self._refuse()
        return iter(self.stored)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RecordedRequests):
            return (self._dropped, self.stored) == (other._dropped, other.stored)
        return isinstance(other, tuple | list) and not self._dropped and self.stored == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def _refuse(self) -> Never:
        raise RuntimeError(
            f"The first {self._dropped} of {len(self)} requests are no longer stored. Use only later ones, as"
            " in requests[before:], or call clear_requests() before each test."
        )


@attrs.define(eq=False)
class RequestRecorder:
    """ASGI middleware that records the requests to ``app``."""

    app: ASGIApp
    _stored: deque[RecordedRequest] = attrs.field(factory=deque)
    _count: int = 0
    _bytes: int = 0
    _lock: Lock = attrs.field(factory=Lock)  # the server and the test have their own threads

    @property
    def requests(self) -> RecordedRequests:
        """The requests so far."""
        with self._lock:
            return RecordedRequests(tuple(self._stored), self._count - len(self._stored))

    def clear(self) -> None:
        """Forget the requests so far."""
        with self._lock:
            self._stored.clear()
            self._count = self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Record a request once it has arrived; add the response status later."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        parts: list[bytes] = []
        kept: list[RecordedRequest] = []

        def record() -> RecordedRequest:
            if not kept:
                kept.append(_recorded(scope, b"".join(parts)))
                self._add(kept[0])
            return kept[0]

        async def record_and_receive() -> Message:
            message = await receive()
            parts.append(message.get("body", b""))
            if not message.get("more_body"):
                record()  # before the client can get the response and look the request up
            return message

        async def record_and_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                object.__setattr__(record(), "status", message["status"])
            await send(message)

        try:
            await self.app(scope, record_and_receive, record_and_send)
        finally:
            record()  # needed if the application did not read the whole body

    def _add(self, request: RecordedRequest) -> None:
        with self._lock:
            self._stored.append(request)
            self._count += 1
            self._bytes += len(request.body)
            while len(self._stored) > _MAX_REQUESTS or self._bytes > _MAX_BYTES:
                self._bytes -= len(self._stored.popleft().body)


def _recorded(scope: Scope, body: bytes) -> RecordedRequest:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    headers.pop("authorization", None)
    has_secret = scope["path"].lower().startswith("/oauth/")
    return RecordedRequest(
        scope["method"],
        scope["path"],
        scope["query_string"].decode("latin-1"),
        headers,
        b"" if has_secret else body,
        None,
    )
