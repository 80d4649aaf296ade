"""Certificates: who is trusted, and that nothing is sent to anyone else."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest

from tests.engine.conftest import serving
from tests.engine.raw import OK, RawServer, engine, get, on_each_loop, responding
from wosdk_async.options import Timeouts
from wosdk_async.transport.http.certificates import TLSContextProvider, _system_context
from wosdk_async.transport.http.engine import SendError

pytestmark = pytest.mark.plain("its servers choose their own certificates, or none")


@on_each_loop
async def test_a_service_that_does_not_speak_tls() -> None:
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
