"""Connections of an engine on one event loop, and the requests that wait for one. All in O(1)."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable
from typing import NamedTuple

from wosdk_async.options import Limits, Timeouts
from wosdk_async.transport.http.engine import PoolStatistics, SendError
from wosdk_async.transport.http.native.batching import SocketReader, WriteBatcher
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.request import Origin, parse_origin, split_url
from wosdk_async.transport.http.tls import TLSContextProvider

__all__ = ["Pool"]

_FRESH = 3.0  # seconds idle after which only a request that may be sent twice gets the connection
_TICK = 0.25  # seconds between checks of the timeouts
_BUFFER = 64 * 1024
_MAX_TARGETS = 1024  # addresses that are remembered


class _Waiter(NamedTuple):
    """Request that waits: ``granted`` gets a connection, or None: the right to open one."""

    granted: asyncio.Future[Connection | None]
    origin: Origin
    since: float
    limit: float | None


class Pool:
    """Connections of one engine on one event loop.

    A request gets the idle connection that was used last. Without one it opens another, as long as there are
    fewer than ``limits.connections``; else it waits, first come first served. ``size`` counts the connections
    that are open or being opened. No request waits while one is idle or could be opened.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        limits: Limits,
        timeouts: Timeouts,
        certificates: TLSContextProvider,
        now: Callable[[], float],
    ) -> None:
        self.loop = loop
        self.limits = limits
        self.timeouts = timeouts
        self.certificates = certificates
        self.now = now
        self.writer = WriteBatcher(loop, now)
        self.reader = SocketReader(loop)
        self.buffer = memoryview(bytearray(_BUFFER))
        """Memory in which connections receive what the loop or TLS reads; each takes it out at once."""
        self.size = 0
        self.targets: dict[str, tuple[Origin, bytes]] = {}
        """Origin and request target of the addresses that were used."""
        self._origins: dict[str, Origin] = {}
        self._idle: defaultdict[Origin, dict[Connection, None]] = defaultdict(dict)
        """Idle connections, the one used last at the end."""
        self._open: set[Connection] = set()
        """Connections whose socket is not closed yet."""
        self._waiting: deque[_Waiter] = deque()
        self._shut = False
        self._all_closed: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def statistics(self) -> PoolStatistics:
        """Return the state of the connections."""
        idle = sum(map(len, self._idle.values()))
        waiting = sum(not waiter.granted.done() for waiter in self._waiting)
        return PoolStatistics(self.size - idle, idle, waiting, len(self._open))

    def locate(self, url: str) -> tuple[Origin, bytes]:
        """Return origin and request target of ``url``, and remember them. Raises ValueError."""
        if len(self.targets) >= _MAX_TARGETS:
            self.targets.clear()
        text, target = split_url(url)
        origin = self._origins.get(text)
        if origin is None:
            origin = self._origins[text] = parse_origin(text)
        place = self.targets[url] = origin, target.encode("ascii")
        return place

    # --- taking ---------------------------------------------------------------------------------

    def take(self, origin: Origin, repeat_safe: bool) -> Connection | None:
        """Return an idle connection to ``origin`` that can be trusted with the request."""
        idle = self._idle.get(origin)
        while idle:
            connection, _ = idle.popitem()
            rested = self.now() - connection.since
            if rested > _FRESH and not repeat_safe:
                idle[connection] = None  # left for a request that is; the others rested for longer still
                return None
            if rested <= self.limits.keepalive and connection.live:
                return connection
            connection.close()
        return None

    async def wait(self, origin: Origin) -> Connection | None:
        """Wait for a connection to ``origin`` that another request has just left.

        Returns None when one may be opened: its place is reserved then. Raises SendError when the timeout
        ``pool`` runs out.
        """
        if self.size < self.limits.connections or self._evict(origin):
            self.size += 1
            return None
        waiter = _Waiter(self.loop.create_future(), origin, self.now(), self.timeouts.pool)
        self._waiting.append(waiter)
        self.start_timer()
        try:
            return await waiter.granted
        except BaseException:
            granted = waiter.granted
            if not granted.cancel() and not granted.cancelled() and not granted.exception():
                self._hand_on(granted.result())
            raise

    def _hand_on(self, granted: Connection | None) -> None:
        """Give to the next what was granted to a request that was cancelled in the same turn of the loop."""
        if granted is None:
            self._free_place()
        elif granted.live:
            self.release(granted)

    def _evict(self, origin: Origin) -> bool:
        """Close the idle connection of ``origin``, or else of another, that rested longest."""
        for idle in (self._idle[origin], *self._idle.values()):
            if idle:
                next(iter(idle)).close()
                break
        return self.size < self.limits.connections

    # --- giving back ----------------------------------------------------------------------------

    def opened(self, connection: Connection) -> None:
        """Note that the socket of ``connection`` is open."""
        self._open.add(connection)

    def release(self, connection: Connection) -> None:
        """Give ``connection`` to the request that waits longest, or keep it."""
        connection.since = self.now()
        if self._shut or connection.since - connection.opened_at > self.limits.lifetime:
            connection.close()
            return
        while self._waiting:
            waiter = self._waiting[0]
            if waiter.granted.done():  # cancelled
                self._waiting.popleft()
            elif waiter.origin is not connection.origin:
                connection.close()  # which lets the waiter open its own
                return
            else:
                self._waiting.popleft().granted.set_result(connection)
                return
        self._idle[connection.origin][connection] = None

    def forget(self, connection: Connection) -> None:
        """Give the place of ``connection`` to another: it sends no more requests."""
        self.reader.remove(connection)
        self._idle[connection.origin].pop(connection, None)
        self._free_place()

    def _free_place(self) -> None:
        """Let the request that waits longest open a connection."""
        self.size -= 1
        while self._waiting:
            granted = self._waiting.popleft().granted
            if not granted.done():
                self.size += 1
                granted.set_result(None)
                return

    def closed(self, connection: Connection) -> None:
        """Note that the socket of ``connection`` is closed."""
        self._open.discard(connection)
        if self._all_closed is not None and not self._all_closed.done() and not self._closing():
            self._all_closed.set_result(None)

    # --- time -----------------------------------------------------------------------------------

    def start_timer(self) -> None:
        """Start the one timer of the pool if it does not run; it stops when there is nothing to check."""
        if self._timer is None:
            self._timer = self.loop.call_later(_TICK, self._check)

    def _check(self) -> None:
        self._timer = None
        now = self.now()
        self._refuse_overdue(now)
        for connection in list(self._open):
            connection.check(now)
        if self._open or self._waiting:
            self.start_timer()
        elif not self.size:  # hosts come and go; none of these is in use
            self.targets.clear()
            self._origins.clear()
            self._idle.clear()

    def _refuse_overdue(self, now: float) -> None:
        """Refuse requests that wait for too long. One is only looked at when it is the first in the queue."""
        while self._waiting:
            granted, _, since, limit = self._waiting[0]
            if not granted.done():
                if limit is None or now - since <= limit:
                    return
                why = f"all {self.limits.connections} connections were in use for {limit:g} s"
                granted.set_exception(SendError(why, sent=False, timeout="pool"))
            self._waiting.popleft()

    # --- the end --------------------------------------------------------------------------------

    def close(self) -> None:
        """Close what is idle; a connection in use closes when its response has been read."""
        self._shut = True
        for connection in list(self._open):
            if not connection.busy:
                connection.close()

    async def aclose(self) -> None:
        """Close what is idle, and wait until these sockets are closed."""
        self.close()
        if self._closing():
            self._all_closed = self.loop.create_future()
            await self._all_closed

    def _closing(self) -> bool:
        """Return whether a socket is open that is not in use."""
        return not all(connection.busy for connection in self._open)

    def abandon(self) -> None:
        """Leave all sockets to the parent process: this is a copy that a fork made."""
        self.writer.inherited = self.reader.inherited = True
