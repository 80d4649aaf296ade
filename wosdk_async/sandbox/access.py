"""Addresses of the sandbox itself, who may use them, and ids in paths.

Only this machine may use them, and no page of another site.

A page of another site can make a browser send requests here, or make its own host name lead here (DNS
rebinding): the browser then sends that host name. Only the raw ``Host`` header shows it: the URL of a
starlette request has the server's own address where starlette finds the header wrong.

starlette's TrustedHostMiddleware does not do this: it splits ``Host`` at the first colon, so it cannot allow
``[::1]``, and it reads the first of two such headers.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response

from wosdk_async.sandbox.schema.bodies import dump

__all__ = ["EVERYWHERE", "ID", "Endpoint", "error_response", "guarded", "is_internal", "is_loopback"]

Endpoint = Callable[[Request], Awaitable[Response]]

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared only
"""Addresses to listen on that stand for all of this machine, each with the one that a client on it uses."""

ID = "id"  # as in a route: f"/orders/{{order:{ID}}}"

_FOLDERS = ("/_sandbox/", "/console/")
_PAGES = frozenset({"/console", "/docs", "/openapi.json"})
_READS = ("GET", "HEAD")
_HEADER = "x-sandbox-console"
_OF_BROWSERS = ("origin", "sec-fetch-site")  # one of them is in each request that changes something
# urlsplit alone finds a host name in too much: it ignores user names, paths and braces
_AUTHORITY = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?", re.ASCII)


class _IdConvertor(Convertor[int]):
    """As many digits as an id can have, so that reading one never fails; a longer number is not found."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor(ID, _IdConvertor())


def is_internal(path: str, method: str) -> bool:
    """Return whether an address belongs to the sandbox and not to the service.

    Requests to such addresses are not recorded and meet no fault. The root leads a browser to the console;
    any other request to the root goes to the service.
    """
    return path in _PAGES or path.startswith(_FOLDERS) or (path == "/" and method in _READS)


def guarded(
    endpoint: Endpoint, *, remedy: str, open_to_all: bool = False, for_programs: bool = False
) -> Endpoint:
    """Return an endpoint that refuses other machines and pages of other origins.

    A request that changes something needs a header. A foreign page cannot send it unasked: the browser asks
    first (a preflight), and nothing here ever agrees.

    Args:
        endpoint: of starlette.
        remedy: what to do instead, for a caller from another machine.
        open_to_all: whether other machines are let in.
        for_programs: whether programs such as curl need no header, but browsers only.
    """

    def objection(request: Request) -> str | None:
        if not open_to_all and not _is_local(request):
            return f"Only its own machine may use this address: {remedy}."
        if _is_foreign_page(request):
            return "Pages of another origin may not use this address."
        if request.method in _READS or request.headers.get(_HEADER) == "1":
            return None
        if not for_programs or any(name in request.headers for name in _OF_BROWSERS):
            return f"Send the header {_HEADER}: 1 with a request that changes something."
        return None

    @functools.wraps(endpoint)
    async def guarded_endpoint(request: Request) -> Response:
        reason = objection(request)
        return await endpoint(request) if reason is None else error_response(403, reason)

    return guarded_endpoint


def error_response(status: int, message: str) -> Response:
    """Return an error of the sandbox itself: a message, without a code of the service."""
    return Response(dump({"ErrorMessage": message}), status, media_type="application/json")


def is_loopback(host: str) -> bool:
    """Return whether a host name can only mean this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_local(request: Request) -> bool:
    """Return whether the caller is on this machine and used a loopback host name."""
    near = request.client is None or is_loopback(request.client.host)
    return near and is_loopback(_host_name(request))


def _is_foreign_page(request: Request) -> bool:
    origin = request.headers.get("origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc != request.headers.get("host", "")
    except ValueError:
        return True


def _host_name(request: Request) -> str:
    values = request.headers.getlist("host")
    found = _AUTHORITY.fullmatch(values[0]) if len(values) == 1 else None
    return found[1].strip("[]") if found else ""
