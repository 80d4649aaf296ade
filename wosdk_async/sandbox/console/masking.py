"""What is shown of an exchange: texts, without the secrets in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import InvalidOperation
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlencode

import msgspec

from wosdk_async.sandbox.body import dump, load

from .request_log import Body

__all__ = ["MASK", "shown_body", "shown_headers", "shown_path"]

MASK = "•••"

_SECRET_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})
_SECRETS = frozenset({"client_secret", "access_token", "refresh_token", "password", "authorization"})
_NAMES = "|".join(sorted(_SECRETS))
# In text that is no whole JSON: the value, also where the text was cut in its middle
_IN_TEXT = re.compile(rf'("(?:{_NAMES})"\s*:\s*")(?:[^"\\]|\\.)*', re.IGNORECASE)
_FORM = re.compile(rb"[^={}\[\]\s]+=")
_FILE_KEY = re.compile(r"(/files/\d+/\d+/)[0-9A-Za-z]+")  # whoever has it can open the file (facts 3.10)


def shown_headers(headers: Iterable[tuple[bytes, bytes]]) -> list[list[str]]:
    """Names and values; of the secret ones only the scheme."""
    pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
    return [[name, _masked_header(name, value)] for name, value in pairs]


def shown_path(path: str) -> str:
    path, mark, query = path.partition("?")
    pairs = [_masked_pair(pair) for pair in query.split("&")]
    return _FILE_KEY.sub(rf"\1{MASK}", path) + mark + "&".join(pairs)


def shown_body(body: Body) -> str:
    """The body, laid out if it is JSON."""
    raw = bytes(body.kept)
    if not raw:
        return ""
    try:
        laid_out = msgspec.json.format(dump(_masked(load(raw))), indent=2).decode()
    except (msgspec.MsgspecError, UnicodeDecodeError, InvalidOperation, RecursionError):
        return _text(raw)
    return _FILE_KEY.sub(rf"\1{MASK}", laid_out)


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: MASK if name.lower() in _SECRETS else _masked(inner) for name, inner in value.items()}
    return [_masked(inner) for inner in value] if isinstance(value, list) else value


def _text(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    if _FORM.match(raw):
        fields = parse_qsl(text, keep_blank_values=True)
        return urlencode(
            [(name, MASK if name.lower() in _SECRETS else value) for name, value in fields], safe=MASK
        )
    return _FILE_KEY.sub(rf"\1{MASK}", _IN_TEXT.sub(rf"\1{MASK}", text))


def _masked_pair(pair: str) -> str:
    name, equals, _ = pair.partition("=")
    return f"{name}{equals}{MASK}" if equals and unquote_plus(name).lower() in _SECRETS else pair


def _masked_header(name: str, value: str) -> str:
    if name.lower() not in _SECRET_HEADERS:
        return value
    scheme, space, _ = value.partition(" ")
    return f"{scheme} {MASK}" if space else MASK
