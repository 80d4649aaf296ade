"""Middleware that notes requests and answers as they pass, and changes nothing of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from itertools import islice

import attrs
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wosdk_async.sandbox.console.request_log import MAX_HEADERS, Headers, LoggedExchange, RequestLog
from wosdk_async.sandbox.http.internal_paths import is_aside

__all__ = ["Recorder"]

_MAX_PATH = 2000
_MAX_VALUE = 2000  # bytes of a header


@attrs.frozen
class Recorder:
    """Middleware: what reaches ``app``, and what the caller is sent, goes into the log while that is on.

    Args:
        clock: nanoseconds since 1970.
    """

    app: ASGIApp
    log: RequestLog
    clock: Callable[[], int]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self.log.on or scope["type"] != "http" or is_aside(scope["path"], scope["method"]):
            await self.app(scope, receive, send)
            return
        exchange = self.log.begin(self.clock(), scope["method"], _path(scope), _bounded(scope["headers"]))
        started = time.perf_counter()
        exchange.broken = True  # until the last byte of the answer says otherwise
        try:
            await self.app(scope, _listening(exchange, receive), _telling(exchange, send))
        finally:
            exchange.seconds = time.perf_counter() - started


def _listening(exchange: LoggedExchange, receive: Receive) -> Receive:
    async def heard() -> Message:
        message = await receive()
        if message["type"] == "http.request":
            exchange.request.add(message.get("body", b""))
        return message

    return heard


def _telling(exchange: LoggedExchange, send: Send) -> Send:
    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            exchange.status = message["status"]
            exchange.reply_headers = _bounded(message.get("headers", ()))
        else:
            exchange.reply.add(message.get("body", b""))
            exchange.broken = message.get("more_body", False)
        await send(message)

    return told


def _path(scope: Scope) -> str:
    path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1").partition("?")[0]
    query = scope["query_string"].decode("latin-1")
    return (f"{path}?{query}" if query else path)[:_MAX_PATH]


def _bounded(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    return [(name, value[:_MAX_VALUE]) for name, value in islice(headers, MAX_HEADERS)]
