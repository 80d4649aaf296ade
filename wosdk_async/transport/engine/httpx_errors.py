"""What httpx raises, as our one error. It is never raised from httpx's own: that holds the token."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from wosdk_async.safe_text import Secrets
from wosdk_async.transport.engine import SendFailed
from wosdk_async.transport.engine.library import httpx

__all__ = ["NEVER_SENT", "failure", "translated"]

NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""What is raised before a request leaves, whichever transport raises it."""

_QUOTED = re.compile(r":? bytearray\(.*|,? additional_data:.*", re.DOTALL)
"""Where h11 and h2 quote the peer, in forms in which a secret could hardly be known again."""
_MAX_SUMMARY = 8192  # characters: more than is looked at when the secrets of the session are hidden
_NO_SECRETS = Secrets()
_STEPS = {
    httpx.ConnectTimeout: "connect",
    httpx.ReadTimeout: "read",
    httpx.WriteTimeout: "write",
    httpx.PoolTimeout: "pool",
}


def failure(
    url: str, cause: BaseException, *, sent: bool, proxy_secrets: Secrets = _NO_SECRETS
) -> SendFailed:
    """The error for ``cause``, to be raised outside of its handler."""
    step = next((step for kind, step in _STEPS.items() if isinstance(cause, kind)), "")
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
    why = proxy_secrets.hide(_summary(cause), _MAX_SUMMARY)
    return SendFailed(f"{origin}: {why}", sent=sent, timeout=step)


def _summary(cause: BaseException) -> str:
    """What went wrong, and what was behind it: ``ConnectError: all failed ([Errno 111] refused)``."""
    root = cause
    while found := root.__cause__ or root.__context__:
        root = found
    first, last = (_QUOTED.sub("", str(each)) or type(each).__name__ for each in (cause, root))
    behind = f" ({last})" if last not in first else ""
    return f"{type(cause).__name__}: {first}{behind}"


@contextlib.contextmanager
def translated(url: str, proxy_secrets: Secrets = _NO_SECRETS) -> Iterator[None]:
    """Failures of a request that is safe to repeat; what is not a failure of the connection passes."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as cause:
        error = failure(url, cause, sent=not isinstance(cause, NEVER_SENT), proxy_secrets=proxy_secrets)
        try:
            raise error from None
        finally:
            error.__context__ = None  # it holds the address, which may be as good as a token
