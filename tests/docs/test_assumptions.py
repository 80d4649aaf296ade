"""The page of assumptions names the module of each."""

from __future__ import annotations

import re

import wosdk_async
from tests.docs.pages import ROOT

WHERE = re.compile(r"\(((?:`[^`]*`(?:,\s+)?)+)\)\.$", re.MULTILINE)


def test_modules_of_assumptions_exist() -> None:
    """Each name in the parentheses of the last sentence is the end of the path of a module or package."""
    page = (ROOT / "docs" / "assumptions.md").read_text("utf-8")
    named = {name for cell in WHERE.findall(page) for name in re.findall(r"`([^`]*)`", cell)}
    package = ROOT / wosdk_async.__name__
    files = [path.relative_to(package) for path in package.rglob("*")]
    modules = {f"/{file.as_posix()}" for path in files for file in (path, path.with_suffix(""))}
    assert len(named) > 30
    assert [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in modules)] == []
