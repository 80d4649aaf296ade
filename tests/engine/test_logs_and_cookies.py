"""What httpx and httpx2 keep and log: no cookie goes to another Company, and no log shows what is signed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import StreamEnded

from tests.documents.storage import Storage, answer
from tests.engine.raw import RawServer, responding
from tests.engine.test_http2 import Http2, offering
from tests.support.service import Answer, Request, Service
from wosdk_async.httpx_family import CORES
from wosdk_async.options import ClientOptions
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.selection import engine_for

SIGNED = "X-Signature=5ecre7ly51gned"


def with_cookie(make: Callable[[Request], Answer]) -> Callable[[Request], Answer]:
    def answer(request: Request) -> Answer:
        made = make(request)
        name = request.headers.get("companyname", "token")
        return Answer(made.status, made.body, {"Set-Cookie": f"of-{name[0]}=1; Path=/"})

    return answer


@pytest.mark.parametrize("own", ["http_client", "transport"])
async def test_no_cookie_goes_from_one_company_to_another(library: Any, own: str) -> None:
    """Not with its log-in, and not with its calls; the user's own cookies go along, those set later too."""
    async with Service() as service, library.AsyncHTTPTransport() as transport:
        service.on_token = with_cookie(service.on_token)
        service.on_discovery = with_cookie(service.on_discovery)
        service.handler = with_cookie(service.handler)
        http = library.AsyncClient(cookies={"mine": "1"})
        settings: dict[str, Any] = {own: http if own == "http_client" else transport}
        async with http, service.client(**settings) as client:
            for name in ("A", "B"):
                await client.company(name).get("Thing", 1)
            http.cookies.set("later", "1")
            await client.company("A").get("Thing", 1)
        kept = dict(http.cookies)
    sent = [each.headers.get("cookie") for each in (*service.tokens, *service.discoveries, *service.calls)]
    if own == "transport":
        assert set(sent) == {None}
    else:
        assert sent == ["mine=1"] * 6 + ["mine=1; later=1"]
        assert kept == {"mine": "1", "later": "1"}


async def test_what_a_storage_sets_stays_there(library: Any) -> None:
    """A cookie that comes with a file is not kept either."""
    async with Storage(answer(b"bytes", Set_Cookie="evil=1")) as storage, Service() as service:
        service.handler = lambda _: Answer(
            body={"CommandResult": {"Results": [{"DocumentId": 7, "Url": f"{storage.url}/file"}]}}
        )
        async with library.AsyncClient() as http, service.client(http_client=http) as client:
            assert await client.company().documents.download(7) == b"bytes"
            assert not http.cookies


@pytest.mark.parametrize("way", ["native", "http_client", "transport", "http2"])
async def test_the_address_of_a_file_is_in_no_log(
    library: Any, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is signed; the address of a redirect is, too. What the program itself sends is logged as ever."""
    caplog.set_level(logging.DEBUG)
    redirect = answer(status=302, Location=f"/other?{SIGNED}", Set_Cookie=SIGNED)
    async with (
        Storage(redirect, answer(b"bytes")) as storage,
        Service() as service,
        library.AsyncClient() as http,
        library.AsyncHTTPTransport() as transport,
    ):
        service.handler = lambda _: Answer(
            body={"CommandResult": {"Results": [{"DocumentId": 7, "Url": f"{storage.url}/a?{SIGNED}"}]}}
        )
        settings: dict[str, Any] = {
            "native": {},
            "http_client": {"http_client": http},
            "transport": {"transport": transport},
            "http2": {"http2": True},
        }[way]
        async with service.client(**settings) as client:
            assert await client.company().documents.download(7) == b"bytes"
        texts = [record.getMessage() for record in caplog.records]
        assert not [text for text in texts if "5ecre7ly" in text]
        if settings and way != "http2":
            assert [text for text in texts if f'HTTP Request: GET {storage.url}/*** "HTTP/1.1 302' in text]
        caplog.clear()
        await http.get(f"{storage.url}/mine?a=b")
        texts = [record.getMessage() for record in caplog.records]
        assert [text for text in texts if f"{storage.url}/mine?a=b" in text]
        assert [text for text in texts if "receive_response_headers.complete return_value=" in text]


TOKEN = "a-token-of-many-characters"


def quoting(text: str, way: str) -> bytes:
    """A response with ``text`` in its reason, or in the line before a chunk of its body."""
    if way == "reason":
        return f"HTTP/1.1 400 {text}\r\nContent-Length: 2\r\n\r\n{{}}".encode()
    chunks = f"2\r\n{{}}\r\n{text}\r\n\r\n"
    return f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}".encode()


@pytest.mark.parametrize("where", ["reason", "chunk"])
@pytest.mark.parametrize("own", ["http_client", "transport", "http2"])
async def test_what_a_response_repeats_is_in_no_log(
    library: Any, own: str, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Not the token of a call and not the address of a file: as the reason, or in a body that is broken."""
    caplog.set_level(logging.DEBUG)
    async with (
        RawServer(responding(quoting(TOKEN, where))) as server,
        RawServer(responding(quoting(SIGNED, where))) as storage,
        library.AsyncClient() as http,
        library.AsyncHTTPTransport() as transport,
    ):
        options = {
            "http_client": ClientOptions(http_client=http),
            "transport": ClientOptions(transport=transport),
            "http2": ClientOptions(http2=True),
        }[own]
        engine = engine_for(options)
        with contextlib.suppress(SendError):
            await engine.send("POST", server.url, (("Authorization", TOKEN),), b"{}", lambda: None)
        with contextlib.suppress(SendError):
            async with engine.stream(f"{storage.url}/a?{SIGNED}") as response:
                async for _ in response.chunks:
                    logging.getLogger(f"{CORES[library.__name__]}.http11").debug("receive_x.y of the program")
        await engine.aclose()
    texts = [record.getMessage() for record in caplog.records]
    assert not [text for text in texts if TOKEN in text or "5ecre7ly" in text]
    assert [text for text in texts if "receive_response_body.started ***" in text]
    assert [text for text in texts if "receive_x.y of the program" in text]
    if own != "http2" and where == "reason":
        assert len([text for text in texts if text.endswith('"HTTP/1.1 400 Bad Request"')]) == 2


def draining(library: Any) -> Any:
    """A transport that reads the rest of a body when it is closed: its connection can be used again."""

    class Drained(library.AsyncByteStream):
        def __init__(self, body: Any) -> None:
            self.body = body

        def __aiter__(self) -> AsyncIterator[bytes]:
            return aiter(self.body)

        async def aclose(self) -> None:
            with contextlib.suppress(library.RemoteProtocolError):
                async for _ in self.body:
                    pass
            await self.body.aclose()

    class Draining(library.AsyncHTTPTransport):
        async def handle_async_request(self, request: Any) -> Any:
            response = await super().handle_async_request(request)
            response.stream = Drained(response.stream)
            return response

    return Draining()


async def test_what_is_read_to_close_a_response_is_in_no_log(
    library: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Transport of the user's own that reads the rest of a response."""
    caplog.set_level(logging.DEBUG)
    async with RawServer(responding(quoting(SIGNED, "chunk"))) as storage, draining(library) as transport:
        engine = engine_for(ClientOptions(transport=transport))
        async with engine.stream(f"{storage.url}/a?{SIGNED}") as response:
            assert response.status == 200
    texts = [record.getMessage() for record in caplog.records]
    assert [text for text in texts if "receive_response_body.failed ***" in text]
    assert not [text for text in texts if "5ecre7ly" in text]


class OfThisTask(logging.Handler):
    """The records that a task makes itself: the server of the test logs as well."""

    def __init__(self) -> None:
        super().__init__()
        self.task = asyncio.current_task()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if asyncio.current_task() is self.task:
            self.texts.append(record.getMessage())


class Trailing(Http2):
    """Responses longer than the window of a stream, and headers behind them: read with the body."""

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
                    h2.send_headers(stream, [("x-last", "a-token-of-mine")], end_stream=True)
                    del left[stream]
            writer.write(h2.data_to_send())


@pytest.mark.parametrize("own", [False, True])
async def test_the_token_is_in_no_log_of_http_2(
    library: Any, certificates: dict[str, Path], caplog: pytest.LogCaptureFixture, own: bool
) -> None:
    """hpack logs headers in a form that can be decoded: not those of our requests."""
    caplog.set_level(logging.DEBUG)
    made = OfThisTask()
    logging.getLogger("hpack").addHandler(made)
    trusting = ssl.create_default_context(cafile=certificates["here"])
    async with RawServer(Trailing(), offering(certificates["here"])) as server:
        async with library.AsyncClient(http2=True, verify=trusting) as http:
            ours = ClientOptions(http2=True, ssl_context=trusting)
            engine = engine_for(ClientOptions(http_client=http) if own else ours)
            headers = (("Authorization", "Bearer a-token-of-mine"),)
            await engine.send("POST", f"{server.url}/a", headers, b"{}", lambda: None)
            async with engine.stream(f"{server.url}/file") as response:
                async for _ in response.chunks:
                    pass
            await engine.aclose()
            ours, made.texts = made.texts, []
            await http.post(f"{server.url}/mine")
    logging.getLogger("hpack").removeHandler(made)
    assert any("Encoded header block" in text for text in made.texts), "the program's own are logged as ever"
    assert not ours
