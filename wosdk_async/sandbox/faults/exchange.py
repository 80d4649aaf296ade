"""Actions of a fault on a request, its response and its connection."""

from __future__ import annotations

import asyncio
import math
import socket
import struct
from collections.abc import Callable, Sequence
from typing import Any, cast

import attrs
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from wosdk_async.sandbox.clock import Clock
from wosdk_async.sandbox.errors import Refusal

_EXTENSION = "wosdk.transport"
_SECOND = 10**9
_NO_LINGER = struct.pack("ii", 1, 0)  # makes close() drop unsent bytes and send a RST


class ClientConnection(HttpToolsProtocol):
    """uvicorn connection that adds its transport to the scope, because ASGI cannot break connections."""

    def on_message_begin(self) -> None:
        """Start a request, and put the transport into its scope."""
        super().on_message_begin()
        scope = cast("dict[str, Any]", self.scope)
        scope["extensions"] = {_EXTENSION: self.transport}


@attrs.frozen
class BufferedResponse:
    """Complete response from the application or a fault."""

    status: int
    headers: Sequence[tuple[bytes, bytes]] = attrs.field(default=(), repr=False)
    body: bytes = attrs.field(default=b"", repr=False)  # hidden in the repr, because it may contain a token


@attrs.frozen(kw_only=True)
class FaultExchange:
    """A fully read request, with the actions that a fault can take on request, response and connection.

    Without a socket (in-process ASGI), breaking the connection raises ``ConnectionResetError`` in the caller
    of the ASGI application.
    """

    app: ASGIApp
    scope: Scope = attrs.field(repr=False)
    messages: Sequence[Message] = attrs.field(repr=False)  # the whole request, with its secrets
    receive: Receive  # for messages after the request
    send: Send
    clock: Clock
    refusal: Callable[[Refusal], BufferedResponse]
    earlier_id: str | None  # RequestId of an earlier response to another call
    expire_token: Callable[[], None]
    move: Callable[[], None]
    late: set[asyncio.Future[None]]  # requests carried out after their connection closed
    is_current: Callable[[], bool]  # False if the Companies were reset after the request arrived

    @property
    def closed(self) -> bool:
        """Whether the connection is known to be closed."""
        transport = self._transport
        return transport is not None and transport.is_closing()

    async def pass_on(self) -> None:
        """Let the application respond normally."""
        await self.app(self.scope, self._replayed(), self.send)

    async def carry_out(self) -> BufferedResponse:
        """Let the application carry out the request, and return the response without sending it."""
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        await self.app(self.scope, self._replayed(), keep)
        body = b"".join(message.get("body", b"") for message in messages[1:])
        return BufferedResponse(messages[0]["status"], list(messages[0]["headers"]), body)

    def carry_out_later(self, due: int) -> None:
        """Carry out the request at ``due`` (nanoseconds), unless the Companies are reset first."""

        async def run() -> None:
            await self.clock.sleep((due - self.clock()) / _SECOND)
            if self.is_current():
                await self.carry_out()

        task = asyncio.ensure_future(run())
        self.late.add(task)
        task.add_done_callback(self.late.discard)

    async def delay(self, seconds: float) -> bool:
        """Wait. If the Companies are reset during the wait, reset the connection and return True."""
        await self.clock.sleep(seconds)
        if self.is_current():
            return False
        await self.reset("The Company was reset during the request.")
        return True

    async def wait_closed(self) -> None:
        """Wait until the connection is closed, after which uvicorn expects no response."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def wait_for_hang_up(self, limit: float | None) -> int:
        """Wait up to ``limit`` seconds for the client to close the connection.

        Return the time at which the wait ended, in nanoseconds; never past the limit, even if the clock
        jumped.
        """
        latest = math.inf if limit is None else self.clock() + int(limit * _SECOND)
        closed = asyncio.ensure_future(self.wait_closed())
        waits = [closed] if limit is None else [closed, asyncio.ensure_future(self.clock.sleep(limit))]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.wait(waits)
        return int(min(self.clock(), latest))

    async def respond(self, response: BufferedResponse) -> None:
        """Send a complete response."""
        await self.start_response(response, response.body)
        await self.end_response()

    async def start_response(self, response: BufferedResponse, part: bytes) -> None:
        """Send a response head with the full content length, and a part of the body."""
        headers = [pair for pair in response.headers if pair[0].lower() != b"content-length"]
        headers.append((b"content-length", str(len(response.body)).encode()))
        await self.send({"type": "http.response.start", "status": response.status, "headers": headers})
        await self.send_part(part)

    async def send_part(self, part: bytes) -> None:
        """Send another part of the body."""
        await self.send({"type": "http.response.body", "body": part, "more_body": True})

    async def end_response(self) -> None:
        """End the body if the client has not closed the connection."""
        if not self.closed:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})

    async def reset(self, why: str = "The connection was reset by a sandbox fault.") -> None:
        """Break the connection with a TCP RST; without a socket, raise an error with the text ``why``."""
        transport = self._require_transport(why)
        sock = transport.get_extra_info("socket")
        if sock is not None and sock.fileno() >= 0:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        transport.abort()
        await self.wait_closed()

    async def close(self) -> None:
        """Close the connection cleanly, after sending all written bytes."""
        self._require_transport("The connection was closed by a sandbox fault.").close()
        await self.wait_closed()

    async def send_garbage(self, noise: bytes) -> None:
        """Write bytes that are not HTTP, then close the connection."""
        if self._transport is not None:
            self._transport.write(noise)
        await self.close()

    def _replayed(self) -> Receive:
        """Return a ``receive`` function that replays the request's messages, then receives new ones."""
        unread = iter(self.messages)

        async def receive() -> Message:
            for message in unread:
                return message
            return await self.receive()

        return receive

    @property
    def _transport(self) -> asyncio.Transport | None:
        return cast("asyncio.Transport | None", self.scope.get("extensions", {}).get(_EXTENSION))

    def _require_transport(self, why: str) -> asyncio.Transport:
        if self._transport is None:
            raise ConnectionResetError(why)
        return self._transport
