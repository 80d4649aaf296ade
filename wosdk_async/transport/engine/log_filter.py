"""What the logs of httpx and the libraries below it may say of our own requests.

They show whole addresses, the headers of responses, and with HTTP/2 those of requests in a form that can be
decoded. A filter on their loggers takes that out of the records that our requests cause, which a context
variable tells from those of the program's own. It changes no level, no handler and no other record.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from wosdk_async.transport.engine.library import httpx

__all__ = ["filtered_logs"]

_CALL, _DOWNLOAD = "call", "download"
_HTTPCORE = ("connection", "http11", "http2", "proxy", "socks")
_HPACK = ("hpack.hpack", "hpack.table")
_HEADERS = re.compile(r"(receive_response_headers\.\w+) .*", re.DOTALL)

_ours: ContextVar[str] = ContextVar("wosdk_async_filtered_logs", default="")


@contextmanager
def filtered_logs(*, download: bool = False) -> Iterator[None]:
    """Keep what is secret about a request that is sent within out of the logs of libraries."""
    token = _ours.set(_DOWNLOAD if download else _CALL)
    try:
        yield
    finally:
        _ours.reset(token)


def _without_address(record: logging.LogRecord) -> bool:
    """httpx names the whole address, and that of a file may be signed."""
    if _ours.get() == _DOWNLOAD and isinstance(record.args, tuple):
        record.args = tuple(
            f"{each.scheme}://{each.netloc.decode('ascii')}/***" if isinstance(each, httpx.URL) else each
            for each in record.args
        )
    return True


def _without_headers(record: logging.LogRecord) -> bool:
    """httpcore shows the headers of responses: addresses of redirects, cookies, whatever is repeated."""
    if _ours.get():
        record.msg = _HEADERS.sub(r"\1 ***", str(record.msg))
    return True


def _not_ours(_: logging.LogRecord) -> bool:
    """hpack shows compressed headers, the token among them."""
    return not _ours.get()


logging.getLogger("httpx").addFilter(_without_address)
for _name in _HTTPCORE:
    logging.getLogger(f"httpcore.{_name}").addFilter(_without_headers)
for _name in _HPACK:
    logging.getLogger(_name).addFilter(_not_ours)
