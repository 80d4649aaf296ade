"""The site for programs that read: ``llms.txt``, ``llms-full.txt``, and the Markdown of each page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from posixpath import dirname, normpath

__all__ = ["first_sentence", "heading", "write_for_machines"]

_DIRECTIVE = re.compile(r"^::: (\S+)\n(?: +.*\n)*", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(#[^)\s]*)?\)")
ABOUT = (
    "Typed asyncio client for the Corrigo Enterprise REST work-order service (unofficial), with a local "
    "Company to try it on without an account. A create is never silently lost or doubled."
)


def write_for_machines(site: Path, pages: Mapping[str, str], nav: list[tuple[str, str]]) -> None:
    """Write the files below ``site``.

    Args:
        site: Folder of the HTML.
        pages: Path -> Markdown of each page.
        nav: Section and path of each page, in the order of the nav.
    """
    texts = {path: with_docstrings(pages[path]) for _, path in nav}
    for path, text in texts.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text, encoding="utf-8")
    lines, section = ["# wosdk_async", f"\n> {ABOUT}"], ""
    for where, path in nav:
        if where != section:
            section = where
            lines.append(f"\n## {section}\n")
        lines.append(f"- [{heading(texts[path])}]({path}): {first_sentence(texts[path])}")
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    whole = (f"<!-- {path} -->\n\n{_from_the_root(text, path).strip()}\n" for path, text in texts.items())
    (site / "llms-full.txt").write_text("\n".join(whole), encoding="utf-8")


def _from_the_root(text: str, path: str) -> str:
    """Return a page with links as they lead from the folder of the site, where the file of all pages is."""

    def link(found: re.Match[str]) -> str:
        target = normpath(f"{dirname(path) or '.'}/{found[1]}") if found[1] else path
        return f"]({target}{found[2] or ''})"

    kept = [found[0] for found in _FENCE.finditer(text)]
    prose = [_LINK.sub(link, part) for part in _FENCE.split(text)]
    return "".join(part for pair in zip(prose, [*kept, ""], strict=True) for part in pair)


def heading(text: str) -> str:
    """Return the title of a page."""
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found[1] if found else ""


def first_sentence(text: str) -> str:
    """Return the first sentence of the first paragraph of a page, without links."""
    body = _FENCE.sub("", text.partition("\n# ")[2] if not text.startswith("# ") else text)
    paragraphs = (" ".join(part.split()) for part in body.split("\n\n")[1:])
    prose = next((part for part in paragraphs if part and part[0] not in "#|<!*"), "")
    prose = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", prose)
    found = re.match(r".+?[.](?= |$)", prose)
    return found[0] if found else prose


def with_docstrings(text: str) -> str:
    """Return a page with the docstrings that its directives name."""
    if not _DIRECTIVE.search(text):
        return text
    from docs.builder.docstrings import described  # it needs griffe, which comes with the extra docs

    return _DIRECTIVE.sub(lambda found: f"## {found[1]}\n\n{described(found[1])}", text)
