"""What has come: all sockets of a pool that have something are read in one go.

asyncio runs a handle for each of them, and a dozen calls until the bytes are there. Here an epoll of our own
watches the sockets, and the loop watches the epoll. The loop still opens, writes and closes, shakes hands and
says goodbye. Where there is no epoll, or the loop is another one than asyncio's, it reads as well.
"""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from wosdk_async.transport.http.native.connection import Connection

__all__ = ["SocketReader"]

_AT_ONCE = 64  # sockets, before the loop turns to something else
_MOST = 64 * 1024  # bytes of a socket


class _Source(NamedTuple):
    """Whose socket it is, the TLS that takes its bytes, if there is any, and what asyncio has it in."""

    connection: Connection
    tls: asyncio.BufferedProtocol | None
    raw: asyncio.Transport


class SocketReader:
    """Reads for the connections of one pool."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.able = hasattr(select, "epoll") and isinstance(loop, asyncio.SelectorEventLoop)
        """Whether it can read on this loop."""
        self._epoll: select.epoll | None = None  # only while there is something to watch
        self._sources: dict[int, _Source] = {}
        self.inherited = False
        """Whether it came along with a fork: the epoll is the parent's too."""

    def add(self, connection: Connection, raw: asyncio.Transport) -> None:
        """Read for ``connection`` from now on. ``raw`` is the transport of its socket, below any TLS."""
        if not self.able or raw.is_closing():
            return
        epoll = self._epoll
        if epoll is None:
            epoll = self._epoll = select.epoll()
            self._loop.add_reader(epoll.fileno(), self._receive, epoll)
        epoll.register(connection.socket, select.EPOLLIN)
        raw.pause_reading()
        tls = cast(asyncio.BufferedProtocol, raw.get_protocol()) if connection.origin.tls else None
        if tls is not None:
            raw.set_protocol(_Below(tls, lambda: self.remove(connection)))
        self._sources[connection.socket] = _Source(connection, tls, raw)

    def remove(self, connection: Connection) -> None:
        """Leave what is still to come for ``connection`` to the loop."""
        source, epoll = self._sources.get(connection.socket), self._epoll
        if source is None or source.connection is not connection or epoll is None or self.inherited:
            return
        del self._sources[connection.socket]
        epoll.unregister(connection.socket)
        source.raw.resume_reading()
        if not self._sources:
            self._loop.remove_reader(epoll.fileno())
            epoll.close()
            self._epoll = None

    def _receive(self, epoll: select.epoll) -> None:
        sources, read = self._sources, os.read
        for socket, _ in epoll.poll(0, _AT_ONCE):
            source = sources.get(socket)
            if source is None:
                continue  # let go of by what came for another
            connection, tls, _ = source
            try:
                if tls is None:
                    data = read(socket, _MOST)
                    if data:
                        connection.received(data)
                    else:
                        self.remove(connection)  # the loop comes upon the end as well
                elif count := os.readv(socket, (tls.get_buffer(-1),)):
                    tls.buffer_updated(count)
                else:
                    self.remove(connection)
            except BlockingIOError:
                pass
            except Exception as error:
                connection.broken(error)


class _Below(asyncio.BufferedProtocol):
    """Stands between a socket and its TLS, to be told of the socket's end before it is closed."""

    def __init__(self, tls: asyncio.BufferedProtocol, ended: Callable[[], None]) -> None:
        self._tls = tls
        self._ended = ended

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended()
        self._tls.connection_lost(exc)

    def get_buffer(self, sizehint: int) -> memoryview:
        return cast(memoryview, self._tls.get_buffer(sizehint))

    def buffer_updated(self, nbytes: int) -> None:
        self._tls.buffer_updated(nbytes)

    def eof_received(self) -> bool | None:
        return self._tls.eof_received()

    def pause_writing(self) -> None:
        self._tls.pause_writing()

    def resume_writing(self) -> None:
        self._tls.resume_writing()
