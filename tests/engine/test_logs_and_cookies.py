"""What httpx and httpx2 keep and log: no cookie goes to another Company, and no log shows what is signed."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.documents.storage import Storage, answer
from tests.engine.proxy import SocksProxy
from tests.engine.raw import RawServer, responding
from tests.support.service import SECRET, Answer, Request, Service
from tests.support.tls import trusted
from wosdk_async.options import ClientOptions
from wosdk_async.options.httpx_family import CORES
from wosdk_async.transport.http.engine import Request as SentRequest
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.selection import engine_for

SIGNED = "X-Signature=5ecre7ly51gned"
CLOUD = {"Data": {"StorageTypeId": "Cloud"}}


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
            body={**CLOUD, "CommandResult": {"Results": [{"DocumentId": 7, "Url": f"{storage.url}/file"}]}}
        )
        async with library.AsyncClient() as http, service.client(http_client=http) as client:
            assert await client.company().documents.download(7) == b"bytes"
            assert not http.cookies


@pytest.mark.parametrize("way", ["native", "http_client", "transport"])
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
            body={
                **CLOUD,
                "CommandResult": {"Results": [{"DocumentId": 7, "Url": f"{storage.url}/a?{SIGNED}"}]},
            }
        )
        settings: dict[str, Any] = {
            "native": {},
            "http_client": {"http_client": http},
            "transport": {"transport": transport},
        }[way]
        async with service.client(**settings) as client:
            assert await client.company().documents.download(7) == b"bytes"
        texts = [record.getMessage() for record in caplog.records]
        assert not [text for text in texts if "5ecre7ly" in text]
        if settings:
            assert [text for text in texts if f'HTTP Request: GET {storage.url}/*** "HTTP/1.1 302' in text]
        caplog.clear()
        await http.get(f"{storage.url}/mine?a=b")
        texts = [record.getMessage() for record in caplog.records]
        assert [text for text in texts if f"{storage.url}/mine?a=b" in text]
        assert [text for text in texts if "receive_response_headers.complete return_value=" in text]


@pytest.mark.plain("the library alone trusts the certificate of another name")
async def test_the_password_of_a_proxy_is_in_no_log(library: Any, caplog: pytest.LogCaptureFixture) -> None:
    """A client's own proxy of SOCKS, whose requests the library logs with all they hold."""
    caplog.set_level(logging.DEBUG)
    async with SocksProxy() as proxy, Service(name="acme.example") as service:
        address = f"socks5://user:{SECRET}@{proxy.address}"
        async with library.AsyncClient(proxy=address, verify=trusted()) as http:
            async with service.client(trusted_hosts=["acme.example"], http_client=http) as client:
                await client.company().get("Thing", 1)
    assert set(proxy.heads) == {f"user:{SECRET}@acme.example".encode()}
    texts = [record.getMessage() for record in caplog.records]
    assert "setup_socks5_connection.started ***" in texts
    assert not [text for text in texts if SECRET in text]


TOKEN = "a-token-of-many-characters"


def quoting(text: str, way: str) -> bytes:
    """A response with ``text`` in its reason, or in the line before a chunk of its body."""
    if way == "reason":
        return f"HTTP/1.1 400 {text}\r\nContent-Length: 2\r\n\r\n{{}}".encode()
    chunks = f"2\r\n{{}}\r\n{text}\r\n\r\n"
    return f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}".encode()


@pytest.mark.parametrize("where", ["reason", "chunk"])
@pytest.mark.parametrize("own", ["http_client", "transport"])
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
        options: dict[str, Any] = {own: http if own == "http_client" else transport}
        engine = engine_for(ClientOptions(**options))
        with contextlib.suppress(SendError):
            await engine.send(SentRequest("POST", server.url, (("Authorization", TOKEN),), b"{}"))
        with contextlib.suppress(SendError):
            async with engine.stream(f"{storage.url}/a?{SIGNED}") as response:
                async for _ in response.chunks:
                    logging.getLogger(f"{CORES[library.__name__]}.http11").debug("receive_x.y of the program")
        await engine.aclose()
    texts = [record.getMessage() for record in caplog.records]
    assert not [text for text in texts if TOKEN in text or "5ecre7ly" in text]
    assert [text for text in texts if "receive_response_body.started ***" in text]
    assert [text for text in texts if "receive_x.y of the program" in text]
    if where == "reason":
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
