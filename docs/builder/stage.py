"""The folder that the site is built from: pages of ``docs/``, generated pages, and the whole nav."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from docs.builder.catalogue_pages import catalogue_nav, catalogue_pages
from docs.builder.cli_page import cli_page
from docs.builder.dialect import for_site
from docs.builder.markup import heading, slug

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ELSEWHERE = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "wosdk_async/catalogue/README.md": "catalogue.md",
    "README.md": "index.md",
}
"""Pages of the site from outside ``docs``, and their paths there. The README is not in the site."""
LANGUAGES = {".py": "python", ".toml": "toml", ".csv": "text"}
_EXAMPLE = re.compile(r"\]\(examples/(?!index\.md)([\w.]+)\)")
_DRAWING = re.compile(r"!\[[^\]]*\]\((images/[\w-]+\.svg)\)")
_NAMED_FILE = re.compile(r"\[[\w./-]+\.md\]\(([\w-]+\.md)(#[^)]*)?\)")


def stage(folder: Path) -> dict[str, str]:
    """Write all pages and files below ``folder``, emptied first; return path -> text of each page."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("*.md", "builder", "__pycache__"))
    pages = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in written()}
    pages |= generated()
    pages = {path: _linked(text, pages) for path, text in pages.items()}
    for path, text in pages.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_drawn(for_site(text)), encoding="utf-8")
    return pages


def written() -> list[Path]:
    """Return the pages of ``docs`` without ``README.md``, which is for readers of the repository."""
    return [path for path in sorted(DOCS.rglob("*.md")) if path.name != "README.md"]


def generated() -> dict[str, str]:
    """Return path -> text of generated pages and of pages outside ``docs``."""
    outside = {
        path: (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        for source, path in ELSEWHERE.items()
        if path != "index.md"
    }
    return outside | catalogue_pages() | {"cli-options.md": cli_page(), "examples/index.md": _examples()}


def _examples() -> str:
    parts = ["# Examples", "Whole programs that the tests run; the guides quote them."]
    for path in sorted((DOCS / "examples").glob("*.*")):
        parts += [f"## {path.name}", f"```{LANGUAGES[path.suffix]}\n{path.read_text(encoding='utf-8')}```"]
    return "\n\n".join(parts) + "\n"


def _linked(text: str, pages: dict[str, str]) -> str:
    """Return a page with the site's links, showing titles instead of file names."""

    def titled(link: re.Match[str]) -> str:
        return f"[{heading(pages.get(link[1], '')) or link[1]}]({link[1]}{link[2] or ''})"

    text = _EXAMPLE.sub(lambda link: f"](examples/index.md#{slug(link[1])})", text)
    text = re.sub(r"\]\((notebooks/\w+)\.ipynb\)", r"](\1.md)", text)
    for source, path in ELSEWHERE.items():
        text = re.sub(rf"\]\((?:\.\./)*{re.escape(source)}(#[^)]*)?\)", rf"]({path}\1)", text)
    # Two words in brackets are no link by reference.
    text = re.sub(r"\] \[(?=[\w:. ]+\](?![(:]))", r"] \\[", text)
    return _NAMED_FILE.sub(titled, text)


def _drawn(text: str) -> str:
    """Inline our drawings, so that they use the page's colours."""

    def inline(image: re.Match[str]) -> str:
        drawing = (DOCS / image[1]).read_text(encoding="utf-8")
        if 'class="diagram"' not in drawing:
            return image[0]
        return re.sub(r"\s*<style>.*?</style>", "", drawing, flags=re.DOTALL).strip()

    return _DRAWING.sub(inline, text)


def write_config(build: Path) -> list[str]:
    """Write the build's ``mkdocs.yml``, with the catalogue's pages; return the pages of its nav."""
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    config = config.replace("docs_dir: docs\n", "docs_dir: pages\n")
    for folder, pages in catalogue_nav().items():  # JSON is YAML
        config = config.replace(f": {folder}/\n", f": {json.dumps(pages)}\n")
    (build / "mkdocs.yml").write_text(config, encoding="utf-8")
    return re.findall(r"[\w/.-]+\.md", config)
