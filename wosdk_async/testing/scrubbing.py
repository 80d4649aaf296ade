"""What a recording keeps of requests and responses: no secrets, and placeholders for names.

A body is kept as ``{"json": value}``, ``{"text": ...}`` or ``{"base64": ...}``.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import attrs

from wosdk_async import codec
from wosdk_async.codec.masking import mask_fields
from wosdk_async.testing.placeholders import Names
from wosdk_async.testing.recorded_exchanges import TOKEN_PATH, RecordedExchange, mapped
from wosdk_async.testing.recording_engines import RawExchange
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.session.login import asks_for_token

__all__ = ["Cleaner", "Scrub", "body_bytes", "request_id_of", "secrets_of"]

Scrub = Callable[[Any], Any]
"""Gets the decoded JSON of a body (its text, if it is not JSON) and returns what to keep of it."""

_HEADERS = ("content-type", "date", "location", "retry-after")  # those that the client reads
_NO_SECRETS = Secrets()
_GRANTED = {"json": {"access_token": "wosdk-replay-token", "expires_in": 1199}}  # in place of each token


@attrs.frozen
class Cleaner:
    """Makes what a recording keeps of an exchange."""

    names: Names
    scrub: Scrub

    def request(self, raw: RawExchange, secrets: Secrets = _NO_SECRETS) -> RecordedExchange:
        """Return what to keep of a request. Of one that asks for a token, only that it did."""
        parts = urlsplit(raw.url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        company = self.names.company(raw.header("CompanyName"))
        if asks_for_token(raw.body):
            return RecordedExchange(method=raw.method, path=TOKEN_PATH, company=company)
        return RecordedExchange(
            method=raw.method,
            path=self._clean(path, raw, secrets, companies=False),
            company=company,
            body=self._body(raw.shown_body, raw, secrets),
        )

    def exchange(self, raw: RawExchange, secrets: Secrets) -> RecordedExchange:
        """Return what to keep of an exchange."""
        kept = self.request(raw, secrets)
        kept.failure = raw.failure
        if raw.response is not None:
            headers = {name: raw.response.headers[name] for name in _HEADERS if name in raw.response.headers}
            granted = asks_for_token(raw.body) and raw.response.status == 200
            kept.status, kept.headers = raw.response.status, self._clean(headers, raw, secrets)
            kept.response = _GRANTED if granted else self._body(raw.response.body, raw, secrets)
        return kept

    def _clean(self, value: Any, raw: RawExchange, secrets: Secrets, *, companies: bool = True) -> Any:
        """Return JSON values without secrets, and with placeholders."""
        clean = partial(self.names.hidden, request_id=request_id_of(raw.shown_body), companies=companies)
        return self.names.hidden_members(mapped(mask_fields(value, secrets), clean))

    def _body(self, body: bytes | None, raw: RawExchange, secrets: Secrets) -> dict[str, Any] | None:
        return _kept_body(body, lambda value: self._clean(self.scrub(value), raw, secrets))


def secrets_of(exchanges: Iterable[RawExchange]) -> Secrets:
    """Return the tokens and credentials that exchanges carry."""
    found: set[str] = set()
    for raw in exchanges:
        found.add(raw.header("Authorization").removeprefix("Bearer "))
        if asks_for_token(raw.body):
            form = dict(parse_qsl(raw.body.reveal()))
            found.update(form.get(name, "") for name in ("client_id", "client_secret"))
            found.add(_granted_token(raw))
    return Secrets(*sorted(found))


def _granted_token(raw: RawExchange) -> str:
    try:
        token = codec.loads(raw.response.body)["access_token"] if raw.response else ""
    except (KeyError, TypeError, ValueError):
        return ""
    return token if isinstance(token, str) else ""


# --- bodies ---------------------------------------------------------------------------------


def _kept_body(body: bytes | None, change: Callable[[Any], Any]) -> dict[str, Any] | None:
    """Return what to keep of a body after ``change``; None for no body."""
    if not body:
        return None
    try:
        value = change(codec.loads(body))
        codec.dumps(value)  # some numbers can be read and not written
    except (ValueError, RecursionError):
        pass
    else:
        return {"json": value}
    try:
        return {"text": str(change(body.decode()))}
    except UnicodeDecodeError:
        changed = str(change(body.decode("latin-1")))
        return {"base64": base64.b64encode(changed.encode("latin-1", "replace")).decode()}


def body_bytes(kept: Mapping[str, Any] | None, change: Callable[[str], str]) -> bytes:
    """Return the bytes of a body that was kept, after ``change`` of its texts."""
    if kept is None:
        return b""
    if "json" in kept:
        return codec.dumps(mapped(kept["json"], change))
    if "text" in kept:
        return change(str(kept["text"])).encode()
    return base64.b64decode(str(kept.get("base64", "")))


def request_id_of(body: bytes | None) -> str | None:
    """Return the RequestId of a request; None if it sends none."""
    if not body or b'"RequestId"' not in body:
        return None
    try:
        found = codec.loads(body)
    except ValueError:
        return None
    sent = found.get("RequestId") if isinstance(found, dict) else None
    return sent if isinstance(sent, str) and sent else None
