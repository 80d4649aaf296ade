"""Batched socket reads and writes for one pool.

Writing: all requests of one event loop iteration are sent together. Reading: our own epoll watches the
sockets, and the loop watches the epoll. All readable sockets are read in one batch; asyncio alone would make
a dozen calls per socket.
"""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Callable, Collection, Container
from typing import Any, Protocol

_MAX_WAIT = 0.002  # maximum seconds that a request waits for others
_BATCH = 32  # sockets checked together: few, because bytes may arrive between the check and the write
_MAX_EVENTS = 64  # maximum sockets read before the loop runs other work
_MAX_READ = 64 * 1024  # maximum bytes read per socket


class Layer(asyncio.BufferedProtocol):
    """Connection, TLS or tunnel: receives bytes from a socket or from the underlying TLS layer.

    ``buffer`` is receive memory that all layers of a pool share.
    """

    def __init__(self, buffer: memoryview) -> None:
        self._buffer = buffer

    def connection_made(self, transport: Any) -> None:
        """Keep the transport of the socket or of the underlying TLS layer."""
        self._transport: asyncio.Transport = transport

    def received(self, data: bytes) -> None:
        """Handle received bytes."""

    def lost(self, error: Exception | None) -> None:
        """Handle a broken connection."""

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return the buffer that receives the next bytes."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Copy the received bytes out of the shared memory."""
        self.received(bytes(self._buffer[:nbytes]))


class Batched(Protocol):
    """Connection whose socket is read and written in batches."""

    fd: int
    live: bool

    def send(self, unread: Container[int], now: float) -> None:
        """Send the waiting request, unless one of the ``unread`` sockets belongs to this connection."""


class WriteBatcher:
    """Connections whose requests are about to be sent.

    Requests from one event loop iteration are sent at its end, or 2 ms after the first was submitted. Sending
    them back to back costs far less CPU than sending each between other work. A single system call shows
    which of their sockets have received an end of file or unexpected bytes.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, now: Callable[[], float]) -> None:
        self._loop = loop
        self._now = now
        self._waiting: list[Batched] = []
        self._since = 0.0  # time at which the first waiting request was submitted
        self.inherited = False
        """Whether this is a forked copy; if so, the parent process sends the requests."""

    def submit(self, connection: Batched, alone: bool) -> None:
        """Send the request of ``connection`` with the others of this iteration, or at once if ``alone``."""
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
        if self.inherited or not self._waiting:  # none waits if submit() has sent all after 2 ms
            return
        waiting, self._waiting = self._waiting, []
        while waiting:
            part, waiting = waiting[:_BATCH], waiting[_BATCH:]
            unread, now = readable([connection.fd for connection in part]), self._now()
            for connection in part:
                connection.send(unread, now)


def readable(fds: Collection[int]) -> set[int]:
    """Return the file descriptors of sockets with unread bytes or an end of file."""
    if not hasattr(select, "poll"):  # Windows
        return set(select.select(fds, (), (), 0)[0])
    poll = select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN)
    return {fd for fd, _ in poll.poll(0)}


class SocketReader:
    """Reader of one pool's sockets, through its own epoll.

    The loop opens, writes and closes the sockets, and reads them during a TLS handshake. Without epoll, and
    on loops other than asyncio's own and uvloop, the loop always reads them.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        # Only these loops can watch an epoll; simulated loops and those of Windows cannot.
        can_watch = isinstance(loop, asyncio.SelectorEventLoop) or type(loop).__module__ == "uvloop"
        self.supported = can_watch and hasattr(select, "epoll")
        self._epoll: select.epoll | None = None  # exists only while sockets are watched
        self._sources: dict[int, tuple[Batched, Layer, asyncio.Transport]] = {}
        """Connections with their byte receivers and transports, keyed by file descriptor."""
        self.inherited = False
        """Whether this is a forked copy; if so, the parent process uses the same epoll."""

    def add(self, connection: Batched, raw: asyncio.Transport, above: Layer) -> None:
        """Read the socket of ``raw`` and pass the bytes to ``above``, unless ``connection`` is closed."""
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
        """Let the loop read ``connection`` again."""
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
                continue  # the socket was removed while another one of this batch was read
            connection, above, _ = source
            try:
                if data := read(fd, _MAX_READ):
                    above.received(data)
                else:
                    self.remove(connection)  # the loop reads the end of file again, and handles it
            except BlockingIOError:
                pass
            except Exception as error:
                above.lost(error)
