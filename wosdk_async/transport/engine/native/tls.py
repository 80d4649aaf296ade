"""The certificates that are trusted."""

from __future__ import annotations

import asyncio
import os
import ssl
from functools import lru_cache

__all__ = ["Trust"]


class Trust:
    """One TLS context for all connections: the caller's own, or the system's, made when it is first needed.

    ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` name other certificates than the system's, as for all of OpenSSL.
    """

    def __init__(self, own: ssl.SSLContext | None = None) -> None:
        self._context = own
        self._making: asyncio.Task[ssl.SSLContext] | None = None

    async def context(self) -> ssl.SSLContext:
        """The context. Reading the system's takes 30 ms: done off the loop, once for all who wait."""
        if self._context is None:
            if self._making is None or self._making.done():
                named = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
                self._making = asyncio.create_task(asyncio.to_thread(_system, named))
            self._context = await asyncio.shield(self._making)
        return self._context


@lru_cache(maxsize=4)
def _system(_named: tuple[str | None, str | None]) -> ssl.SSLContext:
    """The system's context, one for the whole process and what the two variables say."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
