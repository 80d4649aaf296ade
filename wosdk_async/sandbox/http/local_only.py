"""Whether a request comes from this machine, and from no page of another site.

A page of another site can have a browser send requests here, or make a host name of its own lead here
(DNS rebinding): the browser then names that host. Only the raw ``Host`` header tells it: the URL of a
starlette request shows the server's own address in place of a header that starlette finds wrong.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from starlette.requests import Request

__all__ = ["is_foreign_page", "is_local", "is_loopback"]

# What urlsplit would find a host name in is not enough: it passes user names, paths and braces over.
_AUTHORITY = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?", re.ASCII)


def is_local(request: Request) -> bool:
    """Return whether the caller is on this machine and named it by a loopback host name."""
    near = request.client is None or is_loopback(request.client.host)
    return near and is_loopback(_host_name(request))


def is_foreign_page(request: Request) -> bool:
    """Return whether a page of another origin sent the request."""
    origin = request.headers.get("origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc != request.headers.get("host", "")
    except ValueError:
        return True


def _host_name(request: Request) -> str:
    named = request.headers.getlist("host")
    found = _AUTHORITY.fullmatch(named[0]) if len(named) == 1 else None
    return found[1].strip("[]") if found else ""


def is_loopback(host: str) -> bool:
    """Return whether ``host`` names this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
