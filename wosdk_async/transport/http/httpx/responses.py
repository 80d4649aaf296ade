"""Responses of httpx and httpx2, read whole or streamed, and their errors as those of our engines.

Bodies are taken as they were sent: httpx would undo any number of content codings, each without a bound.
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

__all__ = [
    "body_chunks",
    "foreign_response",
    "is_of_hook",
    "read_response",
    "send_error",
    "translated_errors",
    "was_never_sent",
]


async def read_response(response: httpx.Response, limit: int, read: Read) -> tuple[Any, Exception | None]:
    """Return what ``read`` makes of the response, its body decompressed to at most ``limit`` bytes.

    Raises BadContent and errors of the library. An error of ``read`` is returned: an error of ours that is
    raised is of a call that a hook made.

    The connection is closed unless ``read`` returns or raises a WosdkError, before another request can get
    it. One of HTTP/2 stays open: others use it, and a response there names its request.
    """
    believed = False
    try:
        whole = Response(response.status_code, response.headers, await _read_body(response, limit))
        try:
            value = read(whole)
        except InconclusiveResponse as verdict:
            return None, without_frames(verdict)
        except WosdkError as verdict:
            believed = True
            return None, without_frames(verdict)
        believed = True
        return value, None
    except MemoryError:
        raise BadContent(NO_MEMORY) from None
    finally:
        stream = response.extensions.get("network_stream")  # a mock has none
        if not believed and stream is not None and "stream_id" not in response.extensions:
            await stream.aclose()
        await response.aclose()


async def _read_body(response: httpx.Response, limit: int) -> bytes:
    if response.is_stream_consumed:  # by a hook of the program, or a mock made it from its content
        if len(response.content) > limit:
            raise BadContent(f"{TOO_LONG} {limit} bytes")
        return response.content
    turns, sent = LoopTurns(), BodyBuffer()
    # The stream itself: aiter_raw() releases the connection at its end, before `read` believes the response.
    async for chunk in cast("httpx.AsyncByteStream", response.stream):
        sent.add(chunk)
        if sent.size > limit:
            raise BadContent(f"{TOO_LONG} {limit} bytes")
        await turns.step()  # of a body in tiny chunks thousands are there at once
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
                yield chunk
                del chunk  # it may repeat a secret: see `download.py`


# --- errors -------------------------------------------------------------------------------------

_FAILURES = {"HTTPError", "InvalidURL"}  # classes of either library, by name: see error_kinds
_NEVER_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol"}
"""Errors that are raised before a request leaves, whichever transport raises them."""

_CONNECTING = {"ConnectError", "ConnectTimeout"}

_QUOTED = re.compile(r":? bytearray\(.*|,? additional_data:.*", re.DOTALL)
"""Text in which h11 and h2 quote the peer, in forms in which a secret could hardly be recognised."""
_MAX_SUMMARY = 8192  # characters: more than is searched when the secrets of the session are hidden
_STEPS = {"ConnectTimeout": "connect", "ReadTimeout": "read", "WriteTimeout": "write", "PoolTimeout": "pool"}


def was_never_sent(error: BaseException, request: httpx.Request | None = None) -> bool:
    """Return whether ``error`` says that no byte left, and is about ``request``, if that is given.

    A hook may have sent another request after ours, and raised its error.
    """
    if _NEVER_SENT.isdisjoint(error_kinds(error)):
        return False
    try:
        return request is None or cast("httpx.HTTPError", error).request is request
    except RuntimeError:  # it names no request
        return False


def send_error(url: str, cause: BaseException, *, sent: bool) -> SendError:
    """Return the error for ``cause``. Raise it outside of its handler: the cause may hold the token."""
    step = next((_STEPS[kind] for kind in error_kinds(cause) & _STEPS.keys()), "")
    why = _summary(cause)[:_MAX_SUMMARY]
    remedy = tls_remedy(cause, Remedy.AUTHORITY_IN_HTTPX)
    if step == "pool":
        why, remedy = f"{POOL_EXHAUSTED} ({why})", Remedy.POOL
    gone = not (sent or remedy) and not error_kinds(cause).isdisjoint(_CONNECTING)
    return SendError(f"{origin_of(url)}: {why}", sent=sent, timeout=step, remedy=remedy, host_gone=gone)


def _summary(cause: BaseException) -> str:
    """Return the error and what caused it: ``ConnectError: all failed ([Errno 111] refused)``.

    Only an error of the system is named as the cause: those of the libraries say the same twice, and those
    of mocks describe the mock.
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


def foreign_response(cause: BaseException, library: Any) -> SendError | None:
    """Return the error for a response of another library, which a transport or mock returned to ``library``.

    That only asserts its class, or awaits it, so the response is looked for where that failed.
    """
    frame = _frames(cause)[-1]
    found = frame.f_locals.get("response") if _is_in(frame, library) else None
    if found is None or isinstance(found, library.Response):
        return None
    name, other = library.__name__, type(found).__module__.partition(".")[0]
    remedy = Remedy.RETURN_OR_USE if other in CORES else Remedy.RETURN_RESPONSE
    why = f"a transport or mock for {name} returned {other}.{type(found).__name__}, which {name} cannot read"
    # Sent by whatever made the response.
    return SendError(why, sent=True, remedy=remedy, facts={"library": name, "other": other})


def is_of_hook(cause: BaseException, library: Any) -> bool:
    """Return whether an event hook of a client raised ``cause``: the client calls it from its redirects."""
    return any(
        caller.f_code.co_name == "_send_handling_redirects"
        and _is_in(caller, library)
        and not _is_in(called, library)
        for caller, called in pairwise(_frames(cause))
    )


def _frames(cause: BaseException) -> list[FrameType]:
    """Return the frames that ``cause`` went through, the one that raised it at the end."""
    return [frame for frame, _ in walk_tb(cause.__traceback__)]


def _is_in(frame: FrameType, library: Any) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] == str(library.__name__)


@contextlib.contextmanager
def translated_errors(url: str, library: Any = None) -> Iterator[None]:
    """Raise SendError for errors of the connection, and foreign responses; other exceptions pass."""
    try:
        yield
    except Exception as cause:
        error = library and foreign_response(cause, library)
        if error is None:
            if not isinstance(cause, OSError) and _FAILURES.isdisjoint(error_kinds(cause)):
                raise
            error = send_error(url, cause, sent=not was_never_sent(cause))
        try:
            raise error from None
        finally:
            error.__context__ = None  # it holds the address, which may be as good as a token
