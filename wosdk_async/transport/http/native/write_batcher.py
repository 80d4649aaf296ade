"""What is about to be sent: the requests of one turn of the event loop leave together."""

from __future__ import annotations

import asyncio
import select
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wosdk_async.transport.http.native.connection import Connection

__all__ = ["WriteBatcher", "readable"]

_LATEST = 0.002  # seconds that a request waits for others at most


class WriteBatcher:
    """Connections that have taken a request.

    What the tasks of one turn have to send leaves at its end, or a little later than the first of it came.
    One after the other costs the processor much less than in turns with all that is done between two
    requests, and the sockets are asked together whether the service has closed them.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, now: Callable[[], float]) -> None:
        self._loop = loop
        self._now = now
        # A loop that stands in for the network (benchmarks/simulate) answers for its sockets itself.
        self._readable: Callable[[Collection[int]], Collection[int]] = getattr(loop, "readable", readable)
        self._waiting: list[Connection] = []
        self._since = 0.0  # when the first of them came
        self.inherited = False
        """Whether it came along with a fork: then the parent sends for itself."""

    def post(self, connection: Connection, alone: bool) -> None:
        """See to it that the request of ``connection`` leaves; at once if it is ``alone``."""
        if alone:
            self._send([connection])
            return
        now = self._now()
        if not self._waiting:
            self._loop.call_soon(self._send_all)
            self._since = now
        self._waiting.append(connection)
        if now - self._since > _LATEST:
            self._send_all()

    def _send_all(self) -> None:
        connections, self._waiting = self._waiting, []
        if not self.inherited:
            self._send(connections)

    def _send(self, connections: list[Connection]) -> None:
        doubtful = [connection.socket for connection in connections if connection.careful]
        ended = self._readable(doubtful) if doubtful else ()
        now = self._now()
        for connection in connections:
            connection.send(ended, now)


def readable(sockets: Collection[int]) -> set[int]:
    """Those where bytes, or the end, wait to be read."""
    if not hasattr(select, "poll"):  # Windows
        return set(select.select(sockets, (), (), 0)[0])
    poll = select.poll()
    for socket in sockets:
        poll.register(socket, select.POLLIN)
    return {socket for socket, _ in poll.poll(0)}
