"""Responses of httpx and httpx2, whole or streamed, and the translation of their errors.

Bodies are read without decompression, because httpx limits neither the decompressed size
nor the number of codings.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncGenerator, Iterator
from itertools import pairwise
from traceback import walk_tb
from types import FrameType
from typing import TYPE_CHECKING, Any, cast

from wosdk_async.errors import WosdkError
from wosdk_async.options.httpx_family import CORES, error_kinds
from wosdk_async.protocol.wire import InconclusiveResponse, Response
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.http.certificates import tls_remedy
from wosdk_async.transport.http.decompression import (
    TOO_LONG,
    BadContent,
    BodyBuffer,
    LoopTurns,
    decompress,
)
from wosdk_async.transport.http.engine import (
    NO_MEMORY,
    POOL_EXHAUSTED,
    Read,
    SendError,
    decompressed,
    origin_of,
    without_frames,
)
from wosdk_async.transport.http.httpx.log_filter import filtered_chunks

if TYPE_CHECKING:
    import httpx


async def read_response(response: httpx.Response, limit: int, read: Read) -> tuple[Any, Exception | None]:
    """Return the result of ``read`` for the response, with its body decompressed to at most ``limit`` bytes.

    Raises BadContent and library errors. If ``read`` raises WosdkError or InconclusiveResponse, the error is
    returned as the second value, because the caller takes a raised exception for an error of the library or
    of a hook.

    If ``read`` returned a value or raised a WosdkError, the connection is reused. Otherwise, it is closed
    before another request can use it. HTTP/2 connections stay open: other requests share them, and each
    response names its request.
    """
    accepted = False
    try:
        whole = Response(response.status_code, response.headers, await _read_body(response, limit))
        try:
            value = read(whole)
        except InconclusiveResponse as verdict:
            return None, without_frames(verdict)
        except WosdkError as verdict:
            accepted = True
            return None, without_frames(verdict)
        accepted = True
        return value, None
    except MemoryError:
        raise BadContent(NO_MEMORY) from None
    finally:
        stream = response.extensions.get("network_stream")  # None for the response of a mock
        if not accepted and stream is not None and "stream_id" not in response.extensions:
            await stream.aclose()
        await response.aclose()


async def _read_body(response: httpx.Response, limit: int) -> bytes:
    if response.is_stream_consumed:  # a program hook has read the response, or it is a mock's
        if len(response.content) > limit:
            raise BadContent(f"{TOO_LONG} {limit} bytes")
        return response.content
    turns, sent = LoopTurns(), BodyBuffer()
    # Read the stream itself: aiter_raw() would release the connection before `read` accepts the response.
    async for chunk in cast("httpx.AsyncByteStream", response.stream):
        sent.add(chunk)
        if sent.size > limit:
            raise BadContent(f"{TOO_LONG} {limit} bytes")
        await turns.step()  # thousands of tiny chunks may arrive at once
    return await decompress(sent.take(), response.headers, limit)


async def body_chunks(response: httpx.Response, url: str) -> AsyncGenerator[bytes, None]:
    """Yield the decompressed body as it arrives; see :class:`StreamedResponse`."""
    with translated_errors(url):
        if response.is_stream_consumed:
            yield response.content
            return
        head = Response(response.status_code, response.headers, b"")
        chunks = decompressed(filtered_chunks(response.aiter_raw()), head, origin_of(url))
        async with contextlib.aclosing(chunks):
            async for chunk in chunks:
                try:
                    yield chunk
                finally:
                    del chunk  # may contain a secret, which would show in the traceback of an error


# --- errors -------------------------------------------------------------------------------------

_FAILURES = {"HTTPError", "InvalidURL"}  # names of classes of either library (see error_kinds)
_NEVER_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol"}
"""Errors that all transports raise only before they send a request."""

_QUOTED = re.compile(r":? bytearray\(.*|,? additional_data:.*|(?<=location header):.*", re.DOTALL)
"""Peer data that errors of h11, h2 and httpx quote in forms in which the search could miss a secret."""
_MAX_SUMMARY = 8192  # maximum characters: more than the part that is searched for the session's secrets
_STEPS = {"ConnectTimeout": "connect", "ReadTimeout": "read", "WriteTimeout": "write", "PoolTimeout": "pool"}


def was_never_sent(error: BaseException, request: httpx.Request | None = None) -> bool:
    """Return whether ``error`` proves that no byte of ``request`` (if given) was sent.

    The error may belong to another request, which a hook sent after ours.
    """
    if _NEVER_SENT.isdisjoint(error_kinds(error)):
        return False
    try:
        return request is None or cast("httpx.HTTPError", error).request is request
    except RuntimeError:  # the error has no request
        return False


def send_error(url: str, cause: BaseException, *, sent: bool) -> SendError:
    """Return the error for ``cause``. Raise it after the ``except`` block: ``cause`` may hold the token."""
    step = next((_STEPS[kind] for kind in error_kinds(cause) & _STEPS.keys()), "")
    why = _summary(cause)[:_MAX_SUMMARY]
    remedy = tls_remedy(cause, Remedy.AUTHORITY_IN_HTTPX)
    if step == "pool":
        why, remedy = f"{POOL_EXHAUSTED} ({why})", Remedy.POOL
    gone = not (sent or remedy) and not error_kinds(cause).isdisjoint(("ConnectError", "ConnectTimeout"))
    return SendError(f"{origin_of(url)}: {why}", sent=sent, timeout=step, remedy=remedy, host_gone=gone)


def _summary(cause: BaseException) -> str:
    """Return the error and its underlying cause: ``ConnectError: all failed ([Errno 111] refused)``.

    Only OS errors are shown as causes: library errors repeat the text, and mock errors describe the mock.
    """
    root = cause
    while found := root.__cause__ or root.__context__:
        root = found
    name, text = type(cause).__name__, _QUOTED.sub("", str(cause))
    reason = str(root) or type(root).__name__
    if isinstance(root, OSError) and reason not in text and root is not cause:
        text = f"{text} ({reason})" if text not in reason else reason
    if text.startswith(name):
        return text
    return f"{name}: {text}" if text else name


def foreign_response_error(cause: BaseException, library: Any) -> SendError | None:
    """Return the error if a transport or mock gave ``library`` a response from another library.

    ``library`` does not check for such a response: one of its assertions or ``await`` expressions fails. The
    response is then a local variable of the innermost frame.
    """
    frame = _frames(cause)[-1]
    found = frame.f_locals.get("response") if _is_in(frame, library) else None
    if found is None or isinstance(found, library.Response):
        return None
    name, other = library.__name__, type(found).__module__.partition(".")[0]
    remedy = Remedy.RETURN_OR_USE if other in CORES else Remedy.RETURN_RESPONSE
    why = f"a transport or mock for {name} returned {other}.{type(found).__name__}, which {name} cannot read"
    # Whatever built the response may have sent the request.
    return SendError(why, sent=True, remedy=remedy, facts={"library": name, "other": other})


def raised_by_hook(cause: BaseException, library: Any) -> bool:
    """Return whether an event hook raised ``cause``. The client calls hooks only from its redirect loop."""
    return any(
        caller.f_code.co_name == "_send_handling_redirects"
        and _is_in(caller, library)
        and not _is_in(called, library)
        for caller, called in pairwise(_frames(cause))
    )


def _frames(cause: BaseException) -> list[FrameType]:
    """Return the frames of ``cause``, innermost last."""
    return [frame for frame, _ in walk_tb(cause.__traceback__)]


def _is_in(frame: FrameType, library: Any) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] == str(library.__name__)


@contextlib.contextmanager
def translated_errors(url: str, library: Any = None) -> Iterator[None]:
    """Raise SendError for connection errors and foreign responses; leave other exceptions unchanged."""
    try:
        yield
    except Exception as cause:
        error = library and foreign_response_error(cause, library)
        if error is None:
            if not isinstance(cause, OSError) and _FAILURES.isdisjoint(error_kinds(cause)):
                raise
            error = send_error(url, cause, sent=not was_never_sent(cause))
        try:
            raise error from None
        finally:
            error.__context__ = None  # the cause holds the address, which may be as sensitive as a token
