"""The page of error messages has only messages of the library."""

from __future__ import annotations

import ast
import re
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
def templates() -> str:
    """Return the strings of the package that is written by hand, each behind ``\\1``."""
    files = (path.read_text(encoding="utf-8") for path in (ROOT / wosdk_async.__name__).rglob("*.py"))
    by_hand = (ast.parse(text) for text in files if "; do not edit" not in text[:400])
    found = {text for tree in by_hand for node in ast.walk(tree) for text in texts(node)}
    return "\1".join(["", *(text for text in found if " " in text.strip()), ""])


def is_said(quoted: str) -> bool:
    """Whether a string of the package has the fixed parts of a message in order."""
    parts, every = quoted.split("..."), templates()
    whole = re.compile(".*?".join(map(re.escape, parts)), re.DOTALL)
    for longest in re.finditer(re.escape(max(parts, key=len)), every):
        begins, ends = every.rindex("\1", 0, longest.start()), every.index("\1", longest.end())
        if whole.search(every, begins, ends):
            return True
    return False


def test_the_library_has_each_message() -> None:
    assert [quoted for quoted in QUOTED if not is_said(quoted)] == []


def test_another_message_would_be_found_missing() -> None:
    assert len(QUOTED) > 40
    assert not is_said("the service is on holiday; wait ... days")
