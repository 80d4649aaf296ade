"""Name look-ups: one for a host at a time, kept for some seconds, on threads of their own.

The event loop's own threads are few: look-ups of a name whose server does not respond would delay all others.
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
except ImportError:  # Windows, where sockets are no files
    resource = None  # type: ignore[assignment]

__all__ = ["FILES_EACH", "Address", "Resolver", "max_look_ups", "resolver_of", "start_look_up"]
__all__ += ["usable_files"]

Address = tuple[int, int, int, str, Any]
"""Address as ``socket.getaddrinfo`` returns it."""

_KEPT = 5.0  # seconds that the addresses of a host are used again
_MAX_QUICK = 64  # look-ups at once that run for less than _SLOW seconds
_SLOW = 0.25
_MAX_FILES = 16 * 1024  # files used of a high limit, or of none: connections cost memory and ports
FILES_EACH = 3  # sockets of a look-up that hangs: the C library tries up to three name servers
_MAX_HOSTS = 4096  # whose addresses are kept

_Host = tuple[str, int]
_Done = Callable[[Sequence[Address] | Exception], None]
"""Called in the thread of the loop with what a look-up found."""


def usable_files() -> int:
    """Return how many files this process may open (``ulimit -n``)."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if resource else -1
    return _MAX_FILES if soft < 0 else min(soft, _MAX_FILES)  # below 0: there is no limit


def max_look_ups() -> int:
    """Return how many look-ups run at once, each in a thread that ends when the system times out."""
    return max(1, usable_files() // 16)


class Resolver:
    """Name look-ups of the pools of one loop.

    An eighth of the threads is for hosts that were found before: new ones that hang do not delay them.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, now: Callable[[], float]) -> None:
        self._loop = loop
        self.now = now
        self._kept: dict[_Host, tuple[float, Sequence[Address]]] = {}
        """Addresses, and the time until which they are used."""
        self._pending: dict[_Host, asyncio.Future[Sequence[Address]]] = {}
        """Look-ups that run or wait for a thread."""
        self._waiting: deque[_Host] = deque()
        self._most = max_look_ups()
        self._threads = self._quick = 0

    async def addresses(self, host: str, port: int) -> Sequence[Address]:
        """Return the addresses of ``host``, at least one. Raises OSError."""
        try:  # a number needs no look-up
            return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        except socket.gaierror:
            pass
        key = host, port
        until, kept = self._kept.get(key, (0.0, ()))
        if self.now() < until:
            return kept
        if key not in self._pending:
            self._pending[key] = pending = self._loop.create_future()
            pending.add_done_callback(mark_retrieved)
            (self._waiting.appendleft if key in self._kept else self._waiting.append)(key)
            self._start_next()
        return await asyncio.shield(self._pending[key])  # others wait for it, too

    def forget(self, host: str, port: int) -> None:
        """Forget the addresses of a host, because none of them could be reached."""
        self._kept.pop((host, port), None)

    def _start_next(self) -> None:
        reserved = 0 if self._waiting and self._waiting[0] in self._kept else self._most // 8
        if self._waiting and self._quick < _MAX_QUICK and self._threads < self._most - reserved:
            key = self._waiting.popleft()
            self._threads += 1
            self._quick += 1
            timer = self._loop.call_later(_SLOW, self._no_longer_quick)
            start_look_up(self._loop, *key, lambda found: self._ended(key, timer, found))

    def _no_longer_quick(self) -> None:
        """Let the next look-up begin although another may hang."""
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
            if len(self._kept) >= _MAX_HOSTS:
                self._kept.clear()
            self._kept[key] = self.now() + _KEPT, found
            pending.set_result(found)


def start_look_up(loop: asyncio.AbstractEventLoop, host: str, port: int, done: _Done) -> None:
    """Look up a host in a thread, and call ``done`` in the loop with its addresses, or an error."""

    def run() -> None:
        found: Sequence[Address] | Exception
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, ValueError) as error:
            found = error
        except BaseException as error:
            found = OSError(f"the look-up of the name failed ({type(error).__name__}: {error})")
        with contextlib.suppress(RuntimeError):  # the loop was closed
            loop.call_soon_threadsafe(done, found)

    # A daemon, so that a look-up without a response does not keep the program from ending.
    try:
        threading.Thread(target=run, name="wosdk look-up", daemon=True).start()
    except RuntimeError as error:
        loop.call_soon(done, OSError(f"no thread for the look-up of the name: {error}"))


_resolvers: WeakValueDictionary[tuple[int, int], Resolver] = WeakValueDictionary()  # each keeps its loop


def resolver_of(loop: asyncio.AbstractEventLoop, now: Callable[[], float]) -> Resolver:
    """Return the resolver that the pools of ``loop`` share; a forked child has its own."""
    key = id(loop), os.getpid()  # GIL: threads add theirs atomically
    found = _resolvers.get(key)
    if found is None or found.now != now:
        found = _resolvers[key] = Resolver(loop, now)
    return found
