"""A connection of the server that shows its transport to the application, so that a fault can break it."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Mapping
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["ClientConnection", "reset", "transport_of"]

_EXTENSION = "wosdk.transport"
_LINGER_NOT = struct.pack("ii", 1, 0)  # closing throws away what is not sent and answers with RST


class ClientConnection(HttpToolsProtocol):
    """uvicorn's, with the transport in ``scope["extensions"]``: ASGI itself cannot break a connection."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        scope = cast("dict[str, Any]", self.scope)
        scope["extensions"] = {_EXTENSION: self.transport}


def transport_of(scope: Mapping[str, Any]) -> asyncio.Transport | None:
    """The transport below a request; None where there is no socket (ASGI in process)."""
    return cast("asyncio.Transport | None", scope.get("extensions", {}).get(_EXTENSION))


def reset(transport: asyncio.Transport) -> None:
    """Break the connection with a TCP RST."""
    sock = transport.get_extra_info("socket")
    if sock is not None and sock.fileno() >= 0:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
    transport.abort()
