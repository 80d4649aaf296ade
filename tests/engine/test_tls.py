"""Certificates: who is trusted, and that nothing is sent to anyone else."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest

from tests.engine.conftest import serving
from tests.engine.raw import OK, RawServer, echoing, engine, get, responding
from wosdk_async.options import Timeouts
from wosdk_async.transport.http.certificates import TLSContextProvider, _system_context
from wosdk_async.transport.http.engine import Request, SendError

pytestmark = pytest.mark.plain("its servers choose their own certificates, or none")


async def test_a_context_of_the_callers_own(certificates: dict[str, Path]) -> None:
    """The certificates of the given context are trusted; connections are kept, and closed in good order."""
    own = ssl.create_default_context(cafile=certificates["here"])
    async with RawServer(echoing, serving(certificates["here"])) as server, engine(context=own) as made:
        responses = await asyncio.gather(*(get(made, f"{server.url}/{n}") for n in range(30)))
        assert (await get(made, server.url, safe=False)).body == b"/"
    assert [response.body for response in responses] == [b"/%d" % n for n in range(30)]
    assert server.connections <= 30


async def test_large_bodies_over_tls(certificates: dict[str, Path]) -> None:
    """Many records make one response."""
    body = bytes(range(256)) * 4000
    raw = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    own = ssl.create_default_context(cafile=certificates["here"])
    async with (
        RawServer(responding(raw), serving(certificates["here"])) as server,
        engine(context=own) as made,
    ):
        response = await made.send(Request("POST", server.url, (), body))
    assert response.body == body


@pytest.mark.parametrize("name", ["here", "elsewhere"])
async def test_a_certificate_that_is_not_trusted(certificates: dict[str, Path], name: str) -> None:
    """Self-signed with the system's context, or of another host: refused, and never sent."""
    own = ssl.create_default_context(cafile=certificates[name]) if name == "elsewhere" else None
    async with RawServer(responding(OK), serving(certificates[name])) as server, engine(context=own) as made:
        with pytest.raises(SendError, match="certificate verify failed") as caught:
            await get(made, server.url, sending=lambda: pytest.fail("sent"))
        await asyncio.sleep(0)  # the connection learns of its end
    assert not caught.value.sent


async def test_a_service_that_does_not_speak_tls(certificates: dict[str, Path]) -> None:
    """A plain service under an https address, and one that says nothing at all: never sent."""

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await reader.read()

    for script, seconds, timeout in ((plain, 30.0, ""), (silent, 0.2, "connect")):
        async with RawServer(script) as server, engine(Timeouts(connect=seconds)) as made:
            with pytest.raises(SendError) as caught:
                await get(made, server.url.replace("http:", "https:"))
        assert (caught.value.sent, caught.value.timeout) == (False, timeout)


TRUSTING = """
import asyncio, sys
from wosdk_async.transport.http.engine import Request
from wosdk_async.transport.http.native.engine import NativeEngine

async def main():
    made = NativeEngine()
    response = await made.send(Request("GET", sys.argv[1], ()))
    await made.aclose()
    print(response.body.decode())

asyncio.run(main())
"""


async def test_the_environment_names_certificates(certificates: dict[str, Path]) -> None:
    """``SSL_CERT_FILE`` is honoured, as by every program that uses OpenSSL."""
    async with RawServer(responding(OK), serving(certificates["here"])) as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-Werror",
            "-c",
            TRUSTING,
            server.url,
            env={"SSL_CERT_FILE": str(certificates["here"]), "PYTHONPATH": ":".join(sys.path)},
            stdout=subprocess.PIPE,
        )
        out, _ = await process.communicate()
    assert out == b"hi\n"


@pytest.fixture
def fresh_context() -> Iterator[None]:
    """Keep the context of the test from others: a process makes one."""
    _system_context.cache_clear()
    yield
    _system_context.cache_clear()


@pytest.mark.usefixtures("fresh_context")
@pytest.mark.parametrize("has", ["nothing", "an empty folder", "a folder", "a variable"])
async def test_a_system_without_certificates(
    certificates: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has: str
) -> None:
    """A slim container has none: those of certifi hold then, and only then."""
    folder = tmp_path / "certificates"
    folder.mkdir()
    if has == "a folder":
        (folder / "one.pem").write_bytes(certificates["elsewhere"].read_bytes())
    capath = None if has == "nothing" else str(folder)
    paths = ssl.get_default_verify_paths()._replace(cafile=None, capath=capath)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    if has == "a variable":
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates["elsewhere"]))
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: paths)
    monkeypatch.setattr(ssl.SSLContext, "set_default_verify_paths", lambda context: None)
    monkeypatch.setattr(certifi, "where", lambda: str(certificates["here"]))
    trust = TLSContextProvider()
    async with RawServer(responding(OK), serving(certificates["here"])) as server:
        async with engine(context=await trust.context()) as made:
            if has in ("nothing", "an empty folder"):
                assert (await get(made, server.url)).body == b"hi"
            else:
                with pytest.raises(SendError, match="certificate verify failed"):
                    await get(made, server.url)
