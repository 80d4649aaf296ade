"""Name look-ups: one per host at a time, briefly cached, on dedicated threads.

The event loop's own thread pool is small, so look-ups that hang on an unresponsive name server would delay
all its other work.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

from wosdk_async.shared_tasks import mark_retrieved

try:
    import resource
except ImportError:  # on Windows, sockets do not count as files
    resource = None  # type: ignore[assignment]


Address = tuple[int, int, int, str, Any]
"""Address as returned by ``socket.getaddrinfo``."""

_CACHE_SECONDS = 5.0
_MAX_QUICK = 64  # maximum concurrent look-ups that have run for less than _SLOW seconds
_SLOW = 0.25
_MAX_FILES = 16 * 1024  # maximum files, even if the system allows more: connections cost memory and ports
FILES_EACH = 3  # maximum sockets of a hung look-up: the C library tries up to three name servers
_MAX_HOSTS = 4096  # maximum hosts with cached addresses

_Host = tuple[str, int]
_Done = Callable[[Sequence[Address] | Exception], None]
"""Function called in the loop's thread with the result of a look-up."""


def usable_files() -> int:
    """Return the open-file limit of this process (``ulimit -n``)."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if resource else -1
    return _MAX_FILES if soft < 0 else min(soft, _MAX_FILES)  # a negative limit means unlimited


def max_look_ups() -> int:
    """Return the maximum number of concurrent look-ups; each may keep a thread until the system's timeout."""
    return max(1, usable_files() // 16)


class Resolver:
    """Name look-ups for all pools of one loop.

    An eighth of the threads is reserved for look-ups of known hosts, so that hanging look-ups of new hosts do
    not delay them.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, now: Callable[[], float]) -> None:
        self._loop = loop
        self.now = now
        self._cache: dict[_Host, tuple[float, Sequence[Address]]] = {}
        """Cached addresses and their expiry times."""
        self._pending: dict[_Host, asyncio.Future[Sequence[Address]]] = {}
        """Look-ups that are running or waiting for a thread."""
        self._waiting: deque[_Host] = deque()
        self._most = max_look_ups()
        self._threads = self._quick = 0

    async def addresses(self, host: str, port: int) -> Sequence[Address]:
        """Return at least one address of ``host``. Raises OSError, or ValueError for an invalid name."""
        try:  # an IP address needs no look-up
            return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        except socket.gaierror:
            pass
        key = host, port
        until, cached = self._cache.get(key, (0.0, ()))
        if self.now() < until:
            return cached
        if key not in self._pending:
            self._pending[key] = pending = self._loop.create_future()
            pending.add_done_callback(mark_retrieved)
            (self._waiting.appendleft if key in self._cache else self._waiting.append)(key)
            self._start_next()
        return await asyncio.shield(self._pending[key])  # shielded, because other callers share the result

    def forget(self, host: str, port: int) -> None:
        """Discard the cached addresses of a host, because none could be reached."""
        self._cache.pop((host, port), None)

    def _start_next(self) -> None:
        reserved = 0 if self._waiting and self._waiting[0] in self._cache else self._most // 8
        if self._waiting and self._quick < _MAX_QUICK and self._threads < self._most - reserved:
            key = self._waiting.popleft()
            self._threads += 1
            self._quick += 1
            timer = self._loop.call_later(_SLOW, self._no_longer_quick)
            start_look_up(self._loop, *key, lambda found: self._ended(key, timer, found))

    def _no_longer_quick(self) -> None:
        """Let the next look-up start even though another may hang."""
        self._quick -= 1
        self._start_next()

    def _ended(self, key: _Host, timer: asyncio.TimerHandle, found: Sequence[Address] | Exception) -> None:
        self._threads -= 1
        if self._loop.time() < timer.when():
            timer.cancel()
            self._quick -= 1
        self._start_next()
        pending = self._pending.pop(key)
        if isinstance(found, Exception):
            pending.set_exception(found)
        elif not found:
            pending.set_exception(socket.gaierror(socket.EAI_NONAME, "the name has no address"))
        else:
            if len(self._cache) >= _MAX_HOSTS:
                self._cache.clear()
            self._cache[key] = self.now() + _CACHE_SECONDS, found
            pending.set_result(found)


def start_look_up(loop: asyncio.AbstractEventLoop, host: str, port: int, done: _Done) -> None:
    """Look up a host in a thread, and call ``done`` in the loop with its addresses or an error."""

    def run() -> None:
        found: Sequence[Address] | Exception
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, ValueError) as error:
            found = error
        except BaseException as error:
            found = OSError(f"the name look-up failed ({type(error).__name__}: {error})")
        with contextlib.suppress(RuntimeError):  # raised if the loop has been closed
            loop.call_soon_threadsafe(done, found)

    # A daemon thread, so that a hung look-up does not keep the program from exiting.
    try:
        threading.Thread(target=run, name="wosdk look-up", daemon=True).start()
    except RuntimeError as error:
        loop.call_soon(done, OSError(f"no thread for the name look-up: {error}"))


# Keyed by the loop's id, which is not reused, because a resolver keeps its loop in memory.
_resolvers: WeakValueDictionary[tuple[int, int], Resolver] = WeakValueDictionary()


def resolver_of(loop: asyncio.AbstractEventLoop, now: Callable[[], float]) -> Resolver:
    """Return the resolver shared by the pools of ``loop``; a forked child has its own."""
    key = id(loop), os.getpid()  # GIL: threads add their resolvers atomically
    found = _resolvers.get(key)
    if found is None or found.now != now:
        found = _resolvers[key] = Resolver(loop, now)
    return found
