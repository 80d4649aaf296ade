"""Every block of README and docs is tested, and fences, links and tables are valid."""

from __future__ import annotations

import csv
import functools
import json
import tomllib
from pathlib import Path

import pytest

from docs.builder.stage import generated
from tests.docs import pages as reader
from tests.docs.pages import ROOT, Block, Page, pages
from tests.support.laws import each_of
from wosdk_async.sandbox import Faults

_generated = functools.cache(generated)  # not at import: it renders 150 pages in each process
CHECKED = {
    ("python", ""): "test_python.py runs it and checks its types",
    ("python", "types only"): "test_python.py",
    ("python", "quoted"): "tests/examples/test_quotes.py: a file of docs/examples has it",
    ("ini", ""): "test_python.py: the settings of the tests",
    ("sh", ""): "test_shell.py runs it",
    ("sh", "parse only"): "test_shell.py",
    ("sh", "cluster"): ".ci/run",
    ("sh", "main-job"): ".ci/run",
    ("sh", "tests"): ".ci/run",
    ("", ""): "what the block before it prints: test_shell.py",
    ("console", ""): "tests/cli/test_docs.py runs it",
    ("text", ""): "a drawing in letters: there is nothing to check",
    ("toml", ""): "below",
    ("json", ""): "below",
    ("json", "calls"): "tests/mcp/test_docs.py makes them",
    ("jsonl", ""): "below",
    ("csv", ""): "below",
}


def mistakes(page: Page) -> list[str]:
    """The mistakes in the form of a page."""
    found = [f"{block.name}: the fence is not closed" for block in page.blocks if not block.closed]
    found += [f"{block.name}: {why}" for block in page.blocks if (why := unchecked(block, page))]
    found += [f"{page.path.name}: a link to nowhere: {link}" for link in page.links if not leads(page, link)]
    twice = {row for row in page.rows if page.rows.count(row) > 1}
    found += [f"{page.path.name}: twice in one table: {cells}" for _, cells in sorted(twice)]
    return found


def unchecked(block: Block, page: Page) -> str | None:
    """Why no test covers a block."""
    if (block.language, block.note) not in CHECKED:
        return f"nobody checks a block of {block.language or 'no language'} {block.note}".strip()
    if block.language == "console" and block.page != "docs/cli.md":
        return "examples of this kind are run on docs/cli.md alone"
    before = [other for other in page.blocks if other.line < block.line]
    if block.language == "" and not (before and (before[-1].language, before[-1].note) == ("sh", "")):
        return "it has no language, and no command before it prints it"
    return None


def leads(page: Page, link: str) -> bool:
    """Whether the target of a link is in the repository, with its anchor; external links are not checked."""
    if link.startswith(("https://", "http://", "mailto:")):
        return True
    name, _, anchor = link.partition("#")
    target = (page.path.parent / name).resolve() if name else page.path
    if not target.exists():
        return link.partition("#")[0] in _generated()  # the site has it; its build checks the anchor
    return not anchor or anchor in reader.read(target).anchors


@each_of("page", pages(), ids=lambda page: page.path.relative_to(ROOT).as_posix())
def test_a_page_is_sound(page: Page) -> None:
    assert mistakes(page) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("```sh\nwosdk check\n", ":1: the fence is not closed"),
        ("```sh\nwosdk check\nWhat moved:\n\n```python\n1\n```\n", ":1: the fence is not closed"),
        ("```rust\nfn main() {}\n```\n", ":1: nobody checks a block of rust"),
        ("<!-- skip: it fails -->\n```python\n1\n```\n", ":2: nobody checks a block of python skip"),
        ("Printed:\n\n```\n1\n```\n", "it has no language"),
        ("```console\n$ wosdk check\n```\n", "run on docs/cli.md alone"),
        ("[there](nowhere.md)", "a link to nowhere: nowhere.md"),
        ("# Here\n\n[there](#there)", "a link to nowhere: #there"),
        ("![there](images/none.png)", "a link to nowhere: images/none.png"),
        ('<picture>\n<source srcset="none.svg">\n</picture>', "a link to nowhere: none.svg"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 1 | 2 |\n", "twice in one table"),
    ],
)
def test_a_broken_page_is_told(tmp_path: Path, text: str, wrong: str) -> None:
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    (found,) = mistakes(reader.read(path))
    assert wrong in found


def test_anchors_are_those_of_github(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("# A `b`, c\n\n## Same\n\n## Same\n\n[1](#a-b-c) [2](#same-1)\n", encoding="utf-8")
    page = reader.read(path)
    assert page.anchors == {"a-b-c", "same", "same-1"}
    assert mistakes(page) == []


@each_of(
    "block",
    [block for language in ("toml", "json", "jsonl", "csv") for block in reader.blocks(language)],
    ids=lambda block: block.name,
)
def test_data_can_be_read(block: Block) -> None:
    """By the parser of its format; a fault script by the sandbox."""
    if block.language == "toml":
        read = tomllib.loads(block.text)
        assert read
        if "rule" in read:
            Faults(read)
    elif block.language == "json":
        json.loads(block.text)
    elif block.language == "jsonl":
        assert all(isinstance(json.loads(line), dict) for line in block.text.splitlines())
    else:
        head, *rows = csv.reader(block.text.splitlines())
        assert rows
        assert {len(row) for row in rows} == {len(head)}
