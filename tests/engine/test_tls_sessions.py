"""Sessions of TLS: offered to the host that gave them, and to no other."""

from __future__ import annotations

import asyncio
import ssl
import struct
from collections.abc import Callable
from pathlib import Path
from socket import SO_LINGER, SOL_SOCKET

import pytest
import uvloop

from tests.engine.conftest import serving
from tests.engine.raw import OK, RawServer, Script, below, echoing, engine, get, request, responding
from wosdk_async.transport.http.engine import SendError

pytestmark = pytest.mark.plain("its servers choose their own certificates, or none")

VERSIONS = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
LOOPS = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
Resumed = list[bool]


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
@LOOPS
def test_later_connections_resume(
    certificates: dict[str, Path], version: ssl.TLSVersion, run: Callable[..., None]
) -> None:
    """All connections after the first response: that is when the session is there."""
    resumed: Resumed = []

    async def calls() -> None:
        async with (
            RawServer(counting(resumed), up_to(version, certificates["here"])) as server,
            engine(connections=20) as made,
        ):
            await get(made, server.url + "/first")
            responses = await asyncio.gather(*(get(made, f"{server.url}/{n}") for n in range(20)))
        assert [each.body for each in responses] == [b"/%d" % n for n in range(20)]

    run(calls())
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
    """The port tells them apart."""
    first: Resumed = []
    second: Resumed = []
    async with (
        RawServer(counting(first), serving(certificates["here"])) as one,
        RawServer(counting(second), serving(certificates["here"])) as two,
        engine() as made,
    ):
        await get(made, one.url)
        await get(made, two.url)
    assert (first, second) == ([False], [False])


@VERSIONS
async def test_an_error_of_tls_ends_the_session(
    certificates: dict[str, Path], version: ssl.TLSVersion
) -> None:
    """What the service sends in the middle is no TLS: the next connection verifies everything again."""
    resumed: Resumed = []

    async def breaking(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = (await request(reader)).split(b" ")[1]
        if target == b"/break":
            with below(writer) as socket:
                socket.send(b"this is no record of TLS" * 10)
            await reader.read()
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

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


@pytest.mark.parametrize("moment", ["hello", "request"])
async def test_a_service_that_breaks_resumed_connections(certificates: dict[str, Path], moment: str) -> None:
    """A balancer that does not know the session resets: only the first such call fails."""
    resumed: Resumed = []

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if resumed[-1]:
            with below(writer) as socket:
                socket.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        else:
            await responding(OK)(reader, writer)

    certificate = serving(certificates["here"])
    if moment == "hello":  # TLS 1.2 ends the handshake of a resumed session with the client's message
        certificate.maximum_version = ssl.TLSVersion.TLSv1_2
    async with RawServer(counting(resumed, script), certificate) as server, engine() as made:
        await get(made, server.url)
        with pytest.raises(SendError):
            await get(made, server.url, safe=False)
        await get(made, server.url)
    assert resumed == [False, True, False]
