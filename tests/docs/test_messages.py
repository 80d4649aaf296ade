"""The page of error messages has messages that the library has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import wosdk_async
from tests.docs.pages import ROOT, read
from wosdk_async import errors

PAGE = read(ROOT / "docs" / "messages.md")
QUOTED = [cells[0].strip("`").replace("\\|", "|") for _, cells in PAGE.rows]


def texts(node: ast.AST) -> Iterator[str]:
    """Give the text of a node, with ``\\0`` for what is filled in."""
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
    """Return every text of the package, with ``\\0`` for what is filled in."""
    return sorted({text for node in nodes() for text in texts(node) if " " in text.strip()})


def says(template: str, quoted: str) -> bool:
    """Whether a text of the package has the fixed parts of a message in their order."""
    place = 0
    for part in filter(None, quoted.split("...")):
        place = template.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


def test_the_library_has_each_message() -> None:
    assert [quoted for quoted in QUOTED if not any(says(template, quoted) for template in templates())] == []


@cache
def raised() -> dict[str, set[str]]:
    """Return the texts with which the package raises each class of errors, by the names of the classes."""
    found: dict[str, set[str]] = {}
    for node in nodes():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            found.setdefault(node.func.id, set()).update(texts(node.args[0]))
    return {name: found[name] for name in errors.__all__ if found.get(name)}


def test_every_class_that_the_library_raises_has_a_message() -> None:
    missing = [
        name
        for name, own in raised().items()
        if not any(says(text, quoted) for quoted in QUOTED for text in own)
    ]
    assert missing == []
    assert len(raised()) > 12


def test_another_message_would_be_found_missing() -> None:
    assert len(QUOTED) > 40
    assert not any(says(template, "the service is on holiday; wait ... days") for template in templates())
