"""Certificates that connections trust."""

from __future__ import annotations

import asyncio
import os
import ssl
from functools import lru_cache

__all__ = ["TLSContextProvider"]


class TLSContextProvider:
    """TLS context of all connections: the caller's own, or the system's, made when it is first needed.

    ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` name other certificates than the system's, as for all of OpenSSL.
    A system that has none (a slim container) gets those of certifi. Connections share a context if they offer
    the same ``protocols``, because the offer is a property of the context.
    """

    def __init__(self, own: ssl.SSLContext | None = None, protocols: tuple[str, ...] = ("http/1.1",)) -> None:
        self._context = own
        self._protocols = protocols
        self._making: asyncio.Task[ssl.SSLContext] | None = None

    async def context(self) -> ssl.SSLContext:
        """Return the context. Loading the system's takes 30 ms: once for all callers, in a thread."""
        if self._context is None:
            if self._making is None or self._making.done():
                named = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
                self._making = asyncio.create_task(asyncio.to_thread(_system_context, named, self._protocols))
            self._context = await asyncio.shield(self._making)
        return self._context


@lru_cache(maxsize=8)
def _system_context(named: tuple[str | None, str | None], protocols: tuple[str, ...]) -> ssl.SSLContext:
    """Return the system's context: one per process for each value of the two variables and the protocols."""
    context = ssl.create_default_context()
    if not any(named) and not _has_certificates(context):
        import certifi  # comes with httpx

        context.load_verify_locations(certifi.where())
    context.set_alpn_protocols(list(protocols))
    return context


def _has_certificates(context: ssl.SSLContext) -> bool:
    """Return whether the system has certificates: loaded, or in a folder that OpenSSL looks into later."""
    if context.cert_store_stats()["x509_ca"]:
        return True
    folder = ssl.get_default_verify_paths().capath
    if folder is None:
        return False
    with os.scandir(folder) as entries:
        return any(entries)
