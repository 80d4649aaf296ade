"""Middleware that applies active faults before requests reach the application."""

from __future__ import annotations

from collections.abc import Callable

import attrs
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wosdk_async.sandbox.access import is_internal
from wosdk_async.sandbox.clock import Clock
from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.faults.exchange import BufferedResponse, FaultExchange
from wosdk_async.sandbox.faults.script import header, match_of
from wosdk_async.sandbox.faults.state import Faults
from wosdk_async.sandbox.storage.store import Store

INJECTED = "wosdk.injected"  # ASGI scope key for the list of injected fault kinds

_MAX_READ = 32 * 1024 * 1024  # bytes read for faults; the application reads the rest of a longer body
_MISMATCH = Refusal(400, "DATABASE_VERSION_MISMATCH", "This host does not serve the Company.")


@attrs.frozen
class FaultMiddleware:
    """ASGI middleware that applies active faults before requests reach ``app``."""

    app: ASGIApp
    faults: Faults
    store: Store
    clock: Clock
    expire_token: Callable[[str | None], None]
    refusal: Callable[[Refusal, str | None], BufferedResponse]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Apply the faults, then pass the request on unless a fault finished it."""
        if self.faults.idle or scope["type"] != "http" or is_internal(scope["path"], scope["method"]):
            await self.app(scope, receive, send)
            return
        messages = await _read(receive)
        if messages[-1]["type"] == "http.disconnect":  # without a whole request, no fault can be applied
            return
        body = b"".join(message.get("body", b"") for message in messages)
        owners = {company.client_id: company.name for company in self.store.companies()}
        request = match_of(scope, body, owners.get)
        generation = self.store.generation()
        exchange = FaultExchange(
            app=self.app,
            scope=scope,
            messages=messages,
            receive=receive,
            send=send,
            clock=self.clock,
            refusal=lambda refused: self.refusal(refused, request.request_id),
            earlier_id=self.faults.earlier_id(request.request_id),
            expire_token=lambda: self.expire_token(header(scope, b"authorization")),
            move=lambda: self.faults.moved_hosts.move(request, scope),
            late=self.faults.late,
            is_current=lambda: self.store.generation() == generation,
        )
        injected = scope.setdefault(INJECTED, [])
        if await self.faults.apply(request, exchange, injected):
            return
        if self.faults.moved_hosts.has_left(request, scope):
            injected.append("moved")
            await exchange.respond(exchange.refusal(_MISMATCH))
            return
        self.faults.moved_hosts.redirect(request, scope)
        await exchange.pass_on()
        self.faults.note_response(request.request_id)


async def _read(receive: Receive) -> list[Message]:
    kept, size, more = [], 0, True
    while more and size <= _MAX_READ:
        message = await receive()
        kept.append(message)
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    return kept
