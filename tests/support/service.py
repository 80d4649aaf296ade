"""Scripted service on a real socket: the test decides every byte of an answer, and every fault is real."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections.abc import Awaitable, Callable
from typing import Any, Self
from urllib.parse import parse_qs

import attrs

from tests.support.serving import Connections
from tests.support.tls import serving_context
from wosdk_async import Client, Credentials, Region

COMPANY = "Acme Facilities"
SECRET = "s3cr3t-do-not-print"


@attrs.frozen
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@attrs.frozen
class Answer:
    """Response to a request. Only ``cut`` bytes are sent; if that truncates it, the connection is reset.

    The object in a command's response gets the RequestId as its last key (facts 5), unless ``echo`` is False
    or the body already has one.
    """

    status: int = 200
    body: Any = attrs.field(factory=dict)
    headers: dict[str, str] = attrs.field(factory=dict)
    cut: int | None = None
    echo: bool = True

    def to(self, request: Request) -> Answer:
        """Return the answer with the RequestId of ``request``, if it needs one."""
        if not self.echo or "/cmd/" not in request.path or not isinstance(self.body, dict):
            return self
        sent = request.json.get("RequestId") if request.body else None
        if sent is None or "RequestId" in self.body:
            return self
        return attrs.evolve(self, body={**self.body, "RequestId": sent})

    def raw(self) -> bytes:
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        lines = [f"HTTP/1.1 {self.status} Status", f"Content-Length: {len(body)}"]
        if not isinstance(self.body, bytes):
            lines.append("Content-Type: application/json; charset=utf-8")
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join([*lines, "", ""]).encode() + body


RESET = Answer(cut=0)
"""Read the request and reset the connection without sending a byte."""

Handler = Callable[[Request], Answer | Awaitable[Answer]]


def error(status: int, code: str, message: str = "refused") -> Answer:
    """Return an answer with an error body (spec 7)."""
    body = {"ErrorMessage": message, "ErrorCode": code, "TimeStamp": "2024-05-14T13:15:07.2210413Z"}
    return Answer(status, body)


class Service(Connections):
    """Token endpoint, locator and Company host on one port; ``handler`` answers all other requests.

    ``name`` is its host name. It speaks TLS with ``context``, or if ``WOSDK_TEST_TLS`` is set.
    """

    def __init__(
        self,
        handler: Handler | None = None,
        *,
        name: str = "127.0.0.1",
        context: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__()
        self._name = name
        self._context = context or serving_context()
        self.handler: Handler = handler or (lambda _: Answer(body={"Data": {"Id": 1}}))
        self.calls: list[Request] = []
        self.tokens: list[Request] = []
        self.discoveries: list[Request] = []
        self.expires_in: Any = 1199
        self.on_token: Handler = self._token
        self.on_discovery: Handler = self._discovery
        self.company_url: str | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", 0, ssl=self._context, backlog=1024
        )
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"{'https' if self._context else 'http'}://{self._name}:{port}"
        return self

    def stop_listening(self) -> None:
        """Accept no more connections; open ones are kept."""
        self._server.close()

    @property
    def open_connections(self) -> int:
        """Connections that neither side has closed."""
        return len(self._tasks)

    def region(self) -> Region:
        return Region("test", locator_url=self.url, token_url=f"{self.url}/OAuth/token")

    def client(self, **settings: Any) -> Client:
        defaults = {"region": self.region(), "credentials": Credentials("id-1", SECRET), "company": COMPANY}
        return Client(**{**defaults, **settings})

    # --- answering ----------------------------------------------------------------------

    def _token(self, request: Request) -> Answer:
        assert parse_qs(request.body.decode())["grant_type"] == ["client_credentials"]
        token = f"token-{len(self.tokens)}"
        return Answer(body={"access_token": token, "token_type": "bearer", "expires_in": self.expires_in})

    def _discovery(self, request: Request) -> Answer:
        name = request.json["Command"]["CompanyName"]
        result = {
            "Url": self.company_url or f"{self.url}/",
            "CompanyName": name,
            "Protocol": "HTTPS",
            "CompanyVersion": "9.21.4.118",
            "CompanyId": 40217,
        }
        return Answer(body={"CommandResult": result})

    async def _answer(self, request: Request) -> Answer:
        if request.path == "/OAuth/token":
            self.tokens.append(request)
            made = self.on_token(request)
        elif request.path.endswith("/GetCompanyWsdkUrlCommand"):
            self.discoveries.append(request)
            made = self.on_discovery(request)
        else:
            self.calls.append(request)
            made = self.handler(request)
        return (made if isinstance(made, Answer) else await made).to(request)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    raw = (answer := await self._answer(await _read(reader))).raw()
                    if answer.cut is not None:
                        writer.write(raw[: answer.cut])
                        await writer.drain()
                        writer.transport.abort()
                        return
                    writer.write(raw)
                    await writer.drain()
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Request:
    first = await reader.readexactly(1)
    if not first.isalpha():
        raise ConnectionError("not HTTP")  # a TLS handshake: closed at once, as servers do
    head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ")
    headers = {}
    for line in head[1:-2]:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, path, headers, body)
