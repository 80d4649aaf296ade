"""Open a connection: resolve the host, race its addresses, agree on TLS."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import deque
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any, cast

from wosdk_async.errors import WosdkError
from wosdk_async.transport.http.certificates import tls_remedy
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.pool import Pool
from wosdk_async.transport.http.native.request import Origin
from wosdk_async.transport.http.native.tls import TLSTransport

__all__ = ["connect", "happy_eyeballs"]

_STAGGER = 0.25  # seconds before the next address is tried beside those before (RFC 8305 5)
_Address = tuple[int, int, int, str, Any]


async def connect(pool: Pool, origin: Origin) -> Connection:
    """Open a connection in the place that ``pool`` has reserved for it.

    Raises SendError; the place is free again then.
    """
    connection, seconds = Connection(pool, origin), pool.timeouts.connect
    try:
        async with asyncio.timeout(seconds) as limit:
            await _open(pool, connection, await pool.tls.context() if origin.tls else None)
    except BaseException as cause:
        connection.abort()
        # ValueError: a name that a host cannot have; a ConfigurationError is one, too
        if isinstance(cause, WosdkError) or not isinstance(cause, OSError | ValueError):
            pool.closed(connection)  # uvloop does not always report the end of what was cancelled meanwhile
            raise
        late, remedy = limit.expired(), tls_remedy(cause, pool.tls.authority_remedy())
        why = f"no connection within {seconds} s" if late else str(cause) or type(cause).__name__
    else:
        if connection.live:
            pool.start_timer()
            return connection
        late, remedy, why = False, "", "the service closed the connection at once"
    timeout = "connect" if late else ""
    raise SendError(f"{origin.text}: {why}", sent=False, timeout=timeout, remedy=remedy)


async def _open(pool: Pool, connection: Connection, context: ssl.SSLContext | None) -> None:
    origin = connection.origin
    if context is None:
        raw = await _connected(pool, origin, connection)
        pool.reader.add(connection, raw, connection)
        return
    tls = TLSTransport(connection, context, origin.host, origin.port, pool.sessions, pool.buffer)
    raw = await _connected(pool, origin, tls)
    try:
        await tls.handshake()
    except BaseException:
        raw.abort()
        raise
    connection.connection_made(cast(asyncio.Transport, tls))
    pool.reader.add(connection, raw, tls)
    tls.begin()


async def _connected(pool: Pool, origin: Origin, protocol: asyncio.BaseProtocol) -> asyncio.Transport:
    socket = await happy_eyeballs(pool.loop, origin.host, origin.port)
    raw, _ = await pool.loop.create_connection(lambda: protocol, sock=socket)
    return raw


# --- addresses ----------------------------------------------------------------------------------


async def happy_eyeballs(loop: asyncio.AbstractEventLoop, host: str, port: int) -> socket.socket:
    """Return a socket that is connected to the address of ``host`` that responds first (RFC 8305).

    Raises OSError, that of the address which failed first.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except socket.gaierror:  # a name: that takes a thread
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if len(found) == 1:
        return await _connect_socket(loop, found[0])
    return await _race(loop, _interleaved(found))


def _interleaved(addresses: Sequence[_Address]) -> deque[_Address]:
    """Return one address of each family in turn, in the order of the resolver."""
    families: dict[int, list[_Address]] = {}
    for address in addresses:
        families.setdefault(address[0], []).append(address)
    return deque(each for each in chain.from_iterable(zip_longest(*families.values())) if each)


async def _race(loop: asyncio.AbstractEventLoop, addresses: deque[_Address]) -> socket.socket:
    running: set[asyncio.Task[socket.socket]] = set()
    failures: list[BaseException] = []
    try:
        while addresses or running:
            if addresses:
                running.add(loop.create_task(_connect_socket(loop, addresses.popleft())))
            timeout = _STAGGER if addresses else None
            done, _ = await asyncio.wait(running, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                running.discard(task)
                if (failure := task.exception()) is None:
                    return task.result()
                failures.append(failure)
        raise failures[0]
    finally:
        for task in running:
            task.cancel()
            task.add_done_callback(_close)


async def _connect_socket(loop: asyncio.AbstractEventLoop, address: _Address) -> socket.socket:
    family, kind, protocol, _, where = address
    # A loop that simulates the network (benchmarks/simulate) makes its own sockets.
    connecting: socket.socket = getattr(loop, "socket", socket.socket)(family, kind, protocol)
    try:
        connecting.setblocking(False)
        await loop.sock_connect(connecting, where)
    except BaseException:
        connecting.close()
        raise
    return connecting


def _close(task: asyncio.Task[socket.socket]) -> None:
    """Close the socket of a task that lost the race, perhaps by a moment."""
    if not task.cancelled() and task.exception() is None:
        task.result().close()
