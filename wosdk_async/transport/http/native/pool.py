"""Connections of an engine on one event loop, and the requests that wait for one."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict, deque
from collections.abc import Callable
from typing import NamedTuple

from wosdk_async.options import Limits, Timeouts
from wosdk_async.transport.http.certificates import TLSContextProvider
from wosdk_async.transport.http.engine import FRESH, PoolStatistics, SendError
from wosdk_async.transport.http.native.batching import SocketReader, WriteBatcher
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.request import Origin, parse_origin, split_url
from wosdk_async.transport.http.native.tls_sessions import SessionCache

__all__ = ["Pool"]

_TICK = 0.25  # seconds between checks of the timeouts
_BUFFER = 64 * 1024
_MAX_SESSIONS = 1024  # of TLS, one for each host and port
_GOODBYE = 1.0  # seconds that a closed client waits for its sockets
_MAX_TARGETS = 1024  # addresses whose origin is remembered


class _Waiter(NamedTuple):
    """Request that waits. The result of ``granted`` is a connection, or None: it may open one."""

    granted: asyncio.Future[Connection | None]
    origin: Origin
    since: float
    limit: float | None


class Pool:
    """Connections of one engine on one event loop.

    A request gets the idle connection that was used last. If none is idle, it opens one, as long as there are
    fewer than ``limits.connections``. If there are as many, an idle connection to another host is closed
    for it; else it waits, first come first served.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        limits: Limits,
        timeouts: Timeouts,
        tls: TLSContextProvider,
        now: Callable[[], float],
    ) -> None:
        self.loop = loop
        self.limits = limits
        self.timeouts = timeouts
        self.tls = tls
        self.now = now
        self.writer = WriteBatcher(loop, now)
        self.reader = SocketReader(loop)
        self.buffer = memoryview(bytearray(_BUFFER))
        """Memory into which all connections receive. Each copies its bytes out before another receives."""
        self.sessions = SessionCache(0 if tls.is_own else _MAX_SESSIONS)
        self.size = 0
        """Connections that are open or being opened."""
        self.targets: dict[str, tuple[Origin, bytes]] = {}
        """Origin and request target by URL."""
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
        located = self.targets[url] = origin, target.encode("ascii")
        return located

    # --- get a connection --------------------------------------------------------------------------

    def take(self, origin: Origin, repeat_safe: bool) -> Connection | None:
        """Return an idle connection to ``origin``, or None if none is fit for the request."""
        idle = self._idle.get(origin)
        while idle:
            connection, _ = idle.popitem()
            idle_for = self.now() - connection.since
            if idle_for > FRESH and not repeat_safe:
                idle[connection] = None  # kept for a repeat-safe request; the others were idle for longer
                return None
            if idle_for <= self.limits.keepalive and connection.live:
                return connection
            connection.close()
        return None

    async def wait(self, origin: Origin) -> Connection | None:
        """Return a connection to ``origin`` that another request gives back, or None.

        None means that the caller may open a connection, which ``size`` counts already. Raises SendError
        when the timeout ``pool`` runs out.
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
                self._pass_on(granted.result())
            raise

    def _pass_on(self, granted: Connection | None) -> None:
        """Give to the next request what was granted to one that is cancelled in the same turn of the loop."""
        if granted is None:
            self._free_place()
        elif granted.live:
            self.release(granted)

    def _evict(self, origin: Origin) -> bool:
        """Close the longest idle connection, of ``origin`` if possible; return whether one may be opened."""
        for idle in (self._idle[origin], *self._idle.values()):
            if idle:
                next(iter(idle)).close()
                break
        return self.size < self.limits.connections

    # --- give it back ---------------------------------------------------------------------------

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
                connection.close()  # then the waiter may open its own
                return
            else:
                self._waiting.popleft().granted.set_result(connection)
                return
        self._idle[connection.origin][connection] = None

    def forget(self, connection: Connection) -> None:
        """Count ``connection`` no more, as it sends no more requests, and let another be opened."""
        self.reader.remove(connection)
        self._idle[connection.origin].pop(connection, None)
        self._free_place()

    def _free_place(self) -> None:
        """Reduce ``size`` by one, and let the request that waits longest open a connection."""
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
        if self._all_closed is not None and not self._all_closed.done() and not self._has_closing_sockets():
            self._all_closed.set_result(None)

    # --- time -----------------------------------------------------------------------------------

    def start_timer(self) -> None:
        """Start the one timer of the pool if it does not run; it stops when there is nothing to check."""
        if self._timer is None:
            self._timer = self.loop.call_later(_TICK, self._check)

    def _check(self) -> None:
        self._timer = None
        now = self.now()
        self._time_out_waiters(now)
        for connection in list(self._open):
            connection.check(now)
        if self._open or self._waiting:
            self.start_timer()
        elif not self.size:  # no host is in use: forget them, as new ones come
            self.targets.clear()
            self._origins.clear()
            self._idle.clear()

    def _time_out_waiters(self, now: float) -> None:
        """Time out requests that waited too long. Only the head of the queue is checked."""
        while self._waiting:
            granted, _, since, limit = self._waiting[0]
            if not granted.done():
                if limit is None or now - since <= limit:
                    return
                why = f"all {self.limits.connections} connections were in use for {limit:g} s"
                granted.set_exception(SendError(why, sent=False, timeout="pool"))
            self._waiting.popleft()

    # --- close ----------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the idle connections; one in use closes when its response has been read."""
        self._shut = True
        for connection in list(self._open):
            if not connection.busy:
                connection.close()

    async def aclose(self) -> None:
        """Close the idle connections, and wait until their sockets are closed."""
        self.close()
        if not self._has_closing_sockets():
            return
        if self._all_closed is None or self._all_closed.done():
            self._all_closed = self.loop.create_future()
        closed = self._all_closed
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GOODBYE):
                await asyncio.shield(closed)
        if not closed.done():  # a service that takes no more bytes would keep its socket open
            for connection in list(self._open):
                if not connection.busy:
                    connection.abort()
            await asyncio.shield(closed)

    def _has_closing_sockets(self) -> bool:
        """Return whether a connection that is not in use still has an open socket."""
        return not all(connection.busy for connection in self._open)

    def abandon(self) -> None:
        """Leave all sockets to the parent process. Called on the copy in a forked child."""
        self.writer.inherited = self.reader.inherited = True
