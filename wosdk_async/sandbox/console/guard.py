"""Who may use the console: a browser on this machine, and no page but the console's own.

The caller and the host name must be of this machine, an Origin must be this one (local_only.py), and what
changes something must carry a header that a foreign page cannot send unasked: a browser asks first
(a preflight), and nothing here ever says yes.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from wosdk_async.sandbox.http.local_only import is_foreign_page, is_local
from wosdk_async.sandbox.schema.bodies import dump

__all__ = ["HEADER", "guarded", "refused"]

HEADER = "x-sandbox-console"

Endpoint = Callable[[Request], Awaitable[Response]]
_READS = ("GET", "HEAD")


def guarded(endpoint: Endpoint) -> Endpoint:
    """Let an endpoint answer the console's own page on this machine only."""

    @functools.wraps(endpoint)
    async def answer(request: Request) -> Response:
        reason = _objection(request)
        return await endpoint(request) if reason is None else refused(403, reason)

    return answer


def refused(status: int, reason: str) -> Response:
    """An error body of the console: a text, and no code of the service."""
    return Response(dump({"ErrorMessage": reason}), status, media_type="application/json")


def _objection(request: Request) -> str | None:
    if not is_local(request):
        return "The console answers its own machine only: open it at 127.0.0.1 or localhost."
    if is_foreign_page(request):
        return "The console does not answer pages of another origin."
    if request.method not in _READS and request.headers.get(HEADER) != "1":
        return f"Send the header {HEADER}: 1 with what changes something."
    return None
