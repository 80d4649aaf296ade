"""Texts from outside made safe to keep and to show: without secrets, bounded, on one line."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from functools import cached_property
from urllib.parse import quote, quote_plus

__all__ = ["Secrets", "one_line"]

_HIDDEN = "***"
_RUN = 12  # characters of a secret by which it is known again, whoever cut the rest off
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})

# C0 and C1 controls, what changes the direction of writing, invisible marks, halves of surrogate pairs
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


class Secrets:
    """Texts that no error may show, in whichever form a response repeats them."""

    def __init__(self, *values: str) -> None:
        self._values = tuple(filter(None, values))

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
        whole = len(text) <= longest + _RUN
        text = text[: longest + _RUN]
        if self._values:
            text = self._hidden(text)
        # What begins in the last characters may be a secret that is too short to be known again.
        return text[:longest] if whole else text[: len(text) - _RUN][:longest]

    def within(self, text: str) -> bool:
        """Return whether ``text`` shows one of them."""
        return bool(self._values) and self._starts.search(text) is not None

    def _hidden(self, text: str) -> str:
        kept, done = "", 0
        while found := self._starts.search(text, done):
            kept += text[done : found.start()] + _HIDDEN
            done = found.start() + max(_common(text, found.start(), form) for form in self._forms)
        return kept + text[done:]


def _written(value: str) -> Iterator[str]:
    """The forms of ``value``: in a form, an address, JSON, HTML, Python's repr, base64."""
    percent = {quote(value, safe="", errors="replace"), quote(value, errors="replace")}
    percent |= {quote_plus(value, errors="replace")}
    yield from (value, value.translate(_HTML), repr(value)[1:-1], json.dumps(value)[1:-1])
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    for form in percent:
        yield form
        yield re.sub("%..", lambda code: code[0].lower(), form)
    raw = value.encode("utf-8", "replace")
    yield from (made(raw).decode().rstrip("=") for made in (base64.b64encode, base64.urlsafe_b64encode))


def _common(text: str, at: int, form: str) -> int:
    """Return how many characters of ``form`` stand in ``text``."""
    part = text[at : at + len(form)]
    pairs = enumerate(zip(part, form, strict=False))
    return next((index for index, (one, other) in pairs if one != other), len(part))


def one_line(text: str) -> str:
    """Return ``text`` with what would break or turn a line around written as ``\\x0a``."""
    return _UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
