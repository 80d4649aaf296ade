"""Texts from outside, made safe to keep and to show: without secrets, bounded, on one line."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from functools import cached_property
from html.entities import html5

__all__ = [
    "UNSAFE",
    "Secrets",
    "is_secret_name",
    "json_escape",
    "one_line",
    "shortened",
    "without_formulas",
    "without_markup",
]

_MASK = "***"  # is shown in place of a secret
_MIN_SECRET = 4  # characters; a shorter value (tests have such) would be found in every text
_MIN_DISTINCT = 8  # characters that a text does not hold by chance
_MAX_PIECE = 12  # characters of a secret that are enough to find it, wherever in the secret they are
_LOOKAHEAD = 2048  # characters after the cut that are searched, too; not all: a text may have 60 MB
_MAX_ADDRESS = 8192  # characters of an address that are searched
_MAX_ESCAPE = 10  # characters that one character of a secret may take when it is escaped, about
_MAX_DECODINGS = 4  # how often a text is decoded: a form may hold JSON, and this JSON in a text

_ESCAPE = re.compile(
    r"%([0-9a-f]{2})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x0{0,5}([0-9a-f]{1,5});?"
    r"|&#(0{0,5}[0-9]{1,6});?|&([a-z]{2,8});|\\(.)",
    re.IGNORECASE | re.DOTALL,
)
_DECIMAL, _NAME, _LETTER = 5, 6, 7  # groups of _ESCAPE; groups 1 to 4 hold hexadecimal numbers
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_FOLDED = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ -_", "abcdefghijklmnopqrstuvwxyz++/")
"""Makes equal what is compared as equal: letter cases, space and plus of a form, the base64 alphabets."""

# Control characters (C0, C1), marks of writing direction, invisible characters and tags, single surrogates.
UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\U000e0000-\U000e007f]"
)
_MARKUP = re.compile(r"\{!\{([^{}]*)\}!\}")  # facts 6: texts hold such tokens, each around a name
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Secrets:
    """Texts that no error may show, however a response writes them.

    A text may hold a secret escaped (percent codes, backslashes, entities), even several times over. So it is
    decoded step by step and searched after each step. It may also hold a secret in base64 or in hexadecimal
    digits, so these forms are searched for as well. To be found, 12 characters of a long secret are enough.
    """

    def __init__(self, *values: str) -> None:
        self._values = tuple(value for value in values if len(value) >= _MIN_SECRET)

    def __repr__(self) -> str:
        return f"<Secrets {len(self._values)}>"

    def __add__(self, other: Secrets) -> Secrets:
        """Return the secrets of both."""
        return Secrets(*dict.fromkeys(self._values + other._values))

    @cached_property
    def _forms(self) -> dict[int, str]:
        """All forms of all secrets, by how many characters are enough to find them."""
        # Made for the first error: most sessions have none.
        forms: dict[int, str] = {}
        for form in sorted({each.translate(_FOLDED) for value in self._values for each in _forms_of(value)}):
            size = min(len(form), max(_MIN_DISTINCT, min(_MAX_PIECE, len(form) // 2)))
            forms[size] = f"{forms.get(size, '')}\0{form}"
        return forms

    def hide(self, text: str, longest: int) -> str:
        """Replace the secrets in ``text`` by ``***``, and only then cut it to ``longest`` characters."""
        if not self._values:
            return text[:longest]
        searched = text[: longest + _LOOKAHEAD]
        is_secret = bytearray(len(searched))  # 1 for each character that belongs to a secret
        decoded = [(each.translate(_FOLDED), starts) for each, starts in _decoded(searched)]
        for size, forms in self._forms.items():
            pieces = _common_pieces([each for each, _ in decoded], forms, size)
            for each, starts in decoded if pieces else ():
                for at in range(len(each) - size + 1):
                    if each[at : at + size] in pieces:
                        first, end = starts[at], starts[at + size]
                        is_secret[first:end] = b"\x01" * (end - first)
        if len(searched) < len(
            text
        ):  # drop the end: it may hold the start of a secret, too short to be found
            tail = _MAX_PIECE * _MAX_ESCAPE
            searched, is_secret = searched[:-tail], is_secret[:-tail]
        runs = re.finditer(rb"\x00+|\x01+", is_secret)
        shown = (_MASK if run[0][0] else searched[run.start() : run.end()] for run in runs)
        return "".join(shown)[:longest]

    def within(self, text: str) -> bool:
        """Return whether the address ``text`` holds a secret in its first 8,192 characters.

        Short secrets are not searched for: an address may hold their characters by chance.
        """
        searched = text[:_MAX_ADDRESS]
        return self._distinct.hide(searched, _MAX_ADDRESS) != searched

    @cached_property
    def _distinct(self) -> Secrets:
        """The secrets whose every form is so long that an address does not hold it by chance."""
        values = (each for each in self._values if min(map(len, _forms_of(each))) >= _MIN_DISTINCT)
        return Secrets(*values)


# Not AuthorizationCode, which is a vendor's number.
_SECRET_NAME = re.compile(
    r"passw|pwd$|token|secret|cookie|authorization$|credential|api[-_]?key|signature$"
    r"|(?:^|[-_])auth(?:$|[-_])|authentication-info",
    re.IGNORECASE,
)


def is_secret_name(name: str) -> bool:
    """Return whether the name of a field, header or parameter says that its value is secret."""
    return _SECRET_NAME.search(name) is not None


def _forms_of(value: str) -> Iterator[str]:
    """Yield the forms of ``value``: plain, as a header in Latin-1, decoded, in hexadecimal, in base64."""
    raw = value.encode("utf-8", "replace")
    for text in {value, raw.decode("latin-1")}:
        yield from (decoded for decoded, _ in _decoded(text))
    yield raw.hex()
    # Base64 writes three bytes as four characters, so a value within a longer text has one of three forms,
    # depending on the number of bytes before it. The first characters, which also encode those bytes, go.
    for before, foreign in enumerate((0, 2, 3)):
        form = base64.b64encode(bytes(before) + raw).decode().rstrip("=")[foreign:]
        if not before or len(form) > _MIN_DISTINCT:
            yield form


def _decoded(text: str) -> Iterator[tuple[str, list[int]]]:
    """Yield ``text``, then the text decoded once, twice and so on until nothing changes.

    With each comes a list: for each character, where in the original text it began.
    """
    starts = list(range(len(text) + 1))
    yield text, starts
    for _ in range(_MAX_DECODINGS):
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
    """Return the character of an escape; empty if it is not the escape of one character."""
    group, value = found.lastindex or 0, found[found.lastindex or 0]
    if group == _LETTER:
        return _LETTERS.get(value, value)
    if group == _NAME:
        char = html5.get(f"{value};", "")
        return char if len(char) == 1 else ""
    number = int(value, 10 if group == _DECIMAL else 16)
    return chr(number) if number < 0x110000 else ""


def _common_pieces(texts: list[str], forms: str, size: int) -> set[str]:
    """Return the pieces of ``size`` characters of ``forms`` that one of ``texts`` holds, too.

    Sets keep the time linear: the service chooses the length of a token, up to that of a header.
    """
    # First compare half pieces, of which there usually are none in common. A piece holds a half piece that
    # starts at a multiple of ``step``, so one side needs only those; the shorter side gives all of its own.
    half = size // 2
    step = size - half + 1
    in_forms, in_texts = (step, 1) if len(forms) > len(texts[0]) else (1, step)
    halves = _pieces(forms, half, in_forms) & set().union(*[_pieces(text, half, in_texts) for text in texts])
    starts = (
        [at for at in range(0, len(forms), in_forms) if forms[at : at + half] in halves] if halves else []
    )
    # Then the whole pieces of ``forms`` around such a half piece.
    near = {forms[at : at + size] for start in starts for at in range(max(0, start - step + 1), start + 1)}
    return {piece for text in texts for piece in _pieces(text, size) & near} if near else near


def _pieces(text: str, size: int, step: int = 1) -> set[str]:
    """Return the pieces of ``size`` characters that start at every ``step``-th character of ``text``."""
    return {text[at : at + size] for at in range(0, len(text) - size + 1, step)}


def one_line(text: str) -> str:
    r"""Return ``text`` with control characters and the like written as ``\n``, ``\x1b``, on one line."""
    return UNSAFE.sub(_escaped, text)


def without_markup(text: str) -> str:
    """Return a text of the service with plain words in place of its markup: ``{!{Work Order}!}``."""
    return _MARKUP.sub(r"\1", text)


def shortened(text: str, longest: int) -> str:
    """Return ``text``, or its first ``longest`` characters and how many there were."""
    return text if len(text) <= longest else f"{text[:longest]}... (cut from {len(text):,} characters)"


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[found[0]]
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def json_escape(found: re.Match[str]) -> str:
    """Return a character as JSON escapes it: one beyond 16 bits as a pair."""
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


# --- formulas --------------------------------------------------------------------------------

# Characters that begin a formula; some spreadsheets accept the full-width signs of East Asian keyboards,
# and some skip blanks and invisible characters before them.
_SIGNS = "=+\\-@＝＋－＠"
_BLANK = "\\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
_FORMULA = re.compile(f"[\t\r\n]|[{_BLANK}]*[{_SIGNS}]")
_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?")
# A formula may also begin inside a text. If the locale separates cells by semicolons, or if the text is
# pasted, a spreadsheet begins a new cell after each semicolon or tab, and a new row after each line break:
# quotes in the middle of such a cell mean nothing. Each run of separators and blanks is matched as a whole,
# so that a long run takes linear time.
_RUN = re.compile(f"[;{_BLANK}]+(?P<sign>[{_SIGNS}])?")
_SEPARATOR = re.compile("[;\t\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def without_formulas(text: str) -> str:
    """Return ``text`` with an apostrophe before each formula. A negative number is not a formula."""
    if text.isalnum():  # most keys and numbers: files of a million rows are written
        return text
    inside = _RUN.sub(_guard_sign, text) if _SEPARATOR.search(text) else text
    return f"'{inside}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else inside


def _guard_sign(run: re.Match[str]) -> str:
    if run["sign"] is None or not _SEPARATOR.search(run[0]):
        return run[0]
    return f"{run[0][:-1]}'{run['sign']}"
