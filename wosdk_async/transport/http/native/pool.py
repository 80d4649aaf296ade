"""Connection pool of an engine on one event loop, with its waiting requests."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from itertools import chain
from weakref import WeakValueDictionary

import attrs

from wosdk_async.options import Limits, Timeouts
from wosdk_async.transport.http.certificates import TLSContextProvider
from wosdk_async.transport.http.engine import FRESH, PoolStatistics, SendError
from wosdk_async.transport.http.environment import ProxyRules
from wosdk_async.transport.http.native.batching import SocketReader, WriteBatcher
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.request import Origin, parse_origin, split_url
from wosdk_async.transport.http.native.resolver import resolver_of

_TICK = 0.25  # seconds between checks for timeouts
_BUFFER = 64 * 1024
_CLOSE_TIMEOUT = 1.0  # maximum seconds to wait for sockets to close, before and after aborting them
_MAX_TARGETS = 1024  # maximum URLs with a cached origin


@attrs.define(eq=False, repr=False, slots=False)
class Pool:
    """Connections of one engine on one event loop.

    A request gets the most recently used idle connection to its origin. Without one, it opens a connection,
    up to ``ceiling``, or waits in first-come, first-served order. If ``limits.connections`` are open already,
    the pool closes an idle one before it opens another. At most ``limits.connections`` stay idle.
    """

    loop: asyncio.AbstractEventLoop
    limits: Limits
    timeouts: Timeouts
    tls: TLSContextProvider
    now: Callable[[], float]
    proxies: ProxyRules | None
    ceiling: int

    def __attrs_post_init__(self) -> None:
        self.resolver = resolver_of(self.loop, self.now)
        self.writer = WriteBatcher(self.loop, self.now)
        self.reader = SocketReader(self.loop)
        self.buffer = memoryview(bytearray(_BUFFER))
        """Receive buffer shared by all connections. Each copies its bytes out before the next one reads."""
        self.size = 0
        """Number of connections that are open or opening."""
        self.targets: dict[str, tuple[Origin, bytes]] = {}
        """Origins and request targets, keyed by URL."""
        self._origins: WeakValueDictionary[str, Origin] = WeakValueDictionary()
        """Origins in use by ``targets`` or a connection."""
        self._by_age: dict[Connection, None] = {}
        """All idle connections, most recently used last."""
        self.open: set[Connection] = set()
        """Connections whose sockets are not yet closed."""
        self.waiting: deque[tuple[asyncio.Future[Connection | None], Origin]] = deque()
        """Waiting requests. Each future receives a connection, or None as permission to open one."""
        self._shut = False
        self._one_closed = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None

    def statistics(self) -> PoolStatistics:
        """Return the connection counts."""
        idle = len(self._by_age)
        waiting = sum(not granted.done() for granted, _ in self.waiting)
        return PoolStatistics(self.size - idle, idle, waiting, len(self.open))

    def locate(self, url: str) -> tuple[Origin, bytes]:
        """Return and cache the origin and request target of ``url``. Raises ValueError."""
        if len(self.targets) >= _MAX_TARGETS:
            self.targets.clear()
        text, target = split_url(url)
        origin = self._origins.get(text)
        if origin is None:
            origin = self._origins[text] = parse_origin(text, self.proxies)
        located = self.targets[url] = origin, origin.target(target)
        return located

    # --- get a connection --------------------------------------------------------------------------

    def take(self, origin: Origin, repeat_safe: bool) -> Connection | None:
        """Return a suitable idle connection to ``origin``, or None if there is none."""
        idle: dict[Connection, None] = origin.idle
        while idle:
            connection, _ = idle.popitem()
            idle_for = self.now() - connection.since
            if idle_for > FRESH and not repeat_safe:
                # Kept for a repeat-safe request. The other connections have been idle for longer.
                idle[connection] = None
                return None
            if idle_for <= self.limits.keepalive:
                del self._by_age[connection]
                return connection
            connection.close()
        return None

    async def wait(self, origin: Origin) -> Connection | None:
        """Wait for a released connection to ``origin``, or for permission to open one (None).

        With None, ``size`` already includes the new connection. Raises SendError when the ``pool`` timeout
        expires.
        """
        if self.size >= min(self.limits.connections, self.ceiling):
            # The connection that was idle longest, preferably one to ``origin``.
            idle = next(chain(origin.idle, self._by_age), None)
            if idle is not None:
                idle.close()
        if self.size < self.ceiling:
            self.size += 1
            return None
        granted: asyncio.Future[Connection | None] = self.loop.create_future()
        waiter = granted, origin
        self.waiting.append(waiter)
        try:
            async with asyncio.timeout(self.timeouts.pool) as limit:
                return await granted
        except BaseException as cause:
            if waiter in self.waiting:
                self.waiting.remove(waiter)
            elif granted.done() and not granted.cancelled():  # granted in this loop iteration: give it back
                connection = granted.result()
                if connection is None:
                    self._free_slot()
                elif connection.live:
                    self.release(connection)
            if not (limit.expired() and isinstance(cause, TimeoutError)):
                raise
        why = f"all {self.ceiling} connections were in use for {self.timeouts.pool:g} s"
        raise SendError(why, sent=False, timeout="pool")

    # --- give it back ---------------------------------------------------------------------------

    def release(self, connection: Connection) -> None:
        """Give ``connection`` to the longest-waiting request, or keep it idle."""
        now = connection.since = self.now()
        if now > connection.ends_at or self._shut:
            connection.close()
            return
        while self.waiting:
            granted, origin = self.waiting[0]
            if granted.done():  # its caller was cancelled
                self.waiting.popleft()
            elif origin is not connection.origin:
                connection.close()  # frees a slot, so that the waiter can connect to its own origin
                return
            else:
                self.waiting.popleft()
                granted.set_result(connection)
                return
        connection.origin.idle[connection] = self._by_age[connection] = None
        if len(self._by_age) > self.limits.connections:
            next(iter(self._by_age)).close()

    def forget(self, connection: Connection) -> None:
        """Stop counting ``connection``, which sends no more requests, and let another be opened."""
        self.reader.remove(connection)
        connection.origin.idle.pop(connection, None)
        self._by_age.pop(connection, None)
        self._free_slot()

    def _free_slot(self) -> None:
        """Decrement ``size``, and let the longest-waiting request open a connection."""
        self.size -= 1
        while self.waiting:
            granted, _ = self.waiting.popleft()
            if not granted.done():
                self.size += 1
                granted.set_result(None)
                return

    def closed(self, connection: Connection) -> None:
        """Record that the socket of ``connection`` is closed."""
        self.open.discard(connection)
        self._one_closed.set()

    # --- time -----------------------------------------------------------------------------------

    def start_timer(self) -> None:
        """Start the pool's single timer if needed; it stops once there is nothing to check."""
        if self._timer is None:
            self._timer = self.loop.call_later(_TICK, self._check)

    def _check(self) -> None:
        self._timer = None
        now = self.now()
        for connection in list(self.open):
            connection.check(now)
        if self.open:
            self.start_timer()
        elif not self.size:  # no host is in use: clear the cache, because new hosts keep arriving
            self.targets.clear()

    # --- close ----------------------------------------------------------------------------------

    def close(self) -> None:
        """Close idle connections; busy ones close once their responses have been read."""
        self._shut = True
        for connection in list(self.open):
            if not connection.busy:
                connection.close()

    async def aclose(self) -> None:
        """Close idle connections, and wait until their sockets are closed."""
        self.close()
        for _ in range(2):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_TIMEOUT):
                    while not all(connection.busy for connection in self.open):
                        self._one_closed.clear()
                        await self._one_closed.wait()
            for connection in list(self.open):
                if not connection.busy:  # abort, because a service that stops reading keeps a socket open
                    connection.abort()

    def abandon(self) -> None:
        """Leave all sockets to the parent process. A forked child calls this on its copy of the pool."""
        self.writer.inherited = self.reader.inherited = True
