"""docs/versions.md says what is public as CI compares it, and no page shows more."""

from __future__ import annotations

import importlib
import json
import re
import runpy
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import yaml

import wosdk_async
from tests.docs.pages import blocks
from tests.support.laws import each_of
from wosdk_async.version import VERSION

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`(wosdk_async[\w.]*)`", TEXT)) - {"wosdk_async.__version__"}
TOOL: dict[str, Any] = runpy.run_path(str(ROOT / ".ci" / "api.py"))


def test_what_is_public_is_what_is_compared() -> None:
    table = TEXT.partition("The public modules are:")[2].partition("## What is not")[0]
    assert set(re.findall(r"`(wosdk_async[\w.]*)`", table)) == set(TOOL["PUBLIC"])


@each_of("module", [*TOOL["PUBLIC"], *TOOL["REACHED"]])
def test_a_public_module_says_what_it_exports(module: str) -> None:
    loaded = importlib.import_module(module)
    assert [name for name in loaded.__all__ if not hasattr(loaded, name)] == []


def test_attributes_of_a_company_are_compared() -> None:
    members = vars(wosdk_async.Company).items()
    resources = [name for name, value in members if isinstance(value, cached_property)]
    assert set(TOOL["REACHED"]) == {f"wosdk_async.resources.{name}" for name in resources}


def test_pages_show_only_what_versions_md_speaks_of() -> None:
    shown = {
        module
        for block in blocks("python")
        for module in re.findall(r"^ *(?:from|import) (wosdk_async[\w.]*)", block.text, re.MULTILINE)
    }
    assert shown - NAMED == set()


def test_the_changelog_begins_with_this_version_or_the_next() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (\S+)", text, re.MULTILINE)
    assert headings[headings[0] == "Next"] == VERSION


def test_the_version_stands_in_one_place() -> None:
    """The package's metadata takes it from there."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '\ndynamic = ["version"]' in text
    assert f'"{VERSION}"' not in text


@pytest.mark.parametrize("name", ["bug", "feature", "question"])
def test_an_issue_template_can_be_read(name: str) -> None:
    """By the form of the site that shows it: ids differ, and each field has a label."""
    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text(encoding="utf-8"))
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert form["name"]
    assert form["description"]
    assert len({field["id"] for field in fields}) == len(fields) >= 2
    assert all(field["attributes"]["label"] for field in fields)
    assert ("wosdk check" in json.dumps(form)) == (name == "bug")
