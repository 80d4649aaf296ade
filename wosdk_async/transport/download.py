"""Downloads of files from the addresses that the service names, without a session.

Token, Company name and cookies are not sent: the address is not on the Company's host, and anyone who can
write a document chooses it. Redirects are followed, as a storage redirects between regions; each is checked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

import attrs

from wosdk_async.errors import DownloadError, WosdkError
from wosdk_async.options import RetryPolicy
from wosdk_async.protocol.wire import Call, InconclusiveResponse
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.http.engine import REDIRECTS, SendError, StreamedResponse, StreamingEngine
from wosdk_async.transport.limiter import TenantQueue
from wosdk_async.transport.retry import Retries
from wosdk_async.transport.session.hosts import HostRules
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["Downloads", "FileDownload", "Progress", "Stream", "WriteChunk"]

Progress = Callable[[int, int | None], object]
"""Function that is called with the bytes received so far, and with their total or None."""

WriteChunk = Callable[[bytes], Awaitable[object]]
"""Async function that writes one chunk of a file."""

Stream = Callable[[WriteChunk], Awaitable[None]]
"""Async function that passes a file, chunk by chunk, to a ``WriteChunk``."""

T = TypeVar("T")

_MAX_REDIRECTS = 3
_BUSY = frozenset({408, 429})


@attrs.frozen(kw_only=True)
class FileDownload:
    """File to fetch. ``local`` allows addresses on this machine, because the Company is on this machine."""

    url: str = attrs.field(repr=False)  # it may be signed
    local: bool
    max_bytes: int
    progress: Progress | None = None
    secrets: Secrets = attrs.field(factory=Secrets, repr=False)
    """Secrets of the session. An address that contains one is refused."""


@attrs.frozen
class Downloads:
    """Downloads of one Company, over connections that calls do not use."""

    engine: StreamingEngine
    queue: TenantQueue
    hosts: HostRules
    clock: TransportClock

    async def fetch(
        self, file: FileDownload, receive: Callable[[Stream], Awaitable[T]], policy: RetryPolicy
    ) -> T:
        """Fetch a file and return the result of ``receive``, which is called with a stream in each attempt.

        Raises:
            DownloadError: the file cannot be fetched, and another attempt would not help.
            NotSentError, NoAnswerError: all attempts failed.
        """
        queue, limiter = self.queue, self.queue.limiter
        call: Call[object] = Call("download", "GET", "", bytes, repeat_safe=True)
        trace = Trace()

        async def once() -> T:
            await limiter.acquire(queue)
            try:
                trace.attempts += 1
                return await receive(lambda write: self._stream(file, write))
            finally:
                limiter.release(queue)

        try:
            return await Retries(policy, self.clock).run(call, once, trace)
        except WosdkError as error:
            error.hide(file.secrets)  # `_stream` refuses only addresses with a long secret
            error.add(operation=call.operation, attempts=trace.attempts)
            raise

    async def _stream(self, file: FileDownload, write: WriteChunk) -> None:
        """Make one attempt: follow the redirects and pass the file to ``write``."""
        url = file.url
        for _ in range(_MAX_REDIRECTS + 1):
            if file.secrets.within(url):
                raise DownloadError(
                    "the address of the file contains the token or secret, so it is not fetched"
                )
            self.hosts.require_download(url, local=file.local)
            try:
                async with self.engine.stream(url) as response:
                    if response.status not in REDIRECTS:
                        await _read(response, write, file)
                        return
                    url = _redirect_target(url, response)
            except SendError as failure:
                address = urlsplit(url)  # a signed address is secret, and a response may repeat it
                failure.hide(Secrets(f"{address.path}?{address.query}", address.query))
                raise
        raise DownloadError(f"the storage redirects more than {_MAX_REDIRECTS} times", status=response.status)


def _redirect_target(url: str, response: StreamedResponse) -> str:
    """Return the address that a redirect leads to."""
    try:
        return urljoin(url, response.headers["location"])
    except (KeyError, ValueError):
        raise DownloadError("the storage redirects to an invalid address", status=response.status) from None


async def _read(response: StreamedResponse, write: WriteChunk, file: FileDownload) -> None:
    """Pass the body of a 200 to ``write``. The engine checks that the body is complete."""
    if response.status >= 500 or response.status in _BUSY:
        raise InconclusiveResponse(response.status, "the file storage is unavailable")
    if response.status != 200:
        why = f"HTTP {response.status} for the file: it was deleted, or its address has expired"
        raise DownloadError(why, status=response.status)
    total, done = _length(response), 0
    _require_fit(total or 0, file.max_bytes)
    async with aclosing(response.chunks) as chunks:
        async for chunk in chunks:
            done += len(chunk)
            _require_fit(done, file.max_bytes)
            await write(chunk)
            if file.progress is not None:
                file.progress(done, total)
            del chunk  # it may repeat a secret, which the frame of an error of the next one would show


def _length(response: StreamedResponse) -> int | None:
    """Return the number of bytes of the file; None if it is not stated or the body is compressed."""
    text = response.headers.get("content-length", "")
    plain = response.headers.get("content-encoding", "identity").lower() == "identity"
    return int(text) if plain and text.isascii() and text.isdigit() and len(text) < 19 else None


def _require_fit(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise DownloadError(f"the file is longer than {max_bytes} bytes; raise max_bytes if you want it")
