"""Texts from outside, made safe to keep and to show: without secrets, bounded, on one line."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from functools import cached_property
from html.entities import html5

__all__ = ["UNSAFE", "Secrets", "one_line"]

_HIDDEN = "***"
_FEWEST = 4  # characters: fewer are no secret (tests have such), and every text has them
_TELLING = 8  # characters that are not in a text by chance
_PIECE = 12  # characters of a secret by which it is known again, wherever they stand in it
_AHEAD = 2048  # characters beyond a cut that are looked at: a text may be 60 MB long
_ADDRESS = 8192  # characters of an address that are looked at
_LONGEST_ESCAPE = 10  # characters for one of a secret, about
_DEPTH = 4  # times that a text is decoded: JSON within JSON within a form

_ESCAPE = re.compile(
    r"%([0-9a-f]{2})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x0{0,5}([0-9a-f]{1,5});?"
    r"|&#(0{0,5}[0-9]{1,6});?|&([a-z]{2,8});|\\(.)",
    re.IGNORECASE | re.DOTALL,
)
_DECIMAL, _NAME, _LETTER = 5, 6, 7  # groups; those before are hexadecimal
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_ALIKE = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ -_", "abcdefghijklmnopqrstuvwxyz++/")
"""Letters in either case, a space in a form, and the two alphabets of base64."""

# C0 and C1 controls, what changes the direction of writing, invisible marks, halves of surrogate pairs
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Secrets:
    """Texts that no error may show, in whichever form a response repeats them.

    A text is decoded step by step (percent codes, backslashes, entities), and after each step every piece of
    12 characters of a secret is looked for. Base64 and hexadecimal digits are further forms of a secret.
    """

    def __init__(self, *values: str) -> None:
        self._values = tuple(value for value in values if len(value) >= _FEWEST)

    def __repr__(self) -> str:
        return f"<Secrets {len(self._values)}>"

    def __add__(self, other: Secrets) -> Secrets:
        """Return the secrets of both."""
        return Secrets(*dict.fromkeys(self._values + other._values))

    @cached_property
    def _forms(self) -> dict[int, str]:
        """The forms of all secrets, by the size of the pieces by which they are known again."""
        # Made when a first error needs them: hardly a session ever does.
        forms: dict[int, str] = {}
        for form in sorted({each.translate(_ALIKE) for value in self._values for each in _written(value)}):
            size = min(len(form), max(_TELLING, min(_PIECE, len(form) // 2)))
            forms[size] = f"{forms.get(size, '')}\0{form}"
        return forms

    def hide(self, text: str, longest: int) -> str:
        """Replace the secrets in ``text`` by ``***``, and only then cut it to ``longest`` characters."""
        if not self._values:
            return text[:longest]
        part = text[: longest + _AHEAD]
        secret = bytearray(len(part))  # 1 for each character that belongs to one
        decoded = [(each.translate(_ALIKE), starts) for each, starts in _decoded(part)]
        for size, known in self._forms.items():
            shown = _shared([each for each, _ in decoded], known, size)
            for each, starts in decoded if shown else ():
                for at in range(len(each) - size + 1):
                    if each[at : at + size] in shown:
                        first, end = starts[at], starts[at + size]
                        secret[first:end] = b"\x01" * (end - first)
        if len(part) < len(text):  # a secret may begin there, with too little of it to be known again
            tail = _PIECE * _LONGEST_ESCAPE
            part, secret = part[:-tail], secret[:-tail]
        runs = re.finditer(rb"\x00+|\x01+", secret)
        kept = (_HIDDEN if run[0][0] else part[run.start() : run.end()] for run in runs)
        return "".join(kept)[:longest]

    def within(self, text: str) -> bool:
        """Return whether the first 8,192 characters of ``text``, an address, show a piece of a secret.

        A short secret may be in an address by chance, so it does not count. A longer address is refused.
        """
        looked_at = text[:_ADDRESS]
        return self._telling.hide(looked_at, _ADDRESS) != looked_at

    @cached_property
    def _telling(self) -> Secrets:
        """Those with no form so short that an address may have it by chance."""
        values = (each for each in self._values if min(map(len, _written(each))) >= _TELLING)
        return Secrets(*values)


def _written(value: str) -> Iterator[str]:
    """Yield the forms of ``value``: as it is, as headers are read, decoded, in base64, in hexadecimal."""
    raw = value.encode("utf-8", "replace")
    for text in {value, raw.decode("latin-1")}:
        yield from (decoded for decoded, _ in _decoded(text))
    yield raw.hex()
    for before, foreign in enumerate((0, 2, 3)):  # within the base64 of a longer text, in one of three ways
        form = base64.b64encode(bytes(before) + raw).decode().rstrip("=")[foreign:]
        if not before or len(form) > _TELLING:
            yield form


def _decoded(text: str) -> Iterator[tuple[str, list[int]]]:
    """Return ``text`` and what it is once, twice, ... decoded, with where in it each character begins."""
    starts = list(range(len(text) + 1))
    yield text, starts
    for _ in range(_DEPTH):
        made: list[str] = []
        places: list[int] = []
        done = 0
        for found in _ESCAPE.finditer(text):
            char = _char(found)
            if char:
                made += (text[done : found.start()], char)
                places += starts[done : found.start() + 1]
                done = found.end()
        if not done:
            return
        text, starts = "".join((*made, text[done:])), places + starts[done:]
        yield text, starts


def _char(found: re.Match[str]) -> str:
    """Return the character that an escape stands for; empty if there is none."""
    group, value = found.lastindex or 0, found[found.lastindex or 0]
    if group == _LETTER:
        return _LETTERS.get(value, value)
    if group == _NAME:
        char = html5.get(f"{value};", "")
        return char if len(char) == 1 else ""
    number = int(value, 10 if group == _DECIMAL else 16)
    return chr(number) if number < 0x110000 else ""


def _shared(texts: list[str], known: str, size: int) -> set[str]:
    """Return the pieces of ``known`` that one of ``texts`` has too.

    Sets keep the time linear: a token may be as long as a header, and it is the service that chooses it.
    """
    part = size // 2
    step = size - part + 1  # wherever a piece begins in a text, one of the parts at these steps lies in it
    ours, theirs = (step, 1) if len(known) > len(texts[0]) else (1, step)  # the shorter is looked at closely
    parts = _pieces(known, part, ours) & set().union(*[_pieces(text, part, theirs) for text in texts])
    begins = [at for at in range(0, len(known), ours) if known[at : at + part] in parts] if parts else []
    near = {known[at : at + size] for begin in begins for at in range(max(0, begin - step + 1), begin + 1)}
    return {piece for text in texts for piece in _pieces(text, size) & near} if near else near


def _pieces(text: str, size: int, step: int = 1) -> set[str]:
    """Return the pieces of ``text`` of that size, one beginning at every so many characters."""
    return {text[at : at + size] for at in range(0, len(text) - size + 1, step)}


def one_line(text: str) -> str:
    r"""Return ``text`` with control characters and the like written as ``\n``, ``\x1b``, on one line."""
    return UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in _SHORT:
        return _SHORT[found[0]]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
