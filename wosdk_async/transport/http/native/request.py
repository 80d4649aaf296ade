"""The bytes of a request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import attrs

from wosdk_async.options import Timeouts

if TYPE_CHECKING:
    from wosdk_async.transport.http.native.connection import Connection

__all__ = ["Origin", "PreparedRequest", "Request", "encoded_head", "origin_of", "request_bytes", "split_url"]

_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BAD_VALUE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_SMALL = 64 * 1024  # bytes; a body below is copied behind its head and leaves in one piece
_REMEMBERED = 1024  # heads of one origin: one for each Company and token


@attrs.define(eq=False)
class Origin:
    """Scheme, host and port, and the idle connections to them, the one used last at the end."""

    text: str
    host: str
    port: int
    tls: bool
    idle: dict[Connection, None] = attrs.field(factory=dict, repr=False)
    _heads: dict[tuple[tuple[str, str], ...], bytes] = attrs.field(factory=dict, repr=False)

    @property
    def name(self) -> bytes:
        """What the Host header says."""
        return self.text.partition("://")[2].encode("idna" if not self.text.isascii() else "ascii")

    def head(self, headers: tuple[tuple[str, str], ...]) -> bytes:
        """The header lines of a request here, remembered. Raises ValueError for what is no header."""
        head = self._heads.get(headers)
        if head is None:
            if len(self._heads) >= _REMEMBERED:
                self._heads.clear()
            lines = [(name.encode("ascii"), value.encode("utf-8")) for name, value in headers]
            head = self._heads[headers] = encoded_head([(b"Host", self.name), *lines])
        return head


def encoded_head(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """What follows the target: the version and the header lines. Raises ValueError for what is no header."""
    lines = [b" HTTP/1.1"]
    for name, value in headers:
        if not _NAME.fullmatch(name) or _BAD_VALUE.search(value):
            raise ValueError(
                f"the header {name[:60].decode('latin-1')!r} cannot be sent: it has control characters"
            )
        lines.append(b"%b: %b" % (name, value))
    return b"\r\n".join([*lines, b""])


def split_url(url: str) -> tuple[str, str]:
    """Origin and target. Raises ValueError for a target that has to be quoted."""
    end = url.find("/", 8)
    origin, target = (url, "/") if end < 0 else (url[:end], url[end:])
    if not target.isascii() or not target.isprintable() or " " in target or "#" in target:
        raise ValueError(f"the address {url[:200]!r} has characters that must be percent-encoded")
    return origin, target


def origin_of(text: str) -> Origin:
    """Read ``https://host:port``. Raises ValueError."""
    parts = urlsplit(text)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or "@" in text
        or "?" in text
        or "#" in text
    ):
        raise ValueError(f"{text[:200]!r} is no http or https address of a host")
    tls = parts.scheme == "https"
    return Origin(text, parts.hostname, parts.port or (443 if tls else 80), tls)


Request = bytes | tuple[bytes, bytes]
"""A request in one piece, or in two when its body is not worth copying."""


@attrs.define
class PreparedRequest:
    """What is asked of a connection. A ``bare`` answer has no body (HEAD), that of a ``raw`` one is not
    decompressed; ``on_sending`` is called just before the first byte may leave.
    """

    request: Request
    on_sending: Callable[[], None]
    timeouts: Timeouts
    repeat_safe: bool
    bare: bool
    raw: bool


def request_bytes(method: str, target: bytes, head: bytes, body: bytes | None) -> Request:
    """The request that is to be sent."""
    verb = method.encode("ascii")
    if body is None:
        length = b"Content-Length: 0\r\n" if method in ("POST", "PUT", "PATCH") else b""
        return b"%b %b%b%b\r\n" % (verb, target, head, length)
    if len(body) < _SMALL:
        return b"%b %b%bContent-Length: %d\r\n\r\n%b" % (verb, target, head, len(body), body)
    return b"%b %b%bContent-Length: %d\r\n\r\n" % (verb, target, head, len(body)), body
