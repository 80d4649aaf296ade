"""Sessions of TLS: offered to the host that gave them, and to no other."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop

from tests.engine.conftest import serving
from tests.engine.raw import RawServer, Script, below, echoing, engine, get, request
from wosdk_async.transport.http.engine import SendError

VERSIONS = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
LOOPS = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
Resumed = list[bool]


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
        own = ssl.create_default_context(cafile=certificates["here"])
        async with (
            RawServer(counting(resumed), up_to(version, certificates["here"])) as server,
            engine(context=own, connections=20) as made,
        ):
            await get(made, server.url + "/first")
            responses = await asyncio.gather(*(get(made, f"{server.url}/{n}") for n in range(20)))
        assert [each.body for each in responses] == [b"/%d" % n for n in range(20)]

    run(calls())
    assert resumed == [False] + [True] * 19


async def test_a_session_is_not_offered_under_another_name(certificates: dict[str, Path]) -> None:
    """Python resumes it for any name, without verifying the certificate: nothing may be sent."""
    own = ssl.create_default_context(cafile=certificates["here"])  # of 127.0.0.1, and of no name
    resumed: Resumed = []
    async with (
        RawServer(counting(resumed), serving(certificates["here"])) as server,
        engine(context=own) as made,
    ):
        await get(made, server.url)
        with pytest.raises(SendError, match="certificate verify failed: Hostname mismatch") as caught:
            await get(made, server.url.replace("127.0.0.1", "localhost"), sending=lambda: pytest.fail("sent"))
    assert not caught.value.sent
    assert resumed == [False]


async def test_two_services_of_one_name_have_sessions_of_their_own(certificates: dict[str, Path]) -> None:
    """The port tells them apart."""
    own = ssl.create_default_context(cafile=certificates["here"])
    first: Resumed = []
    second: Resumed = []
    async with (
        RawServer(counting(first), serving(certificates["here"])) as one,
        RawServer(counting(second), serving(certificates["here"])) as two,
        engine(context=own) as made,
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

    own = ssl.create_default_context(cafile=certificates["here"])
    async with (
        RawServer(counting(resumed, breaking), up_to(version, certificates["here"])) as server,
        engine(context=own) as made,
    ):
        await get(made, server.url)
        await get(made, server.url)
        with pytest.raises(SendError) as caught:
            await get(made, server.url + "/break", safe=False)
        await get(made, server.url)
    assert caught.value.sent
    assert resumed == [False, True, True, False]
