"""Sessions of TLS: offered to the host that gave them, and to no other."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import struct
from collections.abc import Callable
from pathlib import Path
from socket import SHUT_WR, SO_LINGER, SOL_SOCKET
from typing import Any

import pytest

from tests.engine.conftest import serving
from tests.engine.openssl import passing_on
from tests.engine.raw import (
    OK,
    VERSIONS,
    RawServer,
    Script,
    below,
    echoing,
    engine,
    get,
    on_each_loop,
    request,
    responding,
)
from wosdk_async.transport.http.certificates import TLSSessions
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.native.connection import _QUIET

pytestmark = pytest.mark.plain("its servers choose their own certificates, or none")

Resumed = list[bool]
OK_AND_CLOSE = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
BAD_RECORD = b"\x17\x03\x03\x00\x20" + bytes(32)
"""It looks like data, and was not encrypted with the keys of the connection."""


@pytest.fixture(autouse=True)
def trusted(certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """The certificate of 127.0.0.1 is one that the system trusts: sessions are kept for its context alone."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates["here"]))


def counting(resumed: Resumed, script: Script = echoing) -> Script:
    """Note for each connection whether it resumed a session."""

    async def counted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        resumed.append(writer.get_extra_info("ssl_object").session_reused)
        await script(reader, writer)

    return counted


def up_to(version: ssl.TLSVersion, certificate: Path) -> ssl.SSLContext:
    """Serve with this version of TLS."""
    context = serving(certificate)
    context.maximum_version = version
    return context


@VERSIONS
@on_each_loop
async def test_later_connections_resume(certificates: dict[str, Path], version: ssl.TLSVersion) -> None:
    """All connections after the first response: that is when the session is there."""
    resumed: Resumed = []

    async with (
        RawServer(counting(resumed), up_to(version, certificates["here"])) as server,
        engine(connections=20) as made,
    ):
        await get(made, server.url + "/first")
        responses = await asyncio.gather(*(get(made, f"{server.url}/{n}") for n in range(20)))
    assert [each.body for each in responses] == [b"/%d" % n for n in range(20)]
    assert resumed == [False] + [True] * 19


async def test_a_session_is_not_offered_under_another_name(certificates: dict[str, Path]) -> None:
    """Python resumes it for any name, without verifying the certificate: nothing may be sent."""
    resumed: Resumed = []
    async with (
        RawServer(counting(resumed), serving(certificates["here"])) as server,
        engine() as made,
    ):
        await get(made, server.url)
        with pytest.raises(SendError, match="certificate verify failed: Hostname mismatch") as caught:
            await get(made, server.url.replace("127.0.0.1", "localhost"), sending=lambda: pytest.fail("sent"))
    assert not caught.value.sent
    assert resumed == [False]


async def test_two_services_of_one_name_have_sessions_of_their_own(certificates: dict[str, Path]) -> None:
    """The port tells them apart. Each would accept a session of the other, as they share their keys."""
    first: Resumed = []
    second: Resumed = []
    shared = serving(certificates["here"])
    async with (
        RawServer(counting(first), shared) as one,
        RawServer(counting(second), shared) as two,
        engine() as made,
    ):
        await get(made, one.url)
        await get(made, two.url)
    assert (first, second) == ([False], [False])


@VERSIONS
@pytest.mark.parametrize("how", ["no record", "bad record", "cut"])
async def test_an_error_of_tls_ends_the_session(
    certificates: dict[str, Path], version: ssl.TLSVersion, how: str
) -> None:
    """It comes after data on a connection that resumed: the next one verifies everything again."""
    resumed: Resumed = []

    async def breaking(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = (await request(reader)).split(b" ")[1]
        if target != b"/break":
            writer.write(OK_AND_CLOSE)
            return
        writer.write(b"HTTP/1.1 200 OK\r\n")
        with below(writer) as socket:
            if how == "cut":
                socket.shutdown(SHUT_WR)
            else:
                socket.send(b"this is no record of TLS" * 10 if how == "no record" else BAD_RECORD)
        await reader.read()

    async with (
        RawServer(counting(resumed, breaking), up_to(version, certificates["here"])) as server,
        engine() as made,
    ):
        await get(made, server.url)
        await get(made, server.url)
        with pytest.raises(SendError) as caught:
            await get(made, server.url + "/break", safe=False)
        await get(made, server.url)
    assert caught.value.sent
    assert resumed == [False, True, True, False]


@VERSIONS
async def test_a_session_that_a_connection_did_not_offer_stays(
    certificates: dict[str, Path], version: ssl.TLSVersion
) -> None:
    """That connection brought no data, which says nothing of the session."""
    resumed: Resumed = []
    waiting = asyncio.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if (await request(reader)).startswith(b"GET /wait"):
            waiting.set()
            await reader.read()
        else:
            writer.write(OK_AND_CLOSE)

    async with (
        RawServer(counting(resumed, script), up_to(version, certificates["here"])) as server,
        engine() as made,
    ):
        cancelled = asyncio.create_task(get(made, server.url + "/wait"))
        await waiting.wait()
        await get(made, server.url)
        cancelled.cancel()
        while made.statistics().sockets:
            await asyncio.sleep(0)
        await get(made, server.url)
    assert resumed == [False, False, True]


async def test_a_session_lives_as_long_as_the_service_says(certificates: dict[str, Path]) -> None:
    """All connections offer the first session: with newer ones no certificate would be verified again."""
    offered: list[bytes] = []

    async def noting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello = await reader.read(4096)
        offered.append(offered_ticket(hello))
        await passing_on(int(server.url.rpartition(":")[2]), first=hello)(reader, writer)

    async with (
        RawServer(responding(OK), serving(certificates["here"])) as server,
        RawServer(noting) as relay,
        engine() as made,
    ):
        for _ in range(4):
            await get(made, relay.url.replace("http:", "https:"))
    first, *later = offered
    assert (first, len(set(later))) == (b"", 1)
    assert later[0]


def offered_ticket(hello: bytes) -> bytes:
    """Return the ticket in the first message of TLS 1.3, in its last extension (RFC 8446 4.2.11)."""
    for start in range(len(hello) - 8):
        kind, size, _, ticket = struct.unpack(">4H", hello[start : start + 8])
        if kind == 41 and size == len(hello) - start - 4:
            return hello[start + 8 :][:ticket]
    return b""


def test_sessions_do_not_fill_the_memory(certificates: dict[str, Path]) -> None:
    """A client may talk to any number of hosts; the newest session is kept."""
    context, session, most = ssl.create_default_context(), a_session(certificates["here"]), 8
    cache = TLSSessions(most)
    for number in range(30):
        cache.keep((context, f"host-{number}", 443), session)
        hosts = [host for host in range(30) if cache.get((context, f"host-{host}", 443))]
        assert hosts[-1] == number
        assert len(hosts) <= most


def a_session(certificate: Path) -> ssl.SSLSession:
    """Return the session of a handshake in memory."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context(cafile=certificate).wrap_bio(back, there, server_hostname="127.0.0.1")
    service = serving(certificate).wrap_bio(there, back, server_side=True)
    for side in (client, service, client, service):
        with contextlib.suppress(ssl.SSLWantReadError):
            side.do_handshake()
    assert client.session is not None
    return client.session


async def test_a_context_of_the_program_resumes_nothing(certificates: dict[str, Path]) -> None:
    """It may be changed, and a session would go on with what was trusted before."""
    own = ssl.create_default_context(cafile=certificates["elsewhere"])
    own.check_hostname, own.verify_mode = False, ssl.CERT_NONE
    resumed: Resumed = []
    async with (
        RawServer(counting(resumed, responding(OK)), serving(certificates["here"])) as server,
        engine(context=own) as made,
    ):
        await get(made, server.url)
        await get(made, server.url)
        own.verify_mode = ssl.CERT_REQUIRED
        with pytest.raises(SendError, match="certificate verify failed") as caught:
            await get(made, server.url, sending=lambda: pytest.fail("sent"))
    assert (resumed, caught.value.sent) == ([False, False], False)


@VERSIONS
@pytest.mark.parametrize("moment", ["hello", "request", "goodbye"])
async def test_a_service_that_breaks_resumed_connections(
    certificates: dict[str, Path], version: ssl.TLSVersion, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A balancer that does not know the session ends the connection: at most the first such call fails.

    It resets when it reads the first message of the handshake, or the request, or ends TLS in good order.
    """
    resumed: Resumed = []

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not resumed[-1]:
            await responding(OK)(reader, writer)
        elif moment == "request":
            reset(writer)

    async def relayed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if relay.connections == 2:
            await reader.read(1)
            reset(writer)
        else:
            await passing_on(int(server.url.rpartition(":")[2]))(reader, writer)

    async with (
        RawServer(counting(resumed, script), up_to(version, certificates["here"])) as server,
        RawServer(relayed) as relay,
        engine() as made,
    ):
        url = relay.url.replace("http:", "https:") if moment == "hello" else server.url
        await get(made, url)
        if moment == "hello":
            with pytest.raises(SendError):
                await get(made, url, safe=False)
            await get(made, url)
        else:  # no byte of the request has left: it is sent over another connection
            stay_quiet_once(monkeypatch)
            assert (await get(made, url, safe=False)).body == b"hi"
    assert relay.connections == (3 if moment == "hello" else 0)
    assert resumed == ([False, False] if moment == "hello" else [False, True, False])


def stay_quiet_once(patch: pytest.MonkeyPatch) -> None:
    """Let the next unsafe request wait for the end of its new connection, however long that takes to come."""
    loop = asyncio.get_running_loop()
    call_later, quiet = loop.call_later, []

    def late(seconds: float, timer: Callable[[], None], *args: Any, **context: Any) -> Any:
        if seconds == _QUIET and not quiet:
            quiet.append(timer)
            return None
        return call_later(seconds, timer, *args, **context)

    patch.setattr(loop, "call_later", late)


def reset(writer: asyncio.StreamWriter) -> None:
    """Reset a connection, which TLS says nothing of."""
    with below(writer) as socket:
        socket.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
