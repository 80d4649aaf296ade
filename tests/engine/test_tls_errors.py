"""Errors of TLS: the service is told which, and they end the call in order wherever they come."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.conftest import serving
from tests.engine.raw import (
    LOOPS,
    VERSIONS,
    RawServer,
    TLSPeer,
    engine,
    get,
    narrow_sockets,
    on_each_loop,
    request,
)
from wosdk_async.transport.http.engine import Request, SendError

pytestmark = pytest.mark.plain("its servers choose their own certificates, or none")

BAD_RECORD = b"\x17\x03\x03\x00\x20" + bytes(32)
"""It looks like data, and was not encrypted with the keys of the connection."""


@on_each_loop
@VERSIONS
@pytest.mark.parametrize(
    ("moment", "alert"), [("handshake", "ALERT_UNKNOWN_CA"), ("response", "ALERT_BAD_RECORD_MAC")]
)
async def test_the_service_hears_what_is_wrong(
    certificates: dict[str, Path], version: ssl.TLSVersion, moment: str, alert: str
) -> None:
    """Its operator reads in its log that a certificate is not trusted, or a record broken."""
    heard: list[str | None] = []
    context = serving(certificates["here"])
    context.maximum_version = version
    trusted = "elsewhere" if moment == "handshake" else "here"
    own = ssl.create_default_context(cafile=certificates[trusted])

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = TLSPeer(context, reader, writer)
        try:
            await peer.do(peer.tls.do_handshake)
            await peer.do(peer.tls.read, 4096)
            writer.write(BAD_RECORD)
            await peer.do(peer.tls.read, 4096)
        except ssl.SSLError as error:
            heard.append(error.reason)

    async with RawServer(script) as server, engine(context=own) as made:
        with pytest.raises(SendError) as caught:
            await get(made, server.url.replace("http:", "https:"), safe=False)
        assert caught.value.sent == (moment == "response")
        while not heard:
            await asyncio.sleep(0)
    assert alert in str(heard[0])


@LOOPS
def test_an_error_while_the_socket_takes_bytes_again(
    certificates: dict[str, Path], run: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop is in the middle of writing then, and must not find the connection closed."""
    own = ssl.create_default_context(cafile=certificates["here"])
    written = 0

    class Failing(ssl.SSLObject):
        def write(self, data: bytes) -> int:
            nonlocal written
            written += len(data)
            if written > 1 << 20:
                raise ssl.SSLError("no more keys")
            return super().write(data)

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)

    async def call() -> list[str]:
        stumbled: list[str] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, about: stumbled.append(str(about)))
        with monkeypatch.context() as patch:
            narrow_sockets(patch)
            async with (
                RawServer(script, serving(certificates["here"])) as server,
                engine(context=own) as made,
            ):
                own.sslobject_class = Failing
                with pytest.raises(SendError, match="no more keys") as caught:
                    await made.send(Request("POST", server.url, (), bytes(8 << 20)))
                assert caught.value.sent
        return stumbled

    assert run(call()) == []
