"""Answers of httpx: read whole, or piece by piece.

Their bytes are taken as they were sent: httpx would undo any number of content codings, each without a bound.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, cast

from wosdk_async.errors import DownloadError, WosdkError
from wosdk_async.transport.engine import Read
from wosdk_async.transport.engine.body import Body
from wosdk_async.transport.engine.decompression import (
    BadContent,
    Turns,
    UnwantedContent,
    decompress,
    decompressor_for,
)
from wosdk_async.transport.engine.httpx_errors import translated
from wosdk_async.transport.engine.library import httpx
from wosdk_async.transport.engine.log_filter import filtered_steps
from wosdk_async.wire import Reply

__all__ = ["pieces", "whole"]

_NO_MEMORY = "the answer does not fit into the memory that is left"


async def whole(response: httpx.Response, limit: int, read: Read) -> Any:
    """Return what ``read`` makes of the response, its body decompressed to at most ``limit`` bytes.

    The connection is closed unless ``read`` returns or raises a WosdkError, before another request can get
    it. One of HTTP/2 stays open: others use it, and a response there names its request. Raises the errors of
    httpx.
    """
    believed = False
    try:
        body = await _body(response, limit)
        value = read(Reply(response.status_code, response.headers, body))
        believed = True
        return value
    except WosdkError:
        believed = True
        raise
    except BadContent as bad:
        raise httpx.DecodingError(str(bad)) from None
    except MemoryError:
        raise httpx.ReadError(_NO_MEMORY) from None
    finally:
        stream = response.extensions.get("network_stream")  # a mock has none
        if not believed and stream is not None and "stream_id" not in response.extensions:
            await stream.aclose()
        await response.aclose()


async def _body(response: httpx.Response, limit: int) -> bytes:
    if response.is_stream_consumed:  # by a hook of the program; or a mock made it of its content
        return _within(response.content, limit)
    turns, sent = Turns(), Body()
    # The stream itself: at its end aiter_raw() gives the connection away, which `read` may not believe.
    async for chunk in cast(httpx.AsyncByteStream, response.stream):
        sent.add(chunk)
        if sent.size > limit:
            raise httpx.ReadError(f"the answer is longer than {limit} bytes")
        await turns.give()  # of a body in tiny chunks thousands are there at once
    return await decompress(sent.take(), response.headers, limit)


def _within(body: bytes, limit: int) -> bytes:
    if len(body) > limit:
        raise httpx.ReadError(f"the answer is longer than {limit} bytes")
    return body


async def pieces(response: httpx.Response, url: str) -> AsyncGenerator[bytes, None]:
    """The body, decompressed, as it comes. Raises SendFailed, or DownloadError for a coding not accepted."""
    with translated(url):
        try:
            if response.is_stream_consumed:
                yield response.content
                return
            turns, decompressor = Turns(), decompressor_for(response.headers)
            async for chunk in filtered_steps(response.aiter_raw()):
                for piece in (chunk,) if decompressor is None else decompressor.steps(chunk):
                    await turns.give()
                    if piece:
                        yield piece
            if decompressor is not None:
                decompressor.finish()
        except UnwantedContent as bad:
            raise DownloadError(f"the file cannot be read: {bad}", status=response.status_code) from None
        except BadContent as bad:
            raise httpx.DecodingError(str(bad)) from None
        except MemoryError:
            raise httpx.ReadError(_NO_MEMORY) from None
