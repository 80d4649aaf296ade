"""What a reader of the site sees: titles of pages, lists, examples in colours, and no empty tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from docs.builder import api_pages
from docs.builder.dialect import for_site, with_whole_options
from docs.builder.docstrings import described
from docs.builder.machines import heading
from docs.builder.markup import plain
from docs.builder.search import add_names
from docs.builder.stage import stage
from tests.docs.pages import ROOT


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return stage(tmp_path_factory.mktemp("site") / "pages")


def test_a_link_shows_the_title_of_a_page_and_not_its_file(pages: dict[str, str]) -> None:
    """In the repository a link names the file, because that is what its reader sees there."""
    shown = [
        (path, link)
        for path, text in pages.items()
        for link in re.findall(r"\[[\w./-]+\.md\]\([^)]*\)", text)
    ]
    assert shown == []
    assert "[What failure means](failures.md)" in pages["updates.md"]
    assert heading(pages["failures.md"]) == "What failure means"
    assert "[Versions](versions.md)" in pages["changelog.md"]
    assert "[Tables](../tables.md)" in pages["notebooks/work_orders.md"]


def test_an_item_behind_a_block_of_code_is_an_item() -> None:
    """The site's Markdown would read it as text of the item before."""
    text = "* one:\n\n  ```sh\n  ls\n  ```\n* two\n"
    assert for_site(text) == "* one:\n\n    ```sh\n    ls\n    ```\n\n* two\n"
    assert for_site("```text\n```\n* one\n* two\n") == "```text\n```\n\n* one\n* two\n"


def test_an_option_is_not_broken_behind_its_hyphens() -> None:
    assert (
        with_whole_options("| `--csv` | with `-p PATH`. |")
        == "| `--csv`{ .whole } | with `-p PATH`{ .whole }. |"
    )
    for kept in (
        "# `--csv`",
        "```sh\nls `--csv`\n```",
        "[`--csv`](cli.md)",
        "`a--csv`",
        "`-`",
    ):
        assert with_whole_options(kept) == kept
    long = "`--a-long-text-that-has-to-break-somewhere`"
    assert with_whole_options(long) == long


@pytest.mark.parametrize(
    ("docstring", "shown"),
    [
        (
            "One.\n\n::\n\n    a = 1\n    if a:\n        b()\n\nTwo.",
            "One.\n\n```python\na = 1\nif a:\n    b()\n```\n\nTwo.",
        ),
        ("Like this::\n\n    a = 1\n\n    b = 2\n", "Like this:\n\n```python\na = 1\n\nb = 2\n```\n\n"),
        (
            "Args:\n    one: such as::\n\n            a = 1\n\n    two: b",
            "Args:\n    one: such as:\n\n    ```python\n    a = 1\n    ```\n\n    two: b",
        ),
        ("A ratio of 1::2 stays.", "A ratio of 1::2 stays."),
    ],
)
def test_an_example_in_a_docstring_has_the_colours_of_python(docstring: str, shown: str) -> None:
    assert plain(docstring) == shown


def test_every_example_of_the_api_is_a_block_of_python() -> None:
    shown = {name: described(name) for name in api_pages.names()}
    assert "```python\nasync with wosdk.Client(" in shown["wosdk_async.Client"]
    assert [name for name, text in shown.items() if re.search(r"::$", text, re.MULTILINE)] == []


def test_an_error_shows_only_what_it_adds_to_the_base_of_all(pages: dict[str, str]) -> None:
    assert "### remedy" in described("wosdk_async.WosdkError")
    assert "### retry_after" in described("wosdk_async.ThrottledError")
    assert "### remedy" not in described("wosdk_async.ThrottledError")
    page = pages["api/errors.md"]
    assert "::: wosdk_async.WosdkError\n\n" in page
    assert "::: wosdk_async.ThrottledError\n    options:\n      inherited_members: false\n" in page


def test_no_table_is_without_rows(pages: dict[str, str]) -> None:
    empty = [path for path, text in pages.items() if re.search(r"^\|[-| :]+\|\n(?!\|)", text, re.MULTILINE)]
    assert empty == []
    assert "No source says which fields it has." in pages["entities/PmItem.md"]


def test_a_table_names_its_columns_or_none_of_them(pages: dict[str, str]) -> None:
    """The first may be empty, above the names of rows."""
    heads = [
        (path, head)
        for path, text in pages.items()
        for head in re.findall(r"^(\|.*\|)\n\|[-| :]+\|\n", text, re.MULTILINE)
    ]
    cells = [(path, [cell.strip() for cell in head.strip("|").split("|")]) for path, head in heads]
    assert len(cells) > 400
    assert [(path, names) for path, names in cells if any(names) and not all(names[1:])] == []


def test_a_result_of_the_search_is_a_text_and_no_markdown(tmp_path: Path) -> None:
    page = "# A\n\n| `Name` | text *may be null*; 1&lt;=x\\>=0 `Items.*` a\\|b *required* |\n"
    found = {
        "items": [
            {"location": "options.html", "level": 1, "title": "A", "text": "", "path": ["A"], "tags": []}
        ]
    }
    (tmp_path / "search.json").write_text(json.dumps(found), encoding="utf-8")
    add_names(tmp_path, {"options.md": page})
    shown = json.loads((tmp_path / "search.json").read_text(encoding="utf-8"))["items"]
    assert [each["text"] for each in shown] == [
        "",
        "text may be null; 1&lt;=x&gt;=0 <code>Items.*</code> a|b required",
    ]


def test_the_page_for_a_wrong_address_leads_to_the_start() -> None:
    """The theme's own has no link."""
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    folder = re.search(r"^  custom_dir: \.\./(\S+)", config, re.MULTILINE)
    assert folder
    page = (ROOT / folder[1] / "404.html").read_text(encoding="utf-8")
    assert 'href="{{ nav.homepage.url | url }}"' in page
