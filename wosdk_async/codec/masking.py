"""Masking of known secrets and of secret fields, in JSON values and in text of any format.

:class:`~wosdk_async.text.safe_text.Secrets` holds the known secrets of the sessions. Other secrets are
recognized only by name: ``Password``, ``ApiToken``, a URL's ``sig`` parameter. ``docs/testing.md`` lists
the limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from wosdk_async import codec
from wosdk_async.text.safe_text import Secrets, is_secret_name

_MASK = "***"
_NO_SECRETS = Secrets()
_MAX_NESTED = 4  # maximum nesting of JSON text in JSON text
_MAX_GAP = 1000  # maximum characters between two delimiters, to limit the time of a search

# Credentials in a URL. If there is a password, the URL may lack a scheme.
_USER = re.compile(
    rf"((?::|(?<![\w:/\\])(?=(?:\\?/){{2}}[^\s/@:\"'<>]{{0,{_MAX_GAP}}}:))(?:\\?/){{2}}"
    rf"|(?:%(?:25){{0,3}}3A|(?<![\w%])(?=(?:%(?:25){{0,3}}2F){{2}}[^\s/@:\"'<>]{{0,{_MAX_GAP}}}:))(?:%(?:25){{0,3}}2F){{2}})"
    rf"[^\s/@\"'<>]{{1,{_MAX_GAP}}}?(@|%(?:25){{0,3}}40)",
    re.IGNORECASE,
)
# A secret parameter of a URL, such as a signed file URL, which lets anyone read the file. Delimiters may be
# escaped as in HTML or JSON, or percent-encoded inside another URL.
_PARAMETER = re.compile(
    r"((?:[?&]|&amp;|\\u0026|%(?:25){0,3}(?:3F|26)|(?:;|%(?:25){0,3}3B)(?=j?sess))[\w.-]{0,100}?"
    r"(?:sig|hmac|policy(?=[=%])|token|secret|credential|password|code|key|cookie|authorization|sessi)[\w.-]{0,100}"
    r"(?:=|%(?P<level>(?:25){0,3})3D))"
    r"(?:(?!(?(level)%(?P=level)(?:23|26)|(?:&amp;|\\u0026)))[^&\s\"'<>#])+",
    re.IGNORECASE,
)
# A name and everything up to its value, as in JSON, forms, settings, headers and XML attributes.
_NAME = re.compile(
    r"(?<![\w.-])(?P<name>[\w.-]{1,200})\\{0,8}[\"']?\s{0,20}[=:]\s{0,20}(?:(?:Bearer|Basic)\s+)?",
    re.IGNORECASE,
)
_BARE = re.compile(r"\[[^\]]*\]?|\{[^}]*\}?|(?!true\b|false\b|null\b)[^\s&\"'<>,;{}\[\]\\]+")
_QUOTE = re.compile(r"(?<!\\)(\\*)([\"'])")
_ELEMENT = re.compile(r"(<(?:[\w.-]{1,100}:)?(?P<name>[\w.-]{1,200})(?:\s[^<>]{0,1000})?>)[^<]+")
_CDATA = re.compile(
    r"(<(?:[\w.-]{1,100}:)?(?P<name>[\w.-]{1,200})(?:\s[^<>]{0,1000})?>\s{0,20}<!\[CDATA\[)(?:(?!\]\]>).)+",
    re.DOTALL,
)


def mask_text(text: str, secrets: Secrets = _NO_SECRETS) -> str:
    """Return ``text`` with ``***`` in place of ``secrets`` and the values of secret fields.

    Fields are recognized in JSON, forms, XML, settings and headers, even in truncated text. Signatures
    and credentials in URLs are masked.
    """
    text = secrets.hide(text, len(text))
    text = _PARAMETER.sub(rf"\1{_MASK}", _USER.sub(rf"\1{_MASK}\2", text))
    text = _CDATA.sub(_without_element, _ELEMENT.sub(_without_element, text))
    return _mask_after_secret_names(text)


def mask_fields(value: Any, secrets: Secrets = _NO_SECRETS) -> Any:
    """Mask ``secrets`` and secret fields in JSON values, including JSON text in strings.

    Masked values keep their type, so that readers accept them: ``***``, 0, an empty list or an empty object.
    True, false and null reveal nothing and are kept.
    """
    # Most values contain no secret, and one search of all strings together is faster than one for each.
    found = "\0".join(_texts(value)) if secrets else ""
    if secrets.hide(found, len(found)) != found:
        value = _mask_known_secrets(value, secrets)
    return _mask_secret_fields(value, _MAX_NESTED)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value:
            yield from _texts(item)
        for item in value.values() if isinstance(value, dict) else ():
            yield from _texts(item)


def _mask_known_secrets(value: Any, secrets: Secrets) -> Any:
    if isinstance(value, str):
        return secrets.hide(value, len(value))
    if isinstance(value, list):
        return [_mask_known_secrets(item, secrets) for item in value]
    if not isinstance(value, dict):
        return value
    return {secrets.hide(name, len(name)): _mask_known_secrets(item, secrets) for name, item in value.items()}


def _mask_secret_fields(value: Any, nested: int) -> Any:
    if isinstance(value, str):
        return _without_nested(value, nested)
    if isinstance(value, list):
        return [_mask_secret_fields(item, nested) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _masked(item) if is_secret_name(name) else _mask_secret_fields(item, nested)
        for name, item in value.items()
    }


def _masked(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    return _MASK if isinstance(value, str) else type(value)()


def _without_nested(text: str, nested: int) -> str:
    """Mask secrets in text; rewrite JSON only if something was masked."""
    if nested and text.lstrip()[:1] in ("{", "[", '"'):
        try:
            found = codec.loads(text.encode())
            masked = _mask_secret_fields(found, nested - 1)
            return text if masked == found else codec.dumps(masked).decode()
        except (ValueError, RecursionError):
            pass
    return mask_text(text)


def _mask_after_secret_names(text: str) -> str:
    parts, done = [], 0
    for found in _NAME.finditer(text):
        if found.start() < done or not is_secret_name(found["name"]):
            continue
        begin, end = _value_in(text, found.end())
        if end > begin:
            parts += [text[done:begin], _MASK]
            done = end
    return "".join((*parts, text[done:]))


def _value_in(text: str, begin: int) -> tuple[int, int]:
    """Return the start and end of the value at ``begin``, excluding quotes."""
    opened = _QUOTE.match(text, begin)
    if opened is None:
        bare = _BARE.match(text, begin)
        return begin, bare.end() if bare else begin
    # JSON within JSON text has a backslash before its quotes, and three before a quote in a value.
    level = len(opened[1])
    for quote in _QUOTE.finditer(text, opened.end()):
        count = len(quote[1])
        if quote[2] == opened[2] and (count < level or count % (2 * level + 2) == level):
            return opened.end(), quote.end() - min(count, level) - 1
    return opened.end(), len(text)


def _without_element(found: re.Match[str]) -> str:
    return f"{found[1]}{_MASK}" if is_secret_name(found["name"]) else found[0]
