"""The page of error messages has only messages of the library."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import wosdk_async
from tests.docs.pages import ROOT, read

PAGE = read(ROOT / "docs" / "messages.md")
KINDS = PAGE.path.read_text("utf-8").splitlines().index("## Kinds")
"""The beginnings of tables that are rendered from the code."""
QUOTED = [cells[0].strip("`").replace("\\|", "|") for line, cells in PAGE.rows if line < KINDS]


def texts(node: ast.AST) -> Iterator[str]:
    """Yield the text of a node, with ``\\0`` for placeholders."""
    if isinstance(node, ast.JoinedStr):
        parts = (str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
        yield "".join(parts)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


@cache
def nodes() -> list[ast.AST]:
    """Return the syntax of the whole package."""
    files = sorted((ROOT / wosdk_async.__name__).rglob("*.py"))
    return [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


@cache
def templates() -> list[str]:
    """Return every string of the package, with ``\\0`` for placeholders."""
    return sorted({text for node in nodes() for text in texts(node) if " " in text.strip()})


def says(template: str, quoted: str) -> bool:
    """Whether a string of the package has the fixed parts of a message in order."""
    place = 0
    for part in filter(None, quoted.split("...")):
        place = template.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


def test_the_library_has_each_message() -> None:
    assert [quoted for quoted in QUOTED if not any(says(template, quoted) for template in templates())] == []


def test_another_message_would_be_found_missing() -> None:
    assert len(QUOTED) > 40
    assert not any(says(template, "the service is on holiday; wait ... days") for template in templates())
