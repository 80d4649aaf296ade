"""Checks of the built site: links lead somewhere, nothing comes from elsewhere, all is in the nav."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["Document", "mistakes"]

LOADED = {
    ("script", "src"),
    ("img", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
    ("use", "href"),
}
"""Attributes by which a browser loads a file by itself."""


class Document(HTMLParser):
    """Links, anchors and loaded files of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what one element names."""
        values = dict(attrs)
        if values.get("id"):
            self.anchors.add(str(values["id"]))
        for name in ("href", "src"):
            target = values.get(name)
            if not target or (tag == "link" and values.get("rel") in ("canonical", "prev", "next")):
                continue
            (self.loads if (tag, name) in LOADED else self.links).append(target)


def mistakes(site: Path, nav: set[str], staged: set[str]) -> Iterator[str]:
    """Give what is wrong with a site.

    Args:
        site: Folder of the HTML.
        nav: Paths of the pages that the nav lists.
        staged: Paths of the pages that the site was built from.
    """
    yield from (f"{page}: not in the nav" for page in sorted(staged - nav))
    yield from (f"mkdocs.yml: the nav names {page}, which does not exist" for page in sorted(nav - staged))
    documents = {path.resolve(): Document(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    missing = [
        page for page in sorted(nav & staged) if (site / page).with_suffix(".html").resolve() not in documents
    ]
    yield from (f"{page}: was not built" for page in missing)
    for path, document in sorted(documents.items()):
        name = path.relative_to(site.resolve())
        if name.name == "404.html":  # its links begin at the root of a server
            continue
        for target in document.loads:
            if urlsplit(target).scheme not in ("", "data") or target.startswith("//"):
                yield f"{name}: loads {target} from elsewhere"
        for target in [*document.links, *document.loads]:
            if not _leads(path, target, documents):
                yield f"{name}: a link to nowhere: {target}"


def _leads(page: Path, target: str, documents: dict[Path, Document]) -> bool:
    parts = urlsplit(target)
    if parts.scheme or target.startswith("//"):
        return True
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if path.is_dir():
        path /= "index.html"
    if not path.exists():
        return False
    anchor = unquote(parts.fragment)
    return not anchor or path not in documents or anchor in documents[path].anchors or anchor.startswith("__")
