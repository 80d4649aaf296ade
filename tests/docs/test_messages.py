"""The page of error messages has messages that the library has."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

import wosdk_async
from tests.docs.pages import ROOT, read

PAGE = read(ROOT / "docs" / "messages.md")
QUOTED = [cells[0].strip("`").replace("\\|", "|") for _, cells in PAGE.rows]


def templates() -> Iterator[str]:
    """Give every text of the package, with ``\\0`` for what is filled in."""
    for path in sorted((ROOT / wosdk_async.__name__).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


TEMPLATES = sorted({text for text in templates() if " " in text.strip()})


def says(template: str, quoted: str) -> bool:
    """Whether a text of the package has the fixed parts of a message in their order."""
    place = 0
    for part in filter(None, quoted.split("...")):
        place = template.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


@pytest.mark.parametrize("quoted", QUOTED)
def test_the_library_has_this_message(quoted: str) -> None:
    assert any(says(template, quoted) for template in TEMPLATES)


def test_another_message_would_be_found_missing() -> None:
    assert len(QUOTED) > 40
    assert not any(says(template, "the service is on holiday; wait ... days") for template in TEMPLATES)
