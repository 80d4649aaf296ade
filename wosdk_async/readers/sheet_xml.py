"""Parts of .xlsx and .ods files: sheets, styles with currencies, and XML parsing."""

from __future__ import annotations

import io
import posixpath
import re
import unicodedata
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any
from xml.parsers import expat

Attributes = Mapping[str, str]
Faults = dict[int, dict[int, str]]
"""Reasons why cells cannot be used, by row (from 1) and column (from 0)."""
Currencies = dict[int, list[tuple[range, str]]]
"""Currencies or leading zeros shown only by cell formats: row ranges and the text shown, by column (from 0).
"""

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
    """Return a number format's currency sign, or ``"`` followed by its text; None if it has neither.

    A format that shows leading zeros, such as ``0000``, is returned unchanged. Commas after the digits count
    as text, because they divide the displayed number by 1,000.
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


BOOK = "xl/workbook.xml"  # in .xlsx
CONTENT = "content.xml"  # in .ods
TRUE = ("1", "true")
_RELATIONSHIPS = "xl/_rels/workbook.xml.rels"
_STYLES = "xl/styles.xml"
_LITERALS = re.compile(r'"[^"]*"|[\\_*].|\[[^]]*]')
_DATES = dict.fromkeys(["14", "15", "16", "17", "22"], True) | dict.fromkeys(
    ["18", "19", "20", "21", "45", "47"], False
)
"""Built-in date and time formats, and whether they show the day."""
_AMOUNTS = dict.fromkeys(["5", "6", "7", "8", "42", "44"], SOME_CURRENCY) | dict.fromkeys(["9", "10"], '"%')
"""Built-in formats of percentages, and of amounts in the currency of the user's locale."""
_CHUNK = 1 << 16
_CELL = re.compile(rb"<(?:\w{1,20}:)?[vtf][ />]")
_LONGEST_MATCH = 24


def sheet_parts(book: zipfile.ZipFile, parts: Mapping[str, str]) -> tuple[dict[str, str | None], range]:
    """Return the XML part of each sheet by name, and the range of valid date numbers."""
    days = range(61, 2_958_466)  # day 60 is the nonexistent 1900-02-29, so the days before it are uncertain
    ids: dict[str, str] = {}
    targets: dict[str, str] = {}

    def note(element: str, attributes: Attributes) -> None:
        nonlocal days
        if element == "workbookPr" and attributes.get("date1904") in TRUE:
            days = range(1, 2_957_004)
        elif element == "sheet":
            id = next((value for name, value in attributes.items() if name.endswith(" id")), "")
            ids[attributes.get("name", "")] = id
        elif element == "Relationship":
            targets[attributes.get("Id", "")] = posixpath.join("/xl", attributes.get("Target", ""))

    for part in (BOOK, _RELATIONSHIPS):
        if part in parts:
            with book.open(parts[part]) as file:
                parse(file, note)
    found = {name: posixpath.normpath(targets.get(id, "")).lstrip("/").casefold() for name, id in ids.items()}
    return {name: parts.get(part) for name, part in found.items()}, days


def styles_in(book: zipfile.ZipFile, parts: Mapping[str, str]) -> dict[str, bool | str]:
    """Map each cell style to the currency of its amounts, or to whether its times show the day."""
    formats: dict[str, bool | str] = {**_DATES, **_AMOUNTS}
    styles: list[bool | str | None] = []
    is_of_cells = False

    def note(element: str, attributes: Attributes) -> None:
        nonlocal is_of_cells
        if element == "numFmt":
            code, number = attributes.get("formatCode", ""), attributes.get("numFmtId", "")
            shown = _LITERALS.sub("", code.lower())
            formats.pop(number, None)
            if re.search("[dmyhs]", shown) and not re.search(r"\[[hms]+]", code.lower()):
                formats[number] = re.search("[dy]|mmm", shown) is not None
            elif currency := currency_in(code):
                formats[number] = currency
        elif element == "xf" and is_of_cells:
            styles.append(formats.get(attributes.get("numFmtId", "")))
        elif element.endswith("Xfs"):
            is_of_cells = element == "cellXfs"

    if _STYLES in parts:
        with book.open(parts[_STYLES]) as file:
            parse(file, note)
    return {str(style): shown for style, shown in enumerate(styles) if shown is not None}


def has_cells(book: zipfile.ZipFile, part: str | None) -> bool:
    """Return whether an .xlsx sheet contains a cell with content."""
    if part is None:
        return False
    with book.open(part) as file:
        before = b""
        for chunk in iter(lambda: file.read(_CHUNK), b""):
            if _CELL.search(before + chunk):
                return True
            before = chunk[-_LONGEST_MATCH:]
    return False


def without_shapes(path: str, shapes: Sequence[tuple[int, int]]) -> IO[bytes]:
    """Return a copy of an .ods file without ``shapes``, whose text calamine would read as cell text."""
    copied = io.BytesIO()
    with zipfile.ZipFile(path) as book, zipfile.ZipFile(copied, "w") as other:
        for part in ("mimetype", "META-INF/manifest.xml"):
            other.writestr(part, book.read(part))
        content, rest, pieces = book.read(CONTENT), 0, []
        for first, last in shapes:
            pieces.append(content[rest:first])
            rest = content.index(b">", last) + 1
        other.writestr(CONTENT, b"".join([*pieces, content[rest:]]))
    copied.seek(0)
    return copied
