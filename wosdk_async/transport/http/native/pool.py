"""Which connection takes a request: the one used last, or first come first served. All in O(1)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from wosdk_async.options import Limits
from wosdk_async.transport.http.engine import PoolStatistics, SendError
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.request import Origin
from wosdk_async.transport.http.native.socket_reader import SocketReader
from wosdk_async.transport.http.native.write_batcher import WriteBatcher
from wosdk_async.transport.http.tls import TLSContextProvider

__all__ = ["Pool"]

_FRESH = 3.0  # seconds idle after which a connection is trusted only with what can be sent again
_TICK = 0.25  # seconds between looks at what has been silent for too long
_BUFFER = 64 * 1024


class _Waiter(NamedTuple):
    """Gets a connection of its origin, or None: the right to open one."""

    granted: asyncio.Future[Connection | None]
    origin: Origin
    since: float
    limit: float | None


class Pool:
    """The connections of one engine on one event loop.

    ``size`` counts those that are open or being opened, never more than ``limits.connections``. Nobody waits
    while one is idle or could be opened.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        limits: Limits,
        trust: TLSContextProvider,
        now: Callable[[], float],
    ) -> None:
        self.loop = loop
        self.limits = limits
        self.trust = trust
        self.now = now
        self.outbox = WriteBatcher(loop, now)
        self.receiver = SocketReader(loop)
        self.buffer = memoryview(bytearray(_BUFFER))
        """Where connections receive what the loop or TLS reads: each takes it before the next one's comes."""
        self.open: set[Connection] = set()
        """Every connection whose socket is not closed yet."""
        self.size = 0
        self.origins: dict[str, Origin] = {}
        self.places: dict[str, tuple[Origin, bytes]] = {}
        """Address -> its origin and target."""
        self._waiting: deque[_Waiter] = deque()
        self._shut = False
        self._quiet: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def statistics(self) -> PoolStatistics:
        """Return the state of the connections."""
        idle = sum(len(origin.idle) for origin in self.origins.values())
        waiting = sum(not waiter.granted.done() for waiter in self._waiting)
        return PoolStatistics(self.size - idle, idle, waiting, len(self.open))

    # --- taking ---------------------------------------------------------------------------------

    def take(self, origin: Origin, repeat_safe: bool) -> Connection | None:
        """An idle connection to ``origin`` that can be trusted with the request."""
        idle = origin.idle
        while idle:
            connection, _ = idle.popitem()
            rested = self.now() - connection.since
            if rested > _FRESH and not repeat_safe:
                idle[connection] = None  # for what is; the others rested for longer still
                return None
            if rested <= self.limits.keepalive and connection.live:
                return connection
            connection.close()
        return None

    async def wait(self, origin: Origin, *, limit: float | None) -> Connection | None:
        """A connection to ``origin`` that another request has just left; or None when one may be opened
        in the place that is held for it then. Raises SendError after ``limit`` seconds.
        """
        if self.size < self.limits.connections or self._evicted(origin):
            self.size += 1
            return None
        waiter = _Waiter(self.loop.create_future(), origin, self.now(), limit)
        self._waiting.append(waiter)
        self.watch()
        try:
            return await waiter.granted
        except BaseException:
            granted = waiter.granted
            if not granted.cancel() and not granted.cancelled() and not granted.exception():
                self._hand_on(granted.result())
            raise

    def _hand_on(self, granted: Connection | None) -> None:
        """What was granted to a request that was cancelled in the same turn of the loop goes to the next."""
        if granted is None:
            self.vacate()
        elif granted.live:
            self.release(granted)

    def _evicted(self, origin: Origin) -> bool:
        """Close the idle connection that rested longest, of ``origin`` or else of another."""
        for each in (origin, *self.origins.values()):
            if each.idle:
                next(iter(each.idle)).close()
                break
        return self.size < self.limits.connections

    # --- giving back ----------------------------------------------------------------------------

    def release(self, connection: Connection) -> None:
        """``connection`` is free: for who waits first, or for later."""
        connection.since = self.now()
        if self._shut or connection.since - connection.born > self.limits.lifetime:
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
        connection.origin.idle[connection] = None

    def forget(self, connection: Connection) -> None:
        """``connection`` is of no use any more; its place is free."""
        connection.origin.idle.pop(connection, None)
        self.vacate()

    def vacate(self) -> None:
        """A place is free: whoever waits first may open a connection in it."""
        self.size -= 1
        while self._waiting:
            granted = self._waiting.popleft().granted
            if not granted.done():
                self.size += 1
                granted.set_result(None)
                return

    def closed(self, connection: Connection) -> None:
        """Its socket is closed."""
        self.open.discard(connection)
        if self._quiet is not None and not self._quiet.done() and all(each.busy for each in self.open):
            self._quiet.set_result(None)

    # --- time -----------------------------------------------------------------------------------

    def watch(self) -> None:
        """See to it that the one timer runs; it stops when there is nothing to wait for."""
        if self._timer is None:
            self._timer = self.loop.call_later(_TICK, self._look)

    def _look(self) -> None:
        self._timer = None
        now = self.now()
        self._refuse_overdue(now)
        for connection in list(self.open):
            connection.check(now)
        if self.open or self._waiting:
            self.watch()
        elif not self.size:
            self.places.clear()
            self.origins.clear()  # hosts come and go; nothing of these is in use

    def _refuse_overdue(self, now: float) -> None:
        """Whoever waits behind one with more patience is refused when that one is."""
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
        """Close what is idle; what is in use closes when its answer has been read."""
        self._shut = True
        for connection in list(self.open):
            if not connection.busy:
                connection.close()

    async def aclose(self) -> None:
        """The same, and wait until the sockets are closed."""
        self.close()
        if not all(connection.busy for connection in self.open):
            self._quiet = self.loop.create_future()
            await self._quiet
