"""Pieces of Markdown that the generated pages share."""

from __future__ import annotations

import re
from collections.abc import Iterable


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table."""
    names = list(head)
    lines = [names, ["---"] * len(names), *([cell(value) for value in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cell(text: object) -> str:
    """Return a text for one cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|")


def slug(text: str) -> str:
    """Return the anchor of a heading, as the site and GitHub make it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def heading(page: str) -> str:
    """Return the title of a page."""
    found = re.search(r"^# (.+)$", page, re.MULTILINE)
    return found[1] if found else ""
