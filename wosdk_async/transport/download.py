"""File downloads from addresses that the service names, without a session.

Token, Company name and cookies are not sent, because anyone who can write a document can choose its address.
Each redirect is checked and followed, because storage may redirect between regions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

import attrs

from wosdk_async.errors import DownloadError, ThrottledError, WosdkError
from wosdk_async.options import RetryPolicy
from wosdk_async.protocol.responses import retry_after_in
from wosdk_async.protocol.wire import Call, InconclusiveResponse
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.http.engine import (
    REDIRECTS,
    SendError,
    StreamedResponse,
    StreamingEngine,
    without_frames,
)
from wosdk_async.transport.limiter import TenantQueue
from wosdk_async.transport.retry import Retries
from wosdk_async.transport.session.hosts import HostRules
from wosdk_async.transport.telemetry.statistics import Trace

Progress = Callable[[int, int | None], object]
"""Progress callback: bytes received so far, and the total, or None if the total is unknown."""

WriteChunk = Callable[[bytes], Awaitable[object]]
"""Async function that writes one chunk of a file."""

Stream = Callable[[WriteChunk], Awaitable[None]]
"""Async function that passes a file to a ``WriteChunk``, chunk by chunk."""

T = TypeVar("T")

_MAX_REDIRECTS = 3
_BUSY = frozenset({408, 429})
_GONE = frozenset({400, 401, 403, 404, 410})
"""Statuses for a file that was deleted, or for a signed address that has expired."""


@attrs.frozen(kw_only=True)
class FileDownload:
    """File to fetch. ``local`` allows addresses on this machine, for a Company that runs here."""

    url: str = attrs.field(repr=False)  # hidden in the repr, because it may be signed
    local: bool
    max_bytes: int
    progress: Progress | None = None
    secrets: Secrets = attrs.field(factory=Secrets, repr=False)
    """Secrets of the session; an address that contains one is refused."""


@attrs.frozen
class Downloads:
    """Downloads of one Company, over their own connections."""

    engine: StreamingEngine
    queue: TenantQueue
    hosts: HostRules
    clock: TransportClock

    async def fetch(
        self, file: FileDownload, receive: Callable[[Stream], Awaitable[T]], policy: RetryPolicy
    ) -> T:
        """Fetch a file and return the result of ``receive``, which gets a stream on each attempt.

        Raises:
            DownloadError: the file cannot be fetched, and a retry would not help.
            NotSentError, NoAnswerError, ThrottledError: all attempts failed.
        """
        queue, limiter = self.queue, self.queue.limiter
        call: Call[object] = Call("download", "GET", "", bytes, repeat_safe=True)
        trace = Trace()

        async def once() -> T:
            trace.start_phase("queue", self.clock.now())
            await limiter.acquire(queue)
            try:
                trace.start_phase("request", self.clock.now())
                trace.attempts += 1
                return await receive(lambda write: self._stream(file, write))
            finally:
                limiter.release(queue)

        try:
            return await Retries(policy, self.clock).run(call, once, trace)
        except (WosdkError, asyncio.CancelledError) as error:
            cause = error.__cause__
            without_frames(error)  # the frames hold chunks, headers and addresses, which may repeat a secret
            if isinstance(error, WosdkError):
                error.hide(file.secrets)  # also the short secrets that `within` ignored in the address
                trace.start_phase(trace.phase, self.clock.now())
                error.add(attempts=trace.attempts, waits=trace.waits, times=trace.times)
            if isinstance(cause, SendError):
                cause.hide(file.secrets)
                error.__cause__ = without_frames(cause)
            raise

    async def _stream(self, file: FileDownload, write: WriteChunk) -> None:
        """Make one attempt: follow redirects and pass the file to ``write``."""
        url = file.url
        try:
            for _ in range(_MAX_REDIRECTS + 1):
                if file.secrets.within(url):
                    raise DownloadError("not downloaded: the file's address contains the token or secret")
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
        finally:
            del url  # may be signed, and would show in the traceback of an error of ``write`` or ``progress``
        raise DownloadError(
            f"the file storage redirected more than {_MAX_REDIRECTS} times", status=response.status
        )


def _redirect_target(url: str, response: StreamedResponse) -> str:
    try:
        return urljoin(url, response.headers["location"])
    except (KeyError, ValueError):
        raise DownloadError(
            "the file storage redirected to an invalid address", status=response.status
        ) from None


async def _read(response: StreamedResponse, write: WriteChunk, file: FileDownload) -> None:
    """Pass the body of a 200 response to ``write``. The engine checks that the body is complete."""
    if response.status >= 500 or response.status in _BUSY:
        if (wait := retry_after_in(response.headers)) is not None:
            busy = ThrottledError("the file storage is busy", status=response.status)
            busy.retry_after = wait
            raise busy
        raise InconclusiveResponse(response.status, "the file storage is unavailable")
    if response.status != 200:
        why = f"the file storage did not send the file: HTTP {response.status}"
        if response.status in _GONE:
            why = f"HTTP {response.status} for the file: it was deleted, or its address has expired"
        raise DownloadError(why, status=response.status)
    total, done = _length(response), 0
    _require_fit(total or 0, file.max_bytes)
    async with aclosing(response.chunks) as chunks:
        async for chunk in chunks:
            try:
                done += len(chunk)
                _require_fit(done, file.max_bytes)
                await write(chunk)
                if file.progress is not None:
                    file.progress(done, total)
            finally:
                del chunk  # may contain a secret, which would show in the traceback of an error


def _length(response: StreamedResponse) -> int | None:
    """Return the file size in bytes; None if unknown or if the body is compressed."""
    text = response.headers.get("content-length", "")
    is_plain = response.headers.get("content-encoding", "identity").lower() == "identity"
    return int(text) if is_plain and text.isascii() and text.isdigit() and len(text) < 19 else None


def _require_fit(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise DownloadError(f"the file exceeds {max_bytes} bytes; raise max_bytes to download it")
