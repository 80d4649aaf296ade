"""Proxies, of the environment and of the client, on real sockets."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import socket
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.engine.conftest import serving
from tests.engine.proxy import Proxy, SocksProxy
from tests.engine.raw import RawServer
from tests.support.laws import each_of
from tests.support.service import RESET, SECRET, Answer, Request, Service
from tests.transport.script import DONE, QUICK
from wosdk_async import (
    Client,
    ConfigurationError,
    Customer,
    InDoubtError,
)
from wosdk_async.options import ClientOptions, Timeouts
from wosdk_async.transport.http.engine import PoolStatistics, SendError, StreamingEngine
from wosdk_async.transport.http.engine import Request as SentRequest
from wosdk_async.transport.http.environment import proxy_rules
from wosdk_async.transport.http.selection import engine_for

NAME = "acme.example"
PASSWORD = "p@ss/w0rd%of-the+proxy"
PAIR = base64.b64encode(f"proxy-user:{PASSWORD}".encode()).decode()
LOGIN = f"proxy-user:{quote(PASSWORD, safe='')}"
LARGE = os.urandom(1_000_000)

pytestmark = [
    pytest.mark.plain("its servers choose their own certificates, or none"),
    pytest.mark.usefixtures("no_proxies"),
]


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    async with Proxy() as made:
        yield made


@pytest.fixture
async def secured(certificates: dict[str, Path]) -> AsyncIterator[Service]:
    """A service with TLS whose name only the proxy finds."""
    async with Service(name=NAME, context=serving(certificates["acme"])) as made:
        yield made


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is found without the proxy, too."""
    resolve = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **named: Any) -> Any:
        return resolve("127.0.0.1" if host == NAME else host, *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def client(service: Service, certificates: dict[str, Path], **settings: Any) -> Client:
    trusted = ssl.create_default_context(cafile=certificates["acme"])
    trusted.load_verify_locations(certificates["here"])
    return service.client(ssl_context=trusted, trusted_hosts=[NAME], options=QUICK, **settings)


@contextlib.asynccontextmanager
async def engine(proxy: str, timeouts: Timeouts | None = None) -> AsyncIterator[StreamingEngine]:
    """An engine that has given back every place and closed every socket when its block is left."""
    made = engine_for(ClientOptions(proxy=proxy, timeouts=timeouts))
    async with asyncio.timeout(10):
        yield made
        await made.aclose()
    assert made.statistics() == PoolStatistics()


# --- through a proxy ----------------------------------------------------------------------------


@pytest.mark.parametrize("over_tls", [False, True], ids=["http", "https"])
@pytest.mark.parametrize("scheme", ["http", "https", "socks5", "socks5h"])
async def test_everything_goes_through_the_clients_own_proxy(
    scheme: str, over_tls: bool, certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Log-in, calls and downloads, whatever the environment says; the proxy looks the name up."""
    monkeypatch.setenv("NO_PROXY", "*")
    kind = SocksProxy if scheme.startswith("socks") else Proxy
    context = serving(certificates["here"]) if scheme == "https" else None
    async with (
        kind(context=context) as proxy,
        Service(name=NAME, context=serving(certificates["acme"]) if over_tls else None) as service,
    ):

        def handler(request: Request) -> Answer:
            found = {"CommandResult": {"Results": [{"DocumentId": 1, "Url": f"{service.url}/file?signed"}]}}
            if request.path.endswith("GetDocDownloadUrlCommand"):
                return Answer(body=found)
            if request.path == "/file?signed":
                return Answer(body=LARGE)
            if request.method == "GET":
                return Answer(body={"Data": {"StorageTypeId": "Cloud"}})
            return RESET if request.json["Command"] else DONE

        service.handler = handler
        address = f"{scheme}://{LOGIN}@{proxy.address}"
        async with client(service, certificates, proxy=address) as made:
            acme = made.company()
            assert await acme.documents.download(1) == LARGE
            await acme.run("NewCommand", {}, check=False)
            with pytest.raises(InDoubtError):
                await acme.run("NewCommand", {"Text": "x" * len(LARGE)})
            assert PASSWORD not in repr(made) + str(vars(made))
    port = service.url.rpartition(":")[2]
    if kind is SocksProxy:
        assert set(proxy.heads) == {f"proxy-user:{PASSWORD}@{NAME}".encode()}
    else:
        asked = f"CONNECT {NAME}:{port} HTTP/1.1" if over_tls else f" http://{NAME}:{port}/"
        assert all(asked.encode() in head for head in proxy.heads)
        assert all(f"\r\nProxy-Authorization: Basic {PAIR}".encode() in head for head in proxy.heads)
    assert proxy.connections == 4  # two for the log-in, one for calls, one for downloads
    sent = (*service.tokens, *service.discoveries, *service.calls)
    assert [len(service.tokens), len(service.discoveries), len(service.calls)] == [1, 1, 5]
    assert not [each for each in sent if "proxy-authorization" in each.headers]


@each_of(
    ("scheme", "url", "asked"),
    [
        ("http", "https://[::1]/", b"CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n"),
        ("http", "https://b\u00fccher.example:81/", b"CONNECT xn--bcher-kva.example:81 HTTP/1.1\r\n"),
        ("http", "http://acme.example/a?b=c", b"POST http://acme.example/a?b=c HTTP/1.1\r\n"),
        ("socks5", "http://b\u00fccher.example/", b"\x05\x01\x00\x03\x15xn--bcher-kva.example\x00\x50"),
        ("socks5", "https://127.0.0.1:81/", b"\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x51"),
        ("socks5h", "http://[::1]:81/", b"\x05\x01\x00\x04" + bytes(15) + b"\x01\x00\x51"),
    ],
)
async def test_what_a_proxy_without_a_user_is_asked_for(scheme: str, url: str, asked: bytes) -> None:
    """RFC 9110 9.3.6 and 7.1, RFC 1928 5."""
    received: list[bytes] = []

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if scheme != "http":
            assert await reader.read(100) == b"\x05\x01\x00"
            writer.write(b"\x05\x00")
        received.append(await reader.read(1000))

    async with RawServer(script) as server, engine(server.url.replace("http", scheme)) as made:
        with pytest.raises(SendError):
            await made.send(SentRequest("POST", url, (), b"{}"))
    assert received[0].startswith(asked)
    assert b"authorization" not in received[0].lower()


# --- proxies of the environment -----------------------------------------------------------------


@pytest.mark.parametrize("variables", [["HTTPS_PROXY"], ["https_proxy", "HTTPS_PROXY"], ["ALL_PROXY"]])
async def test_the_environment_names_a_proxy(
    secured: Service,
    proxy: Proxy,
    certificates: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    variables: list[str],
) -> None:
    """In either case of letters, the lower one first. The proxy learns the host and nothing else."""
    for variable, address in zip(variables, (proxy.address, "127.0.0.1:1"), strict=False):
        monkeypatch.setenv(variable, address)
    async with client(secured, certificates) as made:
        assert (await made.company().get(Customer, 1)).id == 1
        monkeypatch.delenv(variables[0])  # what was read once is not read again
        assert (await made.company().get(Customer, 1)).id == 1
    assert len(secured.calls) == 2
    port = secured.url.rpartition(":")[2]
    assert {head.split(b"\r\n")[0].decode() for head in proxy.heads} == {f"CONNECT {NAME}:{port} HTTP/1.1"}
    assert b"authorization" not in b"".join(proxy.heads).lower()


@pytest.mark.parametrize(
    ("settings", "no_proxy"),
    [({}, NAME), ({}, ".example"), ({}, "other, example"), ({}, "*"), ({"trust_env": False}, "")],
)
async def test_hosts_without_a_proxy(
    secured: Service,
    proxy: Proxy,
    certificates: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    resolved: None,
    settings: dict[str, Any],
    no_proxy: str,
) -> None:
    """``NO_PROXY`` names hosts and the domains that they are in; ``trust_env=False`` is for all."""
    monkeypatch.setenv("HTTPS_PROXY", proxy.address)
    monkeypatch.setenv("NO_PROXY", no_proxy)
    async with client(secured, certificates, **settings) as made:
        assert (await made.company().get(Customer, 1)).id == 1
        assert made.stats().connections_idle == 1
    assert proxy.connections == 0


async def test_other_hosts_keep_their_proxy(
    secured: Service, proxy: Proxy, certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """This machine needs no proxy, a host that NO_PROXY does not name does, on the same client."""
    monkeypatch.setenv("ALL_PROXY", proxy.address)
    monkeypatch.setenv("NO_PROXY", "cme.example, elsewhere.example")
    async with Service() as here:
        here.company_url = f"{secured.url}/"
        async with client(here, certificates) as made:
            assert (await made.company().get(Customer, 1)).id == 1
    assert (len(here.tokens), len(here.calls), len(secured.calls)) == (1, 0, 1)
    assert proxy.connections == 1


def test_this_machine_is_reached_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    """By each of its names, whatever NO_PROXY says; and no other host is taken for it."""
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "")
    rules = proxy_rules(None, trust_env=True)
    assert rules is not None
    for host in ("localhost", "LOCALHOST", "a.localhost", "127.0.0.1:8000", "127.9.9.9", "[::1]:80"):
        assert rules.route(f"http://{host}/")[0] is None, host
    for host in ("localhost.example", "128.0.0.1", "127.0.0.1.example", "[::2]"):
        assert rules.route(f"http://{host}/")[0] is not None, host


@pytest.mark.parametrize(
    ("proxy", "said"),
    [
        (f"socks://user:{SECRET}@a:1", "HTTPS_PROXY is not the address of a proxy"),
        (f"http://user:{SECRET}@a:port", "HTTPS_PROXY is not the address of a proxy"),
        (f"http://user:{SECRET}\udcff@127.0.0.1:1", "HTTPS_PROXY is not the address of a proxy"),
        (
            f"socks5://user:{SECRET * 20}@a:1",
            "HTTPS_PROXY: SOCKS takes a user name and password of at most 255",
        ),
    ],
)
async def test_a_proxy_that_cannot_be_used(
    secured: Service, certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch, proxy: str, said: str
) -> None:
    """Said when it is needed, and not before: a variable for other programs breaks nothing."""
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    async with Service() as here, here.client() as made:
        assert (await made.company().get(Customer, 1)).id == 1
    async with client(secured, certificates) as made:
        with pytest.raises(ConfigurationError, match=said) as caught:
            await made.company().get(Customer, 1)
    assert SECRET not in str(caught.value)
