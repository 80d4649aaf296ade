"""Every test that SECURITY.md names exists, and every threat names some."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
PARTS = TEXT.split("\n## ")[1:]
THREATS = [part for part in PARTS if "\nTests: " in part]


def names_in(path: str) -> set[str]:
    """The tests of a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {each.name for each in functions if each.name.startswith("test_")}


@pytest.mark.parametrize("path", sorted({path for path, _ in NAMED.findall(TEXT)}))
def test_the_tests_that_are_named_exist(path: str) -> None:
    named = {name for where, name in NAMED.findall(TEXT) if where == path}
    assert named - names_in(path) == set()


@pytest.mark.parametrize("threat", THREATS, ids=lambda part: part.partition("\n")[0])
def test_a_threat_has_tests_that_show_its_protection(threat: str) -> None:
    assert "\n* " in threat
    assert len(NAMED.findall(threat)) >= 4


def test_nothing_that_looks_like_a_test_is_missed() -> None:
    """A name that is cut in two, or spelt in another way, would not be checked."""
    assert TEXT.count("tests/") == len(NAMED.findall(TEXT))
    assert len(THREATS) == len([part for part in PARTS if "\nLeft: " in part]) - 1 == 10
