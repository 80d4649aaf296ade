"""The folder that the site is built from: pages of ``docs/``, pages that are generated, and the whole nav."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.builder import api_pages, catalogue_pages, notebook_pages, reference_pages
from docs.builder.dialect import for_site, with_bars, with_whole_options
from docs.builder.machines import heading

__all__ = ["ROOT", "generated", "nav_pages", "read_nav", "stage", "write_config", "written"]

ROOT = Path(__file__).parents[2]
TAKEN = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "wosdk_async/catalogue/README.md": "catalogue.md",
}
"""Pages that stand elsewhere in the repository."""
LANGUAGES = {".py": "python", ".toml": "toml", ".csv": "text", ".json": "json"}
_NAV = re.compile(r"^nav:\n(?:(?: .*|#.*)?\n)*", re.MULTILINE)
_PAGE = re.compile(r"^(?P<indent> *)- (?:(?P<title>[^:\n]+): )?(?P<path>[\w/.-]+(?:\.md|/))$")
_DRAWING = re.compile(r"!\[([^\]]*)\]\((images/[\w-]+\.svg)\)")
_NAMED_FILE = re.compile(r"\[[\w./-]+\.md\]\(([\w-]+\.md)(#[^)]*)?\)")
_STYLE = re.compile(r"\s*<style>.*?</style>", re.DOTALL)


def stage(folder: Path) -> dict[str, str]:
    """Write all pages and files below ``folder``, which is made anew; return path -> text of each page."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("*.md", "builder", "__pycache__"))
    found = _titled(_written() | generated())
    for path, text in found.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(with_whole_options(with_bars(_drawn(text))), encoding="utf-8")
    return found


def generated() -> dict[str, str]:
    """Return path -> text of the pages that nobody writes, and of those that stand outside of ``docs``."""
    taken = {name: for_site(_linked(_read(source))) for source, name in TAKEN.items()}
    modules = (api_pages, catalogue_pages, notebook_pages, reference_pages)
    return {**taken, **_examples(), **{path: text for each in modules for path, text in each.pages().items()}}


def _titled(pages: dict[str, str]) -> dict[str, str]:
    """Put the title of a page where a link shows its file: readers of the site see no files."""

    def link(found: re.Match[str]) -> str:
        title = heading(pages.get(found[1], ""))
        return f"[{title}]({found[1]}{found[2] or ''})" if title else found[0]

    return {path: _NAMED_FILE.sub(link, text) for path, text in pages.items()}


def _read(source: str) -> str:
    return (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")


def written() -> list[Path]:
    """Return the pages that people write; ``README.md`` is for those who read them in the repository."""
    return [path for path in sorted((ROOT / "docs").glob("*.md")) if path.name != "README.md"]


def _written() -> dict[str, str]:
    """Return the pages that people write, with links as they lead from their places in the site."""
    return {path.name: for_site(_linked(path.read_text(encoding="utf-8"))) for path in written()}


def _linked(text: str) -> str:
    text = re.sub(r"\]\((examples/[\w./-]+(?<!\.md))\)", r"](\1.md)", text)
    text = re.sub(r"\]\((notebooks/[\w-]+)\.ipynb\)", r"](\1.md)", text)
    for source, name in TAKEN.items():
        text = re.sub(rf"\]\((?:\.\./)*{re.escape(source)}(#[^)]*)?\)", rf"]({name}\1)", text)
    text = re.sub(r"\]\((?:\.\./)*README\.md(#[^)]*)?\)", r"](index.md)", text)
    return re.sub(
        r"\] \[(?=[\w:. ]+\](?![(:]))", r"] \\[", text
    )  # two words in brackets, and not a link by reference


def _drawn(text: str) -> str:
    """Put the drawings of ours into the page, where they follow its colours."""

    def inline(found: re.Match[str]) -> str:
        drawing = (ROOT / "docs" / found[2]).read_text(encoding="utf-8")
        if 'class="diagram"' not in drawing:
            return found[0]
        return _STYLE.sub("", drawing).strip()

    return _DRAWING.sub(inline, text)


def _examples() -> dict[str, str]:
    """Return a page for each file of ``docs/examples``."""
    rows, found = [], {}
    for path in sorted((ROOT / "docs" / "examples").glob("*.*")):
        text = path.read_text(encoding="utf-8")
        about = re.match(r'(?:"""|# ?)(.+?)(?:"""|$)', text, re.MULTILINE)
        first = about[1].strip() if about and path.suffix in (".py", ".toml") else "Data for the examples."
        found[f"examples/{path.name}.md"] = (
            f"# {path.name}\n\n{first}\n\n```{LANGUAGES[path.suffix]}\n{text}```\n"
        )
        rows.append(f"* [{path.name}]({path.name}.md): {first}")
    head = "# Examples\n\nWhole programs that the tests run; the guides quote them.\n\n"
    return {**found, "examples/index.md": head + "\n".join(rows) + "\n"}


def _trees() -> dict[str, list[Any]]:
    files = sorted(path.name for path in (ROOT / "docs" / "examples").glob("*.*"))
    examples: list[Any] = ["examples/index.md", *(f"examples/{name}.md" for name in files)]
    return {**catalogue_pages.tree(), **api_pages.tree(), "examples/": examples}


def read_nav(config: str) -> Iterator[str]:
    """Give the lines of the nav of ``mkdocs.yml``: folders with their pages."""
    found = _NAV.search(config)
    if found is None:
        raise ValueError("mkdocs.yml has no nav")
    trees = _trees()
    for line in found[0].splitlines():
        page = _PAGE.match(line)
        if page and page["path"] in trees:
            yield f"{page['indent']}- {page['title']}:"
            yield from _lines(trees[page["path"]], len(page["indent"]) + 4)
        else:
            yield line


def _lines(items: list[Any], indent: int) -> Iterator[str]:
    for item in items:
        if isinstance(item, str):
            yield f"{' ' * indent}- {item}"
        else:
            for title, below in item.items():
                yield f"{' ' * indent}- {title}:"
                yield from _lines(below, indent + 4)


def nav_pages(lines: list[str]) -> list[tuple[str, str]]:
    """Return section and path of each page of a nav."""
    found, section = [], ""
    for line in lines:
        if head := re.match(r"^  - (.+):$", line):
            section = head[1]
        if (page := _PAGE.match(line)) and page["path"].endswith(".md"):
            found.append((section, page["path"]))
    return found


def write_config(build: Path) -> list[str]:
    """Write ``mkdocs.yml`` of the build, with the whole nav; return the lines of the nav."""
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    nav = list(read_nav(config))
    text = _NAV.sub(lambda _: "\n".join(nav) + "\n", config).replace("docs_dir: docs\n", "docs_dir: pages\n")
    (build / "mkdocs.yml").write_text(text, encoding="utf-8")
    return nav
