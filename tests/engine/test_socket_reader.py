"""How responses are read: by an epoll of our own where there is one, else by the loop. Both do the same."""

from __future__ import annotations

import asyncio
import os
import select
import socket
import ssl
import struct
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import serving
from tests.engine.raw import (
    OK,
    Apart,
    RawServer,
    echoing,
    engine,
    get,
    on_each_loop,
    request,
    responding,
)
from wosdk_async.transport.http.engine import PoolStatistics, SendError
from wosdk_async.transport.http.native.engine import NativeEngine

WAYS = {"epoll": True, "loop": False}
if not hasattr(select, "epoll"):  # macOS has one way only
    del WAYS["epoll"]
BOTH = pytest.mark.parametrize("epoll", WAYS.values(), ids=WAYS, indirect=True)


@pytest.fixture
def epoll(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Without an epoll the loop reads; the one of the test has its own already."""
    wanted: bool = request.param
    if not wanted:
        monkeypatch.delattr(select, "epoll", raising=False)
    return wanted


def epolls() -> int:
    """How many this process has open."""
    folder = Path("/proc/self/fd")
    if not folder.exists():  # macOS, which has no epoll
        return 0
    links = (os.readlink(folder / name) for name in os.listdir(folder) if (folder / name).is_symlink())
    return sum("eventpoll" in link for link in links)


@BOTH
async def test_responses_that_come_in_the_same_moment(epoll: bool) -> None:
    """Many more than are read in one go: each call gets its own."""
    asked: set[bytes] = set()
    everyone = asyncio.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = (await request(reader)).split(b" ")[1]
        asked.add(target)
        if len(asked) == 150:
            everyone.set()
        await everyone.wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(target), target))
        await writer.drain()
        await reader.read()

    before = epolls()
    async with RawServer(script) as server, engine(connections=150) as made:
        responses = await asyncio.gather(*(get(made, f"{server.url}/{n}") for n in range(150)))
        assert epolls() - before == epoll
    assert [response.body for response in responses] == [b"/%d" % n for n in range(150)]
    assert epolls() == before  # it is closed with the last connection


@BOTH
async def test_a_response_that_ends_with_the_connection(epoll: bool) -> None:
    """A body without a length is whole when the service closes."""
    async with RawServer(responding(b"HTTP/1.1 200 OK\r\n\r\nall of it")) as server, engine() as made:
        assert (await get(made, server.url)).body == b"all of it"
        assert made.statistics().idle == 0


@pytest.mark.plain("with TLS it is not made before the handshake has ended")
@on_each_loop
@pytest.mark.parametrize("how", ["closed", "about to be"])
async def test_a_connection_that_ends_as_it_is_made_is_not_watched(how: str) -> None:
    """Nobody would take it out again: the epoll would stay, and stand for the next socket of that number."""

    loop, before = asyncio.get_running_loop(), epolls()
    create_connection: Any = loop.create_connection

    async def and_ends(factory: Any, **named: Any) -> Any:
        transport, protocol = await create_connection(factory, **named)
        transport.abort() if how == "about to be" else protocol.eof_received()
        return transport, protocol

    async with RawServer(echoing) as server, engine() as made:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "create_connection", and_ends)
            with pytest.raises(SendError) as caught:
                await get(made, server.url, safe=False)
            assert not caught.value.sent
        while made.statistics().sockets:
            await asyncio.sleep(0)
        assert epolls() == before
        assert (await get(made, server.url, safe=False)).body == b"/"


@on_each_loop
async def test_a_number_of_a_socket_that_is_used_again() -> None:
    """Each connection that ends leaves its number to the next: the responses are the right ones."""

    before = epolls()
    closing = responding(OK.replace(b"hi", b"no"))
    async with RawServer(closing) as short, RawServer(echoing) as long, engine(connections=4) as made:
        for number in range(30):
            ended, response, *_ = await asyncio.gather(
                get(made, short.url), *(get(made, f"{long.url}/{number}") for _ in range(3))
            )
            assert (ended.body, response.body) == (b"no", b"/%d" % number)
    assert epolls() == before


@BOTH
async def test_a_connection_that_is_reset_says_so(epoll: bool) -> None:
    """After the request was read: in doubt, with what the system says of it."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        mine = writer.get_extra_info("socket")
        mine.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    async with RawServer(script) as server, engine() as made:
        with pytest.raises(SendError, match="reset by peer") as caught:
            await get(made, server.url, safe=False)
    assert caught.value.sent


@BOTH
async def test_tls_ends_in_good_order(certificates: dict[str, Path], epoll: bool) -> None:
    """Many requests over few connections; the service hears the end of TLS, not that of the socket alone."""
    ended: list[bytes] = []

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await echoing(reader, writer)
        except asyncio.IncompleteReadError as end:
            ended.append(end.partial)

    own = ssl.create_default_context(cafile=certificates["here"])
    async with RawServer(script, serving(certificates["here"])) as server:
        async with engine(context=own, connections=3) as made:
            responses = await asyncio.gather(*(get(made, f"{server.url}/{n}") for n in range(50)))
            assert [response.body for response in responses] == [b"/%d" % n for n in range(50)]
        while len(ended) < server.connections:
            await asyncio.sleep(0)
    assert set(ended) == {b""}


async def test_a_socket_below_tls_that_breaks_is_not_watched_any_more(
    certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even when somebody else still holds it, as a forked child does: the kernel would report it for
    ever, and the loop would never sleep.
    """
    own = ssl.create_default_context(cafile=certificates["here"])
    before = epolls()
    loop = asyncio.get_running_loop()
    create_connection: Any = loop.create_connection
    below_tls: list[asyncio.Transport] = []

    async def noting(factory: Any, **named: Any) -> Any:
        transport, protocol = await create_connection(factory, **named)
        below_tls.append(transport)
        return transport, protocol

    monkeypatch.setattr(loop, "create_connection", noting)
    async with RawServer(echoing, serving(certificates["here"])) as server, engine(context=own) as made:
        await get(made, server.url)
        (raw,) = below_tls
        held = os.dup(raw.get_extra_info("socket").fileno())
        raw.abort()  # what the loop does when it cannot write
        while made.statistics() != PoolStatistics():
            await asyncio.sleep(0)
        assert epolls() == before
        os.close(held)
        assert (await get(made, server.url)).body == b"/"


def test_a_forked_child_does_not_make_the_parent_deaf() -> None:
    """It shares the epoll: a call that the child cancels must still get its response in the parent."""
    made, loop = NativeEngine(), asyncio.new_event_loop()
    go = threading.Event()

    async def waiting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        await asyncio.to_thread(go.wait, 5)
        writer.write(OK)

    with Apart(waiting) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of a fork beside threads
        call = loop.create_task(get(made, server.url, sending=lambda: loop.call_soon(loop.stop)))
        loop.run_forever()  # until the request has left
        child = os.fork()
        if child == 0:
            call.cancel()
            loop.call_soon(loop.call_soon, loop.stop)
            loop.run_forever()
            os._exit(0 if call.cancelled() else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        go.set()
        assert loop.run_until_complete(asyncio.wait_for(call, 5)).body == b"hi"
        loop.run_until_complete(made.aclose())
        loop.close()
