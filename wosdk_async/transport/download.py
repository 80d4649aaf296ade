"""Downloads of files from the addresses that the service names, without a session.

Token, Company name and cookies are not sent: the address is not the Company's host, and a person who may
write a document chooses it. Redirects are followed, because a storage sends them for a file in another
region. Each address is checked like the first one.
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
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.http.engine import SendError, StreamedResponse, StreamingEngine
from wosdk_async.transport.retry import Retries
from wosdk_async.transport.session.hosts import HostRules
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["Downloads", "FileDownload", "Progress", "Stream", "WriteChunk"]

Progress = Callable[[int, int | None], object]
"""Function that is called with the bytes received, and with their total if the response says it."""

WriteChunk = Callable[[bytes], Awaitable[object]]
"""Async function that writes one chunk of a file."""

Stream = Callable[[WriteChunk], Awaitable[None]]
"""Async function that passes a file, chunk by chunk, to a ``WriteChunk``."""

T = TypeVar("T")

_MAX_HOPS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_BUSY = frozenset({408, 429})


@attrs.frozen(kw_only=True)
class FileDownload:
    """File to fetch. ``local`` allows an address on this machine, for a Company that is there, too."""

    url: str = attrs.field(repr=False)  # it may be signed
    local: bool
    max_bytes: int
    progress: Progress | None = None
    secrets: Secrets = attrs.field(factory=Secrets, repr=False)
    """Secrets of the session. An address that contains one is not used."""


@attrs.frozen
class Downloads:
    """Downloads over connections that calls do not use."""

    engine: StreamingEngine
    hosts: HostRules
    clock: TransportClock

    async def fetch(
        self, file: FileDownload, receive: Callable[[Stream], Awaitable[T]], policy: RetryPolicy
    ) -> T:
        """Fetch a file and return what ``receive`` returns.

        Args:
            file: the file.
            receive: is called for each attempt, with a function that streams the file.
            policy: for retries.

        Raises:
            DownloadError: another attempt is of no use.
            NotSentError, NoAnswerError: all attempts failed.
        """
        call: Call[object] = Call("download", "GET", "", bytes, repeat_safe=True)
        trace = Trace()

        async def once() -> T:
            trace.attempts += 1
            return await receive(lambda write: self._stream(file, write))

        try:
            return await Retries(policy, self.clock).run(call, once, trace)
        except WosdkError as error:
            error.hide(file.secrets)  # also those too short to be found by their pieces
            error.add(operation=call.operation, attempts=trace.attempts)
            raise

    async def _stream(self, file: FileDownload, write: WriteChunk) -> None:
        """Make one attempt: follow the redirects and pass the file to ``write``."""
        url = file.url
        for _ in range(_MAX_HOPS + 1):
            if file.secrets.within(url):
                raise DownloadError("the address of the file has the token or secret in it; it is not used")
            self.hosts.require_download(url, local=file.local)
            try:
                async with self.engine.stream(url) as response:
                    if response.status not in _REDIRECTS:
                        await _read(response, write, file)
                        return
                    url = _next(url, response)
            except SendError as failure:
                address = urlsplit(url)  # it may be signed, and the storage may repeat it
                failure.hide(Secrets(f"{address.path}?{address.query}", address.query))
                raise
        raise DownloadError(f"the storage redirects more than {_MAX_HOPS} times", status=response.status)


def _next(url: str, response: StreamedResponse) -> str:
    """Return the address that a redirect leads to."""
    try:
        return urljoin(url, response.headers["location"])
    except (KeyError, ValueError):
        raise DownloadError(
            "the storage redirects to an address that cannot be read", status=response.status
        ) from None


async def _read(response: StreamedResponse, write: WriteChunk, file: FileDownload) -> None:
    """Pass the body of a success to ``write``, up to its limit. The engine checks that it is whole."""
    if response.status >= 500 or response.status in _BUSY:
        raise InconclusiveResponse(response.status, "the storage does not give the file now")
    if response.status != 200:
        raise DownloadError(
            f"the storage does not give the file (HTTP {response.status}): gone, or its address too old",
            status=response.status,
        )
    total, done = _length(response), 0
    _require_fit(total or 0, file.max_bytes)
    async with aclosing(response.chunks) as chunks:
        async for chunk in chunks:
            done += len(chunk)
            _require_fit(done, file.max_bytes)
            await write(chunk)
            if file.progress is not None:
                file.progress(done, total)


def _length(response: StreamedResponse) -> int | None:
    """Return the number of bytes of the file; None if the response does not say it, or it is compressed."""
    text = response.headers.get("content-length", "")
    plain = response.headers.get("content-encoding", "identity").lower() == "identity"
    return int(text) if plain and text.isascii() and text.isdigit() and len(text) < 19 else None


def _require_fit(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise DownloadError(f"the file is longer than {max_bytes} bytes; raise max_bytes if you want it")
