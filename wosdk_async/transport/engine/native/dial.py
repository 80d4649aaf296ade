"""New connections."""

from __future__ import annotations

import asyncio
import ssl
from typing import Any, cast

from wosdk_async.transport.engine import SendFailed
from wosdk_async.transport.engine.native.addresses import connected
from wosdk_async.transport.engine.native.connection import Connection
from wosdk_async.transport.engine.native.pool import Pool
from wosdk_async.transport.engine.native.request import Origin

__all__ = ["dial"]

_GOODBYE = 1.0  # seconds that the other side has to end TLS in good order


async def dial(pool: Pool, origin: Origin, seconds: float | None) -> Connection:
    """A new connection in the place that ``pool`` holds for it, which is free again when this fails.

    Raises SendFailed.
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
    raise SendFailed(f"{origin.text}: {why}", sent=False, timeout="connect" if late else "")


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
