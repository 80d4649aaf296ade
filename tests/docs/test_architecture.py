"""``docs/architecture.md``: layers that ``lint-imports`` checks, walks that are true, and a map of jobs."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.docs.pages import ROOT, read
from wosdk_async.jobs import cluster

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
    "contracts"
]
DRAWN = [
    [
        set(re.split(r"  |$", line)[0].split(", "))
        for line in block.text.splitlines()
        if not line.startswith(" ")  # the meaning of the names above it
    ]
    for block in read(ROOT / "docs" / "architecture.md").blocks
]


@pytest.mark.parametrize(
    "contract",
    [each for each in CONTRACTS if each["type"] == "layers"],
    ids=lambda each: each["containers"][0],
)
def test_the_page_draws_the_layers_that_are_checked(contract: dict[str, list[str]]) -> None:
    assert [set(layer.split(" | ")) for layer in contract["layers"]] in DRAWN


FILE = re.compile(r"[\w./-]+\.(?:py|pyi|json|js|html|md|toml)")
NAME = re.compile(r"(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*)(?:\(\.*\))?")


def test_walks_name_files_and_names_that_are_there() -> None:
    """Renames and moves must be repeated here: walks are rarely read until they are needed."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([^`\n]+)`", page.partition("\n## Walkthroughs\n")[2]))
    paths = [
        path
        for folder in ("wosdk_async", "tests", "docs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".pyi", ".json", ".js", ".html", ".md") and path.name != "architecture.md"
    ]
    files = {f"/{path.relative_to(ROOT).as_posix()}" for path in [*paths, ROOT / "pyproject.toml"]}
    files |= {f"/{name}" for name in ("CHANGELOG.md", "CONTRIBUTING.md")}
    words = set().union(*(re.findall(r"\w+", path.read_text(encoding="utf-8")) for path in paths))
    assert {
        name
        for name in named
        if FILE.fullmatch(name) and not any(path.endswith(f"/{name}") for path in files)
    } == set()
    assert {
        name
        for name in named
        if not FILE.fullmatch(name) and (last := NAME.fullmatch(name)) and last[1] not in words
    } == set()


def test_each_step_of_a_walk_names_what_its_files_have() -> None:
    """A word that only some other file has does not help: it is looked for in the files of the step."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    paths = [path for folder in ("wosdk_async", "tests", "docs") for path in (ROOT / folder).rglob("*.*")]
    strange = set()
    for step in re.split(r"\n(?=\d\. |\n)", page.partition("\n### Add a command\n")[2]):
        named = re.findall(r"`([^`\n]+)`", step)
        files = [
            path.read_text(encoding="utf-8")
            for name in named
            if FILE.fullmatch(name)
            for path in paths
            if path.as_posix().endswith(f"/{name}") and path.name != "architecture.md"
        ]
        for name in named:
            if NAME.fullmatch(name) and not FILE.fullmatch(name):
                words = set(re.findall(r"\w+", name.partition("(")[0]))
                if not any(words <= set(re.findall(r"\w+", text)) for text in files):
                    strange.add(name)
    assert strange == set()


def test_the_map_of_jobs_on_many_workers_has_each_module() -> None:
    named = set(re.findall(r"\b\w+\.py\b", cluster.__doc__ or ""))
    there = {path.name for path in (ROOT / "wosdk_async" / "jobs" / "cluster").glob("[!_]*.py")}
    assert named == there
