"""What is shown of an exchange: texts, without the secrets in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import InvalidOperation
from typing import Any

import msgspec

from wosdk_async.sandbox.body import dump, load

from .request_log import Body

__all__ = ["MASK", "shown_body", "shown_headers", "shown_path"]

MASK = "•••"

_SECRET_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})
_SECRETS = frozenset({"client_secret", "access_token", "refresh_token", "password", "authorization"})


def _spelt(name: str) -> str:
    """Return a pattern of ``name`` in which any character may be escaped, as JSON or as a form does it."""
    codes = ([f"{ord(each):02x}" for each in (char, char.upper())] for char in name)
    escaped = (rf"(?:\\u00|%)(?:{'|'.join(pair)})" for pair in codes)
    return "".join(rf"(?:{char}|{code})" for char, code in zip(name, escaped, strict=True))


_NAMES = "|".join(map(_spelt, sorted(_SECRETS)))
# For text that is no whole JSON. A value that is a text ends with its quote, or where it was cut; objects and
# lists are hidden up to the end, as nobody knows where they end.
_IN_JSON = re.compile(
    rf'("(?:{_NAMES})"\s*:\s*)(?:"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[\[{{].*|[^\s"\[{{,}}\]]+)',
    re.IGNORECASE | re.DOTALL,
)
# Up to the next &: a semicolon separates fields, but may as well be part of a secret.
_IN_FORM = re.compile(rf"((?:{_NAMES})(?:[\[\]\w. +-]|%5b|%5d|%20){{0,50}}=)[^&]*", re.IGNORECASE)
_FILE_KEY = re.compile(r"(/files/\d+/\d+/)[0-9A-Za-z]+")  # whoever has it can open the file (facts 3.10)


def shown_headers(headers: Iterable[tuple[bytes, bytes]]) -> list[list[str]]:
    """Names and values; of the secret ones only the scheme."""
    pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
    return [[name, _masked_header(name, value)] for name, value in pairs]


def shown_path(path: str) -> str:
    return _FILE_KEY.sub(rf"\1{MASK}", _IN_FORM.sub(rf"\1{MASK}", path))


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
    for pattern in (_IN_JSON, _IN_FORM, _FILE_KEY):
        text = pattern.sub(rf"\1{MASK}", text)
    return text


def _masked_header(name: str, value: str) -> str:
    if name.lower() not in _SECRET_HEADERS:
        return value
    scheme, space, _ = value.partition(" ")
    return f"{scheme} {MASK}" if space else MASK
