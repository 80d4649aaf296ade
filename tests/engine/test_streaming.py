"""Downloads over the native engine: no faster than they are taken, whole or an error."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import tracemalloc
from collections.abc import AsyncIterator

import pytest

from tests.engine.raw import RawServer, Time, catch_timers, empty, engine, request, responding
from tests.support.laws import each_of
from wosdk_async.errors import DownloadError
from wosdk_async.options import Timeouts
from wosdk_async.transport.http.engine import SendError, StreamedResponse
from wosdk_async.transport.http.native.engine import NativeEngine

MIB = 1 << 20


@contextlib.asynccontextmanager
async def streamed(raw: bytes, **limits: int) -> AsyncIterator[StreamedResponse]:
    async with RawServer(responding(raw)) as server, engine(**limits) as made:
        async with made.stream(f"{server.url}/file") as response:
            yield response


async def read(response: StreamedResponse) -> bytes:
    return b"".join([chunk async for chunk in response.chunks])


@pytest.mark.parametrize(
    "head",
    [b"Content-Length: %d\r\n", b"Transfer-Encoding: chunked\r\n", b""],
    ids=["length", "chunks", "until the end"],
)
async def test_a_body_longer_than_a_response_may_be(head: bytes) -> None:
    """The bound of responses is none of downloads; their head has it."""
    body = bytes(range(256)) * 4096
    sent = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if b"chunked" in head else body
    raw = b"HTTP/1.1 200 OK\r\nX: y\r\n" + (head % len(body) if b"%" in head else head) + b"\r\n" + sent
    async with streamed(raw, body=1000) as response:
        assert (response.status, response.headers["x"]) == (200, "y")
        assert await read(response) == body


@each_of("size", [3, 100_000])
@each_of("between", [b"", b"HTTP/1.1 102 x\r\n\r\n"], ids=["at once", "behind an interim one"])
@each_of("chunked", [True, False])
async def test_a_surplus_response_is_no_part_of_the_file(chunked: bool, between: bytes, size: int) -> None:
    """It came in the same read: the file ends where its response says."""
    body = b"x" * size
    head = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % size
    sent = b"%x\r\n%b\r\n0\r\n\r\n" % (size, body) if chunked else body
    surplus = between + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    async with streamed(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n" + sent + surplus) as response:
        assert await read(response) == body


@each_of(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"hi" * 99)[:-9],
    ],
    ids=["short", "chunk missing", "no chunk", "cut gzip"],
)
async def test_a_body_that_is_not_whole(raw: bytes) -> None:
    with pytest.raises(SendError) as caught:
        async with streamed(raw) as response:
            await read(response)
    assert caught.value.sent


@pytest.mark.parametrize("coding", ["gzip, gzip", "br"])
async def test_a_coding_that_is_not_undone(coding: str) -> None:
    body = gzip.compress(gzip.compress(bytes(MIB)))
    raw = b"HTTP/1.1 200 OK\r\nContent-Encoding: %b\r\nContent-Length: %d\r\n\r\n%b"
    async with streamed(raw % (coding.encode(), len(body), body)) as response:
        with pytest.raises(DownloadError):
            await read(response)


async def test_a_slow_consumer_slows_the_service() -> None:
    """What nobody has taken stays in the sockets: the memory does not grow with the file."""
    size, written = 64 * MIB, 0

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        await request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        while written < size:
            writer.write(bytes(MIB // 4))
            await writer.drain()
            written += MIB // 4

    async with RawServer(script) as server, engine() as made:
        tracemalloc.start()
        async with made.stream(server.url) as response:
            before, turns = -1, 0
            while turns < 200:  # until the service cannot write any more
                turns = turns + 1 if written == before else 0
                before = written
                await asyncio.sleep(0)
            assert written < size / 2
            assert tracemalloc.get_traced_memory()[1] < 8 * MIB
            total = 0
            async for chunk in response.chunks:
                total += len(chunk)
        assert total == size
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
        tracemalloc.stop()


async def test_a_service_that_stops_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    """The timeout for reading counts while the consumer waits, and not while it is busy."""
    time, timers = Time(), []
    catch_timers(monkeypatch, timers)

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi")
        await reader.read()

    made = NativeEngine(timeouts=Timeouts(read=5), now=time)
    async with RawServer(script) as server:
        async with made.stream(server.url) as response:
            time.now += 60
            timers.pop()()
            assert await anext(response.chunks) == b"hi"
            waiting = asyncio.ensure_future(anext(response.chunks))
            for _ in range(20):
                await asyncio.sleep(0)
            time.now += 5.1
            timers.pop()()
            with pytest.raises(SendError) as caught:
                await waiting
            assert caught.value.timeout == "read"
        await made.aclose()
    empty(made)
