"""HTTP/2 over httpx and httpx2, against a server that speaks nothing else."""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, Event, RequestReceived, StreamEnded

from tests.engine.conftest import serving
from tests.engine.raw import RawServer
from tests.support.service import Service
from wosdk_async import Client, ConfigurationError, Customer
from wosdk_async.options import ClientOptions
from wosdk_async.protocol.wire import InconclusiveResponse, Response
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.selection import HttpEngine, engine_for


class Http2:
    """Responses with path and body; resets requests to ``/reset``, holds those to ``/held`` until ``/go``."""

    def __init__(self) -> None:
        self.protocols: list[str | None] = []
        self.holds = asyncio.Event()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.protocols.append(writer.get_extra_info("ssl_object").selected_alpn_protocol())
        h2 = H2Connection(H2Configuration(client_side=False))
        h2.initiate_connection()
        bodies: dict[int, bytes] = {}
        writer.write(h2.data_to_send())
        while data := await reader.read(65536):
            for event in h2.receive_data(data):
                if isinstance(event, StreamEnded) and bodies[event.stream_id] == b"/held":
                    self.holds.set()
                    continue
                response(h2, event, bodies)
            writer.write(h2.data_to_send())


def response(h2: H2Connection, event: Event, bodies: dict[int, bytes]) -> None:
    if isinstance(event, RequestReceived):
        bodies[event.stream_id] = dict(event.headers)[b":path"]
    elif isinstance(event, DataReceived):
        bodies[event.stream_id] += event.data
    elif isinstance(event, StreamEnded):
        stream, body = event.stream_id, bodies.pop(event.stream_id)
        if body.startswith(b"/reset"):
            h2.reset_stream(stream)
            return
        ready = [stream]
        if body == b"/go":
            ready += [held for held, path in bodies.items() if path == b"/held"]
        for each in ready:
            h2.send_headers(each, [(":status", "200"), ("x-a", "b")])
            h2.send_data(each, bodies.pop(each, body), end_stream=True)


def offering(path: Path) -> ssl.SSLContext:
    context = serving(path)
    context.set_alpn_protocols(["h2"])
    return context


@pytest.fixture
async def made(library: Any, certificates: dict[str, Path]) -> AsyncIterator[HttpEngine]:
    trusted = ssl.create_default_context(cafile=certificates["here"])
    engine = engine_for(ClientOptions(http2=True, ssl_context=trusted))
    yield engine
    await engine.aclose()


async def test_requests_and_responses(made: HttpEngine, certificates: dict[str, Path]) -> None:
    """One connection for requests one after the other; more for those at once."""
    speaking = Http2()
    async with RawServer(speaking, offering(certificates["here"])) as server:
        for n in range(3):
            sent: list[int] = []
            response = await made.send("POST", f"{server.url}/{n}", (), b"-body", lambda: sent.append(1))  # noqa: B023
            assert (response.status, response.headers["x-a"], sent) == (200, "b", [1])
            assert response.body == b"/%d-body" % n
        assert speaking.protocols == ["h2"]
        urls = [f"{server.url}/{n}" for n in range(3)]
        await asyncio.gather(*(made.send("GET", url, (), None, lambda: None) for url in urls))
        assert speaking.protocols == ["h2"] * 3
        await made.aclose()


@pytest.mark.parametrize("bad", ["/page", "/reset"])
async def test_others_on_the_connection_of_a_bad_response(
    library: Any, bad: str, certificates: dict[str, Path]
) -> None:
    """A client of the program sends all over one connection: what is not believed ends one call alone."""
    trusted = ssl.create_default_context(cafile=certificates["here"])

    def unreadable(response: Response) -> Any:
        raise InconclusiveResponse(response.status, "not the service's")

    def body(response: Response) -> bytes:
        return response.body

    speaking = Http2()
    async with (
        RawServer(speaking, offering(certificates["here"])) as server,
        library.AsyncClient(http2=True, verify=trusted, trust_env=False) as client,
    ):
        engine = engine_for(ClientOptions(http_client=client))

        def post(path: str, read: Callable[[Response], Any]) -> Coroutine[Any, Any, Any]:
            return engine.send("POST", f"{server.url}{path}", (), b"", lambda: None, False, read)

        await post("/first", body)
        held = asyncio.create_task(post("/held", body))
        await speaking.holds.wait()
        with pytest.raises((InconclusiveResponse, SendError)):
            await post(bad, unreadable)
        assert await post("/go", body) == b"/go"
        assert await held == b"/held"
        assert speaking.protocols == ["h2"]


async def test_verdicts(made: HttpEngine, certificates: dict[str, Path]) -> None:
    """A stream that was reset may have been carried out; a connection that never was, not."""
    async with RawServer(Http2(), offering(certificates["here"])) as server:
        with pytest.raises(SendError) as reset:
            await made.send("POST", f"{server.url}/reset", (), b"{}", lambda: None)
    with pytest.raises(SendError) as refused:
        await made.send("POST", server.url, (), b"{}", lambda: pytest.fail("sent"))
    assert (reset.value.sent, refused.value.sent) == (True, False)


async def test_the_words_of_a_farewell_are_not_shown(made: HttpEngine, certificates: dict[str, Path]) -> None:
    """h2 shows what a peer says when it closes in hexadecimal digits: it may repeat the token."""

    async def farewell(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        h2 = H2Connection(H2Configuration(client_side=False))
        h2.initiate_connection()
        writer.write(h2.data_to_send())
        while not any(
            isinstance(event, RequestReceived) for event in h2.receive_data(await reader.read(65536))
        ):
            pass
        h2.close_connection(error_code=1, additional_data=b"a-token-of-many-characters")
        writer.write(h2.data_to_send())

    async with RawServer(farewell, offering(certificates["here"])) as server:
        with pytest.raises(SendError, match="ConnectionTerminated error_code:1, last_stream_id:") as caught:
            await made.send("POST", f"{server.url}/a", (), b"{}", lambda: None)
    assert "additional_data" not in str(caught.value)
    assert b"a-token".hex() not in str(caught.value)


async def test_a_service_without_http2(library: Any, certificates: dict[str, Path]) -> None:
    """It is an offer: the call goes over HTTP/1.1 then."""
    trusted = ssl.create_default_context(cafile=certificates["here"])
    async with Service(context=serving(certificates["here"])) as service:
        async with service.client(http2=True, ssl_context=trusted) as client:
            assert (await client.company().get(Customer, 1)).id == 1


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Said when the client is made, with what to install."""
    monkeypatch.setitem(sys.modules, "h2", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'wosdk_async\[http2\]'"):
        Client(http2=True)
