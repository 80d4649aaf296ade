"""Untrusted text, made safe to keep and show: without secrets, bounded, on one line.

:meth:`Secrets.hide` is the only function that hides secrets repeated in a response. Errors, logs and spans
call it with the sessions' secrets; :mod:`wosdk_async.codec.masking` also hides fields with secret names.
"""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from html.entities import html5

from wosdk_async.text.secret import Secret, as_secret

_MASK = "***"  # shown in place of a secret
_MIN_SECRET = 4  # minimum characters of a secret: a shorter one (as in tests) would be found in every text
_MIN_DISTINCT = 8  # a string of this many characters of a secret does not occur in text by chance
_MAX_PIECE = 12  # any string of this many characters of a secret is enough to find it
_LOOKAHEAD = 2048  # characters searched beyond the cut; the rest of the text may be 60 MB
_MAX_ADDRESS = 8192  # maximum characters of an address that are searched
_MAX_ESCAPED = _MAX_PIECE * 100  # approximate maximum length of a piece whose characters are escaped
_WINDOW = 65_536  # characters searched at once, to limit the memory of a search
_MAX_DECODINGS = 4  # maximum decoding steps: a form may hold JSON, which may hold more JSON in a string

_ESCAPE = re.compile(
    r"%([0-9a-f]{2})|\\x([0-9a-f]{2})|(?-i:\\U00)([0-9a-f]{6})"
    r"|[%\\]u(d[89ab][0-9a-f]{2}[%\\]ud[c-f][0-9a-f]{2})|[%\\]u([0-9a-f]{4})|\\u\{0*+([0-9a-f]{1,6})\}"
    r"|&#x0*+([0-9a-f]{1,6});?|&#0*+([0-9]{1,7});?|&([a-z][a-z0-9]{1,31};?)"
    r"|\\([0-3][0-7]{2}|[0-7]{2})|(?-i:\\N)\{([a-z0-9 -]{2,90})\}|\\(\r\n|[\n\r\u2028\u2029])"
    r"|\\(.)|(\{!\{|\}!\})",
    re.IGNORECASE | re.DOTALL,
)
"""Escapes used in addresses, JSON, JavaScript, Python and HTML, and the service's markup."""
_PAIR, _HEX_REFERENCE, _REFERENCE, _ENTITY, _OCTAL, _NAME, _CONTINUED, _LETTER, _BRACES = 4, *range(7, 15)
"""Numbers of the groups of ``_ESCAPE`` that :func:`_char` treats specially; others hold a hex code."""
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}
_FOLDED = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ -_", "abcdefghijklmnopqrstuvwxyz++/")
"""Table that converts letters to one case, a form's spaces to ``+``, and URL-safe to standard base64."""

# Unicode's categories Cc, Cf, Cs, Zl and Zp, and the other invisible characters ("default ignorable"): they
# control a terminal, change the direction of a line, or carry text that only a model reads. U+FE0E and U+FE0F
# are kept, because emoji need them. The console has the same ranges in `invisible.js`.
INVISIBLE = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0"
    "\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""Characters to escape wherever text is shown, as ranges of a regular expression."""
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_MARKUP = re.compile(r"\{!\{([^{}]*)\}!\}")  # facts 6: the service marks names in its texts like this
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Secrets:
    """Strings to hide from all output, in every form that a response may use.

    A secret may be escaped (percent codes, backslashes, entities), even several times over, or split by
    markup. Text is therefore decoded step by step, and searched after each step. Base64 and hexadecimal forms
    are searched for as well. Any 12 characters of a long secret are enough to find it.
    """

    def __init__(self, *values: str | Secret) -> None:
        known = dict.fromkeys(map(as_secret, values))
        self._values = tuple(value for value in known if len(value.reveal()) >= _MIN_SECRET)

    def __repr__(self) -> str:
        return f"<Secrets {len(self._values)}>"

    def __bool__(self) -> bool:
        return bool(self._values)

    def __add__(self, other: Secrets) -> Secrets:
        return Secrets(*self._values, *other._values)

    @cached_property
    def _hashes(self) -> dict[int, tuple[set[int], set[int]]]:
        """For each piece length: hashes of the secrets' half pieces, and hashes of their whole pieces."""
        # Computed only for the first error, because most sessions have none.
        texts = [each for value in self._values for each in _forms_of(value.reveal())]
        found: dict[int, tuple[set[int], set[int]]] = {}
        for form in {text.translate(_FOLDED) for text in texts}:
            size = min(len(form), max(_MIN_DISTINCT, min(_MAX_PIECE, len(form) // 2)))
            for length, hashes in zip((size // 2, size), found.setdefault(size, (set(), set())), strict=True):
                hashes.update(hash(form[at : at + length]) for at in range(len(form) - length + 1))
        return found

    def hide(self, text: str, longest: int) -> str:
        """Replace the secrets in ``text`` with ``***``, then truncate it to ``longest`` characters."""
        if len(text) < min(self._hashes, default=sys.maxsize):
            return text[:longest]
        searched = text[: longest + _LOOKAHEAD]
        is_secret = bytearray(len(searched))  # 1 for each character of a secret
        for at in range(0, len(searched), _WINDOW):
            # Windows overlap, because a secret may cross the border, and a window may start inside an escape.
            start = max(0, at - 2 * _MAX_ESCAPED)
            self._mark(is_secret, start, searched[start : at + _WINDOW])
        if len(searched) < len(text):
            # The end is dropped, because it may hold a secret's first characters, too few to be found.
            searched, is_secret = searched[:-_MAX_ESCAPED], is_secret[:-_MAX_ESCAPED]
        runs = re.finditer(rb"\x00+|\x01+", is_secret)
        shown = (_MASK if run[0][0] else searched[run.start() : run.end()] for run in runs)
        return "".join(shown)[:longest]

    def _mark(self, is_secret: bytearray, offset: int, text: str) -> None:
        """Set the bytes of ``is_secret`` for the characters of ``text`` that belong to a secret.

        ``offset`` is the index of the first character's byte. A token may be as long as a header; hash sets
        keep the time linear.
        """
        for decoded, starts in _decoded(text):
            folded = decoded.translate(_FOLDED)
            for size, (halves, pieces) in self._hashes.items():
                half = size // 2
                # A piece has half pieces at `step` consecutive positions, so one is always tested.
                step = size - half + 1
                tested = range(0, len(folded) - half + 1, step)
                for at in [at for at in tested if hash(folded[at : at + half]) in halves]:  # usually none
                    for begin in range(max(0, at - step + 1), min(at, len(folded) - size) + 1):
                        if hash(folded[begin : begin + size]) in pieces:
                            first, end = offset + starts[begin], offset + starts[begin + size]
                            is_secret[first:end] = b"\x01" * (end - first)

    def shortened(self, text: str, longest: int) -> str:
        """Shorten like :func:`shortened`, and hide the secrets in the part that remains."""
        if len(text) <= longest and len(text) < min(self._hashes, default=sys.maxsize):
            return text
        shown = self.hide(text, longest)
        return shown if len(text) <= longest else f"{shown}{_cut_from(text)}"

    def within(self, text: str) -> bool:
        """Return whether the address ``text`` contains a secret in its first 8,192 characters.

        Short secrets are skipped: an address may contain their characters by chance.
        """
        searched = text[:_MAX_ADDRESS]
        return self._distinct.hide(searched, _MAX_ADDRESS) != searched

    @cached_property
    def _distinct(self) -> Secrets:
        """Secrets whose shortest form is too long to occur in an address by chance."""
        values = (each for each in self._values if min(map(len, _forms_of(each.reveal()))) >= _MIN_DISTINCT)
        return Secrets(*values)


# ``authorization$`` excludes AuthorizationCode, which is a vendor's number.
_SECRET_NAME = re.compile(
    r"passw|pwd$|token|secret|cookie|authorization$|credential|api[-_]?key|signature$"
    r"|(?:^|[-_])auth(?:$|[-_])|authentication-info",
    re.IGNORECASE,
)


def is_secret_name(name: str) -> bool:
    """Return whether a field, header or parameter name indicates a secret value."""
    return _SECRET_NAME.search(name) is not None


def _forms_of(value: str) -> Iterator[str]:
    """Yield the forms of ``value``: plain, as a header in Latin-1, decoded, in hexadecimal, in base64."""
    raw = value.encode("utf-8", "replace")
    for text in {value, raw.decode("latin-1")}:
        yield from (decoded for decoded, _ in _decoded(text))
    yield raw.hex()
    # Base64 encodes three bytes as four characters, so a value inside a longer text has one of three forms,
    # depending on the number of bytes before it. The first characters also encode those bytes, and are
    # dropped.
    for before, foreign in enumerate((0, 2, 3)):
        form = base64.b64encode(bytes(before) + raw).decode().rstrip("=")[foreign:]
        if not before or len(form) > _MIN_DISTINCT:
            yield form


def _decoded(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield ``text``, then the text decoded once, twice and so on, at most ``_MAX_DECODINGS`` times.

    Each text comes with the original start positions of its characters.
    """
    starts: Sequence[int] = range(len(text) + 1)
    yield text, starts
    for _ in range(_MAX_DECODINGS):
        pieces: list[str] = []
        positions: list[int] = []
        done = 0
        for found in _ESCAPE.finditer(text):
            if (read := _char(found)) is not None:
                char, end = read
                pieces += (text[done : found.start()], char)
                positions += starts[done : found.start() + len(char)]
                done = end
        if not done:
            return
        text, starts = "".join((*pieces, text[done:])), [*positions, *starts[done:]]
        yield text, starts


def _char(found: re.Match[str]) -> tuple[str, int] | None:
    """Return the character that an escape stands for, and the escape's end; None for an invalid escape.

    Markup braces (see :func:`without_markup`), and a backslash before a line break, stand for no character.
    """
    group, end = found.lastindex or 0, found.end()
    value = found[group]
    if group in (_BRACES, _CONTINUED):
        return "", end
    if group == _LETTER:
        return _LETTERS.get(value, value), end
    if group == _ENTITY:  # some entities need no semicolon, so the name may be a prefix of ``value``
        sizes = (size for size in range(len(value), 1, -1) if value[:size] in html5)
        size = next(sizes, 0)
        return (html5[value[:size]], found.start(group) + size) if size else None
    if group == _NAME:
        import unicodedata  # imported here, because most texts have no such name

        try:
            return unicodedata.lookup(value), end
        except KeyError:
            return None
    if group == _PAIR:
        return chr(0x10000 + ((int(value[:4], 16) & 0x3FF) << 10) + (int(value[-4:], 16) & 0x3FF)), end
    number = int(value, {_REFERENCE: 10, _OCTAL: 8}.get(group, 16))
    # HTML reads these numbers as Windows-1252.
    if group in (_REFERENCE, _HEX_REFERENCE) and 0x80 <= number < 0xA0:
        return bytes((number,)).decode("cp1252", "replace"), end
    return (chr(number), end) if number < 0x110000 else None


def one_line(text: str) -> str:
    r"""Return ``text`` on one line, with control and invisible characters escaped as ``\n`` or ``\u200b``."""
    if text.isascii() and text.isprintable():  # a fast path for most texts: the search is 50 times as slow
        return text
    return _INVISIBLE.sub(_escaped, text)


def without_markup(text: str) -> str:
    """Replace the service's markup ``{!{Work Order}!}`` with plain words."""
    return _MARKUP.sub(r"\1", text)


def shortened(text: str, longest: int) -> str:
    """Return ``text``; if it is longer than ``longest``, return its start and its original length."""
    return text if len(text) <= longest else f"{text[:longest]}{_cut_from(text)}"


def _cut_from(text: str) -> str:
    return f"... (cut from {len(text):,} characters)"


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[found[0]]
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def json_escaped(text: str) -> str:
    r"""Return JSON with invisible characters escaped, as ``\u009b``; keep line breaks between values."""
    if text.isascii() and text.isprintable():
        return text
    return _INVISIBLE.sub(_json_escape, text)


def _json_escape(found: re.Match[str]) -> str:
    if found[0] == "\n":
        return "\n"
    units = found[0].encode("utf-16-be", "surrogatepass").hex()  # two units for characters beyond 16 bits
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
