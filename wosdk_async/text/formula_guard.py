"""Apostrophes before CSV text that looks like a formula: an export adds them, and an import removes them."""

from __future__ import annotations

import re

from wosdk_async.text.safe_text import INVISIBLE

# Characters that begin a formula. Some spreadsheets accept the full-width signs of East Asian keyboards, and
# some skip spaces and invisible characters before them.
_SIGNS = "=+\\-@＝＋－＠"
_BLANK = f"\\s{INVISIBLE}"
# Text that looks guarded gets another apostrophe, because without_guard removes one.
_FORMULA = re.compile(f"'*(?:[\t\r\n]|[{_BLANK}]*[{_SIGNS}])")
_GUARDED = re.compile(f"'(?:[\t\r\n]|[{_BLANK}]*[{_SIGNS}])")
_SIGN = re.compile(f"[{_SIGNS}]")
_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?")
# A formula may also begin inside text: spreadsheets take the delimiter from their locale or guess it, and may
# split a row at another delimiter. A new cell then begins after each comma, semicolon, tab or bar,
# and a new row after each line break; a quote there opens the cell. Each run of these characters is matched
# as a whole, in linear time.
# People can also choose spaces or colons as delimiters. These are not guarded: "on hold - call first" is
# ordinary text.
_SEPARATORS = ",;|\t\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_SEPARATOR = re.compile(f"[{_SEPARATORS}]")
_RUN = re.compile(f"[{_SEPARATORS}\"{_BLANK}]+(?P<sign>'*[{_SIGNS}])?")


class FormulaGuard:
    """Guard that makes text safe for CSV by putting an apostrophe before each formula, unless ``raw``."""

    def __init__(self, *, raw: bool = False) -> None:
        self.texts = 0
        """Number of texts given an apostrophe; with ``raw``, number of texts that an import would change."""
        self.raw = raw

    def __call__(self, text: str) -> str:
        """Return ``text``, made safe unless ``raw``."""
        if self.raw:
            self.texts += "'" in text and without_guard(text) != text
            return text
        safe = without_formulas(text)
        if safe is not text and safe != text:
            self.texts += 1
        return safe


def without_formulas(text: str) -> str:
    """Return ``text`` with an apostrophe before each formula; return a negative number unchanged."""
    if text.isalnum():  # a fast path for most keys and numbers: an export can have a million rows
        return text
    has_cells = _SIGN.search(text) and _SEPARATOR.search(text)
    inside = _RUN.sub(_guard_sign, text) if has_cells else text
    return f"'{inside}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else inside


def may_be_guarded(line: str) -> bool:
    """Return whether a CSV line may have guarded formulas."""
    return _GUARDED.search(line) is not None


def without_guard(text: str) -> str:
    """Undo :func:`without_formulas`; leave other text unchanged."""
    if "'" not in text:
        return text
    inside = _RUN.sub(_bare_sign, text) if _SEPARATOR.search(text) else text
    for found in (inside[1:] if inside[0] == "'" else inside, inside):
        if found != text and without_formulas(found) == text:
            return found
    return text


def _guard_sign(run: re.Match[str]) -> str:
    if run["sign"] is None or not _SEPARATOR.search(run[0]):
        return run[0]
    return f"{run[0][: -len(run['sign'])]}'{run['sign']}"


def _bare_sign(run: re.Match[str]) -> str:
    sign = run["sign"]
    if sign is None or sign[0] != "'" or not _SEPARATOR.search(run[0]):
        return run[0]
    return run[0][: -len(sign)] + sign[1:]
