"""Responses of httpx and httpx2, read whole or streamed, and their errors as those of our engines.

Bodies are taken as they were sent: httpx would undo any number of content codings, each without a bound.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncGenerator, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any, cast

import attrs

from wosdk_async.errors import DownloadError, WosdkError
from wosdk_async.httpx_family import CORES, error_kinds
from wosdk_async.protocol.wire import Response
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.http.certificates import THEIR_OWN, tls_error, tls_remedy
from wosdk_async.transport.http.decompression import (
    TOO_LONG,
    BadContent,
    BodyBuffer,
    LoopTurns,
    UnwantedContent,
    decompress,
    decompressor_for,
)
from wosdk_async.transport.http.engine import Read, SendError, origin_of
from wosdk_async.transport.http.httpx.log_filter import filtered_chunks

if TYPE_CHECKING:
    import httpx

__all__ = [
    "Route",
    "UnreadableBody",
    "body_chunks",
    "foreign_response",
    "is_failure",
    "is_of_hook",
    "read_response",
    "send_error",
    "translated_errors",
    "was_never_sent",
]

_NO_MEMORY = "the response does not fit into the memory that is left"


class UnreadableBody(Exception):
    """The body of a response is too long, or cannot be decompressed."""


async def read_response(response: httpx.Response, limit: int, read: Read) -> Any:
    """Return what ``read`` makes of the response, its body decompressed to at most ``limit`` bytes.

    The connection is closed unless ``read`` returns or raises a WosdkError, before another request can get
    it. One of HTTP/2 stays open: others use it, and a response there names its request. Raises UnreadableBody
    and the errors of the library.
    """
    believed = False
    try:
        whole = Response(response.status_code, response.headers, await _read_body(response, limit))
        try:
            value = read(whole)
        except WosdkError:
            believed = True
            raise
        believed = True
        return value
    except BadContent as bad:
        raise UnreadableBody(str(bad)) from None
    except MemoryError:
        raise UnreadableBody(_NO_MEMORY) from None
    finally:
        stream = response.extensions.get("network_stream")  # a mock has none
        if not believed and stream is not None and "stream_id" not in response.extensions:
            await stream.aclose()
        await response.aclose()


async def _read_body(response: httpx.Response, limit: int) -> bytes:
    if response.is_stream_consumed:  # by a hook of the program, or a mock made it from its content
        if len(response.content) > limit:
            raise UnreadableBody(f"{TOO_LONG} {limit} bytes")
        return response.content
    turns, sent = LoopTurns(), BodyBuffer()
    # The stream itself: aiter_raw() releases the connection at its end, before `read` believes the response.
    async for chunk in cast("httpx.AsyncByteStream", response.stream):
        sent.add(chunk)
        if sent.size > limit:
            raise UnreadableBody(f"{TOO_LONG} {limit} bytes")
        await turns.step()  # of a body in tiny chunks thousands are there at once
    return await decompress(sent.take(), response.headers, limit)


async def body_chunks(response: httpx.Response, url: str) -> AsyncGenerator[bytes, None]:
    """Yield the body, decompressed, as it comes.

    Raises:
        SendError: the connection ended before the response did.
        DownloadError: the content coding is not accepted.
    """
    with translated_errors(url):
        try:
            if response.is_stream_consumed:
                yield response.content
                return
            turns, decompressor = LoopTurns(), decompressor_for(response.headers)
            async with contextlib.aclosing(filtered_chunks(response.aiter_raw())) as chunks:
                async for chunk in chunks:
                    for piece in (chunk,) if decompressor is None else decompressor.steps(chunk):
                        await turns.step()
                        if piece:
                            yield piece
            if decompressor is not None:
                decompressor.finish()
        except UnwantedContent as bad:
            raise DownloadError(f"the file cannot be read: {bad}", status=response.status_code) from None
        except BadContent as bad:
            raise UnreadableBody(str(bad)) from None
        except MemoryError:
            raise UnreadableBody(_NO_MEMORY) from None


# --- errors -------------------------------------------------------------------------------------

_FAILURES = {"HTTPError", "InvalidURL"}  # classes of either library, by name: see error_kinds
_NEVER_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol"}
"""Errors that are raised before a request leaves, whichever transport raises them."""

_QUOTED = re.compile(r":? bytearray\(.*|,? additional_data:.*", re.DOTALL)
"""Text in which h11 and h2 quote the peer, in forms in which a secret could hardly be recognised."""
_MAX_SUMMARY = 8192  # characters: more than is searched when the secrets of the session are hidden
_CONNECTING = {"ConnectError", "ConnectTimeout", "ProxyError"}
_STEPS = {"ConnectTimeout": "connect", "ReadTimeout": "read", "WriteTimeout": "write", "PoolTimeout": "pool"}


@attrs.frozen
class Route:
    """How requests reach the service, for the errors about it."""

    authority: str = THEIR_OWN
    """What to do about a certificate of an authority that is not trusted."""
    proxy: str = ""
    """The proxy, without name and password."""
    secrets: Secrets = attrs.field(default=Secrets(), repr=False)
    """Those of the proxy, which may repeat them."""

    def failed_at(self, url: str, cause: BaseException) -> str:
        """Return the host that ``cause`` is about: no connection to the proxy is its fault alone."""
        if self.proxy and not error_kinds(cause).isdisjoint(_CONNECTING) and tls_error(cause) is None:
            return f"the proxy {self.proxy}"
        return origin_of(url)


_DIRECT = Route()


def is_failure(error: Exception) -> bool:
    """Return whether ``error`` says that no response came, or none that can be read."""
    return isinstance(error, OSError | UnreadableBody) or not _FAILURES.isdisjoint(error_kinds(error))


def was_never_sent(error: BaseException, request: httpx.Request | None = None) -> bool:
    """Return whether ``error`` says that no byte of a request left.

    Args:
        error: an error of either library, or any other.
        request: the request that the error has to be about: a hook may have sent another one, after ours, and
            raised its error. None to ask for no request.
    """
    if _NEVER_SENT.isdisjoint(error_kinds(error)):
        return False
    try:
        return request is None or cast("httpx.HTTPError", error).request is request
    except RuntimeError:  # it names no request
        return False


def send_error(url: str, cause: BaseException, *, sent: bool, route: Route = _DIRECT) -> SendError:
    """Return the error for ``cause``. Raise it outside of its handler: the cause may hold the token."""
    step = next((_STEPS[kind] for kind in error_kinds(cause) & _STEPS.keys()), "")
    why = route.secrets.hide(_summary(cause), _MAX_SUMMARY)
    remedy = tls_remedy(cause, route.authority)
    return SendError(f"{route.failed_at(url, cause)}: {why}", sent=sent, timeout=step, remedy=remedy)


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
    """Return the error for a response that ``library`` stumbled over, because it is not one of its own.

    A transport, or the handler of a mock, returned it: one of the other library, for instance. The library
    only asserts its class, or awaits it, so the response is looked for where that failed.
    """
    where = cause.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    if where is None or not _is_in(where.tb_frame, library):
        return None
    found = where.tb_frame.f_locals.get("response")
    if found is None or isinstance(found, library.Response):
        return None
    name, other = library.__name__, type(found).__module__.partition(".")[0]
    remedy = f"let it return {name}.Response"
    if other in CORES:
        remedy += f", or pass a client or transport of {other}"
    why = f"a transport or mock for {name} returned {other}.{type(found).__name__}, which {name} cannot read"
    return SendError(why, sent=True, remedy=remedy)  # sent by whatever made the response


def is_of_hook(cause: BaseException, library: Any) -> bool:
    """Return whether an event hook of a client raised ``cause``: the client calls it from its redirects."""
    where = cause.__traceback__
    while where is not None and where.tb_next is not None:
        frame, where = where.tb_frame, where.tb_next
        calls_hooks = frame.f_code.co_name == "_send_handling_redirects" and _is_in(frame, library)
        if calls_hooks and not _is_in(where.tb_frame, library):
            return True
    return False


def _is_in(frame: FrameType, library: Any) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] == str(library.__name__)


@contextlib.contextmanager
def translated_errors(url: str, route: Route = _DIRECT) -> Iterator[None]:
    """Raise SendError for errors of the connection; other exceptions pass."""
    try:
        yield
    except Exception as cause:
        if not is_failure(cause):
            raise
        error = send_error(url, cause, sent=not was_never_sent(cause), route=route)
        try:
            raise error from None
        finally:
            error.__context__ = None  # it holds the address, which may be as good as a token
