"""New keys and renegotiations, which a service may ask for at any time."""

from __future__ import annotations

import asyncio
import ssl
import tracemalloc
from pathlib import Path

import pytest

from tests.engine.openssl import OpenSSL, passing_on
from tests.engine.raw import OK, RawServer, engine, get, narrow_sockets, on_each_loop
from wosdk_async.transport.http.engine import Request, SendError
from wosdk_async.transport.http.native.engine import NativeEngine

pytestmark = pytest.mark.plain("its servers choose their own certificates, or none")

_SOME = 20  # KeyUpdates after which everything that is made once is there


async def responded(service: OpenSSL, made: NativeEngine, url: str) -> bytes:
    """Send a request that may not be sent twice, respond to it, and return the body."""
    calling = asyncio.create_task(get(made, url, safe=False))
    await service.printed("Host: ")
    service.send(OK)
    return (await calling).body


@on_each_loop
@pytest.mark.parametrize("version", ["-tls1_2", "-tls1_3"])
async def test_a_service_that_wants_new_keys(certificates: dict[str, Path], version: str) -> None:
    """It asks between request and response: a renegotiation with TLS 1.2, new keys with TLS 1.3."""
    own = ssl.create_default_context(cafile=certificates["here"])

    reads: list[int] = []
    async with (
        OpenSSL(certificates["here"], version) as service,
        RawServer(passing_on(service.port, lambda: reads.append(1) or 4096)) as relay,
        engine(context=own) as made,
    ):
        calling = asyncio.create_task(get(made, relay.url.replace("http:", "https:"), safe=False))
        await service.printed("Host: ")
        before = len(reads)
        service.send(b"r\n" if version == "-tls1_2" else b"K\n")
        while len(reads) == before:  # what the service sent has been passed on
            await asyncio.sleep(0)
        service.send(OK)
        assert (await calling).body == b"hi"


@on_each_loop
async def test_a_renegotiation_while_idle(certificates: dict[str, Path]) -> None:
    """The next request waits for the new keys, and is sent once."""
    own = ssl.create_default_context(cafile=certificates["here"])

    async with OpenSSL(certificates["here"], "-tls1_2") as service, engine(context=own) as made:
        for number in range(3):
            assert await responded(service, made, f"https://127.0.0.1:{service.port}/") == b"hi"
            if number < 2:
                service.send(b"r\n")
                await service.printed("SSL_do_handshake -> 1")


@on_each_loop
async def test_a_service_that_asks_for_new_keys_and_reads_nothing(certificates: dict[str, Path]) -> None:
    """Its messages are answered until it would fill the memory."""
    own, may_read = ssl.create_default_context(cafile=certificates["here"]), asyncio.Event()
    may_read.set()

    async with (
        OpenSSL(certificates["here"], "-tls1_3") as service,
        RawServer(passing_on(service.port, may_read=may_read)) as relay,
        engine(context=own) as made,
    ):
        url = relay.url.replace("http:", "https:")
        assert await responded(service, made, url) == b"hi"
        may_read.clear()
        calling = asyncio.create_task(made.send(Request("POST", url, (), bytes(16 << 20))))
        tracemalloc.start()
        for number in range(10_000):
            await service.change_keys()
            if number == _SOME:
                before, _ = tracemalloc.get_traced_memory()
                tracemalloc.reset_peak()
            if calling.done():
                break
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        with pytest.raises(SendError, match="does not read the TLS messages") as caught:
            await calling
        assert (caught.value.sent, peak - before < 1 << 20) == (True, True)
        assert made.statistics().busy == 0


@on_each_loop
async def test_an_answer_that_waited_for_the_socket_is_sent(
    certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of the request is encrypted, and the socket is full: the service gets its keys when it reads on."""
    own, may_read = ssl.create_default_context(cafile=certificates["here"]), asyncio.Event()
    may_read.set()

    with monkeypatch.context() as patch:
        narrow_sockets(patch)
        async with (
            OpenSSL(certificates["here"], "-tls1_3", "-msg") as service,
            RawServer(passing_on(service.port, may_read=may_read), narrow=True) as relay,
            engine(context=own) as made,
        ):
            url = relay.url.replace("http:", "https:")
            assert await responded(service, made, url) == b"hi"
            may_read.clear()
            calling = asyncio.create_task(made.send(Request("POST", url, (), bytes(240_000))))
            for _ in range(_SOME):
                await service.change_keys()
            may_read.set()
            await service.printed("<<< TLS 1.3, Handshake [length 0005], KeyUpdate")
            service.send(OK)
            assert (await calling).body == b"hi"
