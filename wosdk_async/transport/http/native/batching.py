"""Sockets of a pool, written and read in batches.

Writing: the requests of one turn of the event loop leave together. Reading: asyncio runs a handle for each
socket, and a dozen calls until the bytes are there; here an epoll of our own watches the sockets, the loop
watches the epoll, and all sockets that can be read are read in one go.
"""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Callable, Collection, Container
from typing import Any, Protocol

__all__ = ["Batched", "Layer", "SocketReader", "WriteBatcher", "readable"]

_MAX_WAIT = 0.002  # seconds that a request waits for others
_LOOKED_AT = 32  # sockets that are looked at together; something may come after the look
_MAX_EVENTS = 64  # sockets that are read before the loop runs something else
_MAX_READ = 64 * 1024  # bytes that are read of one socket


class Layer(asyncio.BufferedProtocol):
    """A connection, its TLS, or a tunnel: it takes bytes from its socket, or from the TLS below it.

    ``buffer`` is memory that all layers of a pool receive in, one after the other.
    """

    def __init__(self, buffer: memoryview) -> None:
        self._buffer = buffer

    def connection_made(self, transport: Any) -> None:
        """Keep the transport: of the socket, or TLS below."""
        self._transport: asyncio.Transport = transport

    def received(self, data: bytes) -> None:
        """Take received bytes."""

    def lost(self, error: Exception | None) -> None:
        """Note that the connection is broken."""

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return the memory that the next bytes are read into."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Copy received bytes out of the memory."""
        self.received(bytes(self._buffer[:nbytes]))


class Batched(Protocol):
    """Connection whose socket is read and written together with others."""

    fd: int
    live: bool

    def send(self, unread: Container[int], now: float) -> None:
        """Send the request that waits, unless something has come on one of the ``unread`` sockets."""


class WriteBatcher:
    """Connections whose request is about to leave.

    What the tasks of one turn have to send leaves at its end, or 2 ms after the first of it was submitted.
    Sending one request after the other costs the processor much less than sending each between other work,
    and one system call tells on which of the sockets something has come: an end, or bytes of no request.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, now: Callable[[], float]) -> None:
        self._loop = loop
        self._now = now
        self._waiting: list[Batched] = []
        self._since = 0.0  # when the first of them was submitted
        self.inherited = False
        """Whether a fork copied it: then the parent process sends these requests."""

    def submit(self, connection: Batched, alone: bool) -> None:
        """Send the request of ``connection`` with the others of this turn; at once if it is ``alone``."""
        if alone:
            self._waiting.append(connection)
            self._send_all()
            return
        now = self._now()
        if not self._waiting:
            self._loop.call_soon(self._send_all)
            self._since = now
        self._waiting.append(connection)
        if now - self._since > _MAX_WAIT:
            self._send_all()

    def _send_all(self) -> None:
        if self.inherited or not self._waiting:  # sent already, after 2 ms
            return
        waiting, self._waiting = self._waiting, []
        while waiting:
            part, waiting = waiting[:_LOOKED_AT], waiting[_LOOKED_AT:]
            unread, now = readable([connection.fd for connection in part]), self._now()
            for connection in part:
                connection.send(unread, now)


def readable(fds: Collection[int]) -> set[int]:
    """Return the numbers of those sockets that have bytes, or their end, to read."""
    if not hasattr(select, "poll"):  # Windows
        return set(select.select(fds, (), (), 0)[0])
    poll = select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN)
    return {fd for fd, _ in poll.poll(0)}


class SocketReader:
    """Reads the sockets of the connections of one pool with its own epoll.

    The loop still opens and closes the sockets, and writes to them. It also reads them until a TLS handshake
    has ended, where there is no epoll, and where it is neither asyncio's own loop nor uvloop.
    docs/benchmarks.md has what it saves.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        # Not a loop that simulates the network, nor Windows': only those that watch an epoll.
        watches = isinstance(loop, asyncio.SelectorEventLoop) or type(loop).__module__ == "uvloop"
        self.supported = watches and hasattr(select, "epoll")
        """Whether it can read on this loop."""
        self._epoll: select.epoll | None = None  # only while there is something to watch
        self._sources: dict[int, tuple[Batched, Layer, asyncio.Transport]] = {}
        """The connection of each socket, what takes its bytes, and its transport."""
        self.inherited = False
        """Whether a fork copied it: then the parent process uses the same epoll."""

    def add(self, connection: Batched, raw: asyncio.Transport, above: Layer) -> None:
        """Read the socket of ``raw`` for ``connection``, unless that has ended; ``above`` takes the bytes."""
        if not self.supported or not connection.live:
            return
        epoll = self._epoll
        if epoll is None:
            epoll = self._epoll = select.epoll()
            self._loop.add_reader(epoll.fileno(), self._receive, epoll)
        epoll.register(connection.fd, select.EPOLLIN)
        raw.pause_reading()
        self._sources[connection.fd] = connection, above, raw

    def remove(self, connection: Batched) -> None:
        """Let the loop read what is still to come for ``connection``."""
        source, epoll = self._sources.get(connection.fd), self._epoll
        if source is None or epoll is None or self.inherited:
            return
        del self._sources[connection.fd]
        epoll.unregister(connection.fd)
        source[2].resume_reading()
        if not self._sources:
            self._loop.remove_reader(epoll.fileno())
            epoll.close()
            self._epoll = None

    def _receive(self, epoll: select.epoll) -> None:
        if self.inherited:  # a child that keeps running this loop would take the parent's bytes
            return
        sources, read = self._sources, os.read
        for fd, _ in epoll.poll(0, _MAX_EVENTS):
            source = sources.get(fd)
            if source is None:
                continue  # removed while another socket of this batch was read
            connection, above, _ = source
            try:
                if data := read(fd, _MAX_READ):
                    above.received(data)
                else:
                    self.remove(connection)  # the loop reads the end as well
            except BlockingIOError:
                pass
            except Exception as error:
                above.lost(error)
