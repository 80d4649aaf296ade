"""Log filter that hides secrets of our requests in the logs of httpx, httpx2 and their dependencies.

These logs show full addresses, response headers and reasons, parts of a malformed body and, with HTTP/2,
request headers. A context variable marks our requests; log records of the program's own requests are
unchanged.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any

from wosdk_async.options.httpx_family import CORES
from wosdk_async.transport.http.engine import without_frames

_CALL, _DOWNLOAD = "call", "download"
_STEP = re.compile(r"((?:receive|send|response|setup)_\w+\.\w+) .*", re.DOTALL)
"""Log message about a step of a request; its details may be headers, exception text or a SOCKS password."""
_REASONS: dict[object, str] = {status.value: status.phrase for status in HTTPStatus}
_STATUS = 3  # index in httpx's log record: method, address, version, status, reason

_ours: ContextVar[str] = ContextVar("wosdk_async_filtered_logs", default="")
"""Kind of our current request; empty for the program's own requests."""


@contextmanager
def filtered_logs(*, download: bool = False) -> Iterator[None]:
    """In library logs, hide the secrets of the request sent in this context."""
    token = _ours.set(_DOWNLOAD if download else _CALL)
    try:
        yield
    finally:
        _ours.reset(token)


async def filtered_chunks(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Read a download with filtered logs. Between chunks, the consumer's own logs are unchanged."""
    try:
        while True:
            with filtered_logs(download=True):
                try:
                    chunk = await anext(chunks)
                except StopAsyncIteration:
                    return
                except asyncio.CancelledError as cancelled:
                    without_frames(cancelled)  # frames of the library hold the previous chunk
                    raise
            try:
                yield chunk
            finally:
                del chunk  # may contain a secret, which would show in the traceback of an error
    finally:
        if isinstance(chunks, AsyncGenerator):  # httpx2 closes the response when its generator is closed
            with filtered_logs(download=True):
                await chunks.aclose()


def _filter_httpx(record: logging.LogRecord) -> bool:
    """Hide a file's address, which may be signed, and the reason, which is untrusted text."""
    ours, args = _ours.get(), record.args
    if ours and isinstance(args, tuple):
        known, rest = args[: _STATUS + 1], args[_STATUS + 1 :]
        reason = _REASONS.get(known[-1], "") if rest else ""
        if ours == _DOWNLOAD:
            known = tuple(_origin(each) if hasattr(each, "netloc") else each for each in known)
        record.args = (*known, *(reason for _ in rest))
    return True


def _origin(url: Any) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii')}/***"


def _filter_httpcore(record: logging.LogRecord) -> bool:
    """Hide passwords, response headers (which may repeat anything) and exceptions (which quote headers)."""
    if _ours.get():
        record.msg = _STEP.sub(r"\1 ***", str(record.msg))
    return True


for _name, _core in CORES.items():
    logging.getLogger(_name).addFilter(_filter_httpx)
    for _part in ("connection", "http11", "http2", "proxy", "socks"):
        logging.getLogger(f"{_core}.{_part}").addFilter(_filter_httpcore)
for _name in ("hpack.hpack", "hpack.table"):  # these log the headers of requests, including the token
    logging.getLogger(_name).addFilter(lambda _: not _ours.get())
