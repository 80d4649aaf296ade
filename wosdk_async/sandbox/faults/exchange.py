"""One request and its answer, with what a fault may do to them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, NoReturn

import attrs

from wosdk_async.sandbox.clock import Clock
from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.faults.connection import reset, transport_of

__all__ = ["App", "FaultExchange", "FaultyResponse", "Receive", "Scope", "Send"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Sequence[tuple[bytes, bytes]]


@attrs.frozen
class FaultyResponse:
    """An answer as the application gave it."""

    status: int
    headers: Headers = ()
    body: bytes = b""


@attrs.frozen
class FaultExchange:
    """A request that was read whole.

    Without a socket (ASGI in process) a broken connection is a ``ConnectionResetError`` of the application.

    Args:
        app: carries the request out.
        receive: gives the request once more, to ``app``.
        ended: returns when the connection is gone.
        refusal: the reply that the service gives for a refusal.
        earlier_id: the RequestId of an earlier response to another call, if there was one.
        expire_token: ends the life of the request's token.
        move: lets the request's Company move to another port.
        late: keeps what is carried out after the request is over.
    """

    app: App
    scope: Scope
    receive: Receive
    ended: Callable[[], Awaitable[None]]
    send: Send
    clock: Clock
    refusal: Callable[[Refusal], FaultyResponse]
    earlier_id: str | None
    expire_token: Callable[[], None]
    move: Callable[[], None]
    late: Callable[[Awaitable[None]], None]

    @property
    def gone(self) -> bool:
        """Whether the connection is known to be closed."""
        transport = transport_of(self.scope)
        return transport is not None and transport.is_closing()

    async def pass_on(self) -> None:
        await self.app(self.scope, self.receive, self.send)

    async def carry_out(self) -> FaultyResponse:
        """The reply of the application, which nobody has seen yet."""
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        await self.app(self.scope, self.receive, keep)
        body = b"".join(message.get("body", b"") for message in messages[1:])
        return FaultyResponse(messages[0]["status"], list(messages[0]["headers"]), body)

    async def hold(self, seconds: float | None) -> None:
        """Wait until the client hangs up, at most this long."""
        gone = asyncio.ensure_future(self.ended())
        waits = [gone] if seconds is None else [gone, asyncio.ensure_future(self.clock.sleep(seconds))]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.wait(waits)

    def later(self, seconds: float) -> None:
        """Carry the request out ``seconds`` from now, whatever becomes of the connection."""

        async def run() -> None:
            await self.clock.sleep(seconds)
            await self.carry_out()

        self.late(run())

    async def reply(self, reply: FaultyResponse) -> None:
        await self.begin(reply, reply.body)
        await self.end()

    async def begin(self, reply: FaultyResponse, part: bytes) -> None:
        """Send the head of a reply, announcing all of its body, and a part of that."""
        headers = [pair for pair in reply.headers if pair[0].lower() != b"content-length"]
        headers.append((b"content-length", str(len(reply.body)).encode()))
        await self.send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await self.more(part)

    async def more(self, part: bytes) -> None:
        await self.send({"type": "http.response.body", "body": part, "more_body": True})

    async def end(self) -> None:
        if not self.gone:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})

    async def reset(self) -> None:
        """Break the connection with a TCP RST."""
        transport = transport_of(self.scope)
        if transport is None:
            _broken("reset")
        reset(transport)
        await self.ended()

    async def close(self) -> None:
        """Close the connection in good order, once what was written has left."""
        transport = transport_of(self.scope)
        if transport is None:
            _broken("closed")
        transport.close()
        await self.ended()

    async def garbage(self, noise: bytes) -> None:
        """Write bytes that are no HTTP, and close."""
        transport = transport_of(self.scope)
        if transport is not None:
            transport.write(noise)
        await self.close()


def _broken(how: str) -> NoReturn:
    raise ConnectionResetError(f"The connection was {how} by a fault of the sandbox.")
