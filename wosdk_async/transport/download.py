"""Files from the addresses that the service names, outside of any session.

Token, Company name and cookies stay at home: an address is not the Company's host, and whoever may write
a document chooses it. Redirects are followed, because storages answer with them for a file that lies in
another region and nothing secret goes along; each hop is checked as the first address was.
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
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.http.engine import SendError, StreamedResponse, StreamingEngine
from wosdk_async.transport.retry import Retries
from wosdk_async.transport.session.hosts import HostRules
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["Downloads", "Pour", "Progress", "Take", "Wanted"]

Progress = Callable[[int, int | None], object]
"""Told the bytes had so far, and how many there will be if the answer says so."""

Take = Callable[[bytes], Awaitable[object]]

Pour = Callable[[Take], Awaitable[None]]
"""Hands a file to a ``Take``, piece by piece."""

T = TypeVar("T")

_MAX_HOPS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LATER = frozenset({408, 429})


@attrs.frozen(kw_only=True)
class Wanted:
    """A file to fetch. ``local`` lets it be on this machine: for a Company that is there, too."""

    url: str = attrs.field(repr=False)  # it may be signed
    local: bool
    max_bytes: int
    progress: Progress | None = None
    secrets: Secrets = attrs.field(factory=Secrets, repr=False)
    """Of the session: an address in which one stands is not used."""


@attrs.frozen
class Downloads:
    """Fetches files, over connections that calls do not use."""

    engine: StreamingEngine
    hosts: HostRules
    clock: Clock

    async def fetch(self, wanted: Wanted, receive: Callable[[Pour], Awaitable[T]], policy: RetryPolicy) -> T:
        """What ``receive`` returns; it is called anew for each attempt, with what pours the file out.

        Raises DownloadError when trying again is of no use, NotSentError or NoAnswerError when that was
        tried.
        """
        call: Call[object] = Call("download", "GET", "", bytes, repeat_safe=True)
        trace = Trace()

        async def once() -> T:
            trace.attempts += 1
            return await receive(lambda take: self._pour(wanted, take))

        try:
            return await Retries(policy, self.clock).run(call, once, trace)
        except WosdkError as error:
            error.hide(wanted.secrets)  # those that are too short to be found by their pieces
            error.add(operation=call.operation, attempts=trace.attempts)
            raise

    async def _pour(self, wanted: Wanted, take: Take) -> None:
        url = wanted.url
        for _ in range(_MAX_HOPS + 1):
            if wanted.secrets.within(url):
                raise DownloadError("the address of the file has the token or secret in it; it is not used")
            self.hosts.require_download(url, local=wanted.local)
            try:
                async with self.engine.stream(url) as response:
                    if response.status not in _REDIRECTS:
                        await _read(response, take, wanted)
                        return
                    url = _next(url, response)
            except SendError as failure:
                place = urlsplit(url)  # it may be signed, and the storage may repeat it
                failure.hide(Secrets(f"{place.path}?{place.query}", place.query))
                raise
        raise DownloadError(f"the storage redirects more than {_MAX_HOPS} times", status=response.status)


def _next(url: str, response: StreamedResponse) -> str:
    try:
        return urljoin(url, response.headers["location"])
    except (KeyError, ValueError):
        raise DownloadError("the storage redirects to what is no address", status=response.status) from None


async def _read(response: StreamedResponse, take: Take, wanted: Wanted) -> None:
    """The body of a success, no longer than it may be; that it is whole, the engine sees to."""
    if response.status >= 500 or response.status in _LATER:
        raise InconclusiveResponse(response.status, "the storage does not give the file now")
    if response.status != 200:
        raise DownloadError(
            f"the storage does not give the file (HTTP {response.status}): gone, or its address too old",
            status=response.status,
        )
    total, done = _length(response), 0
    _require_fit(total or 0, wanted.max_bytes)
    async with aclosing(response.chunks) as chunks:
        async for chunk in chunks:
            done += len(chunk)
            _require_fit(done, wanted.max_bytes)
            await take(chunk)
            if wanted.progress is not None:
                wanted.progress(done, total)


def _length(response: StreamedResponse) -> int | None:
    """How many bytes there will be; None when the answer does not say, or counts them compressed."""
    text = response.headers.get("content-length", "")
    plain = response.headers.get("content-encoding", "identity").lower() == "identity"
    return int(text) if plain and text.isascii() and text.isdigit() and len(text) < 19 else None


def _require_fit(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise DownloadError(f"the file is longer than {max_bytes} bytes; raise max_bytes if you want it")
