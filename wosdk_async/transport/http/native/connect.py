"""Open a connection: name look-up, race of the addresses, tunnel through a proxy, TLS handshake."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import ssl
from collections import deque
from collections.abc import Sequence
from itertools import chain, zip_longest

from wosdk_async.errors import WosdkError
from wosdk_async.transport.http.certificates import tls_remedy
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.environment import Proxy
from wosdk_async.transport.http.native.batching import Layer
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.pool import Pool
from wosdk_async.transport.http.native.request import Origin
from wosdk_async.transport.http.native.resolver import Address
from wosdk_async.transport.http.native.tls import TLSTransport
from wosdk_async.transport.http.native.tunnel import Tunnel

__all__ = ["connect"]

_OURS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL)
_STAGGER = 0.25  # seconds before the next address is tried beside those before (RFC 8305 5)


async def connect(pool: Pool, connection: Connection) -> None:
    """Open ``connection`` in the place that ``pool`` has reserved for it.

    Name look-up, TCP, tunnel and TLS together take at most the timeout ``connect``. Raises SendError; the
    place is free again then, and when the service has closed the connection, or sent anything, already.
    """
    try:
        async with asyncio.timeout(pool.timeouts.connect) as limit:
            await _open(pool, connection)
    except BaseException as cause:
        connection.abort()
        # ValueError: a name that a host cannot have; a ConfigurationError is one, too
        if isinstance(cause, WosdkError) or not isinstance(cause, OSError | ValueError | SendError):
            pool.closed(connection)  # uvloop does not always report the end of what was cancelled meanwhile
            raise
        failure = _failure(pool, connection, cause, limit.expired())
    else:
        pool.start_timer()
        return
    raise failure


def _failure(pool: Pool, connection: Connection, cause: BaseException, late: bool) -> SendError:
    """Return the error for a connection that could not be opened."""
    if isinstance(cause, SendError):  # of a tunnel
        return cause
    proxy = None if connection.tunnelled else connection.origin.proxy
    where = connection.origin.text if proxy is None else f"the proxy {proxy.shown}"
    why = f"no connection within {pool.timeouts.connect} s" if late else str(cause) or type(cause).__name__
    number = getattr(cause, "errno", None)  # None: its resolver could not look up the name
    of_machine = number in _OURS or (number is None and type(cause) is OSError)
    of_host = isinstance(cause, OSError) and not (of_machine or isinstance(cause, ssl.SSLError))
    return SendError(
        f"{where}: {why}",
        sent=False,
        timeout="connect" if late else "",
        remedy=tls_remedy(cause, pool.tls.authority_remedy()),
        facts={"file": os.environ.get("SSL_CERT_FILE", "")},
        host_gone=proxy is None and (late or of_host),
    )


async def _open(pool: Pool, connection: Connection) -> None:
    """Open the socket, and the layers that lead from it to ``connection``: TLS, tunnel, TLS."""
    origin, proxy = connection.origin, connection.origin.proxy
    context = await pool.tls.context() if origin.tls or (proxy and proxy.tls) else None
    tls = tunnel = outer = None
    top: Connection | TLSTransport = connection
    if origin.tls and context:
        top = tls = _tls(pool, connection, context, origin)
    if proxy is not None and (origin.tls or proxy.is_socks):
        tunnel = Tunnel(origin, proxy, pool.buffer)
    if proxy is not None and proxy.tls and context:
        outer = _tls(pool, tunnel or connection, context, proxy)
    raw = await _socket(pool, proxy or origin, outer or tunnel or top)
    link = outer or raw
    try:
        if outer:
            await outer.handshake()
            (tunnel or connection).connection_made(outer)
            outer.begin()
        if tunnel:
            await tunnel.open()
            connection.tunnelled = True
            link.set_protocol(top)
            top.connection_made(link)
        if tls:
            await tls.handshake()
            connection.connection_made(tls)
    except BaseException:
        raw.abort()
        raise
    if connection.read_in_batches:
        pool.reader.add(connection, raw, outer or top)
    if tls:
        tls.begin()


def _tls(pool: Pool, above: Layer, context: ssl.SSLContext, peer: Origin | Proxy) -> TLSTransport:
    return TLSTransport(above, (context, peer.host, peer.port), pool.tls.sessions, pool.buffer)


async def _socket(pool: Pool, peer: Origin | Proxy, protocol: asyncio.BaseProtocol) -> asyncio.Transport:
    """Return the transport of a new connection to ``peer``, read by ``protocol``.

    It leads to the address that responds first (RFC 8305). Raises OSError, that of the first that failed.
    """
    try:
        found = await pool.resolver.addresses(peer.host, peer.port)
        if len(found) == 1:
            connected = await _connect_socket(pool.loop, found[0])
        else:
            connected = await _race(pool.loop, _interleaved(found))
    except BaseException:
        pool.resolver.forget(peer.host, peer.port)
        raise
    raw, _ = await pool.loop.create_connection(lambda: protocol, sock=connected)
    return raw


# --- addresses ----------------------------------------------------------------------------------


def _interleaved(addresses: Sequence[Address]) -> deque[Address]:
    """Return one address of each family in turn, in the order of the resolver."""
    families: dict[int, list[Address]] = {}
    for address in addresses:
        families.setdefault(address[0], []).append(address)
    return deque(each for each in chain.from_iterable(zip_longest(*families.values())) if each)


async def _race(loop: asyncio.AbstractEventLoop, addresses: deque[Address]) -> socket.socket:
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


async def _connect_socket(loop: asyncio.AbstractEventLoop, address: Address) -> socket.socket:
    family, kind, protocol, _, where = address
    connecting = socket.socket(family, kind, protocol)
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
