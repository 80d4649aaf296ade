"""Requests to the processes of a Dask cluster, in Dask's own messages, and without pickle in the responses.

``distributed.Client`` unpickles what arrives: a program on a worker could run code in the process that asks,
which has the Company's secret. Here a response is read as MessagePack, and only that: a pickled part of it,
as an exception has one, is not opened. Requests may hold the pickled name of a function.

The form of a message, as distributed.comm.tcp and distributed.protocol have it, in 64-bit numbers of the
machine's own byte order: length of the first part, number of frames, length of each frame, then the frames.
The first frame is the message. It refers to parts of it that are serialized by the number of their frame.
"""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import ssl
import struct
import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import attrs
import msgpack  # type: ignore[import-untyped]  # Dask needs it, too
from distributed.protocol.core import dumps
from distributed.protocol.utils import pack_frames

from wosdk_async.jobs.cluster.frames import LONGEST
from wosdk_async.safe_text import one_line, shortened

__all__ = ["NotDaskError", "RefusedError", "Wire", "run_fields"]

_NUMBER = struct.calcsize("Q")
_MOST_FRAMES = 10_000
_SHOWN = 300  # characters of an error of the other side


class NotDaskError(Exception):
    """Something else than a process of Dask responds there, or one of a version that is not known here."""


class RefusedError(Exception):
    """The other side could not carry out a request; its words."""

    def __init__(self, text: object) -> None:
        super().__init__(shortened(one_line(str(text)), _SHOWN))


@attrs.frozen
class _Frame:
    """A part of a message that is not opened: it begins in this frame."""

    number: int


def run_fields(function: Callable[..., bytes], *arguments: str | bytes) -> dict[str, Any]:
    """Return the fields of a request that runs a function of a module, which returns bytes."""
    return {"function": pickle.dumps(function), "args": pickle.dumps(arguments), "wait": True}


@attrs.define(eq=False)
class Wire:
    """Connections to one process of a cluster; a request that waits has one for itself.

    Args:
        address: such as ``tls://10.0.0.3:8786``.
        tls: certificates, for ``tls://``.
        patience: seconds that a connection may take to open.
    """

    address: str
    tls: ssl.SSLContext | None = attrs.field(repr=False)
    patience: float
    greeted: bool = False
    """Whether a process that greets as those of Dask do was ever there."""
    _idle: list[_Connection] = attrs.field(factory=list, repr=False)
    _closed: bool = False

    async def request(self, op: str, **fields: Any) -> Any:
        """Return the response to a request.

        A request that is cancelled or fails may have been carried out.

        Raises:
            OSError: the connection cannot be opened, or is lost.
            NotDaskError: the response is not one of Dask.
            RefusedError: the other side says that it could not do it.
        """
        connection = self._idle.pop() if self._idle else await self.connect()
        try:
            response = await connection.exchange({"op": op, "reply": True, **fields})
        except BaseException as error:  # what comes next on this connection belongs to this request
            connection.close()
            if isinstance(error, OSError):
                self.drop_idle()  # they may be dead as this one
            raise
        if self._closed:
            connection.close()
        else:
            self._idle.append(connection)
        if isinstance(response, dict) and response.get("status") in ("error", "uncaught-error"):
            raise RefusedError(response.get("exception_text"))
        return response

    async def connect(self) -> _Connection:
        """Open a connection; raises as :meth:`request`."""
        where = urlsplit(self.address)
        async with asyncio.timeout(self.patience):
            reader, writer = await asyncio.open_connection(where.hostname, where.port, ssl=self.tls)
            connection = _Connection(reader, writer)
            try:
                # "compression" None: it asks for none, so no response is larger than it came.
                about_us = {"compression": None, "python": tuple(sys.version_info)[:3], "pickle-protocol": 4}
                greeting = await connection.exchange(about_us)
                if not isinstance(greeting, dict) or not about_us.keys() <= greeting.keys():
                    raise NotDaskError("its greeting is not Dask's")
                self.greeted = True
            except BaseException:
                connection.close()
                raise
        return connection

    def close(self) -> None:
        """Close the connections; requests that wait go on."""
        self._closed = True
        self.drop_idle()

    def drop_idle(self) -> None:
        """Close the connections that no request uses; they may be dead."""
        while self._idle:
            self._idle.pop().close()


@attrs.define(eq=False)
class _Connection:
    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter

    async def exchange(self, message: object) -> Any:
        """Send a message and return the next one that arrives."""
        body = pack_frames(dumps(message))
        self._writer.write(struct.pack("Q", len(body)) + body)
        await self._writer.drain()
        try:
            return _decoded(await self._frames())
        except asyncio.IncompleteReadError as error:
            if not error.partial:
                raise ConnectionResetError("the connection was closed") from None
            raise NotDaskError("the connection was closed within a message") from None

    async def _frames(self) -> list[bytes]:
        (length,) = struct.unpack("Q", await self._reader.readexactly(_NUMBER))
        if not _NUMBER < length <= LONGEST:
            raise NotDaskError(f"a message of {length} bytes; at most {LONGEST} are read")
        (count,) = struct.unpack("Q", await self._reader.readexactly(_NUMBER))
        if not 0 < count <= min(_MOST_FRAMES, length // _NUMBER - 1):
            raise NotDaskError(f"a message of {count} frames")
        lengths = struct.unpack(f"{count}Q", await self._reader.readexactly(count * _NUMBER))
        if sum(lengths) > LONGEST:
            raise NotDaskError(f"a message of {sum(lengths)} bytes; at most {LONGEST} are read")
        return [await self._reader.readexactly(each) for each in lengths]

    def close(self) -> None:
        """Close it at once."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._writer.transport.abort()


def _decoded(frames: list[bytes]) -> Any:
    """Return a message; of its serialized parts only a result that is plain bytes is read."""
    try:
        message = msgpack.unpackb(frames[0], object_hook=_hidden, strict_map_key=False)
        if isinstance(message, dict) and isinstance(part := message.get("result"), _Frame):
            message["result"] = _plain_bytes(frames, part.number)
    except Exception as error:  # msgpack raises many kinds
        raise NotDaskError(f"a message that cannot be read ({type(error).__name__})") from None
    return message


def _hidden(part: dict[Any, Any]) -> Any:
    """Put a mark in the place of a part that only pickle could read."""
    for kind in ("__Serialized__", "__Pickled__"):
        if kind in part:
            return _Frame(part[kind] if kind == "__Serialized__" else 0)
    return part


def _plain_bytes(frames: list[bytes], number: int) -> bytes | None:
    """Return the bytes that begin in a frame; None for anything else."""
    header = msgpack.unpackb(frames[number], object_hook=_hidden, strict_map_key=False) if number else {}
    is_bytes = (header.get("serializer"), header.get("type")) == ("dask", "bytes")
    if not is_bytes or any(header.get("compression") or ()):
        return None
    return b"".join(frames[number + 1 : number + 1 + header["num-sub-frames"]])
