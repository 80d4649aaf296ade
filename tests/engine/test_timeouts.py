"""What takes too long, and whether the service may have seen it: known, not guessed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import attrs
import pytest

from tests.engine.raw import OK, RawServer, Time, catch_timers, engine, get, request, responding
from tests.support.deaf import deaf_port
from tests.support.laws import each_of
from tests.support.virtual import settle
from wosdk_async.options import Timeouts
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import Request, SendError
from wosdk_async.transport.http.native.engine import NativeEngine


async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


class Sending:
    """Counts how often the first byte was about to leave."""

    count = 0

    def __call__(self) -> None:
        self.count += 1


async def failure(made: NativeEngine, url: str, body: bytes | None = None, method: str = "POST") -> SendError:
    """Return how a request fails; ``sent`` and ``on_sending`` always agree."""
    sending = Sending()
    with pytest.raises(SendError) as caught:
        await made.send(Request(method, url, (("A", "b"),), body, sending))
    assert caught.value.sent is (sending.count == 1)
    return caught.value


async def test_a_service_that_says_nothing() -> None:
    """Read timeout: sent, and the connection is closed."""
    async with RawServer(hang) as server, engine(Timeouts(read=0.01)) as made:
        failed = await failure(made, server.url)
        assert (failed.sent, failed.timeout) == (True, "read")
        assert "busy, 0 idle" in repr(made)


async def test_a_service_that_goes_on_is_not_too_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The read timeout counts from the last byte: a slow response is read to its end."""
    time, timers, arrived, go = Time(), list[Callable[[], None]](), asyncio.Event(), asyncio.Semaphore(0)
    catch_timers(monkeypatch, timers)

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        arrived.set()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
        for _ in range(3):
            await go.acquire()
            writer.write(b"x")

    async with RawServer(drip) as server, engine(Timeouts(read=5.0), now=time) as made:
        calling = asyncio.create_task(get(made, server.url))
        await arrived.wait()
        for _ in range(3):
            time.now += 4.9
            timers.pop()()
            before = time.reads
            go.release()
            async with asyncio.timeout(5):
                while time.reads == before and not calling.done():  # the time of each byte is noted
                    await asyncio.sleep(0)
        assert (await calling).body == b"xxx"


async def test_a_service_that_takes_nothing() -> None:
    """Write timeout: the service stops reading in the middle of a large request."""
    stop = asyncio.Event()

    async def full(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.pause_reading()
        await stop.wait()

    async with RawServer(full) as server, engine(Timeouts(write=0.01)) as made:
        failed = await failure(made, server.url, b"x" * 20_000_000)
        stop.set()
    assert (failed.sent, failed.timeout) == (True, "write")


async def test_a_service_that_takes_it_slowly() -> None:
    """The write timeout counts from the last byte that was taken."""

    async def slowly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(12):
            await asyncio.sleep(0.1)  # real time: only the kernel knows when its buffers are full
            await reader.readexactly(500_000)
        await reader.readexactly(14_000_000)
        writer.write(OK)

    async with RawServer(slowly) as server, engine(Timeouts(write=1.0)) as made:
        assert (await made.send(Request("POST", server.url, (), b"x" * 20_000_000))).body == b"hi"


async def test_all_connections_are_in_use() -> None:
    """Pool timeout: never sent, and the one in use goes on."""
    go = asyncio.Event()

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        await go.wait()
        writer.write(OK)

    async with RawServer(wait) as server, engine(Timeouts(pool=0.01), connections=1) as made:
        first = asyncio.create_task(get(made, server.url))
        await asyncio.sleep(0)
        failed = await failure(made, server.url)
        assert made.statistics().waiting == 0
        go.set()
        assert (await first).body == b"hi"
    assert (failed.sent, failed.timeout) == (False, "pool")


async def test_a_host_that_does_not_answer() -> None:
    """Connect timeout: a listener whose queue is full accepts nothing. Never sent."""
    with deaf_port() as port:
        async with engine(Timeouts(connect=0.05)) as made:
            failed = await failure(made, f"http://127.0.0.1:{port}")
    assert (failed.sent, failed.timeout) == (False, "connect")


UNSENDABLE = {
    "refused": ("http://127.0.0.1:1/", "Connect call failed"),
    "no such host": ("http://no.such.host.invalid/", "no.such.host.invalid"),
    "no host's name": (f"http://{'a' * 70}.example/", "aaaa"),
    "another scheme": ("ftp://service/", "not an http or https origin"),
    "no host": ("http:///x", "not an http or https origin"),
    "a password": ("http://me:secret@service/", "not an http or https origin"),
    "a line break": ("http://service/a\r\nX: y", "percent-encoded"),
    "a blank": ("http://service/a b", "percent-encoded"),
    "not ASCII": ("http://service/é", "percent-encoded"),
}


@each_of(("url", "why"), UNSENDABLE.values(), ids=UNSENDABLE)
async def test_what_cannot_be_sent_is_never_sent(url: str, why: str) -> None:
    """No connection, or no request: on_sending is not called."""
    async with engine() as made:
        failed = await failure(made, url)
    assert not failed.sent
    assert why in str(failed)


@each_of("header", [("A", "b\r\nX: y"), ("A\r\nX", "b"), ("A", "\0"), ("", "b"), ("Ä", "b")])
async def test_headers_cannot_carry_others(header: tuple[str, str]) -> None:
    """A line break in a name or value is refused before anything is sent."""
    async with RawServer(responding(OK)) as server, engine() as made:
        with pytest.raises(SendError) as caught:
            await made.send(Request("GET", server.url, (header,)))
    assert not caught.value.sent
    assert server.connections == 0


LARGE = 20_000_000  # bytes of a body that no socket holds


@attrs.define
class Hasty:
    """A script that says ``early`` before it reads a request, and ``late``, if any, once it has read it."""

    early: bytes
    late: bytes = b""
    stop: asyncio.Event = attrs.field(factory=asyncio.Event)

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(1)  # what comes before the request belongs to none
        writer.transport.pause_reading()
        writer.write(self.early)
        await settle()
        if self.late:
            writer.transport.resume_reading()
            await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(LARGE)
            writer.write(self.late)
        await self.stop.wait()


async def hurried(script: Hasty, *, repeat_safe: bool = False) -> Response:
    """Return the response to a large request, after which the connection must be gone."""
    async with RawServer(script) as server, engine() as made:
        try:
            response: Response = await made.send(
                Request("POST", server.url, (), b"x" * LARGE, repeat_safe=repeat_safe)
            )
            return response
        finally:
            busy = repr(made)
            script.stop.set()
            assert script.late or "busy, 0 idle" in busy


def http(status: int, body: bytes = b"hi") -> bytes:
    return b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)


@pytest.mark.parametrize("status", [400, 413, 500])
async def test_an_error_before_the_request_was_read(status: int) -> None:
    """It counts; the connection, on which the rest of the request is stuck, is closed."""
    assert (await hurried(Hasty(http(status)))).status == status


@pytest.mark.parametrize("repeat_safe", [False, True], ids=["once", "repeat-safe"])
@pytest.mark.parametrize("early", [OK, http(302)], ids=["200", "302"])
async def test_a_success_before_the_request_was_read(early: bytes, repeat_safe: bool) -> None:
    """No service carries out what it has not read: the response is another's, and the request is in doubt."""
    with pytest.raises(SendError) as caught:
        await hurried(Hasty(early), repeat_safe=repeat_safe)
    assert caught.value.sent


@pytest.mark.parametrize("size", [10, -1], ids=["head", "body"])
@pytest.mark.parametrize("response", [OK, http(413)], ids=["200", "413"])
async def test_a_response_that_began_before_the_request_was_read(response: bytes, size: int) -> None:
    """Its rest comes once the service has the request, and may carry it out: even an error tells nothing."""
    with pytest.raises(SendError) as caught:
        await hurried(Hasty(response[:size], response[size:]))
    assert caught.value.sent


async def test_an_interim_response_before_the_request_was_read() -> None:
    """A 1xx is no result, so the one that follows counts."""
    assert (await hurried(Hasty(b"HTTP/1.1 100 Continue\r\n\r\n", OK))).body == b"hi"
