"""HTTP/2 by a program's own client of httpx or httpx2, against a server that speaks nothing else."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, Event, RequestReceived, StreamEnded

from tests.engine.conftest import serving
from tests.engine.raw import RawServer
from wosdk_async.options import ClientOptions
from wosdk_async.protocol.wire import InconclusiveResponse, Response
from wosdk_async.transport.http.engine import Request, SendError
from wosdk_async.transport.http.selection import engine_for

TOKEN = "a-token-of-many-characters"

pytestmark = pytest.mark.plain("its servers offer a protocol")


def offering(path: Path) -> ssl.SSLContext:
    context = serving(path)
    context.set_alpn_protocols(["h2"])
    return context


@pytest.fixture
async def client(library: Any, certificates: dict[str, Path]) -> AsyncIterator[Any]:
    trusted = ssl.create_default_context(cafile=certificates["here"])
    async with library.AsyncClient(http2=True, verify=trusted, trust_env=False) as made:
        yield made


class Http2:
    """Responses with the body of the request; holds those to ``/held`` until ``/go``, resets ``/reset``."""

    def __init__(self) -> None:
        self.connections = 0
        self.holds = asyncio.Event()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        h2 = H2Connection(H2Configuration(client_side=False))
        h2.initiate_connection()
        bodies: dict[int, bytes] = {}
        writer.write(h2.data_to_send())
        while data := await reader.read(65536):
            for event in h2.receive_data(data):
                if isinstance(event, StreamEnded) and bodies[event.stream_id] == b"/held":
                    self.holds.set()
                else:
                    self.respond(h2, event, bodies)
            writer.write(h2.data_to_send())

    def respond(self, h2: H2Connection, event: Event, bodies: dict[int, bytes]) -> None:
        if isinstance(event, RequestReceived):
            bodies[event.stream_id] = dict(event.headers)[b":path"]
        elif isinstance(event, DataReceived):
            bodies[event.stream_id] += event.data
        elif isinstance(event, StreamEnded):
            body = bodies.pop(event.stream_id)
            if body.startswith(b"/reset"):
                h2.reset_stream(event.stream_id)
                return
            held = [stream for stream in bodies if body == b"/go"]
            for stream in (event.stream_id, *held):
                h2.send_headers(stream, [(":status", "200"), ("x-a", "b")])
                h2.send_data(stream, bodies.pop(stream, body), end_stream=True)


@pytest.mark.parametrize("bad", ["/page", "/reset"])
async def test_a_bad_response_ends_one_call_of_its_connection(
    client: Any, bad: str, certificates: dict[str, Path]
) -> None:
    """The client sends all calls over one connection. A reset may come after the call was carried out."""

    def unreadable(response: Response) -> Any:
        raise InconclusiveResponse(response.status, "not the service's")

    def body(response: Response) -> bytes:
        return response.body

    speaking = Http2()
    async with RawServer(speaking, offering(certificates["here"])) as server:
        engine = engine_for(ClientOptions(http_client=client))

        def post(path: str, read: Callable[[Response], Any]) -> Coroutine[Any, Any, Any]:
            return engine.send(Request("POST", f"{server.url}{path}", (), b"", read=read))

        await post("/first", body)
        held = asyncio.create_task(post("/held", body))
        await speaking.holds.wait()
        with pytest.raises((InconclusiveResponse, SendError)) as caught:
            await post(bad, unreadable)
        assert getattr(caught.value, "sent", True)
        assert await post("/go", body) == b"/go"
        assert await held == b"/held"
    assert speaking.connections == 1


async def test_the_last_message_of_a_server_is_not_shown(client: Any, certificates: dict[str, Path]) -> None:
    """h2 quotes it in hexadecimal digits, and it may repeat the token."""

    async def goodbye(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        h2 = H2Connection(H2Configuration(client_side=False))
        h2.initiate_connection()
        writer.write(h2.data_to_send())
        while not any(
            isinstance(event, RequestReceived) for event in h2.receive_data(await reader.read(65536))
        ):
            pass
        h2.close_connection(error_code=1, additional_data=TOKEN.encode())
        writer.write(h2.data_to_send())

    async with RawServer(goodbye, offering(certificates["here"])) as server:
        engine = engine_for(ClientOptions(http_client=client))
        with pytest.raises(SendError, match="ConnectionTerminated error_code:1, last_stream_id:") as caught:
            await engine.send(Request("POST", f"{server.url}/a", (), b"{}"))
    assert "additional_data" not in str(caught.value)
    assert TOKEN.encode().hex() not in str(caught.value)


class Trailing(Http2):
    """Responses longer than the window of a stream, with headers after the body."""

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        h2 = H2Connection(H2Configuration(client_side=False))
        h2.initiate_connection()
        writer.write(h2.data_to_send())
        left: dict[int, int] = {}
        while data := await reader.read(65536):
            for event in h2.receive_data(data):
                if isinstance(event, StreamEnded):
                    h2.send_headers(event.stream_id, [(":status", "200"), ("x-a", "b")])
                    left[event.stream_id] = 100_000
            for stream in list(left):
                while size := min(
                    h2.local_flow_control_window(stream), h2.max_outbound_frame_size, left[stream]
                ):
                    h2.send_data(stream, bytes(size))
                    left[stream] -= size
                if not left[stream]:
                    h2.send_headers(stream, [("x-last", TOKEN)], end_stream=True)
                    del left[stream]
            writer.write(h2.data_to_send())


class OfThisTask(logging.Handler):
    """The records of one task: the server of the test logs, too."""

    def __init__(self) -> None:
        super().__init__()
        self.task = asyncio.current_task()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if asyncio.current_task() is self.task:
            self.texts.append(record.getMessage())


async def test_the_token_is_in_no_log(
    client: Any, certificates: dict[str, Path], caplog: pytest.LogCaptureFixture
) -> None:
    """hpack logs headers in a form that can be decoded: not those of our requests."""
    caplog.set_level(logging.DEBUG)
    logged = OfThisTask()
    logging.getLogger("hpack").addHandler(logged)
    try:
        async with RawServer(Trailing(), offering(certificates["here"])) as server:
            engine = engine_for(ClientOptions(http_client=client))
            headers = (("Authorization", f"Bearer {TOKEN}"),)
            await engine.send(Request("POST", f"{server.url}/a", headers, b"{}"))
            async with engine.stream(f"{server.url}/file") as response:
                async for _ in response.chunks:
                    pass
            assert not logged.texts
            await client.post(f"{server.url}/mine")
    finally:
        logging.getLogger("hpack").removeHandler(logged)
    assert any("Encoded header block" in text for text in logged.texts), "those of the program stay"
