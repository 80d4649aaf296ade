"""Texts from outside made safe to keep and to show: without secrets, bounded, on one line."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator
from functools import cached_property
from urllib.parse import quote, quote_plus

__all__ = ["UNSAFE", "Secrets", "one_line"]

_HIDDEN = "***"
_FEWEST = 4  # characters: fewer are no secret (tests have such), and every text has them
_RUN = 12  # characters of a secret by which it is known again, whoever cut the rest off
_AHEAD = 8192  # characters beyond a cut that are looked at: a text may be 60 MB long
_TELLING = 8  # characters that are not in a text by chance
_NET = re.compile("[\"&'<>+`\\\\]|[^\x20-\x7e]")  # what JSON of .NET writes as \u0027
_CODE = re.compile(r"\\u[0-9a-f]{4}")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})

# C0 and C1 controls, what changes the direction of writing, invisible marks, halves of surrogate pairs
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Secrets:
    """Texts that no error may show, in whichever form a response repeats them."""

    def __init__(self, *values: str) -> None:
        self._values = tuple(value for value in values if len(value) >= _FEWEST)

    def __repr__(self) -> str:
        return f"<Secrets {len(self._values)}>"

    @cached_property
    def _forms(self) -> list[str]:
        # Made when a first error needs them: hardly a session ever does.
        return sorted({form for value in self._values for form in _written(value) if form})

    @cached_property
    def _starts(self) -> re.Pattern[str]:
        return re.compile("|".join(re.escape(form[:_RUN]) for form in self._forms))

    def hide(self, text: str, longest: int) -> str:
        """Replace the secrets in ``text`` by ``***``, and only then cut it to ``longest`` characters."""
        if not self._values:
            return text[:longest]
        part = text[: longest + _AHEAD]
        kept, done = "", 0
        while found := self._starts.search(part, done):
            kept += part[done : found.start()] + _HIDDEN
            done = found.start() + max(_common(part, found.start(), form) for form in self._forms)
        rest = part[done:]
        if len(part) < len(text):
            rest = rest[:-_RUN]  # a secret may begin there, with too little of it to be known again
        return (kept + rest)[:longest]

    def within(self, text: str) -> bool:
        """Return whether ``text`` shows one of them, in whichever case; of short ones nobody can tell."""
        folded = text.lower()
        return any(form[:_RUN].lower() in folded for form in self._forms if len(form) >= _TELLING)


def _written(value: str) -> Iterator[str]:
    """The forms of ``value``: in a form, an address, JSON, HTML, a header, Python's repr, base64."""
    raw = value.encode("utf-8", "replace")
    for text in (value, raw.decode("latin-1")):  # the second is how headers are read
        yield from (text, text.translate(_HTML), repr(text)[1:-1], json.dumps(text)[1:-1])
        yield json.dumps(text, ensure_ascii=False)[1:-1]
        yield json.dumps(text)[1:-1].replace("/", "\\/")
        yield html.escape(text)
        dotnet = _NET.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        yield dotnet
        yield _CODE.sub(lambda found: found[0].upper().replace("U", "u"), dotnet)
    yield repr(raw)[2:-1]
    for form in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield form
        yield re.sub("%..", lambda code: code[0].lower(), form)
    yield from (made(raw).decode().rstrip("=") for made in (base64.b64encode, base64.urlsafe_b64encode))


def _common(text: str, at: int, form: str) -> int:
    """Return how many characters of ``form`` stand in ``text``."""
    part = text[at : at + len(form)]
    pairs = enumerate(zip(part, form, strict=False))
    return next((index for index, (one, other) in pairs if one != other), len(part))


def one_line(text: str) -> str:
    """Return ``text`` with what would break a line or turn it around written as ``\\n``, ``\\x1b``."""
    return UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in _SHORT:
        return _SHORT[found[0]]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
