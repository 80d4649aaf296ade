"""Responses of httpx, read whole or piece by piece, and its errors in our words.

Their bytes are taken as they were sent: httpx would undo any number of content codings, each without a bound.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncGenerator, Iterator
from typing import Any, cast
from urllib.parse import urlsplit

from wosdk_async.errors import DownloadError, WosdkError
from wosdk_async.protocol.wire import Response
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.http.bodies import (
    BadContent,
    Body,
    Turns,
    UnwantedContent,
    decompress,
    decompressor_for,
)
from wosdk_async.transport.http.engine import Read, SendError
from wosdk_async.transport.http.httpx.library import httpx
from wosdk_async.transport.http.log_filter import filtered_steps

__all__ = ["NEVER_SENT", "failure", "pieces", "translated", "whole"]

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
        value = read(Response(response.status_code, response.headers, body))
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
    """The body, decompressed, as it comes. Raises SendError, or DownloadError for a coding not accepted."""
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


NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""What is raised before a request leaves, whichever transport raises it."""

_QUOTED = re.compile(r":? bytearray\(.*|,? additional_data:.*", re.DOTALL)
"""Where h11 and h2 quote the peer, in forms in which a secret could hardly be known again."""
_MAX_SUMMARY = 8192  # characters: more than is looked at when the secrets of the session are hidden
_NO_SECRETS = Secrets()
_STEPS = {
    httpx.ConnectTimeout: "connect",
    httpx.ReadTimeout: "read",
    httpx.WriteTimeout: "write",
    httpx.PoolTimeout: "pool",
}


def failure(url: str, cause: BaseException, *, sent: bool, proxy_secrets: Secrets = _NO_SECRETS) -> SendError:
    """The error for ``cause``, to be raised outside of its handler."""
    step = next((step for kind, step in _STEPS.items() if isinstance(cause, kind)), "")
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
    why = proxy_secrets.hide(_summary(cause), _MAX_SUMMARY)
    return SendError(f"{origin}: {why}", sent=sent, timeout=step)


def _summary(cause: BaseException) -> str:
    """What went wrong, and what was behind it: ``ConnectError: all failed ([Errno 111] refused)``."""
    root = cause
    while found := root.__cause__ or root.__context__:
        root = found
    first, last = (_QUOTED.sub("", str(each)) or type(each).__name__ for each in (cause, root))
    behind = f" ({last})" if last not in first else ""
    return f"{type(cause).__name__}: {first}{behind}"


@contextlib.contextmanager
def translated(url: str, proxy_secrets: Secrets = _NO_SECRETS) -> Iterator[None]:
    """Failures of a request that is safe to repeat; what is not a failure of the connection passes."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as cause:
        error = failure(url, cause, sent=not isinstance(cause, NEVER_SENT), proxy_secrets=proxy_secrets)
        try:
            raise error from None
        finally:
            error.__context__ = None  # it holds the address, which may be as good as a token
