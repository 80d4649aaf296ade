"""Servers that say exactly what a test wants, and an engine that must leave nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import os
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import SimpleNamespace
from typing import Any, Self, TypeVar

import pytest
import uvloop

from tests.support.serving import Connections
from tests.support.tls import serving_context
from wosdk_async.options import Limits, Timeouts
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import PoolStatistics, Request
from wosdk_async.transport.http.native import connect
from wosdk_async.transport.http.native.engine import NativeEngine

LOOPS = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
VERSIONS = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

_NARROW = 4096  # bytes

T = TypeVar("T")

Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def on_each_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run a test on asyncio's loop and on uvloop's, whichever the suite runs on."""

    def runs(run: Callable[..., None], **given: Any) -> None:
        run(test(**given))

    asked = inspect.signature(test).parameters.values()
    (run,) = list(inspect.signature(runs).parameters.values())[:1]
    functools.update_wrapper(runs, test)
    del vars(runs)["__wrapped__"]  # its signature is the one that pytest would read
    vars(runs)["__signature__"] = inspect.Signature([run, *asked])
    return LOOPS(runs)


async def request(reader: asyncio.StreamReader) -> bytes:
    """One request, whole."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = 0
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line[15:])
    return head + await reader.readexactly(length)


def responding(*responses: bytes) -> Script:
    """Each connection gives these responses, one for each request, and closes after the last."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for response in responses:
            await request(reader)
            writer.write(response)
            await writer.drain()

    return script


async def echoing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The target of every request, as the body of its response."""
    while True:
        target = (await request(reader)).split(b" ")[1]
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(target), target))
        await writer.drain()


def catch_timers(patch: pytest.MonkeyPatch, timers: list[Callable[[], None]]) -> None:
    """Put the timers of a pool into a list instead of starting them.

    By the same call, a connection starts one of 2 ms, and uvloop those of ``asyncio.timeout``, of seconds.
    """
    loop = asyncio.get_running_loop()
    call_later = loop.call_later

    def caught(seconds: float, timer: Callable[[], None], *args: Any, **context: Any) -> Any:
        if not 0.1 < seconds < 0.9:  # a call of 1 s has already lost some of it
            return call_later(seconds, timer, *args, **context)
        timers.append(timer)
        return timer

    patch.setattr(loop, "call_later", caught)


@contextlib.contextmanager
def below(writer: asyncio.StreamWriter) -> Iterator[socket.socket]:
    """The socket of a connection, below any TLS; uvloop shows one that cannot send."""
    with socket.socket(fileno=os.dup(writer.get_extra_info("socket").fileno())) as own:
        yield own


def open_sockets_by(patch: pytest.MonkeyPatch, make: Callable[..., socket.socket]) -> None:
    """Let engines open their sockets with ``make``."""
    patch.setattr(connect, "socket", SimpleNamespace(**{**vars(socket), "socket": make}))


def narrow_sockets(patch: pytest.MonkeyPatch) -> list[socket.socket]:
    """Let the sockets of engines hold only some kilobytes that the service has not read; return them."""
    made: list[socket.socket] = []

    def narrow(*arguments: Any) -> socket.socket:
        made.append(socket.socket(*arguments))
        made[-1].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _NARROW)
        return made[-1]

    open_sockets_by(patch, narrow)
    return made


class Time:
    """A clock that the test turns, and that counts how often it is read."""

    now = 1000.0
    reads = 0

    def __call__(self) -> float:
        self.reads += 1
        return self.now


class TLSPeer:
    """TLS of a service, one step after the other, over a connection without any."""

    def __init__(
        self, context: ssl.SSLContext, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._reader, self._writer = reader, writer
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    async def do(self, step: Callable[..., T], *arguments: Any) -> T:
        """Return what a method of ``tls`` returns, once enough has come for it. Raises ssl.SSLError."""
        while True:
            try:
                return step(*arguments)
            except ssl.SSLWantReadError:
                self._writer.write(self._outgoing.read())
                if data := await self._reader.read(4096):
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()
            finally:
                self._writer.write(self._outgoing.read())


class RawServer(Connections):
    """Runs ``script`` for each connection and closes it then; ``connections`` counts them.

    Args:
        script: what it does with a connection.
        context: its certificate; without one it speaks TLS only if ``WOSDK_TEST_TLS`` is set.
        narrow: whether its sockets hold only some kilobytes that the script has not read.
    """

    def __init__(
        self, script: Script, context: ssl.SSLContext | None = None, *, narrow: bool = False
    ) -> None:
        super().__init__()
        self._script = script
        self._context = context or serving_context()
        self._narrow = narrow

    @property
    def open(self) -> int:
        """How many connections are open."""
        return len(self._tasks)

    async def __aenter__(self) -> Self:
        limit = _NARROW if self._narrow else 2**16
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", 0, ssl=self._context, backlog=512, limit=limit
        )
        listening = self._server.sockets[0]
        if self._narrow:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _NARROW)
        scheme = "https" if self._context else "http"
        self.url = f"{scheme}://127.0.0.1:{listening.getsockname()[1]}"
        return self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
                await self._script(reader, writer)
        except asyncio.CancelledError:
            # A client that keeps its connection answers no close_notify: Python 3.12 would wait 30 s for it.
            writer.transport.abort()
            raise
        finally:
            writer.close()


class Apart:
    """A server on a loop of its own, in a thread of its own."""

    def __init__(self, script: Script = echoing) -> None:
        self._script = script

    def __enter__(self) -> RawServer:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._server = RawServer(self._script)
        return asyncio.run_coroutine_threadsafe(self._server.__aenter__(), self._loop).result(5)

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._server.__aexit__(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()


@contextlib.contextmanager
def speaking_late(say: Script) -> Iterator[tuple[RawServer, Callable[[], None]]]:
    """A server that responds and then leaves the connection idle, and a function that lets it ``say`` more.

    The function blocks the loop that calls it until that was said, so the loop cannot have seen it.
    """
    go, said = threading.Event(), threading.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(OK)
        await asyncio.to_thread(go.wait, 5)
        await say(reader, writer)
        said.set()
        await reader.read()

    def speak() -> None:
        go.set()
        assert said.wait(5)

    with Apart(script) as server:
        yield server, speak


@contextlib.asynccontextmanager
async def engine(
    timeouts: Timeouts | None = None,
    context: ssl.SSLContext | None = None,
    now: Callable[[], float] = time.monotonic,
    **limits: Any,
) -> AsyncIterator[NativeEngine]:
    """An engine that has given back every place and closed every socket when its block is left; no wait in
    it may take as long as an idle connection is kept, for that would heal what is lost.
    """
    made = NativeEngine(limits=Limits(**limits), timeouts=timeouts, ssl_context=context, now=now)
    async with asyncio.timeout(10):
        yield made
        await made.aclose()
    empty(made)


def empty(made: NativeEngine) -> None:
    """Check that no connection is open or reserved and that no request waits."""
    assert made.statistics() == PoolStatistics()


async def get(
    made: NativeEngine, url: str, *, safe: bool = True, sending: Callable[[], None] | None = None
) -> Response:
    """The response to a GET."""
    return await made.send(Request("GET", url, (), None, sending or (lambda: None), repeat_safe=safe))
