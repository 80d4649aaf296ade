"""Answers that are read as they come: files are too long to be held like the answers of calls."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import attrs

__all__ = ["Incoming", "StreamingEngine"]


@attrs.frozen
class Incoming:
    """An answer whose body has not been read: header names are lower case, chunks are decompressed.

    Iterating ``chunks`` raises :class:`~wosdk_async.transport.engine.SendFailed` when the connection
    ends before the answer does, and :class:`~wosdk_async.errors.DownloadError` for a content coding that is
    not accepted.
    """

    status: int
    headers: Mapping[str, str]
    chunks: AsyncGenerator[bytes, None]


class StreamingEngine(Protocol):
    """What fetches files. It sends no header that tells who asks."""

    def incoming(self, url: str) -> AbstractAsyncContextManager[Incoming]:
        """GET ``url`` over a connection that is closed on leaving, whatever was read of the answer.

        Redirects are answers like any other. Entering raises SendFailed.
        """

    async def aclose(self) -> None:
        """Close every connection."""
