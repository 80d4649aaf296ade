"""The index of the site's search: a name finds its definition before pages that mention it.

The search knows headings and the text below them. A field, a value of an enum, a code, an option or a message
is a row of a table, so each such row becomes an entry of its own. Entries that match equally well come in the
order of the index: first the words of ``search_words.toml``, then guides, then the shorter name, so
``WorkOrder`` comes before ``WorkOrderCost``. An option that several commands share is one entry: else it
would fill the list of results.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from html import escape, unescape
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("search_words.toml")
WORDS: Mapping[str, list[str]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
"""Page -> words that people type when they look for it."""
NAMED = re.compile(r"(entities|commands|enums)/|(cli-options|error-codes|messages|settings)\.md$")
"""Pages whose tables begin each row with a name."""
_OPTIONS = "cli-options.md"
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"#+ (.+)")
_ROW = re.compile(r"\| (`.+?) (?<!\\)\|(.*)\|")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MARK = re.compile(r"\\([>*_|])|\*([^*`]+)\*")
_CODE = re.compile(r"`+([^`]+)`+")


def add_names(site: Path, pages: Mapping[str, str], words: Mapping[str, list[str]] = WORDS) -> None:
    """Add names in ``pages`` (path -> Markdown), and ``words``, to the ``search.json`` of a site."""
    file = site / "search.json"
    index = json.loads(file.read_text(encoding="utf-8"))
    items: list[dict[str, Any]] = index["items"]
    for item in items:
        if item["level"] == 1 and item["location"].startswith("entities/"):
            item["path"] = [*item["path"][:2], item["title"]]  # "Work orders" would hide "WorkOrder"
            item["text"] = f"{item['title']}: {item['text']}"
    by_heading = {(item["location"].partition("#")[0], item["title"]): item for item in reversed(items)}
    for path, text in pages.items():
        if NAMED.match(path):
            page = path.removesuffix(".md") + ".html"
            rows = _rows(text)
            entries = [_entry(by_heading[page, heading], name, meaning) for heading, name, meaning in rows]
            items += _merged(entries) if path == _OPTIONS else entries
    index["items"] = [*_typed_words(items, words), *sorted(items, key=_rank)]
    file.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def _typed_words(
    items: Iterable[Mapping[str, Any]], words: Mapping[str, list[str]]
) -> Iterator[dict[str, Any]]:
    """Yield an entry for each word that people type; it links the section that mentions the word most.

    The search prefers entries with more matches in the title, then those with matches in the path, too.
    """
    sections: dict[str, list[Mapping[str, Any]]] = {}
    for item in sorted(items, key=lambda item: item["level"]):
        sections.setdefault(item["location"].partition("#")[0], []).append(item)
    for page, typed in words.items():
        found = sections[page.removesuffix(".md") + ".html"]
        for word in typed:
            best = max(found, key=lambda item: _mentions(item, word.lower()))
            yield {**best, "title": word, "path": [*found[0]["path"], word], "tags": []}


def _mentions(item: Mapping[str, Any], word: str) -> tuple[int, int]:
    return item["title"].lower().count(word), item["text"].lower().count(word)


def _rank(item: Mapping[str, Any]) -> tuple[bool, int]:
    """Return the sort key of an entry among those that match equally well."""
    return item["path"][:1] not in (["Start"], ["Guides"]), len(item["title"].partition(",")[0])


def _merged(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Merge entries that differ only in their section; the path names all sections."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for entry in entries:
        first = found.setdefault((entry["title"], entry["text"]), entry)
        if first is not entry:
            first["path"] = [*first["path"][:-1], f"{first['path'][-1]}, {entry['path'][-1]}"]
    return list(found.values())


def _rows(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield heading, name and the other cells of each row that begins with one or more names."""
    heading = ""
    for line in _FENCE.sub("", text).splitlines():
        if found := _HEADING.match(line):
            heading = _CODE.sub(r"\1", found[1])
        elif found := _ROW.match(line):
            for names in found[1].split("`, `"):  # a field has two names, <br> between them
                first, _, second = names.replace("`", "").replace("\\|", "|").partition("<br>")
                differs = second and second != first.lower()  # the search ignores case: it would count twice
                yield heading, f"{first}, {second}" if differs else first, found[2]


def _entry(section: Mapping[str, Any], name: str, meaning: str) -> dict[str, Any]:
    cells = (cell.strip() for cell in re.split(r"(?<!\\)\|", _LINK.sub(r"\1", meaning)))
    marked = " – ".join(filter(None, cells))
    text = escape(unescape(_MARK.sub(r"\1\2", marked)), quote=False)  # the search shows no emphasis
    path = section["path"] if section["level"] == 1 else [*section["path"], section["title"]]
    return {
        "location": section["location"],
        "level": section["level"] + 1,
        "title": escape(name, quote=False),
        "text": _CODE.sub(r"<code>\1</code>", text),
        "path": path,
        "tags": [],
    }
