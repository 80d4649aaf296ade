"""``-v``: one stderr line per request and response; ``-vv`` adds headers and bodies.

Secrets are never shown: log-in forms and responses, sent or received secrets in any encoding
(:class:`Secrets`), and values of fields such as ``Password``.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from urllib.parse import parse_qs, urlsplit

import attrs
import click

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.texts import counted, visible
from wosdk_async.codec.masking import mask_text
from wosdk_async.errors import ConfigurationError
from wosdk_async.options import ClientOptions, Limits
from wosdk_async.options.hooks import Attempt
from wosdk_async.protocol.wire import Response
from wosdk_async.text.safe_text import Secrets, is_secret_name
from wosdk_async.text.secret import Secret
from wosdk_async.transport.http.engine import (
    OnResponse,
    Request,
    RequestHeaders,
    SendError,
    StreamedResponse,
    StreamingEngine,
    WatchedEngine,
    encode_body,
)
from wosdk_async.transport.http.environment import parse_proxy
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.transport.session.login import asks_for_token, granted_token


@attrs.define(eq=False, repr=False)
class _Exchange:
    request: Request
    started: float = attrs.field(factory=time.monotonic)
    seconds: float = 0.0
    response: Response | None = None
    failure: str = "no response"
    attempt: Attempt | None = None


class _ShowingEngine(WatchedEngine):
    """Engine wrapper that reports requests to ``log``."""

    def __init__(self, engine: StreamingEngine, log: RequestPrinter) -> None:
        super().__init__(engine)
        self._log = log

    @contextmanager
    def watch(self, request: Request) -> Iterator[OnResponse]:
        exchange = _Exchange(request)
        self._log.begin(request)
        try:
            yield partial(self._log.responded, exchange)
        except SendError as failure:
            exchange.failure = f"no response ({failure})"
            raise
        finally:
            self._log.end(exchange)

    @asynccontextmanager
    async def stream(self, url: str, headers: RequestHeaders = ()) -> AsyncIterator[StreamedResponse]:
        """Download a file. Only the host is shown, because the URL may be signed."""
        exchange = _Exchange(Request("GET", f"{urlsplit(url).scheme}://{urlsplit(url).hostname}/***", ()))
        try:
            async with super().stream(url, headers) as response:
                exchange.failure = str(response.status)
                yield response
        finally:
            self._log.end(exchange)


_MAX_LINE = 1000  # characters per request line and per header
_MAX_BODY = 4000
_MAX_HEADERS = 40
_MAX_SEARCHED = 64 * 1024  # bytes of a request that are searched for secret fields
_KEPT = 16  # secrets to hide; more than are in use, because a late response may contain an old token
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")

_MEMBER = re.compile(r'"(?P<name>(?:[^"\\]|\\.){1,200})"\s*:\s*"(?P<value>(?:[^"\\]|\\.)*)"?')
_SIGNED = re.compile(r"(https?:(?:\\?/){2}[^\s\"'?#]{1,2000})[?#][^\s\"']*", re.IGNORECASE)


class RequestPrinter:
    """Printer for one client's requests. ``level`` 2 adds headers and bodies."""

    def __init__(self, level: int) -> None:
        self._level = level
        self._ended: _Exchange | None = None
        self._found: deque[Secret] = deque(maxlen=_KEPT)
        self._proxies = Secrets()
        for name in _PROXIES:
            for variable in (name, name.lower()):
                with contextlib.suppress(ConfigurationError):  # invalid addresses are reported when used
                    address = Secret(os.environ.get(variable, ""))
                    self._proxies += parse_proxy(address, variable).secrets
        self._secrets = self._proxies

    def engine(self, limits: Limits, options: ClientOptions | None = None) -> StreamingEngine:
        """Return the usual engine, wrapped so that its requests are printed."""
        return _ShowingEngine(engine_for(options or ClientOptions(), limits), self)

    def attempt_ended(self, attempt: Attempt) -> None:
        """Add the attempt number to the request that has just ended, which is not printed yet."""
        if self._ended is not None:
            self._ended.attempt = attempt

    def begin(self, request: Request) -> None:
        """Remember the secrets in a request, so that output hides them."""
        for name, value in request.headers:
            if name.lower() == "authorization" and isinstance(value, Secret):
                self._learn(value.reveal().partition(" ")[2])
        if asks_for_token(request.body):
            form = parse_qs(request.body.reveal())
            secret, client_id = (form.get(name, [""])[0] for name in ("client_secret", "client_id"))
            self._learn(secret, base64.b64encode(f"{client_id}:{secret}".encode()).decode())
        elif isinstance(request.body, bytes):
            self._learn(*_secret_values(request.body[:_MAX_SEARCHED].decode("utf-8", "replace")))

    def responded(self, exchange: _Exchange, response: Response) -> None:
        """Store the response; if it is for a log-in, remember its token as a secret."""
        exchange.response = response
        if asks_for_token(exchange.request.body):
            self._learn(granted_token(response.body))

    def end(self, exchange: _Exchange) -> None:
        """Print the request soon: a call's :meth:`attempt_ended` comes first."""
        exchange.seconds = time.monotonic() - exchange.started
        self._ended = exchange
        asyncio.get_running_loop().call_soon(self._print, exchange)

    def _learn(self, *values: str) -> None:
        new = [hidden for value in values if value and (hidden := Secret(value)) not in self._found]
        if new:
            self._found.extend(new)
            self._secrets = self._proxies + Secrets(*self._found)

    def _hidden(self, text: str, longest: int) -> str:
        """Return ``text`` on one line, truncated to ``longest``, without secrets or URL queries."""
        masked = mask_text(_SIGNED.sub(r"\1?***", text), self._secrets)
        shown = visible(masked[:longest])
        return shown if len(masked) <= longest else f"{shown}..."

    def _print(self, exchange: _Exchange) -> None:
        say(self._secrets.hide(", ".join(_line_parts(exchange)), _MAX_LINE))
        if self._level < 2:
            return
        request, response = exchange.request, exchange.response
        if asks_for_token(request.body):
            _detail(">", "(log-in form and response are hidden)")
            return
        assert not isinstance(request.body, Secret)  # noqa: S101 - only a log-in has a Secret as its body
        self._print_message(">", dict(request.headers), request.body)
        if response is not None:
            self._print_message("<", response.headers, response.body)

    def _print_message(self, sign: str, headers: Mapping[str, object], body: bytes | None) -> None:
        for name, value in list(headers.items())[:_MAX_HEADERS]:
            text = "***" if is_secret_name(name) else value
            _detail(sign, self._hidden(f"{name}: {text}", _MAX_LINE))
        if body:
            text = body[: 2 * _MAX_BODY].decode("utf-8", "replace")
            cut = f" (cut from {len(body):,} bytes)" if len(body) > _MAX_BODY else ""
            _detail(sign, f"{self._hidden(text, _MAX_BODY)}{cut}")


def _line_parts(exchange: _Exchange) -> Iterator[str]:
    request, response, attempt = exchange.request, exchange.response, exchange.attempt
    outcome = exchange.failure if response is None else str(response.status)
    yield f"{request.method} {request.url}: {outcome} in {exchange.seconds:.3f} s"
    if attempt is not None:
        yield f"attempt {attempt.number}"
        if attempt.request_id:
            yield f"RequestId {attempt.request_id}"
    sent = encode_body(request.body) or b""
    yield f"{counted(len(sent), 'byte')} sent"
    if response is not None:
        yield f"{counted(len(response.body), 'byte')} received"


def _detail(sign: str, text: str) -> None:
    click.echo(f"  {sign} {text}", err=True)


def _secret_values(text: str) -> list[str]:
    """Return the values of secret fields in JSON text, both as written and decoded."""
    found = []
    for member in _MEMBER.finditer(text):
        name = member["name"]
        with contextlib.suppress(ValueError):  # the name has invalid JSON escapes
            name = json.loads(f'"{name}"')
        if is_secret_name(name):
            found.append(member["value"])
            with contextlib.suppress(ValueError):  # the value was truncated and cannot be decoded
                found.append(json.loads(f'"{member["value"]}"'))
    return list(dict.fromkeys(found))[:_KEPT]
