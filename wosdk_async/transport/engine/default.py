"""Which engine sends when the user names none."""

from __future__ import annotations

import ssl

from wosdk_async.transport.engine import Engine
from wosdk_async.transport.limits import Limits, Timeouts

__all__ = ["default_engine"]


def default_engine(
    limits: Limits | None = None, timeouts: Timeouts | None = None, ssl_context: ssl.SSLContext | None = None
) -> Engine:
    """The native engine, or the one on httpx where httptools cannot be imported."""
    try:
        from wosdk_async.transport.engine.native import NativeEngine as Chosen
    except ImportError:
        from wosdk_async.transport.engine.httpx_engine import HttpxEngine

        return HttpxEngine(limits=limits, timeouts=timeouts, ssl_context=ssl_context)
    return Chosen(limits=limits, timeouts=timeouts, ssl_context=ssl_context)
