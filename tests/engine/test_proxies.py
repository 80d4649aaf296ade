"""Proxies, of the environment and of the client, on real sockets, over httpx and httpx2."""

from __future__ import annotations

import base64
import logging
import os
import socket
import ssl
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.engine.conftest import serving
from tests.engine.proxy import Proxy, SocksProxy
from tests.errors.test_faults import check
from tests.support.service import SECRET, Answer, Service
from tests.transport.script import QUICK
from wosdk_async import Client, ConfigurationError, Customer, NotSentError, WoCreateCommand, WosdkError
from wosdk_async.options import ClientOptions
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.selection import engine_for

NAME = "acme.example"

pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine that runs the tests is behind."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


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
    return service.client(ssl_context=trusted, trusted_hosts=[NAME], options=QUICK, **settings)


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
async def test_the_environment_names_a_proxy(
    secured: Service,
    proxy: Proxy,
    certificates: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    """Everything goes through it, inside of TLS: it learns the host and nothing else."""
    monkeypatch.setenv(variable, proxy.address)
    async with client(secured, certificates) as made:
        assert (await made.company().get(Customer, 1)).id == 1
        monkeypatch.delenv(variable)  # what was read once is not read again
        assert (await made.company().get(Customer, 1)).id == 1
    assert len(secured.calls) == 2
    port = secured.url.rpartition(":")[2]
    assert {head.split(b"\r\n")[0].decode() for head in proxy.heads} == {f"CONNECT {NAME}:{port} HTTP/1.1"}
    assert b"authorization" not in b"".join(proxy.heads).lower()


@pytest.mark.plain("the proxy is for plain http")
async def test_a_proxy_for_plain_http(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trusted host without TLS: the proxy is asked for the whole address."""
    monkeypatch.setenv("http_proxy", f"http://{proxy.address}")
    async with Service(name=NAME) as service, service.client(trusted_hosts=[NAME]) as made:
        assert (await made.company().get(Customer, 1)).id == 1
        assert f"GET {service.url}/api/v1/base/Customer/1".encode() in b"".join(proxy.heads)


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
    assert proxy.heads == []


@pytest.mark.plain("the proxy is for plain http")
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
    assert len(proxy.heads) == 1


async def test_the_clients_own_proxy(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """``proxy=`` is for all requests, downloads too, whatever the environment says; its password is sent."""
    monkeypatch.setenv("NO_PROXY", "*")
    async with Service() as service:
        found = {"CommandResult": {"Results": [{"DocumentId": 1, "Url": f"{service.url}/file"}]}}
        service.handler = lambda _: Answer(body=found)
        async with service.client(proxy=f"http://user:{SECRET}@{proxy.address}") as made:
            assert b"CommandResult" in await made.company().documents.download(1)
            assert SECRET not in repr(made) + str(vars(made))
    credentials = base64.b64encode(f"user:{SECRET}".encode())
    assert len(proxy.heads) == 3  # session, call, download
    assert all(b"Proxy-Authorization: Basic " + credentials in head for head in proxy.heads)


@pytest.mark.plain("the proxy is for plain http")
async def test_a_socks_proxy(caplog: pytest.LogCaptureFixture) -> None:
    """Calls go through it; the library logs its password, and the filter takes that out."""
    caplog.set_level(logging.DEBUG)
    async with SocksProxy() as proxy, Service(name=NAME) as service:
        address = f"socks5://user:{SECRET}@{proxy.address}"
        async with service.client(trusted_hosts=[NAME], proxy=address) as made:
            assert (await made.company().get(Customer, 1)).id == 1
    assert set(proxy.heads) == {f"user:{SECRET}".encode()}
    texts = [record.getMessage() for record in caplog.records]
    assert "setup_socks5_connection.started ***" in texts
    assert not [text for text in texts if SECRET in text]


@pytest.mark.parametrize("status", [b"407 Proxy Authentication Required", b"502 Bad Gateway"])
async def test_a_proxy_that_refuses(status: bytes) -> None:
    """What did not get past the proxy was never sent to the service, although the proxy was asked."""
    async with Proxy(b"HTTP/1.1 %b\r\nContent-Length: 0\r\n\r\n" % status) as proxy:
        made = engine_for(ClientOptions(proxy=f"http://user:{SECRET}@{proxy.address}"))
        with pytest.raises(SendError, match=status.decode()) as caught:
            await made.send("POST", f"https://{NAME}/", (), b"{}", lambda: pytest.fail("sent"))
        await made.aclose()
    assert not caught.value.sent
    assert len(proxy.heads) == 1
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("url", ["http://acme.example/", "https://acme.example/"])
@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
async def test_an_error_about_a_proxy_that_is_not_there(scheme: str, url: str) -> None:
    """The error is about the proxy, without its password, and not about the service."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        made = engine_for(ClientOptions(proxy=f"{scheme}://user:{SECRET}@{address}"))
        with pytest.raises(SendError) as caught:
            await made.send("POST", url, (), b"{}", lambda: pytest.fail("sent"))
        await made.aclose()
    assert str(caught.value).startswith(f"the proxy {scheme}://{address}: ConnectError")
    assert NAME not in str(caught.value)
    assert SECRET not in str(caught.value)


PASSWORD = "p@ss/w0rd%of-the+proxy"
PAIR = base64.b64encode(f"proxy-user:{PASSWORD}".encode()).decode()


@pytest.mark.parametrize("way", ["proxy", "environment", "http2"])
async def test_a_proxy_that_repeats_its_password(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """In the reason of its refusal: the error says the status and hides the rest."""
    said = f"{PASSWORD}, {quote(PASSWORD, safe='')}, Basic {PAIR}"
    refusal = f"HTTP/1.1 407 you said {said}!\r\nContent-Length: 0\r\n\r\n"
    async with Proxy(refusal.encode()) as proxy:
        address = f"http://proxy-user:{quote(PASSWORD, safe='')}@{proxy.address}"
        if way == "environment":
            monkeypatch.setenv("HTTPS_PROXY", address)
        settings = (
            {"trust_env": True} if way == "environment" else {"proxy": address, "http2": way == "http2"}
        )
        async with Service(name=NAME) as service:
            service.url = f"https://{NAME}"
            async with service.client(options=QUICK, **settings) as made:
                with pytest.raises(
                    NotSentError, match=r"407 you said \*\*\*, \*\*\*, Basic \*\*\*!"
                ) as caught:
                    await made.company().get(Customer, 1)
    assert proxy.heads
    check(caught.value, PASSWORD, quote(PASSWORD, safe=""), PAIR, PASSWORD[:12], PAIR[-12:])


@pytest.mark.plain("the proxy is for plain http")
async def test_a_proxy_without_tls_that_repeats_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may refuse in the place of a trusted host, with an error body."""
    body = f'{{"ErrorCode": "PROXY", "ErrorMessage": "not {PASSWORD}"}}'.encode()
    async with Proxy(b"HTTP/1.1 407 no\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://proxy-user:{quote(PASSWORD, safe='')}@{proxy.address}")
        async with Service(name=NAME) as service, service.client(trusted_hosts=[NAME]) as made:
            with pytest.raises(WosdkError, match=r"not \*\*\*") as caught:
                await made.company().get(Customer, 1)
    check(caught.value, PASSWORD, PASSWORD[-12:])


async def test_a_proxy_that_is_not_there(certificates: dict[str, Path], secured: Service) -> None:
    """Nothing was sent, and the caller hears so."""
    async with client(secured, certificates, proxy="http://127.0.0.1:1") as made:
        with pytest.raises(NotSentError, match="ConnectError"):
            await made.company().run(WoCreateCommand(), check=False)


@pytest.mark.parametrize(
    ("proxy", "remedy"),
    [
        (f"socks://user:{SECRET}@a:1", "HTTPS_PROXY is not the address of a proxy"),
        (f"http://user:{SECRET}@a:port", "HTTPS_PROXY is not the address of a proxy"),
        ("socks5://a:1", "install 'httpx.socks.', or 'httpx2.socks.'"),
        (f"http://user:{SECRET}\udcff@127.0.0.1:1", "HTTPS_PROXY is not the address of a proxy"),
    ],
)
async def test_a_proxy_that_cannot_be_used(
    secured: Service, certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch, proxy: str, remedy: str
) -> None:
    """Said when it is needed, and not before: a variable for other programs breaks nothing."""
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    async with Service() as here, here.client() as made:
        assert (await made.company().get(Customer, 1)).id == 1
    async with client(secured, certificates) as made:
        with pytest.raises(ConfigurationError, match=remedy) as caught:
            await made.company().get(Customer, 1)
    assert SECRET not in str(caught.value)
