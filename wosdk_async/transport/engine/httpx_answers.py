"""Answers of httpx: read whole, or piece by piece."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from wosdk_async.transport.engine.httpx_errors import translated
from wosdk_async.transport.engine.library import httpx
from wosdk_async.wire import Reply

__all__ = ["pieces", "whole"]


async def whole(response: httpx.Response, limit: int) -> Reply:
    """The answer with its body decompressed, of ``limit`` bytes at the most. Raises the errors of httpx."""
    try:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > limit:
                raise httpx.ReadError(f"the answer is longer than {limit} bytes")
    finally:
        await response.aclose()
    return Reply(response.status_code, response.headers, bytes(body))


async def pieces(response: httpx.Response, url: str) -> AsyncGenerator[bytes, None]:
    """The body, decompressed, as it comes. Raises SendFailed."""
    with translated(url):
        async for chunk in response.aiter_bytes():
            yield chunk
