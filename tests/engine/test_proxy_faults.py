"""Proxies that do not connect, and what their errors say."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.engine.conftest import serving
from tests.engine.proxy import Proxy, SocksProxy
from tests.engine.raw import RawServer
from tests.engine.test_proxies import LOGIN, NAME, PAIR, PASSWORD, client, engine
from tests.errors.test_faults import check
from tests.support.laws import each_of
from tests.support.service import SECRET, Answer, Service
from tests.transport.script import QUICK
from wosdk_async import Customer, InDoubtError, NotSentError, WosdkError
from wosdk_async.options import Timeouts
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.http.engine import Request, SendError, StreamingEngine

pytestmark = [
    pytest.mark.plain("its servers choose their own certificates, or none"),
    pytest.mark.usefixtures("no_proxies"),
]


async def post(made: StreamingEngine, url: str) -> SendError:
    """The failure of a request that never leaves."""
    with pytest.raises(SendError) as caught:
        await made.send(Request("POST", url, (), b"{}", lambda: pytest.fail("sent")))
    assert not caught.value.sent
    return caught.value


GREETED = [b"\x05\x02", b"\x01\x00"]
REFUSALS: dict[str, tuple[str, list[bytes], str, Remedy | None, bool]] = {
    "407": ("http", [b"HTTP/1.1 407 Log in\r\n\r\n"], "407 Log in", Remedy.PROXY_LOGIN, False),
    "429": ("http", [b"HTTP/1.1 429 Slow\r\n\r\n"], "429 Slow", None, False),
    "502": ("http", [b"HTTP/1.1 502 Bad Gateway\r\n\r\n"], "502 Bad Gateway", None, True),
    "interim": (
        "http",
        [b"HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 403 No\r\n\r\n"],
        "403 No",
        Remedy.PROXY_ALLOW,
        False,
    ),
    "only interim": ("http", [b"HTTP/1.1 100 Go\r\n\r\n" * 99], "without a final one", None, False),
    "surplus": ("http", [b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK"], "outside of any response", None, False),
    "endless": ("http", [b"HTTP/1.1 200 " + b"x" * 20_000], "more than 16384 bytes of headers", None, False),
    "no http": ("http", [b"\x05\xff"], "does not speak HTTP", Remedy.PROXY_ADDRESS, False),
    "closed": ("http", [], "it closed the connection", None, False),
    "no socks": ("socks5", [b"HTTP/1.1 400 Bad"], "does not speak SOCKS 5", Remedy.PROXY_ADDRESS, False),
    "no way": ("socks5", [b"\x05\xff"], "rejects the authentication", Remedy.PROXY_LOGIN, False),
    "login": ("socks5", [b"\x05\x02", b"\x01\x01"], "refuses the user", Remedy.PROXY_LOGIN, False),
    "rules": (
        "socks5",
        [*GREETED, b"\x05\x02\x00\x01" + bytes(6)],
        "not allowed by its rules",
        Remedy.PROXY_ALLOW,
        False,
    ),
    "gone": ("socks5h", [*GREETED, b"\x05\x05\x00\x04" + bytes(18)], "connection refused", None, True),
    "socks surplus": (
        "socks5",
        [*GREETED, b"\x05\x00\x00\x03\x04acme\x00\x50HTTP/1.1 200 OK"],
        "outside of any response",
        None,
        False,
    ),
    "no status": ("http", [b"HTTP/1.1 OK\r\n\r\n"], "does not speak HTTP", Remedy.PROXY_ADDRESS, False),
    "short": ("socks5", [*GREETED, b"\x05\x03"], "network unreachable", None, True),
    "version": ("socks5", [*GREETED, b"\x04\x00"], "does not speak SOCKS 5", Remedy.PROXY_ADDRESS, False),
    "half": ("socks5", [*GREETED, b"\x05\x00\x00"], "it closed the connection", None, False),
}


@each_of("refusal", REFUSALS)
async def test_a_proxy_that_refuses(refusal: str) -> None:
    """Nothing was sent, and its connection is closed: nothing is believed of it."""
    scheme, replies, said, remedy, gone = REFUSALS[refusal]

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in replies:
            await reader.read(4096)
            writer.write(reply)
        if "closed the connection" not in said:
            await reader.read()

    async with RawServer(script) as server:
        address = server.url.partition("://")[2]
        async with engine(f"{scheme}://user:{SECRET}@{address}") as made:
            error = await post(made, f"https://{NAME}/")
            while server.open:
                await asyncio.sleep(0)
    assert f"the proxy {scheme}://{address}" in str(error)
    assert said in str(error)
    assert SECRET not in str(error)
    assert (error.remedy, error.host_gone, server.connections) == (remedy, gone, 1)


async def test_a_proxy_of_the_environment_that_refuses_may_be_bypassed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """NO_PROXY has no effect on a proxy that the program chose."""
    async with Proxy(b"HTTP/1.1 403 no\r\nContent-Length: 0\r\n\r\n") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://{proxy.address}")
        async with Service(name=NAME) as service:
            service.url = f"https://{NAME}"
            async with service.client(options=QUICK) as made:
                with pytest.raises(NotSentError) as caught:
                    await made.company().get(Customer, 1)
    assert caught.value.remedies == (Remedy.PROXY_RULES,)


async def test_a_proxy_that_repeats_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the reason of its refusal: the error says the status and hides the rest."""
    said = f"{PASSWORD}, {quote(PASSWORD, safe='')}, Basic {PAIR}"
    async with Proxy(f"HTTP/1.1 407 you said {said}!\r\nContent-Length: 0\r\n\r\n".encode()) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://{LOGIN}@{proxy.address}")
        async with Service(name=NAME) as service:
            service.url = f"https://{NAME}"
            async with service.client(options=QUICK) as made:
                with pytest.raises(NotSentError, match=r"407 you said \*{3}, \*{3}, Basic \*{3}!") as caught:
                    await made.company().get(Customer, 1)
    assert proxy.connections == 1  # another attempt would be refused, too
    check(caught.value, PASSWORD, quote(PASSWORD, safe=""), PAIR, PASSWORD[:12], PAIR[-12:])


async def test_a_proxy_without_a_tunnel_that_repeats_its_password() -> None:
    """It may respond in the place of a trusted host, with an error body."""
    body = f'{{"ErrorCode": "PROXY", "ErrorMessage": "not {PASSWORD}"}}'.encode()
    async with Proxy(b"HTTP/1.1 500 no\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)) as proxy:
        address = f"http://{LOGIN}@{proxy.address}"
        async with Service(name=NAME) as service:
            async with service.client(trusted_hosts=[NAME], proxy=address) as made:
                with pytest.raises(WosdkError, match=r"not \*\*\*") as caught:
                    await made.company().with_options(deadline=0.5).get(Customer, 1)
    check(caught.value, PASSWORD, PASSWORD[-12:])


@pytest.mark.parametrize("given", [f"user:{SECRET}@", ""])
async def test_a_proxy_without_a_tunnel_that_wants_a_log_in(given: str) -> None:
    """A 407 comes from the proxy, which has passed nothing on: no create is in doubt, nor retried."""
    async with Proxy(b"HTTP/1.1 407 no\r\nContent-Length: 0\r\n\r\n") as proxy:
        async with engine(f"http://{given}{proxy.address}") as made:
            with pytest.raises(SendError) as called:
                await made.send(Request("POST", f"http://{NAME}/", (), b"{}"))
            with pytest.raises(SendError) as streamed:
                async with made.stream(f"http://{NAME}/file"):
                    pytest.fail("a response")
    for each in (called.value, streamed.value):
        assert not each.sent
        assert each.remedy is (Remedy.PROXY_LOGIN if given else Remedy.PROXY_NO_LOGIN)
        assert SECRET not in f"{each}{each.facts}"


@each_of("scheme", ["http", "https", "socks5"])
@each_of("says", [b"", b"HTTP/1.1 200 OK\r\n"])
async def test_a_proxy_that_hangs(scheme: str, says: bytes) -> None:
    """Bounded by the timeout to connect, and a caller that is cancelled leaves nothing behind."""
    asked = asyncio.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.write(says if scheme == "http" else b"")
        asked.set()
        await reader.read()

    async with RawServer(script) as server:
        address = server.url.replace("http", scheme)
        async with engine(address, Timeouts(connect=0.2)) as made:
            error = await post(made, f"https://{NAME}/")
            assert str(error) == f"the proxy {address}: no connection within 0.2 s"
            assert error.timeout == "connect"
        asked.clear()
        async with engine(address) as made:
            call = asyncio.create_task(post(made, f"https://{NAME}/"))
            await asked.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        while server.open:
            await asyncio.sleep(0)


@each_of("url", ["http://acme.example/", "https://acme.example/"])
@each_of("scheme", ["http", "https", "socks5"])
async def test_a_proxy_that_is_not_there(scheme: str, url: str) -> None:
    """The error is about the proxy, without its password, and not about the service."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        async with engine(f"{scheme}://user:{SECRET}@{address}") as made:
            error = await post(made, url)
    assert str(error).startswith(f"the proxy {scheme}://{address}: ")
    assert not error.host_gone
    assert NAME not in str(error)
    assert SECRET not in str(error)


@pytest.mark.parametrize("wrong", ["proxy", "service"])
async def test_a_certificate_that_is_refused(
    certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    """The error names whose it is; a proxy whose certificate is refused gets no password."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates["here"]))
    context = serving(certificates["elsewhere" if wrong == "proxy" else "here"])
    async with Proxy(context=context) as proxy, Service(context=serving(certificates["acme"])) as service:
        async with engine(f"https://{LOGIN}@{proxy.address}") as made:
            error = await post(made, service.url)
    whose = f"the proxy https://{proxy.address}" if wrong == "proxy" else service.url
    assert str(error).startswith(f"{whose}: [SSL: CERTIFICATE_VERIFY_FAILED]")
    assert error.remedy is Remedy.AUTHORITY_IN_FILE
    assert (len(proxy.heads), error.host_gone) == (wrong == "service", False)


@pytest.mark.parametrize("scheme", ["http", "socks5"])
async def test_a_407_of_the_service_through_a_tunnel(scheme: str, certificates: dict[str, Path]) -> None:
    """The proxy reads nothing there, so it comes from the service, which may have carried out the create."""
    kind = SocksProxy if scheme == "socks5" else Proxy
    async with (
        kind() as proxy,
        Service(lambda _: Answer(407), name=NAME, context=serving(certificates["acme"])) as service,
        client(service, certificates, proxy=f"{scheme}://{LOGIN}@{proxy.address}") as made,
    ):
        with pytest.raises(InDoubtError):
            await made.company().create("Customer", {"Name": "x"}, check=False)
    assert len(service.calls) == 1


@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
@pytest.mark.parametrize("hangs", [True, False], ids=["hangs", "closes"])
async def test_tls_of_the_service_that_fails_behind_a_tunnel(
    scheme: str, hangs: bool, certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is about the service, which may be gone: the proxy has done its part."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates["here"]))
    kind = SocksProxy if scheme == "socks5" else Proxy

    async def script(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read(100)
        if hangs:
            await reader.read()

    context = serving(certificates["here"]) if scheme == "https" else None
    async with RawServer(script) as server, kind(context=context) as proxy:
        url = f"https://{NAME}:{server.url.rpartition(':')[2]}"
        async with engine(f"{scheme}://{LOGIN}@{proxy.address}", Timeouts(connect=2 if hangs else 8)) as made:
            error = await post(made, f"{url}/")
    assert str(error).startswith(f"{url}: ")
    assert (error.timeout, error.host_gone) == ("connect" if hangs else "", True)
