"""What the logs of httpx and the libraries below it may say of our own requests.

They show whole addresses, the reason and the headers of responses, pieces of a broken body, and with HTTP/2
the headers of requests in a form that can be decoded. A filter on their loggers takes that out of the records
that our requests cause, which a context variable tells from those of the program's own. It changes no level,
no handler and no other record.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from wosdk_async.transport.http.httpx.library import httpx

__all__ = ["filtered_logs", "filtered_steps"]

_CALL, _DOWNLOAD = "call", "download"
_HTTPCORE = ("connection", "http11", "http2", "proxy", "socks")
_HPACK = ("hpack.hpack", "hpack.table")
_READ = re.compile(r"((?:receive|send|response)_\w+\.\w+) .*", re.DOTALL)
"""Steps of a request, and what was read in them: headers, and what of a response an exception quotes."""
_STATUS = 3  # its place in httpx's record: method, address, version, status, reason

_ours: ContextVar[str] = ContextVar("wosdk_async_filtered_logs", default="")


@contextmanager
def filtered_logs(*, download: bool = False) -> Iterator[None]:
    """Keep what is secret about a request that is sent within out of the logs of libraries."""
    token = _ours.set(_DOWNLOAD if download else _CALL)
    try:
        yield
    finally:
        _ours.reset(token)


async def filtered_steps(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Read a download with filtered logs; what its consumer does between two chunks is logged as ever."""
    source = aiter(chunks)
    while True:
        with filtered_logs(download=True):
            try:
                chunk = await anext(source)
            except StopAsyncIteration:
                return
        yield chunk


def _without_address_and_reason(record: logging.LogRecord) -> bool:
    """httpx names the whole address, and that of a file may be signed; the reason is the service's text."""
    ours, args = _ours.get(), record.args
    if ours and isinstance(args, tuple):
        known, said = args[: _STATUS + 1], args[_STATUS + 1 :]
        status = known[-1] if len(known) > _STATUS else None
        reason = httpx.codes.get_reason_phrase(status) if isinstance(status, int) else ""
        if ours == _DOWNLOAD:
            known = tuple(_origin(each) if isinstance(each, httpx.URL) else each for each in known)
        record.args = (*known, *(reason for _ in said))
    return True


def _origin(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii')}/***"


def _without_response(record: logging.LogRecord) -> bool:
    """httpcore shows the headers of responses: addresses of redirects, cookies, whatever is repeated. Its
    exceptions quote what could not be read."""
    if _ours.get():
        record.msg = _READ.sub(r"\1 ***", str(record.msg))
    return True


def _not_ours(_: logging.LogRecord) -> bool:
    """hpack shows compressed headers, the token among them."""
    return not _ours.get()


logging.getLogger("httpx").addFilter(_without_address_and_reason)
for _name in _HTTPCORE:
    logging.getLogger(f"httpcore.{_name}").addFilter(_without_response)
for _name in _HPACK:
    logging.getLogger(_name).addFilter(_not_ours)
