"""A read that nobody waits for is cancelled; everything else runs to its end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from wosdk_async.web.asgi import CancelAbandonedReads

GONE = {"type": "http.disconnect"}
START = {"type": "http.response.start", "status": 200, "headers": []}


class Server:
    """One request as a server gives it to an application."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self.inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent: list[dict[str, Any]] = []
        for message in ({"type": "http.request", "body": b"", "more_body": False}, *messages):
            self.inbox.put_nowait(message)

    async def send(self, message: Any) -> None:
        self.sent.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            self.inbox.put_nowait(GONE)  # as uvicorn does

    async def run(self, app: Any, method: str = "GET", kind: str = "http") -> None:
        await CancelAbandonedReads(app)({"type": kind, "method": method}, self.inbox.get, self.send)


class Handler:
    """An application that waits, and notes how it ended."""

    def __init__(self) -> None:
        self.ended = ""
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            self.begun.set()
            assert (await receive())["type"] == "http.request"
            await self.go_on.wait()
            await send(START)
            await send({"type": "http.response.body", "body": b"x", "more_body": False})
            for _ in range(5):
                await asyncio.sleep(0)  # a background task after the response
            self.ended = "done"
        except asyncio.CancelledError:
            self.ended = "cancelled"
            raise


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_read_is_cancelled_when_its_client_goes(method: str) -> None:
    handler, server = Handler(), Server(GONE)
    await server.run(handler, method)
    assert (handler.ended, server.sent) == ("cancelled", [])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
async def test_a_write_runs_on(method: str) -> None:
    """Cancelled, it would be in doubt."""
    handler, server = Handler(), Server(GONE)
    handler.go_on.set()
    await server.run(handler, method)
    assert handler.ended == "done"


async def test_what_follows_a_complete_response_runs_on() -> None:
    handler, server = Handler(), Server()
    handler.go_on.set()
    await server.run(handler)
    assert handler.ended == "done"


async def test_an_error_of_the_application_comes_out() -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        await Server().run(broken)


async def test_a_server_that_cancels_the_request_cancels_the_application() -> None:
    handler = Handler()
    request = asyncio.ensure_future(Server().run(handler))
    await handler.begun.wait()
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    assert handler.ended == "cancelled"


async def test_other_kinds_of_connections_pass() -> None:
    kinds: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        kinds.append(scope["type"])

    await Server().run(app, kind="lifespan")
    assert kinds == ["lifespan"]
