"""Access control, JSON requests and id parsing for the sandbox's own addresses.

Only clients on this machine may use these addresses; web pages of other sites may not. A site can make its
host name resolve to this machine (DNS rebinding). Then only the raw ``Host`` header reveals the site.

starlette's TrustedHostMiddleware cannot replace this module. It splits ``Host`` at the first colon, so it
cannot allow ``[::1]``, and it reads only the first of two ``Host`` headers.
"""

from __future__ import annotations

import functools
import ipaddress
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response

from wosdk_async.sandbox.errors import Refusal, StoreError, did_you_mean
from wosdk_async.sandbox.schema.bodies import dump

JsonEndpoint = Callable[[Request], Awaitable[Mapping[str, object] | Response]]

WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - only compared
"""Wildcard listen addresses, each with the loopback address for local clients."""

ID = "id"  # the convertor's name in routes, as in f"/orders/{{order:{ID}}}"

_FOLDERS = ("/_sandbox/", "/console/")
_PAGES = frozenset({"/console", "/docs", "/openapi.json"})
_READS = ("GET", "HEAD")
_HEADER = "x-sandbox-console"
# Browsers send at least one of these with each request that changes data.
_BROWSER_HEADERS = ("origin", "sec-fetch-site")
# Not urlsplit, which also accepts user names, paths and braces.
_AUTHORITY = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?", re.ASCII)


class _IdConvertor(IntegerConvertor):
    """Route convertor for ids; a number with too many digits does not match."""

    regex = "[0-9]{1,18}"


register_url_convertor(ID, _IdConvertor())


def is_internal(path: str, method: str) -> bool:
    """Return whether the sandbox itself handles a request; such requests are not logged and get no faults."""
    # A GET of the root sends browsers to the console; other requests to the root go to the service.
    return path in _PAGES or path.startswith(_FOLDERS) or (path == "/" and method in _READS)


def guarded(
    endpoint: JsonEndpoint, *, remedy: str = "", open_to_all: bool = False, for_programs: bool = False
) -> Callable[[Request], Awaitable[Response]]:
    """Wrap a JSON endpoint to refuse requests from other machines and other origins.

    Requests that change data need a custom header. A page of another origin cannot send it, because browsers
    first send a preflight request, which is refused. With ``for_programs``, only browsers need the header.
    """

    def objection(request: Request) -> str | None:
        if not open_to_all and not _is_local(request):
            return f"Only the sandbox's own machine may use this, at 127.0.0.1 or localhost{remedy}."
        if _is_foreign_page(request):
            return "Pages of another origin may not use this address."
        if request.method in _READS or request.headers.get(_HEADER) == "1":
            return None
        if not for_programs or any(name in request.headers for name in _BROWSER_HEADERS):
            return f"Send the header {_HEADER}: 1 with requests that change data."
        return None

    @functools.wraps(endpoint)
    async def guarded_endpoint(request: Request) -> Response:
        reason = objection(request)
        return await _json_response(endpoint, request) if reason is None else error_response(403, reason)

    return guarded_endpoint


async def _json_response(endpoint: JsonEndpoint, request: Request) -> Response:
    try:
        body = await endpoint(request)
    except Refusal as refusal:
        return error_response(refusal.status, refusal.message)
    except (StoreError, ValueError, OverflowError) as error:
        return error_response(400, str(error), "INCORRECT_MODEL")
    if isinstance(body, Response):
        return body
    return Response(dump(body), media_type="application/json", headers={"Cache-Control": "no-store"})


def error_response(status: int, message: str, code: str = "") -> Response:
    """Return an error response from the sandbox itself, not the service."""
    body = ({"ErrorCode": code} if code else {}) | {"ErrorMessage": message}
    return Response(dump(body), status, media_type="application/json")


async def json_object(
    request: Request, names: Sequence[str] = (), *, optional: bool = False
) -> dict[str, Any]:
    """Parse a request's JSON object; with ``optional``, an empty body is ``{}``.

    Raises ValueError if the body is invalid or has members other than ``names`` (default: all are allowed).
    """
    raw = await request.body()
    if optional and not raw.strip():
        return {}
    try:
        found = json.loads(raw)
    except RecursionError:
        raise ValueError("The body is nested too deeply.") from None
    except ValueError as error:
        raise ValueError(f"The body is not JSON: {error}.") from None
    if not isinstance(found, dict):
        raise ValueError("The body must be a JSON object.")
    unknown = next((name for name in found if names and name not in names), None)
    if unknown is not None:
        hint = did_you_mean(unknown, names)
        raise ValueError(f"The body has an unknown member {unknown[:60]!r}{hint}; use {', '.join(names)}.")
    return found


def is_loopback(host: str) -> bool:
    """Return whether a host name always means this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_local(request: Request) -> bool:
    local_peer = request.client is None or is_loopback(request.client.host)
    hosts = request.headers.getlist("host")
    named = _AUTHORITY.fullmatch(hosts[0]) if len(hosts) == 1 else None
    return local_peer and named is not None and is_loopback(named[1].strip("[]"))


def _is_foreign_page(request: Request) -> bool:
    origin = request.headers.get("origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc != request.headers.get("host", "")
    except ValueError:
        return True
