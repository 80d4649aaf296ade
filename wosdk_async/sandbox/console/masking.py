"""Secret masking for requests and responses in the console.

Secrets are recognized by name, because requests may contain secrets that the sandbox does not know. The
client's ``Secrets`` recognizes them by value, and the sandbox must not import the client.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import InvalidOperation
from typing import Any, NamedTuple

import msgspec

from wosdk_async.sandbox.schema.bodies import dump, load

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
# For incomplete JSON. A string ends at its quote or where it was truncated. Objects and lists are masked to
# the end of the text, because their own end is unknown. Some programs write single quotes.
#   {"password": "a\"b", "c": 1             {"password": •••, "c": 1
#   {'password': ['a', 'b'], 'c': 1          {'password': •••
_IN_JSON = re.compile(
    rf"(([\"'])(?:{_NAMES})\2\s*:\s*)"
    r"(?:\"(?:[^\"\\]|\\.)*(?:\"|\\?\Z)|'(?:[^'\\]|\\.)*(?:'|\\?\Z)|[\[{].*|[^\s\"\[{,}\]]+)",
    re.IGNORECASE | re.DOTALL,
)
# JSON inside a JSON string: masked to the end
#   {"Text": "{\"password\": \"a\"}", "b": 1  {"Text": "{\"password\":•••
#   ["{\\\"password\\\": 7}"]                 ["{\\\"password\\\":•••
_IN_TEXT = re.compile(rf"(\\[\"'](?:{_NAMES})\\{{1,99}}[\"']\s*:).*", re.IGNORECASE | re.DOTALL)
# Headers, YAML or JavaScript; lines that begin with a space continue the value
#   Authorization: Bearer a                  Authorization: •••
#   password: |\n  a\nb: 2                   password: •••\nb: 2
_IN_LINE = re.compile(rf"((?:{_NAMES})\s*:\s*)[^\r\n]*(?:[\r\n]+[ \t][^\r\n]*)*", re.IGNORECASE)
# Masked up to the next &, because a semicolon may be part of a secret
#   a=1&client_secret=x;y&b=2                a=1&client_secret=•••&b=2
#   user[password]=x&b=2                     user[password]=•••&b=2
_IN_FORM = re.compile(rf"((?:{_NAMES})(?:[\[\]\w. +-]|%5b|%5d|%20){{0,50}}=)[^&]*", re.IGNORECASE)
# An entire form or JSON document, escaped
#   a%3D1%26client%5Fsecret%3Dx              a%3D1%26client%5Fsecret%3D•••
#   %22password%22%3A%22x%22&b=2             %22password%22%3A•••&b=2
_IN_ESCAPES = re.compile(
    rf"((?:{_NAMES})(?:[+\s]|{_PERCENT}(?:2[027]|5c)){{0,20}}{_PERCENT}3[ad])[^&]*", re.IGNORECASE
)
# The key in a file's address: the key grants access (facts 3.10), and the address may be escaped
#   /files/46/7/0123abcd?x=1                 /files/46/7/•••?x=1
#   %2Ffiles%2F46%2F7%2F0123abcd             %2Ffiles%2F46%2F7%2F•••
_SLASH, _DIGITS = r"(?:\\?/|%2f){1,9}", r"(?:\d|%3\d){1,20}"
_FILE_KEY = re.compile(
    rf"({_SLASH}{_any_escape('files')}{_SLASH}{_DIGITS}{_SLASH}{_DIGITS}{_SLASH})[0-9a-z%]+", re.IGNORECASE
)
_PATTERNS = (_IN_JSON, _IN_TEXT, _IN_LINE, _IN_FORM, _IN_ESCAPES, _FILE_KEY)


class _Enclosed(NamedTuple):
    """Patterns for a value between an opening mark, which follows the name, and a closing mark."""

    name: re.Pattern[str]
    opening: re.Pattern[str]  # from the end of the name to the value
    unopened: re.Pattern[str]  # text to skip after a name without an opening mark
    closing: re.Pattern[str]

    def hide(self, text: str) -> str:
        """Mask the values in linear time: names in text already searched are skipped."""
        shown: list[str] = []
        copied_to = skipped_to = 0
        for name in self.name.finditer(text):
            if name.start() < copied_to or name.end() <= skipped_to:
                continue
            opening = self.opening.match(text, name.end())
            if opening is None:
                rest = self.unopened.match(text, name.end())
                skipped_to = rest.end() if rest else skipped_to
                continue
            shown += (text[copied_to : opening.end()], MASK)
            closing = self.closing.search(text, opening.end())
            copied_to = closing.start() if closing else len(text)
        return "".join((*shown, text[copied_to:]))


# Part of a multipart form: the value follows an empty line, at most 20 lines below the name
#   name="password"\r\n\r\nx\r\n--b          name="password"\r\n\r\n•••\r\n--b
#   name=password\nType: text\n\nx           name=password\nType: text\n\n•••
_PART = _Enclosed(
    re.compile(rf"name\s*=\s*[\"']?(?:{_NAMES})", re.IGNORECASE),
    re.compile(r"(?:[^\r\n]*\r?\n){1,20}?\r?\n"),
    re.compile(r"[^\r\n]*"),
    re.compile(r"\r?\n--"),
)
# XML element
#   <x:Password type="y">z</x:Password>      <x:Password type="y">•••</x:Password>
#   <a><password>z                           <a><password>•••
_ELEMENT = _Enclosed(
    re.compile(rf"<(?:[\w.-]{{1,50}}:)?(?:{_NAMES})\b", re.IGNORECASE),
    re.compile(r"[^>]*>"),
    re.compile(r"[^>]*"),
    re.compile(r"</"),
)


def shown_headers(headers: Iterable[tuple[bytes, bytes]]) -> list[list[str]]:
    """Return header names and values, with secrets reduced to the scheme or cookie names."""
    pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
    return [[name, _masked_header(name, value)] for name, value in pairs]


def shown_path(path: str) -> str:
    """Return a path and query with secrets masked."""
    return _FILE_KEY.sub(rf"\1{MASK}", _IN_FORM.sub(rf"\1{MASK}", path))


def shown_body(raw: bytes, *, indent: int = 2) -> str:
    """Return a body as text with secrets masked; JSON is indented, or on one line for ``indent=-1``."""
    raw = raw.replace(b"\0", b"")  # without zero bytes, names in UTF-16 are found, too
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
    text = _ELEMENT.hide(_PART.hide(text))
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\1{MASK}", text)
    return text


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
