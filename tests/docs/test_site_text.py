"""What a reader of the site sees: titles of pages, tables with rows and heads, results of the search."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from docs.builder.markup import heading
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
            {"location": "settings.html", "level": 1, "title": "A", "text": "", "path": ["A"], "tags": []}
        ]
    }
    (tmp_path / "search.json").write_text(json.dumps(found), encoding="utf-8")
    add_names(tmp_path, {"settings.md": page})
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
