"""Bytes of a request: the origin it goes to, its head and its body."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import attrs

from wosdk_async.transport.http.engine import RequestHeaders, encode_headers

__all__ = ["EncodedRequest", "Origin", "parse_origin", "split_url"]

_HEADER_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FORBIDDEN_IN_VALUE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_SMALL = 64 * 1024  # bytes; a shorter body is copied behind its head and leaves in one piece
_MAX_HEADS = 1024  # remembered for one origin: one for each Company and token
_WITH_LENGTH = ("POST", "PUT", "PATCH")  # they state a length of 0 without a body (RFC 9110 8.6)

EncodedRequest = bytes | tuple[bytes, bytes]
"""A request in one piece, or in two when its body is not worth copying."""


@attrs.define(eq=False)
class Origin:
    """Scheme, host and port of a server. It encodes the requests that go there."""

    text: str
    host: str
    port: int
    tls: bool
    _heads: dict[RequestHeaders, bytes] = attrs.field(factory=dict, repr=False)

    def encode(
        self, method: str, target: bytes, headers: RequestHeaders, body: bytes | None
    ) -> EncodedRequest:
        """Encode a request. Raises ValueError for a header that cannot be sent."""
        head = self._heads.get(headers) or self._encode_head(headers)
        verb = method.encode("ascii")
        if body is None:
            length = b"Content-Length: 0\r\n" if method in _WITH_LENGTH else b""
            return b"%b %b%b%b\r\n" % (verb, target, head, length)
        if len(body) < _SMALL:
            return b"%b %b%bContent-Length: %d\r\n\r\n%b" % (verb, target, head, len(body), body)
        return b"%b %b%bContent-Length: %d\r\n\r\n" % (verb, target, head, len(body)), body

    def _encode_head(self, headers: RequestHeaders) -> bytes:
        """Encode the version and the header lines, and remember them. Raises ValueError."""
        lines = [b" HTTP/1.1", b"Host: " + self._host_header()]
        for name, value in encode_headers(headers):
            if not _HEADER_NAME.fullmatch(name) or _FORBIDDEN_IN_VALUE.search(value):
                shown = name[:60].decode("ascii")
                raise ValueError(f"the header {shown!r} cannot be sent: it has control characters")
            lines.append(b"%b: %b" % (name, value))
        if len(self._heads) >= _MAX_HEADS:
            self._heads.clear()
        head = self._heads[headers] = b"\r\n".join([*lines, b""])
        return head

    def _host_header(self) -> bytes:
        return self.text.partition("://")[2].encode("ascii" if self.text.isascii() else "idna")


def split_url(url: str) -> tuple[str, str]:
    """Return origin and target of ``url``. Raises ValueError for a target that has to be quoted."""
    end = url.find("/", 8)
    origin, target = (url, "/") if end < 0 else (url[:end], url[end:])
    if not target.isascii() or not target.isprintable() or " " in target or "#" in target:
        raise ValueError(f"the address {url[:200]!r} has characters that must be percent-encoded")
    return origin, target


def parse_origin(text: str) -> Origin:
    """Return the origin written as ``https://host:port``. Raises ValueError."""
    parts = urlsplit(text)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or "@" in text
        or "?" in text
        or "#" in text
    ):
        raise ValueError(f"{text[:200]!r} is not an http or https address of a host")
    tls = parts.scheme == "https"
    return Origin(text, parts.hostname, parts.port or (443 if tls else 80), tls)
