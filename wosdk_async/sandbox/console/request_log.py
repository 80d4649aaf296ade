"""Log of recent requests and responses. It stores them raw, and masks secrets when it shows them."""

from __future__ import annotations

import re
import shlex
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from decimal import InvalidOperation
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl

import attrs
import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wosdk_async.sandbox.access import is_internal
from wosdk_async.sandbox.faults.state import INJECTED
from wosdk_async.sandbox.schema.bodies import Record, dump, load

MAX_REQUESTS = 300
MAX_BODY = 16 * 1024  # bytes kept per body; MAX_BODY and MAX_REQUESTS limit memory use
_MAX_HEADERS = 64
_MAX_PATH = 2000
_MAX_VALUE = 2000  # bytes per header
_REQUEST_ID = re.compile(rb'"RequestId"\s*:\s*"((?:[^"\\]|\\.){0,100})', re.IGNORECASE)

RawHeaders = Sequence[tuple[bytes, bytes]]


@attrs.define
class LoggedBody:
    """Beginning of a body, with the total size in bytes."""

    kept: bytearray = attrs.field(factory=bytearray, repr=False)
    size: int = 0

    def add(self, part: bytes) -> None:
        """Keep as much of the next part as fits."""
        self.size += len(part)
        free = MAX_BODY - len(self.kept)
        if part and free > 0:
            self.kept += part[:free]

    @property
    def cut(self) -> bool:
        """Whether the body was truncated."""
        return self.size > len(self.kept)


@attrs.define
class LoggedExchange:
    """A request and its response."""

    number: int
    began: int  # nanoseconds since 1970 by the sandbox clock
    method: str
    path: str  # with the query, truncated if long
    headers: RawHeaders = attrs.field(repr=False)
    request: LoggedBody = attrs.field(factory=LoggedBody)
    response: LoggedBody = attrs.field(factory=LoggedBody)
    response_headers: RawHeaders = attrs.field(default=(), repr=False)
    status: int | None = None
    seconds: float | None = None  # from the request to the end of the response
    broken: bool = False  # whether the connection ended before the end of the response
    scheme: str = "http"
    faults: list[str] = attrs.field(factory=list)

    def summary(self) -> Record:
        """Return a summary of the exchange for the request list."""
        return {
            "number": self.number,
            "time": datetime.fromtimestamp(self.began // 10**9, UTC).isoformat().replace("+00:00", "Z"),
            "method": self.method,
            "path": shown_path(self.path),
            "status": self.status,
            "broken": self.seconds is not None and self.broken,
            "faults": list(self.faults),
            "milliseconds": None if self.seconds is None else round(self.seconds * 1000, 2),
            "company": dict(reversed(self.headers)).get(b"companyname", b"").decode("latin-1"),
            "requestId": self._request_id(),
        }

    def detail(self) -> Record:
        """Return the summary plus headers and bodies, with secrets masked."""
        return {
            **self.summary(),
            "request": _side(self.headers, self.request),
            "response": _side(self.response_headers, self.response),
            "curl": curl(self.method, self.scheme, self.path, self.headers, bytes(self.request.kept)),
            "complete": not self.request.cut,
        }

    def _request_id(self) -> str:
        found = _REQUEST_ID.search(self.request.kept)  # facts 3.1: in the body or the query
        if found:
            return _decode_text(found[1])
        query = parse_qsl(self.path.partition("?")[2])
        return next((value for name, value in query if name.lower() == "requestid"), "")


def _side(headers: RawHeaders, body: LoggedBody) -> Record:
    return {
        "headers": shown_headers(headers),
        "body": shown_body(bytes(body.kept)),
        "size": body.size,
        "cut": body.cut,
    }


def _decode_text(text: bytes) -> str:
    """Decode the inside of a JSON string; if it is invalid (it may be truncated), keep its escapes."""
    try:
        return str(load(b'"%s"' % text))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return text.decode("utf-8", "replace")


@attrs.define
class RequestLog:
    """Ring buffer of recent exchanges; ``on`` enables recording."""

    on: bool = False
    last: int = attrs.field(default=0, init=False)
    _kept: deque[LoggedExchange] = attrs.field(factory=lambda: deque(maxlen=MAX_REQUESTS), init=False)

    def begin(self, began: int, method: str, path: str, headers: RawHeaders) -> LoggedExchange:
        """Add and return a new exchange for the caller to fill."""
        self.last += 1
        exchange = LoggedExchange(self.last, began, method, path, headers)
        self._kept.append(exchange)
        return exchange

    def newest(self) -> list[LoggedExchange]:
        """Return all exchanges, newest first."""
        return list(reversed(self._kept))

    def find(self, number: int) -> LoggedExchange | None:
        """Return an exchange by number; None if no longer in the log."""
        return next((exchange for exchange in self._kept if exchange.number == number), None)

    def clear(self) -> None:
        """Delete all exchanges; numbering continues."""
        self._kept.clear()


@attrs.frozen
class RequestLogMiddleware:
    """ASGI middleware that records requests and responses while the log is on."""

    app: ASGIApp
    log: RequestLog
    clock: Callable[[], int]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Record a request while ``app`` handles it."""
        if not self.log.on or scope["type"] != "http" or is_internal(scope["path"], scope["method"]):
            await self.app(scope, receive, send)
            return
        exchange = self.log.begin(self.clock(), scope["method"], _path(scope), _limit(scope["headers"]))
        started = time.perf_counter()
        exchange.scheme, scope[INJECTED] = scope["scheme"], exchange.faults
        exchange.broken = True  # becomes False at the end of the response
        try:
            await self.app(scope, _recording_receive(exchange, receive), _recording_send(exchange, send))
        finally:
            exchange.seconds = time.perf_counter() - started


def _recording_receive(exchange: LoggedExchange, receive: Receive) -> Receive:
    async def record_and_receive() -> Message:
        message = await receive()
        if message["type"] == "http.request":
            exchange.request.add(message.get("body", b""))
        return message

    return record_and_receive


def _recording_send(exchange: LoggedExchange, send: Send) -> Send:
    async def record_and_send(message: Message) -> None:
        if message["type"] == "http.response.start":
            exchange.status = message["status"]
            exchange.response_headers = _limit(message.get("headers", ()))
        else:
            exchange.response.add(message.get("body", b""))
            exchange.broken = message.get("more_body", False)
        await send(message)

    return record_and_send


def _path(scope: Scope) -> str:
    path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1").partition("?")[0]
    query = scope["query_string"].decode("latin-1")
    return (f"{path}?{query}" if query else path)[:_MAX_PATH]


def _limit(headers: Iterable[tuple[bytes, bytes]]) -> RawHeaders:
    return [(name, value[:_MAX_VALUE]) for name, value in islice(headers, _MAX_HEADERS)]


# --- requests as curl commands, without secrets and with everything escaped ---------------------------------

# Headers that curl adds, or that belong to the connection
_CONNECTION_HEADERS = frozenset(
    {"host", "content-length", "connection", "transfer-encoding", "accept-encoding", "expect", "keep-alive"}
)


def curl(method: str, scheme: str, path: str, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> str:
    """Return a shell command that repeats a request, with variables or masks in place of secrets."""
    shown = shown_headers(headers)
    host = next((value for name, value in shown if name.lower() == "host"), "localhost")
    parts = ["curl --globoff --path-as-is", f"--request {_quoted(method)}"]
    parts.append(_quoted(f"{scheme}://{host}{shown_path(path)}"))
    parts += _header_options(shown)
    if body:
        parts.append(f"--data-raw {_quoted(shown_body(body, indent=-1))}")
    return " \\\n  ".join(parts)


def _header_options(shown: list[list[str]]) -> Iterator[str]:
    for name, value in shown:
        lower_name = name.lower()
        if lower_name in _CONNECTION_HEADERS:
            continue
        if lower_name == "authorization" and value.lower().startswith("bearer "):
            yield '--header "Authorization: Bearer $WOSDK_TOKEN"'
        elif lower_name == "authorization" and value.lower().startswith("basic "):
            yield '--user "$WOSDK_CLIENT_ID:$WOSDK_CLIENT_SECRET"'
        else:
            # curl drops a header without a value unless it ends with a semicolon instead of a colon.
            yield f"--header {_quoted(f'{name}: {value}' if value else f'{name};')}"


def _quoted(text: str) -> str:
    """Quote text as one shell word, with control characters escaped for terminals."""
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(map(_escaped, text)) + "'"


def _escaped(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    if char.isprintable():
        return char
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogatepass"))


# --- masking of secrets -------------------------------------------------------------------------------------

# Secrets are recognized by name, because requests may contain secrets that the sandbox does not know. The
# client's ``Secrets`` recognizes them by value, and the sandbox must not import the client.

MASK = "•••"

_SCHEMES = frozenset({"basic", "bearer"})
_SECRETS = frozenset({"client_secret", "access_token", "refresh_token", "password", "authorization"})


_PERCENT = "%(?:25){0,4}"  # percent sign of an escape, which may itself be escaped up to four times


def _any_escape(name: str) -> str:
    r"""Return a pattern that matches ``name`` even if characters are escaped as in JSON or forms.

    ``a`` becomes ``(?:a|(?:\\u00|%(?:25){0,4})(?:61|41))``, which matches ``a``, ``\u0061``, ``%61``,
    ``%2541``.
    """
    codes = ([f"{ord(each):02x}" for each in (char, char.upper())] for char in name)
    escaped = (rf"(?:\\u00|{_PERCENT})(?:{'|'.join(pair)})" for pair in codes)
    return "".join(rf"(?:{char}|{code})" for char, code in zip(name, escaped, strict=True))


# Each comment below shows inputs, and the masked output on the right.
_NAMES = "|".join(map(_any_escape, sorted(_SECRETS)))
# Masked up to the next &, because a semicolon may be part of a secret
#   a=1&client_secret=x;y&b=2                a=1&client_secret=•••&b=2
#   user[password]=x&b=2                     user[password]=•••&b=2
_IN_FORM = re.compile(rf"((?:{_NAMES})(?:[\[\]\w. +-]|%5b|%5d|%20){{0,50}}=)[^&]*", re.IGNORECASE)
# Any other text, such as cut JSON, XML, YAML or a multipart form: masked to the end of the text, because the
# end of the value is uncertain
#   {"password": "a\"b", "c": 1              {"password"•••
#   <a><x:Password type="y">z</x:Password>   <a><x:Password•••
#   name=password\n\nx\n--b                  name=password•••
_IN_TEXT = re.compile(
    rf"((?:<[\w.:-]{{0,50}}|name\s*=\s*[\"']?)(?:{_NAMES})"
    rf"|(?:{_NAMES})\s*(?:[\"'\\:<>]|=(?!{MASK})|{_PERCENT}(?:2[027]|3[ad]|5c))).*",
    re.IGNORECASE | re.DOTALL,
)
# The key in a file's address: the key grants access (facts 3.10), and the address may be escaped
#   /files/46/7/0123abcd?x=1                 /files/46/7/•••?x=1
#   %2Ffiles%2F46%2F7%2F0123abcd             %2Ffiles%2F46%2F7%2F•••
_SLASH, _DIGITS = r"(?:\\?/|%2f){1,9}", r"(?:\d|%3\d){1,20}"
_FILE_KEY = re.compile(
    rf"({_SLASH}{_any_escape('files')}{_SLASH}{_DIGITS}{_SLASH}{_DIGITS}{_SLASH})[0-9a-z%]+", re.IGNORECASE
)


def shown_headers(headers: Iterable[tuple[bytes, bytes]]) -> list[list[str]]:
    """Return header names and values, with secrets reduced to the scheme or cookie names."""
    pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
    return [[name, _masked_header(name, value)] for name, value in pairs]


def shown_path(path: str) -> str:
    """Return a path and query, or a form, with secrets masked."""
    return _FILE_KEY.sub(rf"\1{MASK}", _IN_FORM.sub(rf"\1{MASK}", path))


def shown_body(raw: bytes, *, indent: int = 2) -> str:
    """Return a body as text with secrets masked; JSON is indented, or on one line for ``indent=-1``."""
    raw = raw.replace(b"\0", b"")  # without zero bytes, names in UTF-16 are also found
    if not raw:
        return ""
    try:
        return msgspec.json.format(dump(_masked(load(raw))), indent=indent).decode()
    except (msgspec.MsgspecError, UnicodeDecodeError, InvalidOperation, RecursionError):
        return _masked_text(raw.decode("utf-8", "replace"))


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: MASK if name.lower() in _SECRETS else _masked(inner) for name, inner in value.items()}
    if isinstance(value, str):
        return _masked_text(value)
    return [_masked(inner) for inner in value] if isinstance(value, list) else value


def _masked_text(text: str) -> str:
    return _IN_TEXT.sub(rf"\1{MASK}", shown_path(text))


def _masked_header(name: str, value: str) -> str:
    match name.lower():
        case "authorization" | "proxy-authorization":
            scheme = value.partition(" ")[0]
            return f"{scheme} {MASK}" if scheme.lower() in _SCHEMES else MASK
        case "cookie":
            return "; ".join(map(_masked_cookie, value.split(";")))
        case "set-cookie":
            return _masked_cookie(value)
    return value


def _masked_cookie(pair: str) -> str:
    name, sign, _ = pair.partition("=")
    return f"{name.strip()}={MASK}" if sign else MASK
