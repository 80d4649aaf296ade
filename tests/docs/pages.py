"""The pages of the project as a Markdown parser reads them: code blocks, links, headings, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from attrs import frozen
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
NOTE = re.compile(r"<!-- ([\w-]+(?: only)?)(?:: .+)? -->\s*")
"""The note in a comment before a block: ``types only: it needs a photograph``."""


@frozen
class Block:
    """A code block of a page."""

    page: str
    line: int
    """The line of its opening fence, from 1."""
    language: str
    note: str
    """``types only``, ``parse only`` or a marker of ``.ci/run``; empty for a block that is run."""
    text: str
    closed: bool

    @property
    def name(self) -> str:
        """``docs/howto.md:16``."""
        return f"{self.page}:{self.line}"


@frozen
class Page:
    """The parsed parts of one page."""

    path: Path
    blocks: tuple[Block, ...]
    links: tuple[str, ...]
    anchors: frozenset[str]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    """Rows of tables, without the heads: the line where the table begins, and the cells."""


@cache
def read(path: Path) -> Page:
    """Parse one file."""
    text = path.read_text(encoding="utf-8")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    return Page(
        path,
        tuple(_blocks(name, tokens, text.splitlines())),
        tuple(_links(tokens)),
        frozenset(_anchors(tokens)),
        tuple(_rows(tokens)),
    )


@cache
def pages() -> tuple[Page, ...]:
    """All pages for readers."""
    names = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "wosdk_async/catalogue/README.md"]
    return tuple(read(path) for path in [*map(ROOT.joinpath, names), *sorted(ROOT.glob("docs/*.md"))])


def blocks(language: str, note: str = "") -> list[Block]:
    """The blocks of all pages in one language, with one note."""
    return [b for page in pages() for b in page.blocks if (b.language, b.note) == (language, note)]


def _blocks(page: str, tokens: list[Token], lines: list[str]) -> Iterator[Block]:
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type not in ("fence", "code_block") or token.map is None:
            continue
        start, end = token.map
        if token.type == "code_block":  # indented
            yield Block(page, start + 1, "", "", token.content, closed=True)
            continue
        note = NOTE.fullmatch(before.content) if before is not None and before.type == "html_block" else None
        # The end of the file ends a fence too, and a fence left open takes in the opening of the next one.
        closed = end - 1 > start and not lines[end - 1].strip().strip(token.markup[0])
        closed = closed and not re.search(r"^ {0,3}(```|~~~)", token.content, re.MULTILINE)
        yield Block(page, start + 1, token.info.strip(), note[1] if note else "", token.content, closed)


def _links(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "html_block":
            yield from re.findall(r'(?:href|src|srcset)="([^"]+)"', token.content)
        for child in token.children or ():
            target = child.attrs.get("href") or child.attrs.get("src")
            if target:
                yield str(target)


def _anchors(tokens: list[Token]) -> Iterator[str]:
    """The anchors that GitHub gives the headings."""
    seen: dict[str, int] = {}
    for before, token in pairwise(tokens):
        if before.type == "heading_open":
            text = "".join(child.content for child in token.children or ())
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            count = seen[slug] = seen.get(slug, -1) + 1
            yield f"{slug}-{count}" if count else slug


def _rows(tokens: list[Token]) -> Iterator[tuple[int, tuple[str, ...]]]:
    table, body = 0, False
    cells: list[str] = []
    for before, token in pairwise(tokens):
        if token.type == "table_open":
            table = (token.map or [0])[0] + 1
        body = (body or token.type == "tbody_open") and token.type != "tbody_close"
        if token.type == "tr_open":
            cells = []
        elif before.type == "td_open" and body:
            cells.append(token.content)
        elif token.type == "tr_close" and cells:
            yield table, tuple(cells)
