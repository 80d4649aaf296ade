"""Messages over a stream: each with its length and a number, by which an order finds its report."""

from __future__ import annotations

import asyncio
import struct

from wosdk_async.jobs.cluster.messages import LONGEST, MessageError

__all__ = ["LONGEST", "frame", "read_frame"]

_HEAD = struct.Struct(">IQ")


def frame(number: int, data: bytes) -> bytes:
    """Return a message as it goes over the stream.

    Raises:
        MessageError: it is too long.
    """
    if len(data) > LONGEST:
        raise MessageError(f"a message of {len(data)} bytes; at most {LONGEST} can be sent")
    return _HEAD.pack(len(data), number) + data


async def read_frame(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Return number and bytes of the next message.

    Raises:
        EOFError: the other side is gone.
        MessageError: the stream is damaged.
    """
    try:
        length, number = _HEAD.unpack(await reader.readexactly(_HEAD.size))
        if length > LONGEST:
            raise MessageError(f"a message of {length} bytes; at most {LONGEST} are read")
        return number, await reader.readexactly(length)
    except ConnectionError as error:
        raise EOFError from error
