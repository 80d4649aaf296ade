"""Citations such as ``facts 3.3 and 12 row 4``, and the rules that they cite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from attrs import field, frozen
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.docs.pages import ROOT

PAGES = tuple(ROOT / "docs" / f"{name}.md" for name in ("service", "facts", "facts-commands"))
"""The pages with rules of the service."""
GAP = r"(?:\s|#)+"  # a comment may continue on the next line
AND = rf"(?:,{GAP}(?:and{GAP})?|{GAP}and{GAP})"
TO = rf"{GAP}to{GAP}"
END = r"(?![\w%]|[.,]\d)"
DOCUMENT = re.compile(rf"\b(spec|facts?){GAP}(?=\d|appendix)", re.IGNORECASE)
SECTION = re.compile(rf"(\d+(?:\.\d+)*){END}|appendix{GAP}([A-Z]){END}", re.IGNORECASE)
ENTRIES = re.compile(rf"{GAP}(rule|row)(s?){GAP}(?=\d)", re.IGNORECASE)
NUMBER = re.compile(rf"(\d+){END}")
NEXT = re.compile(rf"({AND})|{TO}")
NAME = re.compile(rf",{GAP}([A-Z]\w*(?:(?: |\n *# )[a-z]\w*)*)")
HEADING = re.compile(r"(Spec|Facts) (\d+(?:\.\d+)*|appendix [A-Z]): \S.*")


@frozen
class Citation:
    """One section, or one rule or row of it."""

    document: str
    """``spec`` or ``facts``."""
    section: str
    """``4.9``, ``appendix A``."""
    kind: str = ""
    """``rule``, ``row``, or empty for the whole section."""
    number: int = 0
    name: str = field(default="", eq=False)
    """The name after it: ``Creation traps`` of ``facts 5, Creation traps``."""
    position: int = field(default=0, eq=False)

    def __str__(self) -> str:
        return f"{self.document} {self.section}" + (f" {self.kind} {self.number}" if self.kind else "")


@frozen
class Section:
    """A section of a page of rules."""

    rules: tuple[int, ...]
    rows: tuple[int, ...]
    items: tuple[str, ...]
    """Its list items and table rows, verbatim."""
    text: str

    def has(self, citation: Citation) -> bool:
        """Return whether this section has the cited rule or row, and the cited name."""
        found = {"": (0,), "rule": self.rules, "row": self.rows}[citation.kind]
        return citation.number in found and citation.name.casefold() in self.text.casefold()


def citations(text: str) -> Iterator[Citation]:
    """Find the citations in a text: lists and ranges give one for each of their members."""
    for start in DOCUMENT.finditer(text):
        document = "spec" if start[1].lower() == "spec" else "facts"
        yield from _cited(text, start, document)


def _cited(text: str, start: re.Match[str], document: str) -> Iterator[Citation]:
    """Yield the citations after one ``spec`` or ``facts``."""
    before, ranged, at = "", False, start.end()
    while found := SECTION.match(text, at):
        section, at = _section(found), found.end()
        between = _between(before, section) if ranged else []
        yield from (Citation(document, each, position=start.start()) for each in between)
        entries = ENTRIES.match(text, at)
        numbers: list[int] = []
        if entries is not None:
            numbers, at = _numbers(text, entries.end(), many=bool(entries[2]))
        named = NAME.match(text, at)
        name = re.sub(GAP, " ", named[1]) if named else ""
        if entries is None:
            yield Citation(document, section, name=name, position=start.start())
        else:
            kind = entries[1].lower()
            yield from (Citation(document, section, kind, each, name, start.start()) for each in numbers)
        step = NEXT.match(text, at)
        if step is None:
            return
        before, ranged, at = section, step[1] is None, step.end()


def _section(found: re.Match[str]) -> str:
    return found[1] or f"appendix {found[2].upper()}"


def _between(first: str, last: str) -> list[str]:
    """Return the sections after the first and before the last: 3.4 and 3.5 of ``3.3 to 3.6``."""
    head, tail = (each.rpartition(".") for each in (first, last))
    if head[0] != tail[0] or not (head[2].isdecimal() and tail[2].isdecimal()):
        return []
    return [f"{head[0]}{head[1]}{each}" for each in range(int(head[2]) + 1, int(tail[2]))]


def _numbers(text: str, at: int, *, many: bool) -> tuple[list[int], int]:
    """Return the numbers of rules or rows from ``at``, and their end; a plural has several."""
    numbers: list[int] = []
    ranged = False
    step = None
    while found := NUMBER.match(text, step.end() if step else at):
        number = int(found[1])
        numbers += range(numbers[-1] + 1, number) if ranged else []
        numbers.append(number)
        at = found.end()
        step = NEXT.match(text, at) if many else None
        if step is None:
            break
        ranged = step[1] is None
    return numbers, at


def sections() -> dict[tuple[str, str], Section]:
    """Return the sections of all pages of rules, by document and number."""
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = [token for page in PAGES for token in markdown.parse(page.read_text(encoding="utf-8"))]
    parts: dict[tuple[str, str], list[Token]] = {}
    part: list[Token] = []
    for before, token in pairwise(tokens):
        if before.type == "heading_open":
            part = []
            if heading := HEADING.fullmatch(token.content):
                key = heading[1].lower(), heading[2]
                if key in parts:
                    raise ValueError(f"two sections are {' '.join(key)}")
                parts[key] = part
        else:
            part.append(token)
    return {key: _read(part) for key, part in parts.items()}


def _read(tokens: list[Token]) -> Section:
    """Read one section: items of numbered lists are rules, rows whose first cell is a number are rows."""
    rules, rows, items, texts = [], [], [], []
    cells: list[str] | None = None
    for token in tokens:
        if token.type == "list_item_open" and token.level == 1 and token.info:
            rules.append(int(token.info))
        elif token.type == "tbody_open":
            cells = []
        elif token.type == "tbody_close":
            cells = None
        elif token.type == "tr_close" and cells:
            items.append(" | ".join(cells))
            rows += [int(cells[0])] if cells[0].isdecimal() else []
            cells = []
        elif token.type == "inline":
            texts.append(token.content)
            if cells is not None:
                cells.append(token.content)
            elif token.level == 3:  # in a list; a paragraph has 1, the head of a table 4
                items.append(token.content)
    return Section(tuple(rules), tuple(rows), tuple(items), " ".join(" ".join(texts).split()))
