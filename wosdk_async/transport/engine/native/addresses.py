"""A host's addresses, tried so that one that is dead does not hold up the others (RFC 8305).

asyncio can do that too, but loses sockets when it is cancelled (seen with Python 3.11).
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any

__all__ = ["connected"]

_NEXT = 0.25  # seconds before the next address is tried beside those before
_Address = tuple[int, int, int, str, Any]


async def connected(loop: asyncio.AbstractEventLoop, host: str, port: int) -> socket.socket:
    """A socket that is connected to ``host``. Raises OSError, of the address that failed first."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except socket.gaierror:  # a name: that takes a thread
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if len(found) == 1:
        return await _connect(loop, found[0])
    return await _race(loop, _in_turns(found))


def _in_turns(found: Sequence[_Address]) -> deque[_Address]:
    """One of each family after the other, in the order of the resolver."""
    families: dict[int, list[_Address]] = {}
    for address in found:
        families.setdefault(address[0], []).append(address)
    return deque(each for each in chain.from_iterable(zip_longest(*families.values())) if each)


async def _race(loop: asyncio.AbstractEventLoop, addresses: deque[_Address]) -> socket.socket:
    running: set[asyncio.Task[socket.socket]] = set()
    failures: list[BaseException] = []
    try:
        while addresses or running:
            if addresses:
                running.add(loop.create_task(_connect(loop, addresses.popleft())))
            timeout = _NEXT if addresses else None
            done, _ = await asyncio.wait(running, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            for attempt in done:
                running.discard(attempt)
                if (failure := attempt.exception()) is None:
                    return attempt.result()
                failures.append(failure)
        raise failures[0]
    finally:
        for attempt in running:
            attempt.cancel()
            attempt.add_done_callback(_close)


async def _connect(loop: asyncio.AbstractEventLoop, address: _Address) -> socket.socket:
    family, kind, protocol, _, where = address
    # A loop that stands in for the network (benchmarks/simulate) has sockets of its own.
    connecting: socket.socket = getattr(loop, "socket", socket.socket)(family, kind, protocol)
    try:
        connecting.setblocking(False)
        await loop.sock_connect(connecting, where)
    except BaseException:
        connecting.close()
        raise
    return connecting


def _close(attempt: asyncio.Task[socket.socket]) -> None:
    """An attempt that lost the race, perhaps by a moment."""
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().close()
