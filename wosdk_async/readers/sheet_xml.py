"""XML parsing, messages and currency detection for .xlsx and .ods."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import IO, Any
from xml.parsers import expat

Attributes = Mapping[str, str]
Faults = dict[int, dict[int, str]]
"""Reasons why cells cannot be used, by row (from 1) and column (from 0)."""
Currencies = dict[int, list[tuple[range, str]]]
"""Currencies or leading zeros shown only by cell formats: row ranges and the text shown, by column (from 0).
"""

ERROR = "the cell shows a formula error; correct it in the sheet"
NO_RESULT = "the formula has no result; open the workbook in a spreadsheet program and save it"
SOME_CURRENCY = "\u00a4"
LONGEST_SIGN = 20  # maximum characters of a currency sign
OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_SKIPPED = (f"{OFFICE} annotation", "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0 ")
_DIGIT = "\0"
_MASK = re.compile(r"0+(?:\\?[-/ ]0+)+")  # such as 000-00-0000
_PIECES = re.compile(
    r'[_*].|\[\$(?P<symbol>[^]-]*+)(?P<place>-)?+[^]]*+]|\[[^]]*]|"(?P<quoted>[^"]*)"|(?P<escaped>(?:\\.)+)'
    r"|(?P<plain>[^\x00-\x7f]|[$%])|(?P<digit>[0#?]|General)(?P<scale>,+(?![,0#?]))?|(?P<end>;)",
    re.IGNORECASE,
)


def currency_in(code: str) -> str | None:
    """Return a number format's currency sign or, after a ``"``, its text; None if it has neither.

    A format such as ``0000``, which shows leading zeros, is returned unchanged. Commas after the digits,
    which divide the displayed number by 1,000, count as text.
    """
    if 1 < len(code) <= LONGEST_SIGN and not code.strip("0"):
        return code
    if _MASK.fullmatch(code):
        return '"' + code.replace("\\", "")[:LONGEST_SIGN]
    sections, symbols = [""], set[str]()
    for found in _PIECES.finditer(code):
        piece = found.groupdict("")
        symbols.update(piece["symbol"].split() if piece["place"] else ())
        if piece["end"]:
            sections.append("")
        elif piece["digit"]:
            sections[-1] += f"{_DIGIT}0{piece['scale']}{_DIGIT}" if piece["scale"] else _DIGIT
        else:
            sections[-1] += piece["symbol"] + piece["quoted"] + piece["escaped"].replace("\\", "")
            sections[-1] += piece["plain"]
    of_numbers = [each for each in sections if _DIGIT in each] or sections
    words = (word.strip("+-()") for word in " ".join(of_numbers).replace(_DIGIT, " ").split())
    texts = list(dict.fromkeys(filter(_has_meaning, words)))
    if len(texts) == 1 and (_is_sign(texts[0]) or (texts[0] in symbols and not any(map(_is_sign, texts[0])))):
        return texts[0][:LONGEST_SIGN]
    return f'"{" ".join(texts)[:LONGEST_SIGN]}' if texts else None


def _is_sign(word: str) -> bool:
    return len(word) == 1 and unicodedata.category(word) == "Sc"


def _has_meaning(word: str) -> bool:
    return any(char.isalnum() or char in "%‰" or _is_sign(char) for char in word)


def parse(
    file: IO[bytes],
    note: Callable[[str, Attributes], object],
    text: Callable[[str], object] | None = None,
    shapes: list[tuple[int, int]] | None = None,
) -> None:
    """Call ``note`` with the local name and attributes of each element.

    If ``note`` returns a true value, ``text`` is called with the text that follows. With ``shapes``, shapes
    and comments are skipped; if they contain text, the offsets of their tags are added to ``shapes``.
    """

    def start(element: str, attributes: Attributes) -> None:
        parser.CharacterDataHandler = text if note(element.rpartition(" ")[2], attributes) else None

    depth, first, has_text = 0, 0, False
    outside: Any = None

    def start_or_skip(element: str, attributes: Attributes) -> None:
        nonlocal depth, first, outside
        if not depth:
            if not element.startswith(_SKIPPED):
                start(element, attributes)
                return
            first, outside = parser.CurrentByteIndex, parser.CharacterDataHandler
            parser.CharacterDataHandler, parser.EndElementHandler = note_text, end
        depth += 1

    def note_text(text: str) -> None:
        nonlocal has_text
        has_text |= not text.isspace()

    def end(_: str) -> None:
        nonlocal depth, has_text
        depth -= 1
        if not depth:
            parser.CharacterDataHandler, parser.EndElementHandler = outside, None
            if has_text and shapes is not None:
                shapes.append((first, parser.CurrentByteIndex))
            has_text = False

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start if shapes is None else start_or_skip
    parser.ParseFile(file)
