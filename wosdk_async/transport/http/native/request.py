"""Origins of HTTP requests, and the encoding of requests into bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import attrs

from wosdk_async.text.secret import Secret
from wosdk_async.transport.http.engine import Request, RequestHeaders, encode_headers
from wosdk_async.transport.http.environment import Proxy, ProxyRules

_HEADER_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FORBIDDEN_IN_VALUE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_WITH_BODY = b"%b %b%bContent-Length: %d\r\n\r\n%b"
_SMALL = 64 * 1024  # a body with fewer bytes is sent in one piece with its head
_MAX_HEADS = 1024  # maximum cached heads per origin, one for each Company and token
_WITH_LENGTH = (b"POST", b"PUT", b"PATCH")  # without a body, these state a length of 0 (RFC 9110 8.6)

PreparedRequest = tuple[Request, bytes, Secret]
"""Request with its encoded target and head."""


@attrs.define(eq=False)
class Origin:
    """Scheme, host and port of a server, with its proxy; encodes requests for that server."""

    text: str
    host: str
    port: int
    tls: bool
    proxy: Proxy | None = None
    idle: dict[Any, None] = attrs.field(factory=dict, init=False, repr=False)
    """Idle connections to this origin, most recently used last."""
    _heads: dict[RequestHeaders, Secret] = attrs.field(factory=dict, repr=False)
    _last: tuple[RequestHeaders | None, Secret] = attrs.field(default=(None, Secret("")), repr=False)

    def target(self, path: str) -> bytes:
        """Return the request target: ``path``, or the full URL for a proxy without a tunnel."""
        prefix = b"http://" + self._host_header() if self.forwarded else b""
        return prefix + path.encode("ascii")

    @property
    def forwarded(self) -> bool:
        """Whether a proxy reads and forwards the requests."""
        return self.proxy is not None and not (self.tls or self.proxy.is_socks)

    def head(self, headers: RequestHeaders) -> Secret:
        """Return the encoded HTTP version and header lines. Raises ValueError for an invalid header."""
        last, head = self._last
        if headers is not last:  # usually false, because all calls of a session share their headers
            head = self._heads.get(headers) or self._encode_head(headers)
            self._last = headers, head
        return head

    def _encode_head(self, headers: RequestHeaders) -> Secret:
        """Encode and cache the header lines. Raises ValueError."""
        lines = [b" HTTP/1.1", b"Host: " + self._host_header()]
        for name, value in encode_headers(headers):
            if not _HEADER_NAME.fullmatch(name) or _FORBIDDEN_IN_VALUE.search(value):
                shown = name[:60].decode("ascii")
                raise ValueError(
                    f"the header {shown!r} cannot be sent: it has characters that headers must not contain"
                )
            lines.append(b"%b: %b" % (name, value))
        if self.proxy and self.forwarded and (authorization := self.proxy.authorization()):
            lines.append(b"Proxy-Authorization: " + authorization.encode())
        if len(self._heads) >= _MAX_HEADS:
            self._heads.clear()
        head = self._heads[headers] = Secret(b"\r\n".join([*lines, b""]))
        return head

    def _host_header(self) -> bytes:
        return self.text.partition("://")[2].encode("ascii" if self.text.isascii() else "idna")


def write_request(prepared: PreparedRequest, write: Callable[[bytes], None]) -> None:
    """Encode and write a request in one function, so that no other object holds its secrets as bytes."""
    request, target, head = prepared
    verb, body = request.method.encode("ascii"), request.body
    if isinstance(body, Secret):  # the body of a log-in
        body = body.encode()
    if body is None:
        length = b"Content-Length: 0\r\n" if verb in _WITH_LENGTH else b""
        write(b"%b %b%b%b\r\n" % (verb, target, head.encode(), length))
        return
    if len(body) < _SMALL:
        write(_WITH_BODY % (verb, target, head.encode(), len(body), body))
    else:  # two writes, because writelines() never pauses in Python 3.12
        write(_WITH_BODY % (verb, target, head.encode(), len(body), b""))
        write(body)


def split_url(url: str) -> tuple[str, str]:
    """Return the origin and target of ``url``. Raises ValueError for an unquoted target."""
    end = url.find("/", 8)
    origin, target = (url, "/") if end < 0 else (url[:end], url[end:])
    if not target.isascii() or not target.isprintable() or " " in target or "#" in target:
        raise ValueError(f"the address {url[:200]!r} has characters that must be percent-encoded")
    return origin, target


def parse_origin(text: str, proxies: ProxyRules | None = None) -> Origin:
    """Parse an origin such as ``https://host:port``, and add its proxy. Raises ValueError."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or any(each in text for each in "@?#"):
        raise ValueError(f"{text[:200]!r} is not an http or https origin, such as https://host:port")
    tls = parts.scheme == "https"
    proxy = None if proxies is None else proxies.route(text)[0]
    return Origin(text, parts.hostname, parts.port or (443 if tls else 80), tls, proxy)
