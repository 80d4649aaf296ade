"""Middleware that lets requests meet the faults in force on their way to the application."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import attrs

from wosdk_async.sandbox.clock import Clock
from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.faults.exchange import App, FaultExchange, FaultyResponse, Receive, Scope, Send
from wosdk_async.sandbox.faults.rules import Faults
from wosdk_async.sandbox.faults.target import header, target_of
from wosdk_async.sandbox.http.auth import Tokens
from wosdk_async.sandbox.http.internal_paths import is_aside
from wosdk_async.sandbox.storage.store import Store

__all__ = ["FaultMiddleware"]

_MAX_READ = 32 * 1024 * 1024  # bytes; of a longer body the rest is left to the application
_MISMATCH = Refusal(400, "DATABASE_VERSION_MISMATCH", "This host does not serve the Company.")


@attrs.frozen
class FaultMiddleware:
    """Middleware: requests reach ``app`` as the faults in force let them.

    Args:
        refusal: the reply that the service gives for a refusal of a request with this RequestId.
    """

    app: App
    faults: Faults
    store: Store
    tokens: Tokens
    clock: Clock
    refusal: Callable[[Refusal, str | None], FaultyResponse]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.faults.idle or scope["type"] != "http" or is_aside(scope["path"], scope["method"]):
            await self.app(scope, receive, send)
            return
        body, again = await _read(receive)
        target = target_of(scope, body, self._owner)
        exchange = FaultExchange(
            self.app,
            scope,
            again,
            partial(_ended, receive),
            send,
            self.clock,
            lambda refused: self.refusal(refused, target.request_id),
            self.faults.earlier_id(target.request_id),
            lambda: self.tokens.expire(header(scope, b"authorization")),
            lambda: self.faults.homes.move(target, scope),
            self._late,
        )
        for strike in self.faults.strike(target):
            if await strike.play(exchange):
                return
        if self.faults.homes.wrong(target, scope):
            await exchange.reply(exchange.refusal(_MISMATCH))
            return
        self.faults.homes.redirect(target, scope)
        await exchange.pass_on()
        self.faults.note_answered(target.request_id)

    def _owner(self, client_id: str) -> str | None:
        owners = (company.name for company in self.store.companies() if company.client_id == client_id)
        return next(owners, None)

    def _late(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self.faults.late.add(task)
        task.add_done_callback(self.faults.late.discard)


async def _read(receive: Receive) -> tuple[bytes, Receive]:
    """The body, and a ``receive`` that gives it once more."""
    kept, size, more = [], 0, True
    while more and size <= _MAX_READ:
        message = await receive()
        kept.append(message)
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    first = iter(kept)

    async def again() -> Any:
        for message in first:
            return message
        return await receive()

    return b"".join(message.get("body", b"") for message in kept), again


async def _ended(receive: Receive) -> None:
    """Until the connection is gone: uvicorn then expects no answer."""
    while (await receive())["type"] != "http.disconnect":
        pass
