"""Open a connection: resolve the host, race its addresses, start TLS."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import deque
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any, cast

from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.pool import Pool
from wosdk_async.transport.http.native.request import Origin

__all__ = ["connected", "dial"]

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


_GOODBYE = 1.0  # seconds that the other side has to end TLS in good order


async def dial(pool: Pool, origin: Origin, seconds: float | None) -> Connection:
    """A new connection in the place that ``pool`` holds for it, which is free again when this fails.

    Raises SendError.
    """
    connection = Connection(pool, origin)
    try:
        async with asyncio.timeout(seconds) as limit:
            await _open(connection, await pool.trust.context() if origin.tls else None)
    except (OSError, ValueError) as cause:  # ValueError: a name that cannot be a host's
        connection.abort()
        late = limit.expired()
        why = f"no connection within {seconds} s" if late else str(cause) or type(cause).__name__
    except BaseException:
        connection.abort()
        pool.closed(connection)  # uvloop does not always tell of the end of what was cancelled meanwhile
        raise
    else:
        if connection.live:
            pool.watch()
            return connection
        late, why = False, "the service closed the connection at once"
    raise SendError(f"{origin.text}: {why}", sent=False, timeout="connect" if late else "")


async def _open(connection: Connection, context: ssl.SSLContext | None) -> None:
    pool, origin = connection.pool, connection.origin
    loop = pool.loop
    socket = await connected(loop, origin.host, origin.port)
    named: dict[str, Any] = {}
    if context is not None:
        named = {"server_hostname": origin.host, "ssl_shutdown_timeout": _GOODBYE}
    if context is None or not pool.receiver.able:
        raw, _ = await loop.create_connection(lambda: connection, sock=socket, ssl=context, **named)
    else:
        raw, _ = await loop.create_connection(_Waiting, sock=socket)
        above = await loop.start_tls(raw, connection, context, **named)
        connection.connection_made(cast(asyncio.Transport, above))
    if connection.live:
        pool.receiver.add(connection, raw)


class _Waiting(asyncio.Protocol):
    """Leaves what comes to the TLS that follows."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).pause_reading()
